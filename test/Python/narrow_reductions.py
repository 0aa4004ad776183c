# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X17: what is reduced is finished in float32 and rounded once: functions along dimensions of float16 and bfloat16,
with their derivatives, of tiny, usual and huge numbers, against float64.

usage: narrow_reductions.py [--print] [NAME...]
"""

import math
import sys
from typing import Any, Callable, Dict, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import flywheel as fw
import flywheel.keras as keras
import flywheel.keras.backend as K
import flywheel.v1 as tf

Array = NDArray[Any]
Function = Callable[..., Any]
DTYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
rng = np.random.default_rng(11)


def inputs(dtype: "np.dtype[Any]") -> Dict[str, Array]:
    base = rng.standard_normal((3, 5))
    base[base == 0] = 1.0
    huge = 2e4 if dtype == np.float16 else 1e10
    tiny = 3e-4 if dtype == np.float16 else 1e-10
    found = {"usual": base, "huge": base * huge / np.abs(base).max(), "tiny": base * tiny, "far": 300.0 + 20.0 * base,
             "equal": np.full((3, 5), 600.0)}  # fmt: skip
    return {name: x.astype(dtype) for name, x in found.items()}


def norm(x: Array, order: Any, axis: Any) -> Array:
    return np.asarray(np.linalg.norm(x, order, axis))


def logsumexp(x: Array) -> Array:
    top = x.max(1, keepdims=True)
    return np.asarray(np.log(np.exp(x - top).sum(1)) + top[:, 0])


def normalized(x: Array) -> Array:
    return np.asarray(x / np.sqrt(np.maximum((x * x).sum(1, keepdims=True), 1e-12)))


def clipped(x: Array, limit: float) -> Array:
    size = math.sqrt(float((x * x).sum()))
    return np.asarray(x * (limit / max(size, limit)))


def layer_norm(x: Array) -> Array:
    return np.asarray((x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))


def rms_norm(x: Array) -> Array:
    return np.asarray(x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5))


TURN = np.array([0.5, 2.0, -1.0])
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25, 1.5])
ORDERS = (1, 2, 3, 0.5, -1, -2, np.inf, -np.inf, 0)

# The function here and in float64.
PACKAGE: Dict[str, Tuple[Function, Function]] = {
    "sum": (lambda x: fw.sum(x, 1), lambda x: x.sum(1)), "mean": (lambda x: fw.mean(x, 1), lambda x: x.mean(1)),
    "prod": (lambda x: fw.prod(x, 1), lambda x: x.prod(1)),
    "var": (lambda x: fw.var(x, 1), lambda x: x.var(1)), "std": (lambda x: fw.std(x, 1), lambda x: x.std(1)),
    "var_1": (lambda x: fw.var(x, 1, ddof=1), lambda x: x.var(1, ddof=1)),
    "std_all": (lambda x: fw.std(x=x), lambda x: x.std()),
    "std_1": (lambda x: fw.std(x, 0, True, ddof=1), lambda x: x.std(0, ddof=1, keepdims=True)),
    "nanmean": (lambda x: fw.nanmean(x, 1), lambda x: x.mean(1)),
    "nansum": (lambda x: fw.nansum(x, 1), lambda x: x.sum(1)),
    "nanvar": (lambda x: fw.nanvar(x, 1), lambda x: x.var(1)),
    "nanstd": (lambda x: fw.nanstd(x, 1), lambda x: x.std(1)),
    "median": (lambda x: fw.median(x, 0), lambda x: np.median(x, 0)),
    "median_even": (lambda x: fw.median(x[:2], 0), lambda x: np.median(x[:2], 0)),
    "quantile": (lambda x: fw.quantile(x, 0.3, 1), lambda x: np.quantile(x, 0.3, 1)),
    "percentile": (lambda x: fw.percentile(x, 80, 0), lambda x: np.percentile(x, 80, 0)),
    "ptp": (lambda x: fw.ptp(x, 1), lambda x: np.ptp(x, 1)),
    "average": (lambda x: fw.average(x, 1, fw.constant(WEIGHTS, x.dtype)), lambda x: np.average(x, 1, WEIGHTS)),
    "logsumexp": (lambda x: fw.logsumexp(x, 1), logsumexp),
    "norm": (lambda x: fw.norm(x, 1), lambda x: norm(x, None, 1)),
    "norm_all": (lambda x: fw.linalg.norm(x), lambda x: norm(x, None, None)),
    **{f"norm_{order}": (lambda x, order=order: fw.linalg.norm(x, order, 1), lambda x, order=order: norm(x, order, 1))
       for order in ORDERS},
    **{f"matrix_norm_{order}": (lambda x, order=order: fw.linalg.norm(x, order, (0, 1)),
                                lambda x, order=order: norm(x, order, (0, 1)))
       for order in ("fro", 1, -1, np.inf, -np.inf)},
    "cov": (fw.cov, np.cov), "corrcoef": (fw.corrcoef, np.corrcoef),
    "trapezoid": (fw.trapezoid, lambda x: np.trapezoid(x)), "vdot": (lambda x: fw.vdot(x, x), lambda x: np.vdot(x, x)),
    "vecdot": (lambda x: fw.vecdot(x, x), lambda x: (x * x).sum(-1)),
    "cross": (lambda x: fw.cross(x[:, :3], fw.constant(TURN, x.dtype)), lambda x: np.cross(x[:, :3], TURN)),
    "matmul": (lambda x: x @ fw.constant(WEIGHTS, x.dtype), lambda x: x @ WEIGHTS),
    "trace": (lambda x: fw.trace(x[:, :3]), lambda x: np.trace(x[:, :3])),
    "einsum": (lambda x: fw.einsum("ij,ij->i", x, x), lambda x: (x * x).sum(1)),
    "layer_norm": (lambda x: fw.nn.layer_norm(x, axes=[1], epsilon=1e-5), layer_norm),
    "rms_norm": (lambda x: fw.nn.rms_norm(x, axes=[1], epsilon=1e-5), rms_norm),
    "softmax": (fw.nn.softmax, lambda x: np.exp(x - x.max(1, keepdims=True)) /
                np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)),
    "l2_loss": (fw.nn.l2_loss, lambda x: (x * x).sum() / 2),
    "mse": (lambda x: fw.nn.mean_squared_error(x, fw.zeros_like(x)), lambda x: (x * x).mean()),
}  # fmt: skip
V1: Dict[str, Tuple[Function, Function]] = {
    "v1.norm": (lambda x: tf.norm(x, axis=1), lambda x: norm(x, None, 1)),
    "v1.norm_1": (lambda x: tf.norm(tensor=x, ord=1, axis=1), lambda x: norm(x, 1, 1)),
    "v1.norm_inf": (lambda x: tf.norm(x, np.inf, 1), lambda x: norm(x, np.inf, 1)),
    "v1.norm_fro": (lambda x: tf.norm(x, "fro", [0, 1]), lambda x: norm(x, "fro", (0, 1))),
    "v1.global_norm": (lambda x: tf.global_norm([x, x]), lambda x: math.sqrt(2) * norm(x, None, None)),
    "v1.clip_by_norm": (lambda x: tf.clip_by_norm(x, 1.0), lambda x: clipped(x, 1.0)),
    "v1.clip_by_global_norm": (lambda x: tf.clip_by_global_norm([x], 1.0)[0][0], lambda x: clipped(x, 1.0)),
    "v1.l2_normalize": (lambda x: tf.nn.l2_normalize(x, 1), normalized),
    "v1.moments": (lambda x: tf.nn.moments(x, [1])[1], lambda x: x.var(1)),
    "v1.reduce_logsumexp": (lambda x: tf.reduce_logsumexp(x, 1), logsumexp),
    "v1.variance": (lambda x: tf.math.reduce_variance(x, 1), lambda x: x.var(1)),
    "v1.deviation": (lambda x: tf.math.reduce_std(x, 1), lambda x: x.std(1)),
    "v1.euclidean": (lambda x: tf.math.reduce_euclidean_norm(x, 1), lambda x: norm(x, None, 1)),
    "keras.var": (lambda x: K.var(x, 1), lambda x: x.var(1)), "keras.std": (lambda x: K.std(x, 1), lambda x: x.std(1)),
    "keras.l2_normalize": (lambda x: K.l2_normalize(x, 1), normalized),
    "keras.logsumexp": (lambda x: K.logsumexp(x, 1), logsumexp),
    "keras.unit_norm": (keras.constraints.UnitNorm(1), lambda x: x / (1e-7 + norm(x, None, 1)[:, None])),
    "keras.max_norm": (keras.constraints.MaxNorm(2.0, 1), lambda x: x * np.clip(norm(x, None, 1), 0, 2)[:, None] /
                       (1e-7 + norm(x, None, 1)[:, None])),
    "keras.l2": (keras.regularizers.l2(0.01), lambda x: 0.01 * (x * x).sum()),
}  # fmt: skip


def factors(shape: Any) -> Array:
    """Returns the factors of a result's elements in the sum that is differentiated: numbers of all dtypes."""
    return np.asarray(np.resize([1.0, -0.5, 2.0, 0.75, 1.5, -1.25, 0.5], shape))


