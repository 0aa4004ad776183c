# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""Rates of learning by step."""

from typing import Sequence

from ._core.argument_checks import flag, integer, integers, number, numbers
from ._variables.attributes import Schedule

__all__ = [
    "ConstantRate", "CosineRate", "ExponentialRate", "OneCycleRate", "PiecewiseRate", "PolynomialRate",
    "Schedule",
]  # fmt: skip


class ConstantRate(Schedule):
    """The same rate in every step.

    `#train.constant_rate<rate = 0.1>`.
    """

    mnemonic = "train.constant_rate"

    def __init__(self, rate: float) -> None:
        super().__init__({"rate": number("rate", rate)})


class CosineRate(Schedule):
    """A rate that rises along a line and falls along a cosine.

    The rate of step t, from 0, is peak (t + 1) / warmup while t < warmup; then
    end + (peak - end) (1 + cos(pi x)) / 2, where x goes from 0 at warmup to 1 at
    `steps` and stays there (Loshchilov and Hutter, 2017, without restarts).

    `#train.cosine_rate<peak = 0.1, steps = 1000, warmup = 0, end = 0.0>`: the
    last two are the defaults.
    """

    mnemonic = "train.cosine_rate"

    def __init__(self, peak: float, steps: int, warmup: int = 0, end: float = 0.0) -> None:
        super().__init__(
            {
                "peak": number("peak", peak),
                "steps": integer("steps", steps),
                "warmup": integer("warmup", warmup),
                "end": number("end", end),
            },
        )


class ExponentialRate(Schedule):
    """A rate that is multiplied by a factor.

    initial factor^(t / steps), of step t from 0; with `staircase` the exponent is
    rounded down: tf.train.exponential_decay, and the schedule that drops the rate
    every few steps.

    `#train.exponential_rate<initial = 0.1, factor = 0.5, steps = 1000,
    staircase = false>`: `staircase` may be left out.
    """

    mnemonic = "train.exponential_rate"

    def __init__(self, initial: float, factor: float, steps: int, staircase: bool = False) -> None:
        super().__init__(
            {
                "initial": number("initial", initial),
                "factor": number("factor", factor),
                "steps": integer("steps", steps),
                "staircase": flag("staircase", staircase),
            },
        )


class OneCycleRate(Schedule):
    """A rate that rises to a peak and falls, once.

    Smith and Topin, 2018, as PyTorch's OneCycleLR: along cosines from peak / div
    to peak in the first `rise` of the steps, and from there to
    peak / (div final_div). The peak is at step rise steps - 1, the end at step
    steps - 1.

    `#train.one_cycle_rate<peak = 0.1, steps = 1000, rise = 0.3, div = 25.0,
    final_div = 10000.0>`: the last three are the defaults.
    """

    mnemonic = "train.one_cycle_rate"

    def __init__(
        self,
        peak: float,
        steps: int,
        rise: float = 0.3,
        div: float = 25.0,
        final_div: float = 10000.0,
    ) -> None:
        super().__init__(
            {
                "peak": number("peak", peak),
                "steps": integer("steps", steps),
                "rise": number("rise", rise),
                "div": number("div", div),
                "final_div": number("final_div", final_div),
            },
        )


class PiecewiseRate(Schedule):
    """A rate for each interval of steps.

    The first rate up to and with the step of the first boundary, and so on:
    tf.train.piecewise_constant. One rate more than boundaries, which increase.

    `#train.piecewise_rate<boundaries = [100, 200],
    rates = [0.1, 0.01, 0.001]>`.
    """

    mnemonic = "train.piecewise_rate"

    def __init__(self, boundaries: Sequence[int], rates: Sequence[float]) -> None:
        super().__init__({"boundaries": integers("boundaries", boundaries), "rates": numbers("rates", rates)})


class PolynomialRate(Schedule):
    """A rate that falls along a polynomial.

    (initial - end) (1 - min(t, steps) / steps)^power + end, of step t from 0:
    tf.train.polynomial_decay. With power 1 a line.

    `#train.polynomial_rate<initial = 0.1, steps = 1000, end = 0.0001,
    power = 1.0>`: the last two are the defaults.
    """

    mnemonic = "train.polynomial_rate"

    def __init__(self, initial: float, steps: int, end: float = 0.0001, power: float = 1.0) -> None:
        super().__init__(
            {
                "initial": number("initial", initial),
                "steps": integer("steps", steps),
                "end": number("end", end),
                "power": number("power", power),
            },
        )
