//===- ReportContractions.cpp - Say how sums of products are computed -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: structured ops on buffers, each with a schedule, in functions with
// the counts that flywheel-count-contractions attached. After: the same without
// these counts, which remarks report. A contraction that is not in registers
// has its own remark, with the reason, when its schedule is chosen.
//
//===----------------------------------------------------------------------===//

#include "KernelFamily.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using flywheel::codegen::CodegenDialect;

namespace flywheel {
#define GEN_PASS_DEF_REPORTCONTRACTIONS
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

namespace {
/// Locations of contractions that are not computed in registers. Loops over
/// tiles of one contraction, which may be kernels of their own, have one
/// location.
using Places = llvm::SmallSetVector<Location, 4>;

struct ReportContractions : impl::ReportContractionsBase<ReportContractions> {
  void runOnOperation() override;
};
} // namespace

/// Returns the places in `function` itself, not in the kernels that it calls.
static Places findSlowPlaces(func::FuncOp function) {
  Places places;
  function.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics() && sumsReusedInputs(op) &&
        !getFMAKernels().has(codegen::getSchedule(op)))
      places.insert(op.getLoc());
  });
  return places;
}

void ReportContractions::runOnOperation() {
  SymbolTable symbols(getOperation());
  llvm::DenseMap<Operation *, Places> placesOf;
  for (auto function : getOperation().getOps<func::FuncOp>())
    placesOf[function] = findSlowPlaces(function);
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    auto count = function->getAttrOfType<IntegerAttr>(
        CodegenDialect::getContractionsAttrName());
    if (!count)
      continue;
    function->removeAttr(CodegenDialect::getContractionsAttrName());
    // A kernel that layers share has the location of the first layer, and each
    // call that of its layer.
    llvm::SmallSetVector<std::pair<Location, Location>, 4> slow;
    for (Location place : placesOf[function])
      slow.insert({place, place});
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        for (Location place : placesOf[callee])
          slow.insert({call.getLoc(), place});
    });
    StringRef name = function.getSymName();
    name.consume_back(".kernel");
    int64_t all = count.getInt(), numSlow = std::min<int64_t>(slow.size(), all);
    InFlightDiagnostic remark = function.emitRemark();
    remark << "'" << name << "' computes " << all
           << (all == 1 ? " contraction, " : " contractions, ");
    if (numSlow > 0)
      remark << all - numSlow << " of them ";
    remark << "with the output in registers";
  }
}
} // namespace flywheel
