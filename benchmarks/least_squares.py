#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of Levenberg-Marquardt, and of the factorizations that it needs.

The three problems of examples/least-squares, f64, one call with all iterations,
against SciPy's least_squares on the same residuals in NumPy: methods lm
(MINPACK) and trf, Jacobians by differences (its default), from the same start to
its default tolerances; and against the same iterations as ours in JAX, one jitted
call with jacfwd and with jacrev, a Cholesky factor of J'J and a
loop. A figure is the least of all rounds, in which one comes after the other, of the
whole run and divided by its number of Jacobians. Then medians of Cholesky factors and
triangular systems against LAPACK. All on one thread. Peers that are not installed are
left out; `--problems=network --sizes=` is that problem alone.

usage: PYTHONPATH=build/python python benchmarks/least_squares.py [--json F]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/least-squares"))

import numpy as np  # noqa: E402
from problems import PROBLEMS, Problem  # noqa: E402

import flywheel  # noqa: E402

try:
    from scipy import linalg, optimize
except ImportError:
    linalg = optimize = None
try:
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None


def median_time(call: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def residuals_in_jax(index: int) -> Callable[[Any], Any]:
    """Returns the residuals of problem number `index`: the functions of problems.py, in a copy of the module whose `np`
    is jax.numpy once it has made its data."""
    spec = importlib.util.find_spec("problems")
    module = importlib.util.module_from_spec(spec)
    sys.modules["problems_in_jax"] = module
    module.__spec__.loader.exec_module(module)
    problem = module.PROBLEMS[index]()
    module.np = jnp
    return problem.residuals


def minimize_in_jax(problem: Problem, residuals: Callable[[Any], Any], derive: Any) -> Callable[[], Any]:
    """The same iterations as `problems.reference`, in one call."""

    def iterate(_: Any, state: Any) -> Any:
        x, objective, regularizer = state
        r, j = residuals(x), derive(residuals)(x)
        factor = jax.scipy.linalg.cho_factor(j.T @ j + regularizer * jnp.eye(x.size), lower=True)
        candidate = x - jax.scipy.linalg.cho_solve(factor, j.T @ r)
        new = 0.5 * jnp.sum(residuals(candidate)**2)
        better = new < objective
        return (jnp.where(better, candidate, x), jnp.where(better, new, objective),
                jnp.where(better, regularizer, regularizer * 10))

    @jax.jit
    def run(x: Any) -> Any:
        start = (x, 0.5 * jnp.sum(residuals(x)**2), jnp.asarray(problem.regularizer))
        return jax.lax.fori_loop(0, problem.iterations, iterate, start)

    x = jnp.asarray(problem.start)
    return lambda: jax.block_until_ready(run(x))


def measure_in_turn(calls: dict[str, Callable[[], Any]], rounds: dict[str, int],
                    prepare: Callable[[], None]) -> dict[str, float]:
    """The least time of each call. One round of each after the other: what else the machine does meets all of them."""
    least = dict.fromkeys(calls, float("inf"))
    for turn in range(max(rounds.values())):
        for name, call in calls.items():
            if turn >= rounds[name]:
                continue
            prepare()
            begin = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


def measure_problem(problem: Problem, index: int, rounds: int) -> dict[str, Any]:
    begin = time.perf_counter()
    session = flywheel.Session(flywheel.compile(problem.text()))
    figures: dict[str, Any] = {"compile": time.perf_counter() - begin}
    start = problem.split(problem.start)
    if start:
        session.initialize(1)

    def prepare() -> None:
        for name, value in start.items():
            session[name] = value

    calls: dict[str, Callable[[], Any]] = {"flywheel": lambda: session.run(problem.entry, *problem.feeds)}
    counts = {"flywheel": problem.iterations}
    prepare()
    results = calls["flywheel"]()
    objectives = {"flywheel": float(results[0] if isinstance(results, tuple) else results)}
    for method in ("lm", "trf") if optimize else ():
        def solve(method: str = method) -> Any:
            return optimize.least_squares(problem.residuals, problem.start, method=method)

        result = solve()
        calls[method], objectives[method] = solve, float(result.cost)
        if result.njev:  # MINPACK does not count Jacobians by differences.
            counts[method] = result.njev
    for derive in (jax.jacfwd, jax.jacrev) if jax else ():
        name = f"jax {derive.__name__}"
        calls[name] = minimize_in_jax(problem, residuals_in_jax(index), derive)
        objectives[name], counts[name] = float(calls[name]()[1]), problem.iterations
    turns = {name: max(3, rounds // 5) if name in ("lm", "trf") else rounds for name in calls}
    for name, seconds in measure_in_turn(calls, turns, prepare).items():
        figures[name] = {"seconds": seconds, "objective": objectives[name]}
        if name in counts:
            figures[name]["per_iteration"] = seconds / counts[name]
    return figures


def measure_factors(element: str, n: int, rounds: int) -> dict[str, float]:
    matrix, vector = f"tensor<{n}x{n}x{element}>", f"tensor<{n}x1x{element}>"
    session = flywheel.Session(flywheel.compile(f"""
func.func @factorize(%a: {matrix}) -> {matrix} {{
  %l = nn.cholesky %a : {matrix}
  return %l : {matrix}
}}
func.func @solve(%l: {matrix}, %b: {vector}) -> {vector} {{
  %x = nn.triangular_solve lower %l, %b : ({matrix}, {vector}) -> {vector}
  return %x : {vector}
}}
func.func @solve_many(%l: {matrix}, %b: {matrix}) -> {matrix} {{
  %x = nn.triangular_solve lower %l, %b : ({matrix}, {matrix}) -> {matrix}
  return %x : {matrix}
}}
"""))
    dtype = np.float64 if element == "f64" else np.float32
    rng = np.random.default_rng(1)
    root = rng.standard_normal((n, n))
    a = (root @ root.T + n * np.eye(n)).astype(dtype)
    b = rng.standard_normal((n, 1)).astype(dtype)
    factor = session.run("factorize", a)
    figures = {
        "cholesky": median_time(lambda: session.run("factorize", a), rounds),
        "solve": median_time(lambda: session.run("solve", factor, b), rounds),
        "solve_many": median_time(lambda: session.run("solve_many", factor, a), rounds)}
    if linalg:
        potrf, = linalg.get_lapack_funcs(("potrf",), (a,))
        trtrs, = linalg.get_lapack_funcs(("trtrs",), (a,))
        column_major = np.asfortranarray(factor)
        figures["lapack_cholesky"] = median_time(lambda: potrf(a, lower=1), rounds)
        figures["lapack_solve"] = median_time(lambda: trtrs(column_major, b, lower=1), rounds)
        figures["lapack_solve_many"] = median_time(lambda: trtrs(column_major, a, lower=1), rounds)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25, help="rounds (25)")
    parser.add_argument("--problems", help="these alone: curve,calibration,network")
    parser.add_argument("--sizes", default="10,60,300,1000", help="orders of matrices")
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    if not optimize:
        print("SciPy is not installed: left out")
    if not jax:
        print("JAX is not installed: left out")
    figures: dict[str, Any] = {}
    for make in PROBLEMS:
        problem = make()
        if arguments.problems and problem.name not in arguments.problems.split(","):
            continue
        found = figures[problem.name] = measure_problem(problem, PROBLEMS.index(make), arguments.rounds)
        print(f"{problem.name}: {problem.residuals(problem.start).size} x {problem.start.size}, "
              f"compiled in {found['compile']:.2f} s")
        ours = found["flywheel"]
        for name, one in found.items():
            if name != "compile":
                each = f" {one['per_iteration'] * 1e6:8.0f} us an iteration," if "per_iteration" in one else ""
                print(f"  {name:10}{one['seconds'] * 1e3:9.2f} ms,{each} objective {one['objective']:.6g}, "
                      f"{one['seconds'] / ours['seconds']:.1f}x the time")
    for element in ("f64", "f32"):
        for n in map(int, filter(None, arguments.sizes.split(","))):
            found = figures[f"factors {element} {n}"] = measure_factors(element, n, arguments.rounds)
            text = [f"{name} {found[name] * 1e6:.0f} us" +
                    (f" (LAPACK {found['lapack_' + name] * 1e6:.0f})" if "lapack_" + name in found else "")
                    for name in ("cholesky", "solve", "solve_many")]
            print(f"{element} {n}: " + ", ".join(text))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
