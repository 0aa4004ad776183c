# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B6: ops of StableHLO against JAX: results, and derivatives by one step of gradient descent. A group of them is one
function, which is exported and compiled once."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import flywheel as fw
import flywheel.jax

jax.config.update("jax_enable_x64", True)

Array = Any
# A function of arrays, and the arrays. Those of floating point have derivatives.
Case = Tuple[Callable[..., Any], Sequence[Array]]
RNG = np.random.default_rng(20)


def draw(*shape: int, dtype: Any = np.float64) -> Array:
    return RNG.standard_normal(shape).astype(dtype)


def whole(*shape: int, low: int = 0, high: int = 5, dtype: Any = np.int32) -> Array:
    return RNG.integers(low, high, shape).astype(dtype)


def is_float(x: Any) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.floating))


def weighted(results: Any) -> Any:
    """A scalar that every element has a part in."""
    total = jnp.zeros((), jnp.float64)
    for leaf in jax.tree_util.tree_leaves(results):
        if is_float(leaf):
            weights = jnp.cos(jnp.arange(leaf.size, dtype=jnp.float64)).reshape(leaf.shape)
            total = total + jnp.sum(weights * leaf.astype(jnp.float64))
    return total


def check(cases: Dict[str, Case], rtol: float = 1e-10, derivatives: bool = True) -> None:
    params = {name: {str(i): a for i, a in enumerate(args) if is_float(a)} for name, (_, args) in cases.items()}
    inputs = {name: {str(i): a for i, a in enumerate(args) if not is_float(a)} for name, (_, args) in cases.items()}

    def run(own: Any, given: Any) -> Any:
        return {
            name: f(*[{**own[name], **given[name]}[str(i)] for i in range(len(args))])
            for name, (f, args) in cases.items()
        }

    with fw.Namespace(), fw.Store():
        ours = flywheel.jax.from_function(run, params, (inputs,))
        compare(ours(inputs), jax.jit(run)(params, inputs), rtol)
    if not derivatives:
        return

    def loss(own: Any, given: Any) -> Any:
        return weighted(run(own, given))

    with fw.Namespace(), fw.Store():
        ours = flywheel.jax.from_function(loss, params, (inputs,), optimizer=fw.optimizers.SGD(lr=1.0))
        ours.step(inputs)
        gradients = jax.tree_util.tree_map(lambda old, new: old - new, params, ours.params())
        compare(gradients, jax.jit(jax.grad(loss))(params, inputs), rtol * 100, "derivative of ", 1e-11)


def compare(found: Any, expected: Any, rtol: float, what: str = "", atol: float = 0.0) -> None:
    wanted = jax.tree_util.tree_flatten_with_path(expected)[0]
    leaves = jax.tree_util.tree_leaves(found)
    assert len(leaves) == len(wanted)
    for one, (path, other) in zip(leaves, wanted):
        name = what + jax.tree_util.keystr(path)
        other = np.asarray(other)
        assert one.shape == other.shape and one.dtype == other.dtype, (name, one.dtype, one.shape, other)
        wide = np.float64 if is_float(one) else one.dtype
        scale = (
            max(1.0, float(np.max(np.abs(other[np.isfinite(other)].astype(wide)), initial=0.0)))
            if is_float(other)
            else 0
        )
        np.testing.assert_allclose(
            one.astype(wide), other.astype(wide), rtol if is_float(one) else 0, (atol + rtol) * scale, err_msg=name
        )


#
# Element by element
#

