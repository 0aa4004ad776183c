//===- TrainAverages.td - Averages of variables ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINAVERAGES
#define FLYWHEEL_DIALECT_TRAIN_TRAINAVERAGES

include "flywheel/Dialect/Train/TrainOps.td"

/// The variables of an op, and the name of their averages.
defvar Train_Averaged = (ins
  OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$var_list,
  DefaultValuedStrAttr<StrAttr, "ExponentialMovingAverage">:$name);

class Train_AveragesOp<string opMnemonic> : Train_Op<opMnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

def Train_AverageVariablesOp : Train_AveragesOp<"average_variables"> {
  let summary = "Moves averages of variables towards them";
  let description = [{
    Exponential moving averages of the variables of `var_list`, by default of all
    trainable ones, as tf.train.ExponentialMovingAverage has them:

        average := average - (average - variable) (1 - decay)

    with the values that the variables have where the op stands: after an update,
    the new ones. The average of `w` is the variable
    `w/ExponentialMovingAverage`, which is not trainable and starts at the value
    of `w`; `name "slow"` makes it `w/slow`. A `train.variable` of that name and
    type takes the place of the one that would be made. The average of a variable
    of f16 or bf16 is of f32.

    `num_updates` names an integer variable n that counts steps: decay is then at
    most (1 + n) / (10 + n), so that the first steps are forgotten soon. With
    `zero_debias` the first value does not count: after k updates the average is
    that of k values, weighted by decay^0 to decay^(k - 1), whose sum divides.
    The product of the decays so far is the variable
    `ExponentialMovingAverage/remainder`, of f64; there is one such op of a name.

    No derivative flows through it.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.adam global_step @step
    train.average_variables decay 0.999 var_list [@w, @b] num_updates @step
    ```
  }];
  let arguments = !con((ins
    F64Attr:$decay, OptionalAttr<FlatSymbolRefAttr>:$num_updates,
    UnitAttr:$zero_debias), Train_Averaged);
  let assemblyFormat = [{
    `decay` $decay (`var_list` $var_list^)? (`num_updates` $num_updates^)?
    (`zero_debias` $zero_debias^)? (`name` $name^)? attr-dict
  }];
}

def Train_SwapAveragesOp : Train_AveragesOp<"swap_averages"> {
  let summary = "Exchanges variables and their averages";
  let description = [{
    The variables of `var_list`, by default all that `train.average_variables`
    averages by the same `name`, have the values of their averages afterwards,
    and the averages theirs: in place, in one pass, without a copy. A second swap
    restores both, bit for bit.

    A variable `w` of f16 or bf16 is exchanged with its average as it is rounded
    to that type, which is the variable `w/ExponentialMovingAverage_rounded`; the
    average itself, of f32, stays.

    ```mlir
    func.func @swap() {
      train.swap_averages
      return
    }
    ```
  }];
  let arguments = Train_Averaged;
  let assemblyFormat = "(`var_list` $var_list^)? (`name` $name^)? attr-dict";
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINAVERAGES
