# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir -p %t && %python %s %t
"""T14: an error of a call names the line of the program that is running, whichever program was compiled first."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

folder = Path(sys.argv[1])
x, w = np.ones((2, 3), np.float32), fw.Variable(np.ones((3, 4), np.float32), name="w")


def line_of(action: Callable[[], Any]) -> int:
    """The line that the error of a call names, in this file."""
    try:
        action()
    except fw.InvalidArgumentError as error:
        places = re.findall(r"([^ ']+):(\d+):\d+", str(error))
        assert places and all(os.path.samefile(path, __file__) for path, _ in places), error
        return int(places[0][1])
    raise AssertionError("expected an error")


def number_of(text: str) -> int:
    """The line of this file that has `text`, once."""
    found = [i for i, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith(text)]
    assert len(found) == 1, found
    return found[0]


# Two functions of one process, with one graph.


@fw.function
def first(x: Any, y: Any) -> Any:
    return fw.nn.sparse_softmax_cross_entropy(x @ w, y)  # first


@fw.function
def second(x: Any, y: Any) -> Any:
    scores = x @ w
    return fw.nn.sparse_softmax_cross_entropy(scores, y)  # second


def test_two_functions_of_one_process() -> None:
    bad = np.array([1, 9], np.int32)
    for _ in range(2):
        assert line_of(lambda: first(x, bad)) == number_of("# first")
        assert line_of(lambda: second(x, bad)) == number_of("# second")


# Two checks on one line are a program, two on two lines another one; so are numbers that are checked.


def gather_on_one_line(t: Any, i: Any) -> Any:
    return fw.sum(fw.take(t, i)) + fw.sum(fw.take(t, i + 1))  # both


def gather_on_two_lines(t: Any, i: Any) -> Any:
    a = fw.sum(fw.take(t, i))  # lower
    return a + fw.sum(fw.take(t, i + 1))  # upper


def test_two_checks_on_one_line() -> None:
    table = np.arange(4, dtype=np.float32)
    one, two = fw.function(gather_on_one_line), fw.function(gather_on_two_lines)
    assert line_of(lambda: one(table, np.array([-7], np.int32))) == number_of("# both")
    assert line_of(lambda: two(table, np.array([-7], np.int32))) == number_of("# lower")
    assert line_of(lambda: two(table, np.array([3], np.int32))) == number_of("# upper")


@fw.function(check_numerics=True)
def numbers(x: Any) -> Any:
    return fw.log(x)  # log


@fw.function(check_numerics=True)
def numbers_again(x: Any) -> Any:
    y = x
    return fw.log(y)  # log again


def test_two_checks_on_one_line_again() -> None:
    zero = np.zeros(2, np.float32)
    assert line_of(lambda: numbers(zero)) == number_of("# log")
    assert line_of(lambda: numbers_again(zero)) == number_of("# log again")


# Two processes that share a cache, with the same graph in two files.


def test_two_processes_that_share() -> None:
    BODY = """
import numpy as np
import flywheel as fw
w = fw.Variable(np.ones((3, 4), np.float32), name="w")
{lines}
@fw.function({options})
def step(x, y):
    {body}
for _ in range(2):
    try:
        step(np.ones((2, 3), np.float32), {y})
    except (fw.InvalidArgumentError, ValueError) as error:
        print(error)
"""
    CASES: List[Tuple[str, str, str]] = [
        ("", "return fw.nn.sparse_softmax_cross_entropy(x @ w, y)", "np.array([1, 9], np.int32)"),
        ("check_numerics=True", "return x @ w / fw.sum(y)", "np.zeros(2, np.float32)"),
        ("", "return fw.take(w, y)", "np.array([7], np.int32)"),
        ("signature=[fw.spec(None, 3), fw.spec(None)]", "return x + y[:, None]", "np.zeros(3, np.float32)"),
        ("", "return fw.fori_loop(0, 2, lambda i, a: a + fw.sum(fw.take(w, y + i), 1), x[:, 0] * 0)",
         "np.array([2, 3], np.int32)"),
    ]  # fmt: skip
    environment = {**os.environ, "FLYWHEEL_CACHE": str(folder / "cache")}
    for place, (options, body, y) in enumerate(CASES):
        said = []
        for name, shift in (("here", 0), ("elsewhere", 5), ("here", 0)):
            path = folder / f"{name}{place}.py"
            path.write_text(BODY.format(lines="\n" * shift, options=options, body=body, y=y))
            done = subprocess.run(
                [sys.executable, str(path)], env=environment, capture_output=True, text=True, check=True
            )
            texts = set(done.stdout.splitlines())
            assert len(texts) == 1, (done.stdout, done.stderr)
            said.append(texts.pop())
            assert re.search(rf"{re.escape(str(path))}:{8 + shift}:\d+", said[-1]), (said[-1], path)
        assert said[0] == said[2]
        assert len(list((folder / "cache").glob("*.program"))) == place + 1, "one program serves both files"


run_tests([test_two_functions_of_one_process, test_two_checks_on_one_line,
           test_two_checks_on_one_line_again, test_two_processes_that_share])  # fmt: skip
