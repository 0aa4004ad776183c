//===- CountContractions.cpp - Count sums of products of a step -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts while ops are whole: later a contraction may be several loops over
// tiles, and two contractions of one source op may be in one loop.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_COUNTCONTRACTIONS
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

namespace {
struct CountContractions : impl::CountContractionsBase<CountContractions> {
  void runOnOperation() override {
    int64_t count = 0;
    getOperation().walk(
        [&](linalg::LinalgOp op) { count += sumsReusedInputs(op); });
    if (count > 0)
      getOperation()->setAttr(
          codegen::CodegenDialect::getContractionsAttrName(),
          Builder(&getContext()).getI64IntegerAttr(count));
  }
};
} // namespace
} // namespace flywheel
