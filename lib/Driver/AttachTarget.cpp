//===- AttachTarget.cpp - Describe the target in the module ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: it has a `codegen.target`, unless it had one.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "mlir/IR/Builders.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ATTACHTARGET
#include "flywheel/Driver/DriverPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

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

namespace {
struct AttachTarget : flywheel::impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    StringRef name = codegen::CodegenDialect::getTargetAttrName();
    if (getOperation()->hasAttr(name))
      return;
    TargetOptions options{triple,  cpu,   features, l1Bytes,
                          l2Bytes, cores, device,   ""};
    CodegenOptions code;
    code.target = options;
    if (llvm::Expected<std::unique_ptr<llvm::TargetMachine>> known =
            createTargetMachine(code);
        !known) {
      getOperation().emitError() << llvm::toString(known.takeError());
      return signalPassFailure();
    }
    if (options.isForGPU()) {
      codegen::GPUAttr gpu = parseGPU(device);
      if (!gpu)
        return signalPassFailure();
      getOperation()->setAttr(name, gpu);
      return;
    }
    llvm::Triple machine(options.triple.empty() ? llvm::sys::getProcessTriple()
                                                : options.triple);
    std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtargetInfo(options);
    auto [bits, registers] = getVectorUnit(machine, info.get());
    MachineSizes sizes = getMachineSizes(options);
    Builder b(&getContext());
    auto attribute = codegen::CPUAttr::getChecked(
        [&] { return getOperation().emitError(); }, &getContext(), bits,
        registers, sizes.l1Bytes, sizes.l2Bytes, sizes.cores,
        b.getStrArrayAttr(getFeatures(machine, info.get())));
    if (!attribute)
      return signalPassFailure();
    getOperation()->setAttr(name, attribute);
  }

private:
  /// Parses `cuda:sm_90a:ptx`, `cuda:sm_80,sm_90a` or `rocm:gfx942`; chips of
  /// NVIDIA may be followed by `+tf32`. Emits an error and returns null for any
  /// other text.
  codegen::GPUAttr parseGPU(StringRef text) {
    SmallVector<StringRef> parts, chips;
    text.split(parts, ':');
    bool usesTF32 =
        parts[std::min<size_t>(parts.size(), 2) - 1].consume_back("+tf32");
    auto emitError = [&] {
      return getOperation().emitError()
             << "'" << text << "' is no device such as cuda:sm_90a: ";
    };
    bool isAMD = parts.front() == "rocm";
    if ((parts.front() != "cuda" && !isAMD) || parts.size() > 3) {
      emitError() << "expected cpu, cuda[:CHIP][+tf32] or rocm[:CHIP]";
      return {};
    }
    StringRef given = parts.size() > 1 ? parts[1] : isAMD ? "gfx942" : "sm_80";
    given.split(chips, ',');
    // Kernels are compiled for the lowest of the chips.
    llvm::sort(chips, [](StringRef a, StringRef b) {
      return getNumber(a) < getNumber(b);
    });
    Builder b(&getContext());
    ArrayAttr others;
    if (chips.size() > 1)
      others = b.getStrArrayAttr(ArrayRef(chips).drop_front());
    StringRef image = parts.size() > 2 ? parts[2] : isAMD ? "hsaco" : "ptx";
    auto gpu = codegen::GPUAttr::getChecked(
        emitError, &getContext(), b.getStringAttr(chips.front()),
        b.getStringAttr(image), usesTF32, others,
        codegen::GPUAttr::kMultiprocessors, codegen::GPUAttr::kCacheBytes);
    if (!gpu)
      return {};
    // LLVM compiles for its lowest chip if it does not know the name.
    for (StringRef chip : chips)
      if (!isKnownChip(chip)) {
        emitError() << "expected a chip that LLVM knows, found '" << chip
                    << "'";
        return {};
      }
    return gpu;
  }

  /// Returns 90 for sm_90a; 0 for a chip that is not NVIDIA's.
  static unsigned getNumber(StringRef chip) {
    unsigned number = 0;
    chip.consume_front("sm_");
    chip.consumeInteger(10, number);
    return number;
  }
};
} // namespace
