//===- VerifySource.cpp - Ops that verifiers must not be given ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers of MLIR 22.1.8 crash, or read memory that is not theirs, on
// * indexing maps that divide by a number below 1, or whose constants overflow
//   at the bounds of a loop;
// * `tensor.concat dim(-1)`;
// * a static size of `tensor.pad`, `linalg.pack` or `linalg.unpack` that is
//   -9223372036854775808, which stands for an operand, without the operand;
// * reshapes with an empty group, `[[]]`;
// * `linalg.matmul indexing_maps = []`, and with a first map without results.
// mlir-opt shows each with the inputs of test/Driver/verify-source.test. The
// checks come between the parser and the verifiers; of the text, checkSource()
// checks what the parser itself does not survive.
//
// The parser folds constants of affine expressions modulo 2^64, as MLIR's folds
// do everywhere: `d0 * (4611686018427387904 * 4)` is `d0 * 0`. The constants of
// the program are only in the text then: to find them there is to parse such
// expressions once more, with the precedence of their operators.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/VerifySource.h"

#include "flywheel/Driver/CheckSource.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Returns an operation of `expr` by a constant that it must not have; null
/// without one. Large constants overflow in indexing maps alone, which are
/// evaluated at the bounds of loops.
static AffineBinaryOpExpr findWrong(AffineExpr expr, bool isIndexingMap) {
  AffineBinaryOpExpr found(nullptr);
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    auto constant = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                           : AffineConstantExpr();
    if (!constant)
      return;
    int64_t value = constant.getValue();
    bool isSum = binary.getKind() == AffineExprKind::Add ||
                 binary.getKind() == AffineExprKind::Mul;
    if (isSum ? isIndexingMap && (value > kMaxSize || value < -kMaxSize)
              : value < 1)
      found = binary;
  });
  return found;
}

static LogicalResult verifyExpr(Operation *op, AffineExpr expr, Attribute map,
                                bool isIndexingMap) {
  AffineBinaryOpExpr wrong = findWrong(expr, isIndexingMap);
  if (!wrong)
    return success();
  bool isSum = wrong.getKind() == AffineExprKind::Add ||
               wrong.getKind() == AffineExprKind::Mul;
  return op->emitOpError()
         << (isSum ? "expected constants from -2^56 to 2^56 in an indexing map"
                   : "expected a divisor of 1 or more in an affine expression")
         << ", found " << cast<AffineConstantExpr>(wrong.getRHS()).getValue()
         << " in " << map;
}

static LogicalResult verifyMaps(Operation *op, Attribute attribute,
                                bool isIndexingMap) {
  if (auto maps = dyn_cast_or_null<ArrayAttr>(attribute)) {
    for (Attribute map : maps)
      if (failed(verifyMaps(op, map, isIndexingMap)))
        return failure();
    return success();
  }
  ArrayRef<AffineExpr> exprs;
  if (auto map = dyn_cast_or_null<AffineMapAttr>(attribute))
    exprs = map.getValue().getResults();
  else if (auto set = dyn_cast_or_null<IntegerSetAttr>(attribute))
    exprs = set.getValue().getConstraints();
  for (AffineExpr expr : exprs)
    if (failed(verifyExpr(op, expr, attribute, isIndexingMap)))
      return failure();
  return success();
}

/// Verifies the maps and sets of `op`.
static LogicalResult verifyMaps(Operation *op) {
  bool isLinalg = isa_and_present<linalg::LinalgDialect>(op->getDialect());
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (failed(verifyMaps(op, attribute.getValue(),
                          isLinalg && attribute.getName() == "indexing_maps")))
      return failure();
  return success();
}

