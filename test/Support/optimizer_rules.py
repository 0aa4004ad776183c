# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of all optimizers in NumPy, in f64, apart from how the compiler has them.

Each is a class that holds one parameter with its slots. `RULES` has them by the name of
their attribute.
"""

from typing import Any, Dict, List, Tuple, Type

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Rule:
    """One parameter and its slots."""

    # Prefix of the names of its variables, and its hyper-parameters.
    scope = ""
    defaults: Dict[str, Any] = {}
    # The hyper-parameters that are variables, which may change between steps.
    variables: Tuple[str, ...] = ("lr",)
    # Options that are worth a test of their own, besides the defaults.
    variants: Tuple[Dict[str, Any], ...] = ()
    # The tolerances of a step in f32 and in f64.
    tolerances = (1e-5, 1e-9)
    # The largest second moment, for optimizers that stop there.
    largest = np.inf

    def __init__(self, p: Any, **options: Any) -> None:
        unknown = set(options) - set(self.defaults)
        assert not unknown, f"{type(self).__name__} has no {unknown}"
        self.p = np.array(p, np.float64)
        self.t = 0
        self.options = {**self.defaults, **options}
        self.slots = [np.asarray(slot, np.float64) for slot in self.start()]
        # Numbers that all parameters of the optimizer share.
        self.scalars: Dict[str, float] = {}

    def start(self) -> List[Any]:
        """The first values of the slots."""
        return []

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["options"][name]
        except KeyError:
            raise AttributeError(name) from None

    def rate(self) -> float:
        return float(self.lr / (1 + self.options.get("decay", 0.0) * self.t))

    def step(self, g: Any) -> None:
        new, self.slots = self.update(self.p, np.asarray(g, np.float64), self.slots, self.rate())
        self.p = np.asarray(new)
        self.t += 1

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        raise NotImplementedError


class SGD(Rule):
    """O2."""

    scope = "SGD"
    defaults = dict(lr=0.01, momentum=0.0, decay=0.0, nesterov=False)
    variables = ("lr", "momentum")
    variants = (dict(lr=0.1, momentum=0.9, decay=0.25, nesterov=True), dict(momentum=0.9))

    def start(self) -> List[Any]:
        return [0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        v = self.momentum * slots[0] - lr * g
        return (p + self.momentum * v - lr * g if self.nesterov else p + v), [v]


class RMSprop(Rule):
    """O3."""

    scope = "RMSprop"
    defaults = dict(lr=0.001, rho=0.9, epsilon=1e-7, decay=0.0)
    variables = ("lr", "rho")
    variants = (dict(lr=0.1, rho=0.5, epsilon=0.01, decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        a = self.rho * slots[0] + (1 - self.rho) * g**2
        return p - lr * g / (np.sqrt(a) + self.epsilon), [a]


class Adagrad(Rule):
    """O4."""

    scope = "Adagrad"
    defaults = dict(lr=0.01, epsilon=1e-7, decay=0.0)
    variants = (dict(lr=0.1, epsilon=0.01, decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        a = slots[0] + g**2
        return p - lr * g / (np.sqrt(a) + self.epsilon), [a]


class Adadelta(Rule):
    """O5."""

    scope = "Adadelta"
    defaults = dict(lr=1.0, rho=0.95, epsilon=1e-7, decay=0.0)
    variants = (dict(lr=0.5, rho=0.5, epsilon=0.01, decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p, 0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        a = self.rho * slots[0] + (1 - self.rho) * g**2
        u = g * np.sqrt(slots[1] + self.epsilon) / np.sqrt(a + self.epsilon)
        return p - lr * u, [a, self.rho * slots[1] + (1 - self.rho) * u**2]


class Adam(Rule):
    """O6."""

    scope = "Adam"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, decay=0.0, amsgrad=False)
    variables = ("lr", "beta_1", "beta_2")
    variants = (dict(lr=0.1, beta_2=0.9, epsilon=0.01, decay=0.5, amsgrad=True),)

    def start(self) -> List[Any]:
        return [0 * self.p] * (3 if self.options.get("amsgrad") else 2)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        t = self.t + 1
        m = self.beta_1 * slots[0] + (1 - self.beta_1) * g
        v = self.beta_2 * slots[1] + (1 - self.beta_2) * g**2
        rate = lr * np.sqrt(1 - self.beta_2**t) / (1 - self.beta_1**t)
        if not self.amsgrad:
            return p - rate * m / (np.sqrt(v) + self.epsilon), [m, v]
        h = np.maximum(slots[2], v)
        return p - rate * m / (np.sqrt(h) + self.epsilon), [m, v, h]


class Adamax(Rule):
    """O7."""

    scope = "Adamax"
    defaults = dict(lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=1e-7, decay=0.0)
    variables = ("lr", "beta_1", "beta_2")
    variants = (dict(lr=0.1, beta_2=0.9, epsilon=0.01, decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p, 0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        m = self.beta_1 * slots[0] + (1 - self.beta_1) * g
        u = np.maximum(self.beta_2 * slots[1], np.abs(g))
        return p - lr / (1 - self.beta_1 ** (self.t + 1)) * m / (u + self.epsilon), [m, u]


class Nadam(Rule):
    """O8."""

    scope = "Nadam"
    defaults = dict(lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=1e-7, schedule_decay=0.004)
    variables = ("lr", "beta_1", "beta_2")
    variants = (dict(lr=0.1, beta_1=0.8, beta_2=0.9, epsilon=0.01, schedule_decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p, 0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        t = self.t + 1
        mu, mu1 = (self.beta_1 * (1 - 0.5 * 0.96 ** (k * self.schedule_decay)) for k in (t, t + 1))
        s = self.scalars["m_schedule"] = self.scalars.get("m_schedule", 1.0) * mu
        m = self.beta_1 * slots[0] + (1 - self.beta_1) * g
        v = self.beta_2 * slots[1] + (1 - self.beta_2) * g**2
        bar = (1 - mu) * g / (1 - s) + mu1 * m / (1 - s * mu1)
        return p - lr * bar / (np.sqrt(v / (1 - self.beta_2**t)) + self.epsilon), [m, v]


class GradientDescent(Rule):
    """O21."""

    scope = "GradientDescent"
    defaults = dict(lr=0.1)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        return p - lr * g, []


class Momentum(Rule):
    """O22."""

    scope = "Momentum"
    defaults = dict(lr=0.1, momentum=0.9, nesterov=False)
    variables = ("lr", "momentum")
    variants = (dict(nesterov=True),)

    def start(self) -> List[Any]:
        return [0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        a = self.momentum * slots[0] + g
        return p - lr * (g + self.momentum * a if self.nesterov else a), [a]


class TFAdam(Rule):
    """O23."""

    scope = "Adam"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8)
    variables = ("lr", "beta_1", "beta_2")
    variants = (dict(lr=0.1, beta_1=0.5, beta_2=0.9, epsilon=0.01),)

    def start(self) -> List[Any]:
        return [0 * self.p, 0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        power1 = self.scalars.get("beta1_power", self.beta_1)
        power2 = self.scalars.get("beta2_power", self.beta_2)
        m = self.beta_1 * slots[0] + (1 - self.beta_1) * g
        v = self.beta_2 * slots[1] + (1 - self.beta_2) * g**2
        self.scalars.update(beta1_power=power1 * self.beta_1, beta2_power=power2 * self.beta_2)
        return p - lr * np.sqrt(1 - power2) / (1 - power1) * m / (np.sqrt(v) + self.epsilon), [m, v]


class TFAdagrad(Rule):
    """O24."""

    scope = "Adagrad"
    defaults = dict(lr=0.1, initial_accumulator=0.1)
    variants = (dict(lr=0.5, initial_accumulator=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p + self.initial_accumulator]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        a = slots[0] + g**2
        return p - lr * g / np.sqrt(a), [a]


class TFRMSProp(Rule):
    """O25. The slots are the mean of squares, that of gradients if centered, momentum."""

    scope = "RMSProp"
    defaults = dict(lr=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, centered=False)
    variables = ("lr", "decay", "momentum")
    variants = (dict(momentum=0.9), dict(decay=0.5, momentum=0.9, epsilon=0.01, centered=True))

    def start(self) -> List[Any]:
        return [0 * self.p + 1, *([0 * self.p] if self.options.get("centered") else []), 0 * self.p]

    def rate(self) -> float:
        return float(self.lr)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        squares = self.decay * slots[0] + (1 - self.decay) * g**2
        new, variance = [squares], squares
        if self.centered:
            mean = self.decay * slots[1] + (1 - self.decay) * g
            new.append(mean)
            variance = squares - mean**2
        momentum = self.momentum * slots[-1] + lr * g / np.sqrt(variance + self.epsilon)
        return p - momentum, [*new, momentum]


class Ftrl(Rule):
    """O26."""

    scope = "Ftrl"
    defaults = dict(lr=0.1, lr_power=-0.5, initial_accumulator=0.1, l1=0.0, l2=0.0, l2_shrinkage=0.0)
    variables = ("lr", "l1", "l2", "l2_shrinkage")
    variants = (dict(l1=0.5, l2=0.5, l2_shrinkage=0.1), dict(lr_power=-0.75, initial_accumulator=1.0, l1=0.1))

    def start(self) -> List[Any]:
        return [0 * self.p + self.initial_accumulator, 0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        n, z = slots
        if lr == 0:
            return p, slots
        new = n + g**2
        power = -self.lr_power
        z = z + g + 2 * self.l2_shrinkage * p - (new**power - n**power) / lr * p
        q = new**power / lr + 2 * self.l2
        return np.where(np.abs(z) > self.l1, (self.l1 * np.sign(z) - z) / q, 0.0), [new, z]


class TFAdadelta(Adadelta):
    """O27."""

    defaults = dict(lr=0.001, rho=0.95, epsilon=1e-8)
    variables = ("lr", "rho")
    variants = (dict(lr=0.5, rho=0.5, epsilon=0.01),)


class AdamW(Rule):
    """Loshchilov and Hutter, 2019, with PyTorch's decay."""

    scope = "AdamW"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8, weight_decay=0.01)
    variables = ("lr", "beta_1", "beta_2", "weight_decay")
    variants = (dict(lr=0.1, beta_1=0.5, beta_2=0.9, epsilon=0.01, weight_decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p, 0 * self.p]

    def moments(self, g: Array, slots: List[Array]) -> Tuple[Array, Array]:
        return self.beta_1 * slots[0] + (1 - self.beta_1) * g, self.beta_2 * slots[1] + (1 - self.beta_2) * g**2

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        m, v = self.moments(g, slots)
        t = self.t + 1
        p = p * (1 - lr * self.weight_decay)
        return p - lr * (m / (1 - self.beta_1**t)) / (np.sqrt(v / (1 - self.beta_2**t)) + self.epsilon), [m, v]


class NAdamW(AdamW):
    """Dozat, 2016, and Loshchilov and Hutter, 2019: Optax's form."""

    scope = "NAdamW"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8, weight_decay=1e-4)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        m, v = self.moments(g, slots)
        t = self.t + 1
        ahead = self.beta_1 * m / (1 - self.beta_1 ** (t + 1)) + (1 - self.beta_1) * g / (1 - self.beta_1**t)
        direction = ahead / (np.sqrt(v / (1 - self.beta_2**t)) + self.epsilon)
        return p - lr * (direction + self.weight_decay * p), [m, v]


