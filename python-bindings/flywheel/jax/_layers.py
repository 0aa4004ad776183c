# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions, reductions and windows of StableHLO."""

import itertools
import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._nn.windows import convolve
from .._ops.emission import Size, index_op, sizes
from .._ops.functions import shared_maximum, shared_minimum
from .._ops.reductions import reduce_max, reduce_min
from ._graph import Call, op
from ._indexing import combiner
from ._shapes import padded, permuted, reshaped, sliced
from ._values import Known, of_tensor, tensors_of

#
# Products
#


def _product(dim_sizes: Sequence[Size]) -> Size:
    result: Size = 1
    for dim_size in dim_sizes:
        result = dim_size if isinstance(result, int) and result == 1 else index_op("muli", result, dim_size)
    return result


def _grouped(x: Tensor, lead: Sequence[int], first: Sequence[int], second: Sequence[int]) -> Tuple[Tensor, bool]:
    """[lead..., first, second] with each group as one dimension, or that with the last two exchanged:
    what `x` is without a transposition."""
    old = sizes(x)
    is_swapped = _moves(x, [*lead, *first, *second]) and not _moves(x, [*lead, *second, *first])
    one, other = (second, first) if is_swapped else (first, second)
    ordered = permuted(x, [*lead, *one, *other])
    shape = [*[old[i] for i in lead], _product([old[i] for i in one]), _product([old[i] for i in other])]
    return reshaped(ordered, shape), is_swapped


def _moves(x: Tensor, axes: Sequence[int]) -> bool:
    moving = [axis for axis in axes if x._dims[axis] != 1]
    return moving != sorted(moving)


@op("dot_general")
def _dot_general(call: Call, a: Known, b: Known) -> Tensor:
    numbers = stablehlo.DotDimensionNumbers(call.attribute("dot_dimension_numbers"))
    x, y = _ops.cast(a.tensor, call.dtype), _ops.cast(b.tensor, call.dtype)
    batch_a, batch_b = list(numbers.lhs_batching_dimensions), list(numbers.rhs_batching_dimensions)
    summed_a, summed_b = list(numbers.lhs_contracting_dimensions), list(numbers.rhs_contracting_dimensions)
    free_a = [i for i in range(x.ndim) if i not in batch_a and i not in summed_a]
    free_b = [i for i in range(y.ndim) if i not in batch_b and i not in summed_b]
    old_a, old_b = sizes(x), sizes(y)
    result: List[Size] = [*[old_a[i] for i in [*batch_a, *free_a]], *[old_b[i] for i in free_b]]
    if 0 in x._dims or 0 in y._dims:
        return _ops.zeros(call.static_shape, call.dtype)
    if not summed_a or not (free_a or free_b) or not _dtypes.is_floating(call.dtype):
        return _multiply_and_sum(x, y, (batch_a, free_a, summed_a), (batch_b, free_b, summed_b), call.dtype)
    if not batch_a and len(free_a) > 1 and not _moves(x, [*free_a, *summed_a]) and not _moves(y, [*summed_b, *free_b]):
        rows, _ = _grouped(x, free_a, [], summed_a)
        columns, _ = _grouped(y, [], summed_b, free_b)
        rows = reshaped(rows, [*[old_a[i] for i in free_a], sizes(columns)[0]])
        return reshaped(_ops.matmul(rows, columns), result)
    left, is_left_swapped = _grouped(x, batch_a, free_a, summed_a)
    right, is_right_swapped = _grouped(y, batch_b, summed_b, free_b)
    product = nn.matmul(left, right, transpose_a=is_left_swapped, transpose_b=is_right_swapped)
    return reshaped(product, result)


