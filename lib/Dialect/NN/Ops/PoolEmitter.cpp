//===- PoolEmitter.cpp - Pools in linalg ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

AffineMap PoolEmitter::getImageMap() {
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 6; ++i)
    d.push_back(e.b.getAffineDimExpr(i));
  return AffineMap::get(6, 0,
                        {d[0], d[1] * shape[0].stride + d[4],
                         d[2] * shape[1].stride + d[5], d[3]},
                        e.b.getContext());
}

AffineMap PoolEmitter::getPhaseMap() {
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 6; ++i)
    d.push_back(e.b.getAffineDimExpr(i));
  return AffineMap::get(6, 0, {d[0], d[1] + d[4], d[2] + d[5], d[3]},
                        e.b.getContext());
}

Value PoolEmitter::numberElement(OpBuilder &b, Value p, Value q) {
  Value width = arith::ConstantIndexOp::create(b, e.loc, shape[1].size);
  Value row = arith::MulIOp::create(b, e.loc, p, width);
  return arith::IndexCastOp::create(b, e.loc, b.getI32Type(),
                                    arith::AddIOp::create(b, e.loc, row, q));
}

std::pair<Value, Value> PoolEmitter::findMaxima(Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x));
  auto compute = cast<FloatType>(e.getComputeType(type));
  auto lowestOf = [&](FloatType type) {
    return e.scalar(e.b.getFloatAttr(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true)));
  };
  // In a window that is all -inf, the maximum is at the first element. With
  // padding, it is at the first element that is not padding.
  bool isUnpadded = window.isUnpadded();
  Value padded = window.pad(x, lowestOf(type));
  SmallVector<Value> inputs = {padded, makeShape(shape[0].size, shape[1].size)};
  Type index = e.b.getI32Type();
  SmallVector<Value> inits = {
      e.fill(dimSizes, lowestOf(compute)),
      e.fill(dimSizes, e.scalar(index, isUnpadded ? 0 : -1))};
  SmallVector<AffineMap> maps = {getImageMap(), getShapeMap(), getOutputMap(),
                                 getOutputMap()};
  SmallVector<utils::IteratorType> iterators(6, utils::IteratorType::parallel);
  iterators[4] = iterators[5] = utils::IteratorType::reduction;
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value value = widen(b, loc, args[0], compute);
    Value best = args[2], place = args[3];
    SmallVector<Value> loops;
    for (unsigned dim = 0; dim < 6; ++dim)
      loops.push_back(linalg::IndexOp::create(b, loc, dim));
    // Unordered or greater, unless the best so far is a NaN already.
    Value greater =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, value, best);
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    Value better = arith::AndIOp::create(b, loc, greater, isNumber);
    if (!isUnpadded) {
      Value none = arith::ConstantIntOp::create(b, loc, index, -1);
      Value isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, none);
      for (unsigned i : {0, 1})
        isFirst = arith::AndIOp::create(
            b, loc, isFirst, window.isInside(b, i, loops[i + 1], loops[i + 4]));
      better = arith::OrIOp::create(b, loc, better, isFirst);
    }
    Value number = numberElement(b, loops[4], loops[5]);
    linalg::YieldOp::create(
        b, loc,
        ValueRange{arith::SelectOp::create(b, loc, better, value, best),
                   arith::SelectOp::create(b, loc, better, number, place)});
  };
  auto generic =
      linalg::GenericOp::create(e.b, e.loc, TypeRange(ValueRange(inits)),
                                inputs, inits, maps, iterators, body);
  return {generic.getResult(0), generic.getResult(1)};
}

Value PoolEmitter::divideByCount(Value sums, Type type) {
  Type compute = e.getComputeType(type);
  return e.map(
      dimSizes, type, sums, {e.identity(4)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value count;
        if (window.isUnpadded()) {
          count = arith::ConstantOp::create(
              b, loc, b.getFloatAttr(compute, shape[0].size * shape[1].size));
        } else {
          Value rows =
              window.countCovered(b, 0, linalg::IndexOp::create(b, loc, 1));
          Value columns =
              window.countCovered(b, 1, linalg::IndexOp::create(b, loc, 2));
          Value number = arith::IndexCastOp::create(
              b, loc, b.getI32Type(),
              arith::MulIOp::create(b, loc, rows, columns));
          count = arith::SIToFPOp::create(b, loc, compute, number);
        }
        Value sum = widen(b, loc, args[0], compute);
        return narrow(b, loc, arith::DivFOp::create(b, loc, sum, count), type);
      });
}

