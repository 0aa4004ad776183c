//===- RecordStage.cpp - Which stages a module has been through -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/DriverPasses.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_RECORDSTAGE
#include "flywheel/Driver/DriverPasses.h.inc"

namespace {
class RecordStage : public impl::RecordStageBase<RecordStage> {
public:
  using RecordStageBase::RecordStageBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Builder b(&getContext());
    NamedAttrList record;
    if (auto known = module->getAttrOfType<DictionaryAttr>(
            train::TrainDialect::getCompilationAttrName()))
      record.append(known);
    std::string text = "{" + settings.getValue() + "}";
    auto added =
        dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, &getContext()));
    if (!added) {
      module->emitError() << "expected attributes as 'settings', found '"
                          << settings.getValue() << "'";
      return signalPassFailure();
    }
    for (NamedAttribute setting : added)
      record.set(setting.getName(), setting.getValue());
    record.set("stage", b.getStringAttr(stage.getValue()));
    module->setAttr(train::TrainDialect::getCompilationAttrName(),
                    record.getDictionary(&getContext()));
  }
};
} // namespace
} // namespace flywheel
