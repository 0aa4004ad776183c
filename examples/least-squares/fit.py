#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the three problems and compares with NumPy.

usage: PYTHONPATH=../../build/python python fit.py
"""

import numpy as np
from problems import PROBLEMS, Problem, reference

import flywheel


def fit(problem: Problem) -> None:
    session = flywheel.Session(flywheel.compile(problem.text()))
    if problem.variables:
        session.initialize(1)
        for name, value in problem.split(problem.start).items():
            session[name] = value
    results = session.run(problem.entry, *problem.feeds)
    objective = results[0] if isinstance(results, tuple) else results
    if problem.variables:
        x = np.concatenate([session[name].ravel() for name in problem.variables])
    else:
        x = np.concatenate([part.ravel() for part in results[1:]])
    objectives, expected = reference(problem)
    before = 0.5 * (problem.residuals(problem.start)**2).sum()
    print(f"{problem.name}: {problem.residuals(problem.start).size} residuals, {x.size} parameters, "
          f"{problem.iterations} iterations")
    print(f"  objective {before:.6g} -> {float(objective):.6g}, by NumPy {objectives[-1]:.6g}")
    difference = np.abs(x - expected).max() / np.abs(expected).max()
    print(f"  largest difference of a parameter {difference:.1e}")
    # At convergence the objectives are equal, and either may be smaller.
    if not np.isclose(objective, objectives[-1], rtol=1e-6) or difference > 1e-4:
        raise SystemExit("the numbers differ")


for make in PROBLEMS:
    fit(make())