def of_package(function: Function, xs: List[Array]) -> List[Tuple[Array, Array]]:
    def weighed(y: Any) -> Any:
        found = fw.cast(function(y), "float64")
        return fw.sum(found * factors(found.shape))

    both = fw.function(lambda y: (function(y), fw.grad(weighed)(y)))
    results = [both(x) for x in xs]
    return [(np.asarray(value), np.asarray(gradient)) for value, gradient in results]


def of_v1(function: Function, xs: List[Array]) -> List[Tuple[Array, Array]]:
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(xs[0].dtype, xs[0].shape)
        value = function(fed)
        wide = tf.cast(value, tf.float64)
        (gradient,) = tf.gradients(tf.reduce_sum(wide * factors(wide.shape.as_list())), [fed])
        results = [session.run([value, gradient], {fed: x}) for x in xs]
        return [(np.asarray(value), np.asarray(gradient)) for value, gradient in results]


# Functions without a derivative, or with one of two; that of softmax is by its result, which is rounded.
WITHOUT = ("norm_0", "corrcoef", "softmax")
SMOOTH_ELSEWHERE = ("median", "quantile", "percentile", "ptp", "norm_inf", "norm_-inf", "matrix_norm_1",
                    "matrix_norm_-1", "matrix_norm_inf", "matrix_norm_-inf", "v1.norm_inf")  # fmt: skip


