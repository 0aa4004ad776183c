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
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ATTACHTARGET
#include "flywheel/Driver/DriverPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

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
    llvm::Expected<const Backend *> chosen =
        findBackendOfDevice(options, backend);
    if (!chosen) {
      getOperation().emitError() << llvm::toString(chosen.takeError());
      return signalPassFailure();
    }
    Attribute target = (*chosen)->makeTarget(getOperation(), options);
    if (!target)
      return signalPassFailure();
    getOperation()->setAttr(name, target);
  }
};
} // namespace
