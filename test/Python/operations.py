# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Every operation of the package against NumPy (X4, X7, X9, V3): values, shapes, dtypes."""

from typing import Any, Dict, List

import numpy as np

import flywheel as fw
from beside_numpy import Case, check, f32, floats, i32, i64, ints, rng, u8

a, b, row, column = floats(3, 4), floats(3, 4), floats(4), floats(3, 1)
i, j = ints(3, 4), ints(3, 4, low=1)
u, v = ints(5, low=0, high=255).astype(np.uint8), ints(5, low=1, high=255).astype(np.uint8)
p, q = rng.random((3, 4)) < 0.5, rng.random((3, 4)) < 0.5
positive = np.abs(a) + np.float32(0.1)

# Elementwise, with broadcasting and Python's numbers.
arithmetic: Dict[str, Case] = {
    "add": (lambda x, y: x + y, np.add, [a, b]),
    "add_row": (lambda x, y: x + y, np.add, [a, row]),
    "add_column": (lambda x, y: y + x, np.add, [a, column]),
    "add_outer": (lambda x, y: x + y, np.add, [row, column]),
    "add_number": (lambda x: x + 1, lambda x: x + 1, [a]),
    "add_int_float": (lambda x: x + 0.5, lambda x: x.astype(np.float32) + np.float32(0.5), [i]),
    "add_mixed": (lambda x, y: x + y, lambda x, y: x + y.astype(np.float32), [a, i]),
    "add_bool": (lambda x, y: x + y, np.add, [p, q]),
    "add_bytes": (lambda x, y: x + y, np.add, [u, v]),
    "sub": (lambda x, y: x - y, np.subtract, [a, row]),
    "rsub": (lambda x: 1.5 - x, lambda x: np.float32(1.5) - x, [a]),
    "mul_int": (lambda x, y: x * y, np.multiply, [i, j]),
    "mul_list": (lambda x: x * [1.0, 2.0, 3.0, 4.0], lambda x: x * np.array([1, 2, 3, 4], np.float32), [a]),
    "div": (lambda x, y: x / y, np.divide, [a, positive]),
    "div_int": (lambda x, y: x / y, lambda x, y: (x / y).astype(np.float32), [i, j]),
    "floordiv": (lambda x, y: x // y, np.floor_divide, [i, j]),
    "floordiv_bytes": (lambda x, y: x // y, np.floor_divide, [u, v]),
    "floordiv_float": (lambda x, y: x // y, np.floor_divide, [a, positive]),
    "floordiv_rounded": (lambda x, y: x // y, np.floor_divide, [
        f32([1, -1, 1, -1, 0, -0.0, 6, 5, -5, 1, 0, np.inf, 1e6]),
        f32([0.1, np.inf, -np.inf, 0.1, -3, 3, -0.1, 0.3, 0.3, 0, 0, 1, 0.3])]),
    "mod": (lambda x, y: x % y, np.mod, [i, j]),
    "mod_negative": (lambda x, y: x % -y, lambda x, y: x % -y, [i, j]),
    "mod_float": (lambda x, y: x % y, np.mod, [a, positive]),
    "mod_bytes": (lambda x, y: x % y, np.mod, [u, v]),
    "pow_2": (lambda x: x**2, lambda x: x**2, [a]),
    "pow_half": (lambda x: x**0.5, lambda x: x**0.5, [positive]),
    "pow_inverse": (lambda x: x**-1, lambda x: 1 / x, [positive]),
    "pow": (lambda x, y: x**y, np.power, [positive, b]),
    "pow_int": (lambda x: x**3, lambda x: x**3, [i]),
    "rpow": (lambda x: 2.0**x, lambda x: np.float32(2) ** x, [a]),
    "neg": (lambda x: -x, np.negative, [a]),
    "neg_int": (lambda x: -x, np.negative, [i]),
    "abs": (abs, np.abs, [a]),
    "abs_int": (abs, np.abs, [i]),
    "maximum": (fw.maximum, np.maximum, [a, row]),
    "minimum_bytes": (fw.minimum, np.minimum, [u, v]),
    "maximum_bool": (fw.maximum, np.maximum, [p, q]),
    "clip": (lambda x: fw.clip(x, -0.5, 0.5), lambda x: np.clip(x, np.float32(-0.5), np.float32(0.5)), [a]),
    "sign": (fw.sign, np.sign, [a]),
    "sign_int": (fw.sign, np.sign, [i]),
    "square": (fw.square, np.square, [a]),
    "reciprocal": (fw.reciprocal, np.reciprocal, [positive]),
    "arctan2": (fw.arctan2, np.arctan2, [a, b]),
    "and": (lambda x, y: x & y, np.bitwise_and, [p, q]),
    "and_int": (lambda x, y: x & y, np.bitwise_and, [i, j]),
    "or": (lambda x, y: x | y, np.bitwise_or, [p, q]),
    "xor_bytes": (lambda x, y: x ^ y, np.bitwise_xor, [u, v]),
    "invert": (lambda x: ~x, np.invert, [p]),
    "invert_int": (lambda x: ~x, np.invert, [i]),
    "invert_bytes": (lambda x: ~x, np.invert, [u]),
    "logical_and": (fw.logical_and, np.logical_and, [i, q]),
    "logical_or": (fw.logical_or, np.logical_or, [p, q]),
    "logical_xor": (fw.logical_xor, np.logical_xor, [p, q]),
    "logical_not": (fw.logical_not, np.logical_not, [a]),
    "less": (lambda x, y: x < y, np.less, [a, row]),
    "less_bytes": (lambda x, y: x < y, np.less, [u, v]),
    "less_equal": (lambda x, y: x <= y, np.less_equal, [i, j]),
    "greater": (lambda x: x > 0, lambda x: x > 0, [a]),
    "greater_equal": (lambda x, y: x >= y, np.greater_equal, [a, i]),
    "equal": (lambda x, y: x == y, np.equal, [i, j]),
    "not_equal": (lambda x, y: x != y, np.not_equal, [p, q]),
    "where": (fw.where, np.where, [p, a, row]),
    "where_number": (lambda x: fw.where(x > 0, x, 0), lambda x: np.where(x > 0, x, np.float32(0)), [a]),
    "isnan": (lambda x: fw.isnan(x / x), lambda x: np.isnan(x / x), [f32([1, 0, np.inf])]),
    "isinf": (fw.isinf, np.isinf, [f32([1, np.nan, np.inf])]),
    "isfinite": (fw.isfinite, np.isfinite, [f32([1, np.nan, np.inf])]),
    "round": (fw.round, np.round, [a * 3]),
    "round_decimals": (lambda x: fw.round(x, 2), lambda x: np.round(x, 2), [a]),
    "add_double": (lambda x, y: x + y, np.add, [a.astype(np.float64), b]),
    "wraps": (lambda x: x + np.int16(1), lambda x: x + np.int16(1), [np.array([32767], np.int16)]),
}
with np.errstate(all="ignore"):
    check(arithmetic)

# Functions of one number.
domains: Dict[str, "np.ndarray[Any, Any]"] = {
    "log": positive, "log2": positive, "log10": positive, "sqrt": positive, "log1p": positive,
    "arcsin": np.clip(a, -0.9, 0.9), "arccos": np.clip(a, -0.9, 0.9), "arctanh": np.clip(a, -0.9, 0.9),
    "arccosh": positive + 1}  # fmt: skip
unary = ("exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
         "arccosh arctanh floor ceil trunc rint").split()  # fmt: skip
check({name: (getattr(fw, name), getattr(np, name), [domains.get(name, a).astype(np.float32)]) for name in unary})
check({
    "rsqrt": (fw.rsqrt, lambda x: 1 / np.sqrt(x), [positive]),
    "sigmoid": (fw.sigmoid, lambda x: 1 / (1 + np.exp(-x)), [a]),
    "of_int": (fw.exp, lambda x: np.exp(x.astype(np.float32)), [i]),
    "erf": (fw.erf, lambda x: f32([0.8427008, -0.8427008, 0]), [f32([1, -1, 0])]),
    "stop_gradient": (fw.stop_gradient, lambda x: x, [a]),
})

# Casts.
sources = {"float32": a * 5, "float64": a.astype(np.float64) * 5, "int32": i, "int64": i.astype(np.int64), "bool": p,
           "uint8": u, "int8": i.astype(np.int8), "float16": a.astype(np.float16),
           "uint32": v.astype(np.uint32)}  # fmt: skip
casts: Dict[str, Case] = {}
for source, array in sources.items():
    for target in ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint16", "bool"):
        if target.startswith("u") and array.dtype.kind == "f":
            array = np.abs(array)  # Negative numbers have no meaning there.
        casts[f"{source}_{target}"] = (
            lambda x, t=target: fw.cast(x, t), lambda x, t=target: x.astype(t), [array])  # fmt: skip
check(casts)

# Reductions.
t = floats(2, 3, 4)
reductions: Dict[str, Case] = {
    f"{name}_{axis}_{keep}": (
        lambda x, n=name, ax=axis, k=keep: getattr(fw, n)(x, axis=ax, keepdims=k),
        lambda x, n=name, ax=axis, k=keep: getattr(np, n)(x, axis=ax, keepdims=k),
        [t],
    )
    for name in ("sum", "mean", "max", "min", "prod", "var", "std")
    for axis in (None, 0, -1, (0, 2))
    for keep in (False, True)
}
reductions.update({
    "sum_int": (fw.sum, np.sum, [i]),
    "sum_bool": (fw.sum, np.sum, [p]),
    "sum_bytes": (fw.sum, lambda x: np.sum(x, dtype=np.uint32), [u]),
    "mean_int": (fw.mean, lambda x: np.float32(np.mean(x)), [i]),
    "max_bytes": (fw.max, np.max, [u]),
    "min_bytes": (fw.min, np.min, [u]),
    "any": (lambda x: fw.any(x, axis=1), lambda x: np.any(x, axis=1), [p]),
    "all": (lambda x: fw.all(x, axis=0), lambda x: np.all(x, axis=0), [p]),
    "any_number": (fw.any, np.any, [i]),
    "argmax": (lambda x: fw.argmax(x, 1), lambda x: np.argmax(x, 1), [a]),
    "argmax_flat": (fw.argmax, np.argmax, [a]),
    "argmin": (lambda x: fw.argmin(x, -2), lambda x: np.argmin(x, -2), [i]),
    "argmax_bool": (fw.argmax, np.argmax, [p]),
    "cumsum": (lambda x: fw.cumsum(x, 1), lambda x: np.cumsum(x, 1), [a]),
    "cumsum_flat": (fw.cumsum, np.cumsum, [i]),
    "cumsum_reverse": (lambda x: fw.cumsum(x, 0, exclusive=True, reverse=True),
                       lambda x: np.cumsum(x[::-1], 0)[::-1] - x, [a]),
    "cumprod": (lambda x: fw.cumprod(x, 1), lambda x: np.cumprod(x, 1), [a]),
    "var_ddof": (lambda x: fw.var(x, 0, ddof=1), lambda x: np.var(x, 0, ddof=1), [a]),
    "logsumexp": (lambda x: fw.logsumexp(x, 1), lambda x: np.log(np.sum(np.exp(x), 1)), [a]),
    "norm": (lambda x: fw.norm(x, 1), lambda x: np.linalg.norm(x, axis=1), [a]),
    "methods": (lambda x: x.sum(0) + x.mean(0) + x.max(0) + x.min(0) + x.prod(0) + x.argmax(0) - x.argmin(0),
                lambda x: (x.sum(0) + x.mean(0) + x.max(0) + x.min(0) + x.prod(0)
                           + (x.argmax(0) - x.argmin(0)).astype(np.float32)), [a]),
})  # fmt: skip
check(reductions)

# Shapes.
w = floats(2, 1, 6)
shapes: Dict[str, Case] = {
    "reshape": (lambda x: fw.reshape(x, (4, 6)), lambda x: np.reshape(x, (4, 6)), [t]),
    "reshape_infer": (lambda x: x.reshape(-1, 2), lambda x: x.reshape(-1, 2), [t]),
    "reshape_odd": (lambda x: x.reshape(3, 8), lambda x: x.reshape(3, 8), [t]),
    "reshape_ones": (lambda x: x.reshape(1, 2, 1, 12), lambda x: x.reshape(1, 2, 1, 12), [t]),
    "reshape_scalar": (lambda x: x.reshape(()), lambda x: x.reshape(()), [floats(1, 1)]),
    "reshape_from_scalar": (lambda x: x.reshape(1, 1), lambda x: x.reshape(1, 1), [np.float32(3)]),
    "ravel": (fw.ravel, np.ravel, [t]),
    "transpose": (fw.transpose, np.transpose, [t]),
    "transpose_axes": (lambda x: x.transpose(1, 0, 2), lambda x: x.transpose(1, 0, 2), [t]),
    "T": (lambda x: x.T, lambda x: x.T, [a]),
    "swapaxes": (lambda x: fw.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, -1), [t]),
    "moveaxis": (lambda x: fw.moveaxis(x, 0, 2), lambda x: np.moveaxis(x, 0, 2), [t]),
    "expand_dims": (lambda x: fw.expand_dims(x, 1), lambda x: np.expand_dims(x, 1), [a]),
    "expand_two": (lambda x: fw.expand_dims(x, (0, -1)), lambda x: np.expand_dims(x, (0, -1)), [a]),
    "squeeze": (fw.squeeze, np.squeeze, [w]),
    "squeeze_axis": (lambda x: fw.squeeze(x, 1), lambda x: np.squeeze(x, 1), [w]),
    "broadcast_to": (lambda x: fw.broadcast_to(x, (2, 3, 4)), lambda x: np.broadcast_to(x, (2, 3, 4)), [row]),
    "broadcast_ones": (lambda x: fw.broadcast_to(x, (3, 4)), lambda x: np.broadcast_to(x, (3, 4)), [column]),
    "concatenate": (lambda x, y: fw.concatenate([x, y]), lambda x, y: np.concatenate([x, y]), [a, b]),
    "concatenate_1": (lambda x, y: fw.concatenate([x, y, x], -1), lambda x, y: np.concatenate([x, y, x], -1), [a, b]),
    "concatenate_mixed": (lambda x, y: fw.concatenate([x, y]),
                          lambda x, y: np.concatenate([x, y.astype(np.float32)]), [a, i]),
    "stack": (lambda x, y: fw.stack([x, y], 1), lambda x, y: np.stack([x, y], 1), [a, b]),
    "split": (lambda x: fw.split(x, 2, 2)[1], lambda x: np.split(x, 2, 2)[1], [t]),
    "split_at": (lambda x: fw.split(x, [1, 3], 2)[1], lambda x: np.split(x, [1, 3], 2)[1], [t]),
    "tile": (lambda x: fw.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)), [a]),
    "tile_more": (lambda x: fw.tile(x, (2, 1, 1)), lambda x: np.tile(x, (2, 1, 1)), [a]),
    "repeat": (lambda x: fw.repeat(x, 2, 1), lambda x: np.repeat(x, 2, 1), [a]),
    "repeat_flat": (lambda x: fw.repeat(x, 3), lambda x: np.repeat(x, 3), [a]),
    "roll": (lambda x: fw.roll(x, 1, 1), lambda x: np.roll(x, 1, 1), [a]),
    "roll_back": (lambda x: fw.roll(x, -5, 0), lambda x: np.roll(x, -5, 0), [a]),
    "pad": (lambda x: fw.pad(x, [(1, 0), (0, 2)], 7), lambda x: np.pad(x, [(1, 0), (0, 2)], constant_values=7), [a]),
    "flip": (lambda x: fw.flip(x, 1), lambda x: np.flip(x, 1), [a]),
    "flip_all": (fw.flip, np.flip, [a]),
    "shape": (fw.shape, lambda x: np.array(x.shape), [t]),
    "list": (lambda x: fw.as_tensor([x[0], x[1]]), lambda x: x[:2], [a]),
}
check(shapes)

