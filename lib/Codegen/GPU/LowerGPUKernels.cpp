//===- LowerGPUKernels.cpp - Device code in the NVVM dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERGPUKERNELS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Whether the device has instructions for it: anything else would be a call of
/// a library that is not there.
static bool hasInstructions(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::SqrtOp, math::TruncOp>(op);
}

namespace {
struct LowerGPUKernels : flywheel::impl::LowerGPUKernelsBase<LowerGPUKernels> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    WalkResult known = kernels.walk([&](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()) ||
          hasInstructions(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName() << "' of "
                      << op->getResult(0).getType()
                      << " has no form on the GPU";
      return WalkResult::interrupt();
    });
    if (known.wasInterrupted())
      return signalPassFailure();

    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(context);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    // In front of those that call the library of device code.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/10);
    LLVMConversionTarget target(*context);
    // Upstream's rules of what is legal want calls where there are
    // instructions.
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, math::MathDialect,
                             memref::MemRefDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(kernels, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