class AdaBelief(AdamW):
    """Zhuang et al., 2020, algorithm 2."""

    scope = "AdaBelief"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-16, weight_decay=0.0)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        t = self.t + 1
        m = self.beta_1 * slots[0] + (1 - self.beta_1) * g
        s = self.beta_2 * slots[1] + (1 - self.beta_2) * (g - m) ** 2 + self.epsilon
        change = (m / (1 - self.beta_1**t)) / (np.sqrt(s / (1 - self.beta_2**t)) + self.epsilon)
        return p * (1 - lr * self.weight_decay) - lr * change, [m, s]


class Lion(Rule):
    """Chen et al., 2023."""

    scope = "Lion"
    defaults = dict(lr=1e-4, beta_1=0.9, beta_2=0.99, weight_decay=0.0)
    variables = ("lr", "beta_1", "beta_2", "weight_decay")
    variants = (dict(lr=0.1, beta_1=0.5, beta_2=0.8, weight_decay=0.5),)

    def start(self) -> List[Any]:
        return [0 * self.p]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        sign = np.sign(self.beta_1 * slots[0] + (1 - self.beta_1) * g)
        return p - lr * (sign + self.weight_decay * p), [self.beta_2 * slots[0] + (1 - self.beta_2) * g]


class LAMB(AdamW):
    """You et al., 2020, algorithm 2."""

    scope = "LAMB"
    defaults = dict(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-6, weight_decay=0.01)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        m, v = self.moments(g, slots)
        v = np.minimum(v, self.largest)
        t = self.t + 1
        u = (m / (1 - self.beta_1**t)) / (np.sqrt(v / (1 - self.beta_2**t)) + self.epsilon) + self.weight_decay * p
        norm, length = np.sqrt(np.sum(p**2)), np.sqrt(np.sum(u**2))
        return p - lr * (norm / length if norm != 0 and length != 0 else 1.0) * u, [m, v]


def rms(x: Array) -> Any:
    return np.sqrt(np.mean(x**2))


class Adafactor(Rule):
    """Shazeer and Stern, 2018, algorithms 4 and 5: sums, not means, of rows and columns."""

    scope = "Adafactor"
    defaults = dict(lr=0.01, decay_rate=0.8, epsilon_1=1e-30, epsilon_2=0.001, clip_threshold=1.0)
    variants = (dict(lr=0.9, decay_rate=0.5, epsilon_1=0.01, epsilon_2=2.0, clip_threshold=0.5),)

    def start(self) -> List[Any]:
        if self.p.ndim < 2:
            return [0 * self.p]
        return [np.zeros(self.p.shape[:-1]), np.zeros(self.p.shape[:-2] + self.p.shape[-1:])]

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        t = self.t + 1
        beta = 1 - t**-self.decay_rate
        squares = g**2 + self.epsilon_1
        if p.ndim < 2:
            new = [np.minimum(beta * slots[0] + (1 - beta) * squares, self.largest)]
            v = new[0]
        else:
            new = [np.minimum(beta * slot + (1 - beta) * squares.mean(axis), self.largest)
                   for slot, axis in zip(slots, (-1, -2))]
            rows, columns = new[0] * p.shape[-1], new[1] * p.shape[-2]
            v = rows[..., :, None] * columns[..., None, :] / rows.sum(-1)[..., None, None]
        u = g / np.sqrt(v)
        alpha = np.maximum(self.epsilon_2, rms(p)) * min(lr, 1 / np.sqrt(t))
        return p - alpha * u / np.maximum(1, rms(u) / self.clip_threshold), new


