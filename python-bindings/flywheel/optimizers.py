# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""Optimizers: what `minimize` updates variables by."""

from typing import Optional

from ._core.argument_checks import flag, number
from ._training.optimizer import Optimizer

__all__ = [
    "AdaBelief", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "GradientDescent",
    "LAMB", "Lion", "Momentum", "Muon", "NAdamW", "Nadam", "Optimizer", "RMSprop", "SGD", "TFAdadelta",
    "TFAdagrad", "TFAdam", "TFRMSProp",
]  # fmt: skip


class AdaBelief(Optimizer):
    """Adam by how far gradients are from their mean.

    Zhuang et al., 2020 ("AdaBelief Optimizer: Adapting Stepsizes by the Belief in
    Observed Gradients"), algorithm 2, with decoupled weight decay. t = iterations
    + 1; m' = beta_1 m + (1 - beta_1) g;
    s' = beta_2 s + (1 - beta_2) (g - m')^2 + epsilon;
    p' = p - lr weight_decay p
    - lr / (1 - beta_1^t) m' / (sqrt(s' / (1 - beta_2^t)) + epsilon).

    Written `#train.adabelief<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-16, weight_decay = 0.0>`: these are the defaults, those of the
    authors' package.

    Variables: `AdaBelief/iterations` (i64), `AdaBelief/lr`, `AdaBelief/beta_1`,
    `AdaBelief/beta_2`, `AdaBelief/weight_decay`. Slots: `<parameter>/AdaBelief`
    (m), `<parameter>/AdaBelief_1` (s). `name` as in `#train.sgd`.
    """

    mnemonic = "train.adabelief"
    prefix = "AdaBelief"
    scalars = ("iterations", "lr", "beta_1", "beta_2", "weight_decay",)

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-16,
        weight_decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "weight_decay": number("weight_decay", weight_decay),
            }, name,
        )


class Adadelta(Optimizer):
    """Adadelta, as in Keras 2.1.

    Zeiler, 2012. a' = rho a + (1 - rho) g^2;
    u = g sqrt(d + epsilon) / sqrt(a' + epsilon); p' = p - lr u;
    d' = rho d + (1 - rho) u^2. `decay` as in `#train.sgd`. `rho` is a constant.

    Written `#train.adadelta<lr = 1.0, rho = 0.95, epsilon = 1.0e-7, decay = 0.0>`:
    these are the defaults.

    Variables: `Adadelta/iterations` (i64), `Adadelta/lr`, and `Adadelta/decay`
    where decay > 0. Slots: `<parameter>/Adadelta` (a), `<parameter>/Adadelta_1`
    (d). `name` as in `#train.sgd`.
    """

    mnemonic = "train.adadelta"
    prefix = "Adadelta"
    scalars = ("iterations", "lr",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 1.0,
        rho: float = 0.95,
        epsilon: float = 1.0e-7,
        decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "rho": number("rho", rho),
                "epsilon": number("epsilon", epsilon),
                "decay": number("decay", decay),
            }, name,
        )


class Adafactor(Optimizer):
    """Adam with factors of its second moment.

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

    Variables: `Adafactor/iterations` (i64), `Adafactor/lr`. Slots:
    `<parameter>/Adafactor` (r, or v), `<parameter>/Adafactor_1` (c). `name` as in
    `#train.sgd`.
    """

    mnemonic = "train.adafactor"
    prefix = "Adafactor"
    scalars = ("iterations", "lr",)

    def __init__(
        self,
        lr: float = 0.01,
        decay_rate: float = 0.8,
        epsilon_1: float = 1.0e-30,
        epsilon_2: float = 0.001,
        clip_threshold: float = 1.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "decay_rate": number("decay_rate", decay_rate),
                "epsilon_1": number("epsilon_1", epsilon_1),
                "epsilon_2": number("epsilon_2", epsilon_2),
                "clip_threshold": number("clip_threshold", clip_threshold),
            }, name,
        )


