//===- HostBackend.cpp - Steps that the host executes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/HostBackend.h"

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Driver/Pipelines.h"
#include "flywheel/Target/Object/TargetMachine.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"
#include "flywheel/Transforms/Partition/PartitionPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace flywheel;

BackendFeatures HostBackend::getHostFeatures() {
  BackendFeatures features;
  features.runsOnHost = true;
  features.sharesSteps = true;
  features.callsHost = true;
  features.keepsPrograms = true;
  return features;
}

bool HostBackend::takesDevice(StringRef device) const {
  return device == "cpu";
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

/// Returns the bits and the number of the vector registers of the widest vector
/// unit. An unknown machine counts as one with 16 registers of 128 bits.
static std::pair<int64_t, int64_t>
getVectorUnit(const llvm::Triple &triple, const llvm::MCSubtargetInfo *info) {
  if (triple.isX86()) {
    // Instructions of 32-bit code can name 8 registers, whatever their size.
    bool isNarrow = !triple.isArch64Bit();
    if (info && info->checkFeatures("+avx512f") &&
        info->checkFeatures("+avx512vl"))
      return {512, isNarrow ? 8 : 32};
    bool isWide = info && info->checkFeatures("+avx2");
    return {isWide ? 256 : 128, isNarrow ? 8 : 16};
  }
  if (info && triple.isAArch64())
    return {128, 32};
  return {128, 16};
}

/// Returns the extensions of the machine that kernels can use.
static SmallVector<StringRef> getFeatures(const llvm::Triple &triple,
                                          const llvm::MCSubtargetInfo *info) {
  SmallVector<StringRef> known;
  if (triple.isX86())
    known = {"amx-bf16", "amx-int8", "avx512bf16", "avx512fp16", "fma"};
  else if (triple.isAArch64())
    known = {"bf16", "fullfp16", "i8mm", "neon", "sve"};
  llvm::erase_if(known, [&](StringRef feature) {
    return !info || !info->checkFeatures(("+" + feature).str());
  });
  return known;
}

Attribute HostBackend::makeTarget(ModuleOp module,
                                  const TargetOptions &options) const {
  llvm::Triple machine(options.triple.empty() ? llvm::sys::getProcessTriple()
                                              : options.triple);
  std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtargetInfo(options);
  auto [bits, registers] = getVectorUnit(machine, info.get());
  MachineSizes sizes = getMachineSizes(options);
  Builder b(module.getContext());
  return codegen::CPUAttr::getChecked(
      [&] { return module.emitError(); }, module.getContext(), bits, registers,
      sizes.l1Bytes, sizes.l2Bytes, sizes.cores,
      b.getStrArrayAttr(::getFeatures(machine, info.get())));
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

void HostBackend::populatePlan(OpPassManager &pm,
                               const CompilerOptions &options) const {
  FitWorkspaceOptions plan = makePlanOptions(options);
  // Code that is not fused exists to be compared with: it shares no defect of
  // reused buffers, nor of split reductions.
  plan.reuseOperands = getInfo().features.fusesOps;
  if (plan.reuseOperands)
    pm.addNestedPass<func::FuncOp>(createEliminateResultCopies());
  if (options.memoryBudget) {
    pm.addNestedPass<func::FuncOp>(createFitWorkspace(plan));
    return;
  }
  if (plan.reuseOperands) {
    ReuseOperandBuffersOptions reuse;
    // A single worker waits for no other.
    if (plan.workers == 1)
      reuse.minBytes = kMinReusedBytes;
    pm.addNestedPass<func::FuncOp>(createReuseOperandBuffers(reuse));
  }
  if (plan.reuseOperands)
    pm.addNestedPass<func::FuncOp>(createSplitReductions());
  populateWorkspacePlan(pm, plan);
}
