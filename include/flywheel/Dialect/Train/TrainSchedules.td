//===- TrainSchedules.td - Rates of learning by step -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINSCHEDULES
#define FLYWHEEL_DIALECT_TRAIN_TRAINSCHEDULES

include "flywheel/Dialect/Train/TrainOptimizers.td"

class Train_Schedule<string name, string attrMnemonic, string required>
    : Train_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<ScheduleAttrInterface>]> {
  let genVerifyDecl = 1;
  let assemblyFormat = Train_Required<required, mnemonic, parameters>.format;
}

def Train_ConstantRateAttr : Train_Schedule<"ConstantRate", "constant_rate", "rate"> {
  let summary = "The same rate in every step";
  let description = "`#train.constant_rate<rate = 0.1>`.";
  let parameters = (ins Train_Number:$rate);
}

def Train_PiecewiseRateAttr : Train_Schedule<"PiecewiseRate", "piecewise_rate", "boundaries"> {
  let summary = "A rate for each interval of steps";
  let description = [{
    The first rate up to and with the step of the first boundary, and so on:
    tf.train.piecewise_constant. One rate more than boundaries, which increase.

    `#train.piecewise_rate<boundaries = [100, 200],
    rates = [0.1, 0.01, 0.001]>`.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$boundaries,
                        Train_Numbers:$rates);
}

def Train_ExponentialRateAttr : Train_Schedule<"ExponentialRate", "exponential_rate", "initial"> {
  let summary = "A rate that is multiplied by a factor";
  let description = [{
    initial factor^(t / steps), of step t from 0; with `staircase` the exponent is
    rounded down: tf.train.exponential_decay, and the schedule that drops the rate
    every few steps.

    `#train.exponential_rate<initial = 0.1, factor = 0.5, steps = 1000,
    staircase = false>`: `staircase` may be left out.
  }];
  let parameters = (ins Train_Number:$initial, Train_Number:$factor,
                        "int64_t":$steps, Train_Option:$staircase);
}

def Train_PolynomialRateAttr : Train_Schedule<"PolynomialRate", "polynomial_rate", "initial"> {
  let summary = "A rate that falls along a polynomial";
  let description = [{
    (initial - end) (1 - min(t, steps) / steps)^power + end, of step t from 0:
    tf.train.polynomial_decay. With power 1 a line.

    `#train.polynomial_rate<initial = 0.1, steps = 1000, end = 0.0001,
    power = 1.0>`: the last two are the defaults.
  }];
  let parameters = (ins Train_Number:$initial, "int64_t":$steps,
                        Train_NumberOr<"0.0001">:$end, Train_NumberOr<"1.0">:$power);
}

def Train_CosineRateAttr : Train_Schedule<"CosineRate", "cosine_rate", "peak"> {
  let summary = "A rate that rises along a line and falls along a cosine";
  let description = [{
    The rate of step t, from 0, is peak (t + 1) / warmup while t < warmup; then
    end + (peak - end) (1 + cos(pi x)) / 2, where x goes from 0 at warmup to 1 at
    `steps` and stays there (Loshchilov and Hutter, 2017, without restarts).

    `#train.cosine_rate<peak = 0.1, steps = 1000, warmup = 0, end = 0.0>`: the
    last two are the defaults.
  }];
  let parameters = (ins Train_Number:$peak, "int64_t":$steps,
                        DefaultValuedParameter<"int64_t", "0">:$warmup,
                        Train_NumberOr<"0.0">:$end);
}

def Train_OneCycleRateAttr : Train_Schedule<"OneCycleRate", "one_cycle_rate", "peak"> {
  let summary = "A rate that rises to a peak and falls, once";
  let description = [{
    Smith and Topin, 2018, as PyTorch's OneCycleLR: along cosines from peak / div
    to peak in the first `rise` of the steps, and from there to
    peak / (div final_div). The peak is at step rise steps - 1, the end at step
    steps - 1.

    `#train.one_cycle_rate<peak = 0.1, steps = 1000, rise = 0.3, div = 25.0,
    final_div = 10000.0>`: the last three are the defaults.
  }];
  let parameters = (ins Train_Number:$peak, "int64_t":$steps,
                        Train_NumberOr<"0.3">:$rise, Train_NumberOr<"25.0">:$div,
                        Train_NumberOr<"10000.0">:$final_div);
}

/// A clause of an update that has more than a number.
class Train_Clause<string className, string attrMnemonic>
    : Train_Attr<className, attrMnemonic>;

def Train_LossScaleAttr : Train_Clause<"LossScale", "loss_scale"> {
  let summary = "A scale of a loss, by which it is multiplied before it is differentiated";
  let description = [{
    The scale starts at `initial`. A step whose gradients are not all finite is
    left out, and multiplies it by `backoff`; `growth_interval` steps in a row
    that are made multiply it by `growth` (Micikevicius et al., 2018, as PyTorch's
    GradScaler).

    The loss is multiplied in its own type. So the scale of one of f16 grows to no
    more than 32768, and starts there if `initial` is above; those of other types
    grow to 2^126. It falls to no less than 1, or `initial` where that is less. A
    scale that does not change and is not a number of the loss's type is an error.

    `#train.loss_scale<initial = 65536.0, growth = 2.0, backoff = 0.5,
    growth_interval = 2000>`: these are the defaults. With growth and backoff 1
    the scale stays as it is.
  }];
  let parameters = (ins Train_NumberOr<"65536.0">:$initial,
                        Train_NumberOr<"2.0">:$growth, Train_NumberOr<"0.5">:$backoff,
                        DefaultValuedParameter<"int64_t", "2000">:$growth_interval);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = [{
    /// Returns true if steps change the scale.
    bool isDynamic() const;
    /// Returns the scale, and if it changes, the number of consecutive steps
    /// that were made.
    ::llvm::SmallVector<ScalarVariableSpec> getScalarVariables() const;
  }];
  let genVerifyDecl = 1;
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINSCHEDULES
