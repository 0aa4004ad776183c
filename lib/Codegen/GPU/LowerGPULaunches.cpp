//===- LowerGPULaunches.cpp - Launches as calls of the runtime ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_LOWERGPULAUNCHES
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

static constexpr StringLiteral kImageName = "flywheel.gpu.image",
                               kModuleName = "flywheel.gpu.module",
                               kLaunchName = "flywheel_gpu_launch";

/// Where the name of a kernel is, and where what was loaded of it.
static std::string getNameOf(StringRef kernel) {
  return ("flywheel.gpu.name." + kernel).str();
}
static std::string getSlotOf(StringRef kernel) {
  return ("flywheel.gpu.kernel." + kernel).str();
}

/// What the compiler writes for: the least that the newest chips need.
static constexpr StringLiteral kFeatures = "+ptx80";

static std::unique_ptr<llvm::TargetMachine> createMachine(StringRef chip,
                                                          std::string &error) {
  static const bool isInitialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)isInitialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, kFeatures, {}, {}, {}, llvm::CodeGenOptLevel::Aggressive));
}

/// The device code as bytes: PTX with its terminator, or bitcode behind its
/// size.
static FailureOr<std::string> makeImage(gpu::GPUModuleOp kernels,
                                        StringRef chip, bool isBitcode) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return kernels.emitError("device code cannot be written as LLVM IR");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip, error);
  if (!machine)
    return kernels.emitError() << error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (isBitcode) {
    llvm::WriteBitcodeToFile(*module, os);
    // Bitcode does not say where it ends.
    uint64_t size = bytes.size();
    std::string image(reinterpret_cast<const char *>(&size), sizeof(size));
    return image.append(bytes.begin(), bytes.end());
  }
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return kernels.emitError("LLVM cannot write PTX");
  passes.run(*module);
  bytes.push_back('\0');
  return std::string(bytes.begin(), bytes.end());
}

namespace {
/// A launch passes the places of its arguments, which are slots of the stack.
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
    auto addressOf = [&](StringRef symbol) -> Value {
      return LLVM::AddressOfOp::create(rewriter, loc, pointer, symbol);
    };
    StringRef kernel = launch.getKernelName();
    LLVM::CallOp::create(
        rewriter, loc, TypeRange(), kLaunchName,
        ValueRange{addressOf(kImageName), addressOf(kModuleName),
                   addressOf(getNameOf(kernel)), addressOf(getSlotOf(kernel)),
                   adaptor.getGridSizeX(), adaptor.getBlockSizeX(), list});
    rewriter.eraseOp(launch);
    return success();
  }

private:
  /// The slots are made once a call of the function, not once an iteration of
  /// a loop around the launch.
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
    FailureOr<std::string> bytes =
        makeImage(kernels, gpu.getChip(), gpu.getImage() == "bitcode");
    if (failed(bytes))
      return signalPassFailure();
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    addText(b, kImageName, *bytes, /*alignment=*/64);
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
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(&getContext()),
            {pointer, pointer, pointer, pointer, i64, i64, pointer}));
    lowerLaunches(module);
    kernels.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }

private:
  void addText(OpBuilder &b, StringRef name, StringRef text,
               uint64_t alignment) {
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                           /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           b.getStringAttr(text), alignment);
  }

  /// A pointer, null at first.
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
