# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building of the ops of `_nn_ops`: operands, and types of results."""

import operator
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _dtypes, _ops, _trace
from ._errors import about, wrong
from ._flywheel import Attribute
from ._ops._core import broadcast_shapes, normalize_axes, normalize_axis
from ._tensor import Tensor, as_tensor, as_tensors, format_shape, is_number
from ._trace import Attributes, Shape

__all__ = ["Attribute", "Attributes", "Padding", "build", "case", "padding_attribute"]

# "valid", "same", or the numbers of elements that are added before and after: [(top, bottom), (left, right)].
Padding = Union[str, Sequence[Tuple[int, int]]]

Operands = Dict[str, Tensor]
Result = Tuple[_dtypes.DType, Shape]


def padding_attribute(padding: Padding) -> Attribute:
    if isinstance(padding, str):
        if padding.lower() not in ("valid", "same"):
            raise ValueError(f"expected padding 'valid', 'same' or [(top, bottom), (left, right)], found '{padding}'")
        return Attribute.padding(padding.lower())
    try:
        pairs = [[operator.index(amount) for amount in pair] for pair in padding]
    except TypeError:
        pairs = []
    if [len(pair) for pair in pairs] != [2, 2] or min(min(pair) for pair in pairs) < 0:
        raise ValueError(f"expected padding 'valid', 'same' or [(top, bottom), (left, right)] of at least 0, found "
                         f"{padding!r}")  # fmt: skip
    return Attribute.padding(pairs)


def case(name: str, cases: Dict[str, int]) -> int:
    if name not in cases:
        raise wrong(ValueError, f"one of {', '.join(map(repr, cases))}", f"'{name}'")
    return cases[name]


def build(
    name: str, operands: Sequence[Tuple[str, Any, str]], attributes: Attributes, has_segments: bool
) -> List[Tensor]:
    """Makes an op of nn. An operand is a name, a value (None where it is left out) and
    what it holds: "float", "int" or "any", with "?" where it may be left out."""
    given = _convert(name, operands)
    _complete(name, given, attributes)
    if has_segments:
        attributes["operandSegmentSizes"] = Attribute.i32s([int(argument in given) for argument, _, _ in operands])
    rule = _RESULTS.get(name)
    trace = _trace.current()
    types = None
    if rule is not None:
        try:
            results = rule(given, {k: attribute.value for k, attribute in attributes.items()})
        except IndexError:
            raise about(name, ValueError(f"'{name}' takes tensors of more dimensions "
                                         f"than it got: {_shapes_of(given)}"), None) from None  # fmt: skip
        except ValueError as error:
            raise about(name, ValueError(f"'{name}' of {_shapes_of(given)}: {error}"), None) from None
        types = [trace.type(dtype, shape) for dtype, shape in results]
    values = trace.op(name, [x.value for x in given.values()], types, attributes)
    return [Tensor(v, _dtypes.as_dtype(v.dtype), v.shape, trace) for v in values]


def _shapes_of(given: Operands) -> str:
    return ", ".join(f"{argument} {format_shape(x._dims)}" for argument, x in given.items())


def _convert(name: str, operands: Sequence[Tuple[str, Any, str]]) -> Operands:
    for argument, value, kind in operands:
        if value is None and not kind.endswith("?"):
            raise about(name, TypeError(f"'{name}' takes a tensor, an array or a number as "
                                        f"{argument}, found None"), None)  # fmt: skip
    if name in _BROADCASTING:
        return dict(zip([n for n, _, _ in operands], as_tensors(*[value for _, value, _ in operands])))
    given: Operands = {}
    floating: Optional[_dtypes.DType] = None
    for argument, value, kind in operands:
        if value is None:
            continue
        if kind.startswith("float") and is_number(value) and floating is not None:
            value = as_tensor(value, floating)
        x = as_tensor(value)
        kind = kind.removesuffix("?")
        if kind == "int":
            x = _integers(name, argument, x)
        elif kind == "float":
            if x.dtype == _dtypes.string:
                given_text = repr(value) if isinstance(value, (str, bytes)) else "a tensor of strings"
                raise about(name, TypeError(f"'{name}' takes numbers as {argument}, found {given_text}"), None)
            if not _dtypes.is_floating(x.dtype):
                x = _ops.cast(x, floating or _dtypes.float32)
            floating = floating or x.dtype
        given[argument] = x
    return given


def _integers(name: str, argument: str, x: Tensor) -> Tensor:
    if _dtypes.is_floating(x.dtype) or x.dtype == _dtypes.string or _dtypes.is_bool(x.dtype):
        raise about(name, TypeError(f"'{name}' takes integers as {argument}, found {_dtypes.name_of(x.dtype)}"), None)
    if _dtypes.is_unsigned(x.dtype):
        return _ops.cast(x, _dtypes.int64 if x.dtype.itemsize >= 4 else _dtypes.int32)
    return x


