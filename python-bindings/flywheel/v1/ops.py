# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the graph: sources, groups, and arithmetic."""

from typing import Any, List, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.argument_checks import elements
from .._core.tensor import format_shape
from .._errors.messages import about, wrong
from .._ops import checks as _checks
from .._ops import emission as _emission
from .._ops import indexing as _indexing
from .._ops import shapes as _shapes
from .._ops.conversions import wrapping_cast
from .conversion import as_tensor, constant, dtype_of, make, paired, static_of
from .graph import get_default_graph
from .operation import Operation, Tensor
from .shapes import plain_shape
from .sizes import as_known, as_size, as_sizes, is_open, known_numbers

#
# Sources, order
#


def placeholder(dtype: Any, shape: Any = None, name: Optional[str] = None) -> Tensor:
    """A tensor that each run is fed (R4)."""
    types = [(dtype_of(dtype), None if shape is None else plain_shape(shape))]
    return get_default_graph().create("Placeholder", [], None, types, name).outputs[0]


def placeholder_with_default(input: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """A tensor that a run may be fed, and else is this one."""
    x = as_tensor(input)
    types = [(x.dtype, None if shape is None else plain_shape(shape))]
    return get_default_graph().create("PlaceholderWithDefault", [x], lambda y: y, types, name).outputs[0]


def convert_to_tensor(value: Any, dtype: Any = None, name: Optional[str] = None, preferred_dtype: Any = None) -> Tensor:
    """A tensor of a number, an array, a variable or lists of them. `preferred_dtype` is its dtype if none is given and
    it can have that one. Raises ValueError for a tensor of another dtype than `dtype`."""
    if dtype is None and preferred_dtype is not None:
        try:
            return convert_to_tensor(value, preferred_dtype, name)
        except (TypeError, ValueError):
            return as_tensor(value)
    found = as_tensor(value, dtype)
    if dtype is not None and found.dtype != dtype_of(dtype):
        raise ValueError(f"Tensor conversion requested dtype {_dtypes.name_of(dtype_of(dtype))} for Tensor with dtype "
                         f"{_dtypes.name_of(found.dtype)}: {found!r}")  # fmt: skip
    return found


def identity(input: Any, name: Optional[str] = None) -> Tensor:
    """The same tensor, in a new op."""
    found: Tensor = make("Identity", lambda x: x, as_tensor(input), name=name)
    return found


def stop_gradient(input: Any, name: Optional[str] = None) -> Tensor:
    """The same tensor, which gradients take for a constant."""
    x = as_tensor(input)
    return get_default_graph().create("StopGradient", [x], _ops.stop_gradient, [(x.dtype, x.static_shape)], name,
                                      ).outputs[0]  # fmt: skip


def no_op(name: Optional[str] = None) -> Operation:
    """An op that does nothing, after its control dependencies."""
    return get_default_graph().create("NoOp", [], None, [], name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An op that is done when all of these are (A8)."""
    graph = get_default_graph()
    flat: List[Any] = []
    for one in inputs:
        flat += list(one) if isinstance(one, (list, tuple)) else [one]
    with graph.control_dependencies(flat):
        return graph.create("NoOp", [], None, [], kwargs.get("name") or "group_deps")


def tuple_(tensors: Any, name: Optional[str] = None, control_inputs: Any = None) -> List[Any]:
    """The same tensors, once all of them are computed."""
    listed, first = elements("tensors", tensors), [] if control_inputs is None else control_inputs
    for one in listed:
        if isinstance(one, str):
            raise TypeError(f"tuple: expected tensors and None in tensors, found {one!r}"[:200])
    before = [t for t in listed if t is not None] + elements("control_inputs", first)
    with get_default_graph().control_dependencies(before):
        return [None if t is None else identity(t) for t in listed]


#
# Arithmetic
#


def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The product of matrices, or of stacks of them. The adjoint of a real matrix is its transpose."""
    for one, other, which in ((transpose_a, adjoint_a, "a"), (transpose_b, adjoint_b, "b")):
        if one and other:
            raise ValueError(f"Only one of transpose_{which} and adjoint_{which} can be True.")

    def emit(x: Any, y: Any) -> Any:
        x = _ops.swapaxes(x, -1, -2) if transpose_a or adjoint_a else x
        return _ops.matmul(x, _ops.swapaxes(y, -1, -2) if transpose_b or adjoint_b else y)

    return make("MatMul", emit, *[as_tensor(x) for x in paired("MatMul", a, b)], name=name)


def add_n(inputs: Any, name: Optional[str] = None) -> Any:
    """The sum of tensors of one shape."""
    inputs = elements("inputs", inputs)
    if not inputs:
        raise wrong(ValueError, "at least one tensor", "none", "inputs", function="add_n")

    def emit(*xs: Any) -> Any:
        total = xs[0]
        for x in xs[1:]:
            _checks.expect_alike("add_n", xs[0], x)
            total = _ops.add(total, x)
        return total

    return make("AddN", emit, *[as_tensor(x) for x in inputs], name=name)


def cast(x: Any, dtype: Any, name: Optional[str] = None) -> Any:
    """The elements in another dtype. A floating-point number that does not fit into an integer type has
    the result that TensorFlow's kernels have on x86-64: 300.0 is 44 as an int8."""
    return make("Cast", lambda y: wrapping_cast(y, dtype_of(dtype)), as_tensor(x), name=name)


def to_float(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.float32, name)


def to_double(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.float64, name)


def to_int64(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.int64, name)


def to_int32(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.int32, name)


def _without_nan(x: Any, least: float) -> Any:
    """TensorFlow's places of largest and smallest elements are never those of NaN, unless there is nothing else."""
    return _ops.where(_ops.isnan(x), least, x) if _dtypes.is_floating(x.dtype) else x


def argmax(
    input: Any, axis: Any = None, name: Optional[str] = None, dimension: Any = None, output_type: Any = None
) -> Any:
    """The place of the largest element, int64."""
    where_ = 0 if axis is None and dimension is None else dimension if axis is None else axis
    kind = _dtypes.int64 if output_type is None else output_type

    def emit(x: Any) -> Any:
        return _ops.cast(_ops.argmax(_without_nan(x, -float("inf")), where_), kind)

    return make("ArgMax", emit, as_tensor(input), name=name)


def arg_max(input: Any, dimension: Any, output_type: Any = None, name: Optional[str] = None) -> Any:
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(input: Any, dimension: Any, output_type: Any = None, name: Optional[str] = None) -> Any:
    return argmin(input, dimension, name, output_type=output_type)


def argmin(
    input: Any, axis: Any = None, name: Optional[str] = None, dimension: Any = None, output_type: Any = None
) -> Any:
    """The place of the smallest element, int64."""
    where_ = 0 if axis is None and dimension is None else dimension if axis is None else axis
    kind = _dtypes.int64 if output_type is None else output_type

    def emit(x: Any) -> Any:
        return _ops.cast(_ops.argmin(_without_nan(x, float("inf")), where_), kind)

    return make("ArgMin", emit, as_tensor(input), name=name)


def _sizes(shape: Any) -> Any:
    """Returns a shape as the traced layer takes it; a tensor of sizes is taken apart."""
    # Arrays have a `trace`, too, of matrices.
    if hasattr(shape, "trace") and not isinstance(shape, np.ndarray):
        return [_number(shape[i]) for i in range(shape._dims[0])] if shape.ndim else [_number(shape)]
    return [-1 if d is None else _number(d) for d in shape] if isinstance(shape, (list, tuple)) else shape


def reshape(tensor: Any, shape: Any, name: Optional[str] = None) -> Any:
    """The elements in another shape, of which one size may be -1."""
    return make("Reshape", lambda x, s: _ops.reshape(x, _sizes(s)), as_tensor(tensor), _shape_argument(shape),
                name=name)  # fmt: skip


def zeros(shape: Any, dtype: Any = _dtypes.float32, name: str = "zeros") -> Any:
    """Zeros, false, or empty strings."""
    if dtype_of(dtype) == _dtypes.string:
        return constant("", dtype, shape, name)
    return make("zeros", lambda s: _ops.zeros(_sizes(s), dtype), _shape_argument(shape), name=name)


def ones(shape: Any, dtype: Any = _dtypes.float32, name: str = "ones") -> Any:
    """Ones, or true."""
    return make("ones", lambda s: _ops.ones(_sizes(s), dtype), _shape_argument(shape), name=name)


def fill(dims: Any, value: Any, name: Optional[str] = None) -> Any:
    """One value everywhere."""
    return make("Fill", lambda s, v: _ops.full(_sizes(s), v), _shape_argument(dims), as_tensor(value), name=name)


def _shape_argument(shape: Any) -> Any:
    return [shape] if isinstance(shape, int) else as_sizes(shape)


def shape(input: Any, name: Optional[str] = None, out_type: Any = None) -> Any:
    """The sizes, a tensor of int32 or of `out_type`."""
    kind = _dtypes.int32 if out_type is None else dtype_of(out_type)
    return make("Shape", lambda x: _ops.cast(_ops.shape(x), kind), as_tensor(input), name=name)


def size(input: Any, name: Optional[str] = None, out_type: Any = None) -> Any:
    """The number of elements, int32 or of `out_type`."""
    kind = _dtypes.int32 if out_type is None else dtype_of(out_type)
    return make("Size", lambda x: _ops.cast(_ops.prod(_ops.shape(x)), kind), as_tensor(input), name=name)


def rank(input: Any, name: Optional[str] = None) -> Any:
    return constant(len(as_tensor(input).shape), name=name or "Rank")


def transpose(a: Any, perm: Any = None, name: Optional[str] = None, conjugate: bool = False) -> Any:
    """The tensor with its dimensions in another order; the conjugates of real numbers are the numbers. `conjugate`
    has no effect, of real numbers."""
    return make("transpose", lambda x: _ops.transpose(x, perm), as_tensor(a), name=name)


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Tensors of one dtype in a row along a dimension."""
    place = _axis_of("concat", axis)
    listed = values if isinstance(values, (list, tuple)) else [values]
    return make("concat", lambda xs: _ops.concatenate(xs, place), _of_one_dtype("concat", listed), name=name)


def _of_one_dtype(kind: str, values: Any) -> List[Tensor]:
    """Tensors, of which those that are none take the dtype of the others."""
    known = next((x for x in values if isinstance(x, Tensor) or hasattr(x, "_as_graph_tensor")), None)
    found = [as_tensor(x if known is None else paired(kind, known, x)[1]) for x in values]
    if known is not None:
        found = [x if x.dtype == known.dtype or x.op.fields.literal is None else as_tensor(
            x.op.fields.literal.astype(known.dtype)) for x in found]  # fmt: skip
    return found


def _axis_of(kind: str, axis: Any) -> int:
    literal = axis.op.fields.literal if isinstance(axis, Tensor) else axis
    if literal is None or isinstance(literal, (list, tuple)):
        raise about(kind, TypeError(f"the axis is a number, found {axis!r}; the order of arguments is (values, axis)"))
    return int(literal)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Tensors of one shape and dtype along a new dimension."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values[i] for i in range(len(values))]
    return make("stack", lambda xs: _ops.stack(xs, axis), _of_one_dtype("stack", listed), name=name)


def unstack(value: Any, num: Optional[int] = None, axis: int = 0, name: str = "unstack") -> List[Any]:
    """The slices along an axis of static size."""
    x = as_tensor(value)
    count = x.shape[axis].value if num is None else int(num)
    if count is None:
        raise about("unstack", ValueError(f"the size of dimension {axis} of {x!r} is unknown: give `num`"))
    made = make("unstack", lambda y: [_ops.squeeze(z, axis) for z in _ops.split(y, count, axis)], x, name=name)
    return list(made) if count > 1 else [made]


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: str = "split") -> List[Any]:
    """Pieces along an axis: how many equal ones, or their sizes. Raises ValueError for `num`, the number of pieces, if
    there are others."""

    def emit(x: Any, known: Any) -> Any:
        numbers = known_numbers(known)
        if isinstance(numbers, int):
            return _ops.split(x, numbers, axis)
        parts, place, old = list(numbers), axis % x.ndim, _emission.sizes(x)
        what = f"split: sizes {parts} of dimension {axis}"
        given = sum(n for n in parts if n != -1)
        if any(n < -1 for n in parts) or parts.count(-1) > 1:
            raise about(what, ValueError("expected sizes of at least 0, and one -1 at most"))
        if -1 in parts:
            _checks.expect_at_least(old[place], given, what)
            parts[parts.index(-1)] = _emission.index_op("maxsi", _emission.index_op("subi", old[place], given), 0)
        else:
            _checks.expect_equal(old[place], given, what)
        found: List[Any] = []
        first: _emission.Size = 0
        for part in parts:
            offsets: List[_emission.Size] = [0] * x.ndim
            offsets[place] = first
            found.append(_indexing.extract_slice(x, offsets, [*old[:place], part, *old[place + 1 :]], [1] * x.ndim))
            first = _emission.index_op("addi", first, part)
        return found

    x, types = as_tensor(value), None
    if is_open(num_or_size_splits):
        parts = as_tensor(num_or_size_splits).static_shape
        if not parts or parts[0] is None:
            raise about("split", ValueError("expected a number of pieces, or their sizes as a vector of known length, "
                                            f"found {num_or_size_splits!r}"))  # fmt: skip
        count = parts[0]
        sizes = None if x.static_shape is None else list(x.static_shape)
        if sizes:
            sizes[axis] = None
        types = [(x.dtype, None if sizes is None else tuple(sizes))] * count
    made = make("split", emit, x, as_known(num_or_size_splits), name=name, types=types)
    found = list(made) if isinstance(made, (list, tuple)) else [made]
    if num is not None and num != len(found):
        raise about("split", ValueError(f"expected num={num} pieces, found sizes of {len(found)}"))
    return found


def slice_(input_: Any, begin: Any, size: Any, name: Optional[str] = None) -> Any:
    """A box of elements; a size of -1 goes to the end."""

    def emit(x: Any, starts: Any, lengths: Any) -> Any:
        offsets, counts = [], []
        for axis, (start, length) in enumerate(zip(_sizes(starts), _sizes(lengths))):
            first, count = box_of("slice", x, axis, _number(start), _number(length))
            offsets.append(first)
            counts.append(count)
        if isinstance(x._index, list) and all(isinstance(n, int) for n in (*offsets, *counts)):
            return _ops.getitem(x, slice(offsets[0], offsets[0] + counts[0]))
        return _indexing.extract_slice(x, offsets, counts, [1] * x.ndim)

    return make("Slice", emit, as_tensor(input_), _vector(begin), _vector(size), name=name)


def box_of(kind: str, x: Any, axis: int, start: Any, length: Any) -> Any:
    """Returns the offset and the size of `length` elements from `start` on in a dimension of a tensor of a trace; a
    `length` of -1 selects all that are left. Fewer elements are an error of the step."""
    first, count, total = _shapes.to_index(start), _shapes.to_index(length), _emission.size(x, axis)
    what = f"{kind}: dimension {axis} of shape {x.shape}"
    _checks.expect_at_least(first, 0, f"{what}, the first element")
    _checks.expect_at_least(count, -1, f"{what}, the number of elements")
    left = _emission.index_op("subi", total, first)
    if isinstance(count, int):
        count = left if count == -1 else count
    else:
        is_all = _emission.index_op("minsi", _emission.index_op("addi", count, 1), 1)
        is_all = _emission.index_op("subi", 1, _emission.index_op("maxsi", is_all, 0))
        rest = _emission.index_op("muli", is_all, _emission.index_op("addi", left, 1))
        count = _emission.index_op("addi", count, rest)
    _checks.expect_at_most(_emission.index_op("addi", first, count), total, f"{what}, the end")
    if isinstance(count, int):
        return first, count
    # States the bound for the compiler.
    return first, _emission.index_op("minsi", _emission.index_op("maxsi", count, 0), total)


def _vector(values: Any) -> Any:
    """Returns a list of numbers and scalar tensors as it is, and an array as a list."""
    return values.tolist() if hasattr(values, "tolist") else values


def _number(value: Any) -> Any:
    """Returns a size of a trace as a number, if it is one."""
    index = getattr(value, "index", None) if hasattr(value, "trace") else int(value)
    return index if isinstance(index, int) else value


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The elements from `begin` to `end` in steps, in each dimension; a bit of a mask says that a bound is open."""
    if ellipsis_mask or new_axis_mask:
        raise about("flywheel.v1.strided_slice", NotImplementedError(
            "ellipsis_mask and new_axis_mask; use x[..., None]"))  # fmt: skip
    if var is not None:
        raise about("flywheel.v1.strided_slice", NotImplementedError("var; assign rows by scatter_update"))
    steps = [1] * len(_vector(begin)) if strides is None else [int(s) for s in strides]

    def emit(x: Any, starts: Any, stops: Any) -> Any:
        keys: List[Any] = []
        for i, (a, b, step) in enumerate(zip(_sizes(starts), _sizes(stops), steps)):
            bound = slice(None if begin_mask >> i & 1 else a, None if end_mask >> i & 1 else b, step)
            keys.append(a if shrink_axis_mask >> i & 1 else bound)
        return _ops.getitem(x, tuple(keys))

    return make("StridedSlice", emit, as_tensor(input_), _vector(begin), _vector(end), name=name)


def expand_dims(input: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    return make("ExpandDims", lambda x: _ops.expand_dims(x, dim if axis is None else axis), as_tensor(input), name=name)


def squeeze(input: Any, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None) -> Any:
    """The tensor without dimensions of size 1: those of `axis`, or all of them. If no axis is given and a size is not
    known, neither is the rank of the result: the sizes of a run decide."""
    axes = squeeze_dims if axis is None else axis
    x = as_tensor(input)
    if not axes and axes != 0:
        is_open = x.static_shape is None or None in x.static_shape
        return make("Squeeze", _without_ones, x, name=name, types=[(x.dtype, None)] if is_open else None)

    def emit(y: Any) -> Any:
        places = _emission.normalize_axes(axes, y.ndim)
        for place in places:
            _checks.expect_equal(_emission.size(y, place), 1, f"squeeze: dimension {place} of '{x.name}'")
        narrow = [size for place, size in enumerate(_emission.sizes(y)) if place not in places]
        return _emission.with_index(_shapes.reshape_to(y, narrow), _emission.flat_index(y))

    return make("Squeeze", emit, x, name=name)


def _without_ones(x: Any) -> Any:
    """Removes the dimensions whose size is known to be 1. That another one is 1 is an error of the run, after which
    the session compiles the program for the sizes that it has."""
    for axis, known in enumerate(x._dims):
        if known is None:
            dim_size = _emission.size(x, axis)
            _checks.expect_not(dim_size, 1, f"squeeze: dimension {axis} of a size that is not known before")
    return _ops.squeeze(x)


def tile(input: Any, multiples: Any, name: Optional[str] = None) -> Any:
    """The tensor repeated along each dimension."""
    return make("Tile", _tiled, as_tensor(input), _shape_argument(_vector(multiples)), name=name)


def _tiled(x: Any, n: Any) -> Any:
    counts = _sizes(n)
    _checks.expect_equal(len(counts), x.ndim, f"tile: multiples of a tensor of shape {format_shape(x._dims)}")
    return _ops.tile(x, counts)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: Optional[str] = None, constant_values: Any = 0
) -> Any:
    """The tensor with elements added before and after each dimension: of one value, or with the mode REFLECT or
    SYMMETRIC those at the border in reverse, without or with the outermost one."""
    kind = mode.upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}")
    widths = _widths(paddings)
    if any(isinstance(width, Tensor) for pair in widths for width in pair):
        if kind != "CONSTANT":
            raise about("flywheel.v1.pad", NotImplementedError(f"mode {kind} by paddings that are computed; give "
                                                               "numbers"))  # fmt: skip
        return make("Pad", lambda x, ws: _ops.pad(x, ws, constant_values), as_tensor(tensor), widths, name=name)
    if kind == "CONSTANT":
        return make("Pad", lambda x: _ops.pad(x, _of_each(x, widths), constant_values), as_tensor(tensor), name=name)
    skipped = 1 if kind == "REFLECT" else 0
    return make("MirrorPad", lambda x: _mirrored(x, _of_each(x, widths), skipped), as_tensor(tensor), name=name)


def _widths(paddings: Any) -> Any:
    """Returns a pair for each dimension: numbers, or tensors that the compiler knows as sizes."""
    given = static_of(paddings)
    if isinstance(given, Tensor) or hasattr(given, "_as_graph_tensor"):
        x = as_tensor(given)
        if not x.static_shape or len(x.static_shape) != 2 or x.static_shape[0] is None:
            raise about("pad", ValueError(f"expected paddings of shape (rank, 2), found {x.shape}"))
        given = [[x[i, j] for j in (0, 1)] for i in range(x.static_shape[0])]
    return [[as_size(w) if isinstance(w, Tensor) or hasattr(w, "_as_graph_tensor") else int(w) for w in pair]
            for pair in given]  # fmt: skip


def _of_each(x: Any, widths: Any) -> Any:
    """Returns the paddings, a pair for each dimension."""
    if len(widths) != x.ndim or any(width < 0 for pair in widths for width in pair):
        raise about("pad", ValueError("expected two paddings of at least 0 for each dimension of shape "
                                      f"{format_shape(x._dims)}, found {widths}"))  # fmt: skip
    return widths


def _mirrored(x: Any, widths: Any, skipped: int) -> Any:
    """Pads a tensor of a trace with its own elements; the first `skipped` ones do not repeat."""
    for axis, (low, high) in enumerate(widths):
        count = x._dims[axis]
        if not low and not high:
            continue
        if count is None:
            raise about("pad", ValueError(f"dimension {axis}, which is mirrored, must have a known size"))
        if max(low, high) > count - skipped:
            raise ValueError(f"paddings must be no greater than the dimension size: {low}, {high} greater than "
                             f"{count - skipped}")  # fmt: skip
        before = [low - 1 + skipped - i for i in range(low)]
        after = [count - 1 - skipped - i for i in range(high)]
        x = _ops.take(x, np.array([*before, *range(count), *after], np.int32), axis)
    return x


def gather(params: Any, indices: Any, validate_indices: Any = None, name: Optional[str] = None, axis: int = 0) -> Any:
    rows = make("Gather", lambda x, i: _ops.take(x, i, axis), as_tensor(params), as_tensor(indices), name=name)
    rows.op.fields = rows.op.fields._replace(looks_up=axis == 0)
    return rows


def one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None,
            dtype: Any = None, name: Optional[str] = None) -> Any:  # fmt: skip
    known = [as_tensor(x).dtype for x in (on_value, off_value) if x is not None]
    kind = dtype_of(dtype) if dtype is not None else known[0] if known else _dtypes.float32

    def emit(i: Any, n: Any) -> Any:
        hot = _ops.one_hot(i, n, kind)
        on, off = (1 if on_value is None else on_value), (0 if off_value is None else off_value)
        hot = hot if (on, off) == (1, 0) else _ops.where(_ops.equal(hot, 1), _as(on, kind), _as(off, kind))
        return hot if axis in (None, -1) else _ops.moveaxis(hot, -1, axis)

    count = as_size(depth) if is_open(depth) else known_numbers(as_known(depth))
    return make("one_hot", emit, as_tensor(indices), count, name=name)


