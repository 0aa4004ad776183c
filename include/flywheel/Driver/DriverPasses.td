//===- DriverPasses.td - Passes about stages ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_DRIVERPASSES
#define FLYWHEEL_DRIVER_DRIVERPASSES

include "mlir/Pass/PassBase.td"

def RecordStage : Pass<"flywheel-record-stage", "::mlir::ModuleOp"> {
  let summary = "Record in the module which stages have run";
  let description = [{
    Before: any module. After: the module's attribute `train.compilation` is a
    dictionary with the last stage that ran (`stage`) and the options of this
    stage and those before it, each from the first stage that reads it. A
    compiler that is given the module continues with the next stage and refuses
    other values of these options.

    Refuses `settings` that are not the inside of a dictionary attribute.
  }];
  let options = [
    Option<"stage", "stage", "std::string", /*default=*/"\"\"",
           "Name of the stage that ends here">,
    Option<"settings", "settings", "std::string", /*default=*/"\"\"",
           "Options of the stage, as the inside of a dictionary attribute">
  ];
}

#endif // FLYWHEEL_DRIVER_DRIVERPASSES
