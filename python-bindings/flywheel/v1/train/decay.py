# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates that change with the global step t: scalar tensors of the dtype of the first rate, by default
float32."""

import math
from typing import Any, Optional, Sequence

from ..conversion import as_tensor, constant
from ..elementwise import TABLE
from ..graph import get_default_graph
from ..ops import cast, where

_multiply, _divide, _add, _subtract = (TABLE[k] for k in ("multiply", "divide", "add", "subtract"))
_floor, _minimum, _pow = TABLE["floor"], TABLE["minimum"], TABLE["pow"]


def _begin(rate: Any, step: Any, what: str) -> Any:
    """Returns the rate, and the step in its dtype."""
    if step is None:
        raise ValueError(f"global_step is required for {what}.")
    lr = as_tensor(float(rate) if isinstance(rate, int) else rate)
    return lr, cast(step, lr.dtype)


def _share(step: Any, steps: Any, staircase: bool = False) -> Any:
    """Returns the step over `steps`; with `staircase` rounded down."""
    share = _divide(step, cast(as_tensor(steps), step.dtype))
    return _floor(share) if staircase else share


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """learning_rate decay_rate^(t / decay_steps); with `staircase` the exponent is rounded down."""
    with get_default_graph().name_scope(name or "ExponentialDecay"):
        lr, t = _begin(learning_rate, global_step, "exponential_decay")
        return _multiply(lr, _pow(cast(as_tensor(decay_rate), lr.dtype), _share(t, decay_steps, staircase)))


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: Optional[str] = None) -> Any:
    """values[0] up to and with the step boundaries[0], values[1] up to boundaries[1], and so on. Raises ValueError
    unless there is one value more than boundaries, and boundaries rise."""
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values, found "
                         f"{len(boundaries)} and {len(values)}")  # fmt: skip
    if any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError(f"boundaries should be in increasing order, found {list(boundaries)}")
    with get_default_graph().name_scope(name or "PiecewiseConstant"):
        step = as_tensor(x)
        for b in boundaries:
            if isinstance(b, float) and not (b.is_integer() or step.dtype.kind == "f"):
                raise ValueError(f"boundaries have the dtype of the step, found {b}")
        rate = as_tensor(values[-1])
        for b, value in zip(reversed(boundaries), reversed(values[:-1])):
            rate = where(TABLE["less_equal"](step, cast(as_tensor(b), step.dtype)), as_tensor(value, rate.dtype), rate)
        return rate


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: float = 0.0001, power: float = 1.0,
    cycle: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """(learning_rate - end) (1 - t / decay_steps)^power + end, where t ends at decay_steps. With `cycle` it is
    decay_steps that grow instead, to the next multiple of theirs above t."""
    with get_default_graph().name_scope(name or "PolynomialDecay"):
        lr, t = _begin(learning_rate, global_step, "polynomial_decay")
        steps = cast(as_tensor(decay_steps), lr.dtype)
        if cycle:
            times = TABLE["ceil"](_divide(t, steps))
            steps = _multiply(steps, TABLE["maximum"](times, 1.0))
        else:
            t = _minimum(t, steps)
        left = _subtract(1.0, _divide(t, steps))
        return _add(_multiply(_subtract(lr, end_learning_rate), _pow(left, float(power))), end_learning_rate)


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """learning_rate exp(-decay_rate t / decay_steps)."""
    with get_default_graph().name_scope(name or "NaturalExpDecay"):
        lr, t = _begin(learning_rate, global_step, "natural_exp_decay")
        power = _multiply(cast(as_tensor(decay_rate), lr.dtype), _share(t, decay_steps, staircase))
        return _multiply(lr, TABLE["exp"](TABLE["negative"](power)))


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """learning_rate / (1 + decay_rate t / decay_steps)."""
    with get_default_graph().name_scope(name or "InverseTimeDecay"):
        lr, t = _begin(learning_rate, global_step, "inverse_time_decay")
        share = _share(t, decay_steps, staircase)
        return _divide(lr, _add(1.0, _multiply(cast(as_tensor(decay_rate), lr.dtype), share)))


def _cosine(share: Any) -> Any:
    """(1 + cos(pi x)) / 2."""
    return _multiply(0.5, _add(1.0, TABLE["cos"](_multiply(math.pi, share))))


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: Optional[str] = None
) -> Any:
    """learning_rate ((1 - alpha) (1 + cos(pi t / decay_steps)) / 2 + alpha), where t ends at decay_steps (Loshchilov
    and Hutter, 2017)."""
    with get_default_graph().name_scope(name or "CosineDecay"):
        lr, t = _begin(learning_rate, global_step, "cosine_decay")
        share = _share(_minimum(t, cast(as_tensor(decay_steps), lr.dtype)), decay_steps)
        return _multiply(lr, _add(_multiply(1.0 - alpha, _cosine(share)), alpha))


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: float = 2.0, m_mul: float = 1.0,
    alpha: float = 0.0, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """`cosine_decay` again and again: each time over `t_mul` times the steps, from `m_mul` times the rate."""
    with get_default_graph().name_scope(name or "SGDRDecay"):
        lr, t = _begin(learning_rate, global_step, "cosine_decay_restarts")
        done = _share(t, first_decay_steps)
        if t_mul == 1.0:
            restarts = _floor(done)
            share = _subtract(done, restarts)
        else:
            grown = _divide(TABLE["log"](_subtract(1.0, _multiply(done, 1.0 - t_mul))), math.log(t_mul))
            restarts = _floor(grown)
            before = _divide(_subtract(1.0, _pow(constant(t_mul, lr.dtype), restarts)), 1.0 - t_mul)
            share = _divide(_subtract(done, before), _pow(constant(t_mul, lr.dtype), restarts))
        scale = _multiply(_pow(constant(m_mul, lr.dtype), restarts), _cosine(share))
        return _multiply(lr, _add(_multiply(1.0 - alpha, scale), alpha))


def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: float = 0.5, alpha: float = 0.0,
    beta: float = 0.001, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """learning_rate ((alpha + 1 - x) (1 + cos(2 pi num_periods x)) / 2 + beta), where x = t / decay_steps ends at 1
    (Bello et al., 2017)."""
    with get_default_graph().name_scope(name or "LinearCosineDecay"):
        lr, t = _begin(learning_rate, global_step, "linear_cosine_decay")
        share = _share(_minimum(t, cast(as_tensor(decay_steps), lr.dtype)), decay_steps)
        line = _add(alpha, _subtract(1.0, share))
        return _multiply(lr, _add(_multiply(line, _cosine(_multiply(2.0 * num_periods, share))), beta))
