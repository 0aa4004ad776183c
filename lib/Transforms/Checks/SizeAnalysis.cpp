//===- SizeAnalysis.cpp - Sizes of tensors as polynomials -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/SizeAnalysis.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel;

/// More terms than this are a number of their own: products of sums grow fast.
static constexpr size_t kMaxTerms = 32;

/// Returns true if arithmetic in `type` is that of polynomials modulo 2^64.
static bool isWideInteger(Type type) {
  return type.isIndex() || type.isInteger(64);
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

SizeExpr SizeAnalysis::getAtom(const Key &key, Atom atom) {
  auto [it, isNew] = numbers.try_emplace(key, atoms.size());
  if (isNew)
    atoms.push_back(std::move(atom));
  return SizeExpr::atom(it->second);
}

SizeExpr SizeAnalysis::getSizeAtom(Value tensor, int64_t dim) {
  return getAtom({Kind::Size, tensor.getAsOpaquePointer(), nullptr, dim, {}},
                 {Kind::Size, tensor, dim, {}});
}

SizeExpr SizeAnalysis::getNumberAtom(Value value) {
  return getAtom({Kind::Number, value.getAsOpaquePointer(), nullptr, 0, {}},
                 {Kind::Number, value, 0, {}});
}

std::pair<Value, int64_t> SizeAnalysis::getOrigin(unsigned number) const {
  const Atom &atom = atoms[number];
  if (atom.kind == Kind::Size)
    return {atom.value, atom.number};
  return {atom.kind == Kind::Number ? atom.value : Value(), -1};
}

std::optional<std::pair<SizeExpr, int64_t>>
SizeAnalysis::getQuotient(unsigned number) const {
  const Atom &atom = atoms[number];
  if (atom.kind != Kind::FloorDiv)
    return std::nullopt;
  return std::pair(atom.operands.front(), atom.number);
}

SizeExpr SizeAnalysis::getNot(SizeExpr value) {
  if (std::optional<int64_t> constant = value.getConstant())
    return SizeExpr::constant(*constant == 0);
  if (std::optional<unsigned> number = value.getAtom())
    if (atoms[*number].kind == Kind::Not)
      return atoms[*number].operands.front();
  return getAtom({Kind::Not, nullptr, nullptr, 0, {value}},
                 {Kind::Not, Value(), 0, {value}});
}

SizeExpr SizeAnalysis::getCompare(arith::CmpIPredicate predicate, SizeExpr lhs,
                                  SizeExpr rhs) {
  auto number = static_cast<int64_t>(predicate);
  return getAtom({Kind::Compare, nullptr, nullptr, number, {lhs, rhs}},
                 {Kind::Compare, Value(), number, {lhs, rhs}});
}

std::optional<SizeExpr> SizeAnalysis::getIsEmpty(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex())
    return std::nullopt;
  SizeExpr lower = getNumber(loop.getLowerBound()),
           upper = getNumber(loop.getUpperBound());
  std::optional<int64_t> first = lower.getConstant(), end = upper.getConstant();
  if (first && end)
    return SizeExpr::constant(loop.getUnsignedCmp()
                                  ? static_cast<uint64_t>(*first) >=
                                        static_cast<uint64_t>(*end)
                                  : *first >= *end);
  return getCompare(loop.getUnsignedCmp() ? arith::CmpIPredicate::uge
                                          : arith::CmpIPredicate::sge,
                    lower, upper);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

SizeExpr SizeAnalysis::getNumber(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return getNumber(value);
  return SizeExpr::constant(
      cast<IntegerAttr>(cast<Attribute>(number)).getInt());
}

SizeExpr SizeAnalysis::getNumber(Value value) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  // Unreachable code may be cyclic.
  values[value] = getNumberAtom(value);
  SizeExpr expr = computeNumber(value);
  if (expr.getTerms().size() > kMaxTerms)
    expr = getNumberAtom(value);
  return values[value] = expr;
}

SizeExpr SizeAnalysis::getFloorDiv(SizeExpr expr, int64_t divisor) {
  if (divisor == 1)
    return expr;
  if (std::optional<int64_t> constant = expr.getConstant())
    return SizeExpr::constant(llvm::divideFloorSigned(*constant, divisor));
  return getAtom({Kind::FloorDiv, nullptr, nullptr, divisor, {expr}},
                 {Kind::FloorDiv, Value(), divisor, {expr}});
}

