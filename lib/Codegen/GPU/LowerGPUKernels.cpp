//===- LowerGPUKernels.cpp - Device code in the NVVM dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace flywheel;

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
/// On AMD sizes of grids are in the packet that has launched them: upstream
/// calls a library. Offsets are those of HSA's dispatch packet.
template <typename OpTy> struct SizeOfPacket : ConvertOpToLLVMPattern<OpTy> {
  SizeOfPacket(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<OpTy>(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto dimension = static_cast<int32_t>(op.getDimension());
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext(), 4);
    Value packet =
        LLVM::CallIntrinsicOp::create(
            rewriter, loc, Type(pointer),
            rewriter.getStringAttr("llvm.amdgcn.dispatch.ptr"), ValueRange())
            .getResults();
    auto read = [&](Type type, int32_t offset) -> Value {
      Value place =
          LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI8Type(),
                              packet, ArrayRef<LLVM::GEPArg>{offset});
      Value number = LLVM::LoadOp::create(rewriter, loc, type, place);
      return LLVM::ZExtOp::create(rewriter, loc, rewriter.getI64Type(), number);
    };
    Value threads = read(rewriter.getIntegerType(16), 4 + 2 * dimension);
    if (std::is_same_v<OpTy, gpu::GridDimOp>)
      threads = LLVM::UDivOp::create(
          rewriter, loc, read(rewriter.getI32Type(), 12 + 4 * dimension),
          threads);
    rewriter.replaceOp(op, threads);
    return success();
  }
};

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
    RewritePatternSet patterns(context);
    if (failed(populateTarget(converter, patterns)))
      return signalPassFailure();
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
    target.addLegalDialect<NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, math::MathDialect,
                             memref::MemRefDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(kernels, target, std::move(patterns))))
      signalPassFailure();
  }

private:
  /// What is the target's own: memory spaces, and where a thread is.
  LogicalResult populateTarget(LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
    codegen::GPUAttr gpu = codegen::lookupGPU(getOperation());
    StringRef chip = gpu ? gpu.getChip().getValue() : "";
    if (!chip.starts_with("gfx")) {
      configureGpuToNVVMTypeConverter(converter);
      populateGpuToNVVMConversionPatterns(converter, patterns);
      return success();
    }
    FailureOr<amdgpu::Chipset> chipset = amdgpu::Chipset::parse(chip);
    if (failed(chipset))
      return getOperation().emitError() << "'" << chip << "' is no chip of AMD";
    populateGpuMemorySpaceAttributeConversions(
        converter, [](gpu::AddressSpace space) -> unsigned {
          switch (space) {
          case gpu::AddressSpace::Workgroup:
            return 3;
          case gpu::AddressSpace::Private:
            return 5;
          default:
            return 1;
          }
        });
    populateGpuToROCDLConversionPatterns(converter, patterns,
                                         gpu::amd::Runtime::HIP, *chipset);
    patterns.add<SizeOfPacket<gpu::BlockDimOp>, SizeOfPacket<gpu::GridDimOp>>(
        converter);
    return success();
  }
};
} // namespace
