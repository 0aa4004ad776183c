# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %t.safetensors
"""N15, N17: nothing that is read, written or made while a function is traced is silently that of one call; what is
copied or pickled means something, or is refused with what to do instead."""

import copy
import pickle
import sys
import warnings
from typing import Any, Callable, List

import numpy as np

import flywheel as fw
from configurations import raises, run_tests

path = sys.argv[1]
x = np.ones((2, 3), np.float32)
w, scalar = fw.Variable(np.full((3, 4), 2, np.float32), name="w"), fw.Variable(3.0, name="scalar")
adam = fw.optimizers.Adam(0.1)
store: Any = fw.current_store()
fw.save(path, [w, scalar])


# Values


def test_values() -> None:
    values: List[Callable[[], Any]] = [
        w.numpy, lambda: np.asarray(w), lambda: np.array([w]), lambda: float(scalar), lambda: int(scalar),
        lambda: bool(scalar), lambda: f"{scalar:.3f}", lambda: store["w"], lambda: store.value(w),
        lambda: store.value("w"), adam.lr.numpy, lambda: float(adam.lr), w.is_initialized,
        lambda: store.is_initialized("w"), lambda: fw.data.load(path), lambda: list(fw.data.Batches(x, 2)),
    ]  # fmt: skip
    for value in values:
        # Before the first call, after it, and nested in another function.
        traced = fw.function(lambda a: a if value() is None else a * 1)
        for _ in range(2):
            raises(TypeError, "is not known while a function is traced: use ", lambda: traced(x))
        raises(TypeError, "is not known while a function is traced", lambda: fw.function(lambda a: traced(a))(x))
        value()
    actions: List[Callable[[], Any]] = [
        lambda: w.set(w.numpy() if not TRACED else x), lambda: adam.lr.set(0.1),
        lambda: store.__setitem__("scalar", 3.0),
        lambda: fw.save(path, [w, scalar]), lambda: fw.restore(path, [w, scalar]), lambda: fw.set_seed(0),
        store.initialize,
        lambda: store.reset(["scalar"]),
    ]  # fmt: skip
    for action in actions:
        TRACED = True
        raises(TypeError, "is traced would happen once and not in each call", lambda: fw.function(lambda: action())())
        TRACED = False
        action()
    assert float(scalar) == 3.0 and int(scalar) == 3 and bool(scalar) and f"{scalar:.1f}" == "3.0"
    raises(TypeError, "expected a scalar, found variable 'w' of shape (3, 4)", lambda: float(w))
    assert fw.function(lambda: sum(w))().tolist() == [6] * 4, "rows"


# Optimizers and averages that a function makes are made once.

p = fw.Variable(np.zeros(3, np.float32), name="p")


def average_of(averages: fw.ExponentialMovingAverage) -> fw.Variable:
    found = averages.average(p)
    assert found is not None
    return found


@fw.function(dynamic=False)
def made_inside(a: Any) -> Any:
    rate = fw.optimizers.Adam(0.1, name="inside")
    rate.minimize(fw.mean(a @ p))
    average = fw.ExponentialMovingAverage(0.5)
    average.apply([p])
    return rate.iterations.read(), average_of(average).read()


outside, average = fw.optimizers.Adam(0.1), fw.ExponentialMovingAverage(0.5)


@fw.function(dynamic=False)
def made_outside(a: Any) -> Any:
    outside.minimize(fw.mean(a @ p))
    average.apply([p])
    return outside.iterations.read(), average_of(average).read()


def test_optimizers_and_averages() -> None:
    found = []
    for step in (made_inside, made_outside):
        p.set(np.zeros(3, np.float32))
        found.append([[np.array(one) for one in step(np.ones((n, 3), np.float32))] for n in (2, 5, 2, 7)])
    assert [int(count) for count, _ in found[0]] == [1, 2, 3, 4], found
    for (_, first), (_, second) in zip(*found):
        np.testing.assert_array_equal(first, second)
    assert [name for name in store.names if name.startswith("p/inside")] == ["p/inside", "p/inside_1"], store.names
    rated = fw.function(lambda a, rate: fw.optimizers.SGD(rate).minimize(fw.mean(a @ p)), static="rate")
    rated(x, 0.1)
    # The error names the number, and what sets it.
    raises(ValueError, "optimizer 'SGD' is made once for all that 'function' is traced for: it has lr=0.1, and would "
           "have lr=0.2 now; make it outside of 'function', and change it between calls by `.lr.set(0.2)`",
           lambda: rated(x, 0.2))  # fmt: skip
    nesterov = fw.function(lambda a, yes: fw.optimizers.SGD(0.1, nesterov=yes).minimize(fw.mean(a @ p)), static="yes")
    nesterov(x, False)
    raises(ValueError, "it has nesterov=False, and would have nesterov=True now; make one for each outside of "
           "'function'",
           lambda: nesterov(x, True))  # fmt: skip
    averaged = fw.function(lambda a, d: fw.ExponentialMovingAverage(d).apply([p]), static="d")
    averaged(x, 0.5)
    raises(ValueError, "it has decay=0.5, and would have decay=0.25 now; make one for each", lambda: averaged(x, 0.25))