class Adagrad(Optimizer):
    """Adagrad, as in Keras 2.1.

    Duchi, Hazan and Singer, 2011. a' = a + g^2, from 0;
    p' = p - lr g / (sqrt(a') + epsilon). `decay` as in `#train.sgd`.

    Written `#train.adagrad<lr = 0.01, epsilon = 1.0e-7, decay = 0.0>`: these are
    the defaults.

    Variables: `Adagrad/iterations` (i64), `Adagrad/lr`, and `Adagrad/decay` where
    decay > 0. Slot: `<parameter>/Adagrad` (a). `name` as in `#train.sgd`.
    """

    mnemonic = "train.adagrad"
    prefix = "Adagrad"
    scalars = ("iterations", "lr",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.01,
        epsilon: float = 1.0e-7,
        decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "epsilon": number("epsilon", epsilon),
                "decay": number("decay", decay),
            }, name,
        )


class Adam(Optimizer):
    """Adam and AMSGrad, as in Keras 2.1.

    Kingma and Ba, 2014. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    lr_t = lr sqrt(1 - beta_2^t) / (1 - beta_1^t);
    p' = p - lr_t m' / (sqrt(v') + epsilon); with `amsgrad`, h' = max(h, v')
    takes the place of v' under the root. `decay` as in `#train.sgd`. With
    `epsilon = 1e-8` it is tf.train.AdamOptimizer.

    Written `#train.adam<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, decay = 0.0, amsgrad = false>`: these are the defaults.

    Variables: `Adam/iterations` (i64), `Adam/lr`, `Adam/beta_1`, `Adam/beta_2`, and
    `Adam/decay` where decay > 0. Slots: `<parameter>/Adam` (m),
    `<parameter>/Adam_1` (v), `<parameter>/Adam_2` (h, with amsgrad). `name` as in
    `#train.sgd`.
    """

    mnemonic = "train.adam"
    prefix = "Adam"
    scalars = ("iterations", "lr", "beta_1", "beta_2",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-7,
        decay: float = 0.0,
        amsgrad: bool = False,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "decay": number("decay", decay),
                "amsgrad": flag("amsgrad", amsgrad),
            }, name,
        )


class AdamW(Optimizer):
    """Adam with decoupled weight decay.

    Loshchilov and Hutter, 2019 ("Decoupled Weight Decay Regularization"), with
    the decay scaled by the rate as in PyTorch's AdamW. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    p' = p - lr weight_decay p
    - lr / (1 - beta_1^t) m' / (sqrt(v' / (1 - beta_2^t)) + epsilon).

    Written `#train.adamw<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8, weight_decay = 0.01>`: these are the defaults.

    Variables: `AdamW/iterations` (i64), `AdamW/lr`, `AdamW/beta_1`, `AdamW/beta_2`,
    `AdamW/weight_decay`. Slots: `<parameter>/AdamW` (m), `<parameter>/AdamW_1` (v).
    `name` as in `#train.sgd`.
    """

    mnemonic = "train.adamw"
    prefix = "AdamW"
    scalars = ("iterations", "lr", "beta_1", "beta_2", "weight_decay",)

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-8,
        weight_decay: float = 0.01,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "weight_decay": number("weight_decay", weight_decay),
            }, name,
        )


class Adamax(Optimizer):
    """Adamax, as in Keras 2.1.

    Kingma and Ba, 2014, section 7. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; u' = max(beta_2 u, |g|);
    p' = p - lr / (1 - beta_1^t) m' / (u' + epsilon). `decay` as in `#train.sgd`.

    Written `#train.adamax<lr = 0.002, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, decay = 0.0>`: these are the defaults.

    Variables: `Adamax/iterations` (i64), `Adamax/lr`, `Adamax/beta_1`,
    `Adamax/beta_2`, and `Adamax/decay` where decay > 0. Slots: `<parameter>/Adamax`
    (m), `<parameter>/Adamax_1` (u). `name` as in `#train.sgd`.
    """

    mnemonic = "train.adamax"
    prefix = "Adamax"
    scalars = ("iterations", "lr", "beta_1", "beta_2",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-7,
        decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "decay": number("decay", decay),
            }, name,
        )


