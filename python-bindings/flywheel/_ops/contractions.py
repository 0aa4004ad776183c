# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices, and what is written as one."""

from typing import Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core.argument_checks import text
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, constant, format_shape
from .._errors.messages import about
from .._flywheel import Attribute
from ._padding import pad
from ._ranges import identity_matrix
from .arithmetic import cast, multiply, where
from .checks import expect_equal
from .emission import Size, broadcast_sizes, emit, infer, normalize_axis, size, sizes, stretch
from .indexing import take
from .reductions import reduce_sum, sum
from .shapes import _product, expand_dims, ravel, reshape_to, squeeze, transpose


def matmul(a: TensorLike, b: TensorLike) -> Tensor:
    """The product of matrices, as NumPy's `@`: of the last two dimensions, where
    leading ones broadcast; a vector is a row on the left, a column on the right.

    One matrix for all rows of a batch is one product (`nn.dense`). Raises ValueError
    for shapes that do not go together.
    """
    a, b = as_tensors(a, b)
    if a.ndim == 0 or b.ndim == 0:
        raise about("matmul", ValueError("takes no scalars: use *"), " ")
    inner_a, inner_b = a._dims[-1], b._dims[-2 if b.ndim > 1 else 0]
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise ValueError(f"shapes {format_shape(a._dims)} and {format_shape(b._dims)} do not multiply: "
                         f"{inner_a} columns and {inner_b} rows")  # fmt: skip
    if (inner_a is None or inner_b is None) and (a.ndim == b.ndim == 1 or not _dtypes.is_floating(a.dtype)):
        # An element-wise product would broadcast a dimension of size 1; products of matrices have a check of their own.
        expect_equal(size(b, max(b.ndim - 2, 0)), size(a, a.ndim - 1), "matmul: rows of the second operand")
    if a.ndim == 1 and b.ndim == 1:
        return reduce_sum(multiply(a, b))
    if a.ndim == 1:
        return squeeze(matmul(expand_dims(a, 0), b), -2)
    if b.ndim == 1:
        return squeeze(matmul(a, expand_dims(b, 1)), -1)
    if not _dtypes.is_floating(a.dtype):
        return reduce_sum(multiply(expand_dims(a, -1), expand_dims(b, -3)), -2)
    if b.ndim == 2:
        return infer("nn.dense", [a, b])
    leading = _leading([a, b])
    a = stretch(a, [*leading, *sizes(a)[-2:]])
    b = stretch(b, [*leading, *sizes(b)[-2:]])
    return _multiply(a, b)


def _leading(tensors: Sequence[Tensor]) -> List[Size]:
    """Returns the sizes that the leading dimensions of matrices broadcast to."""
    heads = [x for x in tensors if x.ndim > 2]
    if all(x._dims[:-2] == heads[0]._dims[:-2] for x in tensors):
        return sizes(tensors[0])[:-2]
    return broadcast_sizes(tensors, trailing=2)


def _multiply(a: Tensor, b: Tensor) -> Tensor:
    return infer("nn.matmul", [a, b])


def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """NumPy's `dot`: `matmul`, or a product where one of the two is a scalar."""
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return matmul(a, b) if b.ndim <= 2 else sum_along("dot", a, b, ([a.ndim - 1], [b.ndim - 2]))


def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """All products of an element of a and one of b, as a matrix."""
    return multiply(expand_dims(ravel(a), 1), expand_dims(ravel(b), 0))


def tensordot(a: TensorLike, b: TensorLike, axes: Union[int, Tuple[Sequence[int], Sequence[int]]] = 2) -> Tensor:
    """The sum over dimensions of a and those of b in their places, which have the same sizes; a number means the
    last ones of a and the first ones of b."""
    a, b = as_tensor(a), as_tensor(b)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise about("tensordot", ValueError(f"shapes {format_shape(a._dims)} and {format_shape(b._dims)} have no "
                                                f"{axes} dimensions each to sum over"))  # fmt: skip
        axes = (range(a.ndim - axes, a.ndim), range(axes))
    first, second = ([one] if isinstance(one, int) else list(one) for one in axes)
    if len(first) != len(second):
        raise about("tensordot", ValueError(f"sums over as many dimensions of both, found {first} and {second}"), " ")
    return sum_along("tensordot", a, b, (first, second))


