# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T9: each public class and function of the compiled module with wrong arguments: errors are in the package's words,
and have the name of what was called once."""

import re
import warnings
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel import _flywheel

warnings.simplefilter("ignore")
untyped: Any = fw
NOTHING = object()
WRONG: List[Tuple[Any, ...]] = [(), (3,), (2**70,), ("x",), (b"x",), (None,), (object(),), ([],), ([object()],), ({},),
                                (np.zeros(2),), (1.5,), (len,), (1, 2, 3, 4, 5, 6, 7, 8, 9)]  # fmt: skip
# Words of nanobind, and of Python for code that a user does not see.
INSIDES = re.compile(r"incompatible function arg|nanobind|constructor|std::|_flywheel\b|__init__|__nb_|no attribute|"
                     r"object is not iterable|collections\.abc|bad_cast|NoneType' object|weak reference")  # fmt: skip
TWICE = re.compile(r"(?:^|\n)(\w+)(\(\))?: \1\b")
module = fw.parse("func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }")
program = fw.compile(module)
session = fw.Session(program)
w = fw.Variable(1.0, name="w")


def list_callables() -> Iterator[Tuple[str, Callable[..., Any]]]:
    for name in sorted(set(dir(fw)) & set(dir(_flywheel))):
        value = getattr(fw, name)
        if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException)):
            yield name, value
    objects: Dict[str, Any] = {"session": session, "program": program, "module": module, "store": fw.current_store(),
                               "entry": program.entries[0]}  # fmt: skip
    for label, one in objects.items():
        for name in dir(one):
            if not name.startswith("_") and callable(getattr(one, name)) and name not in ("save", "save_step"):
                yield f"{label}.{name}", getattr(one, name)


def complaints(label: str, call: Callable[[], Any]) -> Iterator[str]:
    try:
        call()
    except Exception as error:
        text = str(error)
        if INSIDES.search(text) or TWICE.search(text):
            yield f"{label}: {type(error).__name__}: {text}"


def test_calls() -> None:
    names: List[str] = []
    found: List[str] = []
    for name, value in list_callables():
        names.append(name)
        for args in WRONG:
            label = f"{name}({', '.join(type(one).__name__ for one in args)})"
            found += complaints(label, lambda value=value, args=args: value(*args))  # type: ignore[misc]
        found += complaints(f"{name}(odd=1)", lambda value=value: value(odd=1))  # type: ignore[misc]
    assert not found, "\n".join(found)
    assert {"Session", "DeviceArray", "Program", "lower", "session.run", "store.reset"} <= set(names), names


def message(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("expected an error")


def test_words() -> None:
    expected: Dict[str, Callable[[], Any]] = {
        "Session() takes (program, *, share = None, soft_placement: bool = False), found ()": untyped.Session,
        "DeviceArray() takes (shape: list, dtype = 'float32'), found (int)": lambda: untyped.DeviceArray(3),
        "'Program' objects are not made by a call of their class: `flywheel.compile` makes one of a module":
            untyped.Program,
        "lower() takes (module: ModuleOp, *, stop_after: str, lowering = None), found (int)": lambda: untyped.lower(3),
        "Variable has no argument 'initializer'; did you mean 'initial_value'?":
            lambda: untyped.Variable(initializer=fw.initializers.Zeros(), shape=(2,)),
        "Variable has no argument 'trainabel'; did you mean 'trainable'?": lambda: untyped.Variable(1.0, trainabel=1),
    }  # fmt: skip
    for text, call in expected.items():
        found = message(call)
        assert found == text, found


def test_memory_budgets() -> None:
    """All functions that compile take the same texts."""
    text = str(module)
    function = fw.function(lambda x: x * w, signature=[fw.spec(2)])
    calls: Dict[str, Callable[[Any], Any]] = {
        "compile": lambda budget: fw.compile(text, memory_budget=budget),
        "function": lambda budget: fw.function(lambda x: x, memory_budget=budget),
        "export": lambda budget: fw.export(function, "/nowhere/m.o", memory_budget=budget),
    }
    for name, call in calls.items():
        for budget in ("1MiB", "64 KiB", "4096", 4096, np.int64(4096), None):
            try:
                call(budget)
            except OSError as error:
                # The budget is read before the file is written.
                assert name == "export", error
        for budget in ("1mb", "x", -1, True, 1.5, [1]):
            found = message(lambda call=call, budget=budget: call(budget))  # type: ignore[misc]
            wanted = f"expected a number of bytes, such as 65536 or '2MiB', as memory_budget, found {budget!r}"
            assert found.endswith(wanted), (name, found)


if __name__ == "__main__":
    run_tests([test_calls, test_words, test_memory_budgets])