def test_number_that_the_code_reads() -> None:
    # A number that the code reads outside is one of them, and the one that was is right again.
    number = 0.1
    by_name = fw.function(lambda a: fw.optimizers.SGD(number, name="by_name").minimize(fw.mean(a @ p)))
    by_name(x)
    number = 0.2
    raises(ValueError, "it has lr=0.1, and would have lr=0.2 now", lambda: by_name(x))
    number = 0.1
    by_name(x)
    raises(ValueError, "a store is made anew each time", lambda: fw.function(lambda: fw.Store() and 0)())
    raises(ValueError, "variable 'new' is made anew each time",
           lambda: fw.function(lambda: fw.Variable(1.0, name="new") + 1)())  # fmt: skip


# Losses


def test_losses() -> None:
    for loss in (lambda a: a @ p, lambda a: a * p, lambda a: fw.sum(a, axis=1, keepdims=True) * p[0]):
        for act in (adam.minimize, fw.optimizers.SGD(0.1).minimize):
            raises(ValueError, "a loss is a scalar, found shape", lambda: fw.function(lambda a: act(loss(a)))(x))


# float64 in a program of float32


def warned(action: Callable[[], Any]) -> List[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        action()
    said = [one for one in said if issubclass(one.category, fw.CompileWarning)]
    assert all(one.filename == __file__ for one in said), said
    return [str(one.message) for one in said]


def forward(a: Any) -> Any:
    return fw.sum(a @ w)


wide = fw.function(forward)


def test_float64_in_a_program() -> None:
    assert len(warned(lambda: wide(x.astype(np.float64)))) == 1
    assert not warned(lambda: [wide(x.astype(np.float64)), wide(x), fw.function(forward)(x)])
    assert len(warned(lambda: fw.function(lambda a: a @ w * np.linspace(0, 1, 4))(x))) == 1, "a constant of NumPy"
    assert len(warned(lambda: fw.function(lambda a: a @ w * np.sqrt(2.0))(x))) == 1, "a number of NumPy"
    assert not warned(lambda: fw.function(lambda a: a @ w * 2.0 + 1)(x))
    assert not warned(lambda: fw.function(lambda a: fw.cast(a, "float32") @ w)(x.astype(np.float64)))
    assert not warned(lambda: fw.function(forward, signature=[fw.spec(2, 3, dtype="float64")])(x.astype(np.float64)))
    assert not warned(lambda: fw.function(lambda a: a + x)(x.astype(np.float64))), "no variable"
    double = fw.Variable(np.ones(3, np.float64))
    assert not warned(lambda: fw.function(lambda a: a @ double)(x)), "a variable of float64"
    labels = np.array([0, 1])
    assert labels.dtype == np.int64
    assert not warned(lambda: fw.function(lambda a, y: fw.nn.sparse_softmax_cross_entropy(a @ w, y))(x, labels))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "float64 meets")
        fw.function(forward)(x.astype(np.float64))


# Copies


def test_copies() -> None:
    twin = copy.deepcopy(w)
    w.set(np.zeros((3, 4), np.float32))
    assert twin.name != w.name and twin.trainable and (twin.numpy() == 2).all() and (copy.copy(w).numpy() == 0).all()


class Net:
    def __init__(self) -> None:
        self.w = fw.Variable(np.ones(3, np.float32), name="net")
        self.sgd = fw.optimizers.SGD(0.5)

    @fw.function
    def step(self, a: Any) -> Any:
        self.sgd.minimize(fw.mean(a @ self.w))
        return fw.sum(self.w)


def test_copies_2() -> None:
    net = Net()
    assert float(net.step(x)) == 1.5
    target = copy.deepcopy(net)
    assert float(target.step(x)) == 0.0 and float(net.step(x)) == 0.0 and float(target.w.numpy().sum()) == 0.0
    assert float(target.step(x)) == -1.5 and net.w.numpy().sum() == 0.0, "each has its own"


def test_copies_3() -> None:
    program = fw.compile("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    session = fw.Session(program)
    refused: List[Any] = [wide, store, fw.Store(), program, session, session.entry("f"), fw.parse("module {}"),
                          program.entries[0], program.entries[0].feeds[0], fw.CheckpointManager()]  # fmt: skip
    for one in refused:
        for refuse in (copy.copy, copy.deepcopy, pickle.dumps):
            raises(TypeError, "", lambda: refuse(one))
            try:
                refuse(one)
            except TypeError as error:
                assert "cannot pickle" not in str(error) and len(str(error)) > 60, error
    for one in (w, average):
        raises(TypeError, "since", lambda: pickle.dumps(one))
    makers: List[Any] = [fw.optimizers.Adam, fw.schedules.ConstantRate, fw.initializers.HeNormal,
                         fw.constraints.MaxNorm,
                         fw.clauses.LossScale]  # fmt: skip
    for make in makers:
        made = make(rate=0.5) if make is fw.schedules.ConstantRate else make()
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is make and again.fields == made.fields and copy.deepcopy(made).fields == made.fields
    assert copy.deepcopy(average).name != average.name
    assert pickle.loads(pickle.dumps(fw.spec("batch", 3))) == fw.spec("batch", 3)


run_tests([test_values, test_optimizers_and_averages, test_number_that_the_code_reads, test_losses,
           test_float64_in_a_program, test_copies, test_copies_2, test_copies_3])  # fmt: skip
