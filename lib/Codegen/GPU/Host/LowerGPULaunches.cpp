//===- LowerGPULaunches.cpp - Launches as calls of the runtime ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emit/DeviceCode.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_LOWERGPULAUNCHES
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

static constexpr StringLiteral kImageName = "flywheel.gpu.image",
                               kImagesName = "flywheel.gpu.images",
                               kModuleName = "flywheel.gpu.module",
                               kLaunchName = "flywheel_gpu_launch";

/// Return the symbols of the global that holds the name of `kernel`, and of the
/// slot of the loaded function.
static std::string getNameOf(StringRef kernel) {
  return ("flywheel.gpu.name." + kernel).str();
}
static std::string getSlotOf(StringRef kernel) {
  return ("flywheel.gpu.kernel." + kernel).str();
}
/// Returns the symbol of the global with the size in bytes of each argument.
static std::string getBytesOf(StringRef kernel) {
  return ("flywheel.gpu.bytes." + kernel).str();
}

namespace {
/// A launch passes the addresses of its arguments, which are slots of the
/// stack.
struct LaunchLowering : ConvertOpToLLVMPattern<gpu::LaunchFuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::LaunchFuncOp launch, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = launch.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    SmallVector<Value> arguments = getTypeConverter()->promoteOperands(
        loc, launch.getKernelOperands(), adaptor.getKernelOperands(), rewriter);
    Value list = fillSlots(launch, arguments, rewriter);
    Value zero = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                          rewriter.getI64IntegerAttr(0));
    Value dynamicBytes = zero;
    if (Value given = adaptor.getDynamicSharedMemorySize())
      dynamicBytes =
          LLVM::ZExtOp::create(rewriter, loc, rewriter.getI64Type(), given);
    auto addressOf = [&](StringRef symbol) -> Value {
      return LLVM::AddressOfOp::create(rewriter, loc, pointer, symbol);
    };
    StringRef kernel = launch.getKernelName();
    addBytes(launch, kernel, arguments, rewriter);
    Value count = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI64Type(),
        rewriter.getI64IntegerAttr(static_cast<int64_t>(arguments.size())));
    LLVM::CallOp::create(
        rewriter, loc, TypeRange(), kLaunchName,
        ValueRange{addressOf(kImagesName), addressOf(kModuleName),
                   addressOf(getNameOf(kernel)), addressOf(getSlotOf(kernel)),
                   adaptor.getGridSizeX(), adaptor.getBlockSizeX(),
                   dynamicBytes, list, addressOf(getBytesOf(kernel)), count});
    rewriter.eraseOp(launch);
    return success();
  }

private:
  /// Adds a table of the sizes in bytes of the arguments in memory.
  void addBytes(gpu::LaunchFuncOp launch, StringRef kernel,
                ValueRange arguments,
                ConversionPatternRewriter &rewriter) const {
    auto module = launch->getParentOfType<ModuleOp>();
    std::string name = getBytesOf(kernel);
    if (module.lookupSymbol(name))
      return;
    DataLayout layout(module);
    SmallVector<int32_t> bytes;
    for (Value argument : arguments)
      bytes.push_back(
          static_cast<int32_t>(layout.getTypeSize(argument.getType())));
    // An array must have an element.
    if (bytes.empty())
      bytes.push_back(0);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(rewriter.getI32Type(), bytes.size());
    LLVM::GlobalOp::create(rewriter, launch.getLoc(), type,
                           /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           rewriter.getI32TensorAttr(bytes));
  }

  /// Stores the arguments in slots, which are allocated once per call of the
  /// function, not once per iteration of a loop around the launch.
  Value fillSlots(gpu::LaunchFuncOp launch, ValueRange arguments,
                  ConversionPatternRewriter &rewriter) const {
    Location loc = launch.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    Block &entry = launch->getParentOfType<func::FuncOp>().getBody().front();
    auto allocate = [&](Type type, int64_t count) -> Value {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&entry);
      Value number =
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                   rewriter.getI64IntegerAttr(count));
      return LLVM::AllocaOp::create(rewriter, loc, pointer, type, number);
    };
    Value list = allocate(pointer, std::max<int64_t>(arguments.size(), 1));
    for (auto [number, argument] : llvm::enumerate(arguments)) {
      Value slot = allocate(argument.getType(), 1);
      LLVM::StoreOp::create(rewriter, loc, argument, slot);
      Value place = LLVM::GEPOp::create(
          rewriter, loc, pointer, pointer, list,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
      LLVM::StoreOp::create(rewriter, loc, slot, place);
    }
    return list;
  }
};