SizeExpr SizeAnalysis::getAffine(AffineExpr expr, ArrayRef<SizeExpr> dims,
                                 ArrayRef<SizeExpr> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SizeExpr lhs = getAffine(binary.getLHS(), dims, symbols),
           rhs = getAffine(binary.getRHS(), dims, symbols);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return getFloorDiv(lhs, *rhs.getConstant());
  return expr.getKind() == AffineExprKind::Add ? lhs + rhs : lhs * rhs;
}

SizeExpr SizeAnalysis::getFormula(const DimSizeFormula &formula) {
  SizeExpr size = getSize(formula.value, formula.dim);
  return formula.expr ? getAffine(formula.expr, {}, size) : size;
}

SizeExpr SizeAnalysis::computeNumber(Value value) {
  APInt constant;
  Type type = value.getType();
  if (type.isIntOrIndex() && matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getBitWidth() <= 64)
    return SizeExpr::constant(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  // It counts as pure only if its index is a constant op.
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
    std::optional<int64_t> index = getNumber(dim.getIndex()).getConstant();
    auto source = dyn_cast<RankedTensorType>(dim.getSource().getType());
    return index && source && *index >= 0 && *index < source.getRank()
               ? getSize(dim.getSource(), *index)
               : getNumberAtom(value);
  }
  if (!op || op->getNumRegions() != 0 || !isPure(op) ||
      op->getNumResults() != 1 || !type.isIntOrIndex())
    return getNumberAtom(value);
  for (Value operand : op->getOperands())
    if (!operand.getType().isIntOrIndex())
      return getNumberAtom(value);
  auto operand = [&](unsigned i) { return getNumber(op->getOperand(i)); };
  if (isWideInteger(type)) {
    if (isa<arith::AddIOp>(op))
      return operand(0) + operand(1);
    if (isa<arith::SubIOp>(op))
      return operand(0) - operand(1);
    if (isa<arith::MulIOp>(op))
      return operand(0) * operand(1);
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
        isWideInteger(op->getOperand(0).getType()))
      return operand(0);
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      AffineExpr expr = apply.getAffineMap().getResult(0);
      bool isPolynomial = true;
      expr.walk([&](AffineExpr inner) {
        isPolynomial &= inner.getKind() != AffineExprKind::Mod &&
                        inner.getKind() != AffineExprKind::FloorDiv &&
                        inner.getKind() != AffineExprKind::CeilDiv;
      });
      auto getNumbers = [&](ValueRange values) {
        return llvm::map_to_vector(
            values, [&](Value operand) { return getNumber(operand); });
      };
      if (isPolynomial)
        return getAffine(expr, getNumbers(apply.getDimOperands()),
                         getNumbers(apply.getSymbolOperands()));
    }
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (isWideInteger(compare.getLhs().getType()))
      return getCompare(compare.getPredicate(), operand(0), operand(1));
  if (isa<arith::XOrIOp>(op) && type.isInteger(1))
    for (unsigned i : {0u, 1u})
      if (matchPattern(op->getOperand(i), m_One()))
        return getNot(operand(1 - i));
  std::vector<SizeExpr> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(operand(i));
  return getAtom({Kind::Compute, op->getName().getAsOpaquePointer(),
                  op->getAttrDictionary().getAsOpaquePointer(),
                  // Two types of one name differ.
                  static_cast<int64_t>(
                      reinterpret_cast<intptr_t>(type.getAsOpaquePointer())),
                  operands},
                 {Kind::Compute, value, 0, operands});
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SizeExpr SizeAnalysis::getSize(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return SizeExpr::constant(type.getDimSize(dim));
  std::pair<Value, int64_t> key(tensor, dim);
  if (auto it = sizes.find(key); it != sizes.end())
    return it->second;
  sizes[key] = getSizeAtom(tensor, dim);
  SizeExpr expr = computeSize(tensor, dim);
  if (expr.getTerms().size() > kMaxTerms)
    expr = getSizeAtom(tensor, dim);
  return sizes[key] = expr;
}

SizeExpr SizeAnalysis::getNumElements(Value tensor) {
  SizeExpr product = SizeExpr::constant(1);
  for (int64_t dim = 0,
               rank = cast<RankedTensorType>(tensor.getType()).getRank();
       dim < rank; ++dim)
    product = product * getSize(tensor, dim);
  return product;
}

