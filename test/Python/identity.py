# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""N15 to N17: values go with the objects that they are of. Names are made of them, and never decide."""

import copy
import functools
import gc
import os
import tempfile
import threading
import warnings
import weakref
from typing import Any, Callable, Dict, List

import numpy as np

import flywheel as fw
from configurations import run_tests


def make_optimizers() -> Dict[str, Callable[[], Any]]:
    """Each class, with a rate and what gives it all the slots that it can have."""
    more: Dict[str, Dict[str, Any]] = {"SGD": {"momentum": 0.9}, "RMSprop": {}, "TFRMSProp": {"momentum": 0.9}}
    return {name: functools.partial(getattr(fw.optimizers, name), lr=0.1, **more.get(name, {}))
            for name in fw.optimizers.__all__ if name != "Optimizer"}  # fmt: skip


def make_step(optimizer: Any, w: Any) -> Any:
    @fw.function
    def step() -> Any:
        optimizer.minimize(fw.sum(w * w * 0.5))

    return step


def train_alone(make: Callable[[], Any], count: int) -> Any:
    with fw.Namespace(), fw.Store():
        w = fw.Variable(np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3), name="w")
        step = make_step(make(), w)
        for _ in range(count):
            step()
        return w.numpy()


def test_slots_of_two_optimizers() -> None:
    """N15: two optimizers of one class over one variable in two functions, in each order of their first calls: a fresh
    one makes a fresh one's step, whatever the other one has done."""
    start = np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3)
    for name, make in make_optimizers().items():
        wanted = train_alone(make, 2)
        for first, second in ((0, 1), (1, 0)):
            with fw.Namespace(), fw.Store() as store:
                w = fw.Variable(start, name="w")
                optimizers = [make(), make()]
                steps = [make_step(optimizer, w) for optimizer in optimizers]
                assert optimizers[1].name == f"{optimizers[0].name}_1"
                for _ in range(3):
                    steps[first]()
                w.set(start)
                for _ in range(2):
                    steps[second]()
                np.testing.assert_array_equal(w.numpy(), wanted, err_msg=f"{name}, {first} first")
                assert len(store.names) == len(set(store.names))


def test_saved_in_any_order() -> None:
    """N15, P10: what is saved of one optimizer is restored to it, whichever function is traced first."""
    start = np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.safetensors")
        for name, make in make_optimizers().items():
            found: List[Any] = []
            for order in ((0, 1), (1, 0)):
                with fw.Namespace(), fw.Store():
                    w = fw.Variable(start, name="w")
                    steps = [make_step(make(), w) for _ in range(2)]
                    if not found:
                        for i in (0, 0, 0, 1):
                            steps[i]()
                        fw.save(path)
                    else:
                        fw.restore(path)
                    values = []
                    for i in order:
                        w.set(start)
                        steps[i]()
                        values.append(w.numpy())
                    found.append([values[order.index(i)] for i in range(2)])
            np.testing.assert_array_equal(found[0], found[1], err_msg=name)


def test_a_variable_called_as_a_slot() -> None:
    """A variable of the name of a slot is an error: the slot is not silently that variable, nor another one."""
    with fw.Namespace(), fw.Store():
        w, adam = fw.Variable(1.0, name="w"), fw.optimizers.Adam()
        taken = fw.Variable(5.0, name="w/Adam")
        try:
            fw.function(lambda: adam.minimize(w * taken))()
        except fw.CompileError as error:
            assert 'expected no other variable @"w/Adam", which is a slot of optimizer' in str(error), error
        else:
            raise AssertionError("two variables have one name")
        # In two functions, too.
        fw.function(lambda: adam.minimize(w * 2.0))()
        try:
            fw.function(lambda: taken + 1.0)()
        except ValueError as error:
            assert "two variables want the name 'w/Adam'" in str(error), error
        else:
            raise AssertionError("two variables have one value")


def test_copies_of_optimizers() -> None:
    """A copy has hyper-parameters that are equal, and slots of its own."""
    with fw.Namespace(), fw.Store():
        w, adam = fw.Variable(np.ones(2, np.float32), name="w"), fw.optimizers.Adam(lr=0.1)
        step = make_step(adam, w)
        step()
        step()
        for made in (copy.copy(adam), copy.deepcopy(adam)):
            w.set(np.ones(2, np.float32))
            make_step(made, w)()
            np.testing.assert_allclose(w.numpy(), 0.9, rtol=1e-6)
            assert made == adam and made.name != adam.name and made.lr is not adam.lr


