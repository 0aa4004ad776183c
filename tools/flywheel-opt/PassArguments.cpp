//===- PassArguments.cpp - What the command line gives passes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassArguments.h"

#include "flywheel/Driver/StageOrder.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

/// Returns the error for a pass or a pipeline that cannot be created with
/// `options`.
static llvm::Error getOptionError(const PassRegistryEntry &entry,
                                  StringRef options) {
  std::string problem;
  auto handleError = [&](const Twine &text) {
    problem = text.str();
    return failure();
  };
  OpPassManager unused(ModuleOp::getOperationName(),
                       OpPassManager::Nesting::Implicit);
  if (succeeded(entry.addToPipeline(unused, options, handleError)))
    return llvm::Error::success();
  // Only stages say what is wrong.
  if (!flywheel::findStage(entry.getPassArgument()))
    problem = ("expected values of its options, which --help lists; found '" +
               options + "'")
                  .str();
  return llvm::createStringError("--" + entry.getPassArgument() + ": " +
                                 problem);
}

llvm::Error
flywheel::checkPassArguments(llvm::ArrayRef<const char *> arguments) {
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    auto [name, options] = argument.split('=');
    if (!name.consume_front("-") || options.empty())
      continue;
    name.consume_front("-");
    const PassRegistryEntry *entry = PassInfo::lookup(name);
    if (!entry)
      entry = PassPipelineInfo::lookup(name);
    if (!entry)
      continue;
    if (llvm::Error error = getOptionError(*entry, options))
      return error;
  }
  return llvm::Error::success();
}