def _check_steps(attributes: Attributes) -> None:
    for name in ("window", "strides", "dilations"):
        if name not in attributes:
            continue
        given = attributes[name].value
        try:
            numbers = [operator.index(number) for number in given]
        except TypeError:
            numbers = []
        if len(numbers) != 2:
            raise TypeError(f"expected two integers as {name}, of height and width, found {given!r}")
        if min(numbers) < 1:
            raise ValueError(f"expected {name} of at least 1, found {numbers}")


def _complete(name: str, given: Operands, attributes: Attributes) -> None:
    """Fills in the attributes that the assembly of an op has defaults for; counts negative axes from the end."""
    if name.startswith("nn.conv2d"):
        attributes.setdefault("strides", Attribute.i64s([1, 1]))
        attributes.setdefault("dilations", Attribute.i64s([1, 1]))
    if "window" in attributes:
        attributes.setdefault("strides", attributes["window"])
    _check_steps(attributes)
    first = next(iter(given.values()))
    # One of another kind is refused with all other attributes, by the name of the op.
    if "axis" in attributes and _is_integer(axis := attributes["axis"].value):
        attributes["axis"] = Attribute.i64(normalize_axis(axis, first.ndim))
    if "axes" in attributes and _are_integers(axes := attributes["axes"].value):
        attributes["axes"] = Attribute.i64s(normalize_axes(axes, first.ndim))


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _are_integers(value: Any) -> bool:
    return _is_integer(value) or (isinstance(value, (list, tuple, range)) and all(map(_is_integer, value)))


#
# Types of results
#


def _first(given: Operands, _: Dict[str, Any]) -> List[Result]:
    x = next(iter(given.values()))
    return [(x.dtype, x._dims)]


def _broadcast(given: Operands, _: Dict[str, Any]) -> List[Result]:
    a, b = given.values()
    return [(a.dtype, broadcast_shapes(a._dims, b._dims))]