def test_two_averages() -> None:
    """N15: averages are objects as well."""
    with fw.Namespace(), fw.Store():
        w = fw.Variable(0.0, name="w")
        fast, slow = fw.ExponentialMovingAverage(0.5), fw.ExponentialMovingAverage(0.75)
        functions = [fw.function(lambda a=a: a.apply([w])) for a in (fast, slow)]
        w.numpy()
        for f in functions:
            w.set(0.0)
            f()
            w.set(1.0)
            f()
        averages = [a.average(w) for a in (fast, slow)]
        assert [None if v is None else float(v.numpy()) for v in averages] == [0.5, 0.25]
        assert [v and v.name for v in averages] == ["w/ExponentialMovingAverage", "w/ExponentialMovingAverage_1"]


def test_clauses_of_two_optimizers() -> None:
    """Counters, scales, sums and masters go with their optimizer."""

    def run(optimizer: Any, w: Any, **clauses: Any) -> Any:
        step = fw.function(lambda x: optimizer.minimize(fw.sum(w * x), **clauses))
        return lambda count: [step(np.float32(1.0)) for _ in range(count)]

    for clauses in ({"accumulate": 3}, {"loss_scale": fw.clauses.LossScale(initial=4.0)},
                    {"schedule": fw.schedules.ExponentialRate(0.1, 0.5, 1)}, {"master_weights": True}):  # fmt: skip
        dtype = "bfloat16" if "master_weights" in clauses else "float32"
        values = []
        for is_alone in (True, False):
            with fw.Namespace(), fw.Store():
                w = fw.Variable(fw.initializers.Ones(), shape=(3,), dtype=dtype, name="w")
                first, second = fw.optimizers.SGD(0.1, momentum=0.5), fw.optimizers.SGD(0.1, momentum=0.5)
                if not is_alone:
                    run(first, w, **clauses)(2)
                    fw.current_store().initialize([w])
                run(second, w, **clauses)(4)
                values.append(w.numpy())
        np.testing.assert_array_equal(values[0], values[1], err_msg=str(clauses))


def test_namespaces_in_one_store() -> None:
    """Programs of two namespaces know nothing of each other, in one store too; what is saved is that of the current
    one."""
    with tempfile.TemporaryDirectory() as folder, fw.Store() as store:
        spaces = [fw.Namespace(), fw.Namespace(), fw.Namespace()]
        models = []
        for i, space in enumerate(spaces):
            with space:
                w = fw.Variable(np.float32(i + 1), name="w")
                models.append((w, fw.function(lambda w=w: w.assign_add(fw.random.uniform(()) * 0 + 10.0), name="add")))
        for _, add in models:
            add()
        assert [w.numpy() for w, _ in models] == [11, 12, 13]
        models[1][1]()
        assert [w.numpy() for w, _ in models] == [11, 22, 13]
        for i, space in enumerate(spaces):
            with space:
                assert store["w"] == models[i][0].numpy() and store.names.count("w") == 1, store.names
                fw.save(os.path.join(folder, f"{i}"))
        for i, space in enumerate(spaces):
            with space:
                fw.restore(os.path.join(folder, f"{(i + 1) % 3}"))
        assert [w.numpy() for w, _ in models] == [22, 13, 11]
        with spaces[2], fw.Store() as other:
            fw.restore(os.path.join(folder, "1"))
            assert other["w"] == 22 and models[2][0].numpy() == 22


def test_optimizers_in_one_function_and_another() -> None:
    """N15: the second slot of Adam is its own, also where Adam_1 is in the function; it outlives that function."""
    values = []
    for is_alone in (True, False):
        with fw.Namespace(), fw.Store() as store:
            x, y = (fw.Variable(np.ones(3, np.float32), name=n) for n in "xy")
            first = fw.optimizers.Adam(0.1)
            one = fw.function(lambda x=x, first=first: first.minimize(fw.sum(x * x), [x]))
            one()
            if is_alone:
                one()
            else:
                second = fw.optimizers.Adam(0.2)

                def both(x: Any = x, y: Any = y, first: Any = first, second: Any = second) -> None:
                    first.minimize(fw.sum(x * x), [x])
                    second.minimize(fw.sum(y * y), [y])

                function = fw.function(both)
                function()
                assert {"y/Adam_1/slot", "x/Adam", "x/Adam_1"} <= set(store.names)
                del second, both, function
                gc.collect()
                assert "y/Adam_1/slot" not in store.names and "x/Adam_1" in store.names
            one()
            values.append(x.numpy())
    np.testing.assert_array_equal(values[0], values[1])


