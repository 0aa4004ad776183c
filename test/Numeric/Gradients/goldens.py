# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s reference
# RUN: %python %s optimized
"""Every op with a derivative, and its gradients, against what JAX computed.

The numbers are in goldens/, written by scripts/generate-goldens; each sample of
samples/ that says how JAX computes it has a row there, and the shape of its value. f64, and f32 wherever the
sample is not about precision itself. An op without such a sample fails, and so
does a row that is missing or that no sample has.

usage: goldens.py LOWERING [OP...]
"""

import glob
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Set, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from samples import SAMPLES, Sample
from selection import choose_for, count

Array = NDArray[Any]

# The share of the samples, in f32 and f64, in a lowering, and at least one of each op in one of them.
SHARE = 0.1
# Derivatives are made long before LLVM.
OPT_LEVEL = count(0, 1)
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}
# Relative to the largest number of an array: sums of a few dozen terms.
TOLERANCES = {"f64": 1e-10, "f32": 3e-5}


def load() -> Dict[str, Array]:
    rows: Dict[str, Array] = {}
    for file in glob.glob(os.path.join(os.path.dirname(__file__), "../goldens/*.npz")):
        with np.load(file) as archive:
            rows.update(archive)
    return rows


def as_list(result: Any) -> List[Array]:
    return list(result) if isinstance(result, tuple) else [result]


def describe_difference(found: Array, expected: Array, tolerance: float) -> str:
    """Nothing, or where two arrays differ most."""
    error = np.abs(found - expected)
    bound = tolerance * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    if found.size == 0 or np.all(error <= bound):
        return ""
    where = np.unravel_index(int(np.nanargmax(np.where(np.isnan(error), np.inf, error))), found.shape)
    return f"at {tuple(map(int, where))}: expected {expected[where]}, found {found[where]}"


def check(sample: Sample, row: Array, shape: Tuple[int, ...], element: str, lowering: str) -> str:
    """Nothing, or what is wrong."""
    try:
        program = flywheel.compile(sample.module().replace("f64", element), lowering=lowering,
                                   entries=["f", "vjp"], opt_level=OPT_LEVEL)
    except flywheel.CompileError as error:
        return f"does not compile: {error}"
    session = flywheel.Session(program)
    # If a sample rounds on the way, JAX may round elsewhere.
    tolerance = TOLERANCES["f32" if "f32" in sample.body else element]
    rest = row

    def take(count: int) -> Array:
        nonlocal rest
        head, rest = rest[:count], rest[count:]
        return head

    inputs: List[Array] = []
    for arg in sample.args:
        kind = arg.type.split("<")[-1].rstrip(">").split("x")[-1]
        dtype = DTYPES[element if kind == "f64" else kind]
        inputs.append(take(int(np.prod(arg.shape, dtype=int))).reshape(arg.shape).astype(dtype))
    y = np.asarray(as_list(session.run("f", *inputs))[0])
    if y.shape != shape:
        return f"expected a value of shape {shape}, found {y.shape}"
    u, expected = take(y.size).reshape(shape).astype(y.dtype), take(y.size).reshape(shape)
    if message := describe_difference(y, expected, tolerance):
        return "value " + message
    gradients = as_list(session.run("vjp", *inputs, u))
    if len(gradients) != len(sample.wrt):
        return f"expected {len(sample.wrt)} gradients, found {len(gradients)}"
    for index, found in zip(sample.wrt, gradients):
        x = inputs[index]
        if found.shape != x.shape:
            return f"expected a gradient of shape {x.shape} of argument {index}, found {found.shape}"
        if message := describe_difference(found, take(x.size).reshape(x.shape), tolerance * 4):
            return f"gradient of argument {index} {message}"
    return "" if rest.size == 0 else f"expected {row.size - rest.size} numbers in its row, found {row.size}"


def main() -> None:
    lowering = sys.argv[1]
    wanted = sys.argv[2:]
    rows = load()
    used: Set[str] = set()
    failures: List[str] = []
    jobs: List[Tuple[str, Sample, Array, Tuple[int, ...], str]] = []
    for op, samples in sorted(SAMPLES.items()):
        if not any(sample.jax for sample in samples):
            failures.append(f"{op}: expected a sample that says how JAX computes it, found none")
        for number, sample in enumerate(samples):
            if not sample.jax:
                continue
            name = f"{op} #{number}"
            keys = (sample.digest, f"{sample.digest}.shape")
            used.update(keys)
            if any(key not in rows for key in keys):
                failures.append(f"{name}: not in goldens/: run scripts/generate-goldens")
            elif not wanted or op in wanted:
                elements = ["f64"] if "f32" in sample.body else ["f64", "f32"]
                shape = tuple(map(int, rows[keys[1]]))
                jobs += [(f"{name} {element}", sample, rows[keys[0]], shape, element) for element in elements]
    for digest in sorted(set(rows) - used):
        failures.append(f"{digest}: no sample has this row of goldens/: run scripts/generate-goldens")
    if not wanted:
        jobs = choose_for(lowering, ("reference", "optimized"), "goldens", jobs, SHARE,
                          group=lambda job: job[0].split()[0])
    with ThreadPoolExecutor(2) as pool:
        messages = pool.map(lambda job: check(job[1], job[2], job[3], job[4], lowering), jobs)
    for (name, *_), message in zip(jobs, messages):
        if message:
            failures.append(f"{name}: {message}")
    print(f"{len(jobs)} samples, {len(failures)} failures")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
