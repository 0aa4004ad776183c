# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %S/../../docs/notebooks/digits.ipynb
"""N16, N21: cells of notebooks that are executed again, in any order, find what a process finds that executes each
once. A traced function has the values of now of what it names."""

import gc
import json
import multiprocessing
import sys
import tempfile
import types
import warnings
import weakref
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple
from unittest import mock

import numpy as np

import flywheel as fw
import flywheel.keras as keras
from configurations import run_tests

X = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
Y = np.random.default_rng(1).normal(size=(6, 2)).astype(np.float32)

# The cells of notebooks: a model, its training, and later ones with functions of their own.
NOTEBOOKS: Dict[str, List[str]] = {
    "variables": [
        """
fw.set_seed(7)
w, b = fw.Variable(shape=(3, 2), name="w"), fw.Variable(fw.initializers.Zeros(), shape=(2,), name="b")
adam = fw.optimizers.Adam(0.1)

def scores(x):
    return x @ w + b

@fw.function
def step(x, y):
    loss = fw.mean((fw.nn.dropout(scores(x), 0.5) - y) ** 2)
    adam.minimize(loss)
    return loss
""",
        """
out["losses"] = [float(step(X, Y)) for _ in range(3)]
""",
        """
@fw.function
def predict(x):
    return scores(x)

out["predicted"] = predict(X)
""",
        """
@fw.function
def more(x, y):
    loss = fw.mean((scores(x) - y) ** 2)
    adam.minimize(loss)
    return loss

out["more"] = [float(more(X, Y)) for _ in range(2)]
out["again"] = predict(X)
""",
    ],
    "modules": [
        """
fw.set_seed(7)

class Net(fw.Module):
    def __init__(self):
        self.first, self.second = fw.nn.Dense(3, 4), fw.nn.Dense(4, 2)

    def __call__(self, x):
        return self.second(fw.nn.relu(self.first(x)))

net = Net()
unnamed = fw.Variable(shape=(2,))
""",
        """
optimizer = fw.optimizers.Momentum(0.05, 0.9)

@fw.function
def step(x, y):
    loss = fw.mean((net(x) + unnamed - y) ** 2)
    optimizer.minimize(loss)
    return loss

out["losses"] = [float(step(X, Y)) for _ in range(3)]
""",
        """
average = fw.ExponentialMovingAverage(0.9)

@fw.function
def follow(x):
    average.apply(net.parameters())
    return net(x)

out["followed"] = follow(X)
out["names"] = [v.name for v in net.variables()] + [unnamed.name]
""",
        """
out["averages"] = [fw.function(lambda x, v=v: average.average(v))(X) for v in net.parameters()]
""",
    ],
    "containers": [
        """
fw.set_seed(7)
params = {"w": fw.Variable(shape=(3, 2), name="w"), "layers": [fw.Variable(shape=(2, 2)) for _ in range(2)]}

class Plain:
    def __init__(self):
        self.scale = fw.Variable(fw.initializers.RandomNormal(), shape=(2,), name="scale")

    def __call__(self, x):
        return x * self.scale

plain = Plain()
""",
        """
rate = 0.1
sgd = fw.optimizers.SGD(rate)

def make(factor):
    def body(x):
        x = x @ params["w"]
        for layer in params["layers"]:
            x = fw.tanh(x @ layer)
        return plain(x) * factor
    return body

body = make(0.5)

@fw.function
def step(x, y):
    loss = fw.mean((body(x) - y) ** 2)
    sgd.minimize(loss)
    return loss

out["losses"] = [float(step(X, Y)) for _ in range(3)]
""",
        """
evaluate = fw.function(lambda x: fw.sum(body(x)) + rate)
gradient = fw.function(lambda x: fw.grad(lambda x: fw.sum(body(x)))(x))
out["value"], out["gradient"] = evaluate(X), gradient(X)
""",
        """
out["values"] = evaluate(X), gradient(X), float(step(X, Y)), evaluate(X)
""",
    ],
    "keras": [
        """
np.random.seed(7)
keras.backend.clear_session()
model = keras.Sequential([keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.Dense(2)])
model.compile("adam", "mse")
""",
        """
out["losses"] = model.fit(X, Y, batch_size=3, epochs=2, verbose=0, shuffle=False).history["loss"]
""",
        """
out["evaluated"] = model.evaluate(X, Y, verbose=0)
""",
        """
out["predicted"] = model.predict(X)
out["names"] = [v.name for v in model.weights]
""",
    ],
}
# Numbers of cells, from 1, in the order in which they are executed.
ORDERS = ["12323", "11234", "1231233", "1223344", "1234234", "123412341234", "1232323231", "1223341234", "1212341123",
          "12312312341", "1234341232"]  # fmt: skip


def execute(cells: Sequence[str], order: str, scope: Dict[str, Any]) -> Dict[str, Any]:
    """Executes cells, and returns what they have found since the first one was executed last, and the values of
    variables then. A warning, as of a name that is in use, is an error."""
    for number in order:
        if number == "1":
            scope["out"] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(cells[int(number) - 1], f"<cell {number}>", "exec"), scope)
    return {**scope["out"], "state": {v.name: v.numpy() for v in fw.global_variables()}}


