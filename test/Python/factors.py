# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""QR, eigenvalues and singular values are NumPy's, for batches and in both precisions; derivatives are those of
differences (G25)."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw
from selection import choose, cover

RNG = np.random.default_rng(3)
SHAPES: List[Tuple[int, ...]] = [(1, 1), (2, 2), (5, 5), (6, 3), (3, 7), (2, 3, 4, 4), (33, 20), (1, 4), (4, 1)]


def matrices(dtype: Any) -> Dict[str, Any]:
    found = {str(shape): RNG.standard_normal(shape).astype(dtype) for shape in SHAPES}
    found["zero"] = np.zeros((4, 3), dtype)
    found["identity"] = np.eye(5, dtype=dtype)
    found["of rank 2"] = (RNG.standard_normal((6, 2)) @ RNG.standard_normal((2, 5))).astype(dtype)
    found["triangle"] = np.triu(RNG.standard_normal((4, 4))).astype(dtype)
    found["large"] = (RNG.standard_normal((4, 4)) * 1e30).astype(dtype)
    found["small"] = (RNG.standard_normal((4, 4)) * 1e-30).astype(dtype)
    found["graded"] = (RNG.standard_normal((5, 5)) * 10.0 ** -np.arange(5)).astype(dtype)
    return found


def near(found: Any, wanted: Any, tolerance: float, what: str) -> None:
    scale = float(np.abs(wanted).max(initial=1e-300))
    assert np.abs(np.asarray(found) - wanted).max(initial=0.0) <= tolerance * scale, what


def transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def identity(columns: Any) -> Any:
    """Returns the products of orthonormal columns."""
    n = columns.shape[-1]
    return np.broadcast_to(np.eye(n), (*columns.shape[:-2], n, n))


def test_values() -> None:
    kinds = ((np.float64, 1e-13), (np.float32, 5e-6))
    drawn = {dtype: matrices(dtype) for dtype, _ in kinds}
    names, functions = list(drawn[np.float64]), ("qr", "svd", "eigh")
    cases = [(name, kind, function) for kind in kinds for name in names for function in functions]
    for name, (dtype, tolerance), function in cover("factors", cases):
        a = drawn[dtype][name]
        what = f"{name} {np.dtype(dtype)}"
        if function == "qr":
            q, r = (np.asarray(x) for x in fw.function(fw.linalg.qr)(a))
            wanted = np.linalg.qr(a)
            near(q @ r, a, tolerance, f"qr of {what}")
            near(transposed(q) @ q, identity(q), tolerance, what)
            assert (np.tril(r, -1) == 0).all(), what
            if name not in ("of rank 2",):
                near(r, wanted[1], 10 * tolerance, f"r of {what}")
            assert q.dtype == dtype
        elif function == "svd":
            u, s, vt = (np.asarray(x) for x in fw.function(fw.linalg.svd)(a))
            near((u * s[..., None, :]) @ vt, a, tolerance, f"svd of {what}")
            near(s, np.linalg.svd(a, compute_uv=False), tolerance, f"singular values of {what}")
            near(transposed(u) @ u, identity(u), 10 * tolerance, f"u of {what}")
            near(vt @ transposed(vt), identity(u), 10 * tolerance, f"v of {what}")
            assert s.dtype == dtype
        elif a.shape[-1] == a.shape[-2]:
            symmetric = a + transposed(a)
            w, v = (np.asarray(x) for x in fw.function(fw.linalg.eigh)(symmetric))
            near(w, np.linalg.eigvalsh(symmetric), tolerance, f"eigenvalues of {what}")
            near(v @ (w[..., None] * transposed(v)), symmetric, 2 * tolerance, f"eigenvectors of {what}")
            near(transposed(v) @ v, identity(v), 10 * tolerance, f"v of {what}")
            assert w.dtype == dtype


def weights(x: Any) -> Any:
    return fw.constant(np.cos(np.arange(int(np.prod(x.shape)), dtype=np.float64)).reshape(x.shape))


def weighted(*parts: Any) -> Any:
    return sum((fw.sum(x * weights(x)) for x in parts), fw.constant(0.0, fw.float64))


LOSSES: Dict[str, Callable[[Any], Any]] = {
    "qr": lambda a: weighted(*fw.linalg.qr(a)),
    "svdvals": lambda a: weighted(fw.linalg.svdvals(a)),
    "svd": lambda a: weighted(*[x * x if place != 1 else x for place, x in enumerate(fw.linalg.svd(a))]),
    "eigvalsh": lambda a: weighted(fw.linalg.eigvalsh(a)),
    "eigh": lambda a: weighted(*[x * x for x in fw.linalg.eigh(a)]),
}


