//===- TrainModernOptimizers.td - Optimizers of papers -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimizers that neither Keras 2.1 nor tf.train has.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINMODERNOPTIMIZERS
#define FLYWHEEL_DIALECT_TRAIN_TRAINMODERNOPTIMIZERS

include "flywheel/Dialect/Train/TrainOptimizers.td"

def Train_AdamWAttr : Train_ElementwiseOptimizer<"AdamW", "adamw", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-8">:$epsilon,
    Train_NumberOr<"0.01">:$weight_decay)> {
  let summary = "Adam with decoupled weight decay";
  let formula = [{
    Loshchilov and Hutter, 2019 ("Decoupled Weight Decay Regularization"), with
    the decay scaled by the rate as in PyTorch's AdamW. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    p' = p - lr weight_decay p
    - lr / (1 - beta_1^t) m' / (sqrt(v' / (1 - beta_2^t)) + epsilon).

    Written `#train.adamw<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8, weight_decay = 0.01>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Changeable<"weight_decay">];
  let slots = [Train_Slot<"m">, Train_Slot<"v">];
}

def Train_NAdamWAttr : Train_ElementwiseOptimizer<"NAdamW", "nadamw", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-8">:$epsilon,
    Train_NumberOr<"0.0001">:$weight_decay)> {
  let summary = "Nesterov Adam with decoupled weight decay";
  let formula = [{
    Dozat, 2016, without its schedule of momentum, and the weight decay of
    Loshchilov and Hutter, 2019: Optax's `nadamw`. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    h = beta_1 m' / (1 - beta_1^(t + 1)) + (1 - beta_1) g / (1 - beta_1^t);
    p' = p - lr (h / (sqrt(v' / (1 - beta_2^t)) + epsilon) + weight_decay p).

    Written `#train.nadamw<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8, weight_decay = 0.0001>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Changeable<"weight_decay">];
  let slots = [Train_Slot<"m">, Train_Slot<"v">];
}

def Train_AdaBeliefAttr : Train_ElementwiseOptimizer<"AdaBelief", "adabelief", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-16">:$epsilon,
    Train_NumberOr<"0.0">:$weight_decay)> {
  let summary = "Adam by how far gradients are from their mean";
  let formula = [{
    Zhuang et al., 2020 ("AdaBelief Optimizer: Adapting Stepsizes by the Belief in
    Observed Gradients"), algorithm 2, with decoupled weight decay. t = iterations
    + 1; m' = beta_1 m + (1 - beta_1) g;
    s' = beta_2 s + (1 - beta_2) (g - m')^2 + epsilon;
    p' = p - lr weight_decay p
    - lr / (1 - beta_1^t) m' / (sqrt(s' / (1 - beta_2^t)) + epsilon).

    Written `#train.adabelief<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-16, weight_decay = 0.0>`: these are the defaults, those of the
    authors' package.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Changeable<"weight_decay">];
  let slots = [Train_Slot<"m">, Train_Slot<"s">];
}

def Train_LionAttr : Train_ElementwiseOptimizer<"Lion", "lion", (ins
    Train_NumberOr<"0.0001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.99">:$beta_2, Train_NumberOr<"0.0">:$weight_decay)> {
  let summary = "Signs of an interpolated momentum";
  let formula = [{
    Chen et al., 2023 ("Symbolic Discovery of Optimization Algorithms").
    p' = p - lr (sign(beta_1 m + (1 - beta_1) g) + weight_decay p);
    m' = beta_2 m + (1 - beta_2) g. The sign of 0 is 0, of NaN NaN.

    Written `#train.lion<lr = 0.0001, beta_1 = 0.9, beta_2 = 0.99,
    weight_decay = 0.0>`: these are the defaults.
  }];
  let scalars = [Train_Rate, Train_Changeable<"beta_1">, Train_Changeable<"beta_2">,
                 Train_Changeable<"weight_decay">];
  let slots = [Train_Slot<"m">];
}