def test_a_namespace_that_a_store_does_not_know() -> None:
    """N15: it has none of the names of another one, by whichever call it is known first."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "none")
        actions: List[Any] = [
            lambda store: store.names == [], lambda store: "w" not in store,
            lambda store: raises(fw.NotFoundError, lambda: store["w"]),
            lambda store: raises(fw.NotFoundError, lambda: store.__setitem__("w", np.float32(2))),
            lambda store: raises(fw.NotFoundError, lambda: store.is_initialized("w")),
            lambda store: raises(fw.NotFoundError, lambda: store.reset(["w"])),
            lambda store: raises(fw.InvalidArgumentError, lambda: store.save(path)),
            lambda store: raises(fw.NotFoundError, lambda: store.save(path, ["w"])),
        ]  # fmt: skip
        for action in actions:
            with fw.Namespace(), fw.Store() as store:
                w = fw.Variable(np.float32(1), name="w")
                assert w.numpy() == 1
                with fw.Namespace():
                    assert action(store)
                    other = fw.Variable(np.float32(3), name="w")
                    assert store.names in ([], ["w"]) and other.numpy() == 3 and store["w"] == 3
                assert w.numpy() == 1 and store["w"] == 1


def raises(kind: Any, action: Any) -> bool:
    try:
        action()
    except kind:
        return True
    return False


def test_restoring_beside_another_namespace() -> None:
    """P5: a key that is missing is an error, and the seed is restored, also where others use the store."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c")
        with fw.Namespace(), fw.Store(seed=7):
            w = fw.Variable(np.float32(7), name="w")
            fw.save(path)
        for has_more in (True, False):
            with fw.Store() as store:
                mine, other = fw.Namespace(), fw.Namespace()
                with other:
                    z = fw.Variable(np.float32(1), name="z")
                    z.numpy()
                with mine:
                    w = fw.Variable(np.float32(1), name="w")
                    more = fw.Variable(np.float32(2), name="v") if has_more else None
                    w.numpy()
                    try:
                        fw.restore(path)
                    except fw.NotFoundError as error:
                        assert has_more and "Key v not found" in str(error), error
                    else:
                        assert more is None and store.seed == 7 and w.numpy() == 7
                    # Names of another namespace are none of this one.
                    assert "z" not in store
                # Values that were restored for a namespace that is gone belong to no other one.
                third = fw.Namespace()
                with third:
                    fw.restore(path)
                del third
                with fw.Namespace():
                    w = fw.Variable(np.float32(100), name="w")
                    assert w.numpy() == 100 and z.numpy() == 1


def test_methods_that_are_replaced() -> None:
    """A function that takes the place of another one in a class is what objects call."""

    class Model:
        pass

    model: Any = Model()
    for k in range(4):
        Model.f = fw.function(lambda self, x, k=float(k): x + k)  # type: ignore[attr-defined]
        assert float(model.f(np.float32(0))) == k
        del Model.f  # type: ignore[attr-defined]


def test_names_between_threads() -> None:
    """A name that another thread is about to give is waited for."""
    for _ in range(3):
        with fw.Namespace():
            kept = [fw.Variable(0.0, name="w") for _ in range(2000)]
            found: List[str] = []
            threads = [threading.Thread(target=lambda v=v: found.append(v.name)) for v in (kept[0], kept[-1], kept[-1])]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            assert sorted(found) == ["w", "w_1999", "w_1999"], found


CELL = """
fw.set_seed(5)
with fw.name_scope("net"):
    w = fw.Variable(shape=(4, 3), name="w")
    b = fw.Variable(fw.initializers.Zeros(), shape=(3,), name="b")
    noise = fw.Variable(fw.initializers.RandomNormal(), shape=(3,), name="noise")
adam = fw.optimizers.Adam(0.1)
ema = fw.ExponentialMovingAverage(0.9)

class Model:
    def __init__(self):
        self.scale = fw.Variable(np.ones(3, np.float32), name="scale")
        self.me = self

    @fw.function
    def predict(self, x):
        return (x @ w + b + noise) * self.scale

model = Model()

@fw.function
def step(x):
    loss = fw.mean((fw.nn.dropout(model.predict(x), 0.5) - 1.0) ** 2)
    adam.minimize(loss)
    ema.apply()
    return loss

losses = [float(step(x)) for _ in range(4)]
predicted = model.predict(x)
fw.save(path)
"""


