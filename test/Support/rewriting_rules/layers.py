# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and losses, and the same by hand."""

from typing import Any, List, Optional

import numpy as np

import flywheel as fw
from rewriting_rules.rule import Pair, Rng, normal, pick, rule, size, sizes


def patches(x: Any, window: List[int], strides: List[int], dilations: List[int], fill: Any = None) -> Any:
    """[n, h, w, window elements, c] of an image that is padded already."""
    spans = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    outs = [(n - span) // s + 1 for n, span, s in zip(x.shape[1:3], spans, strides)]
    parts = []
    for i in range(window[0]):
        for j in range(window[1]):
            top, left = i * dilations[0], j * dilations[1]
            parts.append(x[:, top : top + (outs[0] - 1) * strides[0] + 1 : strides[0],
                           left : left + (outs[1] - 1) * strides[1] + 1 : strides[1]])  # fmt: skip
    return fw.stack(parts, 3)


def padding_of(rng: Rng) -> Any:
    return [[size(rng, 0, 2), size(rng, 0, 2)], [size(rng, 0, 2), size(rng, 0, 2)]]


@rule
def convolutions(rng: Rng) -> Pair:
    """As the product of patches with the filter."""
    n, groups, c, k = size(rng, 1, 3), size(rng, 1, 3), size(rng, 1, 3), size(rng, 1, 3)
    window, strides, dilations = sizes(rng, 2, 1, 3), sizes(rng, 2, 1, 2), sizes(rng, 2, 1, 2)
    pads = padding_of(rng)
    image = [max(size(rng, 3, 7), (w - 1) * d + 1) for w, d in zip(window, dilations)]

    def by_product(x: Any, w: Any) -> Any:
        x = fw.pad(x, [(0, 0), *map(tuple, pads), (0, 0)])
        found = patches(x, window, strides, dilations)
        flat = fw.reshape(w, (window[0] * window[1], c, groups * k))
        parts = [fw.einsum("nhwpc,pck->nhwk", found[..., i * c : (i + 1) * c], flat[..., i * k : (i + 1) * k])
                 for i in range(groups)]  # fmt: skip
        return fw.concatenate(parts, -1)

    return Pair([normal(rng, n, *image, groups * c), normal(rng, *window, c, groups * k)],
                lambda x, w: fw.nn.conv2d(x, w, strides=strides, dilations=dilations, padding=pads),
                by_product)  # fmt: skip


@rule
def convolutions_of_each_channel(rng: Rng) -> Pair:
    n, c, m = size(rng, 1, 3), size(rng, 1, 4), size(rng, 1, 2)
    window, strides = sizes(rng, 2, 1, 3), sizes(rng, 2, 1, 2)
    image = sizes(rng, 2, 3, 6)

    def one_by_one(x: Any, w: Any) -> Any:
        return fw.concatenate([
            fw.nn.conv2d(x[..., i : i + 1], w[..., i * m : (i + 1) * m], strides=strides, padding="same")
            for i in range(c)
        ], -1)  # fmt: skip

    return Pair([normal(rng, n, *image, c), normal(rng, *window, 1, c * m)],
                lambda x, w: fw.nn.conv2d(x, w, strides=strides, padding="same"), one_by_one)  # fmt: skip


@rule
def convolutions_of_batches(rng: Rng) -> Pair:
    n, c, k = size(rng, 2, 4), size(rng, 1, 3), size(rng, 1, 3)
    window, image = sizes(rng, 2, 1, 3), sizes(rng, 2, 3, 6)
    how = pick(rng, [
        lambda x, w: fw.vmap(lambda one: fw.nn.conv2d(fw.expand_dims(one, 0), w, padding="same")[0])(x),
        lambda x, w: fw.concatenate([fw.nn.conv2d(x[i : i + 1], w, padding="same") for i in range(n)], 0),
        lambda x, w: fw.map(lambda one: fw.nn.conv2d(fw.expand_dims(one, 0), w, padding="same")[0], x),
        lambda x, w: sum((fw.nn.conv2d(x[..., i : i + 1], w[:, :, i : i + 1], padding="same") for i in range(c)),
                         0.0 * w[0, 0, 0, 0]),
    ])  # fmt: skip
    return Pair([normal(rng, n, *image, c), normal(rng, *window, c, k)],
                lambda x, w: fw.nn.conv2d(x, w, padding="same"), how)  # fmt: skip


@rule
def transposed_convolutions(rng: Rng) -> Pair:
    """The transposed one is the derivative of the other by its image."""
    n, c, k = size(rng, 1, 3), size(rng, 1, 3), size(rng, 1, 3)
    window, strides, small = sizes(rng, 2, 1, 3), sizes(rng, 2, 1, 2), sizes(rng, 2, 1, 4)
    padding = pick(rng, ["same", "valid"])

    def transposed(y: Any, w: Any) -> Any:
        return fw.nn.conv2d_transpose(y, w, strides=strides, padding=padding)

    def by_gradient(y: Any, w: Any) -> Any:
        image = [m * s if padding == "same" else (m - 1) * s + span for m, s, span in zip(small, strides, window)]
        zero = fw.zeros((n, *image, c), y.dtype)
        return fw.grad(lambda x: fw.sum(y * fw.nn.conv2d(x, w, strides=strides, padding=padding)))(zero)

    return Pair([normal(rng, n, *small, k), normal(rng, *window, c, k)], transposed, by_gradient)


@rule
def pools(rng: Rng) -> Pair:
    n, c = sizes(rng, 2, 1, 3)
    window, strides = sizes(rng, 2, 1, 3), sizes(rng, 2, 1, 3)
    image = sizes(rng, 2, 3, 7)
    kind = pick(rng, ["max", "avg"])

    def by_patches(x: Any) -> Any:
        found = patches(x, window, strides, [1, 1])
        return fw.max(found, 3) if kind == "max" else fw.mean(found, 3)

    return Pair([normal(rng, n, *image, c)],
                lambda x: getattr(fw.nn, f"{kind}_pool2d")(x, window, strides=strides), by_patches)  # fmt: skip


@rule
def attention(rng: Rng) -> Pair:
    n, q, k, d, v = size(rng, 1, 3), size(rng), size(rng), size(rng, 1, 4), size(rng, 1, 4)
    is_causal = bool(rng.random() < 0.4)
    scale: Optional[float] = float(rng.uniform(0.2, 1.0)) if rng.random() < 0.5 else None
    mask = None if rng.random() < 0.5 else rng.random((n, q, k)) < 0.7
    if mask is not None:
        mask[..., 0] = True

    def by_hand(x: Any, y: Any, z: Any) -> Any:
        scores = fw.einsum("nqd,nkd->nqk", x, y) * (scale if scale is not None else 1 / float(np.sqrt(d)))
        if is_causal:
            scores = fw.where(np.tril(np.ones((q, k), bool)), scores, -1e30 if x.dtype != fw.float16 else -6e4)
        if mask is not None:
            scores = fw.where(mask, scores, -1e30 if x.dtype != fw.float16 else -6e4)
        return fw.einsum("nqk,nkv->nqv", fw.nn.softmax(scores), z)

    options: Any = {} if scale is None else {"scale": scale}
    return Pair([normal(rng, n, q, d), normal(rng, n, k, d), normal(rng, n, k, v)],
                lambda x, y, z: fw.nn.attention(x, y, z, mask, causal=is_causal, **options), by_hand)  # fmt: skip


@rule
def normalizations(rng: Rng) -> Pair:
    a, b = size(rng), size(rng, 2, 5)
    left, right = pick(rng, [
        (lambda x, g, b_: fw.nn.layer_norm(x, g, b_, axes=[1], epsilon=1e-3),
         lambda x, g, b_: (x - fw.mean(x, 1, keepdims=True)) / fw.sqrt(fw.var(x, 1, keepdims=True) + 1e-3) * g + b_),
        (lambda x, g, b_: fw.nn.rms_norm(x, g, axes=[1], epsilon=1e-3) + b_,
         lambda x, g, b_: x / fw.sqrt(fw.mean(x * x, 1, keepdims=True) + 1e-3) * g + b_),
        (lambda x, g, b_: fw.nn.batch_norm_training(x, g, b_, epsilon=1e-2)[0],
         lambda x, g, b_: (x - fw.mean(x, 0)) / fw.sqrt(fw.var(x, 0) + 1e-2) * g + b_),
        (lambda x, g, b_: fw.nn.batch_norm_inference(x, g, fw.square(b_), epsilon=1e-2),
         lambda x, g, b_: (x - g) / fw.sqrt(fw.square(b_) + 1e-2)),
    ])  # fmt: skip
    return Pair([normal(rng, a, b), normal(rng, b), normal(rng, b)], left, right)


@rule
def losses(rng: Rng) -> Pair:
    a, b = sizes(rng, 2)
    labels = rng.integers(0, b, a).astype(np.int32)
    targets = rng.random((a, b))
    left, right = pick(rng, [
        (lambda x: fw.nn.sparse_softmax_cross_entropy(x, labels),
         lambda x: -fw.mean(fw.take_along_axis(fw.nn.log_softmax(x), labels[:, None], 1))),
        (lambda x: fw.nn.softmax_cross_entropy(x, fw.constant(targets, x.dtype), reduction="sum"),
         lambda x: -fw.sum(fw.nn.log_softmax(x) * fw.constant(targets, x.dtype))),
        (lambda x: fw.nn.sigmoid_cross_entropy(x, fw.constant(targets, x.dtype), reduction="none"),
         lambda x: fw.nn.softplus(x) - x * fw.constant(targets, x.dtype)),
        (lambda x: fw.nn.mean_squared_error(x, fw.constant(targets, x.dtype)),
         lambda x: fw.mean(fw.square(x - fw.constant(targets, x.dtype)))),
        (lambda x: fw.nn.log_cosh(x, fw.constant(targets, x.dtype)),
         lambda x: fw.mean(fw.log(fw.cosh(x - fw.constant(targets, x.dtype))))),
        (lambda x: fw.nn.l2_loss(x), lambda x: fw.sum(x * x) / 2.0),
        (lambda x: fw.nn.huber(x, fw.constant(targets, x.dtype)),
         lambda x: fw.mean(fw.where(fw.abs(x - fw.constant(targets, x.dtype)) <= 1.0,
                                    fw.square(x - fw.constant(targets, x.dtype)) / 2.0,
                                    fw.abs(x - fw.constant(targets, x.dtype)) - 0.5))),
        (lambda x: fw.nn.cosine_proximity(x, fw.constant(targets, x.dtype), reduction="sum"),
         lambda x: -fw.sum(x / fw.norm(x, 1, keepdims=True) * fw.constant(targets, x.dtype)
                           / fw.norm(fw.constant(targets, x.dtype), 1, keepdims=True))),
    ])  # fmt: skip
    return Pair([normal(rng, a, b)], left, right)


@rule
def whole_networks(rng: Rng) -> Pair:
    """Two layers on a batch, and on each example."""
    n, a, b, c = sizes(rng, 4)
    f = pick(rng, [fw.nn.relu, fw.tanh, fw.nn.gelu, fw.nn.softplus, lambda x: fw.nn.leaky_relu(x, 0.1)])

    def network(x: Any, w: Any, v: Any) -> Any:
        return fw.nn.softmax(f(x @ w) @ v)

    return Pair([normal(rng, n, a), normal(rng, a, b), normal(rng, b, c)], network,
                lambda x, w, v: fw.stack([network(x[i : i + 1], w, v)[0] for i in range(n)]))  # fmt: skip