# A 1 against a size that the call chooses is stretched, also by what takes operands of one shape.
one_row = fw.function(
    lambda x, y: (fw.where(x > 0, y, x), x < y, fw.broadcast_to(x, (fw.dim(y, 0), 4))),
    name="one_row", signature=[fw.spec(1, 4), fw.spec("batch", 4)])  # fmt: skip
for rows in (3, 1):
    given, others = floats(1, 4), floats(rows, 4)
    wanted = np.where(given > 0, others, given), given < others, np.broadcast_to(given, (rows, 4))
    assert all(np.array_equal(found, array) for found, array in zip(one_row(given, others), wanted)), rows

# Indexing.
s = floats(5, 6, 7)
picks, mask = np.array([0, 2, -1]), np.array([[1, 0], [3, 2]])
keys: Dict[str, Any] = {
    "int": 1, "negative": -2, "slice": slice(1, 4), "step": slice(None, None, 2), "back": slice(None, None, -1),
    "back_step": (slice(4, 0, -2), slice(5, 1, -3)), "tail": slice(-2, None), "empty": slice(3, 3),
    "beyond": slice(2, 99), "several": (slice(1, 3), 2, slice(None, 4)), "dots": (..., 3), "dots_front": (1, ..., 2),
    "newaxis": (None, 1, slice(None), None), "array": picks, "array_2d": mask, "array_middle": (slice(None), picks),
    "arrays": (picks, picks), "arrays_apart": (picks, slice(None), picks), "arrays_broadcast": (mask, picks[:2]),
    "array_and_int": (picks, slice(1, 3)), "list": [1, 3], "all": (1, 2, 3)}  # fmt: skip