Run = Callable[[Function, List[Array]], List[Tuple[Array, Array]]]


def check(table: Dict[str, Tuple[Function, Function]], run: Run) -> List[str]:
    failures = []
    for name, (function, exactly) in table.items():
        if NAMES and name not in NAMES:
            continue
        for element, dtype in DTYPES.items():
            info = ml_dtypes.finfo(dtype)
            given = inputs(dtype)
            # The derivative of the same function in float64, which other tests compare with differences.
            slopes_of = [slopes for _, slopes in run(function, [x.astype(np.float64) for x in given.values()])]
            results = run(function, list(given.values()))
            for (size, x), (value, gradient), slopes in zip(given.items(), results, slopes_of):
                wide = x.astype(np.float64)
                with np.errstate(all="ignore"):
                    exact = np.asarray(exactly(wide), np.float64)
                if value.dtype != dtype:
                    failures.append(f"{name} {element}: {value.dtype}")
                # Float32 has 2^-24: of terms that cancel it is seen beside them.
                cancels = float(np.abs(wide).max()) * 2.0**-18 if size == "far" else 0.0
                failures += compare(f"{name} {element} {size}", value, exact, info, 0.75, cancels)
                if size == "equal" or name in WITHOUT or name in SMOOTH_ELSEWHERE and size != "usual":
                    continue
                reach = float(np.nanmax(np.abs(slopes))) * 2.0**-12 + cancels
                failures += compare(f"derivative of {name} {element} {size}", gradient, slopes, info, 0.75, reach)
    return failures


def compare(what: str, found: Array, exact: Array, info: Any, units: float, absolute: float) -> List[str]:
    """Checks that errors are within a number of units in the last place."""
    top, tiny = float(info.max), float(info.smallest_normal)
    value = found.astype(np.float64)
    with np.errstate(all="ignore"):
        spacing = np.exp2(np.floor(np.log2(np.clip(np.abs(exact), tiny, top))) - info.nmant)
        is_near = np.abs(value - exact) <= units * spacing + absolute + np.abs(exact) * 1e-5
        is_beyond = (np.abs(exact) > top * 0.999) & (np.abs(value) >= top * 0.99) & (np.sign(value) == np.sign(exact))
        is_small = (np.abs(exact) < tiny * 8) & (np.abs(value) < tiny * 16)
        is_lost = ~np.isfinite(exact)
    wrong = ~(is_near | is_beyond | is_small | is_lost | (value == exact))
    if "--print" in sys.argv:
        print(what, value.reshape(-1)[:3], exact.reshape(-1)[:3])
    if not wrong.any():
        return []
    i = int(np.argmax(wrong.reshape(-1)))
    return [f"{what}: found {value.reshape(-1)[i]}, expected {exact.reshape(-1)[i]}"]


def test_examples() -> None:
    """Examples of the specification."""
    for dtype in DTYPES.values():
        x = np.array([600, 800], dtype)
        assert float(fw.function(fw.linalg.norm)(x)) == 1000
        found = np.asarray(fw.function(fw.grad(fw.linalg.norm))(x))
        assert np.array_equal(found, np.array([0.6, 0.8]).astype(dtype)), found
        with tf.Graph().as_default(), tf.Session() as session:
            clipped_to_1 = session.run(tf.clip_by_norm(tf.constant(x), 1.0))
            assert np.array_equal(clipped_to_1, np.array([0.6, 0.8]).astype(dtype)), clipped_to_1
    tiny = np.array([3e-4, 4e-4], np.float16)
    assert float(fw.function(fw.linalg.norm)(tiny)) == float(np.float16(math.hypot(*tiny.astype(float))))


def test_midpoints() -> None:
    """Between far numbers, and infinities, as NumPy has them."""
    inf = math.inf
    for dtype in (*DTYPES.values(), np.dtype(np.float32), np.dtype(np.float64)):
        top = float(ml_dtypes.finfo(dtype).max) * 0.9
        for row in ([-top, top], [top, top], [inf, inf], [-inf, 1.0], [-inf, inf], [1.0, inf, inf],
                    [-inf, -inf, 0.0, inf], [0.1, 0.1], [-top, 0.0, top, top], [math.nan, 1.0]):  # fmt: skip
            x = np.array(row, dtype)
            wide = np.sort(x.astype(np.longdouble))
            low, high = wide[(len(row) - 1) // 2], wide[len(row) // 2]
            with np.errstate(invalid="ignore"):
                expected = np.asarray(low / 2 + high / 2, np.float64).astype(dtype)
            expected = np.array(math.nan, dtype) if np.isnan(x.astype(np.float64)).any() else expected
            found = np.asarray(fw.function(fw.median)(x))
            is_nan = np.isnan(found) and np.isnan(expected)
            assert is_nan or np.array_equal(found, expected), (row, dtype, found, expected)
        x = np.array([-top, top], dtype)
        slopes = np.asarray(fw.function(fw.grad(fw.median))(x)).astype(np.float64)
        assert slopes.tolist() == [0.5, 0.5], slopes
        third = np.asarray(fw.function(lambda y: fw.quantile(y, 0.25))(x)).astype(np.float64)
        assert abs(third + top / 2) <= top * 2.0**-7, third
        same = np.asarray(fw.function(lambda y: fw.quantile(y, 0.3))(np.array([0.1, 0.1], dtype)))
        assert same == np.array(0.1, dtype)


def test_wide_ranges() -> None:
    """Edges of bins, and areas, of numbers whose difference or sum the dtype cannot hold."""
    for dtype in (*DTYPES.values(), np.dtype(np.float32), np.dtype(np.float64)):
        top = float(ml_dtypes.finfo(dtype).max)
        x = np.array([-top, -top / 4, top / 2, top], np.float64).astype(dtype)
        counts, edges = (np.asarray(one) for one in fw.function(lambda y: fw.histogram(y, 4))(x))
        assert counts.tolist() == [1, 1, 0, 2], counts
        shares = edges.astype(np.float64) / top
        assert np.allclose(shares, [-1, -0.5, 0, 0.5, 1], rtol=1e-2, atol=1e-7), shares
        area = float(np.asarray(fw.function(fw.trapezoid)(np.array([top, top], dtype))).astype(np.float64))
        assert area == top, area


if __name__ == "__main__":
    NAMES = [name for name in sys.argv[1:] if not name.startswith("--")]
    failures = check(PACKAGE, of_package) + check(V1, of_v1)
    assert not failures, "\n".join(failures) + f"\n{len(failures)} wrong"
    test_examples()
    test_midpoints()
    test_wide_ranges()