SizeExpr SizeAnalysis::computeSize(Value tensor, int64_t dim) {
  std::optional<SizeExpr> found;
  if (auto result = dyn_cast<OpResult>(tensor))
    found = getComputedSize(result, dim);
  else
    found = getArgumentSize(cast<BlockArgument>(tensor), dim);
  return found ? *found : getSizeAtom(tensor, dim);
}

/// Returns the size of dimension `dim` of a region's argument: that of the
/// value that the op forwards to it.
std::optional<SizeExpr> SizeAnalysis::getArgumentSize(BlockArgument argument,
                                                      int64_t dim) {
  Operation *owner = argument.getOwner()->getParentOp();
  Value source;
  // While a program is traced, the region has no op yet.
  if (!owner || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  if (SmallVector<Value> values = getForwardedValues(argument);
      !values.empty()) {
    source = values.front();
  } else if (auto rule = dyn_cast<train::CustomVjpOp>(owner)) {
    // Behind the inputs are cotangents, of the results with a derivative.
    unsigned number = argument.getArgNumber();
    if (number < rule.getInputs().size())
      source = rule.getInputs()[number];
    else
      for (Value result : rule.getResults())
        if (isa<FloatType>(getElementTypeOrSelf(result)) &&
            number-- == rule.getInputs().size()) {
          source = result;
          break;
        }
  }
  if (!source || !isRanked(source) ||
      cast<RankedTensorType>(source.getType()).getRank() <= dim)
    return std::nullopt;
  return getSize(source, dim);
}

std::optional<SizeExpr> SizeAnalysis::getControlFlowSize(OpResult result,
                                                         int64_t dim) {
  Operation *op = result.getOwner();
  Value source;
  // The value in place of an op that a branch leaves out has the sizes that the
  // op is to have: if these are not those of its operands, they are the right
  // ones.
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value other = branch.elseYield().getOperand(result.getResultNumber());
    SizeExpr size = getSize(other, dim);
    if (isAvailable(size, op))
      return size;
  }
  if (SmallVector<Value> values = getForwardedValues(result); !values.empty())
    source = values.front();
  else if (auto rule = dyn_cast<train::CustomVjpOp>(op))
    source = rule.getBody().front().getTerminator()->getOperand(
        result.getResultNumber());
  else
    return std::nullopt;
  SizeExpr size = getSize(source, dim);
  Operation *around = source.getParentBlock()->getParentOp();
  if (around && op->isAncestor(around) && !isAvailable(size, op))
    return std::nullopt;
  return size;
}

std::optional<SizeExpr> SizeAnalysis::getTensorSize(OpResult result,
                                                    int64_t dim) {
  Operation *op = result.getOwner();
  /// The size operand of a dynamic dimension.
  auto among = [&](ValueRange dynamicSizes) -> std::optional<SizeExpr> {
    auto type = cast<RankedTensorType>(result.getType());
    return type.isDynamicDim(dim)
               ? getNumber(dynamicSizes[type.getDynamicDimIndex(dim)])
               : SizeExpr::constant(type.getDimSize(dim));
  };
  if (isa<tensor::EmptyOp, tensor::GenerateOp>(op))
    return among(op->getOperands());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return among(splat.getDynamicSizes());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return getNumber(expand.getMixedOutputShape()[dim]);
  if (isa<tensor::CastOp, tensor::BitcastOp>(op) && isRanked(op->getOperand(0)))
    return getSize(op->getOperand(0), dim);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(i) && dim-- == 0)
        return getNumber(size);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    SizeExpr product = SizeExpr::constant(1);
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t index : group)
      product = product * getSize(collapse.getSrc(), index);
    return product;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (dim != static_cast<int64_t>(concat.getDim()))
      return getSize(concat.getInputs().front(), dim);
    SizeExpr sum;
    for (Value input : concat.getInputs())
      sum = sum + getSize(input, dim);
    return sum;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return getSize(pad.getSource(), dim) +
           getNumber(pad.getMixedLowPad()[dim]) +
           getNumber(pad.getMixedHighPad()[dim]);
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
      return getNumber(shape.getElements()[dim]);
  return std::nullopt;
}

/// Returns the operand, and its dimension, that determines dimension `dim` of
/// broadcasting arithmetic: dynamic dimensions do not stretch.
static std::optional<std::pair<Value, int64_t>>
findBroadcastSource(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (!isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::MaxOp, nn::MinOp,
           nn::PowOp>(op))
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t own = dim - rank + type.getRank();
    if (own >= 0 && type.getDimSize(own) != 1)
      return std::pair(operand, own);
  }
  return std::nullopt;
}

