# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the graph: sources, groups, and arithmetic."""

from typing import Any, Callable, List, Optional

from .. import _dtypes, _ops
from .. import nn as traced
from .conversion import as_tensor, constant, dtype_of, make
from .graph import get_default_graph
from .operation import Operation, Tensor
from .shapes import plain_shape

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
    """A tensor of a number, an array, a variable or lists of them."""
    return as_tensor(value, dtype)


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
    """The same tensors, once all of them are there."""
    with get_default_graph().control_dependencies([t for t in tensors if t is not None] + list(control_inputs or [])):
        return [None if t is None else identity(t) for t in tensors]


#
# Arithmetic
#


def _unary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, as_tensor(x), name=name)

    return op


def _binary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, y: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, x, y, name=name)

    return op


def _reduction(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(
        input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Optional[str] = None,
        reduction_indices: Any = None, keep_dims: Any = None,
    ) -> Any:  # fmt: skip
        axes = reduction_indices if axis is None else axis
        axes = tuple(axes) if isinstance(axes, (list, tuple)) else axes
        keep = bool(keepdims or keep_dims)
        return make(kind, lambda x: function(x, axes, keep), as_tensor(input_tensor), name=name)

    return op


UNARY = {
    "abs": _ops.abs, "acos": _ops.arccos, "asin": _ops.arcsin, "atan": _ops.arctan, "ceil": _ops.ceil, "cos": _ops.cos,
    "cosh": _ops.cosh, "erf": _ops.erf, "exp": _ops.exp, "expm1": _ops.expm1, "floor": _ops.floor, "log": _ops.log,
    "log1p": _ops.log1p, "logical_not": _ops.logical_not, "negative": _ops.negative, "reciprocal": _ops.reciprocal,
    "rint": _ops.rint, "round": _ops.round, "rsqrt": _ops.rsqrt, "sigmoid": _ops.sigmoid, "sign": _ops.sign,
    "sin": _ops.sin, "sinh": _ops.sinh, "sqrt": _ops.sqrt, "square": _ops.square, "tan": _ops.tan, "tanh": _ops.tanh,
    "is_nan": _ops.isnan, "is_inf": _ops.isinf, "is_finite": _ops.isfinite, "zeros_like": _ops.zeros_like,
    "ones_like": _ops.ones_like, "acosh": _ops.arccosh, "asinh": _ops.arcsinh, "atanh": _ops.arctanh,
    "log_sigmoid": lambda x: _ops.negative(traced.softplus(_ops.negative(x))),
}  # fmt: skip
BINARY = {
    "add": _ops.add, "subtract": _ops.subtract, "multiply": _ops.multiply, "divide": _ops.divide,
    "div": _ops.divide, "truediv": _ops.divide, "realdiv": _ops.divide, "floordiv": _ops.floor_divide,
    "mod": _ops.mod, "floormod": _ops.mod, "pow": _ops.power, "maximum": _ops.maximum, "minimum": _ops.minimum,
    "equal": _ops.equal, "not_equal": _ops.not_equal, "less": _ops.less, "less_equal": _ops.less_equal,
    "greater": _ops.greater, "greater_equal": _ops.greater_equal, "logical_and": _ops.logical_and,
    "logical_or": _ops.logical_or, "logical_xor": _ops.logical_xor,
    "atan2": _ops.arctan2,
    "squared_difference": lambda x, y: _ops.square(_ops.subtract(x, y)),
}  # fmt: skip
REDUCTIONS = {
    "reduce_sum": _ops.sum, "reduce_mean": _ops.mean, "reduce_max": _ops.max, "reduce_min": _ops.min,
    "reduce_prod": _ops.prod, "reduce_any": _ops.any, "reduce_all": _ops.all, "reduce_logsumexp": _ops.logsumexp,
}  # fmt: skip
TABLE = {
    **{key: _unary(key.title().replace("_", ""), function) for key, function in UNARY.items()},
    **{key: _binary(key.title().replace("_", ""), function) for key, function in BINARY.items()},
    **{key: _reduction({"reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max"}.get(key, key), function)
       for key, function in REDUCTIONS.items()},
}  # fmt: skip


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: Optional[str] = None) -> Any:
    """The product of matrices, or of stacks of them."""

    def emit(x: Any, y: Any) -> Any:
        x = _ops.swapaxes(x, -1, -2) if transpose_a else x
        return _ops.matmul(x, _ops.swapaxes(y, -1, -2) if transpose_b else y)

    return make("MatMul", emit, as_tensor(a), as_tensor(b), name=name)


def add_n(inputs: Any, name: Optional[str] = None) -> Any:
    """The sum of tensors of one shape."""

    def emit(*xs: Any) -> Any:
        total = xs[0]
        for x in xs[1:]:
            total = _ops.add(total, x)
        return total

    return make("AddN", emit, *[as_tensor(x) for x in inputs], name=name)


