# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms of tensors, and tensors that are scaled by them."""

import functools
from typing import Any, List, Optional

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, make
from .derivatives import slices_of
from .elementwise import TABLE, root
from .operation import Scaled
from .precision import rounded, rounds_once, widened


def _matrix_norm(x: Any, ord: Any, axis: Any, keep: bool) -> Any:
    """Returns the largest of the sums of columns (1) or of rows (infinity)."""
    if len(axis) != 2:
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, found {axis}")
    if ord not in (1, float("inf"), "fro"):
        raise about("flywheel.v1.norm", NotImplementedError(f"of matrices: ord={ord!r}"), " ")
    if ord == "fro":
        return norm(x, "euclidean", axis, keep)
    summed, other = axis if ord == 1 else reversed(axis)
    found = TABLE["reduce_max"](TABLE["reduce_sum"](TABLE["abs"](x), summed, True), other, True)
    return found if keep else make("Squeeze", lambda y: _ops.squeeze(y, tuple(axis)), found)


@rounds_once
def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: Any = None, name: Optional[str] = None,
    keep_dims: Any = None,
) -> Any:  # fmt: skip
    """The norm of vectors: "euclidean" (2), 1, or of order infinity; that of matrices where there are two
    axes."""
    x, keep = as_tensor(tensor), bool(keepdims or keep_dims)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, (list, tuple)) and ord != "euclidean":
        return _matrix_norm(x, ord, axis, keep)
    if ord in ("euclidean", 2):
        return root(TABLE["reduce_sum"](TABLE["square"](x), axis, keep))
    if ord == 1:
        return TABLE["reduce_sum"](TABLE["abs"](x), axis, keep)
    if ord == float("inf"):
        return TABLE["reduce_max"](TABLE["abs"](x), axis, keep)
    raise about("flywheel.v1.norm", NotImplementedError(f"ord={ord!r}"))


@rounds_once
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Optional[str] = None, dim: Any = None) -> Any:
    """x / its norm over axes."""
    axes = dim if axis is None else axis
    total = TABLE["reduce_sum"](TABLE["square"](x), axes, True)
    return TABLE["multiply"](x, TABLE["rsqrt"](TABLE["maximum"](total, epsilon)))


def global_norm(t_list: Any, name: Optional[str] = None) -> Any:
    """The norm of all elements together; of the gradient of a table those of each lookup, as in TensorFlow."""
    tensors = [as_tensor(t) for t in t_list if t is not None]
    return rounded(_norm_of(tensors, [widened(t) for t in tensors], name), _dtype_of(tensors))


def _dtype_of(tensors: List[Any]) -> Any:
    return functools.reduce(_dtypes.promote, [t.dtype for t in tensors])


def _norm_of(tensors: List[Any], wide: List[Any], name: Optional[str] = None) -> Any:
    """The norm of tensors, which are `wide` in the dtype of the computation."""
    parts: List[Any] = []
    for t, y in zip(tensors, wide):
        slices = slices_of(t)
        parts += [y] if slices[0] is t else map(widened, slices)

    def emit(*xs: Any) -> Any:
        total = _ops.sum(_ops.square(xs[0]))
        for x in xs[1:]:
            total = _ops.add(total, _ops.sum(_ops.square(x)))
        return _ops.arithmetic.root(total)

    return make("global_norm", emit, *parts, name=name)


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: Optional[str] = None) -> Any:
    """Tensors scaled so that their `global_norm` is at most `clip_norm`, and that norm."""
    wide = [None if t is None else widened(t) for t in t_list]
    if use_norm is None:
        norm = _norm_of([as_tensor(t) for t in t_list if t is not None],
                        [as_tensor(t) for t in wide if t is not None])  # fmt: skip
        shown = rounded(norm, _dtype_of([as_tensor(t) for t in t_list if t is not None]))
    else:
        norm = shown = use_norm
    return [None if t is None else _limited(t, y, norm, clip_norm) for t, y in zip(t_list, wide)], shown


def _limited(t: Any, wide: Any, norm: Any, clip_norm: Any) -> Any:
    """A gradient, which is `wide` in the dtype of the computation, scaled so that the norm, which it has a part in, is
    at most `clip_norm`: the same rows of a table."""
    if wide is not t:
        norm, clip_norm = (rounded(x, _dtypes.float32) for x in (norm, clip_norm))
    scale = TABLE["divide"](clip_norm, TABLE["maximum"](norm, clip_norm))
    found = rounded(TABLE["multiply"](wide, scale), as_tensor(t).dtype.dtype)
    found.op.fields = found.op.fields._replace(scaled=Scaled(t, scale))
    return found


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Optional[str] = None) -> Any:
    """A tensor scaled so that its norm is at most `clip_norm`; that of the gradient of a table as in `global_norm`."""
    wide = widened(t)
    # One number for all axes: the compiler knows rows that are scaled by it.
    if axes is None:
        norm = _norm_of([as_tensor(t)], [as_tensor(wide)])
    else:
        norm = root(TABLE["reduce_sum"](TABLE["square"](wide), axes, True))
    found = _limited(t, wide, norm, clip_norm)
    if axes is not None:
        found.op.fields = found.op.fields._replace(scaled=None)
    return found


@rounds_once
def clip_by_average_norm(t: Any, clip_norm: Any, name: Optional[str] = None) -> Any:
    """A tensor scaled so that its norm, divided by how many elements it has, is at most `clip_norm`."""
    x = as_tensor(t)
    size = TABLE["reduce_sum"](TABLE["ones_like"](x))
    average = TABLE["divide"](root(TABLE["reduce_sum"](TABLE["square"](x))), size)
    return TABLE["multiply"](x, TABLE["divide"](clip_norm, TABLE["maximum"](average, clip_norm)))


__all__ = ["clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "global_norm", "norm"]

# The names of these that `tf.nn` has too.
NN = ("l2_normalize",)