std::optional<SizeExpr> SizeAnalysis::getComputedSize(OpResult result,
                                                      int64_t dim) {
  Operation *op = result.getOwner();
  if (std::optional<SizeExpr> size = getControlFlowSize(result, dim))
    return size;
  if (std::optional<SizeExpr> size = getTensorSize(result, dim))
    return size;
  if (auto styled = dyn_cast<DestinationStyleOpInterface>(op)) {
    Value init = styled.getTiedOpOperand(result)->get();
    return isRanked(init) ? std::optional(getSize(init, dim)) : std::nullopt;
  }
  if (auto gradient = dyn_cast<train::GradientOp>(op))
    return getSize(gradient.getXs()[result.getResultNumber()], dim);
  if (auto jvp = dyn_cast<train::JvpOp>(op))
    return getSize(jvp.getYs()[result.getResultNumber()], dim);
  if (auto source = findBroadcastSource(result, dim))
    return getSize(source->first, source->second);
  if (DimSizeFormula formula = findDimSizeFormula(result, dim); formula.value)
    return getFormula(formula);
  if (!op->hasTrait<OpTrait::Elementwise>() &&
      !op->hasTrait<OpTrait::SameOperandsAndResultShape>() &&
      !op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (isRanked(operand))
      return getSize(operand, dim);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Returns the loop whose induction variable `value` is; null if it is none.
static scf::ForOp getCountingLoop(Value value) {
  auto loop =
      dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
  return loop && value == loop.getInductionVar() ? loop : scf::ForOp();
}

bool SizeAnalysis::isNonNegative(const Atom &atom) {
  if (atom.kind == Kind::Size)
    return true;
  if (!atom.value)
    return false;
  if (isa<BlockArgument>(atom.value)) {
    // An induction variable counts up from the lower bound.
    scf::ForOp loop = getCountingLoop(atom.value);
    return loop && isNonNegative(getNumber(loop.getLowerBound()));
  }
  Operation *op = atom.value.getDefiningOp();
  auto isOperandNonNegative = [&](const SizeExpr &operand) {
    return isNonNegative(operand);
  };
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(atom.operands, isOperandNonNegative);
  if (isa<arith::MinSIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return llvm::all_of(atom.operands, isOperandNonNegative);
  if (isa<arith::SelectOp>(op))
    return llvm::all_of(ArrayRef(atom.operands).drop_front(),
                        isOperandNonNegative);
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return op->getOperand(0).getType().isSignlessInteger() &&
           op->getOperand(0).getType().getIntOrFloatBitWidth() < 64;
  return false;
}

bool SizeAnalysis::isNonNegative(const SizeExpr &expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return *constant >= 0;
  bool wraps = !expr.getAtom() && mayWrap(expr);
  return !wraps && llvm::all_of(expr.getTerms(), [&](const auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](unsigned number) {
             // A copy: atoms may be added on the way.
             Atom atom = atoms[number];
             return isNonNegative(atom);
           });
  });
}

bool SizeAnalysis::mayWrap(const SizeExpr &expr) {
  return llvm::any_of(expr.getTerms(), [&](const auto &term) {
    return !llvm::isInt<32>(term.second) ||
           llvm::any_of(term.first, [&](unsigned number) {
             // No loop counts to numbers that wrap.
             const Atom &atom = atoms[number];
             bool isCounted =
                 atom.kind == Kind::Number && getCountingLoop(atom.value);
             return !isCounted && !isOfSizes(SizeExpr::atom(number));
           });
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Returns true if `value` dominates `op`: it is not defined inside of `op`, in
/// another branch or loop, or by `op` itself.
static bool isInFrontOf(Value value, Operation *op) {
  // While a program is traced, a region is not yet in the one around it: a
  // value of another such region is from further out.
  auto findOpenRegion = [](Region *region) {
    while (region && region->getParentOp())
      region = region->getParentOp()->getParentRegion();
    return region;
  };
  Region *own = value.getParentRegion(),
         *open = findOpenRegion(op->getParentRegion());
  if (open && findOpenRegion(own) != open)
    return true;
  Region *region = op->getParentRegion();
  while (region && region != own)
    region = region->getParentOp() ? region->getParentOp()->getParentRegion()
                                   : nullptr;
  if (!region)
    return false;
  Operation *maker = value.getDefiningOp();
  Operation *around =
      maker ? maker->getBlock()->findAncestorOpInBlock(*op) : nullptr;
  return !around || maker->isBeforeInBlock(around);
}

bool SizeAnalysis::isAvailable(const SizeExpr &expr, Operation *parent) {
  return llvm::all_of(expr.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](unsigned number) {
      const Atom &atom = atoms[number];
      if (atom.value && isInFrontOf(atom.value, parent))
        return true;
      // Not any number can be an operand of an affine op.
      if (atom.value && isa_and_present<affine::AffineDialect>(
                            atom.value.getDefiningOp()
                                ? atom.value.getDefiningOp()->getDialect()
                                : nullptr))
        return false;
      return !atom.operands.empty() &&
             llvm::all_of(atom.operands, [&](const SizeExpr &operand) {
               return isAvailable(operand, parent);
             });
    });
  });
}

/// Converts `number` to the type of the operand that it replaces.
static Value convert(OpBuilder &b, Location loc, Value number, Type type) {
  if (number.getType() == type)
    return number;
  if (APInt value; matchPattern(number, m_ConstantInt(&value)))
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(type, value.getSExtValue()));
  return arith::IndexCastOp::create(b, loc, type, number);
}

