//===- TrainTypes.td - Types of the train dialect ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINTYPES
#define FLYWHEEL_DIALECT_TRAIN_TRAINTYPES

include "flywheel/Dialect/Train/TrainDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Train_StringType : TypeDef<Train_Dialect, "String"> {
  let mnemonic = "string";
  let summary = "A string of bytes, as an element of a tensor";
  let description = [{
    Any bytes, of any length. Strings live on the host; a step moves and
    compares them, and computes nothing from them. A step that holds strings is
    compiled like any other: `-train-lower-element-types` stores a string as an
    i64, its number in a table that belongs to the state.

    ```mlir
    train.variable @names : tensor<2x!train.string> = #train.strings<["Fruit", "orange"]>
    ```
  }];
}

def Train_StringTensor : RankedTensorOf<[Train_StringType]>;
def Train_StaticStringTensor : StaticShapeTensorOf<[Train_StringType]>;

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINTYPES
