//===- LoadInitialValues.cpp - Trained values as initial values -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: optimizers are expanded, so that slots and counters are variables.
// After: a variable that the checkpoint has a value of starts from that value,
// or, if the checkpoint is an external one, without a value.
// Refuses a checkpoint that cannot be read, or whose value has another shape or
// element type.
//
//===----------------------------------------------------------------------===//

#include "CheckpointValues.h"

#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Dialect/Train/VariableStart.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_LOADINITIALVALUES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
struct LoadInitialValues : impl::LoadInitialValuesBase<LoadInitialValues> {
  using LoadInitialValuesBase::LoadInitialValuesBase;

  void runOnOperation() override {
    runtime::Result<runtime::CheckpointReader> file =
        runtime::CheckpointReader::open(checkpoint);
    if (!file.isOk()) {
      getOperation().emitError()
          << "cannot load initial values: " << file.status().message();
      return signalPassFailure();
    }
    for (auto variable : getOperation().getOps<VariableOp>())
      if (failed(load(*file, variable)))
        return signalPassFailure();
  }

private:
  LogicalResult load(const runtime::CheckpointReader &file,
                     VariableOp variable);
};
} // namespace

LogicalResult LoadInitialValues::load(const runtime::CheckpointReader &file,
                                      VariableOp variable) {
  runtime::Result<Attribute> value = readCheckpointValue(file, variable);
  // One that was not saved starts as the program says.
  if (!value.isOk() && value.status().code() == runtime::StatusCode::kNotFound)
    return success();
  if (!value.isOk())
    return variable.emitError()
           << "cannot load initial values: " << value.status().message();
  Attribute initial = *value;
  if (external)
    initial = ZerosAttr::get(&getContext());
  else if (auto texts = dyn_cast<ArrayAttr>(initial))
    initial = StringsAttr::get(&getContext(), texts);
  VariableStart start =
      external ? VariableStart::Restored : VariableStart::Checkpoint;
  variable->setAttr(kStartAttrName,
                    StringAttr::get(&getContext(), flywheel::getName(start)));
  variable.setInitialValueAttr(initial);
  variable.getInitializer().getBlocks().clear();
  ++numVariables;
  return success();
}
} // namespace flywheel::train
