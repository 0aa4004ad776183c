# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of PyTorch with a derivative of their own, as functions of this package with one."""

from typing import Any, List, Optional, Sequence

import torch

from .. import transforms as transforms
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from ._graph import Call, op
from ._module import Program
from ._own_functions import FUNCTIONS, NAME, OwnFunction


class _Forward(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, own: OwnFunction):
        super().__init__()
        self.own = own

    def forward(self, *tensors: Any) -> List[Any]:
        return self.own.forward(tensors)[0]


class _Backward(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, own: OwnFunction, count: int):
        super().__init__()
        self.own, self.count = own, count

    def forward(self, *given: Any) -> List[Any]:
        return self.own.backward(given[: self.count], given[self.count :])


@op(NAME)
def _own_derivative(call: Call, x: Sequence[Laid], number: int) -> List[Laid]:
    own, metas = FUNCTIONS[number], [node.meta["val"] for node in call.node.args[0]]
    if any(not isinstance(size, int) for meta in [*metas, *call.result] for size in meta.shape):
        raise call.unsupported(f"({own.name}) of a size that the call chooses")
    if any(meta.is_complex() for meta in [*metas, *call.result]):
        raise call.unsupported(f"({own.name}) of complex numbers")
    inputs, results = ([torch.ones(meta.shape, dtype=meta.dtype) for meta in found]
                       for found in (metas, call.result))  # fmt: skip
    cotangents = [one for one in results if one.is_floating_point()]
    forward = Program(_Forward(own), inputs, None)
    is_moving = [meta.is_floating_point() for meta in metas]

    def function(*given: Tensor) -> List[Tensor]:
        return list(forward.emit(given, {}, {}))

    def rule(*given: Tensor) -> List[Optional[Tensor]]:
        backward = Program(_Backward(own, len(inputs)), [*inputs, *cotangents], None)
        weights = [one for one in given[len(inputs) :] if _dtypes.is_floating(one.dtype)]
        found = iter(backward.emit([*given[: len(inputs)], *weights], {}, {}))
        return [next(found) if moves else None for moves in is_moving]

    derived = transforms.custom_vjp(function)
    derived.defvjp(rule)
    return [Laid(one) for one in derived(*[one.plain() for one in x])]
