//===- LoadElements.cpp - The flywheel-load-elements pass -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOADELEMENTS
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

namespace {
struct LoadElements : flywheel::impl::LoadElementsBase<LoadElements> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (BlockArgument argument : function.getArguments()) {
      auto flag = function.getArgAttrOfType<BoolAttr>(argument.getArgNumber(),
                                                      writable);
      if (flag && !flag.getValue())
        loadElements(argument);
    }
  }

private:
  void loadElements(BlockArgument argument) {
    SmallVector<tensor::ExtractOp> reads;
    for (Operation *user : argument.getUsers())
      if (auto read = dyn_cast<tensor::ExtractOp>(user))
        reads.push_back(read);
    if (reads.empty())
      return;
    auto type = cast<RankedTensorType>(argument.getType());
    auto b = OpBuilder::atBlockBegin(argument.getOwner());
    Value buffer = bufferization::ToBufferOp::create(
        b, argument.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), argument,
        /*read_only=*/true);
    for (tensor::ExtractOp read : reads) {
      b.setInsertionPoint(read);
      Value element =
          memref::LoadOp::create(b, read.getLoc(), buffer, read.getIndices());
      read.replaceAllUsesWith(element);
      read.erase();
      ++numLoaded;
    }
  }
};
} // namespace
