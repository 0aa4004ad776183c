//===- BufferOrigins.h - Origins of buffers ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_STATE_BUFFERORIGINS_H
#define FLYWHEEL_LIB_TRANSFORMS_STATE_BUFFERORIGINS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel {

/// Returns the buffer of which `buffer` is another type.
mlir::Value getWholeBuffer(mlir::Value buffer);

using BufferOrigins = llvm::SmallSetVector<mlir::Value, 4>;

/// Returns the buffers, arguments or allocations, that `buffer` may be a part
/// of; null stands for any.
BufferOrigins findOrigins(mlir::Value buffer);

/// Returns true if buffers of these origins may overlap in memory.
bool mayOverlap(const BufferOrigins &a, const BufferOrigins &b);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_STATE_BUFFERORIGINS_H
