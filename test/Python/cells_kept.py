# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N16: cells of notebooks that are executed again after errors, and while something keeps what their last run has made:
an error that the session keeps keeps nothing of it, and something else is warned of."""

import gc
import itertools
import linecache
import sys
import threading
import types
import warnings
from typing import Any, Dict, List, Sequence, Tuple
from unittest import mock

import numpy as np

import flywheel as fw
from configurations import run_tests

X = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)

CELLS: Dict[str, str] = {
    "model": """
fw.set_seed(7)

class Net(fw.Module):
    def __init__(self):
        self.dense = fw.nn.Dense(3, 2)

    def __call__(self, x):
        return fw.nn.dropout(self.dense(x), 0.5)

net = Net()
""",
    "optimizer": "adam = fw.optimizers.Adam(0.1)",
    "step": """
@fw.function
def step(x):
    loss = fw.mean(net(x) ** 2)
    adam.minimize(loss)
    return loss
""",
    "train": """
losses = [float(step(X)) for _ in range(3)]
names = [v.name for v in net.variables()] + [adam.name, step.name]
""",
    "a step with a mistake": """
@fw.function
def step(x):
    loss = fw.mean(net(x) ** 2)
    adam.minimize(loss)
    return loss + undefined

step(X)
""",
    "a model with a mistake": """
class Net(fw.Module):
    def __init__(self):
        self.dense = fw.nn.Dense(4, 2)

    def __call__(self, x):
        return self.dense(x)

net = Net()
adam = fw.optimizers.Adam(0.1)
fw.function(lambda x: adam.minimize(fw.mean(net(x) ** 2)))(X)
""",
    "an interrupted call": """
class Interrupted(Net):
    def __call__(self, x):
        super().__call__(x)
        raise KeyboardInterrupt

net = Interrupted()
fw.function(lambda x: net(x))(X)
""",
    "a handler that raises": """
try:
    fw.function(lambda x: adam.minimize(fw.mean(net(x) ** 2), unknown=1))(X)
except TypeError as error:
    raise RuntimeError("training failed") from error
""",
}
ALL = ["model", "optimizer", "step", "train"]


def execute(order: Sequence[str], space: Dict[str, Any], has_lines: bool = True) -> List[str]:
    """Executes cells as an interactive session does, and returns the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for name in order:
            file = f"/kernel/{name}.py" if has_lines else f"<cell {name}>"
            if has_lines:
                # As notebooks do, so that errors show their lines.
                linecache.cache[file] = (len(CELLS[name]), None, CELLS[name].splitlines(keepends=True), file)
            try:
                exec(compile(CELLS[name], file, "exec"), space)
            except (Exception, KeyboardInterrupt) as error:
                sys.last_value, sys.last_traceback = error, error.__traceback__
    return [str(one.message) for one in seen]


def make_space() -> Dict[str, Any]:
    return {"fw": fw, "X": X, "__name__": "__main__"}


def result(space: Dict[str, Any]) -> Tuple[Any, Any]:
    return space["losses"], space["names"]


def test_errors() -> None:
    space = make_space()
    assert not execute(ALL, space)
    expected = result(space)
    space.clear()
    gc.collect()
    for mistake, has_lines in itertools.product(sorted(CELLS.keys() - ALL), (True, False)):
        for order in ([*ALL[:2], mistake, *ALL], [*ALL, mistake, *ALL], [*ALL, mistake, mistake, *ALL, *ALL]):
            space = make_space()
            found = execute(order, space, has_lines)
            assert result(space) == expected, (order, result(space), expected, found)
            assert not found, (order, found)
            space.clear()
            gc.collect()
    assert isinstance(sys.last_value, BaseException), "the error itself is kept"


