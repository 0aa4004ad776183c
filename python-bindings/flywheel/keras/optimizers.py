# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers as of Keras 2.1: `get_updates` gives the updates of one step.

The rates are variables, which may be set between steps; slots begin as zeros.
"""

import functools
import inspect
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .._core.argument_checks import instance, number, text
from .._errors.hints import nearest
from .._errors.messages import about
from ..v1 import least_squares
from ..v1 import train as _train
from ..v1.graph import GraphKeys, get_default_graph
from ..v1.precision import rounded, widened
from . import backend as K
from ._names import Missing
from ._serialization import argument_names, build, custom_object_scope
from .legacy import interfaces as _legacy

_NONE = ("An operation has `None` for gradient. Please make sure that all of your ops have a gradient defined (i.e. "
         "are differentiable). Common ops without gradient: K.argmax, K.round, K.eval.")  # fmt: skip


def _state(value: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """Makes a variable that no optimizer updates."""
    found = K.variable(value, dtype, name)
    found.trainable = False
    get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES).remove(found)
    return found


def _epsilon(value: Optional[float]) -> float:
    found = K.epsilon() if value is None else number("epsilon", value)
    if not 0.0 <= found < float("inf"):
        raise ValueError(f"expected a finite epsilon >= 0, found {found}")
    return found


def _fraction(name: str, value: Any) -> None:
    value = number(name, value)
    if not 0.0 <= value < 1.0:
        raise ValueError(f"expected {name} in [0, 1), found {value}")


# Arguments of other versions of Keras, and their names here.
_INSTEAD = {
    "weight_decay": "AdamW(weight_decay=...), or kernel_regularizer of layers",
    "global_clipnorm": "clipnorm, which is that of all gradients together",
    "use_ema": "flywheel.ExponentialMovingAverage, or v1.train.ExponentialMovingAverage",
    "loss_scale_factor": "float32, or flywheel.function with an optimizer's loss_scale",
    "gradient_accumulation_steps": "a larger batch, or flywheel.microbatch",
    "jit_compile": "nothing: every step is compiled", "ema_momentum": "flywheel.ExponentialMovingAverage",
}  # fmt: skip


class Optimizer:
    """The base of all optimizers: clipping, weights, and the order of updates."""

    # Names of the arguments that are variables.
    rates: Tuple[str, ...] = ()
    lr: Any
    decay: Any
    slots: Tuple[str, ...] = ()
    # Names of the variables that are one for all parameters.
    counters: Tuple[str, ...] = ("iterations",)
    # True if the counter is the first of the weights (O13).
    counts_first = True

    def __init__(self, **kwargs: Any) -> None:
        for key in kwargs:
            if key not in ("clipnorm", "clipvalue"):
                more = _INSTEAD.get(key)
                known = [*argument_names(type(self)), "clipnorm", "clipvalue"]
                hint = f"; instead: {more}" if more else nearest(key, known)
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}{hint}")
        self.updates: List[Any] = []
        self.weights: List[Any] = []
        self._slots: Dict[Tuple[str, Any], Any] = {}
        if "clipnorm" in kwargs:
            self.clipnorm = kwargs["clipnorm"]
        if "clipvalue" in kwargs:
            self.clipvalue = kwargs["clipvalue"]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Lets the rate be called `learning_rate`, as Keras does since 2.3."""
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__init__")
        if own is None or "lr" not in inspect.signature(own).parameters:
            return

        @functools.wraps(own)
        def init(self: Any, *args: Any, **given: Any) -> None:
            if "learning_rate" in given:
                if args or "lr" in given:
                    raise TypeError("expected the learning rate once, found 'learning_rate' and 'lr'")
                given["lr"] = given.pop("learning_rate")
            if callable(args[0] if args else given.get("lr")):
                raise about("flywheel.keras.optimizers", NotImplementedError(
                    "a schedule as the learning rate; instead: callbacks.LearningRateScheduler, or "
                    "decay="))  # fmt: skip
            own(self, *args, **given)

        cls.__init__ = init  # type: ignore[method-assign]

    @property
    def learning_rate(self) -> Any:
        """The variable of the rate, which is `lr` too."""
        return self.lr

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        K.set_value(self.lr, rate)

    def _variables(self, **values: Any) -> None:
        for name in ("rho", "beta_1", "beta_2"):
            if name in values:
                _fraction(name, values[name])
        for name, value in values.items():
            if not np.isfinite(number(name, value)):
                raise ValueError(f"expected a finite {name}, found {value}")
            if name in ("momentum", "decay", "weight_decay") and value < 0:
                raise ValueError(f"expected a finite {name} >= 0, found {value}")
        scope = get_default_graph()
        with scope.name_scope(type(self).__name__):
            self.iterations = _state(0, "int64", "iterations")
            for key, value in values.items():
                setattr(self, key, _state(value, None, key))
        self.initial_decay = values.get("decay", 0.0)

    # One step

    def get_gradients(self, loss: Any, params: Any) -> List[Any]:
        """The gradients, cut to `clipnorm` and `clipvalue`. Raises ValueError where one is None (O11)."""
        found = K.gradients(loss, params)
        if any(g is None for g in found):
            raise ValueError(_NONE)
        clipnorm = getattr(self, "clipnorm", None) or 0
        if clipnorm > 0:
            wide = [widened(g) for g in found]
            total = K.sum(K.square(wide[0]))
            for g in wide[1:]:
                total = total + K.cast(K.sum(K.square(g)), total.dtype)
            norm = K.sqrt(total)
            scale = K.switch(K.greater_equal(norm, clipnorm), clipnorm / norm, K.ones_like(norm))
            found = [rounded(y * K.cast(scale, y.dtype), g.dtype) for g, y in zip(found, wide)]
        clipvalue = getattr(self, "clipvalue", None) or 0
        if clipvalue > 0:
            found = [K.clip(g, -clipvalue, clipvalue) for g in found]
        return found

    @_legacy.get_updates
    def get_updates(self, loss: Any, params: Any) -> List[Any]:
        """The updates of a step that makes `loss` smaller, and new slots (R5, R6)."""
        params = list(params)
        gradients = self.get_gradients(loss, params)
        slots = [[_state(np.zeros(self._slot_shape(s, K.int_shape(p))), p.dtype) for p in params]
                 for s in self.slots]  # fmt: skip
        # One for each kind of slot and each parameter.
        self._slots = {(kind, p): slot for kind, group in zip(self.slots, slots) for p, slot in zip(params, group)}
        self.updates = [K.update_add(self.iterations, 1)]
        self.weights = [*([self.iterations] if self.counts_first else []), *[s for group in slots for s in group]]
        lr = self._rate()
        shared = self._begin(lr)
        for i, (p, g) in enumerate(zip(params, gradients)):
            own = [group[i] for group in slots]
            new_p, new_slots = self._step(p, g, own, {k: K.cast(x, p.dtype) for k, x in shared.items()})
            for slot, value in zip(own, new_slots):
                if value is not None:
                    self.updates.append(K.update(slot, value))
            constraint = getattr(p, "constraint", None)
            if constraint is not None:
                new_p = constraint(new_p)
            self.updates.append(K.update(p, new_p))
        return self.updates

    def _rate(self) -> Any:
        lr = self.lr
        if self.initial_decay > 0:
            steps = K.cast(self.iterations, K.dtype(self.decay))
            lr = lr * (1.0 / (1.0 + self.decay * steps))
        return lr

    def _time(self) -> Any:
        return K.cast(self.iterations, K.floatx()) + 1

    def _slot_shape(self, slot: str, shape: Any) -> Any:
        return shape

    def _begin(self, lr: Any) -> Dict[str, Any]:
        """Returns the values that the steps of all parameters share."""
        return {"lr": lr}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        """Returns the new parameter, and new slots."""
        raise NotImplementedError

    # State

    def state(self, names: Dict[Any, str]) -> Dict[str, Any]:
        """All variables of the optimizer but its rates, which the configuration has: by kind and name of the
        parameter."""
        found = {key: getattr(self, key) for key in self.counters if hasattr(self, key)}
        found.update({f"{kind}/{names[p]}": slot for (kind, p), slot in self._slots.items()})
        # A class of the program has no kinds of slots.
        found.update({f"weights/{i}": w for i, w in enumerate(self.weights) if all(w is not v for v in found.values())})
        return found

    def set_weights(self, weights: Any) -> None:
        """Sets `weights`, in their order."""
        if len(self.weights) != len(weights):
            raise ValueError(f"Length of the specified weight list ({len(weights)}) does not match the number of "
                             f"weights of the optimizer ({len(self.weights)})")  # fmt: skip
        for own, value in zip(self.weights, weights):
            if K.int_shape(own) != np.shape(value):
                raise about("Optimizer", ValueError(f"weight shape {K.int_shape(own)} not compatible with provided "
                                                    f"weight shape {np.shape(value)}"), " ")  # fmt: skip
        K.batch_set_value(list(zip(self.weights, weights)))

    def get_weights(self) -> List[Any]:
        return K.batch_get_value(self.weights)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an optimizer."""
        config = {key: float(K.get_value(getattr(self, key))) for key in self.rates}
        config.update({key: getattr(self, key) for key in self._constants})
        config.update({key: getattr(self, key) for key in ("clipnorm", "clipvalue") if hasattr(self, key)})
        return config

    _constants: Tuple[str, ...] = ()

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        return cls(**config)


class SGD(Optimizer):
    """v' = momentum v - lr g; p' = p + v', or with `nesterov` p + momentum v' - lr g (O2)."""

    rates = ("lr", "momentum", "decay")
    momentum: Any
    slots = ("velocity",)
    _constants = ("nesterov",)

    def __init__(
        self, lr: float = 0.01, momentum: float = 0.0, decay: float = 0.0, nesterov: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._variables(lr=lr, momentum=momentum, decay=decay)
        self.nesterov = nesterov

    def _begin(self, lr: Any) -> Dict[str, Any]:
        return {"lr": lr, "momentum": self.momentum}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        v = shared["momentum"] * slots[0] - shared["lr"] * g
        return (p + shared["momentum"] * v - shared["lr"] * g if self.nesterov else p + v), [v]


class RMSprop(Optimizer):
    """a' = rho a + (1 - rho) g^2; p' = p - lr g / (sqrt(a') + epsilon) (O3)."""

    rates = ("lr", "rho", "decay")
    rho: Any
    slots = ("accumulator",)
    counts_first = False
    _constants = ("epsilon",)

    def __init__(
        self, lr: float = 0.001, rho: float = 0.9, epsilon: Optional[float] = None, decay: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._variables(lr=lr, rho=rho, decay=decay)
        self.epsilon = _epsilon(epsilon)

    def _begin(self, lr: Any) -> Dict[str, Any]:
        return {"lr": lr, "rho": self.rho}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        a = shared["rho"] * slots[0] + (1.0 - shared["rho"]) * K.square(g)
        return p - shared["lr"] * g / (K.sqrt(a) + self.epsilon), [a]


class Adagrad(Optimizer):
    """a' = a + g^2; p' = p - lr g / (sqrt(a') + epsilon) (O4)."""

    rates = ("lr", "decay")
    slots = ("accumulator",)
    counts_first = False
    _constants = ("epsilon",)

    def __init__(self, lr: float = 0.01, epsilon: Optional[float] = None, decay: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._variables(lr=lr, decay=decay)
        self.epsilon = _epsilon(epsilon)

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        a = slots[0] + K.square(g)
        return p - shared["lr"] * g / (K.sqrt(a) + self.epsilon), [a]


class Adadelta(Optimizer):
    """a' = rho a + (1 - rho) g^2; u = g sqrt(d + epsilon) / sqrt(a' + epsilon); p' = p - lr u;
    d' = rho d + (1 - rho) u^2 (O5)."""

    rates = ("lr", "decay")
    slots = ("accumulator", "delta")
    counts_first = False
    _constants = ("rho", "epsilon")

    def __init__(
        self, lr: float = 1.0, rho: float = 0.95, epsilon: Optional[float] = None, decay: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._variables(lr=lr, decay=decay)
        _fraction("rho", rho)
        self.rho = rho
        self.epsilon = _epsilon(epsilon)

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        a, d = slots
        a = self.rho * a + (1.0 - self.rho) * K.square(g)
        u = g * K.sqrt(d + self.epsilon) / K.sqrt(a + self.epsilon)
        return p - shared["lr"] * u, [a, self.rho * d + (1.0 - self.rho) * K.square(u)]


class _Moments(Optimizer):
    """Optimizers that keep the means of g and of g^2."""

    rates: Tuple[str, ...] = ("lr", "beta_1", "beta_2", "decay")
    beta_1: Any
    beta_2: Any
    _constants: Tuple[str, ...] = ("epsilon",)

    def _moments(
        self, lr: float, beta_1: float, beta_2: float, epsilon: Optional[float], decay: float, kwargs: Any
    ) -> None:
        Optimizer.__init__(self, **kwargs)
        self._variables(lr=lr, beta_1=beta_1, beta_2=beta_2, decay=decay)
        self.epsilon = _epsilon(epsilon)

    def _betas(self) -> Dict[str, Any]:
        return {"beta_1": self.beta_1, "beta_2": self.beta_2}


class Adam(_Moments):
    """m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    lr_t = lr sqrt(1 - beta_2^t) / (1 - beta_1^t); p' = p - lr_t m' / (sqrt(v') + epsilon). With `amsgrad` the
    largest v' so far is under the root (O6)."""

    slots = ("m", "v", "vhat")
    _constants = ("epsilon", "amsgrad")

    def __init__(
        self, lr: float = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: Optional[float] = None,
        decay: float = 0.0, amsgrad: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._moments(lr, beta_1, beta_2, epsilon, decay, kwargs)
        self.amsgrad = amsgrad

    def _slot_shape(self, slot: str, shape: Any) -> Any:
        return shape if slot != "vhat" or self.amsgrad else (1,)

    def _begin(self, lr: Any) -> Dict[str, Any]:
        own, t = self._betas(), self._time()
        return {**own, "lr": lr * (K.sqrt(1.0 - K.pow(own["beta_2"], t)) / (1.0 - K.pow(own["beta_1"], t)))}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        m = shared["beta_1"] * slots[0] + (1.0 - shared["beta_1"]) * g
        v = shared["beta_2"] * slots[1] + (1.0 - shared["beta_2"]) * K.square(g)
        h = K.maximum(slots[2], v) if self.amsgrad else None
        return p - shared["lr"] * m / (K.sqrt(v if h is None else h) + self.epsilon), [m, v, h]


class AdamW(Adam):
    """Adam, after p' = p - lr weight_decay p (Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019), as
    Keras 3 computes it (O31)."""

    rates = ("lr", "beta_1", "beta_2", "decay", "weight_decay")
    weight_decay: Any

    def __init__(
        self, lr: float = 0.001, weight_decay: float = 0.004, beta_1: float = 0.9, beta_2: float = 0.999,
        epsilon: Optional[float] = None, amsgrad: bool = False, decay: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        Optimizer.__init__(self, **kwargs)
        self._variables(lr=lr, beta_1=beta_1, beta_2=beta_2, decay=decay, weight_decay=weight_decay)
        self.epsilon = _epsilon(epsilon)
        self.amsgrad = amsgrad

    def _begin(self, lr: Any) -> Dict[str, Any]:
        return {**super()._begin(lr), "shrink": 1.0 - lr * self.weight_decay}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        return super()._step(p * shared["shrink"], g, slots, shared)


class Lion(_Moments):
    """p' = p - lr sign(beta_1 m + (1 - beta_1) g); m' = beta_2 m + (1 - beta_2) g (Chen and others, Symbolic Discovery
    of Optimization Algorithms, 2023), as Keras 3 computes it; with `weight_decay` after p' = p - lr weight_decay p
    (O31)."""

    rates = ("lr", "beta_1", "beta_2", "decay", "weight_decay")
    slots = ("m",)
    _constants = ()
    weight_decay: Any

    def __init__(
        self, lr: float = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, weight_decay: float = 0.0,
        decay: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        Optimizer.__init__(self, **kwargs)
        self._variables(lr=lr, beta_1=beta_1, beta_2=beta_2, decay=decay, weight_decay=weight_decay)

    def _begin(self, lr: Any) -> Dict[str, Any]:
        return {**self._betas(), "lr": lr, "shrink": 1.0 - lr * self.weight_decay}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        direction = K.sign(shared["beta_1"] * slots[0] + (1.0 - shared["beta_1"]) * g)
        m = shared["beta_2"] * slots[0] + (1.0 - shared["beta_2"]) * g
        return p * shared["shrink"] - shared["lr"] * direction, [m]


class Adamax(_Moments):
    """m' as Adam; u' = max(beta_2 u, |g|); p' = p - lr / (1 - beta_1^t) m' / (u' + epsilon) (O7)."""

    slots = ("m", "u")

    def __init__(
        self, lr: float = 0.002, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: Optional[float] = None,
        decay: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._moments(lr, beta_1, beta_2, epsilon, decay, kwargs)

    def _begin(self, lr: Any) -> Dict[str, Any]:
        own = self._betas()
        return {**own, "lr": lr / (1.0 - K.pow(own["beta_1"], self._time()))}

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        m = shared["beta_1"] * slots[0] + (1.0 - shared["beta_1"]) * g
        u = K.maximum(shared["beta_2"] * slots[1], K.abs(g))
        return p - shared["lr"] * m / (u + self.epsilon), [m, u]


class Nadam(_Moments):
    """Adam with Nesterov's momentum, whose decay has a schedule (O8)."""

    rates = ("lr", "beta_1", "beta_2")
    slots = ("m", "v")
    counters = ("iterations", "m_schedule")
    _constants = ("epsilon", "schedule_decay")

    def __init__(
        self, lr: float = 0.002, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: Optional[float] = None,
        schedule_decay: float = 0.004, **kwargs: Any,
    ) -> None:  # fmt: skip
        Optimizer.__init__(self, **kwargs)
        self._variables(lr=lr, beta_1=beta_1, beta_2=beta_2)
        self.m_schedule = _state(1.0, None, "m_schedule")
        self.epsilon = _epsilon(epsilon)
        self.schedule_decay = schedule_decay

    def _begin(self, lr: Any) -> Dict[str, Any]:
        own, t = self._betas(), self._time()
        now, after = (own["beta_1"] * (1.0 - 0.5 * K.pow(0.96, x * self.schedule_decay)) for x in (t, t + 1))
        schedule = self.m_schedule * now
        self.updates.append(K.update(self.m_schedule, schedule))
        return {**own, "lr": lr, "now": now, "after": after, "s": schedule, "s_after": schedule * after,
                "v_scale": 1.0 - K.pow(own["beta_2"], t)}  # fmt: skip

    def _step(self, p: Any, g: Any, slots: Any, shared: Any) -> Any:
        m = shared["beta_1"] * slots[0] + (1.0 - shared["beta_1"]) * g
        v = shared["beta_2"] * slots[1] + (1.0 - shared["beta_2"]) * K.square(g)
        mean = (1.0 - shared["now"]) * (g / (1.0 - shared["s"])) + shared["after"] * (m / (1.0 - shared["s_after"]))
        return p - shared["lr"] * mean / (K.sqrt(v / shared["v_scale"]) + self.epsilon), [m, v]


class TFOptimizer(Optimizer):
    """An optimizer of `flywheel.v1.train`; `iterations` is its global step, and counts once a step (O29)."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self.optimizer = optimizer
        self.iterations = _state(0, "int64", "iterations")

    def get_updates(self, loss: Any, params: Any) -> List[Any]:
        pairs = self.optimizer.compute_gradients(loss, list(params))
        if any(g is None for g, _ in pairs):
            raise ValueError(_NONE)
        self.updates = [self.optimizer.apply_gradients(pairs, global_step=self.iterations)]
        return self.updates

    @property
    def weights(self) -> List[Any]:
        """Raises NotImplementedError: the variables are those of the optimizer inside."""
        raise about("flywheel.keras.optimizers.TFOptimizer", NotImplementedError("weights"))

    @weights.setter
    def weights(self, value: List[Any]) -> None:
        pass

    def get_config(self) -> Dict[str, Any]:
        raise about("flywheel.keras.optimizers.TFOptimizer", NotImplementedError("get_config"))

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        raise about("flywheel.keras.optimizers.TFOptimizer", NotImplementedError("from_config"))


class LevenbergMarquardt(Optimizer):
    """Levenberg and Marquardt's method: each step makes `max_iterations` iterations that lower half the sum of the
    squares of the residuals, y_pred - y_true of all outputs and samples of the batch, times the roots of their weights.

    A model trains with it if the losses are "mse", without penalties. A step begins with the `regularizer` that the one
    before ended with, or if it `restarts` with the first one. An iteration whose system has no solution is a rejected
    one. See `flywheel.math.optimizer.levenberg_marquardt`.
    """

    rates = ()

    def __init__(self, regularizer: float = 0.1, regularizer_multiplier: float = 10.0, max_iterations: int = 1,
                 restarts: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.regularizer = number("regularizer", regularizer)
        self.regularizer_multiplier = number("regularizer_multiplier", regularizer_multiplier)
        self.max_iterations, self.restarts = max_iterations, restarts
        with get_default_graph().name_scope(type(self).__name__):
            self.iterations = _state(0, "int64", "iterations")
            self._damping = _state(self.regularizer, None, "regularizer")
        self.weights = [self.iterations, self._damping]

    def get_updates(self, loss: Any, params: Any) -> List[Any]:
        raise about("LevenbergMarquardt", ValueError(
            "takes residuals, not a loss: compile a model with it, or use "
            "flywheel.math.optimizer.levenberg_marquardt.minimize"), " ")  # fmt: skip

    def get_updates_of(self, residuals: List[Any], params: Any) -> List[Any]:
        """The updates of a step that lowers half the sum of the squares of residuals. Raises ValueError for weights
        with a constraint, which a step would have to solve for."""
        for one in params:
            if getattr(one, "constraint", None) is not None:
                raise about("LevenbergMarquardt", ValueError("takes weights without constraints, found one of "
                                                             f"'{one.op_name}'"), " ")  # fmt: skip
        start = self.regularizer if self.restarts else K.cast(self._damping, params[0].dtype)
        op = least_squares.search([lambda *_, r=r: r for r in residuals], list(params), self.max_iterations, start,
                                  self.regularizer_multiplier, "reject")  # fmt: skip
        # A regularizer of 0 would stay 0.
        last = K.clip(K.cast(op.outputs[-1], self._damping.dtype), 1e-20, 1e20)
        self.updates = [K.update_add(self.iterations, 1), op, K.update(self._damping, last)]
        return self.updates

    def get_config(self) -> Dict[str, Any]:
        return {"regularizer": self.regularizer, "regularizer_multiplier": self.regularizer_multiplier,
                "max_iterations": self.max_iterations, "restarts": self.restarts}  # fmt: skip


sgd, rmsprop, adagrad, adadelta, adam, adamax, nadam = SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam
_CLASSES = {c.__name__.lower(): c for c in (
    SGD, RMSprop, Adagrad, Adadelta, Adam, AdamW, Adamax, LevenbergMarquardt, Lion, Nadam)}  # fmt: skip


def serialize(optimizer: Optimizer) -> Dict[str, Any]:
    instance("optimizer", optimizer, Optimizer, "an optimizer")
    return {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}


def deserialize(config: Dict[str, Any], custom_objects: Optional[Dict[str, Any]] = None) -> Any:
    """The optimizer of what `serialize` gave."""
    instance("config", config, dict, "a dict")
    with custom_object_scope(custom_objects):
        # Names may be written in lower case.
        known = {**_CLASSES, **{c.__name__: c for c in _CLASSES.values()}}
        name = text("class_name", config.get("class_name", ""))
        if name.lower() in _CLASSES:
            # As Keras does.
            config["class_name"] = name.lower()
        return build({**config, "class_name": name if name in known else name.lower()} if name.lower() in known else
                     config, known, "optimizer")  # fmt: skip


def get(identifier: Any) -> Any:
    """An optimizer, by its name, its configuration, or as it is."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, _train.Optimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    if isinstance(identifier, dict):
        return deserialize(identifier)
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")


__getattr__ = Missing("keras.optimizers", __name__, {
    "schedules": "callbacks.LearningRateScheduler, or decay=", "Adafactor": "flywheel.optimizers.Adafactor",
    "Lamb": "flywheel.optimizers.LAMB", "Muon": "flywheel.optimizers.Muon", "Ftrl": "flywheel.optimizers.Ftrl",
    "LossScaleOptimizer": "flywheel.optimizers with loss_scale", "legacy": "the optimizers of this module",
})  # fmt: skip