def _dim_sizes(dim_size: Optional[int], window: int, stride: int, kind: Any, place: int) -> Optional[int]:
    if dim_size is None:
        return None
    if kind == "same":
        return -(-dim_size // stride)
    if kind != "valid":
        dim_size += sum(kind[place])
    # If the image is too small, the op itself reports the sizes that it expects.
    return max(0, (dim_size - window) // stride + 1)


def _slide(x: Tensor, spans: Sequence[int], attributes: Dict[str, Any], channels: Optional[int]) -> List[Result]:
    if x.ndim != 4:
        raise wrong(ValueError, "an image [batch, height, width, channels]", f"{x.ndim} dimensions")
    kind = attributes["padding"]
    places = [_dim_sizes(x._dims[1 + i], spans[i], attributes["strides"][i], kind, i) for i in range(2)]
    return [(x.dtype, (x._dims[0], *places, channels))]


def _conv2d(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x, w = given["x"], given["w"]
    if w.ndim != 4 or None in w._dims:
        raise ValueError("expected a filter [height, width, channels, outputs] of static shape")
    spans = [((w._dims[i] or 0) - 1) * attributes["dilations"][i] + 1 for i in range(2)]
    return _slide(x, spans, attributes, w._dims[3])


def _conv2d_transpose(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x, w = given["x"], given["w"]
    if "like" in given:
        return [(x.dtype, given["like"]._dims)]
    kind = attributes["padding"]
    places: List[Optional[int]] = []
    for i in range(2):
        dim_size = x._dims[1 + i]
        if dim_size is None:
            raise about("conv2d_transpose", ValueError("of an image of dynamic size needs `like`, "
                                                       "of the result's shape"), " ")  # fmt: skip
        stride, span = attributes["strides"][i], ((w._dims[i] or 0) - 1) * attributes["dilations"][i] + 1
        whole = (dim_size - 1) * stride + span
        places.append(dim_size * stride if kind == "same" else whole if kind == "valid" else whole - sum(kind[i]))
    return [(x.dtype, (x._dims[0], *places, w._dims[2]))]


def _pool(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = given["x"]
    return _slide(x, attributes["window"], attributes, x._dims[-1])


def _rows(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = next(iter(given.values()))
    return [(x.dtype, x._dims[:-1] if attributes.get("reduction") == 0 else ())]


def _elements(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = next(iter(given.values()))
    return [(x.dtype, x._dims if attributes.get("reduction") == 0 else ())]


def _matmul(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    a, b = given["a"], given["b"]
    rows = a._dims[-1] if "transpose_a" in attributes else a._dims[-2]
    columns = b._dims[-2] if "transpose_b" in attributes else b._dims[-1]
    return [(a.dtype, (*a._dims[:-2], rows, columns))]


def _dense(given: Operands, _: Dict[str, Any]) -> List[Result]:
    x, w = given["x"], given["w"]
    return [(x.dtype, (*x._dims[:-1], w._dims[-1]))]


def _reduce(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = given["input"]
    axes = attributes["axes"]
    if "keepdims" in attributes:
        return [(x.dtype, tuple(1 if i in axes else e for i, e in enumerate(x._dims)))]
    return [(x.dtype, tuple(e for i, e in enumerate(x._dims) if i not in axes))]


def _argument(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = given["input"]
    return [(_dtypes.int32, tuple(e for i, e in enumerate(x._dims) if i != attributes["axis"]))]


def _gather(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x, axis = given["x"], attributes["axis"]
    return [(x.dtype, (*x._dims[:axis], *given["indices"]._dims, *x._dims[axis + 1 :]))]


def _at_indices(given: Operands, _: Dict[str, Any]) -> List[Result]:
    return [(given["x"].dtype, given["indices"]._dims)]


def _tile(given: Operands, attributes: Dict[str, Any]) -> List[Result]:
    x = given["x"]
    return [(x.dtype, tuple(None if e is None else e * n for e, n in zip(x._dims, attributes["multiples"])))]


def _attention(given: Operands, _: Dict[str, Any]) -> List[Result]:
    q, v = given["q"], given["v"]
    return [(q.dtype, (*q._dims[:-1], v._dims[-1]))]


def _batch_norm(given: Operands, _: Dict[str, Any]) -> List[Result]:
    x = given["x"]
    own = _dtypes.float32 if x.dtype.itemsize == 2 else x.dtype
    return [(x.dtype, x._dims), (own, x._dims[-1:]), (own, x._dims[-1:])]


def _solve(given: Operands, _: Dict[str, Any]) -> List[Result]:
    return [(given["b"].dtype, given["b"]._dims)]


def _lstsq(given: Operands, _: Dict[str, Any]) -> List[Result]:
    a, b = given["a"], given["b"]
    return [(b.dtype, (*b._dims[:-2], a._dims[-1], b._dims[-1]))]


def _scalar(given: Operands, _: Dict[str, Any]) -> List[Result]:
    return [(next(iter(given.values())).dtype, ())]


def _try_cholesky(given: Operands, _: Dict[str, Any]) -> List[Result]:
    x = given["a"]
    return [(x.dtype, x._dims), (_dtypes.bool_, ())]


_BROADCASTING = {"nn.add", "nn.sub", "nn.mul", "nn.div", "nn.max", "nn.min", "nn.pow"}
_ROW_LOSSES = [
    "softmax_cross_entropy", "sparse_softmax_cross_entropy", "mean_squared_error", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_logarithmic_error", "huber", "hinge", "squared_hinge",
    "categorical_hinge", "log_cosh", "kl_divergence", "poisson", "cosine_proximity", "binary_crossentropy",
    "categorical_crossentropy"]  # fmt: skip

# Ops that are not here infer the types of their results themselves.
_RESULTS: Dict[str, Callable[[Operands, Dict[str, Any]], List[Result]]] = {
    **dict.fromkeys(_BROADCASTING, _broadcast),
    **{f"nn.{name}": _rows for name in _ROW_LOSSES},
    "nn.sigmoid_cross_entropy": _elements,
    "nn.l2_loss": _scalar,
    "nn.conv2d": _conv2d,
    "nn.conv2d_transpose": _conv2d_transpose,
    "nn.max_pool2d": _pool,
    "nn.avg_pool2d": _pool,
    "nn.matmul": _matmul,
    "nn.dense": _dense,
    "nn.reduce": _reduce,
    "nn.argmax": _argument,
    "nn.argmin": _argument,
    "nn.gather": _gather,
    "nn.scatter": _first,
    "nn.scatter_add": _first,
    "nn.scatter_add_along_axis": _first,
    "nn.take_along_axis": _at_indices,
    "nn.cumsum": _first,
    "nn.cumprod": _first,
    "nn.logcumsumexp": _first,
    "nn.tile": _tile,
    "nn.attention": _attention,
    "nn.layer_norm": _first,
    "nn.rms_norm": _first,
    "nn.batch_norm_training": _batch_norm,
    "nn.batch_norm_inference": _first,
    "nn.triangular_solve": _solve,
    "nn.lstsq": _lstsq,
    "nn.try_cholesky": _try_cholesky,
}