def cast(x: Any, dtype: Any, name: Optional[str] = None) -> Any:
    """The elements in another dtype."""
    return make("Cast", lambda y: _ops.cast(y, dtype_of(dtype)), as_tensor(x), name=name)


def to_float(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.float32, name)


def to_double(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.float64, name)


def to_int64(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.int64, name)


def to_int32(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.int32, name)


def argmax(
    input: Any, axis: Any = None, name: Optional[str] = None, dimension: Any = None, output_type: Any = None
) -> Any:
    """The place of the largest element, int64."""
    where_ = 0 if axis is None and dimension is None else dimension if axis is None else axis
    kind = _dtypes.int64 if output_type is None else output_type
    return make("ArgMax", lambda x: _ops.cast(_ops.argmax(x, where_), kind), as_tensor(input), name=name)


def argmin(input: Any, axis: Any = None, name: Optional[str] = None, output_type: Any = None) -> Any:
    """The place of the smallest element, int64."""
    kind = _dtypes.int64 if output_type is None else output_type
    return make("ArgMin", lambda x: _ops.cast(_ops.argmin(x, axis or 0), kind), as_tensor(input), name=name)


def _sizes(shape: Any) -> Any:
    """A shape as the traced layer takes it; a tensor of sizes is taken apart."""
    if hasattr(shape, "trace"):
        return [shape[i] for i in range(shape.shape[0])]
    return [-1 if d is None else d for d in shape] if isinstance(shape, (list, tuple)) else shape


def reshape(tensor: Any, shape: Any, name: Optional[str] = None) -> Any:
    """The elements in another shape, of which one size may be -1."""
    return make("Reshape", lambda x, s: _ops.reshape(x, _sizes(s)), as_tensor(tensor), shape, name=name)


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
    return [shape] if isinstance(shape, int) else shape


def shape(input: Any, name: Optional[str] = None, out_type: Any = None) -> Any:
    """The sizes, an int32 tensor."""
    return make("Shape", lambda x: _ops.cast(_ops.shape(x), _dtypes.int32), as_tensor(input), name=name)


def size(input: Any, name: Optional[str] = None) -> Any:
    """How many elements there are."""
    return make("Size", lambda x: _ops.prod(_ops.shape(x)), as_tensor(input), name=name)


def rank(input: Any, name: Optional[str] = None) -> Any:
    return constant(len(as_tensor(input).shape), name=name or "Rank")


def transpose(a: Any, perm: Any = None, name: Optional[str] = None) -> Any:
    return make("transpose", lambda x: _ops.transpose(x, perm), as_tensor(a), name=name)


def concat(values: Any, axis: int, name: str = "concat") -> Any:
    return make("concat", lambda xs: _ops.concatenate(xs, axis), [as_tensor(x) for x in values], name=name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    return make("stack", lambda xs: _ops.stack(xs, axis), [as_tensor(x) for x in values], name=name)


def unstack(value: Any, num: Optional[int] = None, axis: int = 0, name: str = "unstack") -> List[Any]:
    """The slices along an axis of static size."""
    x = as_tensor(value)
    count = num if num is not None else int(x.shape[axis])
    made = make("unstack", lambda y: [_ops.squeeze(z, axis) for z in _ops.split(y, count, axis)], x, name=name)
    return list(made) if count > 1 else [made]


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: str = "split") -> List[Any]:
    """Pieces along an axis: how many equal ones, or their sizes."""

    def emit(x: Any) -> Any:
        if isinstance(num_or_size_splits, int):
            return _ops.split(x, num_or_size_splits, axis)
        ends, total = [], 0
        for part in num_or_size_splits[:-1]:
            total += part
            ends.append(total)
        return _ops.split(x, ends, axis)

    made = make("split", emit, as_tensor(value), name=name)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def slice_(input_: Any, begin: Any, size: Any, name: Optional[str] = None) -> Any:
    """A box of elements; a size of -1 goes to the end."""
    key = tuple(slice(b, None if n == -1 else b + n) for b, n in zip(begin, size))
    return make("Slice", lambda x: _ops.getitem(x, key), as_tensor(input_), name=name)


def expand_dims(input: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Any:
    return make("ExpandDims", lambda x: _ops.expand_dims(x, dim if axis is None else axis), as_tensor(input), name=name)


def squeeze(input: Any, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None) -> Any:
    axes = squeeze_dims if axis is None else axis
    return make("Squeeze", lambda x: _ops.squeeze(x, axes), as_tensor(input), name=name)


def tile(input: Any, multiples: Any, name: Optional[str] = None) -> Any:
    return make("Tile", lambda x: _ops.tile(x, list(multiples)), as_tensor(input), name=name)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: Optional[str] = None, constant_values: Any = 0
) -> Any:
    if mode.upper() != "CONSTANT":
        raise NotImplementedError(f"flywheel.v1.pad: mode='{mode}'")
    widths = [(int(a), int(b)) for a, b in paddings]
    return make("Pad", lambda x: _ops.pad(x, widths, constant_values), as_tensor(tensor), name=name)


