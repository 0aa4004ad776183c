//===- VectorKernel.cpp - Elementwise ops and reductions over vectors -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop of the op is chosen for the lanes of vectors. If it is parallel, the
// outputs of a few neighbouring vectors stay in registers while the reduction
// loops, if any, run inside. If it is a reduction, vectors of partial results
// are reduced at the end, which reassociates. Sums of floats consist of sums of
// short blocks: the error of adding one term after the other grows with their
// number. The body of the op is cloned on vectors; values that are the same for
// all lanes remain scalar. Inputs that are contiguous along another loop are
// read in square blocks, which are transposed in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "VectorSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel {
namespace {

/// Vectors that are reduced together, to hide the latency of the operation.
constexpr int64_t maxInterleave = codegen::VectorAttr::kDefaultInterleave;
/// The assumed registers of an unknown CPU.
constexpr int64_t typicalRegisters = 32;
/// A tile is unrolled to up to this many instructions.
constexpr int64_t maxUnrolledOps = 512;
/// The number of instructions that a function of the math dialect becomes.
constexpr int64_t opsOfFunction = 24;
/// The most vectors of a row that are copied without a loop: a panel of a
/// product has two.
constexpr int64_t maxCopiedVectors = 4;
/// Terms of a sum that are added one after the other; then such sums are terms.
constexpr int64_t maxTermsInRow = 128;

class ElementwiseEmitter {
public:
  using Fold = OpFoldResult;

  ElementwiseEmitter(OpBuilder &builder, VectorPlan thePlan)
      : e(builder, thePlan.op.getLoc()), plan(std::move(thePlan)), op(plan.op),
        body(op.getBlock()) {
    for (unsigned i = 0, end = op.getNumDpsInits(); i < end; ++i)
      combiners.push_back(getCombiner(op, i));
  }

  void emit();

private:
  void emitParallel();
  void emitHorizontal();
  /// Emits the loops over blocks whose sides are one vector long.
  void emitBlocks();
  /// Returns true if a block may be computed twice: its inputs are not
  /// overwritten.
  bool isRepeatable();
  /// Emits one block, of which `rows` lanes of the transposed loop and
  /// `columns` lanes along vectors exist.
  void emitBlock(Fold row, const Lanes &rows, Fold column,
                 const Lanes &columns);
  /// Computes the outputs for the vectors that start at each of `bases`.
  void emitVectors(ArrayRef<Fold> bases, ArrayRef<Lanes> lanes);
  /// Returns true if the order of additions matters, and may be chosen.
  bool isSum() const {
    return !llvm::is_contained(combiners, nullptr) &&
           llvm::any_of(combiners, llvm::IsaPred<arith::AddFOp>);
  }
  /// Returns the initial values of the combiners, for `numVectors` vectors of
  /// each output.
  SmallVector<Value> getIdentities(int64_t numVectors);
  /// Combines two lists of vectors of the outputs.
  SmallVector<Value> combine(ValueRange left, ValueRange right);
  /// Emits the loop of a reduction: sums in blocks, and blocks of blocks, where
  /// a step adds `numTerms` in a row.
  SmallVector<Value> emitReduction(Fold lower, Fold upper, int64_t step,
                                   int64_t numTerms, ValueRange init,
                                   KernelEmitter::LoopBody body,
                                   unsigned depth = 2);
  /// Emits a nest of reductions around a `body` of `numSteps` steps (dynamic if
  /// that is not known).
  SmallVector<Value>
  emitReductions(ArrayRef<unsigned> dims, ValueRange init, int64_t numSteps,
                 function_ref<SmallVector<Value>(ValueRange)> body);
  /// Emits one step of a horizontal reduction of one vector.
  SmallVector<Value> accumulate(ValueRange accumulators, Fold base,
                                const Lanes &lanes);
  /// Emits the body for one vector, given the current values of the outputs.
  SmallVector<Value> emitBody(ValueRange outputs, Fold base,
                              const Lanes &lanes);
  Value emitOp(Operation *inner, IRMapping &mapping, Fold base,
               const Lanes &lanes);
  Value emitIndex(unsigned dim, Fold base);
  /// Loads the inputs that are the same for all iterations of the loop along
  /// lanes and of the reductions, before those loops.
  void loadInvariants();
  /// Returns the number of registers that a vector of the widest numbers takes.
  int64_t getRegistersOfVector(codegen::CPUAttr cpu);
  /// Returns true if the tile may become registers and its code is short.
  bool shouldUnroll();
  Lanes all() { return {plan.vectorLength, {}, {}}; }
  Lanes some(Fold base) {
    return e.lanes(plan.vectorLength, base, sizes[plan.dim]);
  }
  Value splat(Value value) {
    return isa<VectorType>(value.getType())
               ? value
               : e.broadcast(value, plan.vectorLength);
  }

