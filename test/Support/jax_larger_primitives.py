# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of JAX's windows, products, orders, control flow and factors of matrices; see `jax_primitives.py`."""

import functools
import operator
from typing import Any, Dict, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_complex_samples import complex_samples
from jax_primitives import Sample, definite, normal, positive, smaller_samples, spaced, whole


def _windows() -> List[Sample]:
    image = spaced(2, 7, 6, 3) * np.float32(0.05)
    found: List[Sample] = []
    kinds = {
        "reduce_window_max": (lax.max, -np.inf),
        "reduce_window_min": (lax.min, np.inf),
        "reduce_window_sum": (lax.add, 0.0),
        "reduce_window": (lax.mul, 1.0),
    }
    forms: Dict[str, Tuple[Any, ...]] = {
        "same": ((1, 2, 2, 1), (1, 2, 2, 1), "SAME"),
        "valid": ((1, 3, 2, 1), (1, 1, 2, 1), "VALID"),
        "padded": ((1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 2), (2, 0), (0, 0))),
        "negative": ((1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (-1, 0), (0, -2), (0, 0))),
        "dilated": ((1, 2, 2, 1), (1, 1, 1, 1), "VALID", None, (1, 2, 2, 1)),
        "of a dilated image": ((1, 3, 3, 1), (1, 2, 2, 1), "VALID", (1, 2, 2, 1), None),
        "of a dilated image, padded": (
            (1, 2, 2, 1),
            (1, 1, 2, 1),
            ((0, 0), (1, 0), (0, 1), (0, 0)),
            (1, 2, 3, 1),
            None,
        ),
        "of all dimensions": ((2, 2, 2, 2), (1, 2, 2, 1), "VALID"),
    }
    for name, (function, start) in kinds.items():
        for what, form in forms.items():

            def run(a: Any, own: Any = function, first: Any = start, given: Any = form) -> Any:
                return lax.reduce_window(a, np.asarray(first, a.dtype), own, *given)

            found.append(Sample(name, what, run, [image]))
        whole_start = {-np.inf: -(2**31), np.inf: 2**31 - 1}.get(start, start)
        found.append(
            Sample(
                name,
                "i32",
                lambda a, own=function, first=whole_start: lax.reduce_window(
                    a, np.int32(first), own, (2, 3), (1, 2), "SAME"
                ),
                [whole(5, 6)],
            )
        )
    found += [
        Sample(
            "reduce_window",
            "a function",
            lambda a: lax.reduce_window(a, jnp.float32(0), lambda p, q: p + q + p * q, (2,), (1,), "VALID"),
            [normal(6)],
        ),
        Sample(
            "reduce_window",
            "two tensors",
            lambda a, b: lax.reduce_window(
                (a, b), (jnp.float32(0), jnp.float32(0)), lambda p, q: (p[0] + q[0], p[1] + q[1]), (2,), (1,), "VALID"
            ),
            [normal(6), normal(6)],
        ),
        Sample(
            "reduce_window_sum",
            "with a start",
            lambda a: lax.reduce_window(a, jnp.float32(2), lax.add, (2,), (1,), "SAME"),
            [normal(6)],
        ),
        Sample(
            "reduce_window_max",
            "3 dimensions",
            lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID"),
            [spaced(1, 4, 4, 4, 2)],
        ),
        Sample(
            "select_and_scatter_add",
            "",
            lambda a: jax.grad(
                lambda b: jnp.sum(jnp.sin(lax.reduce_window(b, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")))
            )(a),
            [spaced(1, 5, 4, 2)],
        ),
        Sample(
            "select_and_gather_add",
            "",
            lambda a, t: jax.jvp(
                lambda b: lax.reduce_window(b, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), (a,), (t,)
            )[1],
            [spaced(1, 5, 4, 2), normal(1, 5, 4, 2)],
        ),
    ]
    return found


def _products() -> List[Sample]:
    found = [
        Sample("dot_general", "matrix", lax.dot, [normal(3, 4), normal(4, 5)]),
        Sample("dot_general", "vectors", lax.dot, [normal(4), normal(4)]),
        Sample("dot_general", "batch", lax.batch_matmul, [normal(2, 3, 4), normal(2, 4, 5)]),
        Sample(
            "dot_general",
            "several",
            lambda a, b: lax.dot_general(a, b, (((1, 3), (0, 2)), ((0,), (1,)))),
            [normal(2, 3, 4, 5), normal(3, 2, 5, 6)],
        ),
        Sample("dot_general", "i32", lax.dot, [whole(3, 4), whole(4, 5)]),
        Sample(
            "dot_general",
            "i8 to i32",
            lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32),
            [whole(3, 4, dtype=np.int8), whole(4, 5, dtype=np.int8)],
        ),
    ]
    image, filters = normal(2, 7, 6, 4), normal(3, 2, 4, 6)
    numbers = ("NHWC", "HWIO", "NHWC")

    def convolve(a: Any, w: Any, **options: Any) -> Any:
        return lax.conv_general_dilated(
            a, w, **{"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": numbers, **options}
        )

    # No negative pads: XLA reads what is beside the image then.
    forms: Dict[str, Dict[str, Any]] = {
        "same": {},
        "valid": {"padding": "VALID"},
        "strides": {"window_strides": (2, 3)},
        "pads": {"padding": ((2, 1), (0, 3))},
        "dilated filter": {"rhs_dilation": (2, 2)},
        "dilated image": {"lhs_dilation": (2, 3), "padding": ((1, 1), (2, 0))},
        "dilated image and strides": {"lhs_dilation": (2, 2), "window_strides": (2, 1), "padding": ((1, 0), (1, 2))},
    }
    for what, options in forms.items():
        found.append(Sample("conv_general_dilated", what, functools.partial(convolve, **options), [image, filters]))
    found += [
        Sample(
            "conv_general_dilated",
            "groups",
            functools.partial(convolve, feature_group_count=2),
            [image, normal(3, 2, 2, 6)],
        ),
        Sample(
            "conv_general_dilated",
            "each channel",
            functools.partial(convolve, feature_group_count=4),
            [image, normal(3, 2, 1, 8)],
        ),
        Sample(
            "conv_general_dilated",
            "batch groups",
            functools.partial(convolve, batch_group_count=2),
            [image, normal(3, 2, 4, 6)],
        ),
        Sample(
            "conv_general_dilated",
            "batch groups, each",
            functools.partial(convolve, batch_group_count=2),
            [image, normal(3, 2, 4, 2)],
        ),
        Sample("conv_general_dilated", "i32", convolve, [whole(1, 4, 4, 2), whole(2, 2, 2, 3)]),
        Sample(
            "conv_general_dilated",
            "1 dimension",
            lambda a, w: lax.conv_general_dilated(a, w, (2,), "SAME"),
            [normal(2, 3, 8), normal(4, 3, 3)],
        ),
        Sample(
            "conv_general_dilated",
            "3 dimensions",
            lambda a, w: lax.conv_general_dilated(a, w, (1, 1, 1), "VALID"),
            [normal(1, 2, 4, 4, 4), normal(3, 2, 2, 2, 2)],
        ),
        Sample(
            "conv_general_dilated",
            "transposed",
            lambda a, w: lax.conv_transpose(a, w, (2, 2), "SAME"),
            [image, normal(3, 3, 4, 2)],
        ),
        Sample(
            "conv_general_dilated",
            "gradient of filters",
            lambda a, w: jax.grad(lambda v: jnp.sum(jnp.sin(convolve(a, v, feature_group_count=2))))(w),
            [image, normal(3, 2, 2, 6)],
        ),
    ]
    return found


def _ordered() -> List[Sample]:
    return [
        Sample("sort", "f32", lax.sort, [spaced(3, 6)]),
        Sample("sort", "along 0", lambda a: lax.sort(a, dimension=0), [spaced(6, 3)]),
        Sample("sort", "i32", lax.sort, [whole(9)]),
        Sample("sort", "by keys", lambda a, b: lax.sort((a, b), num_keys=1), [whole(9), normal(9)]),
        Sample("sort", "by two keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2), [whole(9), whole(9), normal(9)]),
        Sample("sort", "NaN", lax.sort, [np.array([1, np.nan, -0.0, 0.0, -np.inf], np.float32)]),
        Sample("top_k", "", lambda a: lax.top_k(a, 2), [spaced(3, 6)]),
        Sample("top_k", "i32", lambda a: lax.top_k(a, 3), [whole(9)]),
        Sample("approx_top_k", "", lambda a: lax.approx_max_k(a, 2), [spaced(3, 6)]),
        Sample(
            "rng_bit_generator",
            "",
            lambda k: lax.rng_bit_generator(k, (3,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY),
            [np.array([3, 5, 7, 9], np.uint32)],
        ),
        Sample(
            "rng_bit_generator",
            "uniform",
            lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (4,)),
            [np.array([3, 5], np.uint32)],
        ),
    ]


def _control() -> List[Sample]:
    def loop(a: Any) -> Any:
        return lax.while_loop(lambda s: s[1] < 3, lambda s: (jnp.sin(s[0]), s[1] + 1), (a, 0))[0]

    return [
        Sample("cond", "", lambda a, b: lax.cond(b, jnp.sin, jnp.cos, a), [normal(4), np.bool_(False)]),
        Sample("cond", "switch", lambda a, b: lax.switch(b, [jnp.sin, jnp.cos, jnp.tanh], a), [normal(4), np.int32(7)]),
        Sample(
            "scan", "", lambda a, b: lax.scan(lambda c, x: (c * x + 1, jnp.sin(c)), a, b), [normal(4), normal(5, 4)]
        ),
        Sample(
            "scan",
            "reverse",
            lambda a, b: lax.scan(lambda c, x: (c * x + 1, c), a, b, reverse=True),
            [normal(4), normal(5, 4)],
        ),
        Sample("while", "fori", lambda a: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) + i, a), [normal(4)]),
        Sample("while", "of a condition", lambda a: lax.stop_gradient(loop(a)) + a, [normal(4)]),
        Sample("while", "map", lambda a: lax.map(jnp.cumsum, a), [normal(3, 4)]),
        Sample(
            "linear_solve",
            "",
            lambda a, b: lax.custom_linear_solve(
                lambda x: a @ x, b, lambda _, y: jnp.linalg.inv(a) @ y, lambda _, y: jnp.linalg.inv(a).T @ y
            ),
            [definite(3), normal(3)],
        ),
        Sample(
            "linear_solve",
            "cg",
            lambda a, b: jax.scipy.sparse.linalg.cg(lambda x: a @ x, b, maxiter=3)[0] * 0 + b,
            [definite(3), normal(3)],
        ),
    ]


def _linear() -> List[Sample]:
    linalg = lax.linalg
    found = [
        Sample("cholesky", "", linalg.cholesky, [definite(3)]),
        Sample("cholesky", "batch", linalg.cholesky, [definite(3, 2)]),
        Sample("lu", "", lambda a: linalg.lu(a)[0], [normal(4, 4)]),
        Sample("lu", "all", linalg.lu, [normal(3, 4)]),
        Sample(
            "lu_pivots_to_permutation",
            "",
            lambda a: linalg.lu_pivots_to_permutation(a, 4),
            [np.array([2, 3, 2, 3], np.int32)],
        ),
        Sample("qr", "", lambda a: linalg.qr(a, full_matrices=False), [normal(4, 3)]),
        Sample("qr", "wide", lambda a: jnp.linalg.qr(a)[1][:, :1], [normal(3, 3)]),
        Sample("qr", "batch", lambda a: linalg.qr(a, full_matrices=False), [normal(2, 4, 3)]),
        Sample("householder_product", "", lambda a, t: linalg.householder_product(a, t), [normal(4, 3), positive(3)]),
        Sample("eigh", "", lambda a: linalg.eigh(a, symmetrize_input=True)[1], [definite(4)]),
        Sample("eigh", "vectors", lambda a: (lambda v: jnp.abs(v))(linalg.eigh(a)[0]), [definite(3)]),
        Sample("eigh", "batch", lambda a: linalg.eigh(a)[1], [definite(3, 2)]),
        Sample("svd", "values", lambda a: linalg.svd(a, compute_uv=False), [normal(4, 3)]),
        Sample("svd", "vectors", lambda a: [jnp.abs(x) for x in linalg.svd(a, full_matrices=False)], [normal(4, 3)]),
        Sample("svd", "wide", lambda a: [jnp.abs(x) for x in linalg.svd(a, full_matrices=False)], [normal(3, 4)]),
        Sample("eig", "", lambda a: jnp.real(linalg.eig(a)[0]), [normal(3, 3)]),
        Sample("schur", "", lambda a: linalg.schur(a)[0], [normal(3, 3)]),
        Sample("hessenberg", "", lambda a: linalg.hessenberg(a)[0], [normal(3, 3)]),
        Sample("tridiagonal", "", lambda a: linalg.tridiagonal(a)[1], [definite(3)]),
        Sample(
            "tridiagonal_solve", "", linalg.tridiagonal_solve, [positive(4), 4 + positive(4), positive(4), normal(4, 1)]
        ),
        Sample(
            "triangular_solve",
            "",
            lambda a, b: linalg.triangular_solve(a, b, left_side=True, lower=True),
            [definite(3), normal(3, 2)],
        ),
        Sample(
            "triangular_solve",
            "right",
            lambda a, b: linalg.triangular_solve(a, b, transpose_a=True),
            [definite(3), normal(2, 3)],
        ),
        Sample("cholesky_update", "", lambda a, b: linalg.cholesky_update(a, b), [np.triu(definite(3)), normal(3)]),
        Sample("symmetric_product", "", lambda a, c: linalg.symmetric_product(a, c), [normal(3, 4), definite(3)]),
        Sample("lu", "solve", jnp.linalg.solve, [normal(3, 3), normal(3)]),
        Sample("lu", "inverse", jnp.linalg.inv, [normal(3, 3)]),
        Sample("lu", "determinant", lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a)[1]), [normal(4, 4)]),
        Sample("svd", "pinv", jnp.linalg.pinv, [normal(4, 3)]),
        Sample("svd", "norms", lambda a: (jnp.linalg.norm(a, 2), jnp.linalg.norm(a, "nuc")), [normal(4, 3)]),
        Sample("ormqr", "", lambda a, t, c: linalg.ormqr(a, t, c), [normal(4, 3), positive(3), normal(4, 2)]),
    ]
    for what, function in {
        "rfft": lambda a: jnp.abs(jnp.fft.rfft(a)),
        "fft": lambda a: jnp.real(jnp.fft.fft(a)),
        "irfft": lambda a: jnp.fft.irfft(jnp.fft.rfft(a) * 2),
        "ifft": lambda a: jnp.imag(jnp.fft.ifft(a)),
        "rfft2": lambda a: jnp.real(jnp.fft.rfft2(a)),
        "convolution": lambda a: jax.scipy.signal.fftconvolve(a, a, mode="same"),
    }.items():
        found.append(Sample("fft", what, function, [normal(4, 6)]))
    return found


def all_samples() -> List[Sample]:
    parts = (smaller_samples, _windows, _products, _ordered, _control, _linear, complex_samples)
    return functools.reduce(operator.iadd, (part() for part in parts), [])