def _multiply_and_sum(
    x: Tensor, y: Tensor, left: Tuple[List[int], ...], right: Tuple[List[int], ...], dtype: _dtypes.DType
) -> Tensor:
    """Element by element, [batch, rows, columns, summed]."""
    old_x, old_y = sizes(x), sizes(y)
    (batch_x, free_x, summed_x), (batch_y, free_y, summed_y) = left, right
    wide_x = [*[old_x[i] for i in [*batch_x, *free_x]], *[1] * len(free_y), *[old_x[i] for i in summed_x]]
    wide_y = [*[old_y[i] for i in batch_y], *[1] * len(free_x), *[old_y[i] for i in [*free_y, *summed_y]]]
    product = _ops.multiply(reshaped(permuted(x, [*batch_x, *free_x, *summed_x]), wide_x),
                            reshaped(permuted(y, [*batch_y, *free_y, *summed_y]), wide_y))  # fmt: skip
    axes = list(range(product.ndim - len(summed_x), product.ndim))
    if not axes:
        return product
    return _ops.any(product, axes) if _dtypes.is_bool(dtype) else _ops.reductions.reduce_sum(product, axes)


#
# Convolutions
#


class _Window:
    """The window of a convolution: for each spatial dimension its stride, padding, and dilation of the filter."""

    def __init__(self, strides: List[int], padding: List[Tuple[int, int]], dilations: List[int]):
        self.strides, self.padding, self.dilations = strides, padding, dilations


@op("convolution")
def _convolution(call: Call, image: Known, weights: Known) -> Tensor:
    numbers = stablehlo.ConvDimensionNumbers(call.attribute("dimension_numbers"))
    rank = image.ndim - 2
    if not _dtypes.is_floating(call.dtype):
        raise call.unsupported("of integers")
    window = _Window(call.ints("window_strides", [1] * rank), call.pairs("padding", rank),
                     call.ints("rhs_dilation", [1] * rank))  # fmt: skip
    spread = call.ints("lhs_dilation", [1] * rank)
    x, w = _ops.cast(image.tensor, call.dtype), _ops.cast(weights.tensor, call.dtype)
    x = permuted(x, [numbers.input_batch_dimension, *numbers.input_spatial_dimensions, numbers.input_feature_dimension])
    w = permuted(w, [*numbers.kernel_spatial_dimensions, numbers.kernel_input_feature_dimension,
                     numbers.kernel_output_feature_dimension])  # fmt: skip
    x = _batch_groups(call, x)
    if call.has("window_reversal") and any(_booleans(call.attribute("window_reversal"))):
        for axis, is_reversed in enumerate(_booleans(call.attribute("window_reversal"))):
            w = _ops.flip(w, axis) if is_reversed else w
    if 0 in call.shape or 0 in x._dims or 0 in w._dims:
        return _ops.zeros(call.static_shape, call.dtype)
    if rank > 0 and any(step != 1 for step in spread):
        result = _transposed(x, w, window, spread)
    else:
        result = _convolve(x, w, window)
    order = [0] * (rank + 2)
    order[numbers.output_batch_dimension], order[numbers.output_feature_dimension] = 0, rank + 1
    for place, axis in enumerate(numbers.output_spatial_dimensions):
        order[axis] = place + 1
    return permuted(result, order)


