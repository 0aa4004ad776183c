# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws of the gamma and Poisson distributions, which Python makes before a run."""

from typing import Any, Optional

import numpy as np

from .._core import dtypes as _dtypes
from .conversion import as_tensor, dtype_of
from .host_calls import host_call
from .operation import Tensor
from .random_ops import generator_of
from .shapes import known_sizes


def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = _dtypes.float32, seed: Any = None, name: Optional[str] = None
) -> Tensor:
    """[*shape, *parameters]: draws of concentration alpha and rate beta. They have no derivatives."""
    kind, sizes = dtype_of(dtype), known_sizes(shape)
    a, b = as_tensor(alpha, kind), as_tensor(1.0 if beta is None else beta, kind)
    draw = generator_of("RandomGamma", seed)

    def call(session: Any, one: Any, other: Any) -> Any:
        form = np.broadcast_shapes(one.shape, other.shape)
        return np.asarray(draw(session).gamma(one, 1.0 / other, (*sizes, *form)), kind)

    return host_call("RandomGamma", call, [a, b], [(kind, None)], name)[0].outputs[0]


def random_poisson(
    lam: Any, shape: Any, dtype: Any = _dtypes.float32, seed: Any = None, name: Optional[str] = None
) -> Tensor:
    """[*shape, *rates]: draws of numbers of events of a rate."""
    kind, sizes, rate = dtype_of(dtype), known_sizes(shape), as_tensor(lam, _dtypes.float32)
    draw = generator_of("RandomPoisson", seed)

    def call(session: Any, one: Any) -> Any:
        return np.asarray(draw(session).poisson(one, (*sizes, *one.shape)), kind)

    return host_call("RandomPoisson", call, [rate], [(kind, None)], name)[0].outputs[0]


__all__ = ["random_gamma", "random_poisson"]
