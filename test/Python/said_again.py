# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && env FLYWHEEL_CACHE=%t/cache %python %s %t
"""T22: what the compiler says of a program is heard by each who runs it, also where it is compiled already."""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, List

import numpy as np

import flywheel as fw
from configurations import run_tests

FOLDER = Path(sys.argv[1])

# In each turn one variable has to be copied.
TURN = """
import numpy as np
import flywheel as fw

def make():
    every = [fw.Variable(np.full(64, i, np.float32), name=name) for i, name in enumerate("abc")]
    def turn():
        values = [variable.read() for variable in every]
        for variable, value in zip(every, values[1:] + values[:1]):
            variable.assign(value)
        return every[0][0]
    return fw.function(turn)
"""
WHAT = "remark: the old value of variable @a is needed after it is overwritten"
RUN = TURN + "assert make()() == 1\n"


def heard(action: Callable[[], Any]) -> List[str]:
    with warnings.catch_warnings(record=True) as caught, fw.Namespace(), fw.Store():
        warnings.simplefilter("always")
        action()
    assert all(one.category is fw.CompileRemark for one in caught), caught
    return [str(one.message) for one in caught]


def load(text: str, name: str) -> Callable[[], Any]:
    path = FOLDER / name
    path.write_text(text)
    given: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), given)
    made: Callable[[], Any] = given["make"]
    return made


def test_in_process() -> None:
    make = load(TURN, "turn.py")
    first = heard(lambda: make()())
    assert len(first) == 1 and f"{FOLDER}/turn.py:10:" in first[0] and WHAT in first[0], first
    assert heard(lambda: make()()) == first
    # One function is compiled once.
    def twice() -> None:
        step = make()
        step()
        step()

    assert heard(twice) == first
    # The places are those of this text.
    moved = heard(lambda: load("\n\n" + TURN, "moved.py")()())
    assert len(moved) == 1 and f"{FOLDER}/moved.py:12:" in moved[0], moved
    assert heard(lambda: make()()) == first
    for _ in range(2):
        with warnings.catch_warnings(), fw.Namespace(), fw.Store():
            warnings.simplefilter("error", fw.CompileRemark)
            try:
                make()()
            except fw.CompileRemark as error:
                assert str(error) == first[0], error
            else:
                raise AssertionError("expected the remark as an error")
    with fw.Namespace(), fw.Store():
        assert heard(lambda: make().export(FOLDER / "turn.o")) == first


def run(name: str) -> str:
    return subprocess.run([sys.executable, "-W", "always", FOLDER / name], check=True, capture_output=True,
                          text=True, env={**os.environ, "FLYWHEEL_CACHE": str(FOLDER / "others")}).stderr  # fmt: skip


def programs() -> List[Path]:
    return sorted((FOLDER / "others").iterdir())


def test_from_disk() -> None:
    (FOLDER / "run.py").write_text(RUN)
    first = run("run.py")
    assert first.count(WHAT) == 1 and "run.py:10:" in first, first
    kept = programs()
    assert run("run.py") == first
    assert programs() == kept and kept, "expected the second process to compile nothing"
    # A line that moves is said to be where it is.
    (FOLDER / "run.py").write_text("\n" + RUN)
    assert run("run.py") == first.replace("run.py:10:", "run.py:11:").replace("run.py:13:", "run.py:14:")
    # This one has no diagnostics: its program serves any location.
    quiet = "import flywheel as fw\nassert fw.function(lambda x: x * 2)(3.0) == 6\n"
    (FOLDER / "quiet.py").write_text(quiet)
    assert not run("quiet.py")
    kept = programs()
    (FOLDER / "quiet.py").write_text("\n" + quiet)
    assert not run("quiet.py")
    assert programs() == kept


def test_values() -> None:
    make = load(TURN, "turn.py")
    with warnings.catch_warnings(), fw.Namespace(), fw.Store():
        warnings.simplefilter("ignore", fw.CompileRemark)
        turn = make()
        assert [float(turn()) for _ in range(4)] == [1, 2, 0, 1]
        assert np.all(fw.function(lambda: turn())() == 2)


def test_many() -> None:
    """Remarks of one kind and line are one, with a number; those of other lines are others."""
    make = load(TURN.replace('"abc"', '"abcdefghi"').replace("values[1:] + values[:1]", """(
            values[1:3] + values[:1] + values[4:6] + values[3:4] + values[7:] + values[6:7])"""), "turns.py")
    found = heard(lambda: make()())
    assert len(found) == 1 and WHAT in found[0], found
    assert "one copy of 'tensor<64xf32>', and 2 more like this\n" in found[0], found
    again = TURN.replace("        return", """        for variable, value in zip(every[1:], values[1:]):
            variable.assign(value)
        return""")
    make = load(again, "again.py")
    found = heard(lambda: make()())
    assert all("more like this" not in one for one in found), found


run_tests([test_in_process, test_from_disk, test_values, test_many])
