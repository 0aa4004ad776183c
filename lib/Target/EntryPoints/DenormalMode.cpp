//===- DenormalMode.cpp - Flush denormal numbers in a step ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenormalMode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace flywheel;

/// MXCSR: flush results to zero (bit 15), take denormal operands as zero (6).
constexpr int64_t kX86Flush = 0x8040;
/// FPCR.FZ, both.
constexpr int64_t kAArch64Flush = 1 << 24;

std::optional<DenormalControl> flywheel::parseDenormalControl(StringRef name) {
  return llvm::StringSwitch<std::optional<DenormalControl>>(name)
      .Case("", DenormalControl::None)
      .Case("x86", DenormalControl::X86)
      .Case("aarch64", DenormalControl::AArch64)
      .Default(std::nullopt);
}

static void callIntrinsic(OpBuilder &b, Location loc, StringRef name,
                          Value operand) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name),
                                ValueRange{operand});
}

Value flywheel::emitFlushDenormals(OpBuilder &b, Location loc,
                                   DenormalControl control, Value slots) {
  if (control == DenormalControl::None)
    return {};
  if (control == DenormalControl::AArch64) {
    Type i64 = b.getI64Type();
    Value saved =
        LLVM::CallIntrinsicOp::create(
            b, loc, i64, b.getStringAttr("llvm.aarch64.get.fpcr"), ValueRange{})
            .getResult(0);
    Value bit = LLVM::ConstantOp::create(b, loc, i64,
                                         b.getI64IntegerAttr(kAArch64Flush));
    callIntrinsic(b, loc, "llvm.aarch64.set.fpcr",
                  LLVM::OrOp::create(b, loc, saved, bit));
    return saved;
  }
  Type i32 = b.getI32Type();
  callIntrinsic(b, loc, "llvm.x86.sse.stmxcsr", slots);
  Value mode = LLVM::LoadOp::create(b, loc, i32, slots);
  Value bits =
      LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(kX86Flush));
  Value second = LLVM::GEPOp::create(b, loc, slots.getType(), i32, slots,
                                     ArrayRef<LLVM::GEPArg>{1});
  LLVM::StoreOp::create(b, loc, LLVM::OrOp::create(b, loc, mode, bits), second);
  callIntrinsic(b, loc, "llvm.x86.sse.ldmxcsr", second);
  return slots;
}

void flywheel::emitRestoreDenormals(OpBuilder &b, Location loc,
                                    DenormalControl control, Value saved) {
  if (control == DenormalControl::AArch64)
    callIntrinsic(b, loc, "llvm.aarch64.set.fpcr", saved);
  else if (control == DenormalControl::X86)
    callIntrinsic(b, loc, "llvm.x86.sse.ldmxcsr", saved);
}
