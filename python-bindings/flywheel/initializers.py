# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""Initial values of variables."""

from typing import Optional

from ._core.argument_checks import number, optional_integer, optional_number
from ._variables.attributes import Constant, Initializer

__all__ = [
    "Constant", "GlorotUniform", "HeNormal", "Initializer", "Ones", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "Zeros",
]  # fmt: skip


class GlorotUniform(Initializer):
    """Uniform on (-L, L), L = sqrt(3 / max(1, (fan_in + fan_out) / 2)).

    Glorot and Bengio, 2010. Fans of a shape: `()` 1, 1; `[n]` n, n; `[a, b]`
    a, b; beyond rank 2 the last two dimensions, each times the product of the
    others. The default of a floating-point variable.
    """

    mnemonic = "train.glorot_uniform"

    def __init__(self, seed: Optional[int] = None) -> None:
        super().__init__({"seed": optional_integer("seed", seed)})


class HeNormal(Initializer):
    """Truncated normal with stddev sqrt(2 / fan_in).

    He et al., 2015, as in Keras 2.1: `#train.truncated_normal` with
    stddev = sqrt(2 / max(1, fan_in)). Fans as in `#train.glorot_uniform`.
    """

    mnemonic = "train.he_normal"

    def __init__(self, seed: Optional[int] = None) -> None:
        super().__init__({"seed": optional_integer("seed", seed)})


class Ones(Initializer):
    """Every element 1 (true)."""

    mnemonic = "train.ones"

    def __init__(self) -> None:
        super().__init__()


class RandomNormal(Initializer):
    """Normal draws."""

    mnemonic = "train.random_normal"

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Optional[int] = None) -> None:
        super().__init__(
            {
                "mean": number("mean", mean),
                "stddev": number("stddev", stddev),
                "seed": optional_integer("seed", seed),
            },
        )


class RandomUniform(Initializer):
    """Uniform draws from [minval, maxval).

    Half-open. Integer variables need integral bounds and an explicit `maxval`.
    Written `#train.random_uniform<minval = 0.0, maxval = 1.0, seed = 7>`; without
    a seed the stream is that of the variable's name.
    """

    mnemonic = "train.random_uniform"

    def __init__(self, minval: float = 0.0, maxval: Optional[float] = None, seed: Optional[int] = None) -> None:
        super().__init__(
            {
                "minval": number("minval", minval),
                "maxval": optional_number("maxval", maxval),
                "seed": optional_integer("seed", seed),
            },
        )


class TruncatedNormal(Initializer):
    """Normal draws, conditioned on mean +- 2 stddev.

    `stddev` is that of the untruncated normal; the draws have standard
    deviation 0.8796256610 * stddev. Sampled by inverting the truncated
    distribution function, which has the distribution of redrawing.
    """

    mnemonic = "train.truncated_normal"

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Optional[int] = None) -> None:
        super().__init__(
            {
                "mean": number("mean", mean),
                "stddev": number("stddev", stddev),
                "seed": optional_integer("seed", seed),
            },
        )


class Zeros(Initializer):
    """Every element 0 (false)."""

    mnemonic = "train.zeros"

    def __init__(self) -> None:
        super().__init__()
