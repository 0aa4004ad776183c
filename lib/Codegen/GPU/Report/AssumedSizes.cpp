//===- AssumedSizes.cpp - What sizes of the call count as -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssumedSizes.h"
#include "LaunchTraffic.h"

#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

/// The attribute of a function with the assumed size of dimensions without a
/// symbol, followed by that of each symbolic dimension size.
static constexpr StringLiteral kName = "codegen.assumed";

namespace flywheel {

AssumedSizes::AssumedSizes(func::FuncOp function, const DimSizeBounds &bounds)
    : function(function) {
  std::vector<std::string> names;
  if (auto symbols = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getSymbolsAttrName()))
    for (auto name : symbols.getAsRange<StringAttr>())
      names.push_back(name.str());
  std::vector<int64_t> sizes = bounds.lookupAll(names);
  text = describeDimSizes(names, sizes);
  sizes.insert(sizes.begin(),
               sizes.empty() ? bounds.others : *llvm::max_element(sizes));
  function->setAttr(kName,
                    DenseI64ArrayAttr::get(function.getContext(), sizes));
}

AssumedSizes::~AssumedSizes() { function->removeAttr(kName); }

/// Returns the assumed size of `dim` of `argument`.
static int64_t assumeSizeOfArgument(BlockArgument argument, int64_t dim) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto sizes = function ? function->getAttrOfType<DenseI64ArrayAttr>(kName)
                        : DenseI64ArrayAttr();
  if (!sizes)
    return kAssumedSize;
  std::optional<FunctionArgument> ofFunction = FunctionArgument::get(argument);
  int64_t symbol = ofFunction ? ofFunction->getDimSymbol(dim) : -1;
  return symbol + 1 < sizes.size() ? sizes[symbol + 1] : sizes[0];
}

/// Returns the assumed size of dimensions without a symbol in the function that
/// has `value`.
static int64_t assumeOther(Value value) {
  Operation *op = value.getParentRegion()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    function = op->getParentOfType<func::FuncOp>();
  auto sizes = function ? function->getAttrOfType<DenseI64ArrayAttr>(kName)
                        : DenseI64ArrayAttr();
  return sizes ? sizes[0] : kAssumedSize;
}

/// Returns the results of `map` at the assumed values of its operands, without
/// those that depend on an operand of unknown value.
static SmallVector<int64_t> assumeResults(AffineMap map, ValueRange operands) {
  SmallVector<Attribute> known;
  Builder b(map.getContext());
  llvm::SmallBitVector isKnown(operands.size());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    std::optional<int64_t> size = assumeNumber(operand);
    isKnown[number] = size.has_value();
    known.push_back(b.getIndexAttr(size.value_or(1)));
  }
  SmallVector<int64_t> results;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    AffineMap one = map.getSubMap(i);
    bool follows = true;
    for (unsigned number = 0; number < operands.size(); ++number)
      follows &= isKnown[number] ||
                 !(number < map.getNumDims()
                       ? one.getResult(0).isFunctionOfDim(number)
                       : one.getResult(0).isFunctionOfSymbol(number -
                                                             map.getNumDims()));
    SmallVector<Attribute> folded;
    if (follows && succeeded(one.constantFold(known, folded)))
      results.push_back(cast<IntegerAttr>(folded.front()).getInt());
  }
  return results;
}

std::optional<int64_t> assumeNumber(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return constant;
  Operation *op = cast<Value>(number).getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
    if (auto type = dyn_cast<MemRefType>(dim.getSource().getType()))
      if (std::optional<int64_t> index = dim.getConstantIndex();
          index && *index >= 0 && *index < type.getRank())
        return assumeSize(dim.getSource(), *index);
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    SmallVector<int64_t> results =
        assumeResults(apply.getAffineMap(), apply.getOperands());
    return results.empty() ? std::nullopt : std::optional(results.front());
  }
  // A partial tile, the rest after whole tiles, is smaller than a tile.
  if (auto least = dyn_cast_or_null<affine::AffineMinOp>(op)) {
    SmallVector<int64_t> results =
        assumeResults(least.getAffineMap(), least.getOperands());
    return results.empty() ? std::nullopt
                           : std::optional(*llvm::min_element(results));
  }
  return std::nullopt;
}

int64_t assumeSize(Value buffer, int64_t dim) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return assumeOther(buffer);
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return assumeSizeOfArgument(argument, dim);
  std::optional<int64_t> size;
  unsigned number = type.getDynamicDimIndex(dim);
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    size = assumeNumber(alloc.getDynamicSizes()[number]);
  else if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    size = assumeNumber(view.getSizes()[number]);
  else if (auto part = buffer.getDefiningOp<memref::SubViewOp>();
           part && part.getDroppedDims().none())
    size = assumeNumber(part.getMixedSizes()[dim]);
  else if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    return assumeSize(cast.getSource(), dim);
  else if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    size = assumeNumber(expand.getMixedOutputShape()[dim]);
  else if (auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    size = 1;
    // A copy: the vector is a temporary.
    ReassociationIndices joined = collapse.getReassociationIndices()[dim];
    for (int64_t from : joined)
      size = multiplyUp(*size, assumeSize(collapse.getSrc(), from));
  }
  return size && *size >= 0 ? *size : assumeOther(buffer);
}

} // namespace flywheel
