//===- ArrayView.h - Arrays that a caller passes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_ARRAYVIEW_H
#define FLYWHEEL_SESSION_ARRAYVIEW_H

#include "flywheel/Runtime/DType.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace flywheel {

/// A dense row-major array that someone else owns. Null data means no array,
/// unless there are no elements. An element of dtype String is a
/// std::string_view.
struct ArrayView {
  runtime::DType dtype = runtime::DType::F32;
  llvm::ArrayRef<int64_t> shape;
  const void *data = nullptr;
};

/// The same, to write to.
struct MutableArrayView {
  runtime::DType dtype = runtime::DType::F32;
  llvm::ArrayRef<int64_t> shape;
  void *data = nullptr;
};

/// The runtime's name of an element type; nothing for a type that arrays cannot
/// have.
std::optional<runtime::DType> getDType(mlir::Type elementType);

} // namespace flywheel

#endif // FLYWHEEL_SESSION_ARRAYVIEW_H
