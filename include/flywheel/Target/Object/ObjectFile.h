//===- ObjectFile.h - From the LLVM dialect to machine code -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_OBJECTFILE_H
#define FLYWHEEL_TARGET_OBJECT_OBJECTFILE_H

#include "flywheel/Target/Object/StageTime.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace flywheel {

/// A module translated to LLVM IR and optimised for one machine. From it come
/// LLVM IR text, assembly and object files; the JIT runs the object file.
class MachineModule {
public:
  /// Translates and optimises `module`, which is in the LLVM dialect and keeps
  /// its contents. Appends the times of `translate-to-llvm-ir` and
  /// `optimize-llvm-ir` to `times` where it is given.
  ///
  /// Errors: those of createTargetMachine(); operations that do not translate.
  static llvm::Expected<MachineModule>
  create(mlir::ModuleOp module, const CodegenOptions &options,
         std::vector<StageTime> *times = nullptr);

  const llvm::Module &getModule() const { return *module; }
  const llvm::TargetMachine &getTargetMachine() const { return *machine; }

  std::string getLLVMIR() const;
  /// These leave the module as it is and append the time of
  /// `generate-machine-code`.
  llvm::Expected<std::string>
  getAssembly(std::vector<StageTime> *times = nullptr) const;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  getObject(std::vector<StageTime> *times = nullptr) const;

private:
  MachineModule() = default;

  // Destroyed in reverse order: the module before its context.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_OBJECTFILE_H
