# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t %cc -std=c11 -I%src_root/include -- %runtime_libs
"""P14, I7: Python and the C program of an object go on from each other's checkpoints, bit by bit: variables, slots,
counters, averages, master weights, loss scales and streams of random numbers, for every optimizer."""

import inspect
import json
import os
import struct
import subprocess
import sys
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

FOLDER, ARGUMENTS = sys.argv[1], sys.argv[2:]
CC, LIBRARIES = ARGUMENTS[: ARGUMENTS.index("--")], ARGUMENTS[ARGUMENTS.index("--") + 1 :]
X = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)

# Restores FROM, makes COUNT calls of each entry, saves to TO.
MAIN = """
#include <flywheel/flywheel.h>
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
static const float x[] = {%s};
static int fail(model_state *s) {
  puts(flywheel_last_error(model_model(), s));
  return 1;
}
int main(int argc, char **argv) {
  model_state *s = aligned_alloc(MODEL_STATE_ALIGN, MODEL_STATE_BYTES);
  float loss;
  if (argc != 4) return 2;
  if (model_restore(s, argv[1])) return fail(s);
  for (int i = 0; i < atoi(argv[2]); ++i) {
%s
  }
  if (model_save(s, argv[3])) return fail(s);
  free(s);
  return 0;
}
"""
CALL = "    if (model_%s(s, x, &loss)) return fail(s);\n"

Functions = List[Any]


def read(path: str) -> Dict[str, Any]:
    """The tensors of a checkpoint as types, shapes and bytes, and its metadata."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    found = json.loads(data[8 : 8 + size])
    streams = json.loads(found.pop("__metadata__")["flywheel_streams"])
    tensors = {name: (one["dtype"], one["shape"], data[8 + size :][slice(*one["data_offsets"])])
               for name, one in found.items()}  # fmt: skip
    return {**tensors, "streams": streams}


failures: List[str] = []


def compare(found: str, wanted: str, case: str) -> None:
    one, other = read(found), read(wanted)
    if set(one) != set(other):
        failures.append(f"{case}: the names {set(one) ^ set(other)} are in one of both")
    failures.extend(f"{case}: '{name}' is {one[name]}, expected {other[name]}"
                    for name in one if name in other and one[name] != other[name])  # fmt: skip


def report() -> None:
    found, failures[:] = list(failures), []
    assert not found, "\n".join(found)


def check(name: str, functions: Functions, count: int = 3) -> None:
    """Runs a program in Python and in C from each other's checkpoints."""
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder)
    paths = {step: os.path.join(folder, step) for step in ("first", "second", "third", "by_c", "again", "main")}

    def run() -> None:
        for _ in range(count):
            for function in functions:
                function(X)

    run()
    fw.save(paths["first"])
    run()
    fw.save(paths["second"])
    run()
    fw.save(paths["third"])
    fw.export([function.trace(X) for function in functions], os.path.join(folder, "model.o"))
    calls = "".join(CALL % function.entry_name for function in functions)
    with open(paths["main"] + ".c", "w") as file:
        file.write(MAIN % (", ".join(map(str, map(float, X.reshape(-1)))), calls))
    subprocess.run([*CC, paths["main"] + ".c", os.path.join(folder, "model.o"), *LIBRARIES, "-o", paths["main"]],
                   check=True)  # fmt: skip
    subprocess.run([paths["main"], paths["first"], str(count), paths["by_c"]], check=True)
    compare(paths["by_c"], paths["second"], f"{name}: Python, then C")
    fw.restore(paths["by_c"])
    run()
    fw.save(paths["again"])
    compare(paths["again"], paths["third"], f"{name}: C, then Python")


def loss_of(w: Any, b: Any, x: Any) -> Any:
    return fw.mean((fw.nn.dropout(x, 0.5) @ fw.cast(w, np.float32) + fw.random.uniform((4,)) - b) ** 2)


def variables(dtype: Any = np.float32) -> Tuple[fw.Variable, fw.Variable]:
    w = np.random.default_rng(2).normal(size=(3, 4)).astype(dtype)
    return fw.Variable(w, name="w"), fw.Variable(np.ones(4, np.float32), name="b")


def make_optimizers() -> Dict[str, Callable[[], Any]]:
    """Each class with its defaults, and with each of its flags."""
    found: Dict[str, Callable[[], Any]] = {}
    for name in fw.optimizers.__all__:
        kind = getattr(fw.optimizers, name)
        if kind is fw.optimizers.Optimizer:
            continue
        parameters = inspect.signature(kind).parameters
        forms: List[Dict[str, Any]] = [{}, *[{flag: True} for flag, p in parameters.items() if p.default is False]]
        forms += [{flag: 0.5} for flag in ("momentum", "decay") if flag in parameters and parameters[flag].default == 0]
        for form in forms:
            found["-".join([name, *form])] = lambda kind=kind, form=form: kind(lr=0.01, **form)  # type: ignore[misc]
    return found


