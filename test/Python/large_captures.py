# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: a captured array of any size, layout and type that changes in place, even in one element, has the function
traced again, and nothing else does. NumPy says what the results are."""

import gc
import warnings
import weakref
from typing import Any, Callable, Dict, List

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel._captures import _contents

SIZES = (0, 1, 100, 1024, 1025, 4097, 10_000, 65_536, 1_000_000)


def counted(function: Callable[..., Any]) -> Any:
    """Returns a traced function, and a list that each trace adds to."""
    traces: List[int] = []

    def traced(*args: Any) -> Any:
        traces.append(len(traces))
        return function(*args)

    return fw.function(traced), traces


def layouts(size: int) -> Dict[str, Any]:
    """Returns arrays of `size` rows of three elements, of each layout."""
    wide = np.zeros((2 * size, 6), np.float32)
    return {"dense": np.zeros((size, 3), np.float32), "transposed": np.zeros((3, size), np.float32).T,
            "strided": wide[::2, ::2], "backwards": np.zeros((size, 3), np.float32)[::-1, ::-1],
            "cube": np.zeros((3, 1, size), np.float32).transpose(2, 1, 0)[:, 0],
            "broadcast": np.lib.stride_tricks.as_strided(np.zeros(size, np.float32), (size, 3), (4, 0))}  # fmt: skip


def test_each_element() -> None:
    """The first, the last and elements in between, one at a time."""
    for size in SIZES[1:]:
        big = np.ones(size, np.float32)
        f, traces = counted(lambda j, big=big: fw.as_tensor(big)[j])
        for place in sorted({0, size // 3, size // 2 + 1, size - 1} & {*range(size)}):
            index = np.int32(place)
            f(index)
            before = len(traces)
            assert f(index) == big[place] and len(traces) == before, "nothing has changed"
            big[place] = place + 2
            assert f(index) == place + 2 and len(traces) == before + 1, (size, place)


def test_layouts() -> None:
    for size in (7, 2000):
        for name, array in layouts(size).items():
            f, traces = counted(lambda x, array=array: x + array)
            x = np.float32(0)
            assert (f(x) == array).all() and (f(x) == array).all() and len(traces) == 1, name
            for place in ((0, 0), (size // 3, 1), (size - 1, 2)):
                array[place] += 5
                before = len(traces)
                assert (f(x) == array).all(), (name, size, place)
                assert (f(x) == array).all() and len(traces) == before + 1, (name, size, place)
            # Its memory may be another array's, which is where it changes.
            array[...] = 3
            assert (f(x) == 3).all(), name


def test_dtypes() -> None:
    """The bits count: -0.0 is not 0.0, and NaN is NaN."""
    for dtype in ("float64", "float32", "float16", "int8", "int64", "uint32", "bool"):
        big = np.zeros(5000, dtype)
        f, traces = counted(lambda j, big=big: fw.as_tensor(big)[j])
        f(np.int32(0))
        big[4321] = 1
        assert f(np.int32(4321)) == 1 and len(traces) == 2, dtype
    big = np.zeros(5000, np.float32)
    f, traces = counted(lambda j: fw.as_tensor(big)[j])
    f(np.int32(7))
    big[7] = -0.0
    assert np.signbit(f(np.int32(7))) and len(traces) == 2
    big[7] = np.nan
    assert np.isnan(f(np.int32(7))) and np.isnan(f(np.int32(7))) and len(traces) == 3


def test_computed_by_numpy() -> None:
    """Numbers that Python computes of an array while it is traced are of its elements, too."""
    big = np.ones(20_000)
    x = np.float32(1)
    uses: Dict[str, Callable[[], float]] = {
        "item": lambda: float(big[12_345]), "sum": lambda: float(big.sum()),
        "view": lambda: float(big[12_340:12_350].max()),
        "branch": lambda: 2.0 if big[12_345] > 5 else 1.0, "list": lambda: big.tolist()[12_345],
        "nonzero": lambda: float(len(np.nonzero(big > 1)[0])),
    }  # fmt: skip
    for name, use in uses.items():
        big[:] = 1
        f = fw.function(lambda x, use=use: x * use())
        assert f(x) == use(), name
        big[12_345] = 9
        assert f(x) == np.float32(use()), name


def test_where_arrays_are() -> None:
    """In objects, lists, dicts, default arguments, and views of a base that changes."""

    class Holder:
        def __init__(self) -> None:
            self.table = np.ones(5000, np.float32)

    holder, listed, table = Holder(), [np.ones(5000, np.float32)], {"a": np.ones(5000, np.float32)}
    default, base = np.ones(5000, np.float32), np.ones((2, 5000), np.float32)
    view = base[1]

    def with_default(x: Any, array: Any = default) -> Any:
        return x + array

    cases: Dict[str, Any] = {
        "attribute": (lambda x: x + holder.table, holder.table), "list": (lambda x: x + listed[0], listed[0]),
        "dict": (lambda x: x + table["a"], table["a"]), "default": (with_default, default),
        "view": (lambda x: x + view, base[1]),
    }  # fmt: skip
    for name, (function, array) in cases.items():
        f, traces = counted(function) if name != "default" else (fw.function(function), None)
        x = np.float32(0)
        f(x)
        array[4321] = 7
        assert f(x)[4321] == 7, name
        assert traces is None or len(traces) == 2


def test_replaced() -> None:
    """Another array of equal elements is another array; a header that is set in place is seen, too."""
    arrays = [np.ones(5000, np.float32), np.ones(5000, np.float32)]
    cell = [arrays[0]]
    f = fw.function(lambda x: x + cell[0])
    f(np.float32(0))
    cell[0] = arrays[1]
    assert (f(np.float32(0)) == 1).all()
    arrays[1][77] = 5
    assert f(np.float32(0))[77] == 5


def test_kept_alive() -> None:
    big = np.ones(5000, np.float32)
    table = {"big": big}
    f = fw.function(lambda x: x + table["big"])
    f(np.float32(0))
    gone = weakref.ref(big)
    table["big"] = np.zeros(5000, np.float32)
    del big
    gc.collect()
    assert gone() is None, "the watch keeps no array"
    assert (f(np.float32(0)) == 0).all()


def test_frozen() -> None:
    """An array that nobody may write to is not compared, until it may be written to."""
    big = np.ones(5000, np.float32)
    big.flags.writeable = False
    f, traces = counted(lambda j: fw.as_tensor(big)[j])
    f(np.int32(7))
    read: List[int] = []
    assert not [one for one in _watched(f) if one.kind == "d"], "no digest"
    big.flags.writeable = True
    big[7] = 3
    assert f(np.int32(7)) == 3 and len(traces) == 2 and not read
    big[7] = 4
    assert f(np.int32(7)) == 4 and len(traces) == 3
    # A view that is read-only says nothing of its base.
    view = big[:]
    view.flags.writeable = False
    g = fw.function(lambda j: fw.as_tensor(view)[j])
    g(np.int32(7))
    big[7] = 5
    assert g(np.int32(7)) == 5


def _watched(f: Any) -> List[Any]:
    return [one.place for one in f._captures._values.values()]


def test_too_large() -> None:
    """Arrays that are too large to be compared before each call have one warning, which names the remedies."""
    known, _contents.MOST_DIGESTED = _contents.MOST_DIGESTED, 1 << 20
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            big = np.ones(2**19, np.float32)
            f = fw.function(lambda j: fw.as_tensor(big)[j])
            for _ in range(3):
                f(np.int32(7))
            # To assign all of it is seen.
            big[:] = 3
            assert f(np.int32(7)) == 3
            large = [str(one.message) for one in caught if "arrays that have more than" in str(one.message)]
            assert len(large) == 1 and large[0].startswith("'big' is one of arrays that have more than 1 MiB together")
            assert "flags.writeable = False" in large[0] and "argument" in large[0] and "flywheel.Variable" in large[0]
            # One that is frozen is none of them.
            other = np.ones(2**19, np.float32)
            other.flags.writeable = False
            g = fw.function(lambda j: fw.as_tensor(other)[j])
            g(np.int32(7))
            assert not [one for one in caught if "'other'" in str(one.message)]
    finally:
        _contents.MOST_DIGESTED = known


def test_of_objects() -> None:
    """Elements of an array of objects are watched as those of a list."""
    held = np.array([None, None], dtype=object)
    held[0], held[1] = {"k": 1.0}, np.ones(3, np.float32)
    f = fw.function(lambda x: x * held[0]["k"] * held[1])
    x = np.float32(1)
    assert f(x).tolist() == [1, 1, 1]
    held[0]["k"] = 3.0
    assert f(x).tolist() == [3, 3, 3]
    held[1][2] = 5
    assert f(x).tolist() == [3, 3, 15]
    held[1] = 2.0
    assert f(x) == 6


def test_training() -> None:
    """A step that reads a data set from outside, which is written anew between calls."""
    data = np.zeros((100, 20), np.float32)
    w = fw.Variable(np.zeros(20, np.float32))
    sgd = fw.optimizers.GradientDescent(0.5)
    history: List[float] = []

    @fw.function
    def step() -> Any:
        loss = fw.mean(fw.as_tensor(data) @ w)
        fw.callback(history.append, loss)
        sgd.minimize(loss)
        return loss

    wanted = np.zeros(20, np.float64)
    for number in range(4):
        data[number, 3] = 10.0 * (number + 1)
        loss = step()
        assert np.isclose(loss, (data.astype(np.float64) @ wanted).mean(), rtol=1e-5)
        wanted -= 0.5 * data.astype(np.float64).mean(0)
    assert np.allclose(w.numpy(), wanted, rtol=1e-5) and len(history) == 4


run_tests([
    test_each_element, test_layouts, test_dtypes, test_computed_by_numpy, test_where_arrays_are, test_replaced,
    test_kept_alive, test_frozen, test_too_large, test_of_objects, test_training,
])  # fmt: skip