check({name: (lambda x, k=key: x[k], lambda x, k=key: x[k], [s]) for name, key in keys.items()})
check({
    "take": (lambda x, k: fw.take(x, k, 1), lambda x, k: np.take(x, k, 1), [s, i32([[0, 5], [1, 1]])]),
    "take_along_axis": (lambda x, k: fw.take_along_axis(x, k, 1), lambda x, k: np.take_along_axis(x, k, 1),
                        [a, i64([[0, 3], [1, 1], [2, 0]])]),
    "tensor_index": (lambda x, k: x[k], lambda x, k: x[k], [s, i32([4, 0])]),
    "tensor_indices": (lambda x, k, m: x[k, m], lambda x, k, m: x[k, m], [s, i32([4, 0]), i32([1, 5])]),
    "scalar_index": (lambda x, k: x[k], lambda x, k: x[k], [s, np.int32(3)]),
    "bytes_index": (lambda x, k: x[k], lambda x, k: x[k], [u, u8([1, 2])]),
    "dynamic_slice": (lambda x, k: fw.sum(x[k:]), lambda x, k: np.sum(x[k:]), [s, np.int32(2)]),
})  # fmt: skip

# Products.
m, n, k3, batch = floats(3, 4), floats(4, 5), floats(2, 4, 5), floats(2, 3, 4)
check({
    "matmul": (lambda x, y: x @ y, np.matmul, [m, n]),
    "matmul_vector": (lambda x, y: x @ y, np.matmul, [m, row]),
    "vector_matmul": (lambda x, y: x @ y, np.matmul, [row, n]),
    "vectors": (lambda x, y: x @ y, np.matmul, [row, row]),
    "matmul_rows": (lambda x, y: x @ y, np.matmul, [batch, n]),
    "matmul_batch": (lambda x, y: x @ y, np.matmul, [batch, k3]),
    "matmul_broadcast": (lambda x, y: x @ y, np.matmul, [m, k3]),
    "matmul_broadcast_4": (lambda x, y: x @ y, np.matmul, [floats(3, 1, 3, 4), k3]),
    "matmul_int": (lambda x, y: x @ y, np.matmul, [i, ints(4, 2)]),
    "rmatmul": (lambda x: np.ones((2, 3), np.float32) @ x, lambda x: np.ones((2, 3), np.float32) @ x, [m]),
    "dot": (fw.dot, np.dot, [m, n]),
    "dot_batch": (fw.dot, np.dot, [m, k3]),
    "outer": (fw.outer, np.outer, [row, floats(3)]),
    "tensordot": (fw.tensordot, np.tensordot, [batch, floats(3, 4, 2)]),
    "tensordot_axes": (lambda x, y: fw.tensordot(x, y, ([1], [0])), lambda x, y: np.tensordot(x, y, ([1], [0])),
                       [batch, floats(3, 5)]),
    "diag": (fw.diag, np.diag, [row]),
    "diag_of": (fw.diag, np.diag, [floats(3, 3)]),
    "trace": (fw.trace, np.trace, [floats(3, 3)]),
    "tril": (lambda x: fw.tril(x, 1), lambda x: np.tril(x, 1), [m]),
    "triu": (fw.triu, np.triu, [m]),
})  # fmt: skip
equations: Dict[str, List[Any]] = {
    "ij,jk->ik": [m, n], "ij,jk": [m, n], "bij,bjk->bik": [batch, k3], "ij->ji": [m], "ij->": [m], "ij->j": [m],
    "i,j->ij": [row, row], "i,i": [row, row], "ij,ij->i": [m, m], "bij,jk->bik": [batch, n], "ii->i": [floats(3, 3)],
    "ii": [floats(3, 3)], "...ij,...jk->...ik": [batch, k3], "...i->...": [batch], "bhqd,bhkd->bhqk":
    [floats(2, 3, 4, 5), floats(2, 3, 6, 5)], "ij,jk,kl->il": [m, n, floats(5, 2)], "ij,kj->ik": [m, floats(5, 4)],
    "bij,bjk->ijk": [batch, k3], "abc,cd->dba": [batch, n]}  # fmt: skip