UNARY = {
    "abs": lax.abs,
    "cbrt": lax.cbrt,
    "ceil": lax.ceil,
    "cos": lax.cos,
    "exp": lax.exp,
    "expm1": lax.expm1,
    "floor": lax.floor,
    "is_finite": lax.is_finite,
    "logistic": lax.logistic,
    "neg": lax.neg,
    "sin": lax.sin,
    "sign": lax.sign,
    "tan": lax.tan,
    "tanh": lax.tanh,
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "asinh": lax.asinh,
    "atan": lax.atan,
    "erf": lax.erf,
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "silu": jax.nn.silu,
    "softplus": jax.nn.softplus,
    "softmax": jax.nn.softmax,
    "log_softmax": jax.nn.log_softmax,
    "elu": jax.nn.elu,
    "relu6": jax.nn.relu6,
    "hard_swish": jax.nn.hard_swish,
    "round": lax.round,
    "round_even": lambda x: lax.round(x * 2, lax.RoundingMethod.TO_NEAREST_EVEN) / 2,
    "square": lax.square,
    "cube": lambda x: x**3,
    "stop": lambda x: lax.stop_gradient(x) * x,
    "erfc": lax.erfc,
    "selu": jax.nn.selu,
    "logsumexp": lambda x: jax.nn.logsumexp(x, -1),
    "clip": lambda x: jnp.clip(x, -0.5, 0.5),
    "clamp": lambda x: lax.clamp(-0.5, x, 0.5),
    "standardize": jax.nn.standardize,
    "nan_to_num": jnp.nan_to_num,
    "isnan": jnp.isnan,
    "logaddexp": lambda x: jnp.logaddexp(x, 0.3),
    "hypot": lambda x: jnp.hypot(x, 2.0),
    "precision": lambda x: lax.reduce_precision(x, 8, 7),
}
POSITIVE = {
    "log": lax.log,
    "log1p": lax.log1p,
    "rsqrt": lax.rsqrt,
    "sqrt": lax.sqrt,
    "lgamma": lax.lgamma,
    "digamma": lax.digamma,
    "acosh": lambda x: lax.acosh(x + 1),
    "power": lambda x: x**0.7,
}
SMALL = {"asin": lax.asin, "acos": lax.acos, "atanh": lax.atanh, "erf_inv": lax.erf_inv}


def test_unary() -> None:
    cases: Dict[str, Case] = {name: (f, [draw(3, 5)]) for name, f in UNARY.items()}
    cases.update({name: (f, [np.exp(draw(7))]) for name, f in POSITIVE.items()})
    cases.update({name: (f, [np.tanh(draw(7)) * 0.9]) for name, f in SMALL.items()})
    check(cases)


def test_ties() -> None:
    """At points without a derivative, the result is JAX's."""
    x = np.array([-1.0, 0.0, 0.0, 0.5, 2.0])
    same = np.array([-1.0, 1.0, 0.0, 0.5, -2.0])
    check(
        {
            "relu": (jax.nn.relu, [x]),
            "maximum": (lambda a: jnp.maximum(a, 0.0), [x]),
            "abs": (jnp.abs, [x]),
            "pair": (lambda a, b: (jnp.maximum(a, b), jnp.minimum(a, b)), [x, same]),
            "clamp": (lambda a: lax.clamp(-1.0, a, 0.5), [x]),
            "clip": (lambda a: jnp.clip(a, -1.0, 0.5), [x]),
            "bounds": (lambda a, low: lax.clamp(low, a, jnp.ones(5)), [x, np.full(5, 0.25)]),
            "max": (jnp.max, [x[1:3]]),
            "relu6": (jax.nn.relu6, [np.array([0.0, 6.0, 1.0])]),
            "signs": (lambda a: 1 / (jnp.abs(a) + 1), [np.array([0.0, -0.0, -2.0])]),
        }
    )


def test_binary() -> None:
    a, b = draw(3, 5), draw(3, 5)
    functions = {
        "add": lax.add,
        "sub": lax.sub,
        "mul": lax.mul,
        "div": lax.div,
        "max": lax.max,
        "min": lax.min,
        "atan2": lax.atan2,
        "rem": lax.rem,
        "mod": jnp.mod,
        "floor_divide": jnp.floor_divide,
        "eq": lax.eq,
        "ne": lax.ne,
        "lt": lax.lt,
        "le": lax.le,
        "gt": lax.gt,
        "ge": lax.ge,
        "where": lambda x, y: jnp.where(x > y, x, y * 2),
        "outer": lambda x, y: x[:, None] * y[None],
        "copysign": jnp.copysign,
    }
    cases: Dict[str, Case] = {name: (f, [a, b]) for name, f in functions.items()}
    cases["pow"] = (lax.pow, [np.exp(a), b])
    cases["scalar"] = (lambda x, y: x * y + 1, [a, np.array(2.0)])
    check(cases)