def _batch_groups(call: Call, x: Tensor) -> Tensor:
    """The images of `batch_group_count` groups as channels of fewer images: outputs in as many groups, each of which
    sees one group of images, are a convolution with groups of channels."""
    count = call.integer("batch_group_count")
    if count == 1:
        return x
    old = sizes(x)
    if x._dims[0] is None:
        raise call.unsupported("with a batch_group_count, of a batch that the call chooses")
    split = reshaped(x, [count, x._dims[0] // count, *old[1:]])
    moved = permuted(split, [*range(1, x.ndim), 0, x.ndim])
    return reshaped(moved, [x._dims[0] // count, *old[1:-1], index_op("muli", old[-1], count)])


def _booleans(attribute: Any) -> List[bool]:
    if isinstance(attribute, ir.DenseBoolArrayAttr):
        return [bool(value) for value in ir.DenseBoolArrayAttr(attribute)]
    return [bool(value) for value in np.array(attribute.maybe_downcast()).reshape(-1)]


def _convolve(x: Tensor, w: Tensor, window: _Window) -> Tensor:
    """`x` is [batch, space..., channels], `w` [space..., channels of a group, outputs]."""
    if any(low < 0 or high < 0 for low, high in window.padding):
        cut = [(0, 0), *[(min(low, 0), min(high, 0)) for low, high in window.padding], (0, 0)]
        x = padded(x, cut, [0] * x.ndim, 0)
    pads = [(max(low, 0), max(high, 0)) for low, high in window.padding]
    return convolve(x, w, window.strides, pads, window.dilations)


def _transposed(x: Tensor, w: Tensor, window: _Window, spread: List[int]) -> Tensor:
    """Computes a convolution of an image with zeros between its elements."""
    rank = x.ndim - 2
    spans = [((w._dims[i] or 0) - 1) * window.dilations[i] + 1 for i in range(rank)]
    pads = [(spans[i] - 1 - low, spans[i] - 1 - high) for i, (low, high) in enumerate(window.padding)]
    is_gradient = rank == 2 and window.strides == [1, 1] and x._dims[-1] == w._dims[-2]
    if is_gradient and None not in x._dims and all(low >= 0 and high >= 0 for low, high in pads):
        # The linear map that goes back from the result of a convolution with this stride.
        filters = permuted(_ops.flip(_ops.flip(w, 0), 1), [0, 1, 3, 2])
        return nn.conv2d_transpose(x, filters, strides=spread, padding=pads, dilations=window.dilations)
    inner = [0, *[step - 1 for step in spread], 0]
    return _convolve(padded(x, [(0, 0)] * x.ndim, inner, 0), w, window)


#
# Reductions
#

_REDUCTIONS: Dict[str, Callable[..., Tensor]] = {
    "add": _ops.reductions.reduce_sum, "multiply": _ops.reductions.reduce_prod,
    "maximum": _ops.reductions.reduce_max,
    "minimum": _ops.reductions.reduce_min, "and": _ops.all, "or": _ops.any}  # fmt: skip
_PAIRS: Dict[str, Callable[..., Tensor]] = {
    "add": _ops.add, "maximum": shared_maximum, "minimum": shared_minimum, "multiply": _ops.multiply,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}  # fmt: skip


def _neutral(kind: str, dtype: _dtypes.DType) -> Any:
    if kind in ("add", "or", "xor", "multiply"):
        return 1 if kind == "multiply" else 0
    if _dtypes.is_bool(dtype):
        return kind in ("and", "minimum")
    if _dtypes.is_floating(dtype):
        return -math.inf if kind == "maximum" else math.inf
    if kind == "and":
        return 2 ** (8 * dtype.itemsize) - 1 if _dtypes.is_unsigned(dtype) else -1
    limits = np.iinfo(dtype)
    return int(limits.min if kind == "maximum" else limits.max)


def _with_initial(kind: str, result: Tensor, initial: Known) -> Tensor:
    """Combines a reduction with its initial value, which mostly changes nothing."""
    number = initial.uniform
    if number is not None and number == _neutral(kind, result.dtype):
        return result
    return _PAIRS[kind](result, initial.tensor)


def _kind_of(dtype: _dtypes.DType, kind: str) -> str:
    """Returns the kind of a reduction: on booleans, sums and maxima are `or`, products and minima are `and`."""
    if _dtypes.is_bool(dtype):
        return {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}.get(kind, kind)
    return kind


@op("reduce")
def _reduce(call: Call, *operands: Known) -> Any:
    axes, block = call.ints("dimensions"), call.block()
    if len(operands) == 4:
        found = _arg_extremum(call, operands, axes)
        if found is not None:
            return found
    x, initial = operands[0], operands[len(operands) // 2]
    kind = combiner(block) if len(operands) == 2 else None
    kind = None if kind is None else _kind_of(x.dtype, kind)
    if kind not in _REDUCTIONS or (kind in ("and", "or") and not _dtypes.is_bool(x.dtype)):
        return _reduce_in_pairs(call, operands, axes)
    if not axes:
        return _with_initial(kind, x.tensor, initial)
    if 0 in [x.shape[axis] for axis in axes]:
        return _ops.emission.stretch(initial.tensor, list(call.static_shape))
    return _with_initial(kind, _REDUCTIONS[kind](x.tensor, axes), initial)


def _reduce_in_pairs(call: Call, operands: Sequence[Known], axes: Sequence[int]) -> List[Tensor]:
    """A reduction by any function, which is associative (StableHLO leaves it to those who compute it which neighbours
    come first): each two neighbours, and so on. The order of the elements stays, since a function such as the product
    of matrices depends on it."""
    count = len(operands) // 2
    shape = operands[0].shape
    if None in shape:
        raise call.unsupported("with a function of its own, of a size that the call chooses")
    rest = [i for i in range(len(shape)) if i not in axes]
    total = math.prod([shape[axis] or 0 for axis in axes])
    starts = [_ops.emission.stretch(x.tensor, [shape[i] or 0 for i in rest]) for x in operands[count:]]
    if total == 0:
        return starts
    values = [reshaped(permuted(x.tensor, [*axes, *rest]), [total, *[shape[i] or 0 for i in rest]])
              for x in operands[:count]]  # fmt: skip
    while total > 1:
        paired = total - total % 2
        first, second, last = ([_rows(x, *bounds) for x in values] for bounds in (
            (0, paired, 2), (1, paired, 2), (paired, total, 1)))  # fmt: skip
        values = _combine(call, first, second)
        if total % 2:
            values = [_ops.concatenate([x, y], 0) for x, y in zip(values, last)]
        total -= paired // 2
    return _combine(call, starts, [reshaped(x, sizes(x)[1:]) for x in values])


def _rows(x: Tensor, first: int, last: int, step: int) -> Tensor:
    limits, others = [last, *[size or 0 for size in x._dims[1:]]], x.ndim - 1
    return sliced(x, [first, *[0] * others], limits, [step, *[1] * others])


def _combine(call: Call, first: Sequence[Tensor], second: Sequence[Tensor]) -> List[Tensor]:
    """Applies the region of a reduction to pairs of elements, many at once."""
    given = [of_tensor(x) for x in [*first, *second]]
    found = call.interpreter.run_block(call.block(), given, call.env, exact=False)
    # Results that depend on no element are scalars.
    return [_ops.emission.stretch(x, sizes(y)) for x, y in zip(tensors_of(found), first)]


# The region of an arg max: of two elements the larger one, the first of equal ones, and NaN before all.
_ARG_EXTREMUM = ["compare", "compare", "or", "compare", "compare", "and", "or", "select", "select", "return"]


def _arg_extremum(call: Call, operands: Sequence[Known], axes: Sequence[int]) -> Optional[List[Tensor]]:
    """The places of the largest or smallest elements; None for another region."""
    x, indices = operands[0], operands[1]
    operations = [view.operation for view in call.block().operations]
    names = [operation.name.removeprefix("stablehlo.") for operation in operations]
    if names != _ARG_EXTREMUM or len(axes) != 1 or not _counts(indices, axes[0]):
        return None
    words = [Call(operations[i], call.interpreter, call.env).word("comparison_direction") for i in (0, 1, 3, 4)]
    if words[1:] != ["NE", "EQ", "LT"] or words[0] not in ("GT", "LT"):
        return None
    data, axis = x.tensor, axes[0]
    if x.dtype in (_dtypes.bool_, _dtypes.uint8, _dtypes.uint16):
        data = _ops.cast(data, _dtypes.int32)
    elif x.dtype == _dtypes.uint32:
        data = _ops.cast(data, _dtypes.int64)
    elif x.dtype == _dtypes.uint64:
        return None
    is_largest = words[0] == "GT"
    place = (_ops.argmax if is_largest else _ops.argmin)(data, axis)
    value = (reduce_max if is_largest else reduce_min)(data, axis)
    return [_ops.cast(value, x.dtype), _ops.cast(place, indices.dtype)]


def _counts(indices: Known, axis: int) -> bool:
    """Returns true if they are the numbers of positions along a dimension."""
    array = indices.array
    if array is None:
        return False
    row = np.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return bool((array == row).all())


#
# Windows
#

# A window of more elements is not written out as slices.
_MOST_SLICES = 256


@op("reduce_window")
def _reduce_window(call: Call, *operands: Known) -> Any:
    x, initial = operands[0], operands[len(operands) // 2]
    rank = x.ndim
    kind = combiner(call.block()) if len(operands) == 2 else None
    kind = None if kind is None else _kind_of(x.dtype, kind)
    spans = call.ints("window_dimensions")
    window = _Window(call.ints("window_strides", [1] * rank), call.pairs("padding", rank),
                     call.ints("window_dilations", [1] * rank))  # fmt: skip
    spread = call.ints("base_dilations", [1] * rank)
    if 0 in call.shape or 0 in x.shape:
        return _ops.emission.stretch(initial.tensor, list(call.static_shape))
    if kind not in _PAIRS:
        return _window_in_pairs(call, operands, spans, spread, window)
    if any(step != 1 for step in spread):
        if _dtypes.is_bool(x.dtype):
            raise call.unsupported("of booleans, with a dilation of the tensor")
        x = of_tensor(padded(x.tensor, [(0, 0)] * rank, [step - 1 for step in spread], _neutral(kind, x.dtype)))
    result = _running(x, kind, spans, window)
    if result is None:
        result = _pool(x, kind, spans, window)
    if result is None:
        result = _slices(call, x, kind, spans, window)
    return _with_initial(kind, result, initial)


def _window_in_pairs(
    call: Call, operands: Sequence[Known], spans: List[int], spread: List[int], window: _Window
) -> List[Tensor]:
    """Windows that any function combines: what is beside the tensor is the value to start from."""
    count = len(operands) // 2
    starts = [x.uniform for x in operands[count:]]
    if None in starts or None in operands[0].shape or math.prod(spans) > _MOST_SLICES:
        raise call.unsupported(f"with a function of its own of more than {_MOST_SLICES} elements, a computed start, or "
                               "a size of the call")  # fmt: skip
    if any(_dtypes.is_bool(x.dtype) for x in operands):
        raise call.unsupported("with a function of its own of booleans")
    inner = [step - 1 for step in spread]
    data = [padded(x.tensor, window.padding, inner, start) for x, start in zip(operands, starts)]
    result = [_ops.emission.stretch(x.tensor, list(call.static_shape)) for x in operands[count:]]
    for starts_of, limits in _places_of(data[0], spans, window):
        result = _combine(call, result, [sliced(x, starts_of, limits, window.strides) for x in data])
    return result


def _places_of(x: Tensor, spans: List[int], window: _Window) -> Iterator[Tuple[List[int], List[int]]]:
    """For each place in a window, the elements of all windows that have it: from where and to where, by strides."""
    counts = [((size or 0) - (span - 1) * dilation - 1) // stride + 1
              for size, span, dilation, stride in zip(x._dims, spans, window.dilations, window.strides)]  # fmt: skip
    for place in itertools.product(*[range(span) for span in spans]):
        starts = [i * dilation for i, dilation in zip(place, window.dilations)]
        yield starts, [start + (n - 1) * stride + 1 for start, n, stride in zip(starts, counts, window.strides)]


def _running(x: Known, kind: str, spans: List[int], window: _Window) -> Optional[Tensor]:
    """Windows that have all elements so far are a running sum or product."""
    wide = [i for i, span in enumerate(spans) if span != 1]
    if len(wide) != 1 or kind not in ("add", "multiply") or any(s != 1 for s in window.strides + window.dilations):
        return None
    axis = wide[0]
    total = x.shape[axis]
    if total is None or spans[axis] != total or any(any(p) for i, p in enumerate(window.padding) if i != axis):
        return None
    function = _ops.cumsum if kind == "add" else _ops.cumprod
    if window.padding[axis] == (total - 1, 0):
        return function(x.tensor, axis, dtype=x.dtype)
    if window.padding[axis] == (0, total - 1):
        return function(x.tensor, axis, reverse=True, dtype=x.dtype)
    return None


def _pool(x: Known, kind: str, spans: List[int], window: _Window) -> Optional[Tensor]:
    """Windows in two dimensions: the ones of images, which are the middle ones there."""
    wide = [i for i in range(x.ndim) if spans[i] != 1 or window.strides[i] != 1 or any(window.padding[i])]
    is_known = kind in ("add", "maximum", "minimum") and _dtypes.is_floating(x.dtype)
    if not is_known or len(wide) > 2 or any(window.dilations[i] != 1 for i in wide):
        return None
    if any(low < 0 or high < 0 for low, high in window.padding):
        return None
    data = x.tensor
    rest = [i for i in range(x.ndim) if i not in wide]
    # The last of the others are channels, the first of them images.
    lead, last = (rest[:-1], rest[-1:]) if not rest or rest[-1] > (wide or [-1])[-1] else (rest, [])
    order = [*lead, *wide, *last]
    old = sizes(data)
    ordered = permuted(data, order)
    heads = [old[i] for i in lead]
    image = reshaped(ordered, [_product(heads), *[1] * (2 - len(wide)), *[old[i] for i in wide],
                               _product([old[i] for i in last])])  # fmt: skip
    extra = 2 - len(wide)
    size, strides = [1] * extra + [spans[i] for i in wide], [1] * extra + [window.strides[i] for i in wide]
    pads = [(0, 0)] * extra + [window.padding[i] for i in wide]
    if kind == "add" or any(low >= span or high >= span for (low, high), span in zip(pads, size)):
        fill = _neutral(kind, x.dtype)
        image, pads = padded(image, [(0, 0), *pads, (0, 0)], [0] * 4, fill), [(0, 0), (0, 0)]
    if kind == "add":
        mean = nn.avg_pool2d(image, size, strides=strides, padding=pads)
        pooled = _ops.multiply(mean, as_tensor(float(math.prod(size)), x.dtype))
    elif kind == "maximum":
        pooled = nn.max_pool2d(image, size, strides=strides, padding=pads)
    else:
        pooled = _ops.negative(nn.max_pool2d(_ops.negative(image), size, strides=strides, padding=pads))
    new = sizes(pooled)
    flat = reshaped(pooled, [*heads, *new[1 + extra : 3], *[old[i] for i in last]])
    return permuted(flat, [order.index(i) for i in range(x.ndim)])


def _slices(call: Call, x: Known, kind: str, spans: List[int], window: _Window) -> Tensor:
    """The elements of all windows that have one place in them, for each place, and those combined."""
    if math.prod(spans) > _MOST_SLICES or None in x.shape:
        raise call.unsupported(f"with '{kind}' of more than {_MOST_SLICES} elements, or of a size of the call")
    data = x.tensor
    is_bool = _dtypes.is_bool(x.dtype)
    if is_bool:
        data, kind = _ops.cast(data, _dtypes.int8), {"or": "maximum", "and": "minimum", "xor": "xor"}[kind]
    data = padded(data, window.padding, [0] * x.ndim, _neutral(kind, data.dtype))
    result: Optional[Tensor] = None
    for starts, limits in _places_of(data, spans, window):
        part = sliced(data, starts, limits, window.strides)
        result = part if result is None else _PAIRS[kind](result, part)
    assert result is not None
    return _ops.cast(result, bool) if is_bool else result