def scope_of(**more: Any) -> Dict[str, Any]:
    return {"__name__": "__main__", "np": np, "fw": fw, "keras": keras, "X": X, "Y": Y, **more}


def in_new_process(cells: Sequence[str], order: str, scope: Dict[str, Any]) -> Any:
    """Returns what `execute` does in a process that has executed nothing before."""
    there, here = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=lambda: there.send(execute(cells, order, scope)), daemon=True)  # fmt: skip
    process.start()
    there.close() if process.pid is None else None
    found = here.recv() if here.poll(120) else None
    process.join()
    assert found is not None, f"cells {order} fail in a new process"
    return found


def straight(order: str) -> str:
    """The order of a program without the runs that the last one of the first cell has made vain."""
    return order[order.rindex("1") :]


# The results of each program in a process of its own, which are made before anything is compiled here.
EXPECTED: Dict[Tuple[str, str], Dict[str, Any]] = {}


def test_sweep() -> None:
    for name, cells in NOTEBOOKS.items():
        # Orders one after the other, as a long session has them.
        scope = scope_of()
        for order in ORDERS:
            found, expected = execute(cells, order, scope), EXPECTED[name, straight(order)]
            for key, value in expected.items():
                np.testing.assert_equal(found[key], value, f"{name}, {order}: {key}")
            extra = [text for text in found["state"] if text not in expected["state"] and text[-2:-1] == "_"]
            assert not extra, (name, order, extra)
        kept = [weakref.ref(one) for one in scope.values() if isinstance(one, (fw.Variable, fw.Module))]
        scope.clear()
        gc.collect()
        assert not any(one() for one in kept) and not fw.global_variables(), name


def test_digits() -> None:
    """The notebook of the documentation, whose later cells have a function of their own."""
    notebook = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    plots = types.ModuleType("matplotlib.pyplot")
    plots.subplots = lambda *sizes, **_: (  # type: ignore[attr-defined]
        mock.MagicMock(), [mock.MagicMock() for _ in range(8)] if sizes else mock.MagicMock())  # fmt: skip
    first, model, training = code[0], code[1], code[2].replace("range(20)", "range(8)").replace("0.97", "0.9")
    modules = {"matplotlib": types.ModuleType("matplotlib"), "matplotlib.pyplot": plots}
    with mock.patch.dict(sys.modules, modules), mock.patch("builtins.print"):
        scope: Dict[str, Any] = {"__name__": "__main__", "display": lambda *_: None}
        exec(first, scope)
        found = []
        # The second run of the model is before that of the cell which has `predict`.
        for order in ([model, training, *code[3:]], [model, training, code[-1]], [model, model, training, code[-1]]):
            for cell in order:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", UserWarning)
                    exec(compile(cell, "<cell>", "exec"), scope)
            found.append((scope["losses"], scope["guesses"], scope["w1"].name, scope["step"].name, scope["adam"].name))
        for one in found[1:]:
            np.testing.assert_equal(one, found[0])


def check(value: Any, expected: float) -> None:
    np.testing.assert_allclose(value, expected, rtol=1e-6)


def variable(value: float) -> Any:
    return fw.Variable(np.float32(value))


def test_kinds_of_names() -> None:
    """N21: each way in which a function of Python reaches a value from outside."""
    scope: Dict[str, Any] = {"__name__": "__main__", "fw": fw, "np": np}
    exec(
        """
import types
w, scale, pair, many, table = v(2), 3.0, (v(2), 1.0), [v(2)], {"w": v(2)}

def inner(x):
    return x * w

class Plain:
    def __init__(self):
        self.w, self.epoch = v(2), 0
    def __call__(self, x):
        return x * self.w
    @fw.function
    def method(self, x):
        return x * self.w

plain = Plain()
def in_default(x, own=w): return x * own
def in_inner(x): return inner(x)
def in_lambda(x): return (lambda y: y * w)(x)
def in_list(x): return sum(x * one for one in many)
def in_pair(x): return x * pair[0]
def in_table(x): return x * table["w"]
def in_object(x): return plain(x)
def in_attribute(x): return x * plain.w
def in_number(x): return x * scale
def in_array(x): return x * array
def in_builtin(x): return x * abs(-2)
def in_keyword(x, *, own=None): return x * (w if own is None else own)
traced = fw.function(in_inner)
def in_traced(x): return traced(x)
array = np.float32([2])
""",
        dict_with(scope, v=variable),
    )
    one = np.ones(1, np.float32)
    functions: Dict[str, Callable[[Any], Any]] = {
        name: fw.function(value) for name, value in scope.items() if name.startswith("in_")
    }
    functions["method"] = lambda x: scope["plain"].method(x)
    changes: List[Tuple[str, str, float]] = [
        ("w = v(5)", "in_inner in_lambda in_traced in_keyword", 5),
        ("inner = lambda x: x * 7.0", "in_inner in_traced", 7),
        ("many[0] = v(4)", "in_list", 4),
        ("many.append(v(4))", "in_list", 8),
        ("many = [v(1)]", "in_list", 1),
        ("pair = (v(6), 1.0)", "in_pair", 6),
        ("table['w'] = v(9)", "in_table", 9),
        ("table = {'w': v(8)}", "in_table", 8),
        ("plain.w = v(4)", "in_object in_attribute method", 4),
        ("plain = Plain()", "in_object in_attribute method", 2),
        ("scale = 4.0", "in_number", 4),
        ("array = np.float32([3])", "in_array", 3),
        ("abs = lambda x: 11.0", "in_builtin", 11),
    ]
    values = {name: 2.0 for name in functions}
    values["in_number"] = 3.0
    for change, names, value in [("", "", 0.0), *changes]:
        exec(change, scope)
        values.update(dict.fromkeys(names.split(), value))
        for name, function in functions.items():
            for _ in range(2):
                np.testing.assert_allclose(function(one), values[name], err_msg=f"{change}, {name}")
    # A default is the value that the function was made with.
    assert float(functions["in_default"](one)[0]) == 2.0