def Train_LAMBAttr : Train_TensorOptimizer<"LAMB", "lamb", (ins
    Train_NumberOr<"0.001">:$lr, Train_FractionOr<"0.9">:$beta_1,
    Train_FractionOr<"0.999">:$beta_2, Train_NumberOr<"1.0e-6">:$epsilon,
    Train_NumberOr<"0.01">:$weight_decay)> {
  let summary = "Adam with a rate for each layer";
  let formula = [{
    You et al., 2020 ("Large Batch Optimization for Deep Learning"), algorithm 2,
    with the identity for phi. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    u = m' / (1 - beta_1^t) / (sqrt(v' / (1 - beta_2^t)) + epsilon)
    + weight_decay p; p' = p - lr r u, where r = |p| / |u| of Euclidean norms over
    the whole parameter, or 1 where one of them is 0. f16 and bf16 are computed in
    f32. A v' that the parameter's type does not have is its largest number: an
    infinite one would stay, and its element where it is.

    Written `#train.lamb<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-6, weight_decay = 0.01>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"beta_1">,
                 Train_Changeable<"beta_2">, Train_Changeable<"weight_decay">];
  let slots = [Train_Slot<"m">, Train_Slot<"v">];
}

def Train_AdafactorAttr : Train_TensorOptimizer<"Adafactor", "adafactor", (ins
    Train_NumberOr<"0.01">:$lr, Train_NumberOr<"0.8">:$decay_rate,
    Train_NumberOr<"1.0e-30">:$epsilon_1, Train_NumberOr<"0.001">:$epsilon_2,
    Train_NumberOr<"1.0">:$clip_threshold)> {
  let summary = "Adam with factors of its second moment";
  let formula = [{
    Shazeer and Stern, 2018 ("Adafactor: Adaptive Learning Rates with Sublinear
    Memory Cost"), algorithms 4 and 5, with relative step sizes and without
    momentum. t = iterations + 1; beta = 1 - t^-decay_rate;
    s = max(epsilon_2, rms(p)) min(lr, 1 / sqrt(t)); rms(x) = |x| / sqrt(size).

    A parameter of rank 2 or more has a row and a column of second moments, of
    its last two dimensions: r' = beta r + (1 - beta) mean over columns of
    (g^2 + epsilon_1); c' likewise of rows; v = r' c' / (mean of r'). Others have
    all: v' = beta v + (1 - beta) (g^2 + epsilon_1). u = g / sqrt(v);
    p' = p - s u / max(1, rms(u) / clip_threshold). f16 and bf16 are computed in
    f32, rows and columns in f64. An r', c' or v' that the parameter's type does
    not have is its largest number.

    Written `#train.adafactor<lr = 0.01, decay_rate = 0.8, epsilon_1 = 1.0e-30,
    epsilon_2 = 0.001, clip_threshold = 1.0>`: these are the defaults, those of
    the paper.
  }];
  let scalars = [Train_Iterations, Train_Rate];
  let slots = [Train_Slot<"r, or v">, Train_Slot<"c">];
  let hasOwnSlots = true;
}

def Train_MuonAttr : Train_TensorOptimizer<"Muon", "muon", (ins
    Train_NumberOr<"0.02">:$lr, Train_NumberOr<"0.95">:$momentum,
    DefaultValuedParameter<"bool", "true">:$nesterov, Train_NumberOr<"0.0">:$weight_decay,
    Train_NumberOr<"0.0003">:$adam_lr)> {
  let summary = "Momentum that is made orthogonal";
  let formula = [{
    Jordan et al., 2024 ("Muon: An optimizer for hidden layers in neural
    networks"). For a matrix: m' = momentum m + g; h = g + momentum m', or m'
    without `nesterov`; x = h / (|h| + 1e-7), then five times
    x = a x + (b s + c s s) x with s = x x^T and
    (a, b, c) = (3.4445, -4.7750, 2.0315): nearly the orthogonal matrix nearest to
    h. p' = p - lr weight_decay p - lr sqrt(max(1, rows / columns)) x. With more
    rows than columns it is computed on the transpose. f16 and bf16 are computed
    in f32.

    A parameter that is not a matrix (of rank 2: filters of a convolution are none)
    is updated by `#train.adamw`, as the authors advise for vectors, with rate
    `adam_lr`, beta_1 0.9, beta_2 0.95, epsilon 1e-10 and the
    same weight decay.

    Written `#train.muon<lr = 0.02, momentum = 0.95, nesterov = true,
    weight_decay = 0.0, adam_lr = 0.0003>`: these are the defaults.
  }];
  let scalars = [Train_Iterations, Train_Rate, Train_Changeable<"momentum">,
                 Train_Changeable<"weight_decay">, Train_Changeable<"adam_lr">];
  let slots = [Train_Slot<"m">,
               Train_Slot<"v", "0.0", "parameter.getRank() != 2", "where it is not a matrix">];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINMODERNOPTIMIZERS
