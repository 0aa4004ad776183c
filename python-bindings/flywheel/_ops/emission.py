# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that the operations share: sizes of dimensions, and shapes that broadcast."""

from typing import List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.argument_checks import elements, integer
from .._core.tensor import Tensor, format_shape, wrap
from .._core.trace import Attributes, Shape
from .._errors.messages import wrong
from .._flywheel import Attribute, Value

# The size of a dimension: a number, or a value of type index.
Size = Union[int, Value]


def emit(
    name: str,
    operands: Sequence[Tensor],
    dtype: Optional[_dtypes.DType] = None,
    shape: Optional[Sequence[Optional[int]]] = None,
    attributes: Optional[Attributes] = None,
) -> Tensor:
    """An op with one result, whose dtype and shape are by default those of the
    first operand."""
    trace = _trace.current()
    dtype = operands[0].dtype if dtype is None else dtype
    result = tuple(operands[0]._dims if shape is None else shape)
    if dtype == _dtypes.float32 and any(x._wide is not None for x in operands) and _is_exact(name):
        return _emit_number(name, operands, result, attributes)
    value = trace.op(name, [x.value for x in operands], [trace.type(dtype, result)], attributes)[0]
    return Tensor(value, dtype, result, trace)


def infer(name: str, operands: Sequence[Tensor], attributes: Optional[Attributes] = None) -> Tensor:
    """An op with one result, whose type the op infers."""
    trace = _trace.current()
    value = trace.op(name, [x.value for x in operands], None, attributes)[0]
    return Tensor(value, _dtypes.as_dtype(value.dtype), value.shape, trace)


# Ops whose result is a number of Python if their operands are: beside float64 they are computed in it.
_EXACT = {"arith.select", "arith.negf", "arith.remf", "tensor.collapse_shape", "tensor.expand_shape", "tensor.concat",
          "nn.add", "nn.sub", "nn.mul", "nn.div", "nn.max", "nn.min", "nn.pow", "nn.broadcast"}  # fmt: skip


def _is_exact(name: str) -> bool:
    return name in _EXACT or name.startswith("math.")


def _emit_number(name: str, operands: Sequence[Tensor], shape: Shape, attributes: Optional[Attributes]) -> Tensor:
    """An op of float32 with an operand that a number of Python was rounded to."""
    trace = _trace.current()
    floats = [x for x in operands if _dtypes.is_floating(x.dtype)]
    is_exact, is_weak = all(x._wide is not None for x in floats), all(x._is_weak for x in floats)

    def compute() -> Tensor:
        wide = [x if x._wide is None else x._wide() for x in operands]
        return emit(name, wide, _dtypes.float64, shape, attributes)

    if is_exact and is_weak and trace.has_wide:
        # One computation, so that derivatives with respect to the number are whole.
        return narrow(compute())
    value = trace.op(name, [x.value for x in operands], [trace.type(_dtypes.float32, shape)], attributes)[0]
    made = Tensor(value, _dtypes.float32, shape, trace)
    if is_exact:
        made._wide, made._is_weak = compute, is_weak
    return made


def narrow(wide: Tensor) -> Tensor:
    """A number of float64 as the float32 that it is alone; beside float64 it is exact."""
    made = emit("arith.truncf", [wide], _dtypes.float32)
    made._wide, made._is_weak = lambda: wide, True
    made.trace.wide[made.value] = wide
    return made


def number(x: Tensor) -> Tensor:
    """A float32 tensor that takes the place of a number of Python in a program that knows none of float64: where it
    meets one, the function is traced again with float64 in its place."""

    def widen() -> Tensor:
        x.trace.wants_wide = True
        return emit("arith.extf", [x], _dtypes.float64)

    x._wide, x._is_weak = widen, True
    return x


def size(x: Tensor, axis: int) -> Size:
    dim_size = x._dims[axis]
    return x.trace.dim(x.value, axis) if dim_size is None else dim_size


def sizes(x: Tensor) -> List[Size]:
    return [size(x, axis) for axis in range(x.ndim)]