class Ftrl(Optimizer):
    """FTRL-proximal, as in tf.train.FtrlOptimizer.

    McMahan et al., 2013. With k = -lr_power: n' = n + g^2, from
    `initial_accumulator`; z' = z + g + 2 l2_shrinkage p - (n'^k - n^k) / lr p;
    p' = (l1 sign(z') - z') / (n'^k / lr + 2 l2) where |z'| > l1, else 0.
    `lr_power` is a constant <= 0. The formula divides by the rate: in a step where
    it is 0, which is any below 1e-30 in magnitude, p, n and z stay as they are.

    Written `#train.ftrl<lr = 0.1, lr_power = -0.5, initial_accumulator = 0.1,
    l1 = 0.0, l2 = 0.0, l2_shrinkage = 0.0>`: `lr` has no default, the others are
    the defaults.

    Variables: `Ftrl/lr`, `Ftrl/l1`, `Ftrl/l2`, `Ftrl/l2_shrinkage`. Slots:
    `<parameter>/Ftrl` (n), `<parameter>/Ftrl_1` (z). `name` as in `#train.sgd`.
    """

    mnemonic = "train.ftrl"
    prefix = "Ftrl"
    scalars = ("lr", "l1", "l2", "l2_shrinkage",)

    def __init__(
        self,
        lr: float,
        lr_power: float = -0.5,
        initial_accumulator: float = 0.1,
        l1: float = 0.0,
        l2: float = 0.0,
        l2_shrinkage: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "lr_power": number("lr_power", lr_power),
                "initial_accumulator": number("initial_accumulator", initial_accumulator),
                "l1": number("l1", l1),
                "l2": number("l2", l2),
                "l2_shrinkage": number("l2_shrinkage", l2_shrinkage),
            }, name,
        )


class GradientDescent(Optimizer):
    """Gradient descent, as in tf.train.GradientDescentOptimizer.

    p' = p - lr g.

    Written `#train.gradient_descent<lr = 0.1>`: `lr` has no default.

    Variable: `GradientDescent/lr`. No slots. `name` as in `#train.sgd`.
    """

    mnemonic = "train.gradient_descent"
    prefix = "GradientDescent"
    scalars = ("lr",)

    def __init__(self, lr: float, *, name: Optional[str] = None) -> None:
        super().__init__({"lr": number("lr", lr)}, name)


class LAMB(Optimizer):
    """Adam with a rate for each layer.

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

    Variables: `LAMB/iterations` (i64), `LAMB/lr`, `LAMB/beta_1`, `LAMB/beta_2`,
    `LAMB/weight_decay`. Slots: `<parameter>/LAMB` (m), `<parameter>/LAMB_1` (v).
    `name` as in `#train.sgd`.
    """

    mnemonic = "train.lamb"
    prefix = "LAMB"
    scalars = ("iterations", "lr", "beta_1", "beta_2", "weight_decay",)

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-6,
        weight_decay: float = 0.01,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "weight_decay": number("weight_decay", weight_decay),
            }, name,
        )


class Lion(Optimizer):
    """Signs of an interpolated momentum.

    Chen et al., 2023 ("Symbolic Discovery of Optimization Algorithms").
    p' = p - lr (sign(beta_1 m + (1 - beta_1) g) + weight_decay p);
    m' = beta_2 m + (1 - beta_2) g. The sign of 0 is 0, of NaN NaN.

    Written `#train.lion<lr = 0.0001, beta_1 = 0.9, beta_2 = 0.99,
    weight_decay = 0.0>`: these are the defaults.

    Variables: `Lion/lr`, `Lion/beta_1`, `Lion/beta_2`, `Lion/weight_decay`. Slot:
    `<parameter>/Lion` (m). `name` as in `#train.sgd`.
    """

    mnemonic = "train.lion"
    prefix = "Lion"
    scalars = ("lr", "beta_1", "beta_2", "weight_decay",)

    def __init__(
        self,
        lr: float = 0.0001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        weight_decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "weight_decay": number("weight_decay", weight_decay),
            }, name,
        )


