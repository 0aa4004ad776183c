//===- Checks.cpp - Checks when a step runs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"

using namespace mlir;

cf::AssertOp flywheel::linalg_ext::createCheck(OpBuilder &b, Operation *op,
                                               Value ok, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << message << " in '" << op->getName() << "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << " at " << place.getFilename().getValue() << ":" << place.getLine()
       << ":" << place.getColumn();
  return cf::AssertOp::create(b, op->getLoc(), ok, text);
}
