//===- CompilerOptions.h - How a module is compiled -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those that users give have their names, texts, ranges and rules in
// OptionTable.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_COMPILEROPTIONS_H
#define FLYWHEEL_DRIVER_COMPILEROPTIONS_H

#include "flywheel/Driver/ProgramCache.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/Object/TargetOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace flywheel {

/// The lowerings from tensor programs to loops.
enum class Lowering {
  /// Fused, tiled, packed and vectorized.
  Optimized,
  /// The plainest path: one scalar loop nest an op, nothing fused. Exists to be
  /// trusted and compared against.
  Reference,
};

/// The number of threads that may execute a step together, 1 to kMaxThreads.
struct ThreadCount {
  /// The number that somebody chose.
  std::optional<int64_t> given;
  /// The number if nobody did; 1 if the back end cannot share a step.
  int64_t byDefault = 1;

  int64_t get() const { return given.value_or(byDefault); }
};

struct CompilerOptions {
  /// The model's name, which prefixes its C symbols and is in its checkpoints;
  /// by default the module's name, or else the stem of `inputPath`, or `model`.
  std::string modelName;
  /// The file that the module is from; empty, or `-`, for one without a name.
  std::string inputPath;
  /// The prefixes to replace in names of source files, in messages and line
  /// tables, as in `train.file_prefix_map`; without, names stay as they are. An
  /// empty list keeps the module's own.
  std::optional<std::vector<std::string>> filePrefixMap;
  /// Passes that run before those of the first stage, as a textual pipeline on
  /// the module (`cse,func.func(canonicalize)`); empty for none.
  std::string passes;
  /// By default Optimized.
  std::optional<Lowering> lowering;
  TargetOptions target;
  /// The program that assembles code of devices, by its name or path, for
  /// `target.ptxas`: empty for the usual one of the back end where it is
  /// installed, and `none`, or nothing, for none.
  std::optional<std::string> assembler;
  /// The public functions to keep, with what they need; empty for all.
  std::vector<std::string> entries;
  /// Checkpoint whose values take the place of variables that no entry assigns;
  /// empty to keep variables. `frozenVariables` are those to replace, which
  /// must not be assigned; empty for all that can be.
  std::string frozenCheckpoint;
  std::vector<std::string> frozenVariables;
  /// Checkpoint whose values variables start from; empty for the initial values
  /// that the program says.
  std::string initialCheckpoint;
  /// Checkpoint whose variables the initializer gives no value, since whoever
  /// runs the model restores it; empty for none. Excludes `initialCheckpoint`.
  std::string externalCheckpoint;
  /// Also emit the functions that the C header declares.
  bool cInterface = true;
  /// Bounds of the symbolic dimension sizes (the batch) in the C interface,
  /// whose state block includes the workspace. The JIT holds to the named ones
  /// only. Sizes of buffers are compared where each dimension size is its
  /// bound. A name that no entry has is an error. By default 1024 for all.
  std::optional<DimSizeBounds> maxDimSizes;
  /// Bytes that the workspace of an entry may have where no symbolic dimension
  /// size exceeds its bound; without, the workspace is as large as is fastest.
  std::optional<int64_t> memoryBudget;
  /// Compute 3 x 3 convolutions by Winograd's method where that is faster, on a
  /// CPU and optimized: fewer multiplications, and larger errors, which
  /// docs/Precision.md bounds.
  bool winograd = false;
  /// Fail a step, which then changes nothing, at the first op whose result has
  /// a NaN or an infinity.
  bool checkNumerics = false;
  /// Measure how long each kernel of a step takes. Without, nothing is added.
  bool profile = false;
  /// Results do not depend on it, to the last bit. Nobody is warned of a step
  /// with fewer threads than by default.
  ThreadCount threads;
  /// Scalar operations that are worth sharing between threads: a step of less
  /// is executed by one.
  int64_t minSharedWork = 4'000'000;
  /// Say by remarks what the workspace of a step has to hold, how many of its
  /// contractions are computed in registers, which convolutions are computed by
  /// Winograd's method, and what it costs to share the step between threads, or
  /// why one executes it.
  bool report = false;
  /// Run steps with denormal numbers flushed to zero, where the target can.
  bool flushDenormals = true;
  /// The cache in which the program is looked up before it is compiled, and
  /// kept; without, none is used.
  std::optional<CacheRequest> cache;
  /// Make a program that serves all modules that differ in places only, whose
  /// texts have numbers of places until Program::withPlaces(). One of which the
  /// compiler said something is kept for modules with its places.
  bool numbersPlaces = false;
  /// The names of the options that a user gave as texts, also if the value is
  /// the default.
  std::set<std::string> given;
  /// Called with each stage's name and the module after it.
  std::function<void(llvm::StringRef stage, mlir::ModuleOp module)> afterStage;
  /// Stop after this stage; empty to run all.
  std::string stopAfter;
  /// Called with the pass manager of each stage before it runs: may add
  /// instrumentation. On failure it has emitted a diagnostic.
  std::function<llvm::LogicalResult(mlir::PassManager &)> instrument;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_COMPILEROPTIONS_H