def test_integers() -> None:
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        limits = np.iinfo(dtype)
        a = np.array([limits.min, limits.max, 7, 100, 3, 0, limits.max - 2], dtype)
        b = np.array([limits.max, 3, 0, 7, 2, 1, 5], dtype)
        shifts = np.array([1, 3, 0, 7, 2, 200 if limits.max > 200 else 100, 5], dtype)
        if limits.min < 0:
            a[3], b[0] = -100, -1
        pairs = {
            "add": lax.add,
            "sub": lax.sub,
            "mul": lax.mul,
            "div": lax.div,
            "rem": lax.rem,
            "max": lax.max,
            "min": lax.min,
            "and": lax.bitwise_and,
            "or": lax.bitwise_or,
            "xor": lax.bitwise_xor,
            "lt": lax.lt,
            "eq": lax.eq,
            "dot": lambda x, y: x @ y,
        }
        shifted = {"shl": lax.shift_left, "shr": lax.shift_right_logical, "sar": lax.shift_right_arithmetic}
        single = {
            "not": lax.bitwise_not,
            "neg": lax.neg,
            "sign": lax.sign,
            "pop": lax.population_count,
            "clz": lax.clz,
            "abs": jnp.abs,
            "sum": jnp.sum,
            "prod": jnp.prod,
            "largest": jnp.max,
            "least": jnp.min,
            "cumsum": jnp.cumsum,
            "float": lambda x: x.astype(jnp.float64),
            "narrow": lambda x: x.astype(jnp.int8),
            "wide": lambda x: x.astype(jnp.uint64),
            "clamp": lambda x: jnp.clip(x, 2, 50),
            "sort": jnp.sort,
            "mod": lambda x: (x // 3, x % 3),
            "cube": lambda x: x**3,
        }
        cases: Dict[str, Case] = {name: (f, [a, b]) for name, f in pairs.items()}
        cases.update({name: (f, [a, shifts]) for name, f in shifted.items()})
        cases.update({name: (f, [a]) for name, f in single.items()})
        if dtype is not np.uint64:
            cases["argmax"] = (lambda x: (jnp.argmax(x), jnp.argmin(x)), [a])
        check(cases, derivatives=False)


def test_integers_of_floats() -> None:
    """Out of range is the nearest integer, NaN is 0."""
    ends = [2.0**n * sign for n in (7, 8, 15, 16, 31, 32, 63, 64, 80) for sign in (1, -1)]
    values = [0.0, -0.0, 0.75, -0.75, 127.5, -128.5, -1.0, 255.9, np.inf, -np.inf, np.nan, *ends]
    for dtype in (np.float32, np.float64):
        wide = np.array(values, dtype)
        x = np.concatenate([wide, np.nextafter(wide, dtype(0)), np.nextafter(wide, dtype(np.inf))])
        cases: Dict[str, Case] = {
            kind.__name__: (lambda x, kind=kind: lax.convert_element_type(x, kind), [x])
            for kind in (jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32, jnp.uint32, jnp.int64, jnp.uint64)
        }
        check(cases, derivatives=False)


def test_flags() -> None:
    flags = np.array([True, False, True, True])
    others = flags[[1, 0, 2, 3]]
    check(
        {
            "flags": (
                lambda x, y: (
                    x & y,
                    x | y,
                    x ^ y,
                    ~x,
                    jnp.any(x),
                    jnp.all(y),
                    x.astype(jnp.int32),
                    x.sum(),
                    jnp.where(x, 1, 2),
                    jnp.sort(x),
                    x[::-1],
                    x[jnp.array([2, 0])],
                    x == y,
                    jnp.maximum(x, y),
                ),
                [flags, others],
            ),
            "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.float32), [np.array([1065353216, 7], np.uint32)]),
        },
        derivatives=False,
    )


def test_dtypes() -> None:
    """Half precision, from which derivatives come as JAX has them."""
    for dtype, rtol in ((np.float32, 1e-5), (np.float16, 4e-3), (jnp.bfloat16, 3e-2)):
        a, b = draw(4, 6, dtype=dtype), draw(6, 3, dtype=dtype)
        check(
            {
                "dot": (lambda x, y: x @ y, [a, b]),
                "tanh": (jnp.tanh, [a]),
                "sum": (lambda x: x.sum(0), [a]),
                "softmax": (jax.nn.softmax, [a]),
                "wide": (lambda x: x.astype(jnp.float32) * 2, [a]),
                "constant": (lambda x: x * jnp.array([1.5, -np.inf, 0.25], dtype), [np.abs(b)]),
                "many": (
                    lambda x: x + jnp.arange(6, dtype=dtype) * jnp.asarray(np.arange(24).reshape(4, 6), dtype),
                    [a],
                ),
                "product": (lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32), [a, b]),
                "max": (lambda x: x.max(1), [a]),
                "pad": (lambda x: jnp.pad(x, 1), [a]),
                "sort": (jnp.sort, [a]),
                "lookup": (lambda x: x[jnp.array([2, 0, 2])], [a]),
            },
            rtol=rtol,
        )


