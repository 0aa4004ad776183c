//===- ConvertConvToWinograd.cpp - 3 x 3 convolutions by Winograd ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors, in a module with a target. After: each
// convolution with a filter of 3 x 3 and stride 1 that is faster by Winograd's
// method is an `scf.forall` over blocks of tiles, which stay in the L2 cache
// from the transform of the input to the epilogue; its filter is transformed
// before the loop. Does not change other convolutions.
//
//===----------------------------------------------------------------------===//

#include "FusedTiles.h"
#include "KernelEmitter.h"
#include "WinogradEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Codegen/CPU/ContractionTile.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CONVERTCONVTOWINOGRAD
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

namespace {
/// A convolution with a filter of 3 x 3 and stride 1.
struct Conv3x3 {
  linalg::LinalgOp op;
  OpOperand *image = nullptr, *filter = nullptr;
  /// Dimensions of the filter: height, width, channels, outputs.
  SmallVector<int64_t> filterDims;
  /// The sizes of the output; the number of images may be dynamic.
  int64_t images = 0, height = 0, width = 0;
  int64_t channels = 0, outputs = 0;
};
} // namespace

/// Returns the loop that `expr` is, or none.
static std::optional<unsigned> getLoop(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  return std::nullopt;
}

/// Returns the loops that `expr` is the sum of, the one in `parallel` first.
static std::optional<std::pair<unsigned, unsigned>>
getWindow(AffineExpr expr, ArrayRef<unsigned> parallel) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  std::optional<unsigned> a = getLoop(sum.getLHS()), b = getLoop(sum.getRHS());
  if (!a || !b)
    return std::nullopt;
  return llvm::is_contained(parallel, *a) ? std::pair(*a, *b)
                                          : std::pair(*b, *a);
}