Value PoolEmitter::gather(const std::array<WindowPhase, 2> &phases, Value init,
                          Value zero, ValueRange slices, ShareFn share) {
  // Windows that do not overlap: nothing is added.
  if (phases[0].count == 1 && phases[1].count == 1) {
    SmallVector<AffineMap> maps(slices.size() + 1, e.identity(4));
    return e.generic(
        slices, init, maps, [&](OpBuilder &b, Location loc, ValueRange args) {
          return share(b, args,
                       arith::ConstantIndexOp::create(b, loc, phases[0].first),
                       arith::ConstantIndexOp::create(b, loc, phases[1].first));
        });
  }
  SmallVector<AffineMap> maps(slices.size(), getPhaseMap());
  maps.append({getShapeMap(), getOutputMap()});
  SmallVector<Value> inputs(slices);
  inputs.push_back(makeShape(phases[0].count, phases[1].count));
  init = linalg::FillOp::create(e.b, e.loc, zero, init).getResult(0);
  return e.generic(
      inputs, init, maps, [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> element;
        for (auto [i, phase] : llvm::enumerate(phases))
          element.push_back(phase.emitElement(
              b, loc, linalg::IndexOp::create(b, loc, i + 4)));
        return arith::AddFOp::create(b, loc, args.back(),
                                     share(b, args, element[0], element[1]));
      });
}

Value PoolEmitter::gatherBlocks(const std::array<Blocks, 2> &blocks,
                                ArrayRef<DimSize> blockDimSizes, Value zero,
                                ValueRange slices, ShareFn share) {
  // Loops: batch, block and position in it for height and for width, channel;
  // then the windows that reach it, unless there is but one.
  bool isOne = blocks[0].count == 1 && blocks[1].count == 1;
  unsigned rank = isOne ? 6 : 8;
  auto dim = [&](unsigned i) { return e.b.getAffineDimExpr(i); };
  AffineExpr row = dim(1), column = dim(3);
  AffineMap output = e.select(rank, {0, 1, 2, 3, 4, 5});
  SmallVector<Value> inputs(slices);
  Value init = e.empty(blockDimSizes, zero.getType());
  if (!isOne) {
    row = row + dim(6);
    column = column + dim(7);
    init = e.fill(blockDimSizes, zero);
  }
  SmallVector<AffineMap> maps(
      slices.size(),
      AffineMap::get(rank, 0, {dim(0), row, column, dim(5)}, e.b.getContext()));
  if (!isOne) {
    inputs.push_back(makeShape(blocks[0].count, blocks[1].count));
    maps.push_back(e.select(rank, {6, 7}));
  }
  maps.push_back(output);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    auto number = [&](int64_t n) -> Value {
      return arith::ConstantIndexOp::create(b, loc, n);
    };
    SmallVector<Value> elements;
    Value isInside;
    for (auto [i, block] : llvm::enumerate(blocks)) {
      Value element = linalg::IndexOp::create(b, loc, 2 * i + 2);
      if (!isOne) {
        Value window =
            arith::SubIOp::create(b, loc, number(block.count - 1),
                                  linalg::IndexOp::create(b, loc, i + 6));
        element = arith::AddIOp::create(
            b, loc, element,
            arith::MulIOp::create(b, loc, window, number(block.stride)));
      }
      elements.push_back(element);
      // The last of the windows may end before the position.
      if (block.count * block.length == shape[i].size)
        continue;
      Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       element, number(shape[i].size));
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, is) : Value(is);
    }
    Value found = share(b, args, elements[0], elements[1]);
    if (isInside)
      found = arith::SelectOp::create(b, loc, isInside, found, zero);
    return isOne ? found
                 : Value(arith::AddFOp::create(b, loc, args.back(), found));
  };
  return e.generic(inputs, init, maps, body);
}

Value PoolEmitter::scatter(Value zero, ValueRange outputs, ValueRange padValues,
                           ShareFn share) {
  return window.scatter(
      zero, outputs, padValues,
      [&](const std::array<WindowPhase, 2> &phases, Value init,
          ValueRange slices) {
        return gather(phases, init, zero, slices, share);
      },
      [&](const std::array<Blocks, 2> &blocks, ArrayRef<DimSize> blockDimSizes,
          ValueRange slices) {
        return gatherBlocks(blocks, blockDimSizes, zero, slices, share);
      });
}
