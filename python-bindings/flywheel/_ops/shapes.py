# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements."""

import math
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import registry as _registry
from .._core import trace as _trace
from .._core.argument_checks import integer
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, constant, format_shape, is_integer, wrap
from .._errors.messages import wrong
from .._flywheel import Attribute
from .arithmetic import cast
from .checks import expect_equal
from .emission import (
    Size,
    broadcast_shapes,
    difference,
    emit,
    empty,
    flat_index,
    index_of,
    index_op,
    infer,
    normalize_axes,
    normalize_axis,
    size,
    sizes,
    static,
    stretch,
    with_index,
)

if TYPE_CHECKING:
    from .sizes import Size as SizeOfCall

DimSizes = Union[int, None, Tensor, Sequence[Union[int, None, Tensor]]]


def shape(x: TensorLike) -> Tensor:
    """The sizes of the dimensions as a vector of int32, also those that only the
    call knows."""
    x = as_tensor(x)
    if not x._dims:
        return constant(np.zeros(0, np.int32))
    trace = _trace.current()
    numbers = [
        trace.op("arith.index_cast", [index_of(size)], [trace.graph.type("int32", None)])[0] for size in sizes(x)
    ]
    rank = x.ndim
    value = trace.op("tensor.from_elements", numbers, [trace.type(_dtypes.int32, (rank,))])[0]
    result = wrap(value, _dtypes.int32, (rank,))
    result._index = sizes(x)
    return result


def dim(x: TensorLike, axis: int) -> "Union[int, SizeOfCall]":
    """The size of a dimension, `x.shape[axis]`: a number, or a `Size` where only the call knows it."""
    x = as_tensor(x)
    return _registry.sizes.size_of(x, normalize_axis(axis, x.ndim))


def listed(x: Any) -> List[Any]:
    """One integer or scalar tensor, or None, as a list of one; several as a list."""
    is_one = x is None or is_integer(x) or (isinstance(x, Tensor) and x.ndim == 0)
    return [x] if is_one else list(x)


def to_index(x: TensorLike) -> Size:
    """An integer, or a scalar tensor of integers, as the size or place of something."""
    if is_integer(x):
        return int(x)
    if isinstance(x, Tensor) and x._index is not None and x._dims == ():
        found: Size = x._index
        return found
    given = as_tensor(x)
    is_number = not isinstance(x, Tensor) or x._weak is not None
    if is_number and not _dtypes.is_integer(given.dtype):
        raise wrong(TypeError, "an integer or a scalar tensor", repr(x), "a size or place")
    if _dtypes.is_floating(given.dtype):
        raise wrong(TypeError, "an integer or a scalar tensor of integers", _dtypes.name_of(given.dtype),
                    "a size or place", hint="; flywheel.cast(x, 'int32') makes one of them")  # fmt: skip
    x = cast(given, _dtypes.int64)
    if x._dims != ():
        raise wrong(ValueError, "an integer or a scalar tensor", f"the shape {format_shape(x._dims)}")
    trace = _trace.current()
    number = trace.op("tensor.extract", [x.value], [trace.graph.type("int64", None)])[0]
    place = trace.op("arith.index_cast", [number], [trace.index_type()])[0]
    if not _dtypes.is_unsigned(given.dtype):
        trace.signed.add(place)
    return place


#
# Reshaping
#


def _product(dim_sizes: Sequence[Size]) -> Size:
    result: Size = 1
    for dim_size in dim_sizes:
        result = index_op("muli", result, dim_size)
    return result