/// Reads `op` as a convolution with `image` as the image.
static std::optional<Conv3x3> matchConv(linalg::LinalgOp op, OpOperand *image,
                                        OpOperand *filter) {
  AffineMap imageMap = op.getMatchingIndexingMap(image);
  AffineMap filterMap = op.getMatchingIndexingMap(filter);
  AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (imageMap.getNumResults() != 4 || filterMap.getNumResults() != 4 ||
      outputMap.getNumResults() != 4 || !filterMap.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  std::optional<unsigned> n = getLoop(imageMap.getResult(0)),
                          c = getLoop(imageMap.getResult(3)),
                          o = getLoop(outputMap.getResult(3));
  auto rows = getWindow(imageMap.getResult(1), parallel),
       columns = getWindow(imageMap.getResult(2), parallel);
  if (!n || !c || !o || !rows || !columns)
    return std::nullopt;
  const std::array<unsigned, 4> loops = {*n, rows->first, columns->first, *o};
  for (auto [result, loop] : llvm::zip_equal(outputMap.getResults(), loops))
    if (getLoop(result) != loop)
      return std::nullopt;
  Conv3x3 conv{op, image, filter, {}};
  for (unsigned loop : {rows->second, columns->second, *c, *o}) {
    std::optional<unsigned> dim =
        filterMap.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (!dim)
      return std::nullopt;
    conv.filterDims.push_back(*dim);
  }
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  if (sizes[rows->second] != 3 || sizes[columns->second] != 3)
    return std::nullopt;
  conv.images = sizes[*n];
  conv.height = sizes[rows->first];
  conv.width = sizes[columns->first];
  conv.channels = sizes[*c];
  conv.outputs = sizes[*o];
  for (int64_t size : {conv.height, conv.width, conv.channels, conv.outputs})
    if (ShapedType::isDynamic(size) || size == 0)
      return std::nullopt;
  return conv;
}

/// Returns true if `value` is a tensor of zeros.
static bool isZero(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
}

static std::optional<Conv3x3> matchConv(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != 7 ||
      !isContraction(op) || codegen::getSchedule(op) ||
      !isZero(op.getDpsInits().front()))
    return std::nullopt;
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  for (unsigned number : {0, 1})
    if (getElementTypeOrSelf(op.getDpsInputs()[number]) != element ||
        getFactorType(op, number) != element)
      return std::nullopt;
  OpOperand *first = op.getDpsInputOperand(0),
            *second = op.getDpsInputOperand(1);
  if (std::optional<Conv3x3> conv = matchConv(op, first, second))
    return conv;
  return matchConv(op, second, first);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

// All costs are in multiply-adds that take as long, of one core of an AMD EPYC
// with AVX-512, in f32; benchmarks/convolutions.py measures the convolutions.

/// To transform each channel of a tile, as an input or an output: for tiles of
/// 2 x 2 and of 4 x 4 outputs.
static constexpr double kTileTransform2 = 200, kTileTransform4 = 700;
/// For each element of the transformed filter: most of it is the store.
static constexpr double kFilterTransform = 11;
/// Bytes of a transformed filter: a larger one does not stay in the last cache,
/// and takes six times as long to write and to read.
static constexpr int64_t kMaxFilterBytes = 12 * 1024 * 1024;
/// The least speedup that Winograd's method must have: costs are estimates.
static constexpr double kMinGain = 1.1;
/// The assumed number of images if it is dynamic.
static constexpr int64_t kTypicalImages = 16;
/// The least number of tiles whose products with the filter are worth a block,
/// the largest number in a block, and the number of tiles that may be computed
/// in vain in the worst case if the number of images is not known.
static constexpr int64_t kMinTiles = 16, kMaxTiles = 64, kFewTiles = 8;
/// The rows of a tile of registers, and the number of tiles that take as long
/// as the fixed time of a block.
static constexpr int64_t kRegisterRows = 8, kBlockTiles = 4;

/// Returns the cost of computing one image of `conv` directly.
static double estimateDirect(const Conv3x3 &conv, int64_t lanes) {
  return 9.0 * static_cast<double>(conv.height * conv.width) *
         static_cast<double>(conv.channels) *
         static_cast<double>(llvm::alignTo(conv.outputs, lanes));
}

/// Returns the cost of computing one image of `conv` in tiles of `m` x `m`
/// outputs.
static double estimateWinograd(const Conv3x3 &conv, int64_t m, int64_t lanes) {
  auto tiles = static_cast<double>(llvm::divideCeil(conv.height, m) *
                                   llvm::divideCeil(conv.width, m));
  auto points = static_cast<double>((m + 2) * (m + 2));
  auto outputs = static_cast<double>(llvm::alignTo(conv.outputs, lanes));
  auto channels = static_cast<double>(llvm::alignTo(conv.channels, lanes));
  int64_t images =
      ShapedType::isDynamic(conv.images) ? kTypicalImages : conv.images;
  double filter = points * static_cast<double>(conv.channels) * outputs;
  double transform = m == 2 ? kTileTransform2 : kTileTransform4;
  return tiles * (filter + transform * (channels + outputs)) +
         kFilterTransform * filter /
             static_cast<double>(std::max<int64_t>(1, images));
}

/// Returns the outputs of a tile with which `conv` takes the least time; 0 to
/// compute it directly.
static int64_t chooseTile(const Conv3x3 &conv, codegen::CPUAttr cpu) {
  int64_t lanes =
      getVectorLength(getElementTypeOrSelf(conv.op->getResult(0)), cpu);
  int64_t best = 0;
  double least = estimateDirect(conv, lanes) / kMinGain;
  for (int64_t m : {2, 4}) {
    CheckedSize bytes =
        getElementBytes(getElementTypeOrSelf(conv.op->getResult(0)));
    for (int64_t size : {m + 2, m + 2, conv.channels, conv.outputs})
      bytes *= size;
    if (bytes.getSaturated() > kMaxFilterBytes)
      continue;
    double time = estimateWinograd(conv, m, lanes);
    if (time >= least)
      continue;
    best = m;
    least = time;
  }
  return best;
}

/// Returns how many of `whole` parts of `tiles` tiles each belong in a block of
/// at most `maxTiles`: the unused parts of the last block are computed in vain.
static int64_t divide(int64_t whole, int64_t tiles, int64_t maxTiles) {
  int64_t best = 1, least = 0;
  for (int64_t count = 1; count <= whole && count * tiles <= maxTiles;
       ++count) {
    int64_t time = llvm::divideCeil(whole, count) *
                   (llvm::alignTo(count * tiles, kRegisterRows) + kBlockTiles);
    if (least && time > least)
      continue;
    best = count;
    least = time;
  }
  return best;
}

/// Chooses blocks whose transformed inputs and products take half of the L2
/// cache.
static WinogradBlock chooseBlock(const Conv3x3 &conv, int64_t m,
                                 codegen::CPUAttr cpu) {
  Type element = getElementTypeOrSelf(conv.op->getResult(0));
  WinogradBlock block;
  block.m = m;
  block.columns = llvm::divideCeil(conv.width, m);
  int64_t tileBytes = block.getLength() * block.getLength() *
                      (conv.channels + conv.outputs) * getElementBytes(element);
  int64_t maxTiles =
      std::clamp(cpu.getL2Bytes() / 2 / tileBytes, kMinTiles, kMaxTiles);
  int64_t rows = llvm::divideCeil(conv.height, m);
  block.rows = divide(rows, block.columns, maxTiles);
  if (block.rows < rows)
    return block;
  int64_t tiles = rows * block.columns;
  block.images = ShapedType::isDynamic(conv.images)
                     ? std::max<int64_t>(1, kFewTiles / tiles)
                     : divide(conv.images, tiles, maxTiles);
  return block;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertConvToWinograd
    : flywheel::impl::ConvertConvToWinogradBase<ConvertConvToWinograd> {
  using ConvertConvToWinogradBase::ConvertConvToWinogradBase;

  void runOnOperation() override;

private:
  LogicalResult convert(RewriterBase &rewriter, const Conv3x3 &conv,
                        const WinogradBlock &block);
};
} // namespace

void ConvertConvToWinograd::runOnOperation() {
  if (tile != 0 && tile != 2 && tile != 4) {
    getOperation().emitError()
        << "expected tiles of 2 or 4 outputs, found " << tile.getValue();
    return signalPassFailure();
  }
  SmallVector<Conv3x3> convs;
  getOperation().walk([&](linalg::LinalgOp op) {
    if (std::optional<Conv3x3> conv = matchConv(op))
      convs.push_back(*conv);
  });
  if (convs.empty())
    return;
  codegen::CPUAttr cpu = codegen::getCPU(getOperation());
  if (!cpu)
    return signalPassFailure();
  IRRewriter rewriter(&getContext());
  for (Conv3x3 &conv : convs) {
    int64_t m = tile != 0 ? tile : chooseTile(conv, cpu);
    if (m == 0) {
      if (report)
        conv.op.emitRemark() << "is computed directly: Winograd's method does "
                                "not pay for it";
      continue;
    }
    WinogradBlock block = chooseBlock(conv, m, cpu);
    if (report)
      conv.op.emitRemark() << "is computed by Winograd's method, in tiles of "
                           << m << " x " << m << " outputs, "
                           << block.countTiles() << " at a time";
    if (failed(convert(rewriter, conv, block)))
      return signalPassFailure();
    ++numConverted;
  }
}

/// Returns the front part of `tensor`, of type `type` and the sizes of `like`.
static Value takeFront(RewriterBase &rewriter, Value tensor,
                       RankedTensorType type, Value like) {
  if (tensor.getType() == type)
    return tensor;
  Location loc = tensor.getLoc();
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
      strides(type.getRank(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      rewriter, loc, type, tensor, offsets,
      tensor::getMixedSizes(rewriter, loc, like), strides);
}

LogicalResult ConvertConvToWinograd::convert(RewriterBase &rewriter,
                                             const Conv3x3 &conv,
                                             const WinogradBlock &block) {
  linalg::LinalgOp op = conv.op;
  unsigned imageNumber = conv.image->getOperandNumber();
  LinalgEmitter outside(rewriter, op);
  Value filter = WinogradEmitter(outside, block.m)
                     .transformFilter(conv.filter->get(), conv.filterDims);

  linalg::GenericOp epilogue = findElementwiseUser(op);
  if (epilogue &&
      (epilogue.hasIndexSemantics() || readsOverwritten(op, epilogue)))
    epilogue = {};
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  SmallVector<unsigned> order;
  const std::array<int64_t, 3> blockSizes = {block.images, block.rows * block.m,
                                             block.columns * block.m};
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [expr, size] :
       llvm::zip_equal(output.getResults().drop_back(), blockSizes)) {
    order.push_back(*getLoop(expr));
    sizes[order.back()] = size;
  }
  // A loop of one iteration is not emitted; if none is, the epilogue is not
  // fused.
  if (!ShapedType::isDynamic(conv.images) && conv.images <= block.images)
    sizes[order[0]] = 0;
  if (conv.height <= blockSizes[1])
    sizes[order[1]] = 0;
  sizes[order[2]] = 0;
  linalg::LinalgOp part = op;
  if (llvm::any_of(sizes, [](int64_t size) { return size != 0; })) {
    FailureOr<FusedTiles> fused =
        fuseTiles(rewriter, op, epilogue, sizes, order);
    if (failed(fused))
      return failure();
    part = fused->contraction;
  }
  LinalgEmitter inside(rewriter, part);
  auto type = cast<RankedTensorType>(part->getResult(0).getType());
  RankedTensorType whole =
      type.clone({blockSizes[0], blockSizes[1], blockSizes[2], conv.outputs});
  Value init = part.getDpsInits().front();
  // Writes the block directly to its destination if all of it is there.
  Value room;
  if (type == whole)
    room = init.getDefiningOp<linalg::FillOp>().getOutputs().front();
  Value result =
      WinogradEmitter(inside, block.m)
          .emitBlock(block, part->getOperand(imageNumber), filter, room);
  rewriter.replaceOp(part, takeFront(rewriter, result, type, init));
  return success();
}
