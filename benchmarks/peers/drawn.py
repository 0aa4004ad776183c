# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Train steps drawn at random: sizes that nobody has tuned for, odd ones as often as round ones."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import rows
from rows import Feed, Optimizer, Row, Values, Variable, gpt, gru, perceptron

# The most multiply-adds of the forward products of a step, and the most parameters: a step takes less than a second.
MOST_PRODUCTS = 1.5e9
MOST_PARAMETERS = 3e7


def draw_size(rng: random.Random, least: int, most: int) -> int:
    """Draws a size, small ones as often as large ones; half of them multiples of a power of two."""
    size = round(math.exp(rng.uniform(math.log(least), math.log(most))))
    if rng.random() < 0.5:
        step = 2 ** max(0, int(math.log2(size)) - 2)
        size = min(most, max(least, round(size / step) * step))
    return size


def draw_optimizer(rng: random.Random) -> Optimizer:
    kind = rng.choice(("momentum", "nesterov", "adam", "adamw"))
    return Optimizer(kind, 1e-3, epsilon=1e-8 if kind == "adamw" else 1e-7)


def draw_dense(rng: random.Random) -> tuple[Row, float, str]:
    hidden = tuple(draw_size(rng, 10, 3000) for _ in range(rng.randint(1, 4)))
    inputs, classes, batch = draw_size(rng, 10, 3000), draw_size(rng, 2, 1000), draw_size(rng, 1, 512)
    row = perceptron(inputs, hidden, classes, batch, draw_optimizer(rng))
    sizes = (inputs, *hidden, classes)
    products = batch * sum(a * b for a, b in zip(sizes, sizes[1:], strict=False))
    return row, products, f"dense {'-'.join(map(str, sizes))} batch {batch}"


def draw_convolution(rng: random.Random) -> tuple[Row, float, str]:
    """Draws convolutions with ReLU, some with batch normalization, some with pooling; then the mean of each channel, or
    a layer over all of them."""
    size, channels, batch = draw_size(rng, 7, 48), draw_size(rng, 1, 96), draw_size(rng, 1, 128)
    classes = draw_size(rng, 2, 100)
    layers = []
    variables: dict[str, Variable] = {}
    products, width, inputs = 0.0, size, channels
    for n in range(rng.randint(1, 4)):
        filters, kernel = draw_size(rng, 4, 160), rng.choice((1, 3, 3, 3, 5))
        normal, pooled = rng.random() < 0.5, width >= 8 and rng.random() < 0.4
        variables[f"c{n}_w"] = Variable((kernel, kernel, inputs, filters), "he_normal")
        if normal:
            variables[f"c{n}_gamma"] = Variable((filters,), "ones")
            variables[f"c{n}_beta"] = Variable((filters,), "zeros")
            variables[f"c{n}_mean"] = Variable((filters,), "zeros", False)
            variables[f"c{n}_variance"] = Variable((filters,), "ones", False)
        else:
            variables[f"c{n}_b"] = Variable((filters,), "zeros")
        products += batch * width**2 * kernel**2 * inputs * filters
        layers.append((normal, pooled))
        inputs, width = filters, width // 2 if pooled else width
    flat = rng.random() < 0.3 and width**2 * inputs <= 4096
    features = width**2 * inputs if flat else inputs
    variables["output_w"] = Variable((features, classes))
    variables["output_b"] = Variable((classes,), "zeros")
    products += batch * features * classes

    def loss(o: Any, v: Values, image: Any, label: Any) -> Any:
        x = o.image(image)
        for n, (normal, pooled) in enumerate(layers):
            x = o.batch_norm(o.conv(x, v[f"c{n}_w"]), v, f"c{n}") if normal else o.conv(x, v[f"c{n}_w"], v[f"c{n}_b"])
            x = o.relu(x)
            x = o.max_pool(x) if pooled else x
        x = o.flat(x) if flat else o.mean(x)
        return o.cross_entropy(o.dense(x, v["output_w"], v["output_b"]), label)

    kernels = " ".join(
        f"{v.shape[0]}x{v.shape[0]}x{v.shape[3]}{'n' if normal else ''}{'p' if pooled else ''}"
        for v, (normal, pooled) in zip((v for v in variables.values() if len(v.shape) == 4), layers, strict=True)
    )
    text = f"convolution {size}x{size}x{channels} {kernels} {'flat' if flat else 'mean'} {classes} batch {batch}"
    feeds = {"image": Feed((batch, size, size, channels)), "label": Feed((batch,), classes, "int32")}
    return Row(feeds, loss, draw_optimizer(rng), variables), products, text