def sum_along(kind: str, a: Tensor, b: Tensor, axes: Tuple[Sequence[int], Sequence[int]]) -> Tensor:
    """`tensordot`, for an op whose errors name `kind`."""
    letters = [chr(ord("a") + i) for i in range(a.ndim + b.ndim)]
    left, right = letters[: a.ndim], letters[a.ndim :]
    for i, j in zip(*axes):
        right[normalize_axis(j, b.ndim)] = left[normalize_axis(i, a.ndim)]
    result = [name for name in left if name not in right] + [name for name in right if name not in left]
    return contract(kind, f"{''.join(left)},{''.join(right)}->{''.join(result)}", [a, b], "".join(left))


#
# einsum
#


def einsum(equation: str, *operands: TensorLike) -> Tensor:
    """Einstein's sums, `"bij,bjk->bik"`: letters that the result lacks are summed
    over; `...` stands for leading dimensions that broadcast. Two operands at a time
    are one product of matrices. As in NumPy a size of 1 is repeated where another operand has more of a letter.
    Raises ValueError for an equation that does not fit.
    """
    return contract("einsum", equation, operands, "")


def contract(kind: str, equation: str, operands: Sequence[TensorLike], alike: Optional[str] = None) -> Tensor:
    """`einsum`, for an op whose errors name `kind`, in which a letter of `alike` (by default each one) is of one size:
    a 1 is not repeated. Raises ValueError for sizes that differ; a call fails where only it knows them."""
    text("equation", equation)
    if not operands:
        raise about(kind, ValueError(f"expected an operand for each term of '{equation}', found none"))
    tensors = list(as_tensors(*[as_tensor(x) for x in operands]))
    inputs, output = _parse(equation, tensors)
    for name in sorted(set(_letters(equation) if alike is None else alike)):
        _expect_one_size(kind, name, [(x, names.index(name)) for x, names in zip(tensors, inputs) if name in names])
    for place, names in enumerate(inputs):
        if len(set(names)) != len(names):
            tensors[place], inputs[place] = _diagonal(tensors[place], names)
    dtype = tensors[0].dtype
    if len(tensors) > 2 and _dtypes.is_half(dtype):
        # Values between two products are not rounded.
        tensors = [cast(x, _dtypes.float32) for x in tensors]
    while len(tensors) > 1:
        left, right = tensors.pop(0), tensors.pop(0)
        a, b = inputs.pop(0), inputs.pop(0)
        later = set(output).union(*inputs)
        joined, names = _contract(left, a, right, b, later)
        tensors.insert(0, joined)
        inputs.insert(0, names)
    return cast(_reorder(*_sum_out(tensors[0], inputs[0], set(output)), output), dtype)


def _letters(equation: str) -> str:
    return "".join(c for c in equation.partition("->")[0] if c.isalpha())


def _expect_one_size(kind: str, name: str, places: Sequence[Tuple[Tensor, int]]) -> None:
    """Reports an error if the dimensions that a letter names differ."""
    like, own = next(((x, axis) for x, axis in places if x._dims[axis] is not None), places[0])
    for x, axis in places:
        found, expected = x._dims[axis], like._dims[own]
        if found is None:
            expect_equal(size(x, axis), size(like, own), f"{kind}: dimensions that are summed or shared differ")
        elif found != expected:
            raise about(kind, ValueError(f"dimension {own} of shape {format_shape(like._dims)} is {expected}, "
                                         f"dimension {axis} of shape {format_shape(x._dims)} is {found}: expected the "
                                         "same size"))  # fmt: skip


