# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T9: each public function with wrong arguments, one at a time: what is raised is an error of this package, which says
what was expected, and never one of its insides."""

import inspect
import itertools
import linecache
import random
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

import flywheel as fw
from selection import choose, count

warnings.simplefilter("ignore")
package = str(Path(fw.__file__).parent)
draws = random.Random(7)
# Python's and nanobind's texts for arguments that they do not take, which are none of ours wherever they come from.
INSIDES = ("incompatible function arguments", "std::bad_cast", "nanobind", "has no attribute", "object is not iterable",
           "object is not subscriptable", "unsupported operand", "not supported between instances", "must be str",
           "cannot be interpreted as an integer", "argument must be a string or a", "invalid literal for int",
           "could not convert string to float", "object is not callable", "not all arguments converted",
           "has no len()", "Cannot interpret")  # fmt: skip
w = fw.Variable(np.ones((2, 3), np.float32), name="w")
scalar = fw.Variable(np.float32(2), name="scalar")
x, square = np.ones((2, 3), np.float32) / 2, np.eye(3, dtype=np.float32) + 0.1
image, kernel = np.ones((2, 6, 6, 3), np.float32), np.ones((3, 3, 3, 4), np.float32)


class Odd:
    """An object that no function takes."""


def double(a: Any, *_: Any) -> Any:
    return fw.sum(a * 2.0)


# Arguments that may be right: the first that a function takes is beside the wrong ones.
PLAUSIBLE: List[Any] = [x, 1, square, double, np.array([0, 1], np.int32), [x, x], (2, 3), 0.5, "float32", image, kernel,
                        np.ones(3, np.float32), "a", [w], True, fw.initializers.Zeros()]  # fmt: skip
WRONG: List[Tuple[str, Any]] = [
    ("None", None), ("a str", "a"), ("-1", -1), ("nan", float("nan")), ("[]", []),
    ("rank 5", np.ones((1,) * 5, np.float32)),
    ("strings", np.array(["a", "b"], object)), ("booleans", np.array([True, False])), ("ragged", [[1, 2], [3]]),
    ("an object", Odd()), ("a class", Odd), ("a dict", {"a": 1}), ("huge", 2**70), ("complex", 1j), ("1.5", 1.5),
]  # fmt: skip
# The number of them that each argument gets.
SAMPLED = count(5, len(WRONG))
# Not called: what reads and writes files, compiles, and what has no arguments to be wrong.
LEFT_OUT = {"fw.export", "fw.load", "fw.compile", "fw.lower", "fw.module_of", "fw.cost", "fw.data.load"}


def list_callables() -> Iterator[Tuple[str, Callable[..., Any]]]:
    for group in ("", "nn", "linalg", "random", "optimizers", "schedules", "initializers", "constraints", "clauses",
                  "data"):  # fmt: skip
        module = getattr(fw, group) if group else fw
        for name in module.__all__:
            full = f"fw.{group}.{name}" if group else f"fw.{name}"
            value = getattr(module, name)
            if full in LEFT_OUT or not callable(value) or isinstance(value, np.dtype):
                continue
            if isinstance(value, type) and issubclass(value, BaseException):
                continue
            yield full, value


def find_parameters(called: Callable[..., Any]) -> Optional[List[inspect.Parameter]]:
    try:
        return list(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):
        return None


def attempt(
    called: Callable[..., Any], args: List[Any], given: Dict[str, Any], traces: bool
) -> Optional[BaseException]:
    """Returns the exception of a call in a traced function; if the result is a function, it is called too."""

    def run() -> Any:
        made = called(*args, **given)
        if called in TRANSFORMS and callable(made):
            return made(fw.constant(x))
        return 0

    try:
        if traces:
            fw.function(run).trace()
        else:
            run()
    except Exception as error:
        return error
    return None


TRANSFORMS = (fw.grad, fw.value_and_grad, fw.jacobian, fw.hessian, fw.vmap, fw.custom_vjp)


def complain(error: BaseException) -> Optional[str]:
    """Returns the error of a text; nothing for an exception that is ours."""
    if isinstance(error, fw.CompileError):
        return None
    text = str(error)
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if last.filename == __file__:
        return None
    inside = last.filename.startswith(package)
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    twice = re.match(r"(?:[\w.]+: )?'?([\w.]+)'?(?:\(\))?:? '?\1'?(?:\(\))?[: ]", text)
    if twice:
        return f"'{twice.group(1)}' twice in {text.splitlines()[0][:150]!r}"
    for odd in INSIDES:
        if odd in text:
            return f"'{odd}' in {text.splitlines()[0][:150]!r} at {Path(last.filename).name}:{last.lineno}"
    if isinstance(error, (AttributeError, KeyError, IndexError, AssertionError, RecursionError, SystemError)):
        if inside and line.startswith("raise"):
            return None
        return f"{type(error).__name__} {text[:150]!r} at {Path(last.filename).name}:{last.lineno}: {line}"
    return None


def base_call(called: Callable[..., Any], parameters: List[inspect.Parameter], traces: bool) -> Optional[List[Any]]:
    """Arguments for the parameters that have no default."""
    count = len([p for p in parameters if p.default is p.empty
                 and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)])  # fmt: skip
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        count = max(count, 1)
    most = {0: 1, 1: 16, 2: 48, 3: 48}.get(count, 16)
    for args in itertools.islice(itertools.product(PLAUSIBLE, repeat=count), most):
        if attempt(called, list(args), {}, traces) is None:
            return list(args)
    return None


def sweep() -> Tuple[int, List[str]]:
    done, found = 0, []
    for name, called in choose("functions", list(list_callables()), 0.4):
        parameters = find_parameters(called)
        if parameters is None:
            continue
        traces = not isinstance(called, type)
        base = base_call(called, parameters, traces)
        slots: List[Any] = list(range(len(base or [])))
        slots += [p.name for p in parameters if p.default is not p.empty and p.name != "name"]
        if base is None:
            base = [draws.choice(PLAUSIBLE) for p in parameters if p.default is p.empty
                    and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
            slots += list(range(len(base)))
        for slot in slots:
            for label, value in sorted(draws.sample(WRONG, SAMPLED), key=lambda one: one[0]):
                args, given = list(base), {}
                if isinstance(slot, int):
                    args[slot] = value
                else:
                    given[slot] = value
                done += 1
                error = attempt(called, args, given, traces)
                complaint = None if error is None else complain(error)
                if complaint:
                    found.append(f"{name}({slot}={label}): {complaint}")
    return done, found


if __name__ == "__main__":
    start = time.monotonic()
    done, found = sweep()
    print(f"{done} calls in {time.monotonic() - start:.1f} s, {len(found)} that say something of insides")
    if "--count" in sys.argv:
        print(*Counter(line.split(": ", 1)[1][:110] for line in found).most_common(), sep="\n")
    assert not found, "\n".join(found[:50])
    assert done > 1000, done
