# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The train steps that are compared. Each is written once, in terms of the few ops `o`
that a peer provides (see `ours.py` for the list), its variables `v` and its feeds.

A row is a function of sizes, whose defaults are the row's own; `--set gpt.batch=3`
changes one. The rows of examples/ take the example's file for Flywheel's part, and say
here only what the peers compute.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
Values = Mapping[str, Any]


class Variable(NamedTuple):
    """A variable in f32. `init` is the initializer in the text of Flywheel."""

    shape: tuple[int, ...]
    init: str = "glorot_uniform"
    trainable: bool = True


class Feed(NamedTuple):
    """A feed: integers below `bound`, as `dtype`; standard normal without a bound."""

    shape: tuple[int, ...]
    bound: int | None = None
    dtype: str = "float32"


class Optimizer(NamedTuple):
    """`kind` is sgd, momentum, nesterov, adam or adamw. `epsilon` is where Keras adds it (outside the bias correction)
    for adam, and where PyTorch does (inside) for adamw."""

    kind: str
    rate: float
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-7
    decay: float = 0.01
    momentum: float = 0.9


class Row(NamedTuple):
    """A train step. `loss(o, v, *feeds)` is the loss, or (loss, what the step returns)."""

    feeds: dict[str, Feed]
    loss: Callable[..., Any]
    optimizer: Optimizer
    variables: dict[str, Variable] = {}
    # An example: the file, the entry, and how the names of its trained variables begin.
    file: str = ""
    entry: str = "train_step"
    trained: str = ""
    # The update alone: the gradients are feeds of the same shapes, "<name>_gradient".
    update_only: bool = False


# ----------------------------------------------------------------------------
# Rows at the sizes of the tables in docs/Benchmarks.md.
# ----------------------------------------------------------------------------


def perceptron(inputs: int, hidden: tuple[int, ...], classes: int, batch: int, optimizer: Optimizer) -> Row:
    sizes = (inputs, *hidden, classes)
    variables = {}
    for i, (a, b) in enumerate(zip(sizes, sizes[1:], strict=False)):
        variables[f"w{i}"] = Variable((a, b))
        variables[f"b{i}"] = Variable((b,), "zeros")

    def loss(o: Any, v: Values, x: Any, label: Any) -> Any:
        for i in range(len(hidden)):
            x = o.relu(o.dense(x, v[f"w{i}"], v[f"b{i}"]))
        return o.cross_entropy(o.dense(x, v[f"w{len(hidden)}"], v[f"b{len(hidden)}"]), label)

    return Row({"x": Feed((batch, inputs)), "label": Feed((batch,), classes, "int32")}, loss, optimizer, variables)


def digits(inputs: int = 64, hidden: int = 128, classes: int = 10, batch: int = 64) -> Row:
    return perceptron(inputs, (hidden,), classes, batch, Optimizer("momentum", 0.05))


def mlp_small(inputs: int = 784, hidden: int = 256, classes: int = 10, batch: int = 128) -> Row:
    return perceptron(inputs, (hidden,), classes, batch, Optimizer("momentum", 0.05))


def mlp_odd(inputs: int = 777, hidden: int = 255, classes: int = 11, batch: int = 97) -> Row:
    return perceptron(inputs, (hidden, hidden), classes, batch, Optimizer("momentum", 0.05))


def mlp_wide(width: int = 1024, hidden: int = 4096, batch: int = 256) -> Row:
    return perceptron(width, (hidden, hidden), width, batch, Optimizer("adam", 1e-4))


def mlp_deep(layers: int = 50, width: int = 64, batch: int = 64) -> Row:
    return perceptron(width, (width,) * (layers - 1), 10, batch, Optimizer("adam", 1e-4))


