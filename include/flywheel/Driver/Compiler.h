//===- Compiler.h - From a module to machine code ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way to compile: every tool and the Python module go through it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_COMPILER_H
#define FLYWHEEL_DRIVER_COMPILER_H

#include "flywheel/Driver/Diagnostics.h"
#include "flywheel/Driver/ProgramCache.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/Object/StageTime.h"
#include "flywheel/Target/Object/TargetOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <memory>
#include <optional>
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

/// Prints the name that options and the record of a module have.
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Lowering lowering) {
  return os << (lowering == Lowering::Reference ? "reference" : "optimized");
}

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
  /// By default Optimized.
  std::optional<Lowering> lowering;
  TargetOptions target;
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
  /// The number of threads that may execute a step together, 1 to kMaxThreads;
  /// by default `defaultThreads`. Results do not depend on it.
  std::optional<int64_t> threads;
  int64_t defaultThreads = 1;
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
  /// Called with each stage's name and the module after it.
  std::function<void(llvm::StringRef stage, mlir::ModuleOp module)> afterStage;
  /// Stop after this stage; empty to run all.
  std::string stopAfter;
  /// Called with the pass manager of each stage before it runs: may add
  /// instrumentation. On failure it has emitted a diagnostic.
  std::function<llvm::LogicalResult(mlir::PassManager &)> instrument;
};

/// One named bundle of passes: what `flywheel-opt --<stage>` and the compiler
/// both run.
struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  void (*populate)(mlir::OpPassManager &, const CompilerOptions &);
};

/// Every stage in order; the last leaves a module of the LLVM dialect with
/// entry points and a `train.manifest` attribute.
llvm::ArrayRef<Stage> getStages();

/// Adds the passes of a stage and one that records in the module that the stage
/// is done.
void populateStage(mlir::OpPassManager &pm, const Stage &stage,
                   const CompilerOptions &options);

/// Reads from `module` which stages it has been through, and takes what these
/// were run with for the options that are not given. Returns the number of
/// stages that are done. On failure diagnostics have been emitted: the record
/// is malformed, an option has another value than there, or `stopAfter` is a
/// stage before the last one.
llvm::FailureOr<size_t> resumeOptions(mlir::ModuleOp module,
                                      CompilerOptions &options);

/// The options that a stage is the first to read, as the pass that records the
/// stage takes them.
std::string formatSettings(const Stage &stage, const CompilerOptions &options);

/// Registers every pass, of upstream and ours, and each stage as a pass
/// pipeline of its name.
void registerAllFlywheelPasses();

/// Registers every dialect, extension, rule and interface that a Flywheel
/// module may use.
void registerAllFlywheelDialects(mlir::DialectRegistry &registry);

/// A context with every dialect, whose threads have stack for deep modules: as
/// many as FLYWHEEL_COMPILE_THREADS of the environment says, or else as the
/// process has processors.
std::shared_ptr<mlir::MLIRContext> createContext();

/// Prints a line for each stage and one for their sum.
void printStageTimes(llvm::raw_ostream &os, llvm::ArrayRef<StageTime> times);

struct CompiledModule {
  /// The module after the last stage that ran; nothing but the manifest where
  /// the program was in the cache.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Present when every stage ran.
  Manifest manifest;
  /// The options of the compilation: those requested, or those of the module.
  CompilerOptions options;
  std::vector<StageTime> times;
  /// The object of the cache; null if the program was compiled. See
  /// makeObject().
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// Constants that `CodegenOptions` keep out of the object, and the bytes of
  /// the cache entry that holds them.
  std::vector<DetachedData> data;
  std::unique_ptr<llvm::MemoryBuffer> dataBytes;
  /// The compiler's diagnostics other than errors.
  std::vector<SaidDiagnostic> said;
  /// The keys of the program in the cache, without diagnostics and with them,
  /// or empty; a note on the cache, and the reason why it could not keep the
  /// program.
  std::string cacheKey, saidCacheKey, cacheNote, cacheError;
};

/// Parses a module from a file (`-` for standard input). Arguments and results
/// of public functions that carry no `train.name` get their SSA names, but not
/// in a module that has been through a stage. The source goes to `printer`;
/// diagnostics, also of a file that cannot be read, to the handler of the
/// context.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(mlir::MLIRContext &context,
                                                  llvm::StringRef path,
                                                  DiagnosticPrinter &printer);
/// The same from text; `name` stands for the file in locations.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleText(mlir::MLIRContext &context,
                                                  llvm::StringRef text,
                                                  llvm::StringRef name,
                                                  DiagnosticPrinter &printer);

/// Runs the stages on `module`, or those that are left where it has been
/// through some. On failure diagnostics have been emitted.
llvm::FailureOr<CompiledModule>
compileModule(mlir::OwningOpRef<mlir::ModuleOp> module,
              const CompilerOptions &options);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_COMPILER_H