static LogicalResult verifyMatmul(linalg::MatmulOp op) {
  ArrayAttr maps = op.getIndexingMapsAttr();
  if (!maps)
    return success();
  auto first =
      maps.empty() ? AffineMapAttr() : dyn_cast<AffineMapAttr>(maps[0]);
  if (!maps.empty() && (!first || first.getValue().getNumResults() > 0))
    return success();
  return op->emitOpError() << "expected 3 indexing maps with results, found "
                           << (maps.empty() ? "none" : "one without a result");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static LogicalResult verifyConcat(tensor::ConcatOp op) {
  IntegerAttr dim = op.getDimAttr();
  if (!dim || dim.getInt() >= 0)
    return success();
  return op->emitOpError()
         << "expected a dimension of 0 or more as 'dim', found "
         << dim.getInt();
}

/// Verifies that at most `numOperands` of the sizes of `name` stand for an
/// operand.
static LogicalResult verifyDynamic(Operation *op, StringRef name,
                                   DenseI64ArrayAttr sizes,
                                   int32_t numOperands) {
  if (!sizes ||
      llvm::count_if(sizes.asArrayRef(), ShapedType::isDynamic) <= numOperands)
    return success();
  return op->emitOpError() << "expected an operand for each number of '" << name
                           << "' that is " << ShapedType::kDynamic
                           << ", which stands for one, found " << numOperands;
}

static LogicalResult verifyPad(tensor::PadOp op) {
  auto segments = op.getProperties().operandSegmentSizes;
  return success(
      succeeded(verifyDynamic(op, "low", op.getStaticLowAttr(), segments[1])) &&
      succeeded(
          verifyDynamic(op, "high", op.getStaticHighAttr(), segments[2])));
}

static LogicalResult verifyPack(linalg::PackOp op) {
  return verifyDynamic(op, "inner_tiles", op.getStaticInnerTilesAttr(),
                       op.getProperties().operandSegmentSizes.back());
}

/// The operands are the source, the destination and sizes of tiles.
static LogicalResult verifyUnPack(linalg::UnPackOp op) {
  return verifyDynamic(
      op, "inner_tiles", op.getStaticInnerTilesAttr(),
      std::max(0, static_cast<int32_t>(op->getNumOperands()) - 2));
}

template <typename OpTy> static LogicalResult verifyGroups(OpTy op) {
  ArrayAttr groups = op.getReassociationAttr();
  if (!groups || llvm::none_of(groups, [](Attribute group) {
        auto dims = dyn_cast<ArrayAttr>(group);
        return dims && dims.empty();
      }))
    return success();
  return op->emitOpError() << "expected groups of one dimension or more, such "
                              "as [[0, 1], [2]], found an empty one";
}

LogicalResult flywheel::verifySource(Operation *root) {
  WalkResult verified = root->walk([](Operation *op) {
    if (failed(verifyMaps(op)))
      return WalkResult::interrupt();
    return WalkResult(
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<linalg::MatmulOp>(verifyMatmul)
            .Case<linalg::PackOp>(verifyPack)
            .Case<linalg::UnPackOp>(verifyUnPack)
            .Case<tensor::ConcatOp>(verifyConcat)
            .Case<tensor::PadOp>(verifyPad)
            .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                  memref::ExpandShapeOp, memref::CollapseShapeOp>(
                [](auto reshape) { return verifyGroups(reshape); })
            .Default([](Operation *) { return success(); }));
  });
  return failure(verified.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

LogicalResult flywheel::verifyTokens(MLIRContext &context,
                                     llvm::MemoryBufferRef text) {
  std::optional<SourceProblem> problem = checkSource(text.getBuffer());
  if (!problem)
    return success();
  StringRef before(text.getBufferStart(),
                   problem->position - text.getBufferStart());
  return emitError(FileLineColLoc::get(&context, text.getBufferIdentifier(),
                                       before.count('\n') + 1,
                                       before.size() - before.rfind('\n')))
         << problem->message;
}

LogicalResult
flywheel::forEachModule(StringRef text, StringRef splitMarker,
                        function_ref<LogicalResult(StringRef)> use) {
  SmallVector<StringRef> parts = {text};
  if (!splitMarker.empty()) {
    parts.clear();
    text.split(parts, splitMarker);
  }
  size_t line = 0;
  for (StringRef part : parts) {
    if (failed(use(std::string(line, '\n') + part.str())))
      return failure();
    line += part.count('\n');
  }
  return success();
}

LogicalResult flywheel::verifyText(MLIRContext &context,
                                   llvm::MemoryBufferRef text,
                                   StringRef splitMarker) {
  if (failed(verifyTokens(context, text)))
    return failure();
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto verify = [&](StringRef module) {
    Block block;
    {
      ScopedDiagnosticHandler silent(&context,
                                     [](Diagnostic &) { return success(); });
      if (failed(parseSourceString(module, &block, config,
                                   text.getBufferIdentifier())))
        return success();
    }
    return success(llvm::all_of(
        block, [](Operation &op) { return succeeded(verifySource(&op)); }));
  };
  return forEachModule(text.getBuffer(), splitMarker, verify);
}
