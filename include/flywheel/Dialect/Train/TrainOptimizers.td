//===- TrainOptimizers.td - Optimizers of Keras and tf -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimizers, each with its formula and where it is from. What they do is in
// lib/Dialect/Train/Optimizers, one file each.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS
#define FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS

include "flywheel/Dialect/Train/TrainAttributes.td"

/// A number that has to be given.
defvar Train_Number = "::flywheel::train::Real";

/// A number that is `default` where it is left out.
class Train_NumberOr<string default>
    : DefaultValuedParameter<"::flywheel::train::Real",
                             "::flywheel::train::Real(" # default # ")">;

/// An option that is off where it is left out.
def Train_Option : DefaultValuedParameter<"bool", "false">;

/// An optimizer with these hyper-parameters and, like every one, a name that the
/// program may give it.
class Train_OptimizerAttr<string name, string attrMnemonic, dag hyperParameters,
                          list<Trait> traits>
    : Train_Attr<name, attrMnemonic, traits> {
  let parameters = !con(hyperParameters,
                        (ins OptionalParameter<"::mlir::StringAttr">:$name));
  let genVerifyDecl = 1;
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

/// An optimizer with a rule for one element.
class Train_ElementwiseOptimizer<string name, string attrMnemonic, dag hyperParameters>
    : Train_OptimizerAttr<name, attrMnemonic, hyperParameters, [
        DeclareAttrInterfaceMethods<OptimizerAttrInterface>,
        DeclareAttrInterfaceMethods<ElementwiseOptimizerAttrInterface>]>;

/// An optimizer whose rule is about whole tensors.
class Train_TensorOptimizer<string name, string attrMnemonic, dag hyperParameters>
    : Train_OptimizerAttr<name, attrMnemonic, hyperParameters, [
        DeclareAttrInterfaceMethods<OptimizerAttrInterface, ["buildParameterUpdate"]>]>;

def Train_SGDAttr : Train_ElementwiseOptimizer<"SGD", "sgd", (ins
    Train_NumberOr<"0.01">:$lr, Train_NumberOr<"0.0">:$momentum,
    Train_NumberOr<"0.0">:$decay, Train_Option:$nesterov)> {
  let summary = "Stochastic gradient descent with momentum, as in Keras 2.1";
  let description = [{
    v' = momentum * v - lr * g; p' = p + v'; with `nesterov`,
    p' = p + momentum * v' - lr * g. If `decay` > 0 the rate of a step is
    lr / (1 + decay * iterations), with the counter from before the step.

    Written `#train.sgd<lr = 0.01, momentum = 0.0, decay = 0.0, nesterov = false>`:
    these are the defaults, and what is left out has its default.

    Variables `SGD/iterations` (i64), `SGD/lr`, `SGD/momentum`, and `SGD/decay`
    where decay > 0, change between steps without recompiling. Slot:
    `<parameter>/SGD`. With `name = "opt"` they are `opt/lr` and so on, and
    `<parameter>/opt`; see `train.minimize`.
  }];
}

def Train_MomentumAttr : Train_ElementwiseOptimizer<"Momentum", "momentum", (ins
    Train_Number:$lr, Train_NumberOr<"0.9">:$momentum, Train_Option:$nesterov)> {
  let summary = "Momentum, as in tf.train.MomentumOptimizer";
  let description = [{
    a' = momentum * a + g; p' = p - lr * a'; with `nesterov`,
    p' = p - lr * g - lr * momentum * a'. The rate is outside the accumulator:
    it differs from `#train.sgd` when the rate changes.

    Written `#train.momentum<lr = 0.1, momentum = 0.9, nesterov = false>`: `lr` has
    no default, the other two are the defaults.

    Variables: `Momentum/lr`, `Momentum/momentum`. Slot: `<parameter>/Momentum`.
    `name` as in `#train.sgd`.
  }];
  let assemblyFormat = "`<` struct(params) `>`";
}

def Train_AdamAttr : Train_ElementwiseOptimizer<"Adam", "adam", (ins
    Train_NumberOr<"0.001">:$lr, Train_NumberOr<"0.9">:$beta_1,
    Train_NumberOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-7">:$epsilon,
    Train_NumberOr<"0.0">:$decay, Train_Option:$amsgrad)> {
  let summary = "Adam and AMSGrad, as in Keras 2.1";
  let description = [{
    Kingma and Ba, 2014. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    lr_t = lr sqrt(1 - beta_2^t) / (1 - beta_1^t);
    p' = p - lr_t m' / (sqrt(v') + epsilon); with `amsgrad`, h' = max(h, v')
    takes the place of v' under the root. `decay` as in `#train.sgd`. With
    `epsilon = 1e-8` it is tf.train.AdamOptimizer.

    Written `#train.adam<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, decay = 0.0, amsgrad = false>`: these are the defaults.

    Variables: `Adam/iterations` (i64), `Adam/lr`, `Adam/beta_1`,
    `Adam/beta_2`, and `Adam/decay` where decay > 0. Slots: `<parameter>/Adam`
    (m), `<parameter>/Adam_1` (v), `<parameter>/Adam_2` (h, with amsgrad).
    `name` as in `#train.sgd`.
  }];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINOPTIMIZERS
