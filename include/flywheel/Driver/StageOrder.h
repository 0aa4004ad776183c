//===- StageOrder.h - Which stage a module is ready for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_STAGEORDER_H
#define FLYWHEEL_DRIVER_STAGEORDER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace flywheel {

/// The number of a stage, or nothing for another name.
std::optional<size_t> findStage(llvm::StringRef name);

/// The stages with the numbers `first` to `last`.
struct StageRange {
  size_t first, last;
};

/// Returns the error of a module that is given to any stage of `expected`;
/// empty if it may be right. A module without a record of its stages is a
/// source if ops in `op`, the module or the op in it that a pass runs on, read
/// variables: such modules take the stages before variables become arguments.
/// Any other module without a record is right everywhere: it is written by
/// hand.
std::string describeWrongStage(mlir::Operation *op, StageRange expected);

/// Says, behind the errors of a pass that fails, to which stage the pass
/// belongs if the module is at another.
std::unique_ptr<mlir::PassInstrumentation> createStageHints();

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_STAGEORDER_H
