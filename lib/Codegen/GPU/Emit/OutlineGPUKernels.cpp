//===- OutlineGPUKernels.cpp - Launches of functions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Report/LaunchTraffic.h"
#include "../Schedule/BlockNumbers.h"
#include "BlockEmitter.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_OUTLINEGPUKERNELS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// The least number of blocks with more than half of the workgroup memory that
/// run side by side, whose threads may have 128 registers each: `ptxas` would
/// spill registers to have room for one more.
static constexpr int64_t kLeastBlocks = 2;

/// Returns the bytes of workgroup memory of a block of `launch`.
static int64_t countWorkgroupBytes(gpu::LaunchOp launch) {
  int64_t bytes = 0;
  for (BlockArgument argument : launch.getWorkgroupAttributions())
    bytes += flywheel::countBufferBytes(argument);
  return bytes;
}

/// Returns true if a kernel computes `op` itself instead of taking its result
/// as an argument.
static bool isSunk(Operation *op) {
  return isa<arith::ConstantOp, memref::DimOp>(op);
}

/// Returns a name such as `train_step_matmul_3`, in letters that PTX allows.
static std::string makeName(gpu::LaunchOp launch, StringRef entry,
                            unsigned number) {
  StringRef source = flywheel::getSourceOpName(launch);
  source =
      source.rsplit('.').second.empty() ? source : source.rsplit('.').second;
  std::string name = (entry + "_" + source + "_" + Twine(number)).str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter))
      letter = '_';
  return name;
}

namespace {
struct OutlineGPUKernels
    : flywheel::impl::OutlineGPUKernelsBase<OutlineGPUKernels> {
  using OutlineGPUKernelsBase::OutlineGPUKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    gpu::GPUModuleOp kernels;
    SymbolTable outer(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      unsigned number = 0;
      StringRef entry = function.getName();
      entry.consume_back(".kernel");
      WalkResult result = function.walk([&](gpu::LaunchOp launch) {
        if (!kernels) {
          OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
          kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
        }
        if (failed(sinkOperationsIntoLaunchOp(launch, isSunk)))
          return WalkResult::interrupt();
        outline(launch, kernels, makeName(launch, entry, number++));
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    if (kernels)
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }

private:
  void outline(gpu::LaunchOp launch, gpu::GPUModuleOp kernels, StringRef name) {
    if (report)
      describe(launch, name);
    SmallVector<Value> operands;
    bool isLarge =
        countWorkgroupBytes(launch) > flywheel::WorkgroupBytes(launch).all / 2;
    gpu::GPUFuncOp kernel = outlineKernelFunc(launch, name, operands);
    if (isLarge)
      kernel->setAttr(
          NVVM::NVVMDialect::getMinctasmAttrName(),
          IntegerAttr::get(IntegerType::get(&getContext(), 32), kLeastBlocks));
    SymbolTable(kernels).insert(kernel);
    for (unsigned i = 0; i < kernel.getNumWorkgroupAttributions(); ++i)
      kernel.setWorkgroupAttributionAttr(
          i, LLVM::LLVMDialect::getAlignAttrName(),
          IntegerAttr::get(IntegerType::get(&getContext(), 64),
                           flywheel::kWorkgroupAlignment));
    OpBuilder b(launch);
    auto outlined = gpu::LaunchFuncOp::create(
        b, launch.getLoc(), kernel, launch.getGridSizeOperandValues(),
        launch.getBlockSizeOperandValues(),
        /*dynamicSharedMemorySize=*/Value(), operands);
    StringRef traffic = flywheel::codegen::CodegenDialect::getTrafficAttrName();
    if (Attribute known = launch->getAttr(traffic))
      outlined->setAttr(traffic, known);
    launch.erase();
  }

  /// Emits a remark with the traffic of the launch of the kernel `name`.
  void describe(gpu::LaunchOp launch, StringRef name) {
    auto traffic = launch->getAttrOfType<flywheel::codegen::TrafficAttr>(
        flywheel::codegen::CodegenDialect::getTrafficAttrName());
    if (!traffic)
      return;
    int64_t shared = countWorkgroupBytes(launch);
    std::optional<int64_t> blocks = getConstantIntValue(launch.getGridSizeX());
    std::optional<int64_t> threads =
        getConstantIntValue(launch.getBlockSizeX());
    launch.emitRemark() << "kernel '" << name << "': blocks "
                        << (blocks ? std::to_string(*blocks) : "unknown")
                        << ", threads " << threads.value_or(0)
                        << ", bytes read " << traffic.getRead() << ", written "
                        << traffic.getWritten() << ", accessed "
                        << traffic.getAccessed() << ", flops "
                        << traffic.getFlops() << ", workgroup bytes " << shared;
  }
};
} // namespace