def test_optimizers() -> None:
    made = make_optimizers()
    assert len({name.partition("-")[0] for name in made}) == 21, sorted(made)
    for name, make in made.items():
        with fw.Namespace(), fw.Store(seed=5):
            w, b = variables()
            optimizer = make()

            def step(x: Any) -> Any:
                loss = loss_of(w, b, x)  # noqa: B023
                optimizer.minimize(loss)  # noqa: B023
                return loss

            check(name, [fw.function(step, threads=1)])
    report()


def make_clauses() -> Dict[str, Callable[[], Functions]]:
    """Programs with more state than one optimizer has."""

    def plain(dtype: Any = np.float32, make: Any = lambda: fw.optimizers.Adam(0.01), **clauses: Any) -> Functions:
        w, b = variables(dtype)
        optimizer = make()

        def step(x: Any) -> Any:
            loss = loss_of(w, b, x)
            optimizer.minimize(loss, **clauses)
            return loss

        return [fw.function(step, threads=1)]

    def two(first: Any, second: Any) -> Functions:
        """Two optimizers of the same variables, in two functions that draw."""
        w, b = variables()

        def learn(x: Any) -> Any:
            loss = loss_of(w, b, x)
            first.minimize(loss)
            return loss

        def tune(x: Any) -> Any:
            loss = loss_of(w, b, x)
            second.minimize(loss, [w])
            return loss

        return [fw.function(learn, threads=1), fw.function(tune, threads=1)]

    def averaged(dtype: Any = np.float32, **options: Any) -> Functions:
        w, b = variables(dtype)
        optimizer, count = fw.optimizers.SGD(0.1, momentum=0.9), fw.Variable(np.int64(0), name="count")
        averages = [fw.ExponentialMovingAverage(0.9, **options), fw.ExponentialMovingAverage(0.5, count, name="fast")]

        def step(x: Any) -> Any:
            loss = loss_of(w, b, x)
            optimizer.minimize(loss, global_step=count)
            for average in averages:
                average.apply([w, b])
            return loss

        return [fw.function(step, threads=1)]

    def moving() -> Functions:
        w, b = variables()
        mean = fw.Variable(np.zeros(4, np.float32), name="mean", trainable=False)

        def step(x: Any) -> Any:
            return fw.sum(mean.moving_average(fw.random.normal((4,)) + b, 0.9, zero_debias=True)) + fw.sum(x @ w)

        return [fw.function(step, threads=1)]

    def set_before() -> Functions:
        optimizer = fw.optimizers.SGD(0.1, momentum=0.5)
        optimizer.lr.set(0.03)
        optimizer.momentum.set(0.75)
        optimizer.iterations.set(7)
        return plain(make=lambda: optimizer)

    sgd, adam = fw.optimizers.SGD, fw.optimizers.Adam
    rates = [fw.schedules.CosineRate(peak=0.1, steps=8), fw.schedules.PiecewiseRate([2, 4], [0.1, 0.05, 0.01]),
             fw.schedules.ExponentialRate(0.1, 0.5, 3)]  # fmt: skip
    found: Dict[str, Callable[[], Functions]] = {
        "two-Adam": lambda: two(adam(0.01), adam(0.1)), "two-named": lambda: two(adam(0.01, name="a"), sgd(name="a")),
        "two-Adadelta": lambda: two(fw.optimizers.Adadelta(), fw.optimizers.Adadelta()),
        "averages": averaged, "averages-f16": lambda: averaged(np.float16),
        "averages-debias": lambda: averaged(zero_debias=True), "moving": moving, "set-before": set_before,
        "masters": lambda: plain(np.float16, master_weights=True),
        "masters-sgd": lambda: plain(np.float16, lambda: sgd(0.1, momentum=0.9), master_weights=True, loss_scale=8.0),
        "loss-scale": lambda: plain(np.float16, loss_scale=fw.clauses.LossScale(initial=4.0, growth_interval=2)),
        "accumulate": lambda: plain(accumulate=2), "f64": lambda: plain(np.float64),
        "clauses": lambda: plain(l2=0.1, weight_decay=0.01, clip_global_norm=1.0),
    }  # fmt: skip
    found.update({f"rate-{type(rate).__name__}": lambda rate=rate: plain(schedule=rate)  # type: ignore[misc]
                  for rate in rates})  # fmt: skip
    return found


def test_clauses() -> None:
    for name, make in make_clauses().items():
        with fw.Namespace(), fw.Store(seed=5):
            check(name, make())
    report()


def test_streams() -> None:
    """A stream has one name wherever it is used, and different functions have different streams."""
    with fw.Namespace(), fw.Store(seed=3) as store:
        def draw(x: Any) -> Any:
            return fw.sum(fw.random.uniform((4,)) * x[0, 0])

        first, second = fw.function(draw, name="first", threads=1), fw.function(draw, name="second", threads=1)
        check("streams", [first, second])
        report()
        assert {"first/random", "second/random"} <= set(store.names), store.names
        assert first(X) != second(X)
        # The same function for two sizes is one object, with one stream.
        path = os.path.join(FOLDER, "sizes.o")
        fw.export([first.trace(X)], path)
        with open(path[:-2] + ".json") as file:
            assert '"first/random"' in file.read()


run_tests([test_streams, test_optimizers, test_clauses])
