//===- VerifySupportedOps.cpp - Refuse what has no lowering ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: the module that a user wrote. After: the same. Refuses, at the op,
// ops for which no later pass has a lowering, in the user's own terms: later
// errors are about bufferization and conversions.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Conversion/OpSupport.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYSUPPORTEDOPS
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

static LogicalResult verifyType(Operation *op, Type type, const Twine &what) {
  if (isSupportedType(type))
    return success();
  return op->emitOpError()
         << "is not supported for " << what << " of type " << type
         << ": expected ranked tensors, or single elements, of f16, bf16, f32, "
            "f64, index or integers of 1, 8, 16, 32 or 64 bits";
}

/// Returns true if upstream built `op` in the body of a named `linalg` op:
/// nobody wrote it, and the op around it has the same types.
static bool isImplied(Operation *op) {
  return isa<UnknownLoc>(op->getLoc()) &&
         isa_and_present<linalg::LinalgOp>(op->getParentOp()) &&
         !isa<UnknownLoc>(op->getParentOp()->getLoc());
}

/// Returns true if `op` has signed or unsigned integer types.
static bool hasSignedTypes(Operation *op) {
  auto isSigned = [](Type type) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && !integer.isSignless();
  };
  return llvm::any_of(op->getOperandTypes(), isSigned) ||
         llvm::any_of(op->getResultTypes(), isSigned);
}

/// Verifies that the module defines `resource` with the size of its type.
/// Upstream reads these bytes when it creates LLVM IR, too late for a message
/// with a location.
static LogicalResult verifyResource(Operation *op,
                                    DenseResourceElementsAttr resource) {
  StringRef name = resource.getRawHandle().getKey();
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return op->emitOpError() << "expected the module to define the resource '"
                             << name << "', found none of this name";
  ShapedType type = resource.getType();
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return success();
  int64_t width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  CheckedSize expected =
      getNumElements(type.getShape()) * llvm::divideCeil(width, 8);
  int64_t found = static_cast<int64_t>(blob->getData().size());
  if (expected.get() != found)
    return op->emitOpError() << "expected " << expected.getSaturated()
                             << " bytes in the resource '" << name
                             << "', for a " << type << ", found " << found;
  return success();
}

static LogicalResult verifyResources(Operation *op) {
  auto visit = [&](DenseResourceElementsAttr resource) {
    return WalkResult(verifyResource(op, resource));
  };
  return failure(op->getAttrDictionary().walk(visit).wasInterrupted());
}

static LogicalResult verifyOp(Operation *op) {
  if (isImplied(op))
    return success();
  if (failed(verifyResources(op)))
    return failure();
  std::string reason = getUnsupportedReason(op->getName());
  if (!reason.empty())
    return op->emitOpError() << "is not supported: " << reason
                             << "; docs/OpSupport.md lists what is";
  // Refused here, as upstream folds some of these to wrong numbers.
  if (op->getName().getDialectNamespace() == "tosa" && hasSignedTypes(op))
    return op->emitOpError()
           << "is not supported with integers that are signed or unsigned by "
              "their type: expected signless ones, as 'tensor.bitcast' makes";
  // Upstream accepts these types and has no lowering for them.
  auto isSigned = [](Type type) {
    return getElementTypeOrSelf(type).isSignedInteger();
  };
  if (op->getName().getStringRef() == "tensor.bitcast" &&
      (llvm::any_of(op->getOperandTypes(), isSigned) ||
       llvm::any_of(op->getResultTypes(), isSigned)))
    return op->emitOpError()
           << "is not supported from " << op->getOperand(0).getType() << " to "
           << op->getResult(0).getType()
           << ": expected integers that are signless or unsigned";
  // Its numbers are converted to a type that cannot hold them.
  if (op->getName().getStringRef() == "linalg.fill_rng_2d" &&
      llvm::any_of(op->getOperandTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isInteger(1);
      }))
    return op->emitOpError() << "is not supported with elements of type 'i1': "
                                "expected 'train.random' and a comparison";
  // Upstream creates a struct of the sum and the carry with elements of index.
  if (isa<arith::AddUIExtendedOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).isIndex())
    return op->emitOpError() << "is not supported for index: expected integers "
                                "of a width, as 'arith.index_cast' makes";
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(verifyType(op, type, "operand #" + Twine(i))))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifyType(op, type, "result #" + Twine(i))))
      return failure();
  for (Region &region : op->getRegions())
    for (auto [i, argument] : llvm::enumerate(region.getArguments()))
      if (failed(verifyType(op, argument.getType(), "argument #" + Twine(i))))
        return failure();
  return success();
}

/// Returns true if `op` may be in a module beside functions.
static bool isOfModule(Operation *op) {
  return isa<SymbolOpInterface>(op) || isa<train::CustomVjpOp>(op);
}

namespace {
struct VerifySupportedOps
    : flywheel::impl::VerifySupportedOpsBase<VerifySupportedOps> {
  using VerifySupportedOpsBase::VerifySupportedOpsBase;

  void runOnOperation() override {
    for (Operation *top : getCompiled()) {
      if (!isOfModule(top)) {
        top->emitOpError() << "is outside of any function: expected it in the "
                              "body of a 'func.func'";
        return signalPassFailure();
      }
      WalkResult verified = top->walk(
          // Inner ops first: their errors name the use of a type.
          [](Operation *op) { return WalkResult(verifyOp(op)); });
      if (verified.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

private:
  /// Returns the top-level ops that are compiled: all but functions that no
  /// entry reaches.
  SmallVector<Operation *> getCompiled() {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::SmallSetVector<Operation *, 16> reached;
    for (Operation &op : module.getOps()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function || isEntry(function))
        reached.insert(&op);
    }
    for (size_t i = 0; i < reached.size(); ++i) {
      std::optional<SymbolTable::UseRange> uses =
          SymbolTable::getSymbolUses(reached[i]);
      if (!uses)
        continue;
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *used =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          reached.insert(used);
    }
    return llvm::to_vector(reached);
  }

  bool isEntry(func::FuncOp function) {
    return entries.empty()
               ? function.isPublic()
               : llvm::is_contained(entries, function.getSymName().str());
  }
};
} // namespace
