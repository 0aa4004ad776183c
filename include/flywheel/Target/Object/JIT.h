//===- JIT.h - Machine code in this process ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_JIT_H
#define FLYWHEEL_TARGET_OBJECT_JIT_H

#include "flywheel/Target/Object/DetachedData.h"
#include "flywheel/Target/Object/ObjectFile.h"
#include "flywheel/flywheel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Memory.h"

#include <memory>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace flywheel {

/// The packed form of an entry: the state block, the workspace, a pointer a
/// feed, a dimension size a symbol, a pointer a result. Returns a status.
///
/// That of the initializer takes the seed (u64) and a byte for each variable,
/// which is not 0 if the variable is to be initialised; null for those of
/// GLOBAL.
using PackedFunction = int32_t (*)(void *state, void *workspace,
                                   const void *const *feeds,
                                   const int64_t *dimSizes,
                                   void *const *results);

/// The same in a model that is compiled for several threads, but for the
/// initializer: the team may be null.
using PackedTeamFunction = int32_t (*)(void *state, void *workspace,
                                       const void *const *feeds,
                                       const int64_t *dimSizes,
                                       void *const *results,
                                       flywheel_team *team);

/// Options of a JIT besides those of code generation.
struct JITOptions {
  /// Tell `perf` the names of functions, in `/tmp/perf-PID.map`. The value 1 of
  /// FLYWHEEL_PERF_MAP in the environment asks for it, too.
  bool perfMap = false;
  /// Register functions with a debugger and, if the code has them, lines.
  bool debugger = false;
};

/// Code loaded into this process, for as long as this object lives. It is the
/// same object file as that of MachineModule::getObject(). Functions of libm
/// and other symbols of the process resolve; if the code forks threads, libomp
/// is loaded.
class JIT {
public:
  /// Errors: a target other than the host; symbols that nothing defines; no
  /// libomp to load; a map for perf that cannot be written.
  static llvm::Expected<std::unique_ptr<JIT>>
  create(const MachineModule &module, std::vector<StageTime> *times = nullptr,
         const JITOptions &jitOptions = {});
  /// Loads an object file of such a module that was generated on this machine
  /// for the target of `options`. `data`, which is copied, is the data that the
  /// file lacks. Errors: no memory for the data, too.
  static llvm::Expected<std::unique_ptr<JIT>>
  load(std::unique_ptr<llvm::MemoryBuffer> object,
       const CodegenOptions &options, const JITOptions &jitOptions = {},
       llvm::ArrayRef<DetachedData> data = {});
  ~JIT();

  /// The address of a function. Errors: no such function.
  llvm::Expected<void *> lookup(llvm::StringRef symbol) const;
  llvm::Expected<PackedFunction> lookupPacked(llvm::StringRef symbol) const;

private:
  static llvm::Expected<std::unique_ptr<JIT>>
  link(std::unique_ptr<llvm::MemoryBuffer> object,
       const llvm::TargetMachine &machine, const JITOptions &options,
       llvm::ArrayRef<DetachedData> data = {});
  explicit JIT(std::unique_ptr<llvm::orc::LLJIT> jit);
  llvm::Error define(llvm::ArrayRef<DetachedData> data);
  /// Code refers to it.
  std::vector<llvm::sys::OwningMemoryBlock> memory;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_JIT_H
