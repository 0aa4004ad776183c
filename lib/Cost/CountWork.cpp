//===- CountWork.cpp - Say what each structured op takes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While ops are whole and tensors have sizes with names: tiles and buffers keep
// no more than the number of the op they are of.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Cost/CostPasses.h"

#include "EntrySizes.h"
#include "StepPhases.h"

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using flywheel::codegen::CodegenDialect;
using flywheel::train::TrainDialect;

namespace flywheel {
#define GEN_PASS_DEF_COUNTWORK
#include "flywheel/Cost/CostPasses.h.inc"

namespace {
/// Makes the table of one function.
class WorkTable {
public:
  explicit WorkTable(func::FuncOp function)
      : function(function), b(function.getContext()),
        symbols(nameSizes(function)), sizes(symbols, bindings),
        phases(function) {}

  /// Numbers the structured ops and describes them.
  void build();

private:
  DictionaryAttr describe(Operation *op);
  Attribute describeTensor(Value tensor);
  DenseI64ArrayAttr getNumbers(ValueRange values);
  /// Returns `expr` over the symbolic dimension sizes of the entry; null if it
  /// has other symbols.
  AffineMapAttr getMap(const CostExpr &expr);
  CostExpr countIterations(linalg::LinalgOp op);

  func::FuncOp function;
  Builder b;
  EntrySymbols symbols;
  llvm::StringMap<int64_t> bindings;
  EntrySizes sizes;
  StepPhases phases;
  llvm::SetVector<Value> tensors;
  /// The position of each symbol of `symbols` among those of the manifest.
  llvm::StringMap<unsigned> positions;
};
} // namespace

AffineMapAttr WorkTable::getMap(const CostExpr &expr) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (expr.hasWrapped())
    return {};
  AffineExpr sum = b.getAffineConstantExpr(0);
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
    // An expression that is not an affine map is printed as unknown.
    if (coefficient < kMin || coefficient > kMax)
      return {};
    AffineExpr product =
        b.getAffineConstantExpr(static_cast<int64_t>(coefficient));
    for (unsigned atom : monomial) {
      auto position = positions.find(symbols.names[atom]);
      if (position == positions.end())
        return {};
      product = b.getAffineSymbolExpr(position->second) * product;
    }
    sum = sum + product;
  }
  return AffineMapAttr::get(AffineMap::get(0, positions.size(), sum));
}

CostExpr WorkTable::countIterations(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  CostExpr points = CostExpr::constant(1);
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    Value value;
    unsigned dim = 0;
    if (!ShapedType::isDynamic(range))
      points = points * CostExpr::constant(range);
    else if (succeeded(op.mapIterationSpaceDimToOperandDim(loop, value, dim)))
      points = points * sizes.getSize(value, dim);
  }
  return points;
}

DenseI64ArrayAttr WorkTable::getNumbers(ValueRange values) {
  llvm::SetVector<int64_t> numbers;
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType())) {
      tensors.insert(value);
      numbers.insert(llvm::find(tensors, value) - tensors.begin());
    }
  return b.getDenseI64ArrayAttr(numbers.getArrayRef());
}