def _as(value: Any, dtype: Any) -> Any:
    """Converts a number or tensor of a trace to this dtype."""
    return _ops.cast(value, dtype)


def where(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Any:
    """The elements of x where the condition holds, else those of y; a vector chooses whole rows."""
    if x is None and y is None:
        from .host_ops import places_where

        return places_where(condition, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    holds, one, other = as_tensor(condition), as_tensor(x), as_tensor(y)

    def emit(c: Any, a: Any, b: Any) -> Any:
        _checks.expect_alike("where", a, b)
        if c.ndim == 1 and a.ndim > 1:
            _checks.expect_equal(_emission.size(c, 0), _emission.size(a, 0), "where: the condition chooses rows")
            c = _ops.reshape(c, [-1, *[1] * (a.ndim - 1)])
        elif c.ndim:
            _checks.expect_alike("where", c, a)
        return _ops.where(c, a, b)

    # The condition does not say more about the shape than they do.
    types, a, b = None, one.static_shape, other.static_shape
    if holds.static_shape is None and a is not None and b is not None and len(a) == len(b) and one.dtype == other.dtype:
        types = [(one.dtype, tuple(n if m is None else m for m, n in zip(a, b)))]
    return make("Select", emit, holds, one, other, name=name, types=types)


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers from `start` up to `limit`; from 0 where there is one bound."""
    kind = dtype
    if kind is None and any(isinstance(x, Tensor) for x in (start, limit, delta)):
        kinds = [as_tensor(x).dtype for x in (start, limit, delta) if x is not None]
        kind = max(kinds, key=lambda d: (d.kind, d.itemsize))
    bounds = [as_size(x) for x in (start, limit, delta)]
    return make("range", lambda a, b, c: _ops.arange(a, b, c, kind), *bounds, name=name)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Optional[str] = None) -> Any:
    """The elements between two bounds, which broadcast to the shape that the tensor has."""

    def emit(x: Any, low: Any, high: Any) -> Any:
        found = _ops.clip(x, low, high)
        if found.ndim != x.ndim or any(n != m and None not in (n, m) for n, m in zip(found._dims, x._dims)):
            raise about("clip_by_value", ValueError(f"bounds do not broadcast to shape {format_shape(x._dims)}: with "
                                                    f"them it is {format_shape(found._dims)}"))  # fmt: skip
        return found

    return make("clip_by_value", emit, as_tensor(t), clip_value_min, clip_value_max, name=name)


__all__ = [
    "add_n", "arg_max", "arg_min", "argmax", "argmin", "cast", "clip_by_value", "concat", "convert_to_tensor",
    "expand_dims", "fill", "gather", "group", "identity", "matmul", "no_op", "one_hot", "ones", "pad", "placeholder",
    "placeholder_with_default", "rank", "reshape", "shape", "size", "split", "squeeze", "stack", "stop_gradient",
    "strided_slice", "tile", "to_double", "to_float", "to_int32", "to_int64", "transpose", "unstack", "where", "zeros",
]  # fmt: skip
