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

#include "flywheel/Driver/CompilerOptions.h"
#include "flywheel/Driver/Diagnostics.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Target/Object/StageTime.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace flywheel {

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
/// is done. The options that are `given` must be those of the stages before it.
void populateStage(mlir::OpPassManager &pm, const Stage &stage,
                   const CompilerOptions &options,
                   llvm::ArrayRef<std::string> given = {});

/// Reads from `module` which stages it has been through, and takes what these
/// were run with for the options that are not given. Returns the number of
/// stages that are done. On failure diagnostics have been emitted: the record
/// is malformed, an option has another value than there, or `stopAfter` is a
/// stage before the last one.
llvm::FailureOr<size_t> resumeOptions(mlir::ModuleOp module,
                                      CompilerOptions &options);

/// Takes the options that `record` has, but not those that are given. On
/// failure diagnostics have been emitted at `module`, as by resumeOptions().
llvm::LogicalResult adoptOptions(mlir::ModuleOp module,
                                 mlir::DictionaryAttr record,
                                 CompilerOptions &options);

/// The options that a stage or one before it reads, as the pass that records
/// the stage takes them.
std::string formatSettings(const Stage &stage, const CompilerOptions &options);

/// Registers every pass, of upstream and ours, and each stage as a pass
/// pipeline of its name.
void registerAllFlywheelPasses();

/// Registers every dialect, extension, rule and interface that a Flywheel
/// module may use, those of the plugins that are loaded too.
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
