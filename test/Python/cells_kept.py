# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N16: cells of notebooks that are executed again after errors, and while something keeps what their last run has made:
an error that the session keeps keeps nothing of it, and something else is warned of."""

import gc
import itertools
import linecache
import sys
import warnings
from typing import Any, Dict, List, Sequence, Tuple

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
    run_tests([test_errors, test_outputs, test_several_at_once])