def draw_recurrent(rng: random.Random) -> tuple[Row, float, str]:
    width, steps = draw_size(rng, 10, 500), draw_size(rng, 3, 80)
    classes, batch = draw_size(rng, 2, 100), draw_size(rng, 1, 128)
    row = gru(width, steps, classes, batch)
    text = f"recurrent {width} steps {steps} classes {classes} batch {batch}"
    return row._replace(optimizer=draw_optimizer(rng)), steps * batch * 6.0 * width**2, text


def draw_attention(rng: random.Random) -> tuple[Row, float, str]:
    heads = rng.choice((1, 2, 3, 4, 6, 8))
    width = heads * draw_size(rng, 8, 64)
    layers, context = rng.randint(1, 3), draw_size(rng, 8, 200)
    vocabulary, batch = draw_size(rng, 30, 3000), draw_size(rng, 1, 32)
    row = gpt(layers, width, heads, context, vocabulary, batch)
    products = batch * context * (layers * (12.0 * width**2 + 2 * context * width) + width * vocabulary)
    text = f"attention {layers} layers {width} heads {heads} context {context} vocabulary {vocabulary} batch {batch}"
    return row._replace(optimizer=draw_optimizer(rng)), products, text


def draw_mixed(rng: random.Random) -> tuple[Row, float, str]:
    """Draws a table of embeddings, a recurrent layer, and layers of a perceptron with normalization."""
    vocabulary, width = draw_size(rng, 20, 20000), draw_size(rng, 10, 300)
    steps, batch, classes = draw_size(rng, 3, 60), draw_size(rng, 1, 128), draw_size(rng, 2, 500)
    hidden = draw_size(rng, 10, 2000)
    variables = {
        "table": Variable((vocabulary, width), "random_normal<stddev = 0.1>"),
        "wx": Variable((width, 3 * width)),
        "wh": Variable((width, 3 * width)),
        "bx": Variable((3 * width,), "zeros"),
        "bh": Variable((3 * width,), "zeros"),
        "gamma": Variable((width,), "ones"),
        "beta": Variable((width,), "zeros"),
        "hidden_w": Variable((width, hidden)),
        "hidden_b": Variable((hidden,), "zeros"),
        "output_w": Variable((hidden, classes)),
        "output_b": Variable((classes,), "zeros"),
    }

    def loss(o: Any, v: Values, ids: Any, label: Any) -> Any:
        h = o.gru(o.gather(v["table"], ids), v["wx"], v["wh"], v["bx"], v["bh"])
        h = o.gelu(o.dense(o.layer_norm(h, v["gamma"], v["beta"]), v["hidden_w"], v["hidden_b"]))
        return o.cross_entropy(o.dense(h, v["output_w"], v["output_b"]), label)

    feeds = {"ids": Feed((steps, batch), vocabulary, "int32"), "label": Feed((batch,), classes, "int32")}
    products = steps * batch * 6.0 * width**2 + batch * hidden * (width + classes)
    text = f"mixed table {vocabulary}x{width} steps {steps} hidden {hidden} classes {classes} batch {batch}"
    return Row(feeds, loss, draw_optimizer(rng), variables), products, text


KINDS: tuple[Callable[[random.Random], tuple[Row, float, str]], ...] = (
    draw_dense,
    draw_convolution,
    draw_recurrent,
    draw_attention,
    draw_mixed,
)


def draw(seed: int, number: int) -> tuple[Row, str]:
    """Returns step `number` of those that `seed` draws, and its sizes in words. Steps are of each kind in turn."""
    rng = random.Random(f"{seed}/{number}")
    while True:
        row, products, text = KINDS[number % len(KINDS)](rng)
        parameters = sum(math.prod(variable.shape) for variable in row.variables.values())
        if products <= MOST_PRODUCTS and parameters <= MOST_PARAMETERS:
            return row, f"{text} {row.optimizer.kind}"


def make_row(name: str, sizes: dict[str, int]) -> Row:
    """Row `name` of `rows` with some of its sizes changed; the row "drawn" is number `number` of those that `seed`
    draws. Raises ValueError for a size that the row does not have."""
    return draw(**sizes)[0] if name == "drawn" else rows.make_row(name, sizes)