def test_outputs() -> None:
    """A model that an output keeps has its name, and the next one is said to have another."""
    space = make_space()
    execute(ALL, space)
    space["Out"] = {1: space["net"]}
    (text,) = execute(ALL, space)
    assert "'Net' is the name of what an earlier run of this code has made" in text and "'Net_1'" in text, text
    space["Out"].clear()
    assert not execute(ALL, space)
    assert space["names"][0] == "Net/dense/kernel"
    space.clear()
    gc.collect()


def run_cell(text: str, file: str, space: Dict[str, Any]) -> List[str]:
    """Executes text as the cell of a file, and returns the warnings."""
    with mock.patch.dict(CELLS, {file: text}):
        return execute([file], space)


def test_generators() -> None:
    """A generator goes on where it was when a model is made again, although its frame is in the error."""
    kinds = {
        "def": ("def batches():", "one = next(data)", "rest = list(data)"),
        "async def": ("async def batches():", "one = run(data.__anext__())", "rest = run(collect())"),
    }
    for (head, step, rest), is_asked in itertools.product(kinds.values(), (True, False)):
        space = make_space()
        run_cell(
            f"""
def run(awaitable):
    try:
        awaitable.send(None)
    except StopIteration as end:
        return end.value

{head}
    for k in range(6):
        try:
            if k == 2:
                raise ValueError("bad file")
            yield k
        except ValueError as error:
            yield error

async def collect():
    return [one async for one in data]

class Net(fw.Module):
    def __init__(self):
        self.dense = fw.nn.Dense(3, 2)

data = batches()
""",
            "data",
            space,
        )
        model = "net = Net()" + ("\nname = net.name" if is_asked else "")
        train = f"""
def train(net):
    while True:
        {step}
        if isinstance(one, Exception):
            raise one

train(net)
"""
        run_cell(model, "net", space)
        run_cell(train, "train", space)
        assert str(sys.last_value) == "bad file", sys.last_value
        assert not run_cell(model, "net", space)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert space["net"].name == "Net"
        run_cell(rest, "rest", space)
        assert space["rest"] == [3, 4, 5], (head, space["rest"])
        space.clear()
        gc.collect()


def test_ended_generators() -> None:
    """Generators and coroutines that have failed keep nothing, and what another thread executes goes on."""
    for text in (
        "def train(net):\n    yield net\n    raise ValueError('diverged')\nlist(train(net))",
        "async def train(net):\n    raise ValueError('diverged')\ntrain(net).send(None)",
    ):
        space = make_space()
        for _ in range(2):
            execute(["model"], space)
            run_cell(text, "train", space)
            assert str(sys.last_value) == "diverged"
        assert not execute(["model"], space) and space["net"].name == "Net", space["net"].name
        space.clear()
        gc.collect()


def test_threads() -> None:
    space = make_space()
    found: List[Any] = []
    run_cell(
        """
def work(ready, go, found):
    state = ["kept"]
    try:
        raise ValueError("in a thread")
    except ValueError as error:
        ready.append(error)
        entered.set()
        go.wait()
    found.append(state)
""",
        "work",
        space,
    )
    ready: List[Any] = []
    space["entered"], go = threading.Event(), threading.Event()
    thread = threading.Thread(target=space["work"], args=(ready, go, found), daemon=True)
    thread.start()
    space["entered"].wait()
    execute(["model"], space)
    sys.last_value = ready.pop()
    execute(["model"], space)
    assert space["net"].name == "Net"
    go.set()
    thread.join()
    assert found == [["kept"]]