check({f"e{number}": (lambda *x, e=e: fw.einsum(e, *x), lambda *x, e=e: np.einsum(e, *x), args)
       for number, (e, args) in enumerate(equations.items())})  # fmt: skip

# Made of nothing.
check({
    "zeros": (lambda x: fw.zeros((2, 3)) + x, lambda x: np.zeros((2, 3), np.float32) + x, [np.float32(1)]),
    "ones": (lambda x: fw.ones(3, "int32") + x, lambda x: np.ones(3, np.int32) + x, [np.int32(1)]),
    "full": (lambda x: fw.full((2, 2), x), lambda x: np.full((2, 2), x), [np.float32(4)]),
    "full_number": (lambda x: fw.full((2,), 7) + x, lambda x: np.full((2,), 7, np.int32) + x, [np.int32(1)]),
    "zeros_like": (fw.zeros_like, np.zeros_like, [i]),
    "ones_like": (fw.ones_like, np.ones_like, [p]),
    "full_like": (lambda x: fw.full_like(x, 2), lambda x: np.full_like(x, 2), [u]),
    "arange": (lambda x: fw.arange(5) + x, lambda x: np.arange(5, dtype=np.int32) + x, [np.int32(1)]),
    "arange_float": (lambda x: fw.arange(0, 1, 0.25) + x, lambda x: np.arange(0, 1, 0.25).astype(np.float32) + x,
                     [np.float32(1)]),
    "arange_tensor": (lambda x: fw.arange(fw.dim(x, 1)), lambda x: np.arange(x.shape[1]), [a]),
    "linspace": (lambda x: fw.linspace(0, 1, 5) * x, lambda x: np.linspace(0, 1, 5).astype(np.float32) * x,
                 [np.float32(2)]),
    "eye": (lambda x: fw.eye(3) * x, lambda x: np.eye(3, dtype=np.float32) * x, [np.float32(2)]),
    "one_hot": (lambda x: fw.one_hot(x, 3), lambda x: (x[:, None] == np.arange(3)).astype(np.float32),
                [i32([0, 2, 5])]),
    "one_hot_bytes": (lambda x: fw.one_hot(x, 3, "int32"), lambda x: (x[:, None] == np.arange(3)).astype(np.int32),
                      [u8([0, 2])]),
    "constant": (lambda x: fw.constant([1, 2], shape=(2, 2)) + x,
                 lambda x: i32([[1, 2], [2, 2]]) + x, [np.int32(0)]),
})  # fmt: skip


# A size of 1 that is known, beside one that a call chooses.
ends = np.array([[0.5], [2.5]], np.float32)


@fw.function(signature=[fw.TensorSpec((1, None), fw.float32)])
def compared(x: Any) -> Any:
    return x > ends, fw.where(x > ends, x, 0.0), x + ends


for size in (1, 2, 4):
    given = np.arange(size, dtype=np.float32).reshape(1, size)
    wanted_three = (given > ends, np.where(given > ends, given, 0), given + ends)
    for got, each in zip(compared(given), wanted_three):
        np.testing.assert_array_equal(got, each)
