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
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
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
///
/// The threads are those of the context of the module that it is made from,
/// which has to outlive it.
class MachineModule {
public:
  /// Translates and optimises `module`, which is in the LLVM dialect and keeps
  /// its contents. Appends the times of `translate-to-llvm-ir` and
  /// `optimize-llvm-ir` to `times` if it is given.
  ///
  /// Errors: those of createTargetMachine(); operations that do not translate.
  static llvm::Expected<MachineModule>
  create(mlir::ModuleOp module, const CodegenOptions &options,
         std::vector<StageTime> *times = nullptr);

  const llvm::TargetMachine &getTargetMachine() const {
    return *parts.front().machine;
  }
  /// Returns the number of parts that the module was split into: 1 without
  /// `CodegenOptions::split`, and for a small module.
  size_t getNumParts() const { return parts.size(); }

  /// The text of each part, one after the other.
  std::string getLLVMIR() const;
  /// These leave the module as it is and append the time of
  /// `generate-machine-code`. Assembly is that of each part, one after the
  /// other; the object file is one.
  llvm::Expected<std::string>
  getAssembly(std::vector<StageTime> *times = nullptr) const;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  getObject(std::vector<StageTime> *times = nullptr) const;

private:
  /// The part of a module for which one thread generates code.
  struct Part {
    // Destroyed in reverse order: the module before its context.
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<llvm::Module> module;
  };

  MachineModule() = default;
  llvm::Error optimize(const CodegenOptions &options);
  /// Each part as a file of `type`.
  llvm::Expected<std::vector<llvm::SmallString<0>>>
  emit(llvm::CodeGenFileType type) const;

  mlir::MLIRContext *context = nullptr;
  std::vector<Part> parts;
  /// Symbols that are to be seen in the object file of their part alone.
  llvm::StringSet<> localNames;
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_OBJECTFILE_H