  KernelEmitter e;
  VectorPlan plan;
  linalg::LinalgOp op;
  Block *body;
  SmallVector<Fold> sizes;
  /// The current iteration of every loop.
  SmallVector<Fold> ivs;
  /// The values that are loaded before the body, by operand number: scalars
  /// that are the same for all lanes, and vectors that were transposed.
  DenseMap<unsigned, Value> loaded;
  /// The combiner of each output, or null.
  SmallVector<Operation *> combiners;
};
} // namespace

int64_t ElementwiseEmitter::getRegistersOfVector(codegen::CPUAttr cpu) {
  if (!cpu)
    return 1;
  int64_t bits = 1;
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand);
    int64_t width =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 1;
    // Floats of 16 bits are computed as floats of 32.
    bits = std::max(bits, isa<FloatType>(element) ? std::max<int64_t>(width, 32)
                                                  : width);
  }
  return llvm::divideCeil(plan.vectorLength * bits, cpu.getVectorBits());
}

bool ElementwiseEmitter::shouldUnroll() {
  // LLVM promotes memory on the stack to registers only for constant indices.
  if (!plan.reductions.empty() || plan.horizontal ||
      llvm::none_of(op->getOperands(), isOnStack))
    return false;
  codegen::CPUAttr cpu = codegen::lookupCPU(op);
  int64_t numRegisters = getRegistersOfVector(cpu);
  int64_t maxRegisters = cpu ? cpu.getVectorRegisters() : typicalRegisters;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant)
      return false;
    numRegisters *= dim == plan.dim
                        ? llvm::divideCeil(*constant, plan.vectorLength)
                        : *constant;
    if (numRegisters > maxRegisters)
      return false;
  }
  int64_t numOps = 0;
  for (Operation &inner : body->without_terminator())
    numOps += isa<math::MathDialect>(inner.getDialect()) ? opsOfFunction : 1;
  return numRegisters * numOps <= maxUnrolledOps;
}

void ElementwiseEmitter::emit() {
  sizes = getLoopSizes(e.b, op);
  ivs.assign(sizes.size(), e.index(0));
  e.unroll = shouldUnroll();
  e.nest(plan.parallel, sizes, ivs, {}, [&](ValueRange) {
    if (plan.transposed) {
      emitBlocks();
      return SmallVector<Value>();
    }
    loadInvariants();
    if (plan.horizontal)
      emitHorizontal();
    else
      emitParallel();
    return SmallVector<Value>();
  });
}

