//===- ConvertTosa.cpp - The flywheel-convert-tosa pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertTosa.h"

#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CONVERTTOSA
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

static bool isTosa(Operation *op) {
  return isa_and_present<tosa::TosaDialect>(op->getDialect());
}

/// Returns the first tosa op in `module` for which `matches` is true; null
/// without one.
static Operation *findTosa(ModuleOp module,
                           llvm::function_ref<bool(Operation *)> matches) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isTosa(op) || !matches(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Returns true if `op` has signed or unsigned integer types.
static bool hasSigns(Operation *op) {
  auto isSigned = [](Type type) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && !integer.isSignless();
  };
  return llvm::any_of(op->getOperandTypes(), isSigned) ||
         llvm::any_of(op->getResultTypes(), isSigned);
}

/// Returns true if `op` computes with booleans as numbers, which tosa does not
/// define.
static bool countsBooleans(Operation *op) {
  return isa<tosa::ApplyScaleOp, tosa::AvgPool2dOp, tosa::Conv2DOp,
             tosa::Conv3DOp, tosa::DepthwiseConv2DOp, tosa::GreaterOp,
             tosa::GreaterEqualOp, tosa::MaxPool2dOp, tosa::NegateOp,
             tosa::ReduceMaxOp, tosa::ReduceMinOp, tosa::RescaleOp,
             tosa::TransposeConv2DOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
}

/// Returns true if `op` shifts products by a number that is known only at run
/// time; upstream's lowering requires a constant.
static bool hasUnknownShift(Operation *op) {
  auto product = dyn_cast<tosa::MulOp>(op);
  return product && !matchPattern(product.getShift(), m_Constant());
}

/// Refuses `op` if its accumulator is narrower than its elements: the result
/// would be less exact than its type, or wrap.
static LogicalResult verifyAccumulator(Operation *op) {
  auto accumulator = op->getAttrOfType<TypeAttr>("acc_type");
  if (!accumulator)
    return success();
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (!element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() <=
          accumulator.getValue().getIntOrFloatBitWidth())
    return success();
  return op->emitOpError()
         << "is not supported with elements of type " << element
         << " and an accumulator of type " << accumulator.getValue()
         << ", which holds less: expected an op of 'linalg', such as "
            "'linalg.depthwise_conv_2d_nhwc_hwcm'";
}

namespace {
/// A tosa op as it was written.
struct WrittenOp {
  explicit WrittenOp(Operation *op)
      : loc(op->getLoc()), name(op->getName()), types(op->getOperandTypes()) {}

  void refuse() const {
    InFlightDiagnostic error = emitError(loc)
                               << "'" << name
                               << "' op is not supported with these types and "
                                  "attributes";
    if (!types.empty()) {
      error << "; operands are of ";
      llvm::interleaveComma(types, error);
    }
    error << "; docs/OpSupport.md lists what is";
  }

  Location loc;
  OperationName name;
  SmallVector<Type> types;
};

struct ConvertTosa : flywheel::impl::ConvertTosaBase<ConvertTosa> {
  void runOnOperation() override {
    auto any = [](Operation *) { return true; };
    if (!findTosa(getOperation(), any))
      return;
    written.clear();
    getOperation().walk([&](Operation *op) {
      if (isTosa(op))
        written.emplace_back(op);
    });
    Operation *undefined = findTosa(getOperation(), [](Operation *op) {
      return hasSigns(op) || countsBooleans(op) || hasUnknownShift(op);
    });
    if (undefined) {
      WrittenOp(undefined).refuse();
      return signalPassFailure();
    }
    Operation *narrow = findTosa(getOperation(), [](Operation *op) {
      return failed(verifyAccumulator(op));
    });
    if (narrow)
      return signalPassFailure();
    // Regions first: the yields of tosa's control flow belong to it.
    OpPassManager controlFlow(ModuleOp::getOperationName());
    OpPassManager &regions = controlFlow.nest<func::FuncOp>();
    regions.addPass(createTosaToSCFPass());
    regions.addPass(tosa::createTosaMakeBroadcastablePass());
    if (failed(runQuietly(controlFlow)))
      return signalPassFailure();

    lowerHere();

    OpPassManager rest(ModuleOp::getOperationName());
    OpPassManager &functions = rest.nest<func::FuncOp>();
    functions.addPass(tosa::createTosaOptionalDecompositionsPass());
    functions.addPass(tosa::createTosaToLinalgNamed());
    functions.addPass(tosa::createTosaToLinalg());
    TosaToArithPassOptions arith;
    arith.includeApplyRescale = true;
    functions.addPass(createTosaToArithPass(arith));
    functions.addPass(createTosaToTensorPass());
    functions.addPass(createCanonicalizerPass());
    if (failed(runQuietly(rest)))
      return signalPassFailure();
    if (Operation *left = findTosa(getOperation(), any)) {
      findWritten(left->getLoc(), left->getName().getStringRef()).refuse();
      signalPassFailure();
    }
  }

private:
  /// Replaces the ops that `lowerTosaOp` lowers.
  void lowerHere() {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isTosa(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (Value lowered = flywheel::lowerTosaOp(rewriter, op)) {
        rewriter.replaceOp(op, lowered);
        ++numLowered;
      }
    }
  }

  /// Runs upstream's lowerings, whose errors are replaced by our own.
  LogicalResult runQuietly(OpPassManager &pm) {
    SmallVector<std::pair<Location, std::string>> errors;
    LogicalResult result = success();
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &found) {
        if (found.getSeverity() == DiagnosticSeverity::Error)
          errors.emplace_back(found.getLocation(), found.str());
        return success();
      });
      result = runPipeline(pm, getOperation());
    }
    if (succeeded(result))
      return success();
    for (auto &[loc, text] : errors)
      if (isWrittenAt(loc)) {
        findWritten(loc, text).refuse();
        return failure();
      }
    Operation *left = findTosa(getOperation(), [](Operation *op) {
      return !isa<tosa::ConstOp, tosa::ConstShapeOp>(op);
    });
    if (left)
      findWritten(left->getLoc(), left->getName().getStringRef()).refuse();
    else
      written.front().refuse();
    return failure();
  }

  bool isWrittenAt(Location loc) const {
    return llvm::any_of(written,
                        [&](const WrittenOp &op) { return op.loc == loc; });
  }

  /// Returns the op that was written at `loc`; prefers one that `text` names.
  const WrittenOp &findWritten(Location loc, StringRef text) const {
    const WrittenOp *found = nullptr;
    for (const WrittenOp &op : written)
      if (op.loc == loc && (!found || text.contains(op.name.getStringRef())))
        found = &op;
    return found ? *found : written.front();
  }

  SmallVector<WrittenOp> written;
};
} // namespace
