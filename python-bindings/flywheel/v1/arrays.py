# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the graph that move elements, and tensors that are known."""

import math
from typing import Any, List, Optional, Sequence

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import as_tensor as constant_of
from .._core.tensor import format_shape
from .._errors.messages import about, wrong
from .._ops import checks as _checks
from .._ops import contractions as _contractions
from .._ops import emission as _emission
from .._ops.indexing import checked
from .._ops.shapes import to_index
from .conversion import as_tensor, dtype_of, make
from .elementwise import TABLE
from .sizes import as_known, as_size, as_sizes, is_open, known_numbers


def reverse(tensor: Any, axis: Any, name: Optional[str] = None) -> Any:
    """The elements along these axes from the last one to the first one."""
    axes = [axis] if isinstance(axis, int) else list(axis)

    def emit(x: Any) -> Any:
        for one in axes:
            x = _ops.flip(x, one)
        return x

    return make("ReverseV2", emit, as_tensor(tensor), name=name)


def roll(input: Any, shift: Any, axis: Any, name: Optional[str] = None) -> Any:
    x = as_tensor(input)
    axes = known_numbers(as_known(axis))
    if not is_open(shift):
        by = known_numbers(as_known(shift))
        return make("Roll", lambda y: _ops.roll(y, by, axes), x, name=name)
    places = axes if isinstance(axes, list) else [axes]
    shifts = list(shift) if isinstance(shift, (list, tuple)) else [shift] if not as_tensor(shift).shape.ndims else [
        as_tensor(shift)[i] for i in range(len(places))]  # fmt: skip
    if len(shifts) != len(places):
        raise about("roll", ValueError(f"expected a shift for each of {len(places)} axes, found {len(shifts)}"))

    def emit(y: Any, *given: Any) -> Any:
        for one, place in zip(given, places):
            size = _ops.cast(_ops.shape(y)[place], _dtypes.int64)
            places_of_y = _ops.arange(_ops.dim(y, place), dtype=_dtypes.int64)
            came_from = _ops.subtract(places_of_y, _ops.cast(one, _dtypes.int64))
            y = _ops.take(y, _ops.mod(came_from, _ops.maximum(size, 1)), place)
        return y

    return make("Roll", emit, x, *map(as_tensor, shifts), name=name)


def gather_nd(params: Any, indices: Any, name: Optional[str] = None) -> Any:
    """The slices at places: each vector of `indices` is one place of the leading dimensions."""

    def emit(x: Any, i: Any) -> Any:
        depth = i._dims[-1]
        if depth is None:
            raise about("gather_nd", ValueError("how many dimensions an index has must be known"))
        flat = x if depth == 1 else _ops.reshape(x, [-1, *[_size(x, axis) for axis in range(depth, x.ndim)]])
        return _ops.take(flat, flat_places(i, x, depth), 0)

    return make("GatherNd", emit, as_tensor(params), as_tensor(indices), name=name)


def check_depth(depth: int, shape: Sequence[Optional[int]]) -> None:
    """Raises ValueError for indices of more numbers than there are dimensions."""
    if depth > len(shape):
        raise wrong(ValueError, f"indices of at most {len(shape)} numbers, into the shape {format_shape(shape)},",
                    f"indices of {depth}", "indices")  # fmt: skip


def flat_places(indices: Any, x: Any, depth: int) -> Any:
    """Indices [..., depth] into the first dimensions of `x` as ones of a vector; one that is out of range is an error
    that names its dimension, and none counts from the end."""
    if depth == 0:
        raise about("flywheel.v1", NotImplementedError("indices of no dimension"))
    check_depth(depth, x._dims)
    index = _ops.cast(indices, _dtypes.int64)
    place = None
    for axis in range(depth):
        own = checked(index[..., axis], x, axis)
        total = _ops.cast(_size(x, axis), _dtypes.int64)
        place = own if place is None else _ops.add(_ops.multiply(place, total), own)
    return place


