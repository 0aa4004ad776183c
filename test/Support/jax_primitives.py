# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of JAX's primitives: for each of `jax.lax`, calls with small arrays (`import_jax_primitives.py` runs them).

A sample is a function and its arrays; floating-point ones are parameters, which have derivatives, the others inputs.
"""

import functools
import operator
from typing import Any, Callable, List, NamedTuple, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Sample(NamedTuple):
    primitive: str
    what: str
    function: Callable[..., Any]
    arrays: Sequence[Any]

    @property
    def name(self) -> str:
        return f"{self.primitive} {self.what}".strip()


# Primitives of several devices and of tokens, and those that no function of arrays is made of.
LEFT_OUT = {
    "after_all",
    "all_gather",
    "all_to_all",
    "axis_index",
    "create_token",
    "pmax",
    "pmin",
    "ppermute",
    "psum",
    "ragged_all_to_all",
    "sharding_constraint",
    "dce_sink",
    "device_put",
    "stage",
    # Primitives that no function of jax.lax makes, but derivatives and other primitives do.
    "igamma_grad_a",
    "select_and_scatter",
    "reduce_xor",
    "stop_gradient",
    "rng_uniform",
}

_RNG = np.random.default_rng(7)


def normal(*shape: int) -> Any:
    return _RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Any:
    return (0.2 + np.abs(normal(*shape))).astype(np.float32)


def within(*shape: int) -> Any:
    """Between -1 and 1."""
    return (0.9 * np.tanh(normal(*shape))).astype(np.float32)


def whole(*shape: int, low: int = -4, high: int = 5, dtype: Any = np.int32) -> Any:
    return _RNG.integers(low, high, shape).astype(dtype)


def spaced(*shape: int) -> Any:
    """Numbers of which no two are equal, nor nearly."""
    count = int(np.prod(shape))
    return (_RNG.permutation(count).reshape(shape) * 0.3 - count * 0.13).astype(np.float32)


def definite(n: int, *lead: int) -> Any:
    a = normal(*lead, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n, dtype=np.float32)


def _elementwise() -> List[Sample]:
    found: List[Sample] = []
    anywhere = [
        "abs",
        "asinh",
        "atan",
        "cbrt",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "is_finite",
        "logistic",
        "neg",
        "round",
        "sign",
        "sin",
        "sinh",
        "square",
        "tan",
        "tanh",
        "bessel_i0e",
        "bessel_i1e",
    ]
    for name in anywhere:
        found.append(Sample(name, "f32", getattr(lax, name), [normal(3, 5)]))
        found.append(Sample(name, "scalar", getattr(lax, name), [np.float32(0.7)]))
    for name in ("digamma", "lgamma", "log", "log1p", "rsqrt", "sqrt"):
        found.append(Sample(name, "f32", getattr(lax, name), [positive(3, 5)]))
    for name in ("asin", "acos", "atanh", "erf_inv"):
        found.append(Sample(name, "f32", getattr(lax, name), [within(3, 5)]))
    found.append(Sample("acosh", "f32", lax.acosh, [1 + positive(4)]))
    for name in ("abs", "neg", "sign", "bitwise_not", "population_count", "clz", "square"):
        primitive = {"bitwise_not": "not"}.get(name, name)
        for dtype in (np.int32, np.uint8):
            if name == "abs" and dtype == np.uint8:
                continue
            found.append(Sample(primitive, np.dtype(dtype).name, getattr(lax, name), [whole(6, low=0, dtype=dtype)]))
    found.append(Sample("not", "bool", lax.bitwise_not, [np.array([True, False])]))
    found.append(
        Sample(
            "round",
            "to even",
            lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
            [np.array([0.5, 1.5, -2.5, 0.3], np.float32)],
        )
    )
    found.append(Sample("round", "away from zero", lax.round, [np.array([0.5, 1.5, -2.5, 0.3], np.float32)]))
    for name in (
        "add",
        "atan2",
        "div",
        "max",
        "min",
        "mul",
        "nextafter",
        "rem",
        "sub",
        "eq",
        "ge",
        "gt",
        "le",
        "lt",
        "ne",
    ):
        found.append(Sample(name, "f32", getattr(lax, name), [normal(3, 5), normal(3, 5)]))
        if name not in ("atan2", "nextafter"):
            found.append(Sample(name, "i32", getattr(lax, name), [whole(7), whole(7, low=1)]))
    found.append(Sample("pow", "f32", lax.pow, [positive(3, 5), normal(3, 5)]))
    found.append(Sample("pow", "by integers", lax.pow, [normal(7), whole(7)]))
    found.append(Sample("pow", "i32", lambda x, y: x**y, [whole(7), whole(7, low=0)]))
    for exponent in (-2, -1, 0, 1, 2, 3, 7):
        found.append(
            Sample(
                "integer_pow",
                str(exponent),
                functools.partial(lambda x, y: lax.integer_pow(x, y), y=exponent),
                [positive(4)],
            )
        )
    found.append(Sample("integer_pow", "i32", lambda x: lax.integer_pow(x, 3), [whole(5)]))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        primitive = name.removeprefix("bitwise_")
        found.append(Sample(primitive, "i32", getattr(lax, name), [whole(7), whole(7)]))
        found.append(Sample(primitive, "bool", getattr(lax, name), [whole(7) > 0, whole(7) > 1]))
    for name in ("shift_left", "shift_right_arithmetic", "shift_right_logical"):
        found.append(Sample(name, "i32", getattr(lax, name), [whole(7), whole(7, low=0, high=33)]))
    if hasattr(lax, "mulhi"):
        found.append(Sample("mulhi", "i32", lax.mulhi, [whole(5) * 2**29, whole(5) * 2**28]))
        found.append(
            Sample(
                "mulhi",
                "u32",
                lax.mulhi,
                [whole(5, low=0, high=2**32, dtype=np.uint32), whole(5, low=0, high=2**32, dtype=np.uint32)],
            )
        )
    found.append(Sample("clamp", "f32", lax.clamp, [np.float32(-0.5), normal(3, 5), np.float32(0.5)]))
    found.append(Sample("clamp", "i32", lambda x: lax.clamp(-1, x, 2), [whole(9)]))
    found.append(Sample("select_n", "bool", lax.select_n, [whole(3, 5) > 0, normal(3, 5), normal(3, 5)]))
    found.append(
        Sample("select_n", "of three", lax.select_n, [whole(5, low=0, high=3), normal(5), normal(5), normal(5)])
    )
    found.append(Sample("select_n", "scalar", lax.select_n, [np.bool_(True), normal(5), normal(5)]))
    for name in ("eq_to", "le_to", "lt_to"):
        primitive = getattr(lax, f"{name}_p")
        found.append(
            Sample(
                name,
                "f32",
                functools.partial(lambda x, y, p: p.bind(x, y), p=primitive),
                [np.array([0.0, -0.0, np.nan, 1.0], np.float32), np.array([-0.0, 0.0, 1.0, np.nan], np.float32)],
            )
        )
    for name in ("igamma", "igammac"):
        found.append(Sample(name, "f32", getattr(lax, name), [positive(5), positive(5)]))
    found.append(Sample("polygamma", "f32", lax.polygamma, [np.array([1.0, 2.0, 3.0], np.float32), positive(3)]))
    found.append(Sample("zeta", "f32", lax.zeta, [2 + positive(4), positive(4)]))
    found.append(
        Sample(
            "regularized_incomplete_beta",
            "f32",
            lax.betainc,
            [positive(4), positive(4), np.array([0.1, 0.4, 0.6, 0.9], np.float32)],
        )
    )
    narrow: List[Any] = [np.int32, np.int8, np.uint8, np.bool_, np.float16, jnp.bfloat16, np.float64]
    for dtype in narrow:
        found.append(
            Sample(
                "convert_element_type",
                f"f32 to {np.dtype(dtype).name}",
                functools.partial(lambda x, kind: lax.convert_element_type(x, kind), kind=dtype),
                [normal(6) * 3],
            )
        )
    found.append(
        Sample("convert_element_type", "i32 to f32", lambda x: lax.convert_element_type(x, jnp.float32), [whole(6)])
    )
    for dtype in (np.int32, np.uint32, np.int8, np.uint16):
        found.append(
            Sample(
                "bitcast_convert_type",
                f"f32 to {np.dtype(dtype).name}",
                functools.partial(lambda x, kind: lax.bitcast_convert_type(x, kind), kind=dtype),
                [normal(6)],
            )
        )
    found.append(
        Sample(
            "bitcast_convert_type",
            "u8 to i32",
            lambda x: lax.bitcast_convert_type(x, jnp.int32),
            [whole(3, 4, low=0, high=256, dtype=np.uint8)],
        )
    )
    for exponent, mantissa in ((5, 10), (8, 7), (5, 2), (4, 3), (8, 10), (3, 1)):
        found.append(
            Sample(
                "reduce_precision",
                f"{exponent}, {mantissa}",
                functools.partial(lambda x, e, m: lax.reduce_precision(x, e, m), e=exponent, m=mantissa),
                [(normal(9) * 2.0 ** whole(9)).astype(np.float32)],
            )
        )
    for name, function in (
        ("real", lambda x: lax.real(lax.complex(x, 2 * x))),
        ("imag", lambda x: lax.imag(lax.complex(x, 2 * x))),
        ("complex", lambda x: lax.complex(x, x)),
        ("conj", lambda x: lax.real(lax.conj(lax.complex(x, x)))),
    ):
        found.append(Sample(name, "", function, [normal(4)]))
    found.append(Sample("copy", "", lambda x: lax.copy_p.bind(x), [normal(4)]))
    found.append(Sample("optimization_barrier", "", lambda x: lax.optimization_barrier(x) * 2, [normal(4)]))
    return found


def _moving() -> List[Sample]:
    x, y = normal(3, 4, 5), normal(2, 4, 5)
    cases: List[Tuple[str, str, Callable[..., Any], Sequence[Any]]] = [
        ("broadcast_in_dim", "", lambda a: lax.broadcast_in_dim(a, (2, 3, 4), (1,)), [normal(3)]),
        ("broadcast_in_dim", "of 1", lambda a: lax.broadcast_in_dim(a, (2, 3, 4), (1, 2)), [normal(1, 4)]),
        ("broadcast_in_dim", "scalar", lambda a: lax.broadcast(a, (2, 3)), [np.float32(2.0)]),
        ("concatenate", "", lambda a, b: lax.concatenate([a, b], 0), [x, y]),
        ("concatenate", "i32", lambda a, b: lax.concatenate([a, b], 0), [whole(3), whole(2)]),
        ("iota", "", lambda a: a * lax.iota(jnp.float32, 5), [normal(5)]),
        ("iota", "of two dimensions", lambda a: a + lax.broadcasted_iota(jnp.float32, (4, 5), 0), [normal(4, 5)]),
        ("pad", "", lambda a: lax.pad(a, jnp.float32(1.5), ((1, 2, 0), (0, 0, 0), (0, 1, 2))), [x]),
        ("pad", "negative", lambda a: lax.pad(a, jnp.float32(0), ((-1, 2, 1), (0, -2, 0), (-1, -1, 0))), [x]),
        ("pad", "computed", lambda a, b: lax.pad(a, b, ((1, 2, 1), (0, -2, 0), (-1, -1, 0))), [x, np.float32(0.3)]),
        ("pad", "i32", lambda a: lax.pad(a, 7, ((1, 2, 1),)), [whole(4)]),
        ("reshape", "", lambda a: lax.reshape(a, (12, 5)), [x]),
        ("reshape", "with dimensions", lambda a: lax.reshape(a, (20, 3), (2, 1, 0)), [x]),
        ("rev", "", lambda a: lax.rev(a, (0, 2)), [x]),
        ("slice", "", lambda a: lax.slice(a, (1, 0, 1), (3, 4, 5), (1, 2, 3)), [x]),
        ("slice", "empty", lambda a: lax.slice(a, (1, 0, 1), (1, 4, 5)), [x]),
        ("split", "", lambda a: lax.split(a, (1, 3), 1), [x]),
        ("squeeze", "", lambda a: lax.squeeze(a, (0,)), [normal(1, 4)]),
        ("transpose", "", lambda a: lax.transpose(a, (2, 0, 1)), [x]),
        ("tile", "", lambda a: jnp.tile(a, (2, 1, 3)), [x]),
        ("stack", "", lambda a, b: jnp.stack([a, b], 1), [x, x + 1]),
        ("unstack", "", lambda a: jnp.unstack(a, axis=1), [x]),
        (
            "dynamic_slice",
            "",
            lambda a, i, j: lax.dynamic_slice(a, (i, 0, j), (2, 4, 3)),
            [x, np.int32(2), np.int32(-1)],
        ),
        ("dynamic_slice", "i32", lambda a, i: lax.dynamic_slice(a, (i,), (2,)), [whole(6), np.int32(9)]),
        ("dynamic_update_slice", "", lambda a, b, i: lax.dynamic_update_slice(a, b, (i, 0, 0)), [x, y, np.int32(5)]),
        (
            "dynamic_update_slice",
            "one",
            lambda a, b, i: lax.dynamic_update_index_in_dim(a, b, i, 1),
            [x, normal(3, 5), np.int32(1)],
        ),
    ]
    return [Sample(*case) for case in cases]


def _indexed() -> List[Sample]:
    x, i = spaced(5, 4), np.array([3, 0, 3, 7, -1], np.int32)
    found = [
        Sample("gather", "rows", lambda a, n: a[n], [x, i]),
        Sample("gather", "columns", lambda a, n: a[:, n], [x, i[:3]]),
        Sample("gather", "pairs", lambda a, n, m: a[n, m], [x, i[:3], np.array([0, 1, 3], np.int32)]),
        Sample("gather", "fill", lambda a, n: a.at[n].get(mode="fill", fill_value=-2.0), [x, i]),
        Sample("gather", "along an axis", lambda a, n: jnp.take_along_axis(a, n, 1), [x, whole(5, 2, low=0, high=4)]),
        Sample("gather", "windows", lambda a, n: jax.vmap(lambda k: lax.dynamic_slice(a, (k, k), (2, 3)))(n), [x, i]),
        Sample("gather", "batch", jax.vmap(lambda a, n: a[n]), [x, whole(5, 3, low=0, high=4)]),
        Sample("gather", "i32", lambda a, n: a[n], [whole(6), i]),
    ]
    kinds = {
        "scatter": "set",
        "scatter_add": "add",
        "scatter_sub": "subtract",
        "scatter_mul": "multiply",
        "scatter_min": "min",
        "scatter_max": "max",
    }
    apart = np.array([3, 0, 4], np.int32)
    for name, method in kinds.items():
        # JAX has the derivative of a product only where no two places are equal.
        options = {"unique_indices": True} if name == "scatter_mul" else {}

        def update(a: Any, n: Any, b: Any, own: str = method, given: Any = options) -> Any:
            return getattr(a.at[n], own)(b, **given)

        def columns(a: Any, n: Any, b: Any, own: str = method, given: Any = options) -> Any:
            return getattr(a.at[:, n], own)(b, **given)

        def pairs(a: Any, n: Any, b: Any, own: str = method, given: Any = options) -> Any:
            return getattr(a.at[n, n - 1], own)(b, **given)

        # One of two equal places wins, and nothing says which.
        places = apart if name == "scatter" else i
        unique = apart if name in ("scatter", "scatter_mul") else i
        found += [
            Sample(name, "rows", update, [x, unique, spaced(len(unique), 4) + 0.05]),
            Sample(name, "columns", columns, [x, np.array([2, 0], np.int32), spaced(5, 2) + 0.05]),
            Sample(name, "pairs", pairs, [x, apart, spaced(3) + 0.05]),
            Sample(name, "scalar", lambda a, n, b, f=update: f(a, n, b), [x, np.int32(2), spaced(4) + 0.05]),
            Sample(name, "outside", update, [x, np.array([9, 1], np.int32), spaced(2, 4) + 0.05]),
            Sample(name, "i32", update, [whole(6), places, whole(len(places))]),
            Sample(
                name,
                "windows",
                lambda a, n, b, own=method: jax.vmap(lambda c, k, d: getattr(c.at[k], own)(d))(a, n, b),
                [x, np.array([3, 0, 1, 2, 3], np.int32), spaced(5) + 0.05],
            ),
        ]
    found += [
        Sample("scatter_mul", "rows, several times", lambda a, n, b: a.at[n].multiply(b), [whole(6), i, whole(5)]),
        Sample("scatter", "apply", lambda a, n: a.at[n].apply(jnp.sin), [x, apart]),
        Sample("scatter_add", "bool", lambda a, n: a.at[n].max(True), [whole(5) > 0, apart]),
    ]
    return found


def _reductions() -> List[Sample]:
    x = spaced(3, 4, 5)
    found: List[Sample] = []
    for name in ("max", "min", "prod", "sum"):
        function = getattr(jnp, name)
        for axes in ((0,), (1, 2), (0, 1, 2)):
            found.append(
                Sample(f"reduce_{name}", f"{axes}", functools.partial(function, axis=axes), [x * np.float32(0.3)])
            )
        found.append(Sample(f"reduce_{name}", "i32", functools.partial(function, axis=0), [whole(3, 4)]))
    for name, function in (("and", jnp.all), ("or", jnp.any)):
        found.append(Sample(f"reduce_{name}", "bool", functools.partial(function, axis=0), [whole(3, 4) > 0]))

    def reduce(a: Any, function: Any, start: Any, axes: Sequence[int] = (0,)) -> Any:
        return lax.reduce(a, start, function, axes)

    integers = {"and": (lax.bitwise_and, -1), "or": (lax.bitwise_or, 0), "xor": (lax.bitwise_xor, 0)}
    for name, (function, start) in integers.items():
        found.append(
            Sample(
                "reduce",
                f"{name} of i32",
                functools.partial(reduce, function=function, start=np.int32(start)),
                [whole(4, 3)],
            )
        )
    found += [
        Sample(
            "reduce", "xor of bool", functools.partial(reduce, function=lax.bitwise_xor, start=False), [whole(4, 3) > 0]
        ),
        Sample(
            "reduce",
            "a function",
            lambda a: lax.reduce(a, jnp.float32(0), lambda p, q: p + q + p * q, (1,)),
            [normal(3, 4)],
        ),
        Sample(
            "reduce",
            "two tensors",
            lambda a, b: lax.reduce(
                (a, b), (jnp.float32(0), jnp.float32(1)), lambda p, q: (p[0] + q[0], p[1] * q[1]), (1,)
            ),
            [normal(3, 4), normal(3, 4)],
        ),
        # JAX's derivatives take the function to be commutative: integers have none.
        *[
            Sample(
                "reduce",
                f"affine maps, which do not commute, {count}",
                lambda a, b: lax.reduce(
                    (a, b), (np.int32(1), np.int32(0)), lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (0,)
                ),
                [whole(count, 2), whole(count, 2)],
            )
            for count in (2, 3, 4, 7)
        ],
        Sample(
            "reduce",
            "the largest and its neighbour",
            lambda a, b: lax.reduce(
                (a, b),
                (jnp.float32(-9), 0),
                lambda p, q: (jnp.maximum(p[0], q[0]), jnp.where(p[0] > q[0], p[1], q[1])),
                (1,),
            ),
            [spaced(3, 4), whole(3, 4)],
        ),
        Sample("argmax", "f32", lambda a: lax.argmax(a, 1, jnp.int32), [x]),
        Sample("argmin", "f32", lambda a: lax.argmin(a, 1, jnp.int32), [x]),
        Sample("argmax", "i32", lambda a: lax.argmax(a, 0, jnp.int32), [whole(9)]),
        Sample("argmin", "NaN", lambda a: lax.argmin(a, 0, jnp.int32), [np.array([1, np.nan, 0, np.nan], np.float32)]),
    ]
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        function = getattr(lax, name)
        found.append(Sample(name, "", functools.partial(function, axis=1), [spaced(3, 4, 5) * np.float32(0.2)]))
        found.append(
            Sample(name, "reverse", functools.partial(function, axis=0, reverse=True), [spaced(3, 4) * np.float32(0.2)])
        )
        found.append(Sample(name, "long", functools.partial(function, axis=0), [within(300)]))
        if name != "cumlogsumexp":
            found.append(Sample(name, "i32", functools.partial(function, axis=0), [whole(6)]))
    return found


def smaller_samples() -> List[Sample]:
    """Samples of primitives that compute element by element, move and reduce."""
    parts = (_elementwise, _moving, _indexed, _reductions)
    return functools.reduce(operator.iadd, (part() for part in parts), [])


def primitives() -> List[str]:
    """The names that `jax.lax` has for primitives."""
    names = [*dir(lax), *dir(lax.linalg)]
    return sorted({name[:-2] for name in names if name.endswith("_p")} - LEFT_OUT)