void ElementwiseEmitter::loadInvariants() {
  loaded.clear();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto varies = [&](unsigned dim) { return map.isFunctionOfDim(dim); };
    // An output may be the same memory, and change.
    if (varies(plan.dim) || llvm::any_of(plan.reductions, varies) ||
        llvm::is_contained(op.getDpsInits(), operand->get()) ||
        body->getArgument(operand->getOperandNumber()).use_empty())
      continue;
    loaded[operand->getOperandNumber()] =
        e.loadScalar(operand->get(), map, ivs);
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementwiseEmitter::getIdentities(int64_t numVectors) {
  SmallVector<Value> identities;
  for (Operation *combiner : combiners) {
    TypedAttr identity = *arith::getNeutralElement(combiner);
    auto type = VectorType::get({plan.vectorLength}, identity.getType());
    identities.push_back(arith::ConstantOp::create(
        e.b, e.loc,
        cast<TypedAttr>(DenseElementsAttr::get(type, Attribute(identity)))));
  }
  SmallVector<Value> result;
  for (int64_t i = 0; i < numVectors; ++i)
    llvm::append_range(result, identities);
  return result;
}

SmallVector<Value> ElementwiseEmitter::combine(ValueRange left,
                                               ValueRange right) {
  SmallVector<Value> results;
  for (auto [i, values] : llvm::enumerate(llvm::zip_equal(left, right))) {
    auto [x, y] = values;
    results.push_back(vector::makeArithReduction(
        e.b, e.loc, *linalg::getCombinerOpKind(combiners[i % combiners.size()]),
        x, y));
  }
  return results;
}

SmallVector<Value> ElementwiseEmitter::emitReduction(
    Fold lower, Fold upper, int64_t step, int64_t numTerms, ValueRange init,
    KernelEmitter::LoopBody body, unsigned depth) {
  int64_t block = step * std::max<int64_t>(maxTermsInRow / numTerms, 1);
  for (unsigned i = 1; i < depth; ++i)
    block *= maxTermsInRow;
  std::optional<int64_t> from = getConstantIntValue(lower);
  std::optional<int64_t> to = getConstantIntValue(upper);
  if (!isSum() || depth == 0)
    return e.loop(lower, upper, step, init, body);
  // One loop for both blocks is as fast, as its length is known.
  if (from && to && *to - *from <= 2 * block)
    return emitReduction(lower, upper, step, numTerms, init, body, depth - 1);
  int64_t numVectors = init.size() / combiners.size();
  return e.loop(lower, upper, block, init, [&](Fold iv, ValueRange args) {
    Fold end = e.min(e.add(iv, block), upper);
    return combine(args,
                   emitReduction(iv, end, step, numTerms,
                                 getIdentities(numVectors), body, depth - 1));
  });
}

SmallVector<Value> ElementwiseEmitter::emitReductions(
    ArrayRef<unsigned> dims, ValueRange init, int64_t numSteps,
    function_ref<SmallVector<Value>(ValueRange)> body) {
  if (dims.empty())
    return body(init);
  unsigned dim = dims.front();
  int64_t inside = numSteps;
  for (unsigned inner : dims.drop_front()) {
    std::optional<int64_t> size = getConstantIntValue(sizes[inner]);
    if (!size)
      inside = ShapedType::kDynamic;
    else if (!ShapedType::isDynamic(inside) && inside <= maxTermsInRow)
      inside *= *size;
  }
  // A few inner steps are not worth a sum of their own.
  bool isLong = ShapedType::isDynamic(inside) || inside > maxTermsInRow / 4;
  int64_t numTerms = isLong ? 1 : std::max<int64_t>(inside, 1);
  int64_t numVectors = init.size() / combiners.size();
  return emitReduction(
      e.index(0), sizes[dim], 1, numTerms, init, [&](Fold iv, ValueRange args) {
        ivs[dim] = iv;
        auto inner = [&](ValueRange sums) {
          return emitReductions(dims.drop_front(), sums, numSteps, body);
        };
        if (isSum() && isLong)
          return combine(args, inner(getIdentities(numVectors)));
        return inner(args);
      });
}

//===----------------------------------------------------------------------===//
// Lanes along a parallel loop
//===----------------------------------------------------------------------===//

void ElementwiseEmitter::emitParallel() {
  Fold size = sizes[plan.dim];
  int64_t length = plan.vectorLength;
  Fold begin = e.index(0);
  if (!plan.reductions.empty()) {
    // Computes the remaining vectors a few at a time.
    for (int64_t count = plan.interleave; count > 1;
         count = count > maxInterleave ? maxInterleave : 1) {
      Fold end = e.alignDown(size, count * length);
      e.loop(begin, end, count * length, {}, [&](Fold iv, ValueRange) {
        SmallVector<Fold> bases;
        for (int64_t i = 0; i < count; ++i)
          bases.push_back(e.add(iv, i * length));
        emitVectors(bases, SmallVector<Lanes>(count, all()));
        return SmallVector<Value>();
      });
      begin = end;
    }
  }
  Fold end = e.alignDown(size, length);
  // Loops around few vectors of a copy keep the processor from reading ahead.
  bool wasUnrolled = e.unroll;
  std::optional<int64_t> constant = getConstantIntValue(size);
  e.unroll |= constant && *constant <= maxCopiedVectors * length &&
              llvm::hasSingleElement(*body);
  e.loop(begin, end, length, {}, [&](Fold iv, ValueRange) {
    emitVectors(iv, all());
    return SmallVector<Value>();
  });
  e.unroll = wasUnrolled;
  e.ifGreater(size, end, [&] { emitVectors(end, some(end)); });
}

void ElementwiseEmitter::emitVectors(ArrayRef<Fold> bases,
                                     ArrayRef<Lanes> lanes) {
  unsigned numOutputs = op.getNumDpsInits();
  SmallVector<Value> outputs;
  for (auto [base, lane] : llvm::zip_equal(bases, lanes)) {
    ivs[plan.dim] = base;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      // A value that the body does not use need not be read; any value is
      // valid.
      bool used = !body->getArgument(output.getOperandNumber()).use_empty();
      AffineMap map = op.getMatchingIndexingMap(&output);
      auto type = VectorType::get({plan.vectorLength},
                                  getElementTypeOrSelf(output.get()));
      outputs.push_back(
          used ? e.loadVector(output.get(), map, ivs, plan.dim, lane)
               : arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type)));
    }
  }
  outputs = emitReductions(
      plan.reductions, outputs, /*numSteps=*/1, [&](ValueRange current) {
        SmallVector<Value> next;
        for (auto [i, base] : llvm::enumerate(bases))
          llvm::append_range(next,
                             emitBody(current.slice(i * numOutputs, numOutputs),
                                      base, lanes[i]));
        return next;
      });
  for (auto [i, base] : llvm::enumerate(bases)) {
    ivs[plan.dim] = base;
    for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable()))
      e.storeVector(outputs[i * numOutputs + number], output.get(),
                    op.getMatchingIndexingMap(&output), ivs, plan.dim,
                    lanes[i]);
  }
}

