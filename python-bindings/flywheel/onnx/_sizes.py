# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only the call knows: one value for each, so that what is equal is seen to be."""

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .._flywheel import Value
from .._frontends.layouts import Laid
from .._ops.emission import Size, index_op, size
from ._file import Dim


class Products:
    """Sizes as a number times values: what is multiplied here is divided again without a division."""

    def __init__(self) -> None:
        self._factors: Dict[Value, Tuple[int, List[Value]]] = {}

    def copy(self) -> "Products":
        result = Products()
        result._factors = dict(self._factors)
        return result

    def factors(self, sizes: Sequence[Size]) -> Tuple[int, List[Value]]:
        """A number and the values whose product the sizes have."""
        number = 1
        values: List[Value] = []
        for one in sizes:
            if isinstance(one, int):
                number *= one
                continue
            factor, parts = self._factors.get(one, (1, [one]))
            number *= factor
            values += parts
        return number, values

    def multiply(self, sizes: Sequence[Size]) -> Size:
        return self._of(*self.factors(sizes))

    def _of(self, number: int, values: List[Value]) -> Size:
        if number == 0 or not values:
            return number
        result: Size = values[0]
        for one in values[1:]:
            result = index_op("muli", result, one)
        if number != 1:
            result = index_op("muli", result, number)
        if not isinstance(result, int) and result is not values[0]:
            self._factors[result] = (number, values)
        return result

    def divide(self, sizes: Sequence[Size], others: Sequence[Size]) -> Size:
        """The product of sizes divided by that of others."""
        (number, values), (divisor, left) = self.factors(sizes), self.factors(others)
        for one in list(left):
            place = next((i for i, other in enumerate(values) if other is one), None)
            if place is not None:
                values.pop(place)
                left.pop(next(i for i, other in enumerate(left) if other is one))
        if not left and divisor and number % divisor == 0:
            return self._of(number // divisor, values)
        return index_op("divsi", self._of(number, values), self._of(divisor, left))


# Ops whose result has the sizes that their operands broadcast to.
_ELEMENTWISE = set(
    "Abs Add And BatchNormalization Cast CastLike Celu Clip CumSum Div Dropout Elu Equal Erf Exp Gelu Greater "
    "GreaterOrEqual GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization "
    "LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Max Mean Min Mish Mod Mul Neg Not Or PRelu "
    "Pow RMSNormalization Reciprocal Relu Round Selu Sigmoid Sign Sin Softmax Softplus Softsign Sqrt Sub Sum "
    "Swish Tanh Trilu Where Xor".split())  # fmt: skip


class Sizes:
    """The sizes of values by name: what the file calls them, and what comes of reshapes."""

    def __init__(self, dims: Mapping[str, Tuple[Dim, ...]]):
        self._dims = dims
        self._named: Dict[str, Size] = {}
        self._known: Dict[str, List[Optional[Size]]] = {}
        self.products = Products()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """In a branch or loop: the values that are found in it are none around it."""
        outside = self._named, self._known, self.products
        self._named, self._known, self.products = dict(self._named), dict(self._known), self.products.copy()
        try:
            yield
        finally:
            self._named, self._known, self.products = outside

    def add(self, name: str, x: Laid) -> None:
        """A new value: the first size with a name is that of all with it."""
        dims = self._dims.get(name, ())
        for axis, dim in enumerate(dims if len(dims) == x.ndim else ()):
            if isinstance(dim, str) and dim not in self._named and x.shape[axis] is None:
                self._named[dim] = self._find(name, x, axis) or size(x.data, x.place(axis))

    def set(self, name: str, sizes: Sequence[Size]) -> None:
        """Records the sizes of a result that its translation knows."""
        self._known[name] = list(sizes)

    def of(self, name: str, x: Laid, axis: int) -> Size:
        known = x.shape[axis]
        if known is not None:
            return known
        found = self._find(name, x, axis)
        return size(x.data, x.place(axis)) if found is None else found

    def _find(self, name: str, x: Laid, axis: int) -> Optional[Size]:
        """Returns a size that is already known."""
        known = self._known.get(name)
        if known is not None and known[axis] is not None:
            return known[axis]
        dims = self._dims.get(name, ())
        dim = dims[axis] if len(dims) == x.ndim else None
        return self._named.get(dim) if isinstance(dim, str) else None

    def follow(self, node: Any, operands: Sequence[Any], result: Any) -> None:
        """Records the sizes of the first result of a node that are those of its operands."""
        name = node.output[0] if node.output else ""
        if not name or not isinstance(result, Laid) or None not in result.shape or name in self._known:
            return
        given = [(own, one) for own, one in zip(node.input, operands) if isinstance(one, Laid)]
        places: List[Optional[Size]] = [None] * result.ndim
        for axis, known in enumerate(result.shape):
            if known is None:
                places[axis] = self._source(node, given, result.ndim, axis)
        self._known[name] = places

    def _source(self, node: Any, given: List[Tuple[str, Laid]], rank: int, axis: int) -> Optional[Size]:
        if not given:
            return None
        first, x = given[0]
        if node.op_type == "Transpose" and x.ndim == rank:
            orders = [list(attribute.ints) for attribute in node.attribute if attribute.name == "perm"]
            return self._find(first, x, orders[0][axis] if orders else rank - 1 - axis)
        if node.op_type in ("MatMul", "Gemm") and not node.attribute:
            if axis < rank - 1 and x.ndim == rank and x.shape[axis] is None:
                return self._find(first, x, axis)
            if axis == rank - 1 and len(given) > 1 and given[1][1].ndim > 1:
                return self._find(*given[1], given[1][1].ndim - 1)
            return None
        if node.op_type not in _ELEMENTWISE:
            return None
        for name, one in given:
            own = axis - rank + one.ndim
            if own >= 0 and one.shape[own] is None:
                found = self._find(name, one, own)
                if found is not None:
                    return found
        return None