class Momentum(Optimizer):
    """Momentum, as in tf.train.MomentumOptimizer.

    a' = momentum * a + g; p' = p - lr * a'; with `nesterov`,
    p' = p - lr * g - lr * momentum * a'. The rate is outside the accumulator:
    it differs from `#train.sgd` when the rate changes.

    Written `#train.momentum<lr = 0.1, momentum = 0.9, nesterov = false>`: `lr` has
    no default, the other two are the defaults.

    Variables: `Momentum/lr`, `Momentum/momentum`. Slot: `<parameter>/Momentum` (a).
    `name` as in `#train.sgd`.
    """

    mnemonic = "train.momentum"
    prefix = "Momentum"
    scalars = ("lr", "momentum",)

    def __init__(
        self,
        lr: float,
        momentum: float = 0.9,
        nesterov: bool = False,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "momentum": number("momentum", momentum),
                "nesterov": flag("nesterov", nesterov),
            }, name,
        )


class Muon(Optimizer):
    """Momentum that is made orthogonal.

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

    Variables: `Muon/iterations` (i64), `Muon/lr`, `Muon/momentum`,
    `Muon/weight_decay`, `Muon/adam_lr`. Slots: `<parameter>/Muon` (m),
    `<parameter>/Muon_1` (v, where it is not a matrix). `name` as in `#train.sgd`.
    """

    mnemonic = "train.muon"
    prefix = "Muon"
    scalars = ("iterations", "lr", "momentum", "weight_decay", "adam_lr",)

    def __init__(
        self,
        lr: float = 0.02,
        momentum: float = 0.95,
        nesterov: bool = True,
        weight_decay: float = 0.0,
        adam_lr: float = 0.0003,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "momentum": number("momentum", momentum),
                "nesterov": flag("nesterov", nesterov),
                "weight_decay": number("weight_decay", weight_decay),
                "adam_lr": number("adam_lr", adam_lr),
            }, name,
        )


class NAdamW(Optimizer):
    """Nesterov Adam with decoupled weight decay.

    Dozat, 2016, without its schedule of momentum, and the weight decay of
    Loshchilov and Hutter, 2019: Optax's `nadamw`. t = iterations + 1;
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    h = beta_1 m' / (1 - beta_1^(t + 1)) + (1 - beta_1) g / (1 - beta_1^t);
    p' = p - lr (h / (sqrt(v' / (1 - beta_2^t)) + epsilon) + weight_decay p).

    Written `#train.nadamw<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8, weight_decay = 0.0001>`: these are the defaults.

    Variables: `NAdamW/iterations` (i64), `NAdamW/lr`, `NAdamW/beta_1`,
    `NAdamW/beta_2`, `NAdamW/weight_decay`. Slots: `<parameter>/NAdamW` (m),
    `<parameter>/NAdamW_1` (v). `name` as in `#train.sgd`.
    """

    mnemonic = "train.nadamw"
    prefix = "NAdamW"
    scalars = ("iterations", "lr", "beta_1", "beta_2", "weight_decay",)

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-8,
        weight_decay: float = 0.0001,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "weight_decay": number("weight_decay", weight_decay),
            }, name,
        )


