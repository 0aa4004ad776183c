//===- PeakMemory.cpp - The most memory that tensors take -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakMemory.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace flywheel;

/// The assumed value of dynamic sizes in comparisons.
constexpr double kUnknownSize = 1024.0;
/// The tensors that are listed.
constexpr size_t kNumListed = 8;

static double estimate(const CostExpr &expr) {
  double sum = 0.0;
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
    auto product = static_cast<double>(static_cast<int64_t>(coefficient));
    for (size_t i = 0; i < monomial.size(); ++i)
      product *= kUnknownSize;
    sum += product;
  }
  return sum;
}

namespace {
/// A tensor that is in memory from one op of a block to another one.
struct LiveRange {
  Value value;
  CostExpr bytes;
  unsigned begin, end;
};

/// Finds the peak of a block, and of those in its ops.
class PeakFinder {
public:
  explicit PeakFinder(EntrySizes &sizes) : sizes(sizes) {}

  PeakMemory find(Block &block);

private:
  void collectRanges(Block &block);
  PeakMemory findInside(Operation &op);

  EntrySizes &sizes;
  std::vector<LiveRange> ranges;
};
} // namespace

/// Returns the value whose memory `value` is in; null for one that is not
/// counted.
static Value findMemory(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto styled = dyn_cast<DestinationStyleOpInterface>(op);
    auto known = dyn_cast<CostOpInterface>(op);
    if (styled && isa<RankedTensorType>(value.getType()))
      value = styled.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (known && known.isView())
      value = op->getOperand(0);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      value = insert.getDest();
    else if (op->hasTrait<OpTrait::ConstantLike>() || isa<train::ReadOp>(op))
      return {};
    else
      return isa<RankedTensorType>(value.getType()) ? value : Value();
  }
  return {};
}

void PeakFinder::collectRanges(Block &block) {
  llvm::DenseMap<Value, unsigned> lastUses;
  for (auto [index, op] : llvm::enumerate(block))
    op.walk([&, number = index](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Value memory = findMemory(operand))
          if (memory.getParentBlock() == &block)
            lastUses[memory] = number;
    });
  for (auto [index, op] : llvm::enumerate(block))
    for (Value result : op.getResults()) {
      auto last = lastUses.find(result);
      if (last != lastUses.end())
        ranges.push_back({result, sizes.getNumBytes(result),
                          static_cast<unsigned>(index), last->second});
    }
}

/// Returns the peak of the regions of an op: one of them runs at a time.
PeakMemory PeakFinder::findInside(Operation &op) {
  PeakMemory most;
  // The values in the body of a structured op are in registers.
  if (isa<DestinationStyleOpInterface>(op))
    return most;
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      PeakMemory peak = PeakFinder(sizes).find(block);
      if (estimate(peak.bytes) > estimate(most.bytes))
        most = std::move(peak);
    }
  return most;
}

PeakMemory PeakFinder::find(Block &block) {
  collectRanges(block);
  // The bytes that become live at each op, less those that died before it.
  std::vector<double> changes(block.getOperations().size() + 1);
  for (const LiveRange &range : ranges) {
    changes[range.begin] += estimate(range.bytes);
    changes[range.end + 1] -= estimate(range.bytes);
  }
  double now = 0.0, most = -1.0;
  size_t place = 0;
  PeakMemory peak;
  for (auto [index, op] : llvm::enumerate(block)) {
    now += changes[index];
    PeakMemory inside = findInside(op);
    if (now + estimate(inside.bytes) <= most)
      continue;
    most = now + estimate(inside.bytes);
    place = index;
    peak = std::move(inside);
  }
  for (const LiveRange &range : ranges) {
    if (range.begin > place || range.end < place)
      continue;
    peak.bytes = peak.bytes + range.bytes;
    peak.largest.emplace_back(range.value, range.bytes);
  }
  // Tensors of equal size stay in their order.
  std::multimap<double, std::pair<Value, CostExpr>> sorted;
  for (auto &tensor : peak.largest)
    sorted.emplace(-estimate(tensor.second), tensor);
  auto all = llvm::make_second_range(sorted);
  peak.largest.assign(all.begin(), all.end());
  if (peak.largest.size() > kNumListed)
    peak.largest.resize(kNumListed);
  return peak;
}

PeakMemory flywheel::findPeakMemory(func::FuncOp function, EntrySizes &sizes) {
  return PeakFinder(sizes).find(function.getBody().front());
}