/// Returns true if an op becomes a kernel, or a part of a loop with others.
static bool isWork(Operation *op) {
  if (!isa<CostOpInterface>(op))
    return false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.hasPureTensorSemantics();
  return isa<linalg_ext::LinalgExtDialect>(op->getDialect()) &&
         isa<DestinationStyleOpInterface>(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Returns the tensors whose elements `op` reads: not those of destinations
/// that the body of a structured op ignores.
static SmallVector<Value> getRead(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  SmallVector<Value> read;
  for (OpOperand &operand : op->getOpOperands())
    if (!structured || structured.payloadUsesValueFromOperand(&operand))
      read.push_back(operand.get());
  return read;
}

/// Returns the ops of the source that `op` computes, each with its place: its
/// own, then those that were fused into its body.
static SmallVector<std::string> collectSources(Operation *op) {
  SmallVector<std::string> sources{formatSourceOp(op)};
  op->walk([&](Operation *nested) {
    if (nested == op || nested->hasTrait<OpTrait::IsTerminator>() ||
        nested->hasTrait<OpTrait::ConstantLike>() ||
        getOpName(nested->getLoc()).empty())
      return;
    std::string source = formatSourceOp(nested);
    if (!llvm::is_contained(sources, source))
      sources.push_back(std::move(source));
  });
  return sources;
}

DictionaryAttr WorkTable::describe(Operation *op) {
  Phase phase = phases.get(op);
  std::string what = getSourceOpName(op).rsplit('.').second.str();
  if (isMarkedBackward(op->getLoc()))
    what += "_grad";
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  bool isContraction =
      structured && (linalg::isaContractionOpInterface(structured) ||
                     linalg::isaConvolutionOpInterface(structured));
  SmallVector<NamedAttribute> fields{
      b.getNamedAttr("what", b.getStringAttr(what)),
      b.getNamedAttr("sources",
                     b.getStrArrayAttr(llvm::map_to_vector(
                         collectSources(op),
                         [](const std::string &s) -> StringRef { return s; }))),
      b.getNamedAttr("phase", b.getStringAttr(getPhaseName(phase))),
      b.getNamedAttr("contraction", b.getBoolAttr(isContraction))};
  auto addMap = [&](StringRef key, const CostExpr &expr) {
    if (AffineMapAttr map = getMap(expr))
      fields.push_back(b.getNamedAttr(key, map));
  };
  if (structured)
    addMap("iterations", countIterations(structured));
  auto cost = cast<CostOpInterface>(op);
  addMap("flops", cost.countFlops(sizes));
  addMap("bytes", cost.countBytes(sizes));
  fields.push_back(b.getNamedAttr("reads", getNumbers(getRead(op))));
  fields.push_back(b.getNamedAttr("writes", getNumbers(op->getResults())));
  return b.getDictionaryAttr(fields);
}

/// Returns its bytes, and the numbers of the ops that use it: -1 for ops
/// without a number.
Attribute WorkTable::describeTensor(Value tensor) {
  SmallVector<int64_t> users;
  for (Operation *user : tensor.getUsers()) {
    auto number =
        user->getAttrOfType<IntegerAttr>(CodegenDialect::getWorkAttrName());
    users.push_back(number ? number.getInt() : -1);
  }
  llvm::sort(users);
  users.erase(llvm::unique(users), users.end());
  SmallVector<NamedAttribute> fields{
      b.getNamedAttr("users", b.getDenseI64ArrayAttr(users))};
  if (AffineMapAttr map = getMap(sizes.getNumBytes(tensor)))
    fields.push_back(b.getNamedAttr("bytes", map));
  return b.getDictionaryAttr(fields);
}

void WorkTable::build() {
  if (auto names = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getSymbolsAttrName()))
    for (auto [position, name] :
         llvm::enumerate(names.getAsValueRange<StringAttr>()))
      positions[name] = position;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) && !isMarkedLoop(op->getLoc()))
      op->setLoc(markLoop(op->getLoc()));
    if (!isWork(op))
      return;
    op->setAttr(CodegenDialect::getWorkAttrName(),
                b.getI64IntegerAttr(ops.size()));
    ops.push_back(op);
  });
  SmallVector<Attribute> records, described;
  for (Operation *op : ops)
    records.push_back(describe(op));
  for (Value tensor : tensors)
    described.push_back(describeTensor(tensor));
  function->setAttr(
      CodegenDialect::getWorkTableAttrName(),
      b.getArrayAttr({b.getArrayAttr(records), b.getArrayAttr(described)}));
}

namespace {
struct CountWork : impl::CountWorkBase<CountWork> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal() && function.getBody().hasOneBlock())
      WorkTable(function).build();
  }
};
} // namespace
} // namespace flywheel
