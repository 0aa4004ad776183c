# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few names of `tf.contrib` that programs of all kinds have."""

from typing import Any, Callable, Optional

from . import nn as _nn
from .initializers import glorot_normal_initializer, glorot_uniform_initializer, variance_scaling_initializer
from .ops import TABLE


def _xavier(uniform: bool = True, seed: Any = None, dtype: Any = "float32") -> Any:
    return glorot_uniform_initializer(seed, dtype) if uniform else glorot_normal_initializer(seed, dtype)


def _regularizer(name: str, norm: Callable[[Any], Any]) -> Callable[..., Any]:
    def make(scale: float, scope: Optional[str] = None) -> Optional[Callable[[Any], Any]]:
        if isinstance(scale, int):
            raise ValueError(f"scale cannot be an integer: {scale}")
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
        return (lambda _: None) if scale == 0.0 else lambda weights: TABLE["multiply"](norm(weights), scale)

    make.__name__ = name
    return make


class layers:  # noqa: N801
    """Initializers and regularizers."""

    xavier_initializer = staticmethod(_xavier)
    xavier_initializer_conv2d = staticmethod(_xavier)
    variance_scaling_initializer = variance_scaling_initializer
    l1_regularizer = staticmethod(_regularizer("l1_regularizer", lambda w: TABLE["reduce_sum"](TABLE["abs"](w))))
    l2_regularizer = staticmethod(_regularizer("l2_regularizer", lambda w: _nn.l2_loss(w)))


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.contrib.{name}; see docs/v1.md")
