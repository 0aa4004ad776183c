# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X17: factors, solutions, inverses, determinants and products of several matrices of float16 and bfloat16 are computed
in float32 and rounded once, with their derivatives, also if the dtype cannot hold intermediate values."""

from typing import Any, Callable, Dict, Tuple

import ml_dtypes
import numpy as np

import flywheel as fw
import flywheel.v1 as tf

Array = Any
rng = np.random.default_rng(9)
DTYPES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
SIZE = 5
ROWS = np.array([[0.5, 2.0, -1.0, 0.25, 1.5], [1.0, -0.75, 0.5, 3.0, -2.0]])


def positive(a: Array) -> Array:
    return (a @ np.swapaxes(a, -1, -2)) / 4 + 2 * np.eye(SIZE)


# The function here and in float64, of matrices and right sides.
CASES: Dict[str, Tuple[Callable[..., Any], Callable[..., Any]]] = {
    "det": (lambda a, b: fw.linalg.det(a), lambda a, b: np.linalg.det(a)),
    "slogdet": (lambda a, b: fw.linalg.slogdet(a)[1], lambda a, b: np.linalg.slogdet(a)[1]),
    "inv": (lambda a, b: fw.linalg.inv(a), lambda a, b: np.linalg.inv(a)),
    "solve": (fw.linalg.solve, np.linalg.solve),
    "pinv": (lambda a, b: fw.linalg.pinv(a[..., :3]), lambda a, b: np.linalg.pinv(a[..., :3])),
    "cholesky": (lambda a, b: fw.linalg.cholesky(a), lambda a, b: np.linalg.cholesky(a)),
    "solve_triangular": (lambda a, b: fw.linalg.solve_triangular(a, b, lower=True),
                         lambda a, b: np.linalg.solve(np.tril(a), b)),
    "matrix_power": (lambda a, b: fw.linalg.matrix_power(a, -2), lambda a, b: np.linalg.matrix_power(a, -2)),
    "multi_dot": (lambda a, b: fw.linalg.multi_dot([fw.constant(ROWS, a.dtype), a, b]), lambda a, b: ROWS @ a @ b),
    "einsum": (lambda a, b: fw.einsum("ij,jk,kl->il", fw.constant(ROWS, a.dtype), a, b), lambda a, b: ROWS @ a @ b),
}  # fmt: skip


def check(name: str, dtype: "np.dtype[Any]") -> None:
    ours, exactly = CASES[name]
    a = positive(rng.standard_normal((SIZE, SIZE))).astype(dtype)
    b = rng.standard_normal((SIZE, 2)).astype(dtype)
    wide = (a.astype(np.float64), b.astype(np.float64))
    value = np.asarray(fw.function(ours)(a, b))
    assert value.dtype == dtype, (name, value.dtype)
    compare(f"{name} of {dtype}", value, exactly(*wide), 0.75)

    def total(*args: Any) -> Any:
        found = fw.cast(ours(*args), "float64")
        return fw.sum(found * fw.constant(np.resize([1.0, -0.5, 2.0, 0.75, 1.5, -1.25, 0.5], found.shape)))

    for place in (0, 1) if name in ("solve", "solve_triangular", "multi_dot", "einsum") else (0,):
        slope = fw.function(fw.grad(total, place))
        compare(f"derivative {place} of {name} of {dtype}", np.asarray(slope(a, b)), np.asarray(slope(*wide)), 0.75)


def compare(what: str, found: Array, exact: Array, units: float) -> None:
    """Checks that errors are within a number of units in the last place, and of float32's of the largest number."""
    info = ml_dtypes.finfo(found.dtype)
    spacing = np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), float(info.smallest_normal))))) * float(info.eps)
    bound = units * spacing + np.abs(exact).max() * 2.0**-18
    wrong = ~(np.abs(found.astype(np.float64) - exact) <= bound)
    assert not wrong.any(), f"{what}: {found[wrong][:3]}, expected {exact[wrong][:3]}"


def test_between() -> None:
    """float16 cannot hold intermediate values: 300^4."""
    x = np.full((2, 2), 300.0, np.float16)
    small = np.full((2, 2), 1e-6, np.float16)
    wide = small.astype(np.float64)
    exact = np.full((2, 2), 300.0) @ np.full((2, 2), 300.0) @ wide
    for product in (lambda a, b: fw.linalg.multi_dot([a, a, b]), lambda a, b: fw.einsum("ij,jk,kl->il", a, a, b)):
        found = np.asarray(fw.function(product)(x, small)).astype(np.float64)
        assert np.allclose(found, exact, rtol=1e-3), (found, exact)
    assert float(fw.function(fw.linalg.det)(np.diag([300, 300, 0.01, 0.01]).astype(np.float16))) != np.inf


def test_v1() -> None:
    """The same of `flywheel.v1`."""
    a = positive(rng.standard_normal((SIZE, SIZE))).astype(np.float16)
    b = rng.standard_normal((SIZE, 2)).astype(np.float16)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.constant(a), tf.constant(b)
        factor = tf.cholesky(x)
        found = session.run([tf.matrix_solve(x, y), tf.cholesky_solve(factor, y), tf.matrix_inverse(x), factor])
    wide = a.astype(np.float64)
    compare("matrix_solve", found[0], np.linalg.solve(wide, b.astype(np.float64)), 0.75)
    # The error of a solution by a factor that is rounded.
    compare("cholesky_solve", found[1], np.linalg.solve(wide, b.astype(np.float64)), 16)
    compare("matrix_inverse", found[2], np.linalg.inv(wide), 0.75)
    compare("cholesky", found[3], np.linalg.cholesky(wide), 0.75)


if __name__ == "__main__":
    for dtype in DTYPES:
        for name in CASES:
            check(name, dtype)
    test_between()
    test_v1()
