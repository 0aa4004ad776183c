//===- FrontEnd.cpp - What a tool compiles a model with -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/FrontEnd.h"

using namespace flywheel;

FrontEnd::FrontEnd()
    : context(createContext()), diagnostics(sources, context.get()) {
  context->printOpOnDiagnostic(false);
}

llvm::FailureOr<CompiledModule> FrontEnd::compileFile(llvm::StringRef path,
                                                      CompilerOptions options) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parseModuleFile(*context, path);
  if (!module)
    return llvm::failure();
  options.inputPath = path.str();
  return compileModule(std::move(module), options);
}
