//===- RecordStage.cpp - Which stages a module has been through -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Backend.h"
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
    for (NamedAttribute setting : added) {
      Attribute known = record.get(setting.getName());
      if (!known || known == setting.getValue()) {
        record.set(setting.getName(), setting.getValue());
      } else if (isContradiction(added, setting.getName(), known)) {
        emitOtherValue(record.get("stage"), setting, known);
        return signalPassFailure();
      }
    }
    record.set("stage", b.getStringAttr(stage.getValue()));
    module->setAttr(train::TrainDialect::getCompilationAttrName(),
                    record.getDictionary(&getContext()));
    if (failed(checkBackend()))
      signalPassFailure();
  }

private:
  /// Returns the passes of the stage with the options that `settings` are;
  /// nothing if no back end has them.
  std::optional<std::string> getPasses(DictionaryAttr settings) {
    NamedAttrList record(settings);
    record.set("stage", Builder(&getContext()).getStringAttr(stage.getValue()));
    CompilerOptions options;
    if (failed(adoptOptions(getOperation(), record.getDictionary(&getContext()),
                            options)))
      return {};
    llvm::Expected<const Backend *> backend = findBackend(options);
    if (!backend) {
      llvm::consumeError(backend.takeError());
      return {};
    }
    // No stage that reads them is compiled without.
    options.maxDimSizes = options.maxDimSizes.value_or(DimSizeBounds());
    OpPassManager pm(ModuleOp::getOperationName());
    getStages()[*findStage(stage)].populate(pm, options);
    std::string text;
    llvm::raw_string_ostream os(text);
    pm.printAsTextualPipeline(os);
    return text;
  }

  /// Returns true if the stage should not have run with `settings`: an option
  /// of theirs was `known` to previous stages with another value.
  bool isContradiction(DictionaryAttr settings, StringAttr option,
                       Attribute known) {
    if (llvm::is_contained(given, option.getValue()))
      return true;
    NamedAttrList others(settings);
    others.set(option, known);
    return getPasses(settings) !=
           getPasses(others.getDictionary(&getContext()));
  }

  /// Emits the error of a setting of this stage that is not the one of the
  /// stages up to `last`.
  void emitOtherValue(Attribute last, NamedAttribute setting, Attribute known) {
    InFlightDiagnostic error = getOperation()->emitError();
    error << "stage '" << stage.getValue() << "': expected ";
    if (isa<UnitAttr>(known))
      error << "no '" << setting.getName().getValue() << "'";
    else
      error << "'" << setting.getName().getValue() << "' to be " << known;
    error << ", as in the stages up to " << last << ", found ";
    if (isa<UnitAttr>(setting.getValue()))
      error << "none";
    else
      error << setting.getValue();
  }

  /// Checks all recorded options as the compiler does before the first stage.
  LogicalResult checkBackend() {
    CompilerOptions options;
    if (failed(resumeOptions(getOperation(), options)))
      return failure();
    llvm::Expected<const Backend *> backend = findBackend(options);
    if (!backend)
      return getOperation()->emitError() << llvm::toString(backend.takeError());
    return (*backend)->checkOptions(getOperation(), options);
  }
};
} // namespace
} // namespace flywheel
