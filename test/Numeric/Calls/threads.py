# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_NUM_THREADS=4 %python %s %src_root
"""T12: sessions whose steps several threads execute: the same bits for any number of them."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import threading
from typing import List

import numpy as np

import flywheel

ROOT = sys.argv[1]
TEAM = os.path.join(ROOT, "test", "Integration", "Inputs", "team.mlir")
X = np.arange(8, dtype=np.float32)

# Two layers, large enough to be shared, with an optimizer.
MLP = """
module @mlp {
  train.variable @w1 : tensor<256x512xf32> = #train.glorot_uniform
  train.variable @b1 : tensor<512xf32> = #train.zeros
  train.variable @w2 : tensor<512x10xf32> = #train.glorot_uniform
  train.variable @b2 : tensor<10xf32> = #train.zeros
  func.func @step(%x: tensor<?x256xf32>, %label: tensor<?xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<256x512xf32>
    %b1 = train.read @b1 : tensor<512xf32>
    %w2 = train.read @w2 : tensor<512x10xf32>
    %b2 = train.read @b2 : tensor<10xf32>
    %a = nn.dense %x, %w1, %b1
        : (tensor<?x256xf32>, tensor<256x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
    %h = nn.relu %a : tensor<?x512xf32>
    %y = nn.dense %h, %w2, %b2
        : (tensor<?x512xf32>, tensor<512x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %loss = nn.sparse_softmax_cross_entropy %y, %label
        : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<f32>
    train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.05, momentum = 0.9>
    return %loss : tensor<f32>
  }
}
"""


def check_team() -> None:
    """The step of the module has two workers, whatever the limit of the process."""
    program = flywheel.compile(TEAM, threads=2)
    assert program.threads == 2
    session = flywheel.Session(program)
    assert session.threads == 2
    session.initialize()
    for call in range(1, 600):
        # Any call may have another number of threads.
        session.threads = 1 + call % 2
        assert session.threads == 1 + call % 2
        expected = 2 * X[::-1] * call + call
        np.testing.assert_array_equal(session.run("mirror", X * call), expected)
    assert session.run("alone", X + 3) == 3
    for wrong in (0, 3, -1):
        try:
            session.threads = wrong
        except flywheel.InvalidArgumentError as error:
            assert str(error) == (f"expected 1 to 2 threads, which model 'team' is compiled for, found {wrong}"), error
        else:
            raise AssertionError(f"{wrong} threads")
    assert session.threads == 2
    try:
        session.run("mirror", X - 1)
    except flywheel.InvalidArgumentError as error:
        assert str(error) == "x[0] must not be negative", error
    else:
        raise AssertionError("a negative x")


def check_windows() -> None:
    """Gradients by images of few channels, whose sums are made of lanes, and depthwise ones."""
    rng = np.random.default_rng(3)
    for image, window in (((1, 28, 28, 1), (5, 5, 1, 32)), ((2, 19, 19, 1), (3, 3, 1, 40)),
                          ((1, 28, 28, 3), (3, 3, 3, 32)), ((2, 28, 28, 40), (3, 3, 1, 40))):  # fmt: skip
        output = (*image[:3], window[3])
        y, w, x = (f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in (output, window, image))
        text = (f"func.func @f(%y: {y}, %w: {w}) -> {x} {{\n"
                f"  %x = nn.conv2d_transpose %y, %w padding same : ({y}, {w}) -> {x}\n  return %x : {x}\n}}\n")
        arrays = [rng.standard_normal(shape).astype(np.float32) for shape in (output, window)]
        results = []
        for threads in (1, 2, 3, 4):
            session = flywheel.Session(flywheel.compile(text, threads=threads, min_shared_work=0))
            session.initialize()
            results.append(np.asarray(session.run("f", *arrays)))
        for found in results[1:]:
            np.testing.assert_array_equal(found, results[0])


def check_last_columns() -> None:
    """Sums of columns whose last block would be a single one (T12)."""
    rng = np.random.default_rng(4)
    for rows, columns in ((300, 129), (600, 257), (333, 385), (1000, 17)):
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        w = rng.standard_normal((columns, columns)).astype(np.float32)
        v = rng.standard_normal(rows).astype(np.float32)
        results: List[List[np.ndarray]] = []
        for threads in (1, 2, 16):

            @flywheel.function(threads=threads)
            def sums(x, w, v):  # type: ignore[no-untyped-def]
                narrow = flywheel.sum(flywheel.cast(x, np.float16), axis=0)
                return flywheel.mean(x @ w, axis=0), v @ x, flywheel.sum(flywheel.exp(x), axis=0), narrow

            results.append([np.asarray(one) for one in sums(x, w, v)])
        for found in results[1:]:
            for one, expected in zip(found, results[0]):
                np.testing.assert_array_equal(one, expected)


def check_sessions_at_once() -> None:
    """Sessions that run at the same time share the threads."""
    program = flywheel.compile(TEAM, threads=2)
    failures: List[str] = []

    def work() -> None:
        session = flywheel.Session(program)
        session.initialize()
        for call in range(1, 500):
            result = session.run("mirror", X * call)
            if not np.array_equal(result, 2 * X[::-1] * call + call):
                failures.append(f"call {call}: {result}")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[:3]


def check_options() -> None:
    """A wrong number of threads is refused, and the environment has a default."""
    for wrong in (0, -2, 257):
        try:
            flywheel.compile(TEAM, threads=wrong)
        except ValueError as error:
            assert str(error) == f"compile: threads: expected a whole number from 1 to 256, found {wrong}", error
        else:
            raise AssertionError(f"{wrong} threads")
    assert flywheel.compile(TEAM).threads == 4
    code = "import flywheel, sys; assert flywheel.compile(sys.argv[1]).threads == int(sys.argv[2])"
    without = {name: value for name, value in os.environ.items() if name != "FLYWHEEL_NUM_THREADS"}
    quota = pathlib.Path("/sys/fs/cgroup/cpu.max")  # A container's own group.
    limits = quota.read_text().split() if quota.exists() else ["max"]
    most = 256 if limits[0] == "max" else max(1, int(limits[0]) // int(limits[1]))
    for allowed in (1, 2):
        cores = set(sorted(os.sched_getaffinity(0))[:allowed])
        subprocess.run([sys.executable, "-c", code, MLP, str(min(len(cores), most))], check=True, env=without,
                       preexec_fn=functools.partial(os.sched_setaffinity, 0, cores))  # fmt: skip
    assert flywheel.compile(MLP, threads=1).threads == 1
    code = "import flywheel, sys; flywheel.compile(sys.argv[1])"
    result = subprocess.run(
        [sys.executable, "-c", code, TEAM],
        check=False,
        capture_output=True,
        env=dict(os.environ, FLYWHEEL_NUM_THREADS="many"),
        text=True,
    )
    message = "ValueError: compile: expected a number from 1 to 256 as FLYWHEEL_NUM_THREADS, found 'many'"
    assert message in result.stderr, result.stderr


def check_bits() -> None:
    """A whole training has the same bits with 1, 2, 3 and 4 threads."""
    generator = np.random.default_rng(1)
    x = generator.standard_normal((96, 256), dtype=np.float32)
    t = generator.integers(0, 10, 96, dtype=np.int32)
    found = []
    for threads in (1, 2, 3, 4):
        program = flywheel.compile(MLP, threads=threads)
        entries = {entry["name"]: entry for entry in json.loads(program.manifest())["entries"]}
        assert entries["step"].get("workers", 1) == threads
        session = flywheel.Session(program)
        session.initialize(1)
        losses = [session.run("step", x, t) for _ in range(4)]
        # A batch that does not divide evenly.
        losses += [session.run("step", x[:rows], t[:rows]) for rows in (1, 7, 95)]
        found.append([np.array(losses)] + [session[name] for name in session.variables])
    for values in found[1:]:
        for expected, value in zip(found[0], values):
            np.testing.assert_array_equal(expected, value)


check_team()
check_sessions_at_once()
check_windows()
check_last_columns()
check_options()
check_bits()