#
# Moving elements
#


def test_shapes() -> None:
    x, y = draw(3, 4, 5), draw(2, 4, 5)
    check(
        {
            "reshape": (lambda a: a.reshape(12, 5), [x]),
            "flat": (jnp.ravel, [x]),
            "ones": (lambda a: a[None, :, None], [x]),
            "transpose": (lambda a: a.transpose(2, 0, 1), [x]),
            "swap": (lambda a: a.swapaxes(0, 2), [x]),
            "broadcast": (lambda a: jnp.broadcast_to(a, (2, 3, 4, 5)), [x]),
            "column": (lambda a: a[:, :1] + a, [x]),
            "reverse": (lambda a: a[::-1, :, ::-1], [x]),
            "concatenate": (lambda a, b: jnp.concatenate([a, b]), [x, y]),
            "stack": (lambda a: jnp.stack([a, 2 * a], 1), [x]),
            "slice": (lambda a: a[1:, ::2, 1:4], [x]),
            "empty": (lambda a: a[3:], [x]),
            "pad": (lambda a: jnp.pad(a, ((1, 2), (0, 0), (3, 1)), constant_values=7), [x]),
            "interior": (lambda a: lax.pad(a, 2.0, ((1, 0, 2), (-1, 0, 0), (-2, 3, 1))), [x]),
            "computed": (lambda a, v: lax.pad(a, v, ((1, 0, 2), (0, 0, 0), (0, 1, 0))), [x, np.array(0.5)]),
            "edges": (lambda a: jnp.pad(a, ((1, 2), (0, 0), (3, 1)), mode="edge"), [x]),
            "reflected": (lambda a: jnp.pad(a, ((1, 2), (0, 0), (3, 1)), mode="reflect"), [x]),
            "tile": (lambda a: jnp.tile(a, (2, 1, 3)), [x]),
            "repeat": (lambda a: jnp.repeat(a, 3, 1), [x]),
            "roll": (lambda a: jnp.roll(a, 2, 1), [x]),
            "split": (lambda a: jnp.split(a, [1, 3], 1), [x]),
            "iota": (lambda a: a * lax.broadcasted_iota(jnp.float64, (3, 4, 5), 1), [x]),
            "tril": (jnp.tril, [x]),
            "eye": (lambda a: a[0] @ jnp.eye(5), [x]),
            "scalar": (lambda a: a[1, 2, 3], [x]),
            "diagonal": (lambda a: jnp.diagonal(a[:, :3, 0]), [x]),
            "zero": (lambda a: a.sum(1) + 1, [draw(3, 0, 4)]),
            "none": (lambda a: (a * 2).reshape(0, 12), [draw(3, 0, 4)]),
            "linspace": (lambda a: a * jnp.linspace(0, 1, 5), [x]),
            "squeeze": (lambda a: jnp.squeeze(a[:1]), [x]),
            "moveaxis": (lambda a: jnp.moveaxis(a, 0, 2), [x]),
            "meshgrid": (lambda a: a * jnp.meshgrid(jnp.arange(4.0), jnp.arange(5.0), indexing="ij")[0], [x]),
        }
    )


