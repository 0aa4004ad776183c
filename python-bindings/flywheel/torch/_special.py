# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions of aten, element by element."""

from typing import Callable, Dict

from .. import _ops
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._numerics import special as _special
from ._elementwise import unary
from ._graph import Call, op


def _digamma(x: Tensor) -> Tensor:
    """At 0 it is the infinity of the side that the zero is on."""
    is_zero = _ops.equal(x, 0.0)
    found = _special.digamma(_ops.where(is_zero, 1.0, x))
    infinite = _ops.copysign(_ops.full_like(x, float("inf")), _ops.negative(x))
    return _ops.where(is_zero, _ops.stop_gradient(infinite), found)


_FUNCTIONS: Dict[str, Callable[[Tensor], Tensor]] = {
    "digamma": _digamma, "erfinv": _special.erfinv, "special_ndtri": _special.ndtri, "special_erfcx": _special.erfcx,
    "special_log_ndtr": _special.log_ndtr, "i0": _special.i0, "special_i0e": _special.i0e, "special_i1": _special.i1,
    "special_i1e": _special.i1e, "special_modified_bessel_i0": _special.i0, "special_modified_bessel_i1": _special.i1,
    "special_modified_bessel_k0": _special.k0, "special_modified_bessel_k1": _special.k1,
    "special_bessel_j0": _special.j0, "special_bessel_j1": _special.j1, "special_bessel_y0": _special.y0,
    "special_bessel_y1": _special.y1,
}  # fmt: skip
for _name, _function in _FUNCTIONS.items():
    unary(f"{_name}.default", _function)


@op("polygamma.default")
def _polygamma(call: Call, n: int, x: Laid) -> Laid:
    data = _ops.cast(x.data, call.dtype)
    return x.like(_digamma(data) if n == 0 else _special.polygamma(n, data))
