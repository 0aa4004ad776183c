// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "flywheel/Dialect/Train/Train.td"

def ExampleTouchOp : Op<Train_Dialect, "example_touch"> {
  let summary = "An op of another project over a variable";
  let arguments = (ins FlatSymbolRefAttr:$variable);
}