struct LowerGPULaunches
    : flywheel::impl::LowerGPULaunchesBase<LowerGPULaunches> {
  using LowerGPULaunchesBase::LowerGPULaunchesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<gpu::GPUModuleOp> modules(module.getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    if (modules.size() != 1) {
      modules.back().emitOpError("expected one module of device code");
      return signalPassFailure();
    }
    codegen::GPUAttr gpu = codegen::lookupGPU(module);
    if (!gpu) {
      module.emitError("expected a module whose 'codegen.target' is a GPU");
      return signalPassFailure();
    }
    gpu::GPUModuleOp kernels = modules.front();
    FailureOr<std::vector<DeviceImage>> images =
        makeDeviceImages(kernels, gpu, {forObject, ptxas, lld, report});
    if (failed(images))
      return signalPassFailure();
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    addImages(b, *images);
    addSlot(b, kModuleName);
    for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
      StringRef name = kernel.getName();
      addText(b, getNameOf(name), std::string(name) + '\0', /*alignment=*/1);
      addSlot(b, getSlotOf(name));
    }
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    LLVM::LLVMFuncOp::create(
        b, module.getLoc(), kLaunchName,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    {pointer, pointer, pointer, pointer, i64,
                                     i64, i64, pointer, pointer, i64}));
    lowerLaunches(module);
    kernels.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }

private:
  /// Adds each image as bytes, and the table that the runtime chooses from.
  void addImages(OpBuilder &b, ArrayRef<DeviceImage> images) {
    Location loc = getOperation().getLoc();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto entry =
        LLVM::LLVMStructType::getLiteral(&getContext(), {pointer, i32, i32});
    auto list = LLVM::LLVMArrayType::get(entry, images.size());
    auto table = LLVM::LLVMStructType::getLiteral(&getContext(), {i64, list});
    std::vector<std::string> names;
    for (auto [number, image] : llvm::enumerate(images)) {
      names.push_back(kImageName.str() +
                      (number ? "." + std::to_string(number) : ""));
      addText(b, names.back(), image.bytes, /*alignment=*/64);
    }
    auto global = LLVM::GlobalOp::create(b, loc, table, /*isConstant=*/true,
                                         LLVM::Linkage::Internal, kImagesName,
                                         /*value=*/Attribute());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    Value value = LLVM::UndefOp::create(b, loc, table);
    auto insert = [&](Value part, ArrayRef<int64_t> place) {
      value = LLVM::InsertValueOp::create(b, loc, value, part, place);
    };
    auto number = [&](Type type, int64_t what) -> Value {
      return LLVM::ConstantOp::create(b, loc, type,
                                      b.getIntegerAttr(type, what));
    };
    insert(number(i64, static_cast<int64_t>(images.size())), {0});
    for (auto [at, image] : llvm::enumerate(images)) {
      auto place = static_cast<int64_t>(at);
      insert(LLVM::AddressOfOp::create(b, loc, pointer, names[at]),
             {1, place, 0});
      insert(number(i32, image.chip), {1, place, 1});
      insert(number(i32, static_cast<int64_t>(image.kind)), {1, place, 2});
    }
    LLVM::ReturnOp::create(b, loc, value);
  }

  void addText(OpBuilder &b, StringRef name, StringRef text,
               uint64_t alignment) {
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                           /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           b.getStringAttr(text), alignment);
  }

  /// Adds a pointer, null at first.
  void addSlot(OpBuilder &b, StringRef name) {
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto slot = LLVM::GlobalOp::create(
        b, getOperation().getLoc(), pointer, /*isConstant=*/false,
        LLVM::Linkage::Internal, name, /*value=*/Attribute());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&slot.getInitializerRegion());
    Value null = LLVM::ZeroOp::create(b, slot.getLoc(), pointer);
    LLVM::ReturnOp::create(b, slot.getLoc(), null);
  }

  void lowerLaunches(ModuleOp module) {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    patterns.add<LaunchLowering>(converter);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<gpu::LaunchFuncOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
