# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""N20: what Python's data model does with a variable is what it does with the value, in a traced function as a tensor
and elsewhere as an array; what would put another object in its place, or would need a value that a trace does not
know, is an error that says what to write. Other objects compute nothing."""

import copy
import functools
import inspect
import itertools
import math
import operator
import pickle
import warnings
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import flywheel as fw

warnings.simplefilter("ignore", RuntimeWarning)
ARRAYS: List[Any] = [np.arange(6, dtype=np.float32).reshape(2, 3) - 2, np.float32(2.5), np.arange(3, dtype=np.int32),
          np.array([True, False]), np.int32(3), np.zeros((0, 3), np.float32)]  # fmt: skip
VARIABLES = [fw.Variable(array, name=f"v{i}") for i, array in enumerate(ARRAYS)]
OTHERS: List[Any] = [2, 0.5, True, np.float32(1.5), np.array([1, 2, 3], np.int32), [1.0, 2.0, 3.0],
                     "a", None, *VARIABLES]  # fmt: skip
BINARY: List[Any] = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
          operator.pow, operator.matmul, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
          divmod, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.contains,
          np.add, np.maximum, np.arctan2, np.equal]  # fmt: skip
UNARY: List[Callable[[Any], Any]] = [
    operator.neg, operator.pos, operator.abs, operator.invert, len, list, float, int, complex, bool, round,
    lambda v: v[0], lambda v: v[..., -1], lambda v: v[1:], lambda v: 1 in v, lambda v: list(reversed(v)),
    lambda v: v.T, lambda v: v.mT, lambda v: v.size, lambda v: v.ndim, lambda v: v.shape, lambda v: f"{v:.2f}",
    np.sum, np.exp, np.asarray, np.argmax, lambda v: np.concatenate([v, v]), math.floor, math.sqrt, np.add.reduce,
    lambda v: v[VARIABLES[4] - 3], lambda v: np.where(v, v, 1),
]  # fmt: skip
# Methods of tensors, with arguments that most arrays take.
METHODS: Dict[str, Tuple[Any, ...]] = {
    "astype": ("float64",), "reshape": (-1,), "swapaxes": (0, -1), "clip": (0, 1), "repeat": (2, 0), "take": ([0],),
    "dot": (2,), "round": (1,),
}  # fmt: skip
# NumPy's arrays have none of these, or sort themselves.
_OWN = {"sort": np.sort, "at": None, "mT": lambda x: np.swapaxes(x, -1, -2)}


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return function(*args)
        except Exception as error:
            return error


def call_method(name: str, args: Tuple[Any, ...], own: Any, x: Any) -> Any:
    return getattr(x, name)(*args) if own is None else own(x, *args)


def expect_same(what: str, found: Any, expected: Any) -> None:
    if isinstance(expected, Exception):
        assert isinstance(found, (TypeError, ValueError, IndexError)), (what, found, expected)
        return
    assert not isinstance(found, Exception), (what, found, expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), what
        for x, y in zip(found, expected):
            expect_same(what, x, y)
        return
    assert type(found) is type(expected), (what, type(found), type(expected))
    np.testing.assert_array_equal(found, expected, err_msg=what)
    assert getattr(found, "dtype", 0) == getattr(expected, "dtype", 0), what


def value_of(x: Any) -> Any:
    return x.numpy() if isinstance(x, fw.Variable) else x


def test_outside() -> int:
    count = 0
    for v, (function, other) in itertools.product(VARIABLES, itertools.product(BINARY, OTHERS)):
        for pair in ((v, other), (other, v)):
            if other is None or isinstance(other, str):
                continue
            expected = attempt(function, *map(value_of, pair))
            if function is operator.contains and pair[0] is not v:
                continue
            expect_same(f"{function} of {pair}", attempt(function, *pair), expected)
            count += 1
    for v, unary in itertools.product(VARIABLES, UNARY):
        found = attempt(unary, v)
        # An array without dimensions converts to a number.
        if v.ndim and unary in (float, int, complex, bool) or unary is math.sqrt or unary is math.floor:
            assert not v.ndim or isinstance(found, TypeError), found
            continue
        if unary is round:
            expect_same(f"round of {v}", found, attempt(np.round, v.numpy()))
            continue
        expect_same(f"{UNARY.index(unary)} of {v}", found, attempt(unary, v.numpy()))
        count += 1
    for name, value in vars(fw.Tensor.__mro__[1]).items():
        if name.startswith("_") or not callable(value):
            continue
        args = METHODS.get(name, ())
        for v in VARIABLES:
            own = _OWN.get(name)
            expected = attempt(functools.partial(call_method, name, args, own), v.numpy())
            found = attempt(functools.partial(call_method, name, args, None), v)
            expect_same(f"{name} of {v}", found, expected)
            count += 1
    return count


# Arguments of methods, by the names of their parameters.
VALUES: Dict[str, Any] = {
    "axis": 0, "keepdims": True, "dtype": np.float32, "low": 0.5, "high": 1.5, "decimals": 0, "offset": 1,
    "axis1": 0, "axis2": 1, "a": 0, "b": 1, "indices": [1, 0], "repeats": 2, "other": 2.0, "ddof": 1, "out": None,
}  # fmt: skip


def test_signatures() -> int:
    """Methods outside of a trace take what they take in one: each number of arguments in order, each name, and all."""
    array = np.array([[2.5, -1, 4], [0.25, 3, 1]], np.float32)
    v = fw.Variable(array, name="signed")
    calls: List[Any] = []
    for name, method in vars(fw.Tensor.__mro__[1]).items():
        if name.startswith("_") or not callable(method) or name in ("reshape", "transpose"):
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        given = {p.name: np.float32 if p.name == "dtype" else VALUES[p.name] for p in parameters}
        needed = {p.name: given[p.name] for p in parameters if p.default is p.empty}
        if name == "squeeze":
            given["axis"] = ()
        plain = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        ordered = [given[key] for key in plain]
        calls += [(name, tuple(ordered[:count]), {}) for count in range(len(needed), len(plain) + 1)]
        calls += [(name, (), {**needed, key: given[key]}) for key in given]
        calls.append((name, (), given))
        if "keepdims" in given and not name.startswith("arg"):
            calls += [(name, ((0, 1),), {"keepdims": True}), (name, ([0, 1], True), {})]

    def run() -> Any:
        return [getattr(v, name)(*args, **by_name) for name, args, by_name in calls]

    inside = fw.function(run)()
    for (name, args, by_name), expected in zip(calls, inside):
        found = getattr(v, name)(*args, **by_name)
        what = f"{name}{args}{by_name}"
        assert np.shape(found) == np.shape(expected), (what, np.shape(found), np.shape(expected))
        np.testing.assert_allclose(found, expected, 1e-5, 1e-6, err_msg=what)
    for name, args, by_name in (("sum", (0, True, None, 1), {}), ("clip", (), {"lower": 1}), ("max", (), {"dim": 1})):

        def call(name: str = name, args: Any = args, by_name: Any = by_name) -> Any:
            return getattr(v, name)(*args, **by_name)

        found, inside = attempt(call), attempt(fw.function(lambda call=call: call()))
        assert isinstance(found, TypeError) and isinstance(inside, TypeError), (name, found, inside)
        assert not by_name or str(found) == str(inside), (found, inside)
    untyped: Any = v
    np.testing.assert_array_equal(untyped.clip(min=1), array.clip(min=1))
    return len(calls)


def errors_of(v: Any, is_traced: bool) -> Iterator[Tuple[str, Callable[[], Any], str]]:
    in_place = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
                operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor, operator.ilshift,
                operator.irshift]  # fmt: skip
    for function in in_place:
        yield function.__name__, functools.partial(function, v, 2), "write `v.assign"
    yield "setitem", lambda: operator.setitem(v, 0, 1), "v.set(array)"
    yield "delitem", lambda: operator.delitem(v, 0), "keeps its shape"
    yield "index", lambda: operator.index(v), "expected an integer"
    yield "range", lambda: range(v), "expected an integer"
    yield "list[v]", lambda: [1, 2][v], "expected an integer"
    yield "pickle", lambda: pickle.dumps(v), "flywheel.save"
    yield "v.value", lambda: setattr(v, "value", 1), "has no attribute 'value'"
    yield "v.trainble", lambda: setattr(v, "trainble", False), "did you mean 'trainable'"
    yield "v.shape", lambda: setattr(v, "shape", (1,)), "has no attribute 'shape' to set"
    if is_traced:
        of_values: Dict[str, Any] = {"float": float, "int": int, "bool": bool, "np": np.asarray, "copy": copy.copy,
                                     "in": lambda v: 1 in v, "format": lambda v: f"{v:.2f}"}  # fmt: skip
        for name, function in of_values.items():
            words = "is copied before" if name == "copy" else "while a function is traced"
            yield name, functools.partial(function, v), words
    else:
        yield "at", lambda: v.at[0].set(1), "v.set(array)"
        yield "out", lambda: np.add(np.zeros(v.shape), 1, out=v), ""


def expect_errors(v: Any, is_traced: bool) -> None:
    for name, call, words in errors_of(v, is_traced):
        try:
            call()
        except (TypeError, AttributeError, ValueError) as error:
            assert words in str(error), (name, error)
        else:
            raise AssertionError(name)


def test_inside() -> None:
    """The same operators on tensors: the values are those of outside, in the dtypes of traces."""
    matrix, scalar, integers, *_ = VARIABLES
    pairs: List[Tuple[Any, Any, Any]] = [
        (function, v, other) for function in BINARY[:20] for v in (matrix, scalar) for other in (2, matrix, scalar)
    ]  # fmt: skip
    expected, kept = [], []
    for function, v, other in pairs:
        found = attempt(function, v, other)
        if not isinstance(found, Exception):
            kept.append((function, v, other))
            expected.append(found)

    @fw.function
    def all_of() -> Any:
        expect_errors(matrix, True)
        expect_errors(scalar, True)
        assert matrix in [matrix] and {matrix: 1}[matrix] == 1 and matrix != None  # noqa: E711
        return [function(v, other) for function, v, other in kept]

    for (function, v, other), x, y in zip(kept, all_of(), expected):
        np.testing.assert_allclose(x, y, 1e-5, err_msg=f"{function} of {v} and {other}")


def test_others() -> None:
    """Sizes are in sizes_of_calls.py. Objects that are not values have no operators, which is Python's error."""
    layer, optimizer = fw.nn.Dense(3, 2), fw.optimizers.SGD(lr=0.1)

    @fw.function
    def double(x: Any) -> Any:
        return x * 2

    objects: List[Any] = [layer, optimizer, double, fw.spec(3)]
    for one in objects:
        assert one == one and one != 1 and one in [one] and bool(one) and isinstance(hash(one), int) and repr(one)
        for function in (*BINARY[:14], *BINARY[16:20], np.add):
            for pair in ((one, 1), (1, one)):
                found = attempt(function, *pair)
                assert isinstance(found, TypeError) and type(one).__name__ in str(found), (function, one, found)
        for unary in (operator.neg, operator.abs, operator.invert, len, iter, float, int, operator.index, round,
                      lambda x: x[0], lambda x: 1 in x):  # fmt: skip
            found = attempt(unary, one)
            assert isinstance(found, TypeError) and type(one).__name__ in str(found), (unary, one, found)
    for one in objects[:2]:
        assert type(copy.deepcopy(one)) is type(one)
    for one in (layer, double):
        assert isinstance(attempt(pickle.dumps, one), TypeError)
    assert isinstance(attempt(copy.copy, double), TypeError)


def test_lists() -> None:
    """A variable is found by identity in the lists of this package, also beside one of the same value."""
    with fw.Namespace(), fw.Store():
        a, b = fw.Variable(np.float32(1), name="a"), fw.Variable(np.float32(1), name="b")
        wide = fw.Variable(np.ones((2, 3), np.float32), name="wide", trainable=False)
        trained = fw.trainable_variables()
        assert trained == [a, b] and a == b and b in trained and wide not in trained and trained.index(b) == 1
        assert trained != [b, a] and trained.count(a) == 1 and fw.global_variables()[-1] is wide
        trained.remove(b)
        assert trained == [a] and b not in trained


if __name__ == "__main__":
    count = test_outside()
    assert count > 1500, count
    count = test_signatures()
    assert count > 80, count
    for v in VARIABLES[:3]:
        expect_errors(v, False)
    test_inside()
    test_others()
    test_lists()
