//===- ProgramCache.h - Compiled programs in a folder -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PROGRAMCACHE_H
#define FLYWHEEL_DRIVER_PROGRAMCACHE_H

#include "flywheel/Driver/SaidDiagnostics.h"
#include "flywheel/Target/Object/DetachedData.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace flywheel {

struct CompiledModule;
struct CompilerOptions;

/// A folder with a file for each program: its manifest and its object file. Any
/// number of processes may use it at a time.
class ProgramCache {
public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{1} << 30;

  explicit ProgramCache(std::string folder, int64_t maxBytes = kDefaultMaxBytes)
      : folder(std::move(folder)), maxBytes(maxBytes) {}

  struct Program {
    /// A module with nothing but the manifest.
    mlir::OwningOpRef<mlir::ModuleOp> module;
    /// The diagnostics of its compilation.
    std::vector<SaidDiagnostic> said;
    std::unique_ptr<llvm::MemoryBuffer> object;
    /// Constants kept out of the object, as parts of the bytes of the file;
    /// null if it keeps none out.
    std::vector<DetachedData> data;
    std::unique_ptr<llvm::MemoryBuffer> bytes;
  };
  /// The program of `key`, which is then the newest one. Nothing where there is
  /// none, or where its file is not a complete one of this key: a regular file
  /// of at most `maxBytes` that this user or root owns.
  std::optional<Program> load(llvm::StringRef key,
                              mlir::MLIRContext &context) const;

  /// Keeps a program: the manifest of `module`, `said`, `object` and `data`.
  /// Its file is there at once or not at all, in place of one of that key. Then
  /// the programs that were not used for longest are removed, as far as all of
  /// them have more than `maxBytes`.
  ///
  /// Errors: a program of more than `maxBytes`, a folder that cannot be made, a
  /// file that cannot be written.
  llvm::Error store(llvm::StringRef key, mlir::ModuleOp module,
                    llvm::ArrayRef<SaidDiagnostic> said, llvm::StringRef object,
                    llvm::ArrayRef<DetachedData> data = {}) const;

  std::string getPath(llvm::StringRef key) const;

private:
  void evict() const;

  std::string folder;
  int64_t maxBytes;
};

/// The cache that a compilation searches first.
struct CacheRequest {
  ProgramCache cache;
  /// The options of machine code, but for its target.
  CodegenOptions codegen;
};

/// Returns the key of the program of `module`: it depends on the module, with
/// `hasLocations` on the locations of its ops rather than on their numbers, on
/// all options, the compiler and, if that is compiled for, this machine. Empty,
/// with the reason in `note`, for programs that are not kept: those of a back
/// end that keeps none, values of a checkpoint, the output of a stage.
std::string getCacheKey(mlir::ModuleOp module, const CompilerOptions &options,
                        bool hasLocations, std::string &note);

/// Looks up the program of `module` in the cache that the options of `compiled`
/// name. If the cache has it, `compiled` gets its manifest and its object file,
/// and its diagnostics are emitted again. Otherwise the result is false, and
/// `compiled` gets the keys.
bool loadFromCache(mlir::ModuleOp module, CompiledModule &compiled);

/// The object file of a module that went through every stage: from the cache,
/// or made now and kept there. Errors: those of MachineModule; not those of the
/// cache, which `compiled` has.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeObject(CompiledModule &compiled, const CodegenOptions &codegen);

/// Warns of a cache that could not keep the program; with `isVerbose` prints
/// what became of it in any case, where there is a cache.
void reportCache(llvm::raw_ostream &os, const CompiledModule &compiled,
                 bool isVerbose);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PROGRAMCACHE_H
