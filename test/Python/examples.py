# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %src_root
"""The examples in Python compute what those in MLIR do (T9): losses and weights of some steps."""

import importlib.util
import os
import sys
from typing import Any, List, Tuple

import numpy as np

import flywheel as fw

root = os.path.join(sys.argv[1], "examples")


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, os.path.join(root, name, f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(name: str) -> str:
    with open(os.path.join(root, name, f"{name}.mlir")) as file:
        return file.read()


def compare(
    source: str, model: fw.Module, ours: List[Any], entries: List[str], feeds: List[Tuple[Any, ...]], exact: bool
) -> None:
    """Steps of `ours` beside those of the module, from its initial values; then what the last of them says, and all
    weights, slots and numbers of optimizers."""
    theirs = fw.Session(fw.compile(source))
    theirs.initialize(seed=11)
    # Weights are in one order; slots and numbers follow them.
    named = dict(zip(theirs.variables, model.variables()))
    with fw.Store(seed=11) as store:
        # The streams of a module of MLIR are its own, those of Python the function's.
        for stream in [name for name in theirs.variables if name.startswith("random")]:
            store.declare(f"{entries[0]}/{stream}", "int64", [2])
            store[f"{entries[0]}/{stream}"] = theirs[stream]
        for name, variable in named.items():
            variable.set(theirs[name])
        for feed in feeds:
            for function, entry in zip(ours, entries):
                expected, found = theirs.run(entry, *feed), function(*feed)
                for a, b in zip(np.atleast_1d(expected), np.atleast_1d(found)):
                    np.testing.assert_allclose(b, a, 0 if exact else 1e-4, 0 if exact else 1e-5, err_msg=entry)
        count = 0
        for name in theirs.variables:
            if not name.startswith("random"):
                owner = max((w for w in named if name == w or name.startswith(f"{w}/")), key=len, default="")
                own = named[owner].name + name.removeprefix(owner) if owner else name
                np.testing.assert_allclose(
                    store[own], theirs[name], 0 if exact else 2e-3, 0 if exact else 1e-5, err_msg=name
                )
                count += 1
        assert count > 2 * len(named)


rng = np.random.default_rng(2)
sizes = (64, 64, 29)
digits = [(rng.integers(0, 17, (n, 64)).astype(np.float32), rng.integers(0, 10, n).astype(np.int32)) for n in sizes]
with fw.Namespace():
    module = load("digits")
    compare(text_of("digits"), module.model, [module.train_step, module.evaluate], ["train_step", "eval"],
            digits, exact=True)  # fmt: skip
with fw.Namespace():
    module = load("lenet")
    compare(text_of("lenet"), module.model, [module.train_step, module.evaluate], ["train_step", "eval"],
            digits, exact=False)  # fmt: skip
# A function that MLIR calls twice draws twice from one stream: without dropout both compute the same.
plain = text_of("transformer").replace("rate 2.0e-1", "rate 0.0")
texts = [tuple(rng.integers(0, 96, (n, 64)).astype(np.int32) for _ in range(2)) for n in (4, 4, 2)]
with fw.Namespace():
    module = load("transformer")
    compare(plain, module.model, [module.train_step_with(0.0), module.evaluate], ["train_step", "eval"],
            texts, exact=False)  # fmt: skip
    # It writes beyond its context, by two programs.
    text = module.sample([1, 2, 3], 90)
    assert len(text) == 93 and all(0 <= c < 96 for c in text)
    assert len(module.begin._traces) == 1 and len(module.go_on._traces) == 1
