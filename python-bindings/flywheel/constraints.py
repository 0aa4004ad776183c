# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""Projections that optimizers apply to new values."""

from ._core.argument_checks import integer, number
from ._variables.attributes import Constraint

__all__ = [
    "Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm",
]  # fmt: skip


class MaxNorm(Constraint):
    """Norms along an axis are at most `max`.

    p = p * min(n, max) / (1e-7 + n), where n is the Euclidean norm along `axis`,
    as Keras' `MaxNorm`. Written `#train.max_norm<max = 2.0, axis = 0>`: these are
    the defaults.

    Example: `[[3, 0.3], [4, 0.4]]` becomes `[[1.2, 0.3], [1.6, 0.4]]`.
    """

    mnemonic = "train.max_norm"

    def __init__(self, max: float = 2.0, axis: int = 0) -> None:
        super().__init__({"max": number("max", max), "axis": integer("axis", axis)})


class MinMaxNorm(Constraint):
    """Norms along an axis are between `min` and `max`.

    p = p * (rate * clip(n, min, max) + (1 - rate) * n) / (1e-7 + n), where n is
    the Euclidean norm along `axis`, as Keras' `MinMaxNorm`. Written
    `#train.min_max_norm<min = 0.0, max = 1.0, rate = 1.0, axis = 0>`: these are
    the defaults. A `rate` below 1 goes only part of the way.

    Example: with min 1 and max 2, `[[3, 0.3], [4, 0.4]]` becomes
    `[[1.2, 0.6], [1.6, 0.8]]`.
    """

    mnemonic = "train.min_max_norm"

    def __init__(self, min: float = 0.0, max: float = 1.0, rate: float = 1.0, axis: int = 0) -> None:
        super().__init__(
            {
                "min": number("min", min),
                "max": number("max", max),
                "rate": number("rate", rate),
                "axis": integer("axis", axis),
            },
        )


class NonNeg(Constraint):
    """Elements are not negative.

    p = max(p, 0), as Keras' `NonNeg`. A NaN stays one.
    """

    mnemonic = "train.non_neg"

    def __init__(self) -> None:
        super().__init__()


class UnitNorm(Constraint):
    """Norms along an axis are 1.

    p = p / (1e-7 + n), where n is the Euclidean norm along `axis` (0 by
    default), as Keras' `UnitNorm`.

    Example: `[[3, 0.3], [4, 0.4]]` becomes `[[0.6, 0.6], [0.8, 0.8]]`.
    """

    mnemonic = "train.unit_norm"

    def __init__(self, axis: int = 0) -> None:
        super().__init__({"axis": integer("axis", axis)})
