# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces and the whole, orders of elements, indices."""

from typing import Any, List

import numpy as np

import flywheel as fw
from rewriting_rules.rule import Pair, Rng, normal, pick, rule, size, sizes, some_shape

ELEMENTWISE = (fw.sin, fw.tanh, fw.exp, fw.square, fw.nn.softplus, fw.sigmoid, fw.nn.gelu, fw.abs, fw.nn.elu, fw.erf)


def places(rng: Rng, length: int) -> List[int]:
    """Draws the positions at which a dimension is cut, perhaps into empty parts."""
    return sorted(int(rng.integers(0, length + 1)) for _ in range(size(rng, 0, 3)))


def pieces(x: Any, cuts: List[int], axis: int) -> List[Any]:
    ends = [0, *cuts, x.shape[axis]]
    return [x[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(ends, ends[1:])]


@rule
def split_and_join(rng: Rng) -> Pair:
    shape = some_shape(rng)
    axis, f = int(rng.integers(len(shape))), pick(rng, ELEMENTWISE)
    cuts = places(rng, shape[axis])
    return Pair([normal(rng, *shape)], f, lambda x: fw.concatenate([f(y) for y in fw.split(x, cuts, axis)], axis))


@rule
def slices_and_join(rng: Rng) -> Pair:
    shape = some_shape(rng)
    axis, f = int(rng.integers(len(shape))), pick(rng, ELEMENTWISE)
    cuts = places(rng, shape[axis])
    return Pair([normal(rng, *shape)], lambda x: fw.concatenate(pieces(f(x), cuts, axis), axis), f)


@rule
def unstack_and_stack(rng: Rng) -> Pair:
    shape = some_shape(rng)
    axis = int(rng.integers(len(shape)))
    return Pair([normal(rng, *shape)], lambda x: x * x,
                lambda x: fw.stack([y * y for y in fw.unstack(x, axis)], axis))  # fmt: skip


@rule
def set_pieces(rng: Rng) -> Pair:
    shape = some_shape(rng)
    cuts = [0, *places(rng, shape[0]), shape[0]]

    def by_pieces(x: Any) -> Any:
        found = fw.zeros_like(x)
        for a, b in zip(cuts, cuts[1:]):
            found = found.at[a:b].set(fw.sin(x[a:b]))
        return found

    return Pair([normal(rng, *shape)], by_pieces, fw.sin)


@rule
def strided_set_and_add(rng: Rng) -> Pair:
    shape = some_shape(rng)
    step = size(rng, 1, 3)
    return Pair([normal(rng, *shape), normal(rng, *shape)],
                lambda x, y: x.at[::step].add(y[::step]),
                lambda x, y: x + fw.where(fw.expand_dims(fw.arange(shape[0]) % step == 0, list(range(1, len(shape)))),
                                          y, 0.0))  # fmt: skip


@rule
def transposes(rng: Rng) -> Pair:
    shape = some_shape(rng, 2)
    order = [int(i) for i in rng.permutation(len(shape))]
    back = [order.index(i) for i in range(len(shape))]
    f = pick(rng, ELEMENTWISE)
    return Pair([normal(rng, *shape)], f, lambda x: fw.transpose(f(fw.transpose(x, order)), back))


@rule
def transposed_reshape(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    return Pair([normal(rng, a, b, c)], lambda x: fw.reshape(fw.transpose(x, (1, 0, 2)), (b * a, c)),
                lambda x: fw.concatenate([x[:, i] for i in range(b)], 0))  # fmt: skip


@rule
def flips(rng: Rng) -> Pair:
    shape = some_shape(rng)
    axis = int(rng.integers(len(shape)))
    key = (slice(None),) * axis + (slice(None, None, -1),)
    return Pair([normal(rng, *shape)], lambda x: fw.flip(fw.sin(x), axis), lambda x: fw.sin(x[key]))


@rule
def rolls(rng: Rng) -> Pair:
    shape = some_shape(rng)
    axis, shift = int(rng.integers(len(shape))), int(rng.integers(-7, 8))
    k = shift % shape[axis]

    def joined(x: Any) -> Any:
        front, back = pieces(x, [shape[axis] - k], axis)
        return fw.concatenate([back, front], axis)

    return Pair([normal(rng, *shape)], lambda x: fw.roll(x, shift, axis), joined)


@rule
def pads(rng: Rng) -> Pair:
    shape = some_shape(rng)
    widths = [(size(rng, 0, 3), size(rng, 0, 3)) for _ in shape]

    def joined(x: Any) -> Any:
        for axis, (before, after) in enumerate(widths):
            rest = list(x.shape)
            parts = []
            for width in (before, after):
                rest[axis] = width
                parts.append(fw.zeros(rest, x.dtype))
            x = fw.concatenate([parts[0], x, parts[1]], axis)
        return x

    def crop(x: Any) -> Any:
        return x[tuple(slice(a, a + n) for (a, _), n in zip(widths, shape))]

    if rng.random() < 0.5:
        return Pair([normal(rng, *shape)], lambda x: crop(fw.pad(x, widths)), lambda x: x * 1.0)
    return Pair([normal(rng, *shape)], lambda x: fw.pad(x, widths), joined)


@rule
def padded_modes(rng: Rng) -> Pair:
    shape = sizes(rng, 2, 3, 5)
    mode = pick(rng, ["edge", "reflect", "symmetric", "wrap"])
    widths = [(size(rng, 0, 2), size(rng, 0, 2)) for _ in shape]
    places = [np.pad(np.arange(n), width, mode) for n, width in zip(shape, widths)]
    return Pair([normal(rng, *shape)], lambda x: fw.pad(x, widths, mode),
                lambda x: fw.take(fw.take(x, places[0], 0), places[1], 1))  # fmt: skip


@rule
def lookups(rng: Rng) -> Pair:
    rows, width, count = size(rng), size(rng), size(rng, 0, 6)
    indices = rng.integers(0, rows, count).astype(np.int32)
    return Pair([normal(rng, rows, width)], lambda x: fw.take(x, indices, 0),
                lambda x: fw.matmul(fw.one_hot(indices, rows, dtype=x.dtype), x))  # fmt: skip


@rule
def lookups_one_by_one(rng: Rng) -> Pair:
    rows, width, count = size(rng), size(rng), size(rng, 1, 6)
    indices = rng.integers(0, rows, count).astype(np.int32)
    return Pair([normal(rng, rows, width)], lambda x: fw.nn.embedding(x, indices),
                lambda x: fw.stack([x[int(i)] for i in indices]))  # fmt: skip


@rule
def scattered_sums(rng: Rng) -> Pair:
    rows, width, count = size(rng), size(rng), size(rng, 0, 6)
    indices = rng.integers(0, rows, count).astype(np.int32)
    return Pair([normal(rng, rows, width), normal(rng, count, width)], lambda x, u: x.at[indices].add(u),
                lambda x, u: x + fw.matmul(fw.transpose(fw.one_hot(indices, rows, dtype=x.dtype)), u))  # fmt: skip


@rule
def along_axis(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    indices = rng.integers(0, b, (a, c)).astype(np.int32)
    return Pair([normal(rng, a, b)], lambda x: fw.take_along_axis(x, indices, 1),
                lambda x: fw.einsum("ab,acb->ac", x, fw.one_hot(indices, b, dtype=x.dtype)))  # fmt: skip


@rule
def sorts(rng: Rng) -> Pair:
    shape = some_shape(rng, 1, 3)
    axis = int(rng.integers(len(shape)))
    return Pair([normal(rng, *shape)], lambda x: fw.sort(x, axis),
                lambda x: fw.take_along_axis(x, fw.argsort(x, axis), axis))  # fmt: skip


@rule
def largest(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    k = size(rng, 1, b)
    return Pair([normal(rng, a, b)], lambda x: fw.top_k(x, k)[0], lambda x: fw.flip(fw.sort(x, 1), 1)[:, :k])


@rule
def repeats(rng: Rng) -> Pair:
    shape = some_shape(rng, 1, 3)
    axis, count = int(rng.integers(len(shape))), size(rng, 1, 3)
    wanted = [*shape[: axis + 1], count, *shape[axis + 1 :]]
    flat = [*shape[:axis], shape[axis] * count, *shape[axis + 1 :]]
    return Pair([normal(rng, *shape)], lambda x: fw.repeat(x, count, axis),
                lambda x: fw.reshape(fw.broadcast_to(fw.expand_dims(x, axis + 1), wanted), flat))  # fmt: skip


@rule
def tiles(rng: Rng) -> Pair:
    shape = some_shape(rng, 1, 3)
    counts = sizes(rng, len(shape), 1, 3)

    def joined(x: Any) -> Any:
        for axis, count in enumerate(counts):
            x = fw.concatenate([x] * count, axis)
        return x

    return Pair([normal(rng, *shape)], lambda x: fw.tile(x, counts), joined)


@rule
def diagonals(rng: Rng) -> Pair:
    a, b = sizes(rng, 2, 2, 5)
    k = int(rng.integers(1 - a, b))
    count = len(np.diagonal(np.zeros((a, b)), k))
    return Pair([normal(rng, a, b)], lambda x: fw.diagonal(x, k),
                lambda x: fw.stack([x[max(-k, 0) + i, max(k, 0) + i] for i in range(count)]))  # fmt: skip


@rule
def triangles(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    k = int(rng.integers(-3, 4))
    return Pair([normal(rng, a, b)], lambda x: fw.tril(x, k) + fw.triu(x, k + 1), lambda x: x * 1.0)


@rule
def broadcasts(rng: Rng) -> Pair:
    a, b, c = sizes(rng, 3)
    return Pair([normal(rng, a, 1, c), normal(rng, b, 1)], lambda x, y: x * y,
                lambda x, y: fw.stack([fw.stack([x[i, 0] * y[j, 0] for j in range(b)]) for i in range(a)]))  # fmt: skip


@rule
def differences(rng: Rng) -> Pair:
    a, b = size(rng), size(rng, 2, 6)
    return Pair([normal(rng, a, b)], lambda x: fw.diff(fw.cumsum(x, 1), axis=1), lambda x: x[:, 1:])


@rule
def windows(rng: Rng) -> Pair:
    n, k = size(rng, 3, 8), size(rng, 1, 3)
    return Pair([normal(rng, n), normal(rng, k)], lambda x, w: fw.convolve(x, w, "valid"),
                lambda x, w: fw.stack([fw.sum(x[i : i + k] * w[::-1]) for i in range(n - k + 1)]))  # fmt: skip


@rule
def switched(rng: Rng) -> Pair:
    shape = some_shape(rng)
    mask = rng.random(shape) < 0.5
    return Pair([normal(rng, *shape), normal(rng, *shape)], lambda x, y: fw.where(mask, x, y),
                lambda x, y: x * mask.astype(np.float64) + y * (~mask).astype(np.float64))  # fmt: skip
