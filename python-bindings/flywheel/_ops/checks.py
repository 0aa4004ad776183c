# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of sizes that are known only when a step runs: it fails then, before it writes anything."""

from .._core import trace as _trace
from .._core.tensor import Tensor, format_shape
from .._errors.messages import about
from .._flywheel import Attribute, Value
from .emission import Size, difference, index_of, index_op, size

# Relations of `linalg_ext.compare_sizes`, and kinds of `linalg_ext.check`.
_EQUAL, _AT_LEAST = 0, 1
_SIZES, _DATA = 0, 1
# Numbers of a check in its text.
_FIRST, _SECOND = "\1", "\2"


def _compare(relation: int, a: Size, b: Size) -> Value:
    trace = _trace.current()
    return trace.op("linalg_ext.compare_sizes", [index_of(a), index_of(b)], [trace.graph.type("bool", None)],
                    {"predicate": Attribute.i32(relation)})[0]  # fmt: skip


def _expect(holds: Value, message: str, *numbers: Size, kind: int = _SIZES) -> None:
    operands = [holds, *map(index_of, numbers)]
    attributes = {"kind": Attribute.i32(kind), "expected": Attribute.string(message)}
    _trace.current().op("linalg_ext.check", operands, [], attributes)


def expect(holds: Tensor, message: str) -> None:
    """An error with this message where a scalar of booleans is false."""
    trace = _trace.current()
    _expect(trace.op("tensor.extract", [holds.value], [trace.graph.type("bool", None)])[0], message,
            kind=_DATA)  # fmt: skip


def expect_equal(a: Size, b: Size, what: str) -> None:
    """An error where two sizes differ: ValueError where both are known. The first is what was found."""
    if isinstance(a, int) and isinstance(b, int):
        if a != b:
            raise about(what, ValueError(f"found {a}, expected {b}"))
    elif difference(a, b) != 0:
        _expect(_compare(_EQUAL, a, b), f"{what}: found {_FIRST}, expected {_SECOND}", a, b)


def expect_not(a: Size, b: int, what: str) -> None:
    """An error where a size is this number: ValueError where it is known."""
    if isinstance(a, int):
        if a == b:
            raise about(what, ValueError(f"found {a}, expected another size"))
        return
    trace = _trace.current()
    either = [_compare(_AT_LEAST, a, b + 1), _compare(_AT_LEAST, b - 1, a)]
    differs = trace.op("arith.ori", either, [trace.graph.type("bool", None)])[0]
    _expect(differs, f"{what}: found {b}, expected another size")


def expect_rank(what: str, x: Tensor, least: int) -> None:
    """Raises ValueError for a tensor of fewer dimensions; `what` names the function and the argument."""
    if x.ndim < least:
        raise about(what, ValueError(f"expected at least {least} dimensions, found shape {format_shape(x._dims)}"))


def expect_at_most(a: Size, b: Size, what: str) -> None:
    """An error where the first size is more than the second one: ValueError where both are known."""
    if isinstance(a, int) and isinstance(b, int):
        if a > b:
            raise about(what, ValueError(f"found {a}, expected at most {b}"))
    elif a is not b:
        _expect(_compare(_AT_LEAST, b, a), f"{what}: found {_FIRST}, expected at most {_SECOND}", a, b)


def expect_at_least(a: Size, b: Size, what: str) -> None:
    """An error where the first size is less than the second one: ValueError where both are known."""
    if isinstance(a, int) and isinstance(b, int):
        if a < b:
            raise about(what, ValueError(f"found {a}, expected at least {b}"))
    elif a is not b:
        _expect(_compare(_AT_LEAST, a, b), f"{what}: found {_FIRST}, expected at least {_SECOND}", a, b)


def expect_multiple(a: Size, factor: int, what: str) -> None:
    """Refuses a size that is not a multiple of a number: a ValueError if it is known, else an error of the step."""
    if isinstance(a, int):
        if a % factor:
            raise about(what, ValueError(f"found {a}, expected a multiple of {factor}"))
    else:
        whole = index_op("muli", index_op("floordivsi", a, factor), factor)
        _expect(_compare(_EQUAL, a, whole), f"{what}: found {_FIRST}, expected a multiple of {factor}", a)


def expect_alike(kind: str, a: Tensor, b: Tensor) -> None:
    """An error where two operands of an op that broadcasts nothing differ in shape."""
    if a.ndim != b.ndim or any(n != m and None not in (n, m) for n, m in zip(a._dims, b._dims)):
        raise about(kind, ValueError(f"shapes {format_shape(a._dims)} and {format_shape(b._dims)} must be equal"))
    for axis in range(a.ndim):
        if a._dims[axis] is None or b._dims[axis] is None:
            expect_equal(size(b, axis), size(a, axis), f"{kind}: operands differ in dimension {axis}")


def expect_stretches(kind: str, x: Tensor, like: Tensor) -> None:
    """An error where `x`, of the rank of `like`, does not broadcast to the shape of it."""
    known = list(zip(x._dims, like._dims))
    if x.ndim != like.ndim or any(n != 1 and n != m and None not in (n, m) for n, m in known):
        raise about(kind, ValueError(f"can not be broadcast to values: {kind} of shape {format_shape(x._dims)}, values "
                                     f"of shape {format_shape(like._dims)}"), " ")  # fmt: skip
    for axis, (n, m) in enumerate(known):
        if n == 1 or (n is not None and m is not None):
            continue
        own, other = size(x, axis), size(like, axis)
        fits = _compare(_EQUAL, own, other)
        if n is None and m != 1:
            trace = _trace.current()
            fits = trace.op("arith.ori", [fits, _compare(_EQUAL, own, 1)], [trace.graph.type("bool", None)])[0]
        _expect(fits, f"{kind} can not be broadcast to values: found {_FIRST} in dimension {axis}, expected {_SECOND}",
                own, other)  # fmt: skip
