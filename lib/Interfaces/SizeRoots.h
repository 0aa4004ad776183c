//===- SizeRoots.h - Where sizes come from ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_INTERFACES_SIZEROOTS_H
#define FLYWHEEL_LIB_INTERFACES_SIZEROOTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace flywheel {

/// A dimension size of a tensor or buffer, the number that an index is, or a
/// constant.
struct SizeRoot {
  /// Null for a constant.
  mlir::Value value;
  /// The dimension, -1 for an index; or the constant.
  int64_t number = -1;

  bool operator==(const SizeRoot &other) const {
    return value == other.value && number == other.number;
  }
};

/// Follows sizes to where they come from: through slices, casts, allocations
/// and what branches and loops forward, where all of it has one size. Each
/// value is looked at once, however the regions are nested.
class SizeRoots {
public:
  /// Returns the root of dimension `dim` of `value`, or of the index `value`.
  SizeRoot get(mlir::Value value, std::optional<int64_t> dim);

private:
  SizeRoot get(SizeRoot size);
  SizeRoot compute(SizeRoot size);
  SizeRoot getSource(SizeRoot size);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeRoot> known;
  unsigned depth = 0;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_INTERFACES_SIZEROOTS_H