def static(dim_sizes: Sequence[Size]) -> Shape:
    return tuple(dim_size if isinstance(dim_size, int) else None for dim_size in dim_sizes)


def index_of(dim_size: Size) -> Value:
    return _trace.current().index(dim_size) if isinstance(dim_size, int) else dim_size


def index_op(name: str, a: Size, b: Size) -> Size:
    """One of arith's ops on sizes; of two numbers, the number."""
    if isinstance(a, int) and isinstance(b, int):
        return {
            "addi": a + b,
            "subi": a - b,
            "muli": a * b,
            "minsi": min(a, b),
            "maxsi": max(a, b),
            "ceildivsi": -(-a // b) if b else 0,
            "divsi": a // b if b else 0,
            "floordivsi": a // b if b else 0,
        }[name]
    if a is b and name in ("minsi", "maxsi", "subi"):
        return 0 if name == "subi" else a
    if name == "maxsi" and isinstance(b, int) and b <= 0 and not is_signed(a):
        return a
    if b == 1 and name in ("muli", "divsi", "floordivsi", "ceildivsi"):
        return a
    trace = _trace.current()
    result = trace.op(f"arith.{name}", [index_of(a), index_of(b)], [trace.index_type()])[0]
    are_signed = [is_signed(one) for one in (a, b)]
    if name == "subi" or (all(are_signed) if name == "maxsi" else any(are_signed)):
        trace.signed.add(result)
    return result


def of_size(dim_size: Value) -> Tensor:
    """A value of type index as a scalar of int64."""
    trace = _trace.current()
    number = trace.op("arith.index_cast", [dim_size], [trace.graph.type("int64", None)])[0]
    result = wrap(trace.op("tensor.from_elements", [number], [trace.type(_dtypes.int64, ())])[0], _dtypes.int64, ())
    result._index = dim_size
    return result


def difference(a: Size, b: Size) -> Optional[int]:
    """Returns the difference of two sizes, if it is the same in every call."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    if a is b:
        return 0
    return _trace.current().graph.difference(index_of(a), index_of(b))


def is_signed(place: Size) -> bool:
    """Returns true if a size or place may be negative."""
    return place < 0 if isinstance(place, int) else place in _trace.current().signed


def flat_index(x: Tensor) -> Optional[List[Size]]:
    """The elements of a tensor as sizes, where they are known as such."""
    if x._index is None:
        return None
    return list(x._index) if isinstance(x._index, list) else [x._index]


def with_index(x: Tensor, index: Optional[List[Size]]) -> Tensor:
    """Says of a scalar or a vector that its elements are these sizes."""
    if index is not None and x.ndim <= 1 and x._static_size == len(index) and x._index is None:
        x._index = index[0] if x.ndim == 0 else index
    return x


def computed_index(op: str, result: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The result of arithmetic on sizes is one too."""
    if a._index is None or b._index is None or result.ndim > 1 or not _dtypes.is_integer(result.dtype):
        return result
    lhs, rhs = flat_index(a), flat_index(b)
    count = result._static_size
    if lhs is None or rhs is None or count is None or any(len(side) not in (1, count) for side in (lhs, rhs)):
        return result
    pairs = [(lhs[i % len(lhs)], rhs[i % len(rhs)]) for i in range(count)]
    return with_index(result, [index_op(op, x, y) for x, y in pairs])


def empty(dim_sizes: Sequence[Size], dtype: _dtypes.DType) -> Tensor:
    """Returns a tensor of which only the shape is used."""
    trace = _trace.current()
    shape = static(dim_sizes)
    dynamic = [dim_size for dim_size in dim_sizes if not isinstance(dim_size, int)]
    return wrap(trace.op("tensor.empty", dynamic, [trace.type(dtype, shape)])[0], dtype, shape)


def like_operand(dim_sizes: Sequence[Size], dtype: _dtypes.DType) -> List[Tensor]:
    """Returns the operands from which an op of this result takes its dynamic sizes: none if all are static."""
    if all(isinstance(dim_size, int) for dim_size in dim_sizes):
        return []
    like = empty(dim_sizes, dtype)
    if dtype == _dtypes.float32:
        # The dtype of this operand has no meaning.
        like._wide, like._is_weak = lambda: empty(dim_sizes, _dtypes.float64), True
    return [like]


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Returns the shape that operands of these shapes have together, by NumPy's rule. Raises ValueError if they do not
    broadcast."""
    rank = max((len(shape) for shape in shapes), default=0)
    result: List[Optional[int]] = [1] * rank
    for shape in shapes:
        for axis, dim_size in enumerate(shape, rank - len(shape)):
            known = result[axis]
            if dim_size == known or dim_size == 1:
                continue
            if known == 1 or known is None:
                result[axis] = dim_size if dim_size is not None or known == 1 else None
            elif dim_size is not None:
                raise ValueError(
                    "operands could not be broadcast together with shapes " + " ".join(map(format_shape, shapes))
                )
    return tuple(result)


def broadcast_sizes(tensors: Sequence[Tensor], trailing: int = 0) -> List[Size]:
    """The sizes of what these broadcast to, without their last `trailing` dimensions."""
    shape = broadcast_shapes(*(x._dims[: x.ndim - trailing] for x in tensors))
    dim_sizes: List[Size] = []
    for axis, dim_size in enumerate(shape):
        if dim_size is not None:
            dim_sizes.append(dim_size)
            continue
        for x in tensors:
            own = axis - len(shape) + x.ndim - trailing
            if own >= 0 and x._dims[own] is None:
                dim_sizes.append(size(x, own))
                break
    return dim_sizes


def stretch(x: Tensor, dim_sizes: Sequence[Size]) -> Tensor:
    """`x` with these sizes, to which it broadcasts."""
    shape = static(dim_sizes)
    if x._dims == shape:
        return x
    first = len(shape) - x.ndim
    if first == 0 and all(a == b or a is None or (b is None and a != 1) for a, b in zip(x._dims, shape)):
        # The same sizes, of which one type knows more; a 1 may be stretched to what the call chooses.
        trace = _trace.current()
        return wrap(trace.op("tensor.cast", [x.value], [trace.type(x.dtype, shape)])[0], x.dtype, shape)
    like = like_operand(dim_sizes, x.dtype)
    return emit("nn.broadcast", [x, *like], x.dtype, shape, {"dims": Attribute.i64s(list(range(first, len(shape))))})


def broadcast(*tensors: Tensor) -> Tuple[Tensor, ...]:
    """All of them with the shape that they have together."""
    if all(x._dims == tensors[0]._dims for x in tensors):
        return tensors
    dim_sizes = broadcast_sizes(tensors)
    return tuple(stretch(x, dim_sizes) for x in tensors)


def normalize_axis(axis: int, rank: int) -> int:
    """Raises ValueError for an axis that a tensor of this rank does not have, TypeError for one that is not an
    integer."""
    axis = integer("axis", axis)
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for a tensor of {rank} dimensions")
    return axis % rank


def normalize_axes(axes: Union[int, Sequence[int], None], rank: int) -> List[int]:
    """In ascending order; None is all of them."""
    if axes is None:
        return list(range(rank))
    if isinstance(axes, (int, np.integer)):
        axes = [axes]
    if isinstance(axes, (float, str, bytes)):
        raise wrong(TypeError, "an integer, a list of them or None", repr(axes), "axis")
    result = sorted(normalize_axis(axis, rank) for axis in elements("axis", axes))
    if len(set(result)) != len(result):
        raise ValueError(f"axes {tuple(axes)} name one twice")
    return result


def signless(x: Tensor) -> Tensor:
    """Unsigned integers as the signless ones that ops take."""
    if not _dtypes.is_unsigned(x.dtype):
        return x
    return emit("tensor.bitcast", [x], _dtypes.as_dtype(x.dtype.name[1:]))


def as_unsigned(x: Tensor, dtype: _dtypes.DType) -> Tensor:
    """The other way, where `dtype` is unsigned."""
    return emit("tensor.bitcast", [x], dtype) if _dtypes.is_unsigned(dtype) else x
