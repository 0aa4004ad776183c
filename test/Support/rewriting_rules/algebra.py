# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Identities of sums, products, functions and matrices."""

from typing import Any

import numpy as np

import flywheel as fw
from rewriting_rules.rule import Pair, Rng, normal, pick, rule, size, sizes, some_shape


def some_axes(rng: Rng, rank: int) -> Any:
    return tuple(sorted(int(i) for i in rng.permutation(rank)[: size(rng, 1, rank)]))


@rule
def sums_of_parts(rng: Rng) -> Pair:
    shape = some_shape(rng)
    k = size(rng, 0, shape[0])
    return Pair([normal(rng, *shape)], lambda x: fw.sum(x, 0), lambda x: fw.sum(x[:k], 0) + fw.sum(x[k:], 0))


@rule
def sums_along_many(rng: Rng) -> Pair:
    shape = some_shape(rng, 2)
    axes = some_axes(rng, len(shape))

    def one_by_one(x: Any) -> Any:
        for axis in reversed(axes):
            x = fw.sum(x, axis)
        return x

    return Pair([normal(rng, *shape)], lambda x: fw.sum(x, axes), one_by_one)


@rule
def reductions_unrolled(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    whole, each = pick(rng, [(fw.max, fw.maximum), (fw.min, fw.minimum), (fw.prod, fw.multiply),
                             (fw.logsumexp, fw.logaddexp), (fw.sum, fw.add)])  # fmt: skip

    def unrolled(x: Any) -> Any:
        found = x[:, 0]
        for i in range(1, b):
            found = each(found, x[:, i])
        return found

    return Pair([normal(rng, a, b)], lambda x: whole(x, 1), unrolled)


@rule
def means_and_deviations(rng: Rng) -> Pair:
    shape = some_shape(rng, 2)
    axes = some_axes(rng, len(shape))
    return Pair([normal(rng, *shape)], lambda x: fw.var(x, axes, keepdims=True),
                lambda x: fw.mean(x * x, axes, keepdims=True) - fw.square(fw.mean(x, axes, keepdims=True)))  # fmt: skip


@rule
def cumulative_sums(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    ones = np.tril(np.ones((a, a)))
    return Pair([normal(rng, a, b)], lambda x: fw.cumsum(x, 0), lambda x: fw.matmul(fw.constant(ones, x.dtype), x))


@rule
def cumulative_options(rng: Rng) -> Pair:
    a, b = size(rng), size(rng, 2, 5)
    name = pick(rng, ["cumsum", "cumprod"])
    neutral = 0.0 if name == "cumsum" else 1.0

    def plain(x: Any) -> Any:
        found = getattr(fw, name)(fw.flip(x, 1), 1)
        first = fw.full((a, 1), neutral, x.dtype)
        return fw.flip(fw.concatenate([first, found[:, :-1]], 1), 1)

    return Pair([normal(rng, a, b)], lambda x: getattr(fw.nn, name)(x, 1, exclusive=True, reverse=True), plain)


@rule
def cumulative_products(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    return Pair([normal(rng, a, b)], lambda x: fw.cumprod(x, 1),
                lambda x: fw.stack([fw.prod(x[:, : i + 1], 1) for i in range(b)], 1))  # fmt: skip


@rule
def matrix_products(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    how = pick(rng, [lambda x, y: fw.einsum("ab,bc->ac", x, y), lambda x, y: fw.tensordot(x, y, 1),
                     lambda x, y: fw.dot(x, y), lambda x, y: fw.transpose(fw.transpose(y) @ fw.transpose(x)),
                     lambda x, y: fw.sum(fw.expand_dims(x, 2) * fw.expand_dims(y, 0), 1),
                     lambda x, y: fw.stack([x @ y[:, i] for i in range(c)], 1),
                     lambda x, y: fw.stack([x[i] @ y for i in range(a)]),
                     lambda x, y: fw.nn.matmul(fw.transpose(x), fw.transpose(y), transpose_a=True, transpose_b=True),
                     lambda x, y: sum((fw.outer(x[:, i], y[i]) for i in range(b)), fw.zeros((a, c), x.dtype)),
                     lambda x, y: fw.nn.dense(x, y, fw.zeros((c,), x.dtype))])  # fmt: skip
    return Pair([normal(rng, a, b), normal(rng, b, c)], fw.matmul, how)


@rule
def split_products(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    k = size(rng, 0, b)
    return Pair([normal(rng, a, b), normal(rng, b, c)], fw.matmul, lambda x, y: x[:, :k] @ y[:k] + x[:, k:] @ y[k:])


@rule
def batches_of_products(rng: Rng) -> Pair:
    n, a, b, c = sizes(rng, 4)
    how = pick(rng, [lambda x, y: fw.stack([x[i] @ y[i] for i in range(n)]), fw.vmap(fw.matmul),
                     lambda x, y: fw.einsum("nab,nbc->nac", x, y),
                     lambda x, y: fw.map(lambda both: both[0] @ both[1], (x, y))])  # fmt: skip
    return Pair([normal(rng, n, a, b), normal(rng, n, b, c)], fw.matmul, how)


@rule
def distributed(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    return Pair([normal(rng, a, b), normal(rng, b, c), normal(rng, b, c)], lambda x, y, z: x @ (y + z),
                lambda x, y, z: x @ y + x @ z)  # fmt: skip


@rule
def associated(rng: Rng) -> Pair:
    a, b, c, d = sizes(rng, 4)
    how = pick(rng, [lambda x, y, z: fw.linalg.multi_dot([x, y, z]), lambda x, y, z: x @ (y @ z),
                     lambda x, y, z: fw.einsum("ab,bc,cd->ad", x, y, z)])  # fmt: skip
    return Pair([normal(rng, a, b), normal(rng, b, c), normal(rng, c, d)], lambda x, y, z: (x @ y) @ z, how)


@rule
def same_on_both_sides(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    return Pair([normal(rng, a, b)], lambda x: fw.transpose(x) @ x,
                lambda x: fw.sum(fw.expand_dims(x, 1) * fw.expand_dims(x, 2), 0))  # fmt: skip


@rule
def traces(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    return Pair([normal(rng, a, b), normal(rng, b, a)], lambda x, y: fw.trace(x @ y),
                lambda x, y: fw.sum(x * fw.transpose(y)))  # fmt: skip


@rule
def kronecker(rng: Rng) -> Pair:
    a, b, c, d = sizes(rng, 4, 1, 3)
    return Pair([normal(rng, a, b), normal(rng, c, d)], fw.kron,
                lambda x, y: fw.reshape(fw.einsum("ab,cd->acbd", x, y), (a * c, b * d)))  # fmt: skip


@rule
def functions(rng: Rng) -> Pair:
    """Draws two equal functions of numbers between 0.1 and 3."""
    left, right = pick(rng, [
        (lambda x: fw.exp(fw.log(x)), lambda x: x * 1.0), (lambda x: fw.sqrt(x) * fw.rsqrt(x), lambda x: x / x),
        (lambda x: fw.power(x, 3.0), lambda x: x * x * x), (lambda x: fw.power(x, 0.5), fw.sqrt),
        (lambda x: fw.power(x, -1.0), fw.reciprocal), (fw.log2, lambda x: fw.log(x) / float(np.log(2))),
        (lambda x: fw.log(x * x), lambda x: 2.0 * fw.log(x)), (fw.tanh, lambda x: 2.0 * fw.sigmoid(2.0 * x) - 1.0),
        (lambda x: fw.sin(x) ** 2.0 + fw.cos(x) ** 2.0, lambda x: x * 0.0 + 1.0), (fw.expm1, lambda x: fw.exp(x) - 1.0),
        (lambda x: fw.sin(2.0 * x), lambda x: 2.0 * fw.sin(x) * fw.cos(x)), (fw.cbrt, lambda x: x ** (1 / 3)),
        (fw.sinh, lambda x: (fw.exp(x) - fw.exp(-x)) / 2.0), (fw.cosh, lambda x: (fw.exp(x) + fw.exp(-x)) / 2.0),
        (fw.erf, lambda x: 1.0 - fw.erfc(x)), (fw.log1p, lambda x: fw.log(1.0 + x)),
        (fw.tan, lambda x: fw.sin(x * 1.0) / fw.cos(x)),
        (fw.nn.silu, lambda x: x * fw.sigmoid(x)), (fw.nn.softplus, lambda x: fw.logaddexp(x, 0.0 * x)),
        (fw.exp2, lambda x: fw.exp(x * float(np.log(2)))), (fw.arctan, lambda x: fw.arctan2(x, fw.ones_like(x))),
        (fw.nn.gelu, lambda x: x * (1.0 + fw.erf(x / float(np.sqrt(2)))) / 2.0), (fw.abs, lambda x: fw.maximum(x, -x)),
        (fw.nn.elu, lambda x: fw.where(x > 0, x, fw.expm1(x))), (fw.nn.relu6, lambda x: fw.clip(x, 0.0, 6.0)),
        (fw.nn.softsign, lambda x: x / (1.0 + fw.abs(x))), (fw.arcsinh, lambda x: fw.log(x + fw.sqrt(x * x + 1.0))),
        (lambda x: fw.arccosh(x + 1.0), lambda x: fw.log(x + 1.0 + fw.sqrt((x + 1.0) * (x + 1.0) - 1.0))),
        (lambda x: fw.arctanh(x / 4.0), lambda x: 0.5 * fw.log((4.0 + x) / (4.0 - x))),
        (lambda x: fw.arcsin(x / 4.0), lambda x: fw.arctan2(x / 4.0, fw.sqrt(1.0 - x * x / 16.0))),
        (lambda x: fw.arccos(x / 4.0), lambda x: float(np.pi / 2) - fw.arcsin(x / 4.0)),
        (lambda x: fw.lgamma(x + 1.0), lambda x: fw.lgamma(x) + fw.log(x)),
        (lambda x: fw.hypot(x, 2.0 * x), lambda x: float(np.sqrt(5)) * x),
        (lambda x: fw.sinc(x), lambda x: fw.sin(float(np.pi) * x) / (float(np.pi) * x)),
    ])  # fmt: skip
    return Pair([rng.uniform(0.1, 3.0, some_shape(rng))], left, right, is_fixed=True)


@rule
def norms(rng: Rng) -> Pair:
    shape = some_shape(rng, 2)
    axis = int(rng.integers(len(shape)))
    left, right = pick(rng, [
        (lambda x: fw.norm(x, axis), lambda x: fw.sqrt(fw.sum(x * x, axis))),
        (lambda x: fw.linalg.norm(x, 3, axis), lambda x: fw.sum(fw.abs(x) ** 3.0, axis) ** (1 / 3)),
        (lambda x: fw.linalg.norm(x, 1, axis), lambda x: fw.sum(fw.abs(x), axis)),
        (lambda x: fw.std(x, axis), lambda x: fw.sqrt(fw.var(x, axis) + 0.0)) if shape[axis] > 1 else
        (lambda x: fw.sum(x, axis), lambda x: x.sum(axis)),
        (lambda x: fw.average(x, axis), lambda x: fw.mean(x, axis)),
        (lambda x: fw.ptp(x, axis), lambda x: fw.max(x, axis) - fw.min(x, axis)),
    ])  # fmt: skip
    return Pair([normal(rng, *shape)], left, right)


@rule
def softmaxes(rng: Rng) -> Pair:
    shape = some_shape(rng, 2)
    left, right = pick(rng, [
        (fw.nn.softmax, lambda x: fw.exp(x) / fw.sum(fw.exp(x), -1, keepdims=True)),
        (fw.nn.softmax, lambda x: fw.exp(fw.nn.log_softmax(x))),
        (fw.nn.log_softmax, lambda x: x - fw.logsumexp(x, -1, keepdims=True)),
        (fw.nn.softmax, lambda x: fw.nn.softmax(x - fw.max(x, -1, keepdims=True))),
        (lambda x: fw.logsumexp(x, -1), lambda x: fw.nn.logcumsumexp(x, -1 % len(shape))[..., -1]),
    ])  # fmt: skip
    return Pair([normal(rng, *shape)], left, right)


def positive(rng: Rng, *shape: int) -> Any:
    x = normal(rng, *shape)
    return x @ np.swapaxes(x, -1, -2) + 2 * np.eye(shape[-1])


@rule
def systems(rng: Rng) -> Pair:
    n, k = sizes(rng, 2, 1, 4)
    left, right = pick(rng, [
        (lambda a, b: fw.linalg.solve(a, a @ b), lambda a, b: b * 1.0),
        (fw.linalg.solve, lambda a, b: fw.linalg.inv(a) @ b),
        (lambda a, b: fw.linalg.det(a) * b, lambda a, b: fw.linalg.slogdet(a)[0] * fw.exp(fw.linalg.slogdet(a)[1]) * b),
        (lambda a, b: fw.linalg.inv(fw.linalg.inv(a)) @ b, lambda a, b: a @ b),
        (lambda a, b: fw.linalg.det(fw.transpose(a)) * b, lambda a, b: fw.linalg.det(a) * b),
        (lambda a, b: fw.linalg.matrix_power(a, 3) @ b, lambda a, b: a @ (a @ (a @ b))),
        (lambda a, b: fw.linalg.matrix_power(a, -2) @ b, lambda a, b: fw.linalg.solve(a, fw.linalg.solve(a, b))),
        (lambda a, b: fw.linalg.solve(a, b), lambda a, b: fw.linalg.pinv(a) @ b),
    ])  # fmt: skip
    return Pair([positive(rng, n, n), normal(rng, n, k)], left, right, is_fixed=True)


@rule
def factors(rng: Rng) -> Pair:
    n, k = sizes(rng, 2, 1, 4)

    def by_factor(a: Any, b: Any) -> Any:
        a = (a + fw.transpose(a)) / 2.0
        factor = fw.linalg.cholesky(a)
        half = fw.linalg.solve_triangular(factor, b, lower=True)
        return fw.linalg.solve_triangular(factor, half, lower=True, trans=True)

    return Pair([positive(rng, n, n), normal(rng, n, k)], by_factor,
                lambda a, b: fw.linalg.solve((a + fw.transpose(a)) / 2.0, b), is_fixed=True)  # fmt: skip


@rule
def several_systems(rng: Rng) -> Pair:
    count, n, k = sizes(rng, 3, 1, 4)
    left, right = pick(rng, [
        (fw.linalg.solve, fw.vmap(fw.linalg.solve)),
        (lambda a, b: fw.expand_dims(fw.linalg.det(a), (1, 2)) * b,
         lambda a, b: fw.stack([fw.linalg.det(a[i]) * b[i] for i in range(count)])),
        (lambda a, b: fw.linalg.inv(a) @ b, lambda a, b: fw.stack([fw.linalg.inv(a[i]) @ b[i] for i in range(count)])),
    ])  # fmt: skip
    return Pair([positive(rng, count, n, n), normal(rng, count, n, k)], left, right)


@rule
def polynomials(rng: Rng) -> Pair:
    n, m = size(rng, 1, 5), size(rng)
    return Pair([normal(rng, n), normal(rng, m)], fw.polyval,
                lambda p, x: sum((p[i] * x ** float(n - 1 - i) for i in range(n)), fw.zeros_like(x)))  # fmt: skip