def _resolve(x: Tensor, wanted: Sequence[Union[int, None, Tensor]]) -> List[Size]:
    """Returns the sizes that a reshape asks for: None is the dimension of x in this place, or the one that is not
    known; one may be -1."""
    old = sizes(x)
    result: List[Optional[Size]] = []
    for place, dim_size in enumerate(wanted):
        if dim_size is None:
            own = place < x.ndim and x._dims[place] is None and all(
                isinstance(e, (int, type(None))) and e == x._dims[i] for i, e in enumerate(wanted[:place])
            )
            result.append(old[place] if own else None)
        elif isinstance(dim_size, Tensor):
            result.append(to_index(dim_size))
        else:
            known_size = integer("a size of the shape", dim_size)
            if known_size < -1:
                raise ValueError(f"{_mismatch(x, wanted)}: a size is -1, which is computed, or not negative")
            result.append(None if known_size == -1 else known_size)
    missing = [place for place, dim_size in enumerate(result) if dim_size is None]
    if len(missing) > 1:
        raise ValueError(f"{_mismatch(x, wanted)}: one of the sizes may be -1, which is computed")
    known: List[Size] = [dim_size for dim_size in result if dim_size is not None]
    if missing:
        # Dynamic sizes that are in both products cancel.
        rest = list(old)
        for part in list(known):
            if part in rest and not isinstance(part, int):
                rest.remove(part)
                known.remove(part)
        total, given = _product(rest), _product(known)
        if isinstance(total, int) and isinstance(given, int) and (given == 0 or total % given):
            raise ValueError(_mismatch(x, wanted))
        result[missing[0]] = total if given == 1 else index_op("divsi", total, given)
    else:
        missed = difference(_product(old), _product(known))
        if missed is None:
            expect_equal(_product(known), _product(old), f"reshape of shape {format_shape(x._dims)}: elements")
        elif missed:
            difference_text = f"{abs(missed)} elements {'more' if missed > 0 else 'less'}"
            raise ValueError(f"{_mismatch(x, wanted)}: the tensor has {difference_text}")
    return [dim_size for dim_size in result if dim_size is not None]


def _mismatch(x: Tensor, wanted: Sequence[Union[int, None, Tensor]]) -> str:
    text = ", ".join(_describe(x, dim_size) for dim_size in wanted)
    own = ", ".join(_describe(x, dim_size) for dim_size in x.shape)
    return f"cannot reshape a tensor of shape ({own}{',' if x.ndim == 1 else ''}) into shape ({text})"


def _describe(x: Tensor, dim_size: Union[int, None, Tensor]) -> str:
    """A size as it follows from those of `x`: `x.shape[0] + 1`; `?` where it does not."""
    index = dim_size._index if isinstance(dim_size, Tensor) else None
    if index is None or isinstance(index, (int, list)):
        return "?" if isinstance(dim_size, Tensor) else str(dim_size)
    for axis in range(x.ndim):
        more = None if x._dims[axis] is not None else difference(index, size(x, axis))
        if more is not None:
            return f"x.shape[{axis}]" + (f" {'+' if more > 0 else '-'} {abs(more)}" if more else "")
    return "?"


def reshape(x: TensorLike, shape: DimSizes) -> Tensor:
    """The elements of `x`, in row-major order, with another shape.

    One size may be -1 or None: it is what the others leave; None where `x` has a
    dimension that is not static is that one. Sizes may be scalar tensors. Raises
    ValueError where the numbers of elements differ.
    """
    x = as_tensor(x)
    wanted = listed(shape)
    return with_index(reshape_to(x, _resolve(x, wanted)), flat_index(x))


def reshape_to(x: Tensor, new: List[Size], old: Optional[List[Size]] = None) -> Tensor:
    """`reshape` to sizes that are known, as numbers or as values of the trace. `old` are the sizes of `x`, where
    values are known that are among the new ones too: those dimensions stay as they are."""
    if static(new) == x._dims and all(isinstance(dim_size, int) for dim_size in new[1:]):
        return x
    old = sizes(x) if old is None else old
    prefix = suffix = 0
    while prefix < min(len(old), len(new)) and _same(old[prefix], new[prefix]):
        prefix += 1
    while suffix < min(len(old), len(new)) - prefix and _same(old[-1 - suffix], new[-1 - suffix]):
        suffix += 1
    # Ones come and go with a neighbour.
    if (len(old) == prefix + suffix) != (len(new) == prefix + suffix):
        if prefix:
            prefix -= 1
        elif suffix:
            suffix -= 1
    if _is_only_none(old, new, prefix, suffix):
        prefix = suffix = 0
    middle_old, middle_new = old[prefix : len(old) - suffix], new[prefix : len(new) - suffix]
    groups = _groups(middle_old, middle_new)
    narrow = _collapse(x, prefix, suffix, [len(part) for part, _ in groups])
    found = _expand(narrow, prefix, suffix, [part for _, part in groups], new)
    if x._wide is not None and found is not x:
        make_wide, sizes_before = x._wide, old
        found._wide, found._is_weak = lambda: reshape_to(make_wide(), new, sizes_before), x._is_weak
    return found