class Muon(Rule):
    """Jordan et al., 2024; a parameter that is not a matrix is AdamW's."""

    scope = "Muon"
    defaults = dict(lr=0.02, momentum=0.95, nesterov=True, weight_decay=0.0, adam_lr=0.0003)
    variables = ("lr", "momentum", "weight_decay", "adam_lr")
    variants = (dict(lr=0.1, momentum=0.5, nesterov=False, weight_decay=0.5, adam_lr=0.1),)
    # Five steps of a polynomial whose slope at 0 is 3.4445.
    tolerances = (2e-4, 1e-9)

    def start(self) -> List[Any]:
        return [0 * self.p] * (1 if self.p.ndim == 2 else 2)

    def update(self, p: Array, g: Array, slots: List[Array], lr: float) -> Tuple[Any, List[Any]]:
        if p.ndim != 2:
            other = AdamW(p, lr=self.adam_lr, beta_1=0.9, beta_2=0.95, epsilon=1e-10, weight_decay=self.weight_decay)
            other.t = self.t
            return other.update(p, g, slots, self.adam_lr)
        m = self.momentum * slots[0] + g
        x = g + self.momentum * m if self.nesterov else m
        x = x / (np.sqrt(np.sum(x**2)) + 1e-7)
        x = x.T if p.shape[0] > p.shape[1] else x
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        x = x.T if p.shape[0] > p.shape[1] else x
        return p * (1 - lr * self.weight_decay) - lr * np.sqrt(max(1, p.shape[0] / p.shape[1])) * x, [m]


# By the name of the attribute.
RULES: Dict[str, Type[Rule]] = {
    "sgd": SGD,
    "rmsprop": RMSprop,
    "adagrad": Adagrad,
    "adadelta": Adadelta,
    "adam": Adam,
    "adamax": Adamax,
    "nadam": Nadam,
    "gradient_descent": GradientDescent,
    "momentum": Momentum,
    "tf_adam": TFAdam,
    "tf_adagrad": TFAdagrad,
    "tf_rmsprop": TFRMSProp,
    "tf_adadelta": TFAdadelta,
    "ftrl": Ftrl,
    "adamw": AdamW,
    "nadamw": NAdamW,
    "adabelief": AdaBelief,
    "lion": Lion,
    "lamb": LAMB,
    "adafactor": Adafactor,
    "muon": Muon,
}


def spell(name: str, options: Dict[str, Any]) -> str:
    """The attribute, with a rate where it has to have one."""

    def number(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else f"{float(value):.17e}"

    options = {"lr": RULES[name].defaults["lr"], **options}
    return f"#train.{name}<{', '.join(f'{key} = {number(value)}' for key, value in options.items())}>"


def slot_names(parameter: str, name: str, count: int) -> List[str]:
    """The names of the first optimizer's slots."""
    scope = RULES[name].scope
    return [f"{parameter}/{scope}" + (f"_{index}" if index else "") for index in range(count)]