def test_products() -> None:
    a, b, w = draw(3, 4, 5), draw(3, 5, 2), draw(5, 7)
    check(
        {
            "matrix": (lambda x, y: x[0] @ y, [a, w]),
            "dense": (lambda x, y: x @ y, [a, w]),
            "turned": (lambda x, y: x @ y.T, [a, draw(7, 5)]),
            "left": (lambda x, y: x.T @ y, [draw(4, 3), draw(4, 2)]),
            "both": (lambda x, y: x.T @ y.T, [draw(4, 3), draw(2, 4)]),
            "batch": (lambda x, y: x @ y, [a, b]),
            "vector": (lambda x, y: x @ y, [a, draw(5)]),
            "inner": (jnp.vdot, [draw(9), draw(9)]),
            "outer": (jnp.outer, [draw(3), draw(4)]),
            "heads": (lambda x, y: jnp.einsum("bthd,bshd->bhts", x, y), [draw(2, 5, 3, 4), draw(2, 6, 3, 4)]),
            "values": (lambda x, y: jnp.einsum("bhts,bshd->bthd", x, y), [draw(2, 3, 5, 6), draw(2, 6, 3, 4)]),
            "two": (lambda x, y: jnp.tensordot(x, y, ([1, 2], [1, 0])), [a, draw(5, 4, 2)]),
            "rows": (lambda x, y: jnp.einsum("bi,bi->b", x, y), [draw(3, 4), draw(3, 4)]),
            "middle": (lambda x, y: jnp.einsum("ibj,jk->ikb", x, y), [a, w]),
            "nothing": (lambda x, y: x @ y, [draw(3, 0), draw(0, 2)]),
            "one": (lambda x, y: x @ y, [draw(1, 1), draw(1, 1)]),
            "three": (lambda x, y, z: jnp.einsum("ab,bc,cd->ad", x, y, z), [draw(2, 3), draw(3, 4), draw(4, 2)]),
        }
    )


def convolve(layout: Tuple[str, str, str], **options: Any) -> Callable[[Any, Any], Any]:
    settings = {"window_strides": (1, 1), "padding": "SAME", **options}
    return lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=layout, **settings)


NHWC = ("NHWC", "HWIO", "NHWC")
NCHW = ("NCHW", "OIHW", "NCHW")


