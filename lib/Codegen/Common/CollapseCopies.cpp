//===- CollapseCopies.cpp - Copies along the longest parts of memory ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_COLLAPSECOPIES
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// Returns the smallest number of groups of neighbouring dimensions, each of
/// which is one dimension in the memory of both types.
static SmallVector<ReassociationIndices> groupDims(MemRefType from,
                                                   MemRefType to) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, rank = from.getRank(); dim < rank; ++dim) {
    groups.push_back({dim});
    if (groups.size() == 1)
      continue;
    // Later dimensions are separate here: their groups do not affect this one.
    SmallVector<ReassociationIndices> joined(groups);
    joined.pop_back();
    joined.back().push_back(dim);
    SmallVector<ReassociationIndices> all(joined);
    for (int64_t other = dim + 1; other < rank; ++other)
      all.push_back({other});
    if (memref::CollapseShapeOp::isGuaranteedCollapsible(from, all) &&
        memref::CollapseShapeOp::isGuaranteedCollapsible(to, all))
      groups = joined;
  }
  return groups;
}

namespace {
struct CollapseCopies : flywheel::impl::CollapseCopiesBase<CollapseCopies> {
  using CollapseCopiesBase::CollapseCopiesBase;

  void runOnOperation() override {
    getOperation().walk([&](linalg::CopyOp copy) {
      if (!copy.hasPureBufferSemantics() ||
          flywheel::codegen::getSchedule(copy))
        return;
      Value source = copy.getInputs().front(),
            target = copy.getOutputs().front();
      auto from = dyn_cast<MemRefType>(source.getType());
      auto to = cast<MemRefType>(target.getType());
      if (!from || from.getRank() < 2)
        return;
      SmallVector<ReassociationIndices> groups = groupDims(from, to);
      if (static_cast<int64_t>(groups.size()) == from.getRank())
        return;
      OpBuilder b(copy);
      auto collapse = [&](Value buffer) -> Value {
        return memref::CollapseShapeOp::create(b, copy.getLoc(), buffer,
                                               groups);
      };
      copy.getInputsMutable().assign(collapse(source));
      copy.getOutputsMutable().assign(collapse(target));
      ++numCollapsed;
    });
  }
};
} // namespace