class Nadam(Optimizer):
    """Nadam, as in Keras 2.1.

    Dozat, 2016. t = iterations + 1; mu(t) = beta_1 (1 - 0.96^(t schedule_decay) / 2);
    S' = S mu(t), from 1, once a step; N = S' mu(t + 1);
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    h = (1 - mu(t)) g / (1 - S') + mu(t + 1) m' / (1 - N);
    p' = p - lr h / (sqrt(v' / (1 - beta_2^t)) + epsilon). `schedule_decay` is a
    constant.

    Written `#train.nadam<lr = 0.002, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-7, schedule_decay = 0.004>`: these are the defaults.

    Variables: `Nadam/iterations` (i64), `Nadam/lr`, `Nadam/beta_1`, `Nadam/beta_2`,
    `Nadam/m_schedule` (S). Slots: `<parameter>/Nadam` (m), `<parameter>/Nadam_1`
    (v). `name` as in `#train.sgd`.
    """

    mnemonic = "train.nadam"
    prefix = "Nadam"
    scalars = ("iterations", "lr", "beta_1", "beta_2", "m_schedule",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-7,
        schedule_decay: float = 0.004,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
                "schedule_decay": number("schedule_decay", schedule_decay),
            }, name,
        )


class RMSprop(Optimizer):
    """RMSprop, as in Keras 2.1.

    Tieleman and Hinton, 2012. a' = rho a + (1 - rho) g^2;
    p' = p - lr g / (sqrt(a') + epsilon). `decay` as in `#train.sgd`.

    Written `#train.rmsprop<lr = 0.001, rho = 0.9, epsilon = 1.0e-7, decay = 0.0>`:
    these are the defaults.

    Variables: `RMSprop/iterations` (i64), `RMSprop/lr`, `RMSprop/rho`, and
    `RMSprop/decay` where decay > 0. Slot: `<parameter>/RMSprop` (a). `name` as in
    `#train.sgd`.
    """

    mnemonic = "train.rmsprop"
    prefix = "RMSprop"
    scalars = ("iterations", "lr", "rho",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.001,
        rho: float = 0.9,
        epsilon: float = 1.0e-7,
        decay: float = 0.0,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "rho": number("rho", rho),
                "epsilon": number("epsilon", epsilon),
                "decay": number("decay", decay),
            }, name,
        )


class SGD(Optimizer):
    """Stochastic gradient descent with momentum, as in Keras 2.1.

    v' = momentum * v - lr * g; p' = p + v'; with `nesterov`,
    p' = p + momentum * v' - lr * g. If `decay` > 0 the rate of a step is
    lr / (1 + decay * iterations), with the counter from before the step.

    The velocity v is a slot where momentum is 0, too, as in Keras: the momentum is
    a variable. `#train.gradient_descent` has no slot.

    Written `#train.sgd<lr = 0.01, momentum = 0.0, decay = 0.0, nesterov = false>`:
    these are the defaults, and what is left out has its default.

    Variables: `SGD/iterations` (i64), `SGD/lr`, `SGD/momentum`, and `SGD/decay`
    where decay > 0. Slot: `<parameter>/SGD` (v). Variables change between steps
    without recompiling. With `name = "opt"` they are `opt/lr` and so on, and
    `<parameter>/opt`; see `train.minimize`.
    """

    mnemonic = "train.sgd"
    prefix = "SGD"
    scalars = ("iterations", "lr", "momentum",)
    scalars_if_positive = ("decay",)
    refuses_unconnected = True

    def __init__(
        self,
        lr: float = 0.01,
        momentum: float = 0.0,
        decay: float = 0.0,
        nesterov: bool = False,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "momentum": number("momentum", momentum),
                "decay": number("decay", decay),
                "nesterov": flag("nesterov", nesterov),
            }, name,
        )


class TFAdadelta(Optimizer):
    """Adadelta, as in tf.train.AdadeltaOptimizer.

    The formula of `#train.adadelta`, without a decay of the rate.

    Written `#train.tf_adadelta<lr = 0.001, rho = 0.95, epsilon = 1.0e-8>`: these
    are the defaults.

    Variables: `Adadelta/lr`, `Adadelta/rho`. Slots: `<parameter>/Adadelta` (a),
    `<parameter>/Adadelta_1` (d). `name` as in `#train.sgd`.
    """

    mnemonic = "train.tf_adadelta"
    prefix = "Adadelta"
    scalars = ("lr", "rho",)

    def __init__(
        self,
        lr: float = 0.001,
        rho: float = 0.95,
        epsilon: float = 1.0e-8,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "rho": number("rho", rho),
                "epsilon": number("epsilon", epsilon),
            }, name,
        )