def _size(x: Any, axis: int) -> Any:
    known = x._dims[axis]
    return _ops.dim(x, axis) if known is None else known


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = _dtypes.float32,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Matrices with ones on their diagonals."""
    rows, batch = as_size(num_rows), as_sizes(list(batch_shape or ()))
    columns = rows if num_columns is None else as_size(num_columns)

    def emit(n: Any, m: Any, leading: Any) -> Any:
        i, j = _ops.reshape(_ops.arange(n), [-1, 1]), _ops.arange(m)
        one = _ops.cast(_ops.equal(i, j), dtype_of(dtype))
        return _ops.broadcast_to(one, [*leading, _ops.dim(one, 0), _ops.dim(one, 1)]) if leading else one

    return make("eye", emit, rows, columns, batch, name=name)


def linspace(start: Any, stop: Any, num: Any, name: Optional[str] = None) -> Any:
    """`num` numbers from `start` to `stop`, both among them."""
    first, last = as_tensor(start), as_tensor(stop)

    count = as_size(num) if is_open(num) else int(known_numbers(as_known(num)))

    def emit(a: Any, b: Any, n: Any) -> Any:
        _checks.expect_at_least(to_index(n), 1, "linspace: num")
        last_place = _ops.maximum(_ops.cast(n, np.float64) - 1.0, 1.0)
        shares = _ops.cast(_ops.arange(n, dtype=np.float64) / last_place, a.dtype)
        return _ops.add(_ops.multiply(_ops.subtract(1, shares), a), _ops.multiply(shares, b))

    return make("LinSpace", emit, first, last, count, name=name)


lin_space = linspace


def meshgrid(*args: Any, **kwargs: Any) -> List[Any]:
    """For each tensor, its elements along a dimension of its own of the grid of all of them."""
    from .ops import stop_gradient

    indexing = kwargs.pop("indexing", "xy")
    vectors, count = [as_tensor(x) for x in args], len(args)
    places = list(range(count))
    if indexing == "xy" and count > 1:
        places[0], places[1] = 1, 0

    def grid(own: int) -> Any:
        def emit(*tensors: Any) -> Any:
            xs = [_ops.ravel(x) for x in tensors]
            lengths: List[Any] = [0] * count
            for x, place in zip(xs, places):
                lengths[place] = _size(x, 0)
            form = _ops.reshape(xs[own], [-1 if i == places[own] else 1 for i in range(count)])
            return _ops.broadcast_to(form, lengths)

        # The others say how long dimensions are, and have no gradient.
        inputs = [x if i == own else constants[i] for i, x in enumerate(vectors)]
        return make("meshgrid", emit, *inputs, name=name)

    name = kwargs.pop("name", None)
    constants = [stop_gradient(x) if count > 1 else x for x in vectors]
    return [grid(i) for i in range(count)]


def diag(diagonal: Any, name: Optional[str] = None) -> Any:
    """A matrix with this diagonal; of a tensor of k dimensions, one of 2 k, of its shape twice."""

    def emit(x: Any) -> Any:
        if x.ndim == 0:
            raise about("diag", ValueError("expected a tensor of at least 1 dimension, found a scalar"))
        if x.ndim == 1:
            return _ops.diag(x)
        sizes = [_size(x, axis) for axis in range(x.ndim)]
        return _ops.reshape(_ops.diag(_ops.ravel(x)), [*sizes, *sizes])

    return make("Diag", emit, as_tensor(diagonal), name=name)


def _on_diagonal(x: Any, count: Any) -> Any:
    """Replaces elements off the diagonal by zeros."""
    places = _ops.arange(count)
    return _ops.where(_ops.equal(_ops.expand_dims(places, 1), places), x, constant_of(0, x.dtype))


def matrix_diag(diagonal: Any, name: Optional[str] = None) -> Any:
    """Matrices with these diagonals."""

    def emit(x: Any) -> Any:
        _checks.expect_rank("matrix_diag", x, 1)
        return _on_diagonal(_ops.expand_dims(x, -1), _size(x, x.ndim - 1))

    return make("MatrixDiag", emit, as_tensor(diagonal), name=name)


def _diagonal(x: Any) -> Any:
    """Emits the diagonals of matrices [..., m, n] of known size."""
    m, n = x._dims[-2:]
    if m is None or n is None:
        raise ValueError(f"a diagonal is of matrices of known size, found shape {tuple(x._dims)}")
    count = min(m, n)
    return _ops.sum(_on_diagonal(x[..., :count, :count] if m != n else x, count), -1)


def matrix_diag_part(input: Any, name: Optional[str] = None) -> Any:
    """The diagonals of matrices."""

    def emit(x: Any) -> Any:
        _checks.expect_rank("matrix_diag_part", x, 2)
        return _diagonal(x)

    return make("MatrixDiagPart", emit, as_tensor(input), name=name)


def diag_part(input: Any, name: Optional[str] = None) -> Any:
    """The diagonal of a square matrix; of a tensor of 2 k dimensions, each size twice, the one of k."""

    def emit(x: Any) -> Any:
        k = x.ndim // 2
        if x.ndim % 2 or not k or any(None not in (m, n) and m != n for m, n in zip(x._dims[:k], x._dims[k:])):
            raise about("diag_part", ValueError("expected sizes that come twice, as [a, b, a, b], found shape "
                                                f"{tuple(x._dims)}"))  # fmt: skip
        sizes = [n if n is not None else x._dims[k + axis] for axis, n in enumerate(x._dims[:k])]
        if None in sizes:
            raise about("diag_part", ValueError(f"expected known sizes, found shape {tuple(x._dims)}"))
        total = math.prod(n or 0 for n in sizes)
        return _ops.reshape(_diagonal(_ops.reshape(x, [total, total])), sizes)

    return make("DiagPart", emit, as_tensor(input), name=name)


def matrix_transpose(a: Any, name: str = "matrix_transpose") -> Any:
    return make("transpose", lambda x: _ops.swapaxes(x, -1, -2), as_tensor(a), name=name)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = _dtypes.bool_, name: Optional[str] = None) -> Any:
    """[..., maxlen]: which steps are before each length."""
    counts = as_tensor(lengths)
    if not counts.dtype.is_integer:
        raise wrong(TypeError, "integers", counts.dtype.name, "lengths", function="sequence_mask")
    if maxlen is None:
        maxlen = TABLE["reduce_max"](counts)
    maxlen = as_size(maxlen)

    def emit(n: Any, last: Any) -> Any:
        steps = _ops.arange(0, last, 1, n.dtype)
        return _ops.less(steps, _ops.expand_dims(n, -1))

    # A tensor of booleans in between: there is no derivative with respect to the lengths.
    from .ops import cast

    return cast(make("SequenceMask", emit, counts, maxlen, name=name), dtype)


def broadcast_to(input: Any, shape: Any, name: Optional[str] = None) -> Any:
    return make("BroadcastTo", lambda x, s: _ops.broadcast_to(x, s), as_tensor(input), as_sizes(shape), name=name)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Optional[str] = None) -> Any:
    """Sums of what comes before, with the element itself unless `exclusive`; after it with `reverse`."""
    return make("Cumsum", lambda y: _ops.cumsum(y, axis, exclusive, reverse, y.dtype), as_tensor(x), name=name)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Optional[str] = None) -> Any:
    """Products of what comes before, with the element itself unless `exclusive`; after it with `reverse`."""
    return make("Cumprod", lambda y: _ops.cumprod(y, axis, exclusive, reverse, y.dtype), as_tensor(x), name=name)


def _channels_last(kind: str, data_format: str) -> None:
    if data_format != "NHWC":
        raise about(f"flywheel.v1.{kind}", NotImplementedError(f"data_format='{data_format}', expected 'NHWC'"))


def depth_to_space(input: Any, block_size: int, name: Optional[str] = None, data_format: str = "NHWC") -> Any:
    """Blocks of channels as squares of pixels."""
    _channels_last("depth_to_space", data_format)

    def emit(x: Any) -> Any:
        n, h, w = (_size(x, axis) for axis in (0, 1, 2))
        c = x._dims[3] // (block_size * block_size)
        y = _ops.reshape(x, [n, h, w, block_size, block_size, c])
        return _ops.reshape(_ops.transpose(y, [0, 1, 3, 2, 4, 5]), [n, h * block_size, w * block_size, c])

    return make("DepthToSpace", emit, as_tensor(input), name=name)


def space_to_depth(input: Any, block_size: int, name: Optional[str] = None, data_format: str = "NHWC") -> Any:
    """Squares of pixels as channels; the size of an image is known."""
    _channels_last("space_to_depth", data_format)

    def emit(x: Any) -> Any:
        n, (h, w, c) = _size(x, 0), x._dims[1:]
        y = _ops.reshape(x, [n, h // block_size, block_size, w // block_size, block_size, c])
        return _ops.reshape(_ops.transpose(y, [0, 1, 3, 2, 4, 5]),
                            [n, h // block_size, w // block_size, block_size * block_size * c])  # fmt: skip

    return make("SpaceToDepth", emit, as_tensor(input), name=name)


#
# Sums of products, norms, and others of more than one element
#


def cross(a: Any, b: Any, name: Optional[str] = None) -> Any:
    """The cross products of vectors of three elements."""

    def emit(x: Any, y: Any) -> Any:
        _checks.expect_rank("cross", x, 1)
        _checks.expect_alike("cross", x, y)
        _checks.expect_equal(_emission.size(x, x.ndim - 1), 3, f"cross: vectors of shape {format_shape(x._dims)}")

        def turned(v: Any, by: int) -> Any:
            return _ops.roll(v, -by, v.ndim - 1)

        return _ops.subtract(_ops.multiply(turned(x, 1), turned(y, 2)), _ops.multiply(turned(x, 2), turned(y, 1)))

    return make("Cross", emit, as_tensor(a), as_tensor(b), name=name)


def tensordot(a: Any, b: Any, axes: Any, name: Optional[str] = None) -> Any:
    return make("Tensordot", lambda x, y: _ops.tensordot(x, y, _axes_of(axes)), as_tensor(a), as_tensor(b), name=name)


def _axes_of(axes: Any) -> Any:
    return axes if isinstance(axes, int) else tuple([one] if isinstance(one, int) else list(one) for one in axes)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Einstein's sums: see `flywheel.einsum`; a letter is of one size in all operands."""
    return make("Einsum", lambda *xs: _contractions.contract("einsum", equation, xs), *[as_tensor(x) for x in inputs],
                name=kwargs.get("name"))  # fmt: skip