def test_late_names() -> None:
    """The names of both runs wait when somebody asks for one: the one that the error keeps does not get it."""
    for where in ("def evaluate(net):\n    ", ""):
        space = make_space()
        cell = f"{where}raise ValueError('no data')\n" + ("evaluate(net)" if where else "")
        for has_lines in (True, False):
            with mock.patch.dict(CELLS, failing=CELLS["model"] + cell, both=CELLS["model"]):
                for _ in range(3):
                    execute(["failing"], space, has_lines)
                    assert str(sys.last_value) == "no data"
                with mock.patch.dict(CELLS, failing=CELLS["model"]):
                    execute(["failing"], space, has_lines)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert space["net"].name == "Net", space["net"].name
            space.pop("net")
    # An object that something else keeps is warned of, also if its name waits.
    space = make_space()
    execute(["model"], space)
    space["kept"] = space["net"]
    execute(["model"], space)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert (space["kept"].name, space["net"].name) == ("Net", "Net_1")
    (text,) = [str(one.message) for one in seen]
    assert "an earlier run of this code" in text
    space.clear()
    gc.collect()


def test_classes_of_one_name() -> None:
    """Objects of several classes of one name are no runs of one cell."""
    space = make_space()
    text = "import flywheel as fw\nclass Net(fw.Module):\n    def __init__(self):\n        self.d = fw.nn.Dense(3, 2)\n"
    for name in ("teacher", "student"):
        space[name] = types.ModuleType(name)
        exec(text, space[name].__dict__)
    space["make"] = lambda: type("Net", (space["teacher"].Net,), {"__qualname__": "make.<locals>.Net"})
    sys.last_value = error = failed()
    for cells in (
        ["t = teacher.Net()", "s = student.Net()"],
        ["a = (net := teacher.Net())", "b = student.Net()"],
        ["t = make()()", "s = make()()"],
    ):
        for number, cell in enumerate(cells):
            assert not run_cell(f"{cell}\n", f"cell {number}", space)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            names = {one.name for one in space.values() if isinstance(one, fw.Module)}
            assert names == {"Net", "Net_1"} or len(names) > 2, names
        assert error.__traceback__.tb_frame.f_locals["local"] == 1, "the frames of an error are cleared"
        for name in [name for name, one in space.items() if isinstance(one, fw.Module)]:
            del space[name]
        gc.collect()
    # A class that is defined again is another run, whatever the text of the line.
    run_cell(text, "class", space)
    run_cell("first = Net()\nname = first.name", "first", space)
    run_cell(text, "class", space)
    (warned,) = run_cell("second = Net()\nname = second.name", "second", space)
    assert "an earlier run of this code" in warned
    space.clear()
    gc.collect()


def failed() -> Any:
    local = 1
    try:
        raise ValueError(local)
    except ValueError as error:
        return error


def test_several_at_once() -> None:
    """Several objects of one class are no news in one run of a cell, or from several lines."""
    for text in (
        "nets = [Net() for _ in range(3)]",
        "nets = []\nfor _ in range(3):\n    nets.append(Net())",
        "first = Net()\nsecond = Net()",
        "def make():\n    return Net()\nfirst, second = make(), make()",
        "first = Net()\ndef later():\n    global second\n    second = Net()\nlater()",
    ):
        space = make_space()
        CELLS["several"] = CELLS["model"].replace("net = Net()", text)
        assert not execute(["several"], space)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nets = [one for value in space.values() for one in (value if isinstance(value, list) else [value])]
            names = [one.name for one in nets if isinstance(one, fw.Module)]
            assert len(set(names)) == len(names) > 1, names
        del nets
        space.clear()
        gc.collect()
    # Statements that are typed in are all the first line of <stdin>.
    space = make_space()
    exec(compile(CELLS["model"].replace("net = Net()", ""), "<stdin>", "exec"), space)
    for text in ("first = Net()", "second = Net()", "third = Net()"):
        exec(compile(text, "<stdin>", "single"), space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [space[name].name for name in ("first", "second", "third")] == ["Net", "Net_1", "Net_2"]
    space.clear()
    gc.collect()
    adams = [fw.optimizers.Adam(0.1) for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [one.name for one in adams] == ["Adam", "Adam_1"]


if __name__ == "__main__":
    run_tests([test_errors, test_outputs, test_generators, test_ended_generators, test_threads, test_late_names,
               test_classes_of_one_name, test_several_at_once])  # fmt: skip