def _is_only_none(old: List[Size], new: List[Size], prefix: int, suffix: int) -> bool:
    """Returns true if the products of the middle dimensions differ, which only a dimension of 0 around them allows."""
    around = [*old[:prefix], *old[len(old) - suffix :]]
    if not any(isinstance(dim_size, int) and dim_size == 0 for dim_size in around):
        return False
    products = [_static_product(part[prefix : len(part) - suffix]) for part in (old, new)]
    return products[0] is None or products[0] != products[1]


def _static_product(dim_sizes: List[Size]) -> Optional[int]:
    known = [dim_size for dim_size in dim_sizes if isinstance(dim_size, int)]
    return math.prod(known) if len(known) == len(dim_sizes) else None


def _same(a: Size, b: Size) -> bool:
    return a == b if isinstance(a, int) and isinstance(b, int) else a is b


def _groups(old: List[Size], new: List[Size]) -> List[Tuple[List[Size], List[Size]]]:
    """Dimensions that become others, in parts as small as can be."""
    if not all(isinstance(dim_size, int) and dim_size > 0 for dim_size in [*old, *new]):
        return [(old, new)] if old or new else []
    groups: List[Tuple[List[Size], List[Size]]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        first_i, first_j = i, j
        a, b = old[i], new[j]
        i, j = i + 1, j + 1
        while a != b:
            assert isinstance(a, int) and isinstance(b, int)
            if a < b:
                a, i = index_op("muli", a, old[i]), i + 1
            else:
                b, j = index_op("muli", b, new[j]), j + 1
        groups.append((old[first_i:i], new[first_j:j]))
    # Remaining dimensions of 1 join the group before them.
    if groups:
        groups[-1] = (groups[-1][0] + old[i:], groups[-1][1] + new[j:])
    elif old or new:
        groups.append((old, new))
    return groups


def _collapse(x: Tensor, prefix: int, suffix: int, counts: List[int]) -> Tensor:
    """One dimension for each group."""
    if all(count == 1 for count in counts):
        return x
    if 0 in counts:
        # Nothing becomes a dimension of 1: where all of x is one element.
        return x
    places = [[i] for i in range(prefix)]
    for count in counts:
        start = places[-1][-1] + 1 if places else 0
        places.append(list(range(start, start + count)))
    places += [[x.ndim - suffix + i] for i in range(suffix)]
    dim_sizes: List[Optional[int]] = []
    for group in places:
        parts = [x._dims[i] for i in group]
        dim_sizes.append(None if None in parts else math.prod(part for part in parts if part is not None))
    return emit("tensor.collapse_shape", [x], x.dtype, dim_sizes, {"reassociation": Attribute.groups(places)})


def _expand(x: Tensor, prefix: int, suffix: int, parts: List[List[Size]], new: List[Size]) -> Tensor:
    if all(len(part) == 1 for part in parts) and x.ndim == len(new):
        return _as_known(x, new)
    trace = _trace.current()
    if [] in parts:
        # One element, whose dimensions of 1 go.
        return emit("tensor.collapse_shape", [x], x.dtype, (), {"reassociation": Attribute.groups([])})
    places: List[List[int]] = [[i] for i in range(prefix)]
    for part in parts:
        start = places[-1][-1] + 1 if places else 0
        places.append(list(range(start, start + len(part))))
    places += [[len(new) - suffix + i] for i in range(suffix)]
    # A static dimension makes static ones, and a dynamic one a dynamic one.
    dim_sizes = list(static(new))
    declared: List[Size] = list(sizes(x))
    for place, group in enumerate(places[: x.ndim]):
        if all(dim_sizes[i] is not None for i in group):
            declared[place] = math.prod(dim_sizes[i] or 0 for i in group)
        elif isinstance(declared[place], int):
            declared[place] = _product([new[i] for i in group])
    x = _as_known(x, declared)
    dynamic = [index_of(dim_size) for dim_size in new if not isinstance(dim_size, int)]
    attributes: _trace.Attributes = {
        "reassociation": Attribute.groups(places if x.ndim else []),
        "static_output_shape": Attribute.i64s([-(2**63) if dim_size is None else dim_size for dim_size in dim_sizes]),
    }
    value = trace.op("tensor.expand_shape", [x.value, *dynamic], [trace.type(x.dtype, tuple(dim_sizes))], attributes)[0]
    return wrap(value, x.dtype, dim_sizes)


def _as_known(x: Tensor, new: List[Size]) -> Tensor:
    dim_sizes = static(new)
    if dim_sizes == x._dims:
        return x
    trace = _trace.current()
    return wrap(trace.op("tensor.cast", [x.value], [trace.type(x.dtype, dim_sizes)])[0], x.dtype, dim_sizes)


def ravel(x: TensorLike) -> Tensor:
    """The elements as a vector."""
    return reshape(x, -1)


def expand_dims(x: TensorLike, axis: Union[int, Sequence[int]]) -> Tensor:
    """`x` with dimensions of 1 at these places of the result."""
    x = as_tensor(x)
    axes = listed(axis)
    places = normalize_axes(axes, x.ndim + len(axes))
    rest = iter(sizes(x))
    wide = reshape_to(x, [1 if place in places else next(rest) for place in range(x.ndim + len(axes))])
    return with_index(wide, flat_index(x))


def squeeze(x: TensorLike, axis: Union[int, Sequence[int], None] = None) -> Tensor:
    """`x` without dimensions of 1: those of `axis`, or all that are 1 statically.
    Raises ValueError for one of another size."""
    x = as_tensor(x)
    if axis is None:
        places = [place for place, dim_size in enumerate(x._dims) if dim_size == 1]
    else:
        places = normalize_axes(axis, x.ndim)
    for place in places:
        if x._dims[place] != 1:
            raise ValueError(f"cannot squeeze dimension {place} of shape {format_shape(x._dims)}: it is not 1")
    narrow = reshape_to(x, [dim_size for place, dim_size in enumerate(sizes(x)) if place not in places])
    return with_index(narrow, flat_index(x))


#
# Order of dimensions
#


def transpose(x: TensorLike, axes: Optional[Sequence[int]] = None) -> Tensor:
    """`x` with dimension `axes[i]` as its dimension i; by default in reverse order."""
    return _transpose(as_tensor(x), axes)


def _transpose(x: Tensor, axes: Optional[Sequence[int]]) -> Tensor:
    order = list(range(x.ndim))[::-1] if axes is None else [normalize_axis(axis, x.ndim) for axis in axes]
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"expected each of {x.ndim} dimensions once as axes, found {tuple(axes or ())}")
    if order == list(range(x.ndim)):
        return x
    trace = _trace.current()
    old = sizes(x)
    init = empty([old[axis] for axis in order], x.dtype)
    element = trace.graph.type(_dtypes.name_of(x.dtype), None)
    region = trace.region([element, element], lambda arguments: arguments[:1], "linalg.yield")
    type_ = trace.type(x.dtype, init._dims)
    value = trace.op(
        "linalg.transpose", [x.value, init.value], [type_], {"permutation": Attribute.i64s(order)}, [region]
    )[0]  # fmt: skip
    return wrap(value, x.dtype, init._dims)