def test_a_cell_again() -> None:
    """N16: a cell of a notebook that is executed again makes what it made in a fresh process, and the first model is
    gone, with its slots, programs and values."""
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder, fw.Namespace(), fw.Store() as store:
        cell: Dict[str, Any] = {"fw": fw, "np": np, "x": x, "path": os.path.join(folder, "c.safetensors")}
        found: List[Any] = []
        code = compile(CELL, "<cell>", "exec")
        for _ in range(4):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(code, cell)
            assert cell["w"].name == "net/w" and cell["adam"].name == "Adam" and cell["step"].name == "step"
            assert cell["model"].scale.name == "scale" and cell["noise"].name == "net/noise"
            with open(cell["path"], "rb") as file:
                found.append((cell["losses"], cell["predicted"].tolist(), sorted(store.names), file.read()))
        assert all(one == found[0] for one in found[1:]), found
        kept = weakref.ref(cell["w"])
        for key in ("w", "b", "noise", "adam", "ema", "model", "Model", "step"):
            del cell[key]
        gc.collect()
        assert kept() is None and not fw.global_variables() and not store.names


def test_two_that_want_one_name() -> None:
    """Two variables that somebody calls alike and that both are in use have two names, which is said."""
    with fw.Namespace():
        kept = [fw.Variable(0.0, name="w")]
        assert kept[0].name == "w"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kept.append(fw.Variable(1.0, name="w"))
            assert kept[1].name == "w_1"
        assert any("'w_1'" in str(w.message) and "'w'" in str(w.message) for w in caught), caught
        # Without a wanted name there is no warning.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [v.name for v in [fw.Variable(0.0), fw.Variable(0.0)]] == ["Variable", "Variable_1"]


def test_variables_in_functions() -> None:
    """N17: a variable that each trace would make anew is refused; one that is made once is one."""
    with fw.Namespace(), fw.Store():

        @fw.function
        def anew(x: Any) -> Any:
            w = fw.Variable(1.0, name="w")
            w.assign_add(1.0)
            return fw.sum(x) * w

        try:
            anew(np.ones(3, np.float32))
        except ValueError as error:
            assert "variable 'w' is made anew each time that 'anew' is traced" in str(error), error
        else:
            raise AssertionError("each trace makes a variable")
        assert not fw.global_variables()

        class Layer:
            def __init__(self) -> None:
                self.w: Any = None

            def __call__(self, x: Any) -> Any:
                if self.w is None:
                    self.w = fw.Variable(np.ones(x.shape[1:], np.float32), name="w")
                self.w.assign_add(np.ones(3, np.float32))
                return fw.sum(x * self.w)

        layer = Layer()
        call = fw.function(lambda x: layer(x))
        values = [float(call(np.ones((n, 3), np.float32))) for n in (1, 2, 5)]
        assert values == [6.0, 18.0, 60.0] and layer.w.name == "w", values


def test_a_function_called_as_a_variable() -> None:
    """A variable and a function may have one name."""
    with fw.Namespace(), fw.Store():
        step = fw.Variable(0, name="step")

        def body() -> Any:
            return step.assign_add(1)

        call = fw.function(body, name="step")
        assert [int(call()) for _ in range(2)] == [1, 2] and step.name == "step" and call.name == "step"


run_tests([
    test_slots_of_two_optimizers, test_saved_in_any_order, test_a_variable_called_as_a_slot, test_copies_of_optimizers,
    test_two_averages, test_clauses_of_two_optimizers, test_namespaces_in_one_store,
    test_optimizers_in_one_function_and_another, test_a_namespace_that_a_store_does_not_know,
    test_restoring_beside_another_namespace,
    test_methods_that_are_replaced, test_names_between_threads, test_a_cell_again,
    test_two_that_want_one_name, test_variables_in_functions, test_a_function_called_as_a_variable,
])  # fmt: skip
