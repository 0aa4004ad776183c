//===- LegalizeMaskedAccess.cpp - Masked accesses of 16-bit floats --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZEMASKEDACCESS
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

/// Returns the vector of integers with the bits of a vector of 16-bit floats;
/// null for any other type.
static VectorType getBitsType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !isa<Float16Type, BFloat16Type>(vector.getElementType()))
    return {};
  return VectorType::get(vector.getShape(),
                         IntegerType::get(type.getContext(), 16),
                         vector.getScalableDims());
}

static void loadAsIntegers(LLVM::MaskedLoadOp op) {
  Type type = op.getRes().getType();
  VectorType bits = getBitsType(type);
  if (!bits)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value passThrough = op.getPassThru();
  if (passThrough)
    passThrough = LLVM::BitcastOp::create(b, loc, bits, passThrough);
  Value loaded = LLVM::MaskedLoadOp::create(
      b, loc, bits, op.getData(), op.getMask(), passThrough,
      op.getAlignmentAttr(), op.getNontemporalAttr());
  op.getRes().replaceAllUsesWith(
      LLVM::BitcastOp::create(b, loc, type, loaded).getResult());
  op.erase();
}

static void storeAsIntegers(LLVM::MaskedStoreOp op) {
  VectorType bits = getBitsType(op.getValue().getType());
  if (!bits)
    return;
  OpBuilder b(op);
  op.getValueMutable().assign(
      LLVM::BitcastOp::create(b, op.getLoc(), bits, op.getValue()));
}

namespace {
struct LegalizeMaskedAccess
    : flywheel::impl::LegalizeMaskedAccessBase<LegalizeMaskedAccess> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
        loadAsIntegers(load);
      else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
        storeAsIntegers(store);
    });
  }
};
} // namespace