def gather(params: Any, indices: Any, validate_indices: Any = None, name: Optional[str] = None, axis: int = 0) -> Any:
    rows = make("Gather", lambda x, i: _ops.take(x, i, axis), as_tensor(params), as_tensor(indices), name=name)
    rows.op.attrs["looks_up"] = axis == 0
    return rows


def one_hot(indices: Any, depth: int, on_value: Any = None, off_value: Any = None, axis: Any = None,
            dtype: Any = None, name: Optional[str] = None) -> Any:  # fmt: skip
    kind = _dtypes.float32 if dtype is None else dtype_of(dtype)

    def emit(i: Any) -> Any:
        hot = _ops.one_hot(i, depth, kind)
        on, off = (1 if on_value is None else on_value), (0 if off_value is None else off_value)
        hot = hot if (on, off) == (1, 0) else _ops.where(_ops.equal(hot, 1), _as(on, kind), _as(off, kind))
        return hot if axis in (None, -1) else _ops.moveaxis(hot, -1, axis)

    return make("one_hot", emit, as_tensor(indices), name=name)


def _as(value: Any, dtype: Any) -> Any:
    """A number or tensor of a trace in this dtype."""
    return _ops.cast(value, dtype)


def where(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Any:
    """The elements of x where the condition holds, else those of y; a vector chooses whole rows."""
    if x is None or y is None:
        raise NotImplementedError("flywheel.v1.where without x and y: the shape of the result is not known")
    holds, one, other = as_tensor(condition), as_tensor(x), as_tensor(y)

    def emit(c: Any, a: Any, b: Any) -> Any:
        if c.ndim == 1 and a.ndim > 1:
            c = _ops.reshape(c, [-1, *[1] * (a.ndim - 1)])
        return _ops.where(c, a, b)

    # The condition does not say more about the shape than they do.
    types, a, b = None, one.static_shape, other.static_shape
    if holds.static_shape is None and a is not None and b is not None and len(a) == len(b) and one.dtype == other.dtype:
        types = [(one.dtype, tuple(n if m is None else m for m, n in zip(a, b)))]
    return make("Select", emit, holds, one, other, name=name, types=types)


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    return make("range", lambda a, b, c: _ops.arange(a, b, c, dtype), start, limit, delta, name=name)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Optional[str] = None) -> Any:
    return make("clip_by_value", _ops.clip, as_tensor(t), clip_value_min, clip_value_max, name=name)


def global_norm(t_list: Any, name: Optional[str] = None) -> Any:
    """The norm of all elements together."""
    def emit(*xs: Any) -> Any:
        total = _ops.sum(_ops.square(xs[0]))
        for x in xs[1:]:
            total = _ops.add(total, _ops.sum(_ops.square(x)))
        return _ops.sqrt(total)

    return make("global_norm", emit, *[as_tensor(t) for t in t_list if t is not None], name=name)


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: Optional[str] = None) -> Any:
    """Tensors scaled so that their norm together is at most `clip_norm`, and that norm."""
    norm = global_norm(t_list) if use_norm is None else use_norm
    scale = TABLE["divide"](clip_norm, TABLE["maximum"](norm, clip_norm))
    return [None if t is None else _scaled(t, scale) for t in t_list], norm


def _scaled(t: Any, scale: Any) -> Any:
    """A gradient times a number: the same rows of a table."""
    found = TABLE["multiply"](t, scale)
    found.op.attrs["same_rows"] = t
    return found


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Optional[str] = None) -> Any:
    """A tensor scaled so that its norm is at most `clip_norm`."""
    norm = TABLE["sqrt"](TABLE["reduce_sum"](TABLE["square"](t), axes, True))
    scale = TABLE["divide"](clip_norm, TABLE["maximum"](norm, clip_norm))
    return _scaled(t, scale) if axes is None else TABLE["multiply"](t, scale)


__all__ = [
    "add_n", "argmax", "argmin", "cast", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "concat",
    "convert_to_tensor", "expand_dims", "fill", "gather", "global_norm", "group", "identity", "matmul", "no_op",
    "one_hot", "ones", "pad", "placeholder", "placeholder_with_default", "rank", "reshape", "shape", "size", "split",
    "squeeze", "stack", "stop_gradient", "tile", "to_double", "to_float", "to_int32", "to_int64", "transpose",
    "unstack", "where", "zeros",
]  # fmt: skip
