# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers in the function of a vmap: each position has draws of its own. They are drawn outside of it, for all
positions at once, and are arguments of the function."""

from typing import Any, List, NamedTuple, Optional, Sequence

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import Tensor, wrap
from .._ops.creation import zeros
from .._ops.emission import Size, static

__all__ = ["BatchedDraws", "draw"]


class _Draw(NamedTuple):
    attributes: _trace.Attributes
    dtype: Any
    dim_sizes: List[Size]


def draw(trace: _trace.Trace, attributes: _trace.Attributes, dtype: Any, dim_sizes: Sequence[Size]) -> Tensor:
    """Emits a draw of `train.random` with these attributes; in the function of a vmap, one for each position. Raises
    ValueError where no random numbers may be drawn."""
    known = static(dim_sizes)
    if trace.batched_draws is not None and all(isinstance(one, int) for one in dim_sizes):
        found: Optional[Tensor] = trace.batched_draws.take(trace, _Draw(attributes, dtype, list(dim_sizes)))
        if found is not None:
            return found
        with trace.forbidding_effects("a loop or a branch in the function of a vmap"):
            trace.refuse_draws()
    trace.refuse_draws()
    dynamic = [dim_size for dim_size in dim_sizes if not isinstance(dim_size, int)]
    return wrap(trace.draw("train.random", dynamic, [trace.type(dtype, known)], attributes)[0], dtype, known)


class BatchedDraws:
    """The draws of one function of a vmap, which is traced once to count them, and once more with them."""

    def __init__(self) -> None:
        self._wanted: List[_Draw] = []
        self._given: Optional[List[Tensor]] = None
        self._frame: Any = None

    @property
    def has_any(self) -> bool:
        return bool(self._wanted)

    def begin(self, trace: _trace.Trace, given: Optional[List[Tensor]]) -> None:
        """Begins a trace of the function, in its region, with its draws; None if they are not known."""
        self._frame, self._given = trace.frames[-1], given

    def take(self, trace: _trace.Trace, wanted: _Draw) -> Optional[Tensor]:
        """Returns a draw for one position; None in a loop or a branch, whose draws are others each time."""
        if trace.frames[-1] is not self._frame:
            return None
        if self._given is not None:
            if not self._given:
                raise ValueError("the function of a vmap draws more random numbers when it is traced again: expected "
                                 "one that does the same each time")  # fmt: skip
            return self._given.pop(0)
        self._wanted.append(wanted)
        return zeros([one for one in wanted.dim_sizes if isinstance(one, int)], _dtypes.as_dtype(wanted.dtype))

    def emit(self, trace: _trace.Trace, dim_size: Size) -> List[Tensor]:
        """Draws for all positions, outside of the function."""
        return [draw(trace, one.attributes, one.dtype, [dim_size, *one.dim_sizes]) for one in self._wanted]