def test_convolutions() -> None:
    x, w = draw(2, 7, 6, 4), draw(3, 2, 4, 5)
    turned = x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)
    check(
        {
            "nhwc": (convolve(NHWC), [x, w]),
            "nchw": (convolve(NCHW), turned),
            "valid": (convolve(NHWC, padding="VALID"), [x, w]),
            "strides": (convolve(NHWC, window_strides=(2, 3)), [x, w]),
            "padding": (convolve(NHWC, padding=((3, 0), (1, 2))), [x, w]),
            "negative": (convolve(NHWC, padding=((-1, 2), (0, -1))), [x, w]),
            "dilation": (convolve(NCHW, rhs_dilation=(2, 2)), turned),
            "groups": (convolve(NHWC, feature_group_count=2), [x, draw(3, 3, 2, 6)]),
            "depthwise": (convolve(NCHW, feature_group_count=4), [turned[0], draw(4, 1, 3, 3)]),
            "mixed": (convolve(("NCHW", "HWIO", "NHWC")), [turned[0], w]),
            "transpose": (lambda a, b: lax.conv_transpose(a, b, (2, 2), "SAME"), [x, w]),
            "transpose_valid": (lambda a, b: lax.conv_transpose(a, b, (2, 3), "VALID"), [x, w]),
            "transpose_kernel": (
                lambda a, b: lax.conv_transpose(a, b, (2, 2), "SAME", transpose_kernel=True),
                [draw(2, 3, 3, 5), w],
            ),
            "spread": (convolve(NHWC, lhs_dilation=(2, 1), window_strides=(2, 2), padding=((1, 1), (0, 3))), [x, w]),
            "spread_groups": (
                convolve(NHWC, lhs_dilation=(2, 2), padding=((1, 2), (0, 1)), feature_group_count=2),
                [x, draw(3, 3, 2, 6)],
            ),
            "line": (
                lambda a, b: lax.conv_general_dilated(a, b, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
                [draw(2, 9, 3), draw(3, 3, 4)],
            ),
            "volume": (
                lambda a, b: lax.conv_general_dilated(
                    a, b, (2, 1, 1), "SAME", rhs_dilation=(1, 2, 1), dimension_numbers=("NDHWC", "DHWIO", "NDHWC")
                ),
                [draw(1, 5, 4, 3, 2), draw(3, 2, 2, 2, 3)],
            ),
            "numpy": (lambda a, b: jnp.convolve(a, b, "same"), [draw(9), draw(3)]),
        }
    )


def pool(function: Any, initial: Any, window: Sequence[int], strides: Sequence[int], padding: Any) -> Any:
    return lambda x: lax.reduce_window(x, initial, function, window, strides, padding)


def test_windows() -> None:
    x = draw(2, 7, 6, 3)
    largest, total = (lax.max, -jnp.inf), (lax.add, 0.0)
    check(
        {
            "max": (pool(*largest, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [x]),
            "max_same": (pool(*largest, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), [x]),
            "max_nchw": (pool(*largest, (1, 1, 2, 3), (1, 1, 2, 1), "SAME"), [x]),
            "max_wide": (pool(*largest, (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (2, 3), (0, 2), (0, 0))), [x]),
            "min": (pool(lax.min, jnp.inf, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), [x]),
            "sum": (pool(*total, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [x]),
            "sum_same": (pool(*total, (1, 3, 2, 1), (1, 1, 2, 1), "SAME"), [x]),
            "mean": (
                lambda a: (
                    pool(*total, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")(a)
                    / pool(*total, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")(jnp.ones_like(a))
                ),
                [x],
            ),
            "line": (pool(*largest, (1, 3, 1), (1, 2, 1), "SAME"), [x[0]]),
            "first": (pool(*total, (2, 1, 1), (1, 1, 1), "VALID"), [x[0]]),
            "volume": (pool(*total, (1, 2, 3, 2), (1, 1, 2, 1), "VALID"), [x]),
            "dilated": (
                lambda a: lax.reduce_window(
                    a, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", window_dilation=(1, 2, 3, 1)
                ),
                [x],
            ),
            "cumsum": (lambda a: jnp.cumsum(a, 1), [x]),
            "cumprod": (lambda a: jnp.cumprod(a, 2), [x]),
            "reverse": (lambda a: lax.cumsum(a, 1, reverse=True), [x]),
            "cummax": (lambda a: lax.cummax(a, 1), [x]),
            "whole": (pool(lax.add, np.int32(0), (2, 2), (2, 2), "SAME"), [whole(5, 4)]),
            "flags": (pool(lax.bitwise_or, False, (2, 2), (2, 2), "SAME"), [whole(5, 4) > 3]),
        }
    )
    check(
        {
            "initial": (pool(lax.add, 3.0, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [x]),
            "product": (pool(lax.mul, 1.0, (1, 2, 2, 1), (1, 1, 1, 1), "SAME"), [x]),
        },
        derivatives=False,
    )


def test_reductions() -> None:
    x = draw(3, 4, 5)
    x[1, 2, 3] = x[1].max() + 1
    nans = draw(3, 4)
    nans[1, 2] = np.nan
    flags = x > 0
    check(
        {
            "sum": (jnp.sum, [x]),
            "rows": (lambda a: a.sum((0, 2)), [x]),
            "mean": (lambda a: a.mean(1, keepdims=True), [x]),
            "max": (lambda a: a.max(1), [x]),
            "min": (jnp.min, [x]),
            "prod": (lambda a: a.prod(2), [x]),
            "var": (lambda a: a.var(0), [x]),
            "std": (lambda a: a.std(-1, ddof=1), [x]),
            "norm": (jnp.linalg.norm, [x[0]]),
            "argmax": (lambda a: (jnp.argmax(a, 1), jnp.argmin(a, 2), jnp.argmax(a)), [x]),
            "any": (lambda a: (jnp.any(a, 1), jnp.all(a, (0, 2)), a.sum(1)), [flags]),
            "initial": (lambda a: jnp.max(a, 1, initial=0.5), [x]),
            "masked": (lambda a: jnp.sum(a, 1, where=a > 0), [x]),
            "nothing": (lambda a: (a.sum(1), a.prod()), [draw(3, 0)]),
            "scalar": (jnp.sum, [np.array(3.0)]),
            "median": (lambda a: jnp.median(a, 1), [x]),
            "quantile": (lambda a: jnp.quantile(a, 0.3), [x]),
        }
    )
    check(
        {
            "nan": (
                lambda a: (a.max(1), a.min(0), jnp.argmax(a, 1), jnp.argmin(a, 1), jnp.sort(a), jnp.nansum(a)),
                [nans],
            )
        },
        derivatives=False,
    )


def test_solvers() -> None:
    """Factors and triangular systems that JAX has LAPACK for, with JAX's derivatives; and solutions of systems, whose
    derivative is not that of what computes them."""
    x = draw(5, 5)
    a, b, many = x @ x.T + 5 * np.eye(5), draw(5, 3), np.stack([x.T @ x + np.eye(5), x @ x.T + 4 * np.eye(5)])
    solve = jax.scipy.linalg.solve_triangular
    check(
        {
            "cholesky": (jnp.linalg.cholesky, [a]),
            "one_triangle": (jax.scipy.linalg.cholesky, [a]),
            "cholesky_of_many": (jnp.linalg.cholesky, [many]),
            "lower": (lambda a, b: solve(a, b, lower=True), [a, b]),
            "upper_transposed": (lambda a, b: solve(a, b, trans=1, unit_diagonal=True), [a, b]),
            "from_the_right": (
                lambda a, b: lax.linalg.triangular_solve(a, b.T, left_side=False, lower=True, transpose_a=True),
                [a, b],
            ),
            "vector": (lambda a, b: solve(a, b[:, 1]), [a, b]),
            "one_for_many": (lambda a, b: jax.vmap(lambda c: solve(a, c, lower=True))(b), [a, draw(4, 5, 2)]),
            "by_a_factor": (lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), [a, b]),
            "positive_definite": (lambda a, b: jax.scipy.linalg.solve(a, b, assume_a="pos"), [a, b]),
        }
    )
    with fw.Namespace(), fw.Store():
        ours = flywheel.jax.from_function(lambda _, a: jnp.linalg.cholesky(a), {}, (a,))
        np.testing.assert_array_equal(ours(-a), jnp.linalg.cholesky(-a))


def run(tests: List[Callable[[], None]]) -> None:
    for test in tests:
        test()


if __name__ == "__main__":
    run([test for name, test in list(globals().items()) if name.startswith("test_")])
