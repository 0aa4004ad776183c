# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three problems in NumPy: data, residuals, and Levenberg-Marquardt with exact Jacobians."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
HERE = Path(__file__).resolve().parent


@dataclass
class Problem:
    """Least squares over x, which variables of the model or feeds of its entry hold."""

    name: str
    entry: str
    iterations: int
    regularizer: float
    # Also of complex x, which gives derivatives without differences of numbers.
    residuals: Callable[[Array], Array]
    start: Array
    feeds: Tuple[Array, ...]
    # Shapes of the variables that hold x; none where it is in the first feeds.
    variables: Dict[str, Tuple[int, ...]]

    def text(self) -> str:
        return (HERE / f"{self.name}.mlir").read_text()

    def split(self, x: Array) -> Dict[str, Array]:
        """The values of the variables."""
        values, offset = {}, 0
        for name, shape in self.variables.items():
            size = int(np.prod(shape))
            values[name] = x[offset:offset + size].reshape(shape)
            offset += size
        return values


def jacobian(residuals: Callable[[Array], Array], x: Array) -> Array:
    """Complex steps (Squire and Trapp, 1998): column k is Im r(x + i h e_k) / h, to the last digit."""
    step = 1e-30
    return np.stack([residuals(x + 1j * step * e).imag / step for e in np.eye(x.size)], 1)


def reference(problem: Problem) -> Tuple[List[float], Array]:
    """The objective after each iteration, and x at the end."""
    x, regularizer = problem.start, problem.regularizer
    objective = 0.5 * float((problem.residuals(x)**2).sum())
    objectives = []
    for _ in range(problem.iterations):
        j, r = jacobian(problem.residuals, x), problem.residuals(x)
        candidate = x - np.linalg.solve(j.T @ j + regularizer * np.eye(x.size), j.T @ r)
        new = 0.5 * float((problem.residuals(candidate)**2).sum())
        if new < objective:
            x, objective = candidate, new
        else:
            regularizer *= 10.0
        objectives.append(objective)
    return objectives, x


def curve() -> Problem:
    rng = np.random.default_rng(1)
    t = np.linspace(0.0, 10.0, 1000)

    def model(p: Array) -> Array:
        bells = p[0:3] * np.exp(-((t[:, None] - p[3:6]) / p[6:9])**2)
        return np.asarray(p[9] + bells.sum(1))

    true = np.array([3.0, 2.0, 4.0, 2.0, 5.0, 7.5, 0.8, 0.5, 1.2, 0.3])
    y = model(true) + 0.05 * rng.standard_normal(t.size)
    start = np.array([2.0, 2.0, 3.0, 1.7, 5.2, 7.9, 1.0, 0.7, 1.0, 0.0])
    feeds = (start[0:3], start[3:6], start[6:9], np.asarray(start[9]), t, y)
    return Problem("curve", "fit", 12, 1e-3, lambda p: np.asarray(model(p) - y), start, feeds, {})


def project(x: Array, board: Array) -> Tuple[Array, Array]:
    """Columns and rows of pixels, [views, marks]."""
    fx, fy, cx, cy, k1, k2 = x[:6]
    poses = x[6:].reshape(9, 6)
    w, t = poses[:, :3], poses[:, 3:]
    square = (w**2).sum(1)
    angle = np.sqrt(square)
    points = np.concatenate([board, np.zeros((len(board), 1))], 1)
    cross = np.cross(w[:, None, :], points[None])
    dot = (w[:, None, :] * points[None]).sum(2, keepdims=True)
    moved = (points[None] * np.cos(angle)[:, None, None] + cross * (np.sin(angle) / angle)[:, None, None] +
             w[:, None, :] * dot * ((1 - np.cos(angle)) / square)[:, None, None] + t[:, None, :])
    nx, ny = moved[..., 0] / moved[..., 2], moved[..., 1] / moved[..., 2]
    q = nx**2 + ny**2
    distortion = 1 + (k1 + k2 * q) * q
    return fx * distortion * nx + cx, fy * distortion * ny + cy


def calibration() -> Problem:
    rng = np.random.default_rng(2)
    grid = np.arange(7.0) - 3.0
    board = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
    rotations = np.array([[a, b, 0.3 * a * b + 0.1] for a in (-0.5, 0.05, 0.5) for b in (-0.4, 0.1, 0.6)])
    translations = np.array([[0.3 * k % 1.0, -0.2 * k % 0.8, 14.0 + 0.5 * k] for k in range(9)])
    true = np.concatenate([[820.0, 790.0, 331.0, 228.0, -0.12, 0.05],
                           np.concatenate([rotations, translations], 1).ravel()])
    columns, rows = (seen + 0.2 * rng.standard_normal(seen.shape) for seen in project(true, board))
    start = true + np.concatenate([[-20.0, 10.0, -11.0, 12.0, 0.12, -0.05], 0.03 * rng.standard_normal(54)])

    def residuals(x: Array) -> Array:
        u, v = project(x, board)
        return np.concatenate([(u - columns).ravel(), (v - rows).ravel()])

    return Problem("calibration", "calibrate", 10, 1e-3, residuals, start, (board, columns, rows),
                   {"camera": (6,), "poses": (9, 6)})


def network() -> Problem:
    rng = np.random.default_rng(3)
    x = rng.uniform(-2.0, 2.0, (200, 2))
    y = np.sin(x[:, :1]) * np.cos(x[:, 1:])
    shapes = {"w1": (2, 8), "b1": (8,), "w2": (8, 1), "b2": (1,)}
    start = rng.standard_normal(33)

    def residuals(weights: Array) -> Array:
        w1, b1, w2, b2 = np.split(weights, [16, 24, 32])
        return np.asarray((np.tanh(x @ w1.reshape(2, 8) + b1) @ w2.reshape(8, 1) + b2 - y).ravel())

    return Problem("network", "fit", 20, 1e-3, residuals, start, (x, y), shapes)


PROBLEMS = (curve, calibration, network)
