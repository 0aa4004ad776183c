# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by scripts/generate-python: edit the TableGen sources instead.
"""Clauses of `minimize`, which add work around an optimizer."""

from ._core.argument_checks import integer, number
from ._variables.attributes import StructAttribute

__all__ = [
    "LossScale", "StructAttribute",
]  # fmt: skip


class LossScale(StructAttribute):
    """A scale of a loss, by which it is multiplied before it is differentiated.

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
    """

    mnemonic = "train.loss_scale"

    def __init__(
        self,
        initial: float = 65536.0,
        growth: float = 2.0,
        backoff: float = 0.5,
        growth_interval: int = 2000,
    ) -> None:
        super().__init__(
            {
                "initial": number("initial", initial),
                "growth": number("growth", growth),
                "backoff": number("backoff", backoff),
                "growth_interval": integer("growth_interval", growth_interval),
            },
        )