bool SizeAnalysis::isOfSizes(const SizeExpr &expr) {
  return llvm::all_of(expr.getTerms(), [&](const auto &term) {
    // No type says a number of this size, but arithmetic may.
    if (!llvm::isInt<32>(term.second))
      return false;
    return llvm::all_of(term.first, [&](unsigned number) {
      const Atom &atom = atoms[number];
      auto areOfSizes = [&] {
        return llvm::all_of(atom.operands, [&](const SizeExpr &operand) {
          return isOfSizes(operand);
        });
      };
      return atom.kind == Kind::Size ||
             (atom.kind == Kind::FloorDiv && areOfSizes()) ||
             (atom.kind == Kind::Compute &&
              isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp,
                  arith::DivUIOp, arith::FloorDivSIOp, arith::MaxSIOp,
                  arith::MinSIOp, arith::RemSIOp, arith::RemUIOp>(
                  atom.value.getDefiningOp()) &&
              areOfSizes());
    });
  });
}

Value SizeAnalysis::materialize(OpBuilder &b, Location loc, unsigned number,
                                Operation *parent) {
  const Atom atom = atoms[number];
  if (atom.kind == Kind::Size)
    return tensor::DimOp::create(b, loc, atom.value, atom.number);
  if (atom.value && isInFrontOf(atom.value, parent))
    return atom.value;
  SmallVector<Value> operands;
  for (const SizeExpr &operand : atom.operands)
    operands.push_back(materialize(b, loc, operand, parent));
  if (atom.kind == Kind::Not) {
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, operands[0], yes);
  }
  if (atom.kind == Kind::Compare)
    return arith::CmpIOp::create(b, loc,
                                 static_cast<arith::CmpIPredicate>(atom.number),
                                 operands[0], operands[1]);
  if (atom.kind == Kind::FloorDiv) {
    Value divisor = arith::ConstantIndexOp::create(b, loc, atom.number);
    return arith::FloorDivSIOp::create(
        b, loc, convert(b, loc, operands[0], b.getIndexType()), divisor);
  }
  Operation *op = atom.value.getDefiningOp();
  for (auto [operand, original] : llvm::zip(operands, op->getOperands()))
    operand = convert(b, loc, operand, original.getType());
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(0);
}

Value SizeAnalysis::materialize(OpBuilder &b, Location loc,
                                const SizeExpr &expr, Operation *parent) {
  // A condition, or a narrow integer, is nothing to compute with.
  if (std::optional<unsigned> number = expr.getAtom()) {
    Value value = materialize(b, loc, *number, parent);
    return isWideInteger(value.getType())
               ? convert(b, loc, value, b.getIndexType())
               : value;
  }
  Value sum;
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
    Value product;
    auto multiply = [&](Value factor) {
      product =
          product ? arith::MulIOp::create(b, loc, product, factor) : factor;
    };
    for (unsigned number : monomial)
      multiply(convert(b, loc, materialize(b, loc, number, parent),
                       b.getIndexType()));
    if (coefficient != 1 || monomial.empty())
      multiply(arith::ConstantIndexOp::create(
          b, loc, static_cast<int64_t>(coefficient)));
    sum = sum ? arith::AddIOp::create(b, loc, sum, product) : product;
  }
  return sum ? sum : arith::ConstantIndexOp::create(b, loc, 0);
}
