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

  LogicalResult verifyFit(linalg::LinalgOp, codegen::ScheduleAttrInterface,
                          EmitMisfit) const override {
    return success();
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

const KernelFamily *getKernelFamily(codegen::ScheduleAttrInterface schedule) {
  for (const KernelFamily *family : getKernelFamilies())
    if (family->has(schedule))
      return family;
  return nullptr;
}

LogicalResult verifyFit(linalg::LinalgOp op,
                        codegen::ScheduleAttrInterface schedule,
                        EmitMisfit emitMisfit) {
  if (const KernelFamily *family = getKernelFamily(schedule))
    return family->verifyFit(op, schedule, emitMisfit);
  if (emitMisfit)
    emitMisfit() << "expected a schedule of a family of kernels, such as "
                    "#codegen.loops";
  return failure();
}

codegen::ScheduleAttrInterface chooseSchedule(linalg::LinalgOp op,
                                              codegen::CPUAttr cpu) {
  for (const KernelFamily *family : getKernelFamilies())
    if (codegen::ScheduleAttrInterface schedule = family->choose(op, cpu))
      return schedule;
  return codegen::LoopsAttr::get(op.getContext());
}

} // namespace flywheel