def trace(x: Any, name: Optional[str] = None) -> Any:
    return TABLE["reduce_sum"](matrix_diag_part(x), -1)


def count_nonzero(
    input_tensor: Any = None, axis: Any = None, keepdims: Any = None, dtype: Any = _dtypes.int64,
    name: Optional[str] = None, reduction_indices: Any = None, keep_dims: Any = None, input: Any = None,
) -> Any:  # fmt: skip
    """The number of elements that are not 0. The last three arguments are other names of the first three."""
    for one, other, names in ((input_tensor, input, "input_tensor and input"),
                              (axis, reduction_indices, "axis and reduction_indices"),
                              (keepdims, keep_dims, "keepdims and keep_dims")):  # fmt: skip
        if one is not None and other is not None:
            raise about("count_nonzero", ValueError(f"{names} are two names of one argument, give one of them"))
    given = input if input_tensor is None else input_tensor
    if given is None:
        raise about("count_nonzero", ValueError("expected a tensor as input_tensor"))
    x = as_tensor(given)
    axis, keepdims = reduction_indices if axis is None else axis, keep_dims if keepdims is None else keepdims
    kind = dtype_of(dtype)
    hits = make("NotZero", lambda y: _ops.cast(_ops.not_equal(y, 0), kind), x)
    return TABLE["reduce_sum"](hits, axis, keepdims)


