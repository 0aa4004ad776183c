//===- Program.h - A compiled model in this process -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_PROGRAM_H
#define FLYWHEEL_SESSION_PROGRAM_H

#include "flywheel/Model/Manifest.h"
#include "flywheel/Runtime/DType.h"
#include "flywheel/Runtime/Status.h"
#include "flywheel/Session/ArrayView.h"
#include "flywheel/Target/Object/JIT.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace flywheel {

/// The description of a feed or result for a call, without MLIR types.
struct ArgumentSpec {
  std::string name;
  runtime::DType dtype = runtime::DType::F32;
  /// The dimension size, or -1 - the number of the symbolic dimension size.
  llvm::SmallVector<int64_t, 4> dimSizes;
  /// For messages, `(?, 64)`.
  std::string shapeText;
};

/// One entry, ready to be called.
struct EntrySpec {
  const ManifestEntry *manifest = nullptr;
  /// One of them is set: the second if the model is compiled for several
  /// threads.
  PackedFunction function = nullptr;
  PackedTeamFunction teamFunction = nullptr;
  std::vector<ArgumentSpec> feeds, results;
};

/// The description of a variable, without MLIR types.
struct VariableSpec {
  std::string name;
  runtime::DType dtype = runtime::DType::F32;
  runtime::Shape shape;
  int64_t offset = 0, bytes = 0;
};

/// The code and the description of a model: immutable, so that any number of
/// sessions, on any threads, may share one. The MLIR context of the module it
/// was made from must outlive it.
class Program {
public:
  /// Compiles a module of the LLVM dialect on which
  /// `flywheel-emit-entry-points` has run, for this machine. Appends the times
  /// of the steps to `times`.
  ///
  /// Errors: kInvalidArgument for a module without a manifest, for element
  /// types that arrays cannot have and for modules that MachineModule and JIT
  /// refuse.
  static runtime::Result<std::shared_ptr<const Program>>
  create(mlir::ModuleOp module, const CodegenOptions &options = {},
         std::vector<StageTime> *times = nullptr,
         const JITOptions &jitOptions = {});

  /// A program from the object file that `module` became on this machine, which
  /// needs nothing but its manifest then, and from the data that the file does
  /// not have. Errors: as create().
  static runtime::Result<std::shared_ptr<const Program>>
  load(mlir::ModuleOp module, std::unique_ptr<llvm::MemoryBuffer> object,
       const CodegenOptions &options = {}, const JITOptions &jitOptions = {},
       llvm::ArrayRef<DetachedData> data = {});

  /// Returns the same program, with the code of this one, of a module that has
  /// these places by number (see flywheel/Driver/Places.h).
  std::shared_ptr<const Program>
  withPlaces(llvm::ArrayRef<std::string> places) const;

  const Manifest &getManifest() const { return manifest; }
  /// The entries but for the initializer.
  const std::vector<EntrySpec> &getEntries() const { return entries; }
  const std::vector<VariableSpec> &getVariables() const { return variables; }
  /// The initializer; a model without variables has one too.
  PackedFunction getInitializer() const { return initializer; }

  /// The entry of that name. Errors: kNotFound, with the names there are.
  runtime::Result<const EntrySpec *> lookupEntry(llvm::StringRef name) const;
  /// The number of a variable. Errors: kNotFound, with the names there are.
  runtime::Result<size_t> lookupVariable(llvm::StringRef name) const;

  /// Returns the message of a status, with its class.
  runtime::Status getStatus(int32_t status) const;

private:
  Program() = default;
  static runtime::Result<std::shared_ptr<const Program>>
  createOnThisStack(mlir::ModuleOp module, const CodegenOptions &options,
                    std::vector<StageTime> *times,
                    const JITOptions &jitOptions);
  /// Finds the symbols that the manifest names in the code.
  runtime::Status resolve();
  runtime::Status addEntry(const ManifestEntry &entry);
  runtime::Status addVariable(const ManifestVariable &variable);

  Manifest manifest;
  std::shared_ptr<JIT> jit;
  std::vector<EntrySpec> entries;
  std::vector<VariableSpec> variables;
  PackedFunction initializer = nullptr;
};

} // namespace flywheel

#endif // FLYWHEEL_SESSION_PROGRAM_H
