# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building of the ops of `nn_ops`: operands and attributes. The compiler infers the types of results."""

import operator
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import Tensor, as_tensor, as_tensors, format_shape, is_number
from .._core.trace import Attributes
from .._errors.messages import about, fields_of, report, wrong
from .._flywheel import Attribute, CompileError
from .emission import normalize_axes, normalize_axis

__all__ = ["Attribute", "Attributes", "Padding", "build", "case", "padding_attribute"]

# "valid", "same", or the numbers of elements that are added before and after: [(top, bottom), (left, right)].
Padding = Union[str, Sequence[Tuple[int, int]]]

Operands = Dict[str, Tensor]

_BROADCASTING = {"nn.add", "nn.sub", "nn.mul", "nn.div", "nn.max", "nn.min", "nn.pow"}


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
    trace = _trace.current()
    try:
        values = trace.op(name, [x.value for x in given.values()], None, attributes)
    except CompileError as error:
        problem = fields_of(error)
        if problem is not None and problem.is_op:
            problem.text = f"'{name}' of {_shapes_of(given)}: {problem.text}"
            problem.joint, problem.is_op = None, False
            report(error, problem)
        raise
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