//===----------------------------------------------------------------------===//
// Transposed inputs
//===----------------------------------------------------------------------===//

bool ElementwiseEmitter::isRepeatable() {
  // No element of a transposed input is in the memory of a result.
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return body->getArgument(operand.getOperandNumber()).use_empty() ||
           isTransposed(op, operand, plan.dim, plan.transposed);
  });
}

void ElementwiseEmitter::emitBlocks() {
  int64_t length = plan.vectorLength;
  bool repeatable = isRepeatable();
  // Calls `body` for each vector along `dim`. The last one may be partial, or
  // one that ends with the array: a network of shuffles is much code, and is
  // emitted once instead of up to four times.
  auto strips = [&](unsigned dim, function_ref<void(Fold, Lanes)> body) {
    Fold size = sizes[dim];
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (repeatable && constant && *constant > length) {
      e.loop(e.index(0), size, length, {}, [&](Fold iv, ValueRange) {
        body(*constant % length ? e.min(iv, e.index(*constant - length)) : iv,
             all());
        return SmallVector<Value>();
      });
      return;
    }
    Fold end = e.alignDown(size, length);
    e.loop(e.index(0), end, length, {}, [&](Fold iv, ValueRange) {
      body(iv, all());
      return SmallVector<Value>();
    });
    e.ifGreater(size, end, [&] { body(end, e.lanes(length, end, size)); });
  };
  strips(*plan.transposed, [&](Fold row, Lanes rows) {
    strips(plan.dim, [&](Fold column, Lanes columns) {
      emitBlock(row, rows, column, columns);
    });
  });
}