class TFAdagrad(Optimizer):
    """Adagrad, as in tf.train.AdagradOptimizer.

    Duchi, Hazan and Singer, 2011. a' = a + g^2, from `initial_accumulator`, which
    is > 0; p' = p - lr g / sqrt(a'). Rows of a table that have no gradient are
    left alone, which takes for granted that the program assigns no a of 0.

    Written `#train.tf_adagrad<lr = 0.1, initial_accumulator = 0.1>`: `lr` has no
    default, the other is the default.

    Variable: `Adagrad/lr`. Slot: `<parameter>/Adagrad` (a). `name` as in `#train.sgd`.
    """

    mnemonic = "train.tf_adagrad"
    prefix = "Adagrad"
    scalars = ("lr",)

    def __init__(self, lr: float, initial_accumulator: float = 0.1, *, name: Optional[str] = None) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "initial_accumulator": number("initial_accumulator", initial_accumulator),
            }, name,
        )


class TFAdam(Optimizer):
    """Adam, as in tf.train.AdamOptimizer.

    `#train.adam` with epsilon 1e-8, and with the powers of beta_1 and beta_2 in
    variables: they start at beta_1 and beta_2 and are multiplied by them after
    each step. lr_t = lr sqrt(1 - beta2_power) / (1 - beta1_power);
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    p' = p - lr_t m' / (sqrt(v') + epsilon).

    Written `#train.tf_adam<lr = 0.001, beta_1 = 0.9, beta_2 = 0.999,
    epsilon = 1.0e-8>`: these are the defaults.

    Variables: `Adam/lr`, `Adam/beta_1`, `Adam/beta_2`, `Adam/beta1_power`,
    `Adam/beta2_power`. Slots: `<parameter>/Adam` (m), `<parameter>/Adam_1` (v).
    `name` as in `#train.sgd`.
    """

    mnemonic = "train.tf_adam"
    prefix = "Adam"
    scalars = ("lr", "beta_1", "beta_2", "beta1_power", "beta2_power",)

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1.0e-8,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "beta_1": number("beta_1", beta_1),
                "beta_2": number("beta_2", beta_2),
                "epsilon": number("epsilon", epsilon),
            }, name,
        )


class TFRMSProp(Optimizer):
    """RMSProp, as in tf.train.RMSPropOptimizer.

    Tieleman and Hinton, 2012; `centered` is by Graves, 2013.
    s' = decay s + (1 - decay) g^2, from 1;
    m' = momentum m + lr g / sqrt(s' + epsilon); p' = p - m'. With `centered`,
    c' = decay c + (1 - decay) g, and max(s' - c'^2, 0) + epsilon is under the
    root: rounding may take the variance below 0, where TensorFlow makes NaN.

    Written `#train.tf_rmsprop<lr = 0.1, decay = 0.9, momentum = 0.0,
    epsilon = 1.0e-10, centered = false>`: `lr` has no default, the others are
    the defaults.

    Variables: `RMSProp/lr`, `RMSProp/decay`, `RMSProp/momentum`. Slots:
    `<parameter>/RMSProp` (s), then c where it is centered, then m: the next ones
    are `<parameter>/RMSProp_1` and `<parameter>/RMSProp_2`. `name` as in
    `#train.sgd`.
    """

    mnemonic = "train.tf_rmsprop"
    prefix = "RMSProp"
    scalars = ("lr", "decay", "momentum",)

    def __init__(
        self,
        lr: float,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1.0e-10,
        centered: bool = False,
        *,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(
            {
                "lr": number("lr", lr),
                "decay": number("decay", decay),
                "momentum": number("momentum", momentum),
                "epsilon": number("epsilon", epsilon),
                "centered": flag("centered", centered),
            }, name,
        )
