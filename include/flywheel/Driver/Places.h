//===- Places.h - Modules that differ in places -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place is the file, line and column that a message at run time names. One
// program serves all modules that differ in places only, and in these by a
// bijection: its texts then have the numbers of places, and each module its
// list of them.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PLACES_H
#define FLYWHEEL_DRIVER_PLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace flywheel {

/// Numbers places in the order of their first use.
class PlaceNumbering {
public:
  /// Returns the number of the place that messages name for `location`; -1
  /// where it has none.
  int64_t getNumber(mlir::Location location);
  /// Returns the places by number.
  const std::vector<std::string> &getPlaces() const { return places; }

private:
  llvm::DenseMap<mlir::Location, int64_t> known;
  llvm::StringMap<int64_t> numbers;
  std::vector<std::string> places;
};

/// Calls `handle` with the location of each op of `module`, and of each
/// argument of a block, in a fixed order.
void walkLocations(mlir::ModuleOp module,
                   llvm::function_ref<void(mlir::Location)> handle);

/// Returns the places of `module`, each once, in the order of their numbers.
std::vector<std::string> getPlaces(mlir::ModuleOp module);

/// Has the stages put numbers of places into the texts that they make for run
/// time; Program::withPlaces() puts places there.
void numberPlaces(mlir::ModuleOp module);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PLACES_H