void ElementwiseEmitter::emitBlock(Fold row, const Lanes &rows, Fold column,
                                   const Lanes &columns) {
  DenseMap<unsigned, SmallVector<Value>> blocks;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isTransposed(op, *input, plan.dim, plan.transposed))
      continue;
    SmallVector<Value> &block = blocks[input->getOperandNumber()];
    for (int64_t lane = 0; lane < plan.vectorLength; ++lane) {
      ivs[*plan.transposed] = row;
      ivs[plan.dim] = e.add(column, lane);
      if (columns.mask)
        ivs[plan.dim] = e.min(ivs[plan.dim], columns.last);
      block.push_back(e.loadVector(input->get(),
                                   op.getMatchingIndexingMap(input), ivs,
                                   *plan.transposed, rows));
    }
    e.transpose(block);
  }
  for (int64_t lane = 0; lane < plan.vectorLength; ++lane) {
    Fold at = e.add(row, lane);
    auto emitRow = [&] {
      ivs[*plan.transposed] = at;
      for (auto &[number, block] : blocks)
        loaded[number] = block[lane];
      emitVectors(column, columns);
    };
    if (rows.mask)
      e.ifGreater(sizes[*plan.transposed], at, emitRow);
    else
      emitRow();
  }
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// Lanes along a reduction
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementwiseEmitter::accumulate(ValueRange accumulators,
                                                  Fold base,
                                                  const Lanes &lanes) {
  SmallVector<Value> results = emitBody(accumulators, base, lanes);
  if (lanes.mask)
    for (auto [result, old] : llvm::zip_equal(results, accumulators))
      result = arith::SelectOp::create(e.b, e.loc, lanes.mask, result, old);
  return results;
}

void ElementwiseEmitter::emitHorizontal() {
  unsigned numOutputs = op.getNumDpsInits();
  int64_t length = plan.vectorLength;
  Fold size = sizes[plan.dim];
  int64_t interleave = maxInterleave, numSteps = ShapedType::kDynamic;
  if (std::optional<int64_t> constant = getConstantIntValue(size)) {
    interleave = std::clamp<int64_t>(*constant / length, 1, maxInterleave);
    numSteps = llvm::divideCeil(*constant, interleave * length);
  }

  SmallVector<Value> accumulators = emitReductions(
      plan.reductions, getIdentities(interleave), numSteps,
      [&](ValueRange current) {
        Fold wideEnd = e.alignDown(size, interleave * length);
        SmallVector<Value> next = emitReduction(
            e.index(0), wideEnd, interleave * length, /*numTerms=*/1, current,
            [&](Fold iv, ValueRange args) {
              SmallVector<Value> results;
              for (int64_t i = 0; i < interleave; ++i)
                llvm::append_range(
                    results, accumulate(args.slice(i * numOutputs, numOutputs),
                                        e.add(iv, i * length), all()));
              return results;
            });
        // The first vector of each output combines the remaining elements.
        SmallVector<Value> first(ArrayRef<Value>(next).take_front(numOutputs));
        Fold end = e.alignDown(size, length);
        first =
            e.loop(wideEnd, end, length, first, [&](Fold iv, ValueRange args) {
              return accumulate(args, iv, all());
            });
        // At most one iteration; none if `length` divides `size`.
        first = e.loop(end, size, length, first, [&](Fold iv, ValueRange args) {
          return accumulate(args, iv, some(iv));
        });
        llvm::copy(first, next.begin());
        return next;
      });

  for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    vector::CombiningKind kind = *linalg::getCombinerOpKind(combiners[number]);
    Value total = accumulators[number];
    for (int64_t i = 1; i < interleave; ++i)
      total = vector::makeArithReduction(
          e.b, e.loc, kind, accumulators[i * numOutputs + number], total);
    // Without this flag lanes would be added one after the other.
    auto flags = isa<FloatType>(getElementTypeOrSelf(output.get()))
                     ? arith::FastMathFlags::reassoc
                     : arith::FastMathFlags::none;
    Value scalar = vector::ReductionOp::create(e.b, e.loc, kind, total, flags);
    SmallVector<Value> indices =
        e.indices(op.getMatchingIndexingMap(&output), ivs);
    Value init = memref::LoadOp::create(e.b, e.loc, output.get(), indices);
    Value result = vector::makeArithReduction(e.b, e.loc, kind, scalar, init);
    memref::StoreOp::create(e.b, e.loc, result, output.get(), indices);
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementwiseEmitter::emitBody(ValueRange outputs, Fold base,
                                                const Lanes &lanes) {
  ivs[plan.dim] = base;
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    unsigned number = operand->getOperandNumber();
    BlockArgument argument = body->getArgument(number);
    AffineMap map = op.getMatchingIndexingMap(operand);
    Value source = operand->get();
    if (argument.use_empty())
      continue;
    if (Value early = loaded.lookup(number))
      mapping.map(argument, early);
    else if (classifyAccess(op, *operand, plan.dim) == AccessKind::Uniform)
      mapping.map(argument, e.loadScalar(source, map, ivs));
    else
      mapping.map(argument, e.loadVector(source, map, ivs, plan.dim, lanes));
  }
  for (auto [argument, output] :
       llvm::zip_equal(op.getRegionOutputArgs(), outputs))
    mapping.map(argument, output);

  for (Operation &inner : body->without_terminator())
    mapping.map(inner.getResult(0), emitOp(&inner, mapping, base, lanes));
  SmallVector<Value> results;
  for (Value result : body->getTerminator()->getOperands())
    results.push_back(splat(mapping.lookupOrDefault(result)));
  return results;
}

