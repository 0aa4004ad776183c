# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Options of functions: budgets of memory, which change no bits (T10), and errors that name the option."""

import json
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel as fw
from configurations import run_tests

Array = NDArray[Any]


class Chain:
    """Layers whose activations the backward part of a step needs."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        self.weights = [fw.Variable((rng.standard_normal((32, 32)) / 8).astype(np.float32)) for _ in range(12)]
        self.optimizer = fw.optimizers.SGD(0.1)

    def loss(self, x: fw.Tensor) -> fw.Tensor:
        for weight in self.weights:
            x = fw.tanh(x @ weight)
        loss = fw.mean(fw.square(x))
        self.optimizer.minimize(loss, self.weights)
        return loss


def train(budget: Optional[int], threads: int = 1) -> Tuple[int, List[Array]]:
    """The workspace, and losses and weights after three steps."""
    with fw.Store(), fw.Namespace():
        chain = Chain()
        step = fw.function(chain.loss, memory_budget=budget, threads=threads)
        x = np.random.default_rng(4).standard_normal((256, 32)).astype(np.float32)
        losses = [step(x) for _ in range(3)]
        entry = step.trace(x).program.entries[0]
        return entry.workspace_bytes(), [*losses, *(weight.numpy() for weight in chain.weights)]


def expect(kind: type, text: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except Exception as error:
        assert type(error) is kind and text in str(error), repr(error)
    else:
        raise AssertionError(f"expected an error: {text}")


with warnings.catch_warnings():
    warnings.simplefilter("ignore", fw.CompileRemark)
    whole, expected = train(None)
    budget = whole * 2 // 3
    small, actual = train(budget)
    assert small <= budget < whole, (small, budget, whole)
    assert all(np.array_equal(a, b) for a, b in zip(expected, actual)), "a budget changes no bits"
    # Two workers need more beside it, and are within it or one.
    both = train(None, threads=2)[0]
    assert both > whole, (both, whole)
    for part in (0.9, 0.7, 0.55, 0.4):
        shared, actual = train(int(both * part), threads=2)
        assert shared <= int(both * part), (shared, part)
        assert all(np.array_equal(a, b) for a, b in zip(expected, actual)), "a budget of two threads changes no bits"
    # The program without a budget is another one: neither is taken for the other.
    assert train(None)[0] == whole

    # A method has the options of its function, and an object file too.
    class Model(Chain):
        @fw.function(memory_budget=budget)
        def step(self, x: fw.Tensor) -> fw.Tensor:
            return self.loss(x)

    model, x = Model(), np.ones((256, 32), np.float32)
    assert model.step.trace(x).program.entries[0].workspace_bytes() <= budget
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    model.step.export(folder / "own.o", x)
    fw.export(model.step.trace(x), folder / "given.o")
    free = fw.function(model.loss, name="step")
    fw.export(free.trace(x), folder / "whole.o")
    fw.export(free.trace(x), folder / "small.o", memory_budget=budget)

    def exported(name: str) -> int:
        (entry,) = [e for e in json.loads((folder / f"{name}.json").read_text())["entries"] if e["name"] == "step"]
        return int(entry["workspace_bytes"])

    assert exported("own") == exported("given") == exported("small") <= budget < exported("whole")
    # And the other options; functions that are exported together have the same ones.
    team = fw.function(model.loss, name="step", threads=2)
    team.export(folder / "team.o", x)
    assert "flywheel_team" in (folder / "team.h").read_text()
    assert "flywheel_team" not in (folder / "whole.h").read_text()
    checked = fw.function(model.loss, name="step", check_numerics=True)
    checked.export(folder / "checked.o", x)
    assert "NaN" in (folder / "checked.json").read_text() and "NaN" not in (folder / "whole.json").read_text()

    def more(v: fw.Tensor) -> fw.Tensor:
        return v + 1

    fw.function(more, name="f", target="cuda:sm_90a").export(folder / "gpu.o", x)
    fw.function(more, name="f").export(folder / "given-gpu.o", x, target="cuda:sm_90a")
    for name in ("gpu", "given-gpu"):
        assert "to_host" in (folder / f"{name}.h").read_text(), "expected an object for a GPU"
    expect(ValueError, "expected functions with one threads to be exported together, found 2 of 'step",
           lambda: fw.export([team.trace(x), model.step.trace(x)], folder / "both.o"))  # fmt: skip
    # As of Python's open(). Nothing is written then.
    for path, kind, text in ((folder / "none" / "x.o", FileNotFoundError, "No such file or directory"),
                             (folder, IsADirectoryError, "Is a directory")):  # fmt: skip
        try:
            free.export(path, x)
        except kind as error:
            assert error.filename.startswith(str(path)[:-1]) and text in str(error) and error.errno, error
        else:
            raise AssertionError(f"expected a {kind.__name__}")
    # No output is written over another one.
    for name in ("x.h", "x.json"):
        expect(ValueError, "the object file, the header and the manifest need different paths",
               lambda: free.export(folder / name, x))  # fmt: skip
        assert not (folder / name).exists()

    # One that cannot be reached is an error of the call, which changes nothing.
    tight = fw.function(model.loss, memory_budget=64)
    expect(fw.CompileError, "more than the memory budget of 64 bytes", lambda: tight(x))


def test_wrong_value_of_an_option() -> None:
    # A wrong value of an option is an error that names the option.
    text = "module { func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n}"
    for name, wrong, expected_text in [
        ("winograd", "yes", "expected True or False as winograd, found 'yes'"),
        ("check_numerics", 1, "expected True or False as check_numerics, found 1"),
        (
            "memory_budget",
            "lots",
            "expected a number of bytes, such as 65536 or '2MiB', as memory_budget, found 'lots'",
        ),
        ("memory_budget", True, "expected a number of bytes, such as 65536 or '2MiB', as memory_budget, found True"),
        ("threads", "2", "expected a number of threads as threads, found '2'"),
        ("threads", 1.0, "expected a number of threads as threads, found 1.0"),
        ("target", 80, "expected a string such as 'cuda:sm_90a' as target, found 80"),
        ("winograd", None, "expected True or False as winograd, found None"),
        ("threads", np.array([1, 2]), "expected a number of threads as threads, found array([1, 2])"),
        ("threads", np.array(1.5), "expected a number of threads as threads, found array(1.5)"),
    ]:
        options: Any = {name: wrong}
        expect(TypeError, expected_text, lambda: fw.function(lambda v: v, **options))
        expect(TypeError, expected_text, lambda: fw.compile(text, **options))
    word: Any = "on"
    number: Any = 3
    expect(TypeError, "expected 0 to 3 as opt_level, found 'on'", lambda: fw.compile(text, opt_level=word))
    expect(TypeError, "expected True or False as profile, found 'on'", lambda: fw.compile(text, profile=word))
    for call in (
        lambda **options: fw.compile(text, **options),
        lambda **options: fw.function(lambda v: v + 1, **options)(np.ones(3, np.float32)),
    ):
        expect(ValueError, "threads: expected a whole number from 1 to 256, found 0", lambda: call(threads=0))
        expect(ValueError, "threads: expected a whole number from 1 to 256, found 257", lambda: call(threads=257))
        expect(ValueError, "expected a number of bytes, such as 65536 or '2MiB', as memory_budget, found -1",
               lambda: call(memory_budget=-1))  # fmt: skip
    for name, wrong, expected_text in [
        ("cpu", 3, "expected a string such as 'x86-64-v3' as cpu, found 3"),
        ("features", 3, "expected a string such as '+avx2,-fma' as features, found 3"),
        ("lowering", 3, "expected 'optimized' or 'reference' as lowering, found 3"),
        ("model_name", 3, "expected a string as model_name, found 3"),
        ("entries", "f", "expected a list of strings as entries, found 'f'"),
        ("entries", None, "expected a list of strings as entries, found None"),
        ("max_dim_size", "8", "expected a number, or a dict from sizes to numbers, as max_dim_size, found '8'"),
        ("max_dim_size", True, "as max_dim_size, found True"),
        ("max_dim_size", {"batch": "a"}, "expected a number as max_dim_size['batch'], found 'a'"),
        ("max_dim_size", {1: 2}, "expected the name of a size as a key of max_dim_size, found 1"),
    ]:
        options = {name: wrong}
        expect(TypeError, expected_text, lambda: fw.compile(text, **options))
    wrong_bindings: Any = {"batch": "a"}
    expect(
        TypeError, "expected a number as bindings['batch'], found 'a'", lambda: fw.cost(text, bindings=wrong_bindings)
    )
    expect(TypeError, "expected a module, its text or a path as source, found 3", lambda: fw.compile(number))
    for name, wrong, expected_text in [
        ("results", [1], "expected a list of strings as results, found [1]"),
        ("results", "a", "expected a list of strings as results, found 'a'"),
        ("results", (n for n in ["a"]), "expected a list of strings as results, found <generator"),
        ("signature", "a", "expected a list of flywheel.spec as signature, found 'a'"),
        ("name", 3, "expected a string as name, found 3"),
        ("static", None, "expected names of parameters, or their numbers, as static, found None"),
    ]:
        options = {name: wrong}
        expect(TypeError, expected_text, lambda: fw.function(lambda v: v, **options))
    whole_function: Any = fw.function(lambda v: v)
    for name, wrong, expected_text in [
        ("cpu", 3, "expected a string such as 'x86-64-v3' as cpu, found 3"),
        ("max_dim_sizes", {"batch": "a"}, "expected a number as max_dim_sizes['batch'], found 'a'"),
        ("max_dim_sizes", "zz", "expected a dict from sizes to numbers as max_dim_sizes, found 'zz'"),
    ]:
        options = {name: wrong}
        expect(TypeError, expected_text, lambda: whole_function.export("none.o", np.ones(3, np.float32), **options))
    for huge in (10**20, 2**63):
        expect(ValueError, f"memory_budget, found {huge}, which has more than 64 bits",
               lambda: fw.compile(text, memory_budget=huge))  # fmt: skip
    assert fw.compile(text, threads=np.int64(1), winograd=True).entries[0].name == "f"
    for bounds in (np.int32(64), 64, {"batch": np.int64(3)}, {}, None):
        assert fw.compile(text.replace("4x", "?x"), max_dim_size=bounds).entries[0].name == "f"
    expect(ValueError, "max_dim_size: expected a bound within [1, 16777216], found 0",
           lambda: fw.compile(text, max_dim_size=0))  # fmt: skip


run_tests([test_wrong_value_of_an_option])
