//===- LaunchTraffic.cpp - What launches move and compute -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTraffic.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

int64_t multiplyUp(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(
      std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(lhs, rhs),
                         std::numeric_limits<int64_t>::max()));
}

int64_t addUp(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(
      std::min<uint64_t>(llvm::SaturatingAdd<uint64_t>(lhs, rhs),
                         std::numeric_limits<int64_t>::max()));
}

int64_t countBufferElements(Value buffer) {
  int64_t count = 1;
  for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank();
       ++dim)
    count = multiplyUp(count, assumeSize(buffer, dim));
  return count;
}

int64_t countBufferBytes(Value buffer) {
  return multiplyUp(countBufferElements(buffer),
                    getElementBytes(getElementTypeOrSelf(buffer.getType())));
}

Value getTrafficBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      break;
    value = view.getViewSource();
  }
  return value;
}

int64_t countBlockFlops(Block &block) {
  int64_t count = 0;
  for (Operation &inner : block.without_terminator()) {
    bool isConversion = inner.getName().getStringRef().contains("ext") ||
                        inner.getName().getStringRef().contains("trunc");
    count += !isConversion &&
             llvm::any_of(inner.getResultTypes(), llvm::IsaPred<FloatType>);
  }
  return count;
}

codegen::TrafficAttr LaunchWork::getTraffic(MLIRContext *context) const {
  int64_t read = 0, written = 0;
  for (const BufferTraffic &traffic : buffers) {
    read = addUp(read, traffic.read);
    written = addUp(written, traffic.written);
  }
  return codegen::TrafficAttr::get(context, read, written, accessed, flops);
}

namespace {
/// Sums the traffic of ops.
class Traffic {
public:
  void add(linalg::LinalgOp op, int64_t times);
  codegen::TrafficAttr get(MLIRContext *context) const;
  SmallVector<BufferTraffic> getBuffers() const;

private:
  struct Bytes {
    int64_t read = 0, written = 0;
  };
  /// The largest number of bytes that are read and written of each buffer.
  llvm::SmallMapVector<Value, Bytes, 8> buffers;
  int64_t accessed = 0, flops = 0;
};
} // namespace

/// Returns the size of each loop. A size that the call chooses is assumed to be
/// that of an operand that has the loop as a dimension.
static SmallVector<int64_t> assumeLoopSizes(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && ShapedType::isDynamic(sizes[loop.getPosition()]))
        sizes[loop.getPosition()] = assumeSize(operand.get(), dim);
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = kAssumedSize;
  return sizes;
}

void Traffic::add(linalg::LinalgOp op, int64_t times) {
  int64_t iterations = times;
  for (int64_t size : assumeLoopSizes(op))
    iterations = multiplyUp(iterations, size);
  flops = addUp(flops, multiplyUp(iterations, countBlockFlops(*op.getBlock())));
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      continue;
    bool isOut = op.isDpsInit(&operand);
    bool isUsed = !op.getMatchingBlockArgument(&operand).use_empty();
    // The initial value of a contraction has been filled in.
    bool isRead = isUsed && !(isOut && op.getNumReductionLoops() > 0);
    Value buffer = getTrafficBuffer(operand.get());
    int64_t bytes = multiplyUp(countBufferBytes(operand.get()), times);
    int64_t most = std::min(bytes, countBufferBytes(buffer));
    Bytes &known = buffers[buffer];
    // Values that the launch itself has written need not come from memory.
    if (isRead && known.written == 0)
      known.read = std::max(known.read, most);
    if (isOut)
      known.written = std::max(known.written, most);
    accessed =
        addUp(accessed, multiplyUp(bytes, (isRead ? 1 : 0) + (isOut ? 1 : 0)));
  }
}

codegen::TrafficAttr Traffic::get(MLIRContext *context) const {
  return LaunchWork{getBuffers(), accessed, flops}.getTraffic(context);
}

SmallVector<BufferTraffic> Traffic::getBuffers() const {
  SmallVector<BufferTraffic> all;
  for (auto [buffer, bytes] : buffers)
    all.push_back({buffer, bytes.read, bytes.written});
  return all;
}

/// Estimates the number of blocks along a dimension, with assumed sizes for
/// those that the call chooses.
static int64_t estimateBlocks(OpFoldResult end) {
  return std::max<int64_t>(assumeNumber(end).value_or(kAssumedSize), 1);
}

/// Measures the traffic of `op`, a group or a structured op.
static Traffic measure(Operation *op) {
  Traffic traffic;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    traffic.add(structured, 1);
    return traffic;
  }
  auto group = cast<scf::ForallOp>(op);
  int64_t blocks = 1;
  for (OpFoldResult end : group.getMixedUpperBound())
    blocks = multiplyUp(blocks, estimateBlocks(end));
  llvm::SmallPtrSet<Value, 4> computed;
  group.getBody()->walk([&](linalg::LinalgOp inner) {
    if (!isa<linalg::FillOp>(inner))
      for (Value out : inner.getDpsInits())
        computed.insert(getTrafficBuffer(out));
  });
  group.getBody()->walk([&](linalg::LinalgOp inner) {
    // A fill that only initializes a sum is in registers.
    auto fill = dyn_cast<linalg::FillOp>(inner.getOperation());
    if (fill && computed.contains(getTrafficBuffer(fill.getOutputs().front())))
      return;
    int64_t times = blocks;
    for (auto loop = inner->getParentOfType<scf::ForOp>();
         loop && group->isProperAncestor(loop);
         loop = loop->getParentOfType<scf::ForOp>())
      if (std::optional<APInt> trips = loop.getStaticTripCount())
        times = multiplyUp(times, trips->getSExtValue());
    traffic.add(inner, times);
  });
  return traffic;
}

codegen::TrafficAttr measureTraffic(Operation *op) {
  return measure(op).get(op->getContext());
}

SmallVector<BufferTraffic> measureBuffers(Operation *op) {
  return measure(op).getBuffers();
}

codegen::TrafficAttr attachTraffic(Operation *op) {
  StringRef name = codegen::CodegenDialect::getTrafficAttrName();
  if (auto known = op->getAttrOfType<codegen::TrafficAttr>(name))
    return known;
  codegen::TrafficAttr traffic = measureTraffic(op);
  op->setAttr(name, traffic);
  return traffic;
}

void attachLaunchTraffic(Operation *op) {
  SmallVector<Attribute> traffic;
  llvm::append_range(traffic, getLaunchTraffic(op));
  if (!traffic.empty())
    op->setAttr(codegen::CodegenDialect::getTrafficAttrName(),
                ArrayAttr::get(op->getContext(), traffic));
}

SmallVector<codegen::TrafficAttr> getLaunchTraffic(Operation *op) {
  SmallVector<codegen::TrafficAttr> traffic;
  if (auto known = op->getAttrOfType<ArrayAttr>(
          codegen::CodegenDialect::getTrafficAttrName()))
    return llvm::to_vector(known.getAsRange<codegen::TrafficAttr>());
  for (const LaunchWork &work : measureLaunches(op))
    traffic.push_back(work.getTraffic(op->getContext()));
  return traffic;
}

codegen::TrafficAttr addTraffic(codegen::TrafficAttr lhs,
                                codegen::TrafficAttr rhs) {
  return codegen::TrafficAttr::get(lhs.getContext(),
                                   addUp(lhs.getRead(), rhs.getRead()),
                                   addUp(lhs.getWritten(), rhs.getWritten()),
                                   addUp(lhs.getAccessed(), rhs.getAccessed()),
                                   addUp(lhs.getFlops(), rhs.getFlops()));
}

} // namespace flywheel