def _parse(equation: str, tensors: List[Tensor]) -> Tuple[List[str], str]:
    left, arrow, output = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(tensors):
        raise ValueError(f"einsum '{equation}' is of {len(inputs)} operands, found {len(tensors)}")
    # Names that no letter has, for the dimensions of an ellipsis.
    widest = max((x.ndim - len(names.replace("...", "")) for names, x in zip(inputs, tensors) if "..." in names),
                 default=0)  # fmt: skip
    hidden = "".join(chr(0x391 + i) for i in range(widest))
    for place, (names, x) in enumerate(zip(inputs, tensors)):
        own = x.ndim - len(names.replace("...", ""))
        if own < 0 or (own > 0 and "..." not in names):
            raise ValueError(f"einsum '{equation}': operand {place} has shape {format_shape(x._dims)}, "
                             f"not one of {len(names)} dimensions")  # fmt: skip
        inputs[place] = names.replace("...", hidden[widest - own :])
    letters = "".join(inputs)
    if not arrow:
        output = hidden + "".join(sorted(name for name in set(letters) - set(hidden) if letters.count(name) == 1))
    output = output.replace("...", hidden)
    if set(output) - set(letters) or len(set(output)) != len(output):
        raise ValueError(f"einsum '{equation}': the result has a letter twice, or one that no operand has")
    return inputs, output


def _diagonal(x: Tensor, names: str) -> Tuple[Tensor, str]:
    """Replaces dimensions whose letter comes twice by their diagonal."""
    for name in sorted(set(names)):
        while names.count(name) > 1:
            first, second = names.index(name), names.index(name, names.index(name) + 1)
            dim_size = x._dims[first]
            if dim_size is None or dim_size != x._dims[second]:
                raise ValueError("the dimensions of a diagonal must be static and equal")
            shape: List[Size] = [1] * x.ndim
            shape[first] = shape[second] = dim_size
            mask = reshape_to(identity_matrix(dim_size, dtype=bool), shape)
            x = reduce_sum(where(mask, x, constant(0, x.dtype)), second)
            names = names[:second] + names[second + 1 :]
    return x, names


def _sum_out(x: Tensor, names: str, kept: "set[str]") -> Tuple[Tensor, str]:
    axes = [place for place, name in enumerate(names) if name not in kept]
    if axes:
        x = reduce_sum(x, axes)
    return x, "".join(name for name in names if name in kept)


def _reorder(x: Tensor, names: str, wanted: str) -> Tensor:
    return transpose(x, [names.index(name) for name in wanted])


def _contract(a: Tensor, na: str, b: Tensor, nb: str, later: "set[str]") -> Tuple[Tensor, str]:
    a, na = _sum_out(a, na, later | set(nb))
    b, nb = _sum_out(b, nb, later | set(na))
    both = [name for name in na if name in nb]
    # A size of 1 broadcasts, which products of matrices do not.
    for name in both:
        one, other = a._dims[na.index(name)], b._dims[nb.index(name)]
        if one is not None and other is not None and one != other and 1 not in (one, other):
            raise about("einsum", ValueError(f"dimension '{name}' is {one} and {other}"))
    dim_sizes: Dict[str, Size] = dict(zip(nb, sizes(b)))
    for name, dim_size in zip(na, sizes(a)):
        if dim_sizes.get(name, 1) == 1 or isinstance(dim_size, int) and dim_size != 1:
            dim_sizes[name] = dim_size
    a = stretch(a, [dim_sizes[name] for name in na])
    b = stretch(b, [dim_sizes[name] for name in nb])
    batch = [name for name in both if name in later]
    summed = [name for name in both if name not in later]
    left = [name for name in na if name not in both]
    right = [name for name in nb if name not in both]
    result = batch + left + right
    if not summed or not _dtypes.is_floating(a.dtype):
        return _multiply_and_sum(a, na, b, nb, result + summed, len(result)), "".join(result)
    wide = [_product([dim_sizes[name] for name in group]) for group in (left, summed, right)]
    heads = [dim_sizes[name] for name in batch]
    x = reshape_to(_reorder(a, na, "".join(batch + left + summed)), [*heads, wide[0], wide[1]])
    y = reshape_to(_reorder(b, nb, "".join(batch + summed + right)), [*heads, wide[1], wide[2]])
    product = matmul(x, y) if not heads else _multiply(x, y)
    return reshape_to(product, [dim_sizes[name] for name in result]), "".join(result)


