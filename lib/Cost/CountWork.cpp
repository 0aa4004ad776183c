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
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

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
  DictionaryAttr describe(linalg::LinalgOp op);
  Attribute describeTensor(Value tensor);
  DenseI64ArrayAttr getNumbers(ValueRange values);
  /// `expr` over the symbolic dimension sizes of the entry; none where it has
  /// others.
  AffineMapAttr getMap(const SizeExpr &expr);
  SizeExpr countIterations(linalg::LinalgOp op);

  func::FuncOp function;
  Builder b;
  EntrySymbols symbols;
  llvm::StringMap<int64_t> bindings;
  EntrySizes sizes;
  StepPhases phases;
  llvm::SetVector<Value> tensors;
  /// Where each symbol of `symbols` is among those of the manifest.
  llvm::StringMap<unsigned> positions;
};
} // namespace

AffineMapAttr WorkTable::getMap(const SizeExpr &expr) {
  AffineExpr sum = b.getAffineConstantExpr(0);
  for (const auto &[monomial, coefficient] : expr.getTerms()) {
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

SizeExpr WorkTable::countIterations(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SizeExpr points = SizeExpr::constant(1);
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    Value value;
    unsigned dim = 0;
    if (!ShapedType::isDynamic(range))
      points = points * SizeExpr::constant(range);
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

DictionaryAttr WorkTable::describe(linalg::LinalgOp op) {
  Phase phase = phases.get(op);
  std::string source = getSourceOpName(op).str();
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>())
    source += " at " + place.getFilename().str() + ":" +
              std::to_string(place.getLine()) + ":" +
              std::to_string(place.getColumn());
  std::string what = getSourceOpName(op).rsplit('.').second.str();
  if (isMarkedBackward(op.getLoc()))
    what += "_grad";
  SmallVector<NamedAttribute> fields{
      b.getNamedAttr("what", b.getStringAttr(what)),
      b.getNamedAttr("source", b.getStringAttr(source)),
      b.getNamedAttr("phase", b.getStringAttr(getPhaseName(phase))),
      b.getNamedAttr("contraction",
                     b.getBoolAttr(linalg::isaContractionOpInterface(op) ||
                                   linalg::isaConvolutionOpInterface(op)))};
  auto addMap = [&](StringRef key, const SizeExpr &expr) {
    if (AffineMapAttr map = getMap(expr))
      fields.push_back(b.getNamedAttr(key, map));
  };
  addMap("iterations", countIterations(op));
  auto cost = cast<CostOpInterface>(op.getOperation());
  addMap("flops", cost.countFlops(sizes));
  addMap("bytes", cost.countBytes(sizes));
  // What the body does not read of a destination is not read.
  SmallVector<Value> read;
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      read.push_back(operand.get());
  fields.push_back(b.getNamedAttr("reads", getNumbers(read)));
  fields.push_back(b.getNamedAttr("writes", getNumbers(op->getResults())));
  return b.getDictionaryAttr(fields);
}

/// Its bytes, and which ops use it: -1 for what has no number.
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
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) && !isMarkedLoop(op->getLoc()))
      op->setLoc(markLoop(op->getLoc()));
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || !isa<CostOpInterface>(op) ||
        !structured.hasPureTensorSemantics())
      return;
    op->setAttr(CodegenDialect::getWorkAttrName(),
                b.getI64IntegerAttr(ops.size()));
    ops.push_back(structured);
  });
  SmallVector<Attribute> records, described;
  for (linalg::LinalgOp op : ops)
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