def dict_with(scope: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    scope.update(more)
    return scope


def test_closures() -> None:
    w, k = variable(2), 1.0
    x = np.ones(1, np.float32)

    @fw.function
    def scaled(x: Any) -> Any:
        return x * w * k

    check(scaled(x), 2)
    w = variable(3)
    check(scaled(x), 3)
    k = 2.0
    check(scaled(x), 6)
    old = weakref.ref(w)
    w = variable(4)
    # Before the function is called again, too: a name is wanted.
    assert w.name and w.numpy() == 4
    gc.collect()
    assert old() is None
    check(scaled(x), 8)


def test_nothing_changes() -> None:
    """A function is not traced again where a name is bound to an equal number, nor for what tracing itself changes."""
    count, number, seen = 0, 0.5, []
    w: Any = None

    @fw.function
    def step(x: Any) -> Any:
        nonlocal count, w
        count += 1
        seen.append(count)
        if w is None:
            w = fw.Variable(np.float32(1), name="once")
        return x * w * number * len("ab")

    x = np.ones(1, np.float32)
    step(x)
    # Variables that tracing makes are traced twice.
    first = count
    for _ in range(5):
        number = float(f"{0.5}")
        check(step(x), 1)
    assert count == first, (count, seen)


def test_warning_is_at_the_users_line() -> None:
    scope = {"__name__": "__main__", "fw": fw}
    cell = "w = fw.Variable(1.0, name='w')\n{}\nname = w.name\n"
    exec(compile(cell.format("kept = [w]"), "<cell 1>", "exec"), scope)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(cell.format(""), "<cell 2>", "exec"), scope)
    assert [(one.filename, one.lineno) for one in caught] == [("<cell 2>", 3)], caught


def test_names_of_many() -> None:
    """Names of what is built again are those of the first time, beside others of the kind that are in use."""
    kept = [fw.Variable(0.0) for _ in range(3)]
    assert [v.name for v in kept] == ["Variable", "Variable_1", "Variable_2"]
    for _ in range(9):
        own = fw.Variable(0.0)

        @fw.function
        def read(x: Any, v: Any = own) -> Any:
            return x * v

        read(np.ones(1, np.float32))
        assert [v.name for v in fw.global_variables()] == [*[v.name for v in kept], "Variable_3"]


def test_restoring_beside_an_older_model() -> None:
    """Names that an older model keeps are in the error of a restore, with what to do."""
    with tempfile.TemporaryDirectory() as folder, fw.Namespace(), fw.Store():
        path = str(Path(folder) / "model")
        older = fw.nn.Dense(2, 3)
        fw.current_store().initialize()
        fw.save(path)
        newer = fw.nn.Dense(2, 3)
        for _ in range(2):
            try:
                fw.restore(path)
            except fw.NotFoundError as error:
                assert "'Dense_1' would be called 'Dense', but another object in use has this name" in str(error)
                assert "del" in str(error)
            else:
                raise AssertionError("restored")
        value = older.state_dict()["kernel"]
        del older, newer
        gc.collect()
        newest = fw.nn.Dense(2, 3)
        fw.restore(path)
        np.testing.assert_array_equal(newest.state_dict()["kernel"], value)


if __name__ == "__main__":
    for name, cells in NOTEBOOKS.items():
        for order in sorted({straight(order) for order in ORDERS}):
            EXPECTED[name, order] = in_new_process(cells, order, scope_of())
    tests: List[Callable[[], None]] = [
        test_sweep, test_digits, test_kinds_of_names, test_closures, test_nothing_changes,
        test_warning_is_at_the_users_line, test_names_of_many, test_restoring_beside_an_older_model,
    ]  # fmt: skip
    run_tests(tests)
