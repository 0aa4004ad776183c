# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes that an import declares: names that each call chooses, and others that are computed of them, `2*d`. A call
that breaks a relation is an error, as it is in JAX and in PyTorch: the model was simplified for sizes that keep it."""

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from .._ops.checks import expect_at_least, expect_at_most, expect_equal
from .._ops.emission import Size, index_op
from .._ops.sizes import Size as SizeNumber
from .._ops.sizes import of_index

# A number, a name, a text that computes a size of names, or None for any size.
Declared = Union[int, str, None]


class Bound(NamedTuple):
    """The sizes that a dimension may have. `most` is None if there is no largest one."""

    least: int
    most: Optional[int]

    def check(self, name: str, dim_size: int) -> None:
        """Raises ValueError for another size."""
        if dim_size < self.least or (self.most is not None and dim_size > self.most):
            sizes = f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
            raise ValueError(f"the model was imported for sizes of {sizes} as '{name}', found {dim_size}")

    def check_call(self, name: str, dim_size: Size) -> None:
        """Has the step fail for another size, which a call chooses."""
        what = f"the model was imported for other sizes: '{name}'"
        expect_at_least(dim_size, self.least, what)
        if self.most is not None:
            expect_at_most(dim_size, self.most, what)


class _Found(NamedTuple):
    """A size of a call."""

    text: str
    dim_size: Size
    input_place: int
    axis: int

    @property
    def what(self) -> str:
        return f"the model was imported for a size '{self.text}' in dimension {self.axis} of input {self.input_place}"


class DeclaredSizes:
    """The sizes of the inputs of an imported model, and the bounds of those with names."""

    def __init__(self, inputs: Sequence[Sequence[Declared]], bounds: Dict[str, Bound]) -> None:
        self.inputs, self.bounds = [list(dims) for dims in inputs], bounds

    def check(self, shapes: Sequence[Optional[Sequence[Size]]], is_traced: bool) -> None:
        """Raises ValueError for sizes that are out of bounds or break a relation; has the step fail for those that a
        call chooses. If the model is not traced, the call itself compares the sizes of one name."""
        known: Dict[str, Size] = {}
        computed: List[_Found] = []
        for place, (dims, shape) in enumerate(zip(self.inputs, shapes)):
            for axis, (text, dim_size) in enumerate(zip(dims, shape or ())):
                if not isinstance(text, str):
                    continue
                found = _Found(text, dim_size, place, axis)
                if not text.isidentifier():
                    computed.append(found)
                elif text not in known:
                    known[text] = dim_size
                elif is_traced:
                    expect_equal(dim_size, known[text], found.what)
        for found in computed:
            known.update(_solved(found, known))
        for name, dim_size in known.items():
            if name in self.bounds and isinstance(dim_size, int):
                self.bounds[name].check(name, dim_size)
            elif name in self.bounds:
                self.bounds[name].check_call(name, dim_size)
        for found in computed:
            if _names_in(found.text) <= set(known):
                expect_equal(found.dim_size, _evaluate(found.text, known), found.what)


def _names_in(text: str) -> Set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text)) - set(_FUNCTIONS)


def _evaluate(text: str, sizes: Mapping[str, Size]) -> Size:
    """Computes a size of others, which are numbers or sizes that a call chooses."""
    found = _evaluate_numbers(text, {name: of_index(dim_size) for name, dim_size in sizes.items()})
    result: Size = found._index if isinstance(found, SizeNumber) else int(found)
    return result


def _evaluate_numbers(text: str, numbers: Mapping[str, Any]) -> Any:
    # JAX writes powers so.
    return eval(text.replace("^", "**"), {"__builtins__": {}, **_FUNCTIONS}, dict(numbers))


def _solved(found: _Found, known: Dict[str, Size]) -> Dict[str, Size]:
    """Returns the size of the one name that only a computed size has: 3 as d if 2*d is 6. Empty if the text is not
    linear in it. Raises ValueError if no number gives this size."""
    others = sorted(_names_in(found.text) - set(known))
    if len(others) != 1:
        return {}
    name = others[0]

    def line(start: int) -> Tuple[int, int, int]:
        sizes = {one: start + place for place, one in enumerate(sorted(known))}
        first, second, third = (_evaluate_numbers(found.text, {**sizes, name: number}) for number in (0, 1, 2))
        return first, second - first, third - second

    (_, factor, next_factor), (_, other, _) = line(3), line(11)
    if factor != next_factor or factor != other or factor == 0:
        return {}
    start = _evaluate(found.text, {**known, name: 0})
    rest = index_op("subi", found.dim_size, start)
    if isinstance(rest, int) and rest % factor:
        raise ValueError(f"{found.what}: found {found.dim_size}, which no number as '{name}' gives")
    return {name: index_op("floordivsi", rest, factor)}


_FUNCTIONS = {"floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b}