def test_derivatives() -> None:
    cases = [(name, shape) for name in LOSSES for shape in SHAPES[:6]
             if not name.startswith("eig") or shape[-1] == shape[-2]]  # fmt: skip
    for name, shape in choose("derivatives of factors", cases, 0.3, group=lambda case: case[0]):
        loss, a = LOSSES[name], RNG.standard_normal(shape)
        value, gradient = fw.function(loss), fw.function(fw.grad(loss))
        found, direction = np.asarray(gradient(a)), RNG.standard_normal(shape)
        step = 1e-5
        wanted = (float(value(a + step * direction)) - float(value(a - step * direction))) / (2 * step)
        error, size = abs((found * direction).sum() - wanted), max(1.0, abs(wanted), np.abs(found).max())
        assert error < 1e-6 * size, (name, shape)


def test_equal_values() -> None:
    """Values have their derivatives, also if their vectors have none."""
    for name, wanted in (("eigvalsh", 1.0), ("svdvals", 1.0)):
        found = np.asarray(fw.function(fw.grad(lambda a, own=name: fw.sum(getattr(fw.linalg, own)(a))))(np.eye(4)))
        near(found, np.eye(4) * wanted, 1e-12, name)
    found = np.asarray(fw.function(fw.grad(LOSSES["eigh"]))(np.eye(3)))
    assert np.isfinite(found).all()


def test_not_finite() -> None:
    """A matrix that is not finite has NaN as its results; the others of the batch have theirs."""
    for dtype, tolerance in ((np.float64, 1e-13), (np.float32, 5e-6)):
        batch = RNG.standard_normal((5, 4, 4)).astype(dtype)
        batch += transposed(batch)
        for place, value in ((1, np.nan), (3, np.inf)):
            batch[place, 2, 1] = batch[place, 1, 2] = value
        good = [0, 2, 4]
        for name in ("qr", "svd", "eigh"):
            found = [np.asarray(x) for x in fw.function(getattr(fw.linalg, name))(batch)]
            alone = [np.asarray(x) for x in fw.function(getattr(fw.linalg, name))(batch[good])]
            for x, y in zip(found, alone):
                near(x[good], y, tolerance, name)
            assert all(np.isnan(x[[1, 3]]).any((1, 2)[: x.ndim - 1]).all() for x in found), (name, found)
            if name != "qr":
                assert all(np.isnan(x[[1, 3]]).all() for x in found), name
        # A NaN below the diagonal, and beside it only.
        assert np.isnan(np.asarray(fw.function(fw.linalg.qr)(np.array([[1, 2], [np.nan, 3]], dtype))[1])).any()
        for name in ("eigvalsh", "svdvals"):
            for values in ([[2, np.nan], [np.nan, 2]], [[1, 0], [0, np.inf]]):
                assert np.isnan(np.asarray(fw.function(getattr(fw.linalg, name))(np.array(values, dtype)))).all()


def test_signs_and_sizes() -> None:
    """Signs are LAPACK's, also where squares of elements are 0; sums of large elements are none."""
    for small in (1e-25, 1e-30, 0.0):
        for a in ([[1, 2], [small, 1]], [[small, 2], [small * 2, 1]], [[1, 2, 3], [0, small, 4], [0, small, 5]]):
            matrix = np.array(a, np.float32)
            q, r = (np.asarray(x) for x in fw.function(fw.linalg.qr)(matrix))
            wanted = np.linalg.qr(matrix)
            near(q, wanted[0], 1e-6, f"q of {a}")
            near(r, wanted[1], 1e-6, f"r of {a}")
    large = np.diag(np.array([3e38, 1e38], np.float32))
    near(fw.function(fw.linalg.eigvalsh)(large), np.array([1e38, 3e38], np.float32), 1e-6, "large")


def test_empty_batches() -> None:
    """Matrices without elements have as many results as there are matrices, also if the call chooses how many."""
    names: Dict[str, Any] = {"qr": (0, 3), "svd": (0, 3), "svdvals": (0, 3), "eigh": (0, 0), "eigvalsh": (0, 0),
             "lu_factor": (0, 0), "det": (0, 0), "slogdet": (0, 0), "cholesky": (0, 0)}  # fmt: skip
    for name, shape in names.items():
        function = fw.function(getattr(fw.linalg, name), signature=[fw.spec(None, *shape)])
        known = fw.function(getattr(fw.linalg, name), dynamic=False)
        for count in (5, 0, 2):
            a = np.zeros((count, *shape), np.float32)
            found, wanted = function(a), known(a)
            pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
            for x, y in pairs:
                assert np.shape(x) == np.shape(y) and np.shape(x)[0] == count, (name, np.shape(x), np.shape(y))


def test_errors() -> None:
    for thunk, part in ((lambda: fw.linalg.eigh(np.ones((2, 3))), "square matrices"),
                        (lambda: fw.linalg.qr(np.ones(3)), "takes matrices")):  # fmt: skip
        try:
            fw.function(thunk)()
            raise AssertionError("no error")
        except ValueError as error:
            assert part in str(error), error


if __name__ == "__main__":
    test_errors()
    test_values()
    test_not_finite()
    test_signs_and_sizes()
    test_empty_batches()
    test_derivatives()
    test_equal_values()