Value ElementwiseEmitter::emitIndex(unsigned dim, Fold base) {
  if (dim != plan.dim)
    return e.value(ivs[dim]);
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < plan.vectorLength; ++lane)
    offsets.push_back(e.b.getIndexAttr(lane));
  auto type = VectorType::get({plan.vectorLength}, e.b.getIndexType());
  Value iota = arith::ConstantOp::create(
      e.b, e.loc, cast<TypedAttr>(DenseElementsAttr::get(type, offsets)));
  return arith::AddIOp::create(e.b, e.loc, splat(e.value(base)), iota);
}

Value ElementwiseEmitter::emitOp(Operation *inner, IRMapping &mapping,
                                 Fold base, const Lanes &lanes) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return emitIndex(index.getDim(), base);

  SmallVector<Value> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  if (llvm::none_of(operands, isVector)) {
    Operation *scalar = e.b.clone(*inner, mapping);
    return scalar->getResult(0);
  }
  for (Value &operand : operands)
    operand = splat(operand);
  // Unused lanes have undefined values: a divisor of zero in them would trap.
  if (lanes.mask &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner)) {
    Type element = getElementTypeOrSelf(operands[1]);
    Value one =
        arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(element, 1));
    operands[1] = arith::SelectOp::create(e.b, e.loc, lanes.mask, operands[1],
                                          splat(one));
  }
  auto type =
      VectorType::get({plan.vectorLength}, inner->getResult(0).getType());
  OperationState state(e.loc, inner->getName(), operands, type,
                       inner->getAttrs());
  return e.b.create(state)->getResult(0);
}

namespace {
class VectorKernels : public KernelFamily {
public:
  codegen::ScheduleAttrInterface choose(linalg::LinalgOp op,
                                        codegen::CPUAttr cpu) const override {
    return chooseVectorSchedule(op, cpu);
  }

  bool has(codegen::ScheduleAttrInterface schedule) const override {
    return isa<codegen::VectorAttr>(schedule);
  }

  LogicalResult verifyFit(linalg::LinalgOp op,
                          codegen::ScheduleAttrInterface schedule,
                          EmitMisfit emitMisfit) const override {
    return getVectorPlan(op, cast<codegen::VectorAttr>(schedule), emitMisfit);
  }

  void emit(RewriterBase &rewriter, linalg::LinalgOp op,
            codegen::ScheduleAttrInterface schedule, codegen::CPUAttr,
            linalg::LinalgOp &fill) const override {
    fill = {};
    VectorPlan plan = *getVectorPlan(op, cast<codegen::VectorAttr>(schedule));
    rewriter.setInsertionPoint(op);
    ElementwiseEmitter(rewriter, plan).emit();
    rewriter.eraseOp(op);
  }
};
} // namespace

const KernelFamily &getVectorKernels() {
  static const VectorKernels kernels;
  return kernels;
}

} // namespace flywheel