def accumulate_n(inputs: Sequence[Any], shape: Any = None, tensor_dtype: Any = None, name: Optional[str] = None) -> Any:
    """The sum of tensors of one shape. Raises ValueError for another `shape`, and TypeError for another
    `tensor_dtype`."""
    from .ops import add_n

    found = add_n(inputs, name=name)
    if tensor_dtype is not None and dtype_of(tensor_dtype) != found.dtype:
        raise TypeError(f"tensor_dtype is {_dtypes.name_of(dtype_of(tensor_dtype))}, but input is of type "
                        f"{_dtypes.name_of(found.dtype)}")  # fmt: skip
    if shape is not None and not found.shape.is_compatible_with(shape):
        raise about("accumulate_n", ValueError(f"expected tensors of shape {shape}, found {found.shape}"))
    return found


__all__ = [
    "accumulate_n", "broadcast_to", "count_nonzero", "cross", "cumprod", "cumsum", "depth_to_space", "diag",
    "diag_part", "einsum", "eye", "gather_nd", "lin_space", "linspace", "matrix_diag", "matrix_diag_part",
    "matrix_transpose", "meshgrid", "reverse", "roll", "sequence_mask", "space_to_depth", "tensordot", "trace",
]  # fmt: skip

# The names of these that `tf.nn` has too.
NN = (
    "depth_to_space", "space_to_depth",
)  # fmt: skip