def lenet(size: int = 28, filters: int = 32, kernel: int = 5, hidden: int = 1024, batch: int = 64) -> Row:
    flat = (size // 4) ** 2 * 2 * filters
    variables = {
        "conv1_w": Variable((kernel, kernel, 1, filters)),
        "conv1_b": Variable((filters,), "zeros"),
        "conv2_w": Variable((kernel, kernel, filters, 2 * filters)),
        "conv2_b": Variable((2 * filters,), "zeros"),
        "dense_w": Variable((flat, hidden)),
        "dense_b": Variable((hidden,), "zeros"),
        "output_w": Variable((hidden, 10)),
        "output_b": Variable((10,), "zeros"),
    }

    def loss(o: Any, v: Values, image: Any, label: Any) -> Any:
        x = o.image(image)
        for name in ("conv1", "conv2"):
            x = o.max_pool(o.relu(o.conv(x, v[name + "_w"], v[name + "_b"])))
        x = o.relu(o.dense(o.flat(x), v["dense_w"], v["dense_b"]))
        return o.cross_entropy(o.dense(x, v["output_w"], v["output_b"]), label)

    feeds = {"image": Feed((batch, size, size, 1)), "label": Feed((batch,), 10, "int32")}
    return Row(feeds, loss, Optimizer("adam", 1e-3), variables)


def residual_block(size: int = 32, filters: int = 64, batch: int = 32) -> Row:
    variables = {"output_w": Variable((filters, 10)), "output_b": Variable((10,), "zeros")}
    for name in ("conv1", "conv2"):
        variables[name + "_w"] = Variable((3, 3, filters, filters), "he_normal")
        variables[name + "_gamma"] = Variable((filters,), "ones")
        variables[name + "_beta"] = Variable((filters,), "zeros")
        variables[name + "_mean"] = Variable((filters,), "zeros", False)
        variables[name + "_variance"] = Variable((filters,), "ones", False)

    def loss(o: Any, v: Values, image: Any, label: Any) -> Any:
        x = o.image(image)
        y = o.relu(o.batch_norm(o.conv(x, v["conv1_w"]), v, "conv1"))
        y = o.relu(o.batch_norm(o.conv(y, v["conv2_w"]), v, "conv2") + x)
        return o.cross_entropy(o.dense(o.mean(y), v["output_w"], v["output_b"]), label)

    feeds = {"image": Feed((batch, size, size, filters)), "label": Feed((batch,), 10, "int32")}
    return Row(feeds, loss, Optimizer("nesterov", 1e-3), variables)


def gpt(layers: int = 4, width: int = 256, heads: int = 8, context: int = 128, vocabulary: int = 1024,
        batch: int = 16) -> Row:  # fmt: skip
    variables = {
        "tokens": Variable((vocabulary, width), "random_normal<stddev = 0.02>"),
        "positions": Variable((context, width), "random_normal<stddev = 0.02>"),
        "norm/gamma": Variable((width,), "ones"),
        "norm/beta": Variable((width,), "zeros"),
        "scores_w": Variable((width, vocabulary)),
    }
    for n in range(layers):
        for norm in ("norm1", "norm2"):
            variables[f"{n}/{norm}/gamma"] = Variable((width,), "ones")
            variables[f"{n}/{norm}/beta"] = Variable((width,), "zeros")
        for name, (a, b) in {"query": (1, 1), "key": (1, 1), "value": (1, 1), "merge": (1, 1),
                             "widen": (1, 4), "narrow": (4, 1)}.items():  # fmt: skip
            variables[f"{n}/{name}_w"] = Variable((a * width, b * width))
            variables[f"{n}/{name}_b"] = Variable((b * width,), "zeros")

    def loss(o: Any, v: Values, text: Any, following: Any) -> Any:
        def dense(x: Any, name: str) -> Any:
            return o.dense(x, v[name + "_w"], v[name + "_b"])

        x = o.gather(v["tokens"], text) + v["positions"]
        for n in range(layers):
            y = o.layer_norm(x, v[f"{n}/norm1/gamma"], v[f"{n}/norm1/beta"])
            q, k, u = (o.heads(dense(y, f"{n}/{name}"), heads) for name in ("query", "key", "value"))
            x = x + dense(o.joined(o.attention(q, k, u)), f"{n}/merge")
            y = o.layer_norm(x, v[f"{n}/norm2/gamma"], v[f"{n}/norm2/beta"])
            x = x + dense(o.gelu(dense(y, f"{n}/widen")), f"{n}/narrow")
        x = o.layer_norm(x, v["norm/gamma"], v["norm/beta"])
        return o.cross_entropy(o.dense(x, v["scores_w"]), following)

    feed = Feed((batch, context), vocabulary, "int32")
    return Row({"text": feed, "following": feed}, loss, Optimizer("adamw", 3e-4, epsilon=1e-8), variables)


def adam(tensors: int = 20, size: int = 2_500_000) -> Row:
    """The update alone, of `tensors` variables of `size` elements each; what is returned is one gradient's first
    element."""
    variables = {f"p{i}": Variable((size,), "random_normal<stddev = 0.1>") for i in range(tensors)}
    feeds = {f"p{i}_gradient": Feed((size,)) for i in range(tensors)}
    return Row(feeds, lambda o, v, *g: 0.0, Optimizer("adam", 1e-3), variables, update_only=True)


def gru(width: int = 256, steps: int = 64, classes: int = 10, batch: int = 32) -> Row:
    variables = {
        "wx": Variable((width, 3 * width)),
        "wh": Variable((width, 3 * width)),
        "bx": Variable((3 * width,), "zeros"),
        "bh": Variable((3 * width,), "zeros"),
        "output_w": Variable((width, classes)),
        "output_b": Variable((classes,), "zeros"),
    }

    def loss(o: Any, v: Values, x: Any, label: Any) -> Any:
        h = o.gru(x, v["wx"], v["wh"], v["bx"], v["bh"])
        return o.cross_entropy(o.dense(h, v["output_w"], v["output_b"]), label)

    feeds = {"x": Feed((steps, batch, width)), "label": Feed((batch,), classes, "int32")}
    return Row(feeds, loss, Optimizer("adam", 1e-3), variables)


def embedding(rows: int = 1_000_000, width: int = 64, batch: int = 1024) -> Row:
    def loss(o: Any, v: Values, ids: Any, y: Any) -> Any:
        return o.squared_error(o.gather(v["table"], ids), y)

    feeds = {"ids": Feed((batch,), rows, "int32"), "y": Feed((batch, width))}
    variables = {"table": Variable((rows, width), "random_normal<stddev = 0.1>")}
    return Row(feeds, loss, Optimizer("sgd", 0.1), variables)


# ----------------------------------------------------------------------------
# The examples
# ----------------------------------------------------------------------------


def example_lenet(batch: int = 64) -> Row:
    def loss(o: Any, v: Values, image: Any, label: Any) -> Any:
        neighbour = o.one_hot(o.draw_integer(9, 4), 9)
        x = o.conv(o.image(o.square(image * 0.125, 8)), o.filter((neighbour + o.one_hot(4, 9)) * 0.5, 3))
        for name in ("conv1", "conv2"):
            x = o.max_pool(o.relu(o.conv(x, v[name + "_w"], v[name + "_b"])))
        x = o.dropout(o.flat(x), 0.5)
        for name in ("dense1", "dense2"):
            x = o.relu(o.dense(x, v[name + "_w"], v[name + "_b"]))
        return o.cross_entropy(o.dense(x, v["output_w"], v["output_b"]), label)

    return Row(digit_feeds(batch), loss, Optimizer("adam", 2e-3), file="lenet/lenet.mlir")


def example_resnet(batch: int = 64) -> Row:
    def loss(o: Any, v: Values, image: Any, label: Any) -> Any:
        def normal(x: Any, name: str, stride: int = 1) -> Any:
            return o.batch_norm(o.conv(x, v[name + "_w"], None, stride), v, name)

        x = o.relu(normal(o.image(o.square(image, 8)), "stem"))
        y = o.relu(normal(x, "block1_conv1"))
        x = o.relu(normal(y, "block1_conv2") + x)
        y = o.relu(normal(x, "block2_conv1", 2))
        x = o.relu(normal(y, "block2_conv2") + normal(x, "block2_shortcut", 2))
        return o.cross_entropy(o.dense(o.mean(x), v["output_w"], v["output_b"]), label)

    return Row(digit_feeds(batch), loss, Optimizer("nesterov", 0.05), file="resnet/resnet.mlir")


def example_transformer(batch: int = 16) -> Row:
    def loss(o: Any, v: Values, text: Any, following: Any) -> Any:
        x = o.gather(v["characters"], text) + v["positions"]
        for n in ("0/", "1/"):
            y = o.layer_norm(x, v[n + "norm1/gamma"], v[n + "norm1/beta"])
            q, k, u = (o.heads(o.dense(y, v[n + w]), 4) for w in ("query", "key", "value"))
            x = x + o.dropout(o.dense(o.joined(o.attention(q, k, u)), v[n + "merge"]), 0.2)
            y = o.layer_norm(x, v[n + "norm2/gamma"], v[n + "norm2/beta"])
            y = o.gelu(o.dense(y, v[n + "widen/w"], v[n + "widen/b"]))
            x = x + o.dropout(o.dense(y, v[n + "narrow/w"], v[n + "narrow/b"]), 0.2)
        x = o.layer_norm(x, v["norm/gamma"], v["norm/beta"])
        return o.cross_entropy(o.dense(x, v["scores/w"], v["scores/b"]), following)

    feed = Feed((batch, 64), 96, "int32")
    return Row({"text": feed, "next": feed}, loss, Optimizer("adam", 3e-3), file="transformer/transformer.mlir")


def generator(o: Any, v: Values, count: int) -> Any:
    x = o.draw_normal((count, 32), 0.5)
    for n in ("g/1/", "g/2/"):
        x = o.relu(o.dense(x, v[n + "w"], v[n + "b"]))
    return o.sigmoid(o.dense(x, v["g/3/w"], v["g/3/b"]))


def discriminator(o: Any, v: Values, x: Any) -> Any:
    for n in ("d/1/", "d/2/"):
        x = o.dropout(o.leaky_relu(o.dense(x, v[n + "w"], v[n + "b"]), 0.2), 0.3)
    return o.dense(x, v["d/3/w"], v["d/3/b"])


def example_gan_discriminator(batch: int = 100) -> Row:
    def loss(o: Any, v: Values, image: Any) -> Any:
        fake = generator(o, v, batch)
        real = o.sigmoid_cross_entropy(discriminator(o, v, image * 0.0625), 0.9)
        return real + o.sigmoid_cross_entropy(discriminator(o, v, fake), 0.0)

    feeds = {"image": Feed((batch, 64), 17)}
    optimizer = Optimizer("adam", 5e-4, 0.5)
    return Row(feeds, loss, optimizer, file="gan/gan.mlir", entry="train_discriminator", trained="d/")


def example_gan_generator() -> Row:
    def loss(o: Any, v: Values) -> Any:
        return o.sigmoid_cross_entropy(discriminator(o, v, generator(o, v, 100)), 1.0)

    return Row({}, loss, Optimizer("adam", 5e-4, 0.5), file="gan/gan.mlir", entry="train_generator", trained="g/")


def example_factorization(batch: int = 512) -> Row:
    def loss(o: Any, v: Values, row: Any, column: Any, rating: Any) -> Any:
        b, c = o.gather(v["row_bias"], row), o.gather(v["column_bias"], column)
        u, w = o.gather(v["row_factors"], row), o.gather(v["column_factors"], column)
        error = o.mean_all((v["mean"] + (b + c)[:, 0] + o.sum_last(u * w) - rating) ** 2)
        penalty = sum(o.sum_all(t * t) for t in (b, c, u, w)) * (0.5 * 0.3 / batch)
        # The step returns the error alone.
        return error + penalty, error

    feeds = {
        "row": Feed((batch,), 1797, "int32"),
        "column": Feed((batch,), 64, "int32"),
        "rating": Feed((batch,), 17),
    }
    return Row(feeds, loss, Optimizer("adam", 0.02), file="matrix-factorization/factorization.mlir")


def digit_feeds(batch: int) -> dict[str, Feed]:
    return {"image": Feed((batch, 64), 17), "label": Feed((batch,), 10, "int32")}


ROWS: dict[str, Callable[..., Row]] = {
    "digits": digits,
    "mlp-small": mlp_small,
    "mlp-odd": mlp_odd,
    "mlp-wide": mlp_wide,
    "mlp-deep": mlp_deep,
    "lenet": lenet,
    "resnet-block": residual_block,
    "gpt-small": gpt,
    "adam-50m": adam,
    "gru": gru,
    "embedding": embedding,
    "example-lenet": example_lenet,
    "example-resnet": example_resnet,
    "example-transformer": example_transformer,
    "example-gan-d": example_gan_discriminator,
    "example-gan-g": example_gan_generator,
    "example-factorization": example_factorization,
}

# Holds still what an example draws at random.
STILL = (
    (r"(train\.dropout .*) rate [0-9.e+-]+", r"\1 rate 0.0"),
    (r"minval = 0, maxval = 9", r"minval = 4, maxval = 5"),
    (r"#train\.random_normal\(", r"#train.random_normal<mean = 0.5, stddev = 0.0>("),
)


def example_text(row: Row, still: bool) -> str:
    with open(os.path.join(EXAMPLES, row.file), encoding="utf-8") as file:
        text = file.read()
    for pattern, replacement in STILL if still else ():
        text = re.sub(pattern, replacement, text)
    return text


def make_row(name: str, sizes: dict[str, int]) -> Row:
    """Row `name` with some of its sizes changed. Raises ValueError for a size it does not have."""
    known = inspect.signature(ROWS[name]).parameters
    for size in sizes:
        if size not in known:
            raise ValueError(f"row {name} has no size '{size}': it has {', '.join(known)}")
    return ROWS[name](**sizes)
