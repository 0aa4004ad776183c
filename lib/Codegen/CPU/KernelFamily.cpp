//===- KernelFamily.cpp - One way to compute structured ops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFamily.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace flywheel {
namespace {
class LoopKernels : public KernelFamily {
public:
  codegen::ScheduleAttrInterface choose(linalg::LinalgOp op,
                                        codegen::CPUAttr) const override {
    return codegen::LoopsAttr::get(op.getContext());
  }

  bool has(codegen::ScheduleAttrInterface schedule) const override {
    return isa<codegen::LoopsAttr>(schedule);
  }

  std::string explainMisfit(linalg::LinalgOp,
                            codegen::ScheduleAttrInterface) const override {
    return {};
  }

  void emit(RewriterBase &rewriter, linalg::LinalgOp op,
            codegen::ScheduleAttrInterface, codegen::CPUAttr,
            linalg::LinalgOp &fill) const override {
    fill = {};
    rewriter.setInsertionPoint(op);
    [[maybe_unused]] FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, op);
    assert(succeeded(loops) && "every op on buffers has a loop form");
    rewriter.eraseOp(op);
  }
};
} // namespace

const KernelFamily &getLoopKernels() {
  static const LoopKernels kernels;
  return kernels;
}

ArrayRef<const KernelFamily *> getKernelFamilies() {
  static const std::array families = {&getFMAKernels(), &getVectorKernels(),
                                      &getLoopKernels()};
  return families;
}

const KernelFamily &getKernelFamily(codegen::ScheduleAttrInterface schedule) {
  for (const KernelFamily *family : getKernelFamilies())
    if (family->has(schedule))
      return *family;
  llvm_unreachable("every schedule is of a family");
}

codegen::ScheduleAttrInterface chooseSchedule(linalg::LinalgOp op,
                                              codegen::CPUAttr cpu) {
  for (const KernelFamily *family : getKernelFamilies())
    if (codegen::ScheduleAttrInterface schedule = family->choose(op, cpu))
      return schedule;
  llvm_unreachable("plain loops compute every op");
}

} // namespace flywheel
