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
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_LOWERGPUKERNELS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Returns true if the device has instructions for `op`: any other op would
/// call a library that does not exist there.
static bool hasInstructions(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::SqrtOp, math::TruncOp>(op);
}

namespace {
/// Lowers products of fragments of bf16, which upstream does not lower: words
/// of two numbers are passed as integers.
struct LowerBF16Products : ConvertOpToLLVMPattern<nvgpu::MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getMatrixA().getType()).isBF16())
      return b.notifyMatchFailure(op, "not of bf16");
    Location loc = op.getLoc();
    auto getRows = [&](Value fragment) {
      SmallVector<Value> rows;
      auto type = cast<LLVM::LLVMArrayType>(fragment.getType());
      for (int64_t i = 0, count = type.getNumElements(); i < count; ++i)
        rows.push_back(LLVM::ExtractValueOp::create(b, loc, fragment, i));
      return rows;
    };
    auto getWords = [&](Value fragment) {
      SmallVector<Value> words;
      for (Value row : getRows(fragment))
        words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), row));
      return words;
    };
    auto indexOf = [&](int64_t number) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64Type(), number);
    };
    SmallVector<Value> sums;
    for (Value row : getRows(adaptor.getMatrixC()))
      for (int64_t odd : {0, 1})
        sums.push_back(
            LLVM::ExtractElementOp::create(b, loc, row, indexOf(odd)));
    Type f32 = b.getF32Type();
    auto record = LLVM::LLVMStructType::getLiteral(
        getContext(), SmallVector<Type>(sums.size(), f32));
    std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
    Value product = NVVM::MmaOp::create(
        b, loc, record, getWords(adaptor.getMatrixA()),
        getWords(adaptor.getMatrixB()), sums, shape,
        /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
        std::array{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    Value result = LLVM::PoisonOp::create(
        b, loc, getTypeConverter()->convertType(op.getType()));
    for (int64_t i = 0, rows = sums.size() / 2; i < rows; ++i) {
      Value row = LLVM::PoisonOp::create(b, loc, VectorType::get({2}, f32));
      for (int64_t odd : {0, 1}) {
        Value number =
            LLVM::ExtractValueOp::create(b, loc, product, 2 * i + odd);
        row = LLVM::InsertElementOp::create(b, loc, row, number, indexOf(odd));
      }
      result = LLVM::InsertValueOp::create(b, loc, result, row, i);
    }
    b.replaceOp(op, result);
    return success();
  }
};

/// On AMD the sizes of grids are in the packet that launched them: upstream
/// calls a library instead. Offsets are those of HSA's dispatch packet.
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
    // Canonicalization creates vectors of several dimensions at once.
    RewritePatternSet unroll(context);
    vector::populateVectorFromElementsUnrollPatterns(unroll);
    vector::populateVectorToElementsUnrollPatterns(unroll);
    if (failed(applyPatternsGreedily(kernels, std::move(unroll))))
      return signalPassFailure();

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
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    patterns.add<LowerBF16Products>(converter, /*benefit=*/PatternBenefit(10));
    // With precedence over patterns that call the library of device code.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/10);
    LLVMConversionTarget target(*context);
    // Upstream's rules of legality require calls although there are
    // instructions.
    target.addLegalDialect<NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, math::MathDialect,
                             memref::MemRefDialect, nvgpu::NVGPUDialect,
                             ub::UBDialect, vector::VectorDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(kernels, target, std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Adds conversions that depend on the target: memory spaces and thread
  /// indices.
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
      return getOperation().emitError()
             << "'" << chip << "' is not a chip of AMD";
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
