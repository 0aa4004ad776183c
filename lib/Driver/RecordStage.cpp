//===- RecordStage.cpp - Which stages a module has been through -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/StageOrder.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InterleavedRange.h"

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
    std::optional<size_t> number = findStage(stage);
    if (!number) {
      module->emitError() << "expected the name of a stage as 'stage', found '"
                          << stage.getValue() << "'; the stages are "
                          << llvm::interleaved(llvm::map_range(
                                 getStages(), [](const Stage &stage) {
                                   return StringRef(stage.name);
                                 }));
      return signalPassFailure();
    }
    std::string problem = describeWrongStage(module, {*number, *number});
    if (!problem.empty()) {
      module->emitError() << "stage '" << stage.getValue() << "': " << problem;
      return signalPassFailure();
    }
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