def swapaxes(x: TensorLike, a: int, b: int) -> Tensor:
    """`x` with two dimensions exchanged."""
    x = as_tensor(x)
    order = list(range(x.ndim))
    a, b = normalize_axis(a, x.ndim), normalize_axis(b, x.ndim)
    order[a], order[b] = order[b], order[a]
    return transpose(x, order)


def moveaxis(x: TensorLike, source: Union[int, Sequence[int]], destination: Union[int, Sequence[int]]) -> Tensor:
    """`x` with some dimensions at other places; the others keep their order."""
    x = as_tensor(x)
    old = [normalize_axis(axis, x.ndim) for axis in listed(source)]
    new = [normalize_axis(axis, x.ndim) for axis in listed(destination)]
    if len(set(old)) != len(old) or len(set(new)) != len(new) or len(old) != len(new):
        raise ValueError(f"expected as many places as dimensions, each once, found {source} and {destination}")
    order = [axis for axis in range(x.ndim) if axis not in old]
    for place, axis in sorted(zip(new, old)):
        order.insert(place, axis)
    return transpose(x, order)


#
# Repeating and joining
#


def broadcast_to(x: TensorLike, shape: DimSizes) -> Tensor:
    """`x` repeated along dimensions of 1 and new ones. Sizes may be scalar tensors;
    None keeps a dimension of `x`."""
    x = as_tensor(x)
    wanted = listed(shape)
    first = len(wanted) - x.ndim
    dim_sizes: List[Size] = []
    for place, dim_size in enumerate(wanted):
        if dim_size is None:
            if place < first:
                raise ValueError("None keeps a dimension: a new one needs a size")
            dim_sizes.append(size(x, place - first))
        else:
            dim_sizes.append(to_index(dim_size))
    if first < 0 or broadcast_shapes(x._dims, static(dim_sizes)) != static(dim_sizes):
        raise ValueError(f"cannot broadcast {format_shape(x._dims)} to {format_shape(static(dim_sizes))}")
    return stretch(x, dim_sizes)