def _multiply_and_sum(a: Tensor, na: str, b: Tensor, nb: str, names: List[str], kept: int) -> Tensor:
    """Element by element, of both with all dimensions."""

    def widen(x: Tensor, own: str) -> Tensor:
        x = _reorder(x, own, "".join(name for name in names if name in own))
        missing = [place for place, name in enumerate(names) if name not in own]
        return expand_dims(x, missing) if missing else x

    product = multiply(widen(a, na), widen(b, nb))
    axes = list(range(kept, len(names)))
    return reduce_sum(product, axes) if axes else product


#
# Parts of matrices
#


def _triangle(kind: int, x: TensorLike, diagonal: int) -> Tensor:
    x = as_tensor(x)
    if x.ndim == 0:
        raise ValueError("a triangle is of a vector or of matrices, found a scalar")
    if x.ndim == 1:
        # As in NumPy, each row of a square matrix.
        x = stretch(x, sizes(x) * 2)
    return emit("nn.triangle", [x], attributes={"kind": Attribute.i32(kind), "diagonal": Attribute.i64(diagonal)})


def tril(x: TensorLike, diagonal: int = 0) -> Tensor:
    """The elements of each matrix on and below a diagonal; the others are 0."""
    return _triangle(0, x, diagonal)


def triu(x: TensorLike, diagonal: int = 0) -> Tensor:
    """The elements of each matrix on and above a diagonal; the others are 0."""
    return _triangle(1, x, diagonal)


def diagonal(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of two dimensions of static size, which it takes the place of as the last one: the main one, or
    `offset` above it."""
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"a diagonal is of two dimensions, found {format_shape(x._dims)}")
    first, second = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    rows, columns = x._dims[first], x._dims[second]
    if rows is None or columns is None or first == second:
        raise ValueError(f"a diagonal is of two dimensions of static size, found {axis1} and {axis2} of "
                         f"{format_shape(x._dims)}")  # fmt: skip
    others = [axis for axis in range(x.ndim) if axis not in (first, second)]
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    places = np.arange(count, dtype=np.int32) + max(-offset, 0)
    moved = transpose(x, [*others, first, second])
    flat = reshape_to(moved, [*sizes(moved)[:-2], rows * columns])
    return take(flat, places * columns + places + offset, len(others))


def diag(x: TensorLike, k: int = 0) -> Tensor:
    """The matrix with this diagonal, `k` above the main one, if `x` is a vector; that diagonal, if `x` is a matrix."""
    x = as_tensor(x)
    dim_size = x._dims[0] if x._dims else None
    if x.ndim not in (1, 2) or dim_size is None:
        raise about("diag", ValueError("takes a vector or a matrix of static size, found "
                                       f"{format_shape(x._dims)}"), " ")  # fmt: skip
    if x.ndim == 2:
        return diagonal(x, k)
    row = pad(x, [(max(k, 0), max(-k, 0))]) if k else x
    mask = identity_matrix(dim_size + abs(k), k=k, dtype=bool)
    return where(mask, expand_dims(row, 0), constant(0, x.dtype))


def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum of a diagonal; see `diagonal`, and `sum` for dtypes."""
    return sum(diagonal(x, offset, axis1, axis2), -1)