def concatenate(tensors: Sequence[TensorLike], axis: Optional[int] = 0) -> Tensor:
    """Tensors in a row along a dimension, of which the others have equal sizes; with None, the vector of all their
    elements."""
    if isinstance(tensors, Tensor):
        tensors = list(tensors)
    if not tensors:
        raise ValueError("need at least one tensor to concatenate")
    parts = as_tensors(*tensors)
    if axis is None:
        parts, axis = tuple(ravel(x) for x in parts), 0
    axis = normalize_axis(axis, parts[0].ndim)
    result = list(parts[0]._dims)
    total: Optional[int] = 0
    for x in parts:
        if x.ndim != len(result):
            raise ValueError("tensors to concatenate must have one rank, found "
                             + ", ".join(format_shape(y._dims) for y in parts))  # fmt: skip
        dim_size = x._dims[axis]
        total = None if dim_size is None or total is None else total + dim_size
        for place, other in enumerate(x._dims):
            if place == axis or other is None:
                continue
            if result[place] is not None and result[place] != other:
                raise ValueError(
                    "tensors to concatenate must have equal sizes but along the axis, found "
                    + ", ".join(format_shape(y._dims) for y in parts)
                )
            result[place] = other
    result[axis] = total
    if len(parts) == 1:
        return parts[0]
    joined = emit("tensor.concat", parts, parts[0].dtype, result, {"dim": Attribute.i64(axis)})
    flat = [flat_index(x) for x in parts]
    return joined if None in flat else with_index(joined, [one for part in flat for one in part or ()])


def stack(tensors: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    given = list(tensors)
    if not given:
        raise ValueError("need at least one tensor to stack")
    parts = as_tensors(*given)
    axis = normalize_axis(axis, parts[0].ndim + 1)
    return concatenate([expand_dims(x, axis) for x in parts], axis)


def tile(x: TensorLike, multiples: DimSizes) -> Tensor:
    """`x` repeated along each dimension. The numbers of repetitions may be scalar tensors."""
    x = as_tensor(x)
    given = [] if multiples is None else listed(multiples)
    counts = [to_index(count) for count in given]
    for count in counts:
        if isinstance(count, int) and count < 0:
            raise wrong(ValueError, "numbers of at least 0", given, "multiples")
    counts = [*[1] * (x.ndim - len(counts)), *counts]
    if len(counts) > x.ndim:
        x = expand_dims(x, list(range(len(counts) - x.ndim)))
    if not all(isinstance(count, int) for count in counts):
        # Each dimension gets a new one before it, along which the whole of it repeats.
        old = sizes(x)
        wide = reshape_to(x, [part for dim_size in old for part in (1, dim_size)])
        wide = stretch(wide, [part for count, dim_size in zip(counts, old) for part in (count, dim_size)])
        return reshape_to(wide, [index_op("muli", count, dim_size) for count, dim_size in zip(counts, old)])
    known = [count for count in counts if isinstance(count, int)]
    return infer("nn.tile", [x], {"multiples": Attribute.i64s(known)})


def is_scalar(x: Any) -> bool:
    """Returns true for a scalar tensor: one number that the step computes, where several numbers are allowed."""
    return isinstance(x, Tensor) and x._dims == ()
