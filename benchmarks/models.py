#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of a train step of the models in examples/: Flywheel, JAX and PyTorch.

JAX is jit with donated buffers; PyTorch is eager, with images in channels-last
memory and its fused Adam; `--compile` adds torch.compile. Each model is written
once below, in terms of the few ops that a peer provides. Before anything is timed,
three steps from the same weights have to give the same losses to 1e-3; for that,
whatever is drawn at random is held still, in the model's text as in the peers. The
timed steps draw.

All run in this process, in turn, on the same cores. A figure is the median over
rounds; a ratio is the median of those of each round, so that what slows the machine
down cancels out: above 1, Flywheel is faster. Peers that are not installed are left
out.

usage: PYTHONPATH=build/python python benchmarks/models.py [--threads N] [--models NAME...]

The Python that runs this needs NumPy and, for the peers, what
benchmarks/requirements.txt lists.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")
# Runs one step on the batch it was made for; the loss, in whatever form the peer has it.
Step = Callable[[], Any]
# Values of variables, by name.
Values = dict[str, Any]


# ----------------------------------------------------------------------------
# The models, of the ops `o` of a peer, the variables `v` and the feeds.
# ----------------------------------------------------------------------------


def lenet(o: Any, v: Values, image: Any, label: Any) -> Any:
    neighbour = o.one_hot(o.draw_integer(9, 4), 9)
    x = o.conv(o.image(image * 0.125), o.filter((neighbour + o.one_hot(4, 9)) * 0.5, 3))
    for name in ("conv1", "conv2"):
        x = o.max_pool(o.relu(o.conv(x, v[name + "_w"], v[name + "_b"])))
    x = o.dropout(o.flat(x), 0.5)
    for name in ("dense1", "dense2"):
        x = o.relu(o.dense(x, v[name + "_w"], v[name + "_b"]))
    return o.cross_entropy(o.dense(x, v["output_w"], v["output_b"]), label)


def resnet(o: Any, v: Values, image: Any, label: Any) -> Any:
    def normal(x: Any, name: str, stride: int = 1) -> Any:
        return o.batch_norm(o.conv(x, v[name + "_w"], None, stride), v, name)

    x = o.relu(normal(o.image(image), "stem"))
    y = o.relu(normal(x, "block1_conv1"))
    x = o.relu(normal(y, "block1_conv2") + x)
    y = o.relu(normal(x, "block2_conv1", 2))
    x = o.relu(normal(y, "block2_conv2") + normal(x, "block2_shortcut", 2))
    return o.cross_entropy(o.dense(o.mean(x), v["output_w"], v["output_b"]), label)


def transformer(o: Any, v: Values, text: Any, next: Any) -> Any:
    x = o.gather(v["characters"], text) + v["positions"]
    for n in ("0/", "1/"):
        y = o.layer_norm(x, v[n + "norm1/gamma"], v[n + "norm1/beta"])
        q, k, u = (o.dense(y, v[n + w]).reshape(-1, 64, 4, 16) for w in ("query", "key", "value"))
        seen = o.dense(o.attention(q, k, u).reshape(-1, 64, 64), v[n + "merge"])
        x = x + o.dropout(seen, 0.2)
        y = o.layer_norm(x, v[n + "norm2/gamma"], v[n + "norm2/beta"])
        y = o.gelu(o.dense(y, v[n + "widen/w"], v[n + "widen/b"]))
        x = x + o.dropout(o.dense(y, v[n + "narrow/w"], v[n + "narrow/b"]), 0.2)
    x = o.layer_norm(x, v["norm/gamma"], v["norm/beta"])
    return o.cross_entropy(o.dense(x, v["scores/w"], v["scores/b"]), next)


def generator(o: Any, v: Values, count: int) -> Any:
    x = o.draw_normal((count, 32), 0.5)
    for n in ("g/1/", "g/2/"):
        x = o.relu(o.dense(x, v[n + "w"], v[n + "b"]))
    return o.sigmoid(o.dense(x, v["g/3/w"], v["g/3/b"]))


def discriminator(o: Any, v: Values, x: Any) -> Any:
    for n in ("d/1/", "d/2/"):
        x = o.dropout(o.leaky_relu(o.dense(x, v[n + "w"], v[n + "b"]), 0.2), 0.3)
    return o.dense(x, v["d/3/w"], v["d/3/b"])


def gan_discriminator(o: Any, v: Values, image: Any) -> Any:
    fake = generator(o, v, len(image))
    real = o.sigmoid_cross_entropy(discriminator(o, v, image * 0.0625), 0.9)
    return real + o.sigmoid_cross_entropy(discriminator(o, v, fake), 0.0)


def gan_generator(o: Any, v: Values) -> Any:
    return o.sigmoid_cross_entropy(discriminator(o, v, generator(o, v, 100)), 1.0)


def factorization(o: Any, v: Values, row: Any, column: Any, rating: Any) -> Any:
    b, c = o.gather(v["row_bias"], row), o.gather(v["column_bias"], column)
    u, w = o.gather(v["row_factors"], row), o.gather(v["column_factors"], column)
    error = ((v["mean"] + (b + c)[:, 0] + (u * w).sum(1) - rating) ** 2).mean()
    penalty = sum((t * t).sum() for t in (b, c, u, w)) * (0.5 * 0.3 / len(row))
    # The step returns the error alone.
    return error + penalty, error


class Model(NamedTuple):
    """A train step of an example, and how the peers write it."""

    file: str
    loss: Callable[..., Any]
    batch: int
    entry: str = "train_step"
    rate: float = 1e-3
    # beta_1 of Adam; without one, SGD with Nesterov momentum.
    beta_1: float | None = 0.9
    # What is trained: the variables whose names begin like this.
    trained: str = ""


MODELS = {
    "lenet": Model("lenet/lenet.mlir", lenet, 64, rate=2e-3),
    "resnet": Model("resnet/resnet.mlir", resnet, 64, rate=0.05, beta_1=None),
    "transformer": Model("transformer/transformer.mlir", transformer, 16, rate=3e-3),
    "gan-d": Model("gan/gan.mlir", gan_discriminator, 100, "train_discriminator", 5e-4, 0.5, "d/"),
    "gan-g": Model("gan/gan.mlir", gan_generator, 100, "train_generator", 5e-4, 0.5, "g/"),
    "factorization": Model("matrix-factorization/factorization.mlir", factorization, 512, rate=0.02),
}
MOMENTUM, BETA_2, EPSILON = 0.9, 0.999, 1e-7

# Shape of an example of each feed, the bound below which it is drawn, and its dtype.
FEEDS: dict[str, tuple[tuple[int, ...], int, str]] = {
    "image": ((64,), 17, "float32"),
    "label": ((), 10, "int32"),
    "text": ((64,), 96, "int32"),
    "next": ((64,), 96, "int32"),
    "row": ((), 1797, "int32"),
    "column": ((), 64, "int32"),
    "rating": ((), 17, "float32"),
}

# Holds still what a model draws at random.
STILL = (
    (r"(train\.dropout .*) rate [0-9.e+-]+", r"\1 rate 0.0"),
    (r"minval = 0, maxval = 9", r"minval = 4, maxval = 5"),
    (r"#train\.random_normal\(", r"#train.random_normal<mean = 0.5, stddev = 0.0>("),
)


# ----------------------------------------------------------------------------
# The peers
# ----------------------------------------------------------------------------


class Flywheel:
    """The session of a model; the weights that the peers start from are its own."""

    def __init__(self, model: Model, still: bool, seed: int) -> None:
        import numpy as np

        import flywheel

        with open(os.path.join(EXAMPLES, model.file), encoding="utf-8") as file:
            text = file.read()
        for pattern, replacement in STILL if still else ():
            text = re.sub(pattern, replacement, text)
        start = time.perf_counter()
        program = flywheel.compile(text, entries=[model.entry])
        self.compile_seconds = time.perf_counter() - start
        (entry,) = program.entries
        self.workspace_bytes = entry.workspace_bytes(**{symbol: model.batch for symbol in entry.symbols})
        self.session = flywheel.Session(program)
        self.session.initialize(seed)
        self.weights = {
            v.name: np.array(self.session[v.name])
            for v in program.variables
            if v.slot_of is None and v.dtype == np.float32 and not v.name.startswith(("Adam/", "SGD/"))
        }
        self.trained = [v.name for v in program.variables if v.trainable and v.name.startswith(model.trained)]
        rng = np.random.default_rng(seed)
        self.feeds = []
        for feed in entry.feeds:
            shape, bound, dtype = FEEDS[feed.name]
            self.feeds.append(rng.integers(0, bound, (model.batch, *shape)).astype(dtype))
        step = self.session.entry(model.entry)
        self.step: Step = lambda: step(*self.feeds)


def make_jax(model: Model, own: Flywheel, still: bool, _: bool) -> Step:
    import jax
    import jax.numpy as jnp
    from jax import lax, nn

    class Ops:
        relu, sigmoid = staticmethod(nn.relu), staticmethod(nn.sigmoid)
        leaky_relu, one_hot = staticmethod(nn.leaky_relu), staticmethod(nn.one_hot)

        def __init__(self, key: Any) -> None:
            self.key = key
            self.moved: Values = {}

        def next_key(self) -> Any:
            self.key, key = jax.random.split(self.key)
            return key

        def draw_integer(self, bound: int, held: int) -> Any:
            return held if still else jax.random.randint(self.next_key(), (), 0, bound)

        def draw_normal(self, shape: tuple[int, ...], held: float) -> Any:
            return jnp.full(shape, held) if still else jax.random.normal(self.next_key(), shape)

        def dropout(self, x: Any, rate: float) -> Any:
            if still:
                return x
            return jnp.where(jax.random.bernoulli(self.next_key(), 1 - rate, x.shape), x / (1 - rate), 0)

        def image(self, x: Any) -> Any:
            return x.reshape(-1, 8, 8, 1)

        def filter(self, w: Any, size: int) -> Any:
            return w.reshape(size, size, 1, 1)

        def conv(self, x: Any, w: Any, b: Any = None, stride: int = 1) -> Any:
            y = lax.conv_general_dilated(
                x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            return y if b is None else y + b

        def max_pool(self, x: Any) -> Any:
            return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

        def batch_norm(self, x: Any, v: Values, name: str) -> Any:
            mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
            for key, value in ((name + "_mean", mean), (name + "_variance", variance)):
                self.moved[key] = lax.stop_gradient(0.9 * v[key] + 0.1 * value)
            return (x - mean) * (lax.rsqrt(variance + 1e-3) * v[name + "_gamma"]) + v[name + "_beta"]

        def flat(self, x: Any) -> Any:
            return x.reshape(len(x), -1)

        def mean(self, x: Any) -> Any:
            return x.mean((1, 2))

        def dense(self, x: Any, w: Any, b: Any = None) -> Any:
            return x @ w if b is None else x @ w + b

        def gather(self, table: Any, index: Any) -> Any:
            return table[index]

        def layer_norm(self, x: Any, gamma: Any, beta: Any) -> Any:
            mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
            return (x - mean) * lax.rsqrt(variance + 1e-5) * gamma + beta

        def attention(self, q: Any, k: Any, v: Any) -> Any:
            return nn.dot_product_attention(q, k, v, is_causal=True)

        def gelu(self, x: Any) -> Any:
            return nn.gelu(x, approximate=False)

        def cross_entropy(self, scores: Any, label: Any) -> Any:
            return -jnp.take_along_axis(nn.log_softmax(scores), label[..., None], -1).mean()

        def sigmoid_cross_entropy(self, score: Any, answer: float) -> Any:
            return (jnp.maximum(score, 0) - score * answer + jnp.log1p(jnp.exp(-jnp.abs(score)))).mean()

    def loss_of(trained: Values, others: Values, key: Any, feeds: Any) -> Any:
        o = Ops(key)
        loss = model.loss(o, {**others, **trained}, *feeds)
        loss, shown = loss if isinstance(loss, tuple) else (loss, loss)
        return loss, (shown, {**others, **o.moved}, o.key)

    def step(state: Any, feeds: Any) -> Any:
        p, m, h, others, key, t = state
        (_, (shown, others, key)), g = jax.value_and_grad(loss_of, has_aux=True)(p, others, key, feeds)
        t = t + 1
        if model.beta_1 is None:
            m = jax.tree.map(lambda m, g: MOMENTUM * m + g, m, g)
            p = jax.tree.map(lambda p, m, g: p - model.rate * (g + MOMENTUM * m), p, m, g)
        else:
            rate = model.rate * jnp.sqrt(1 - BETA_2**t) / (1 - model.beta_1**t)
            m = jax.tree.map(lambda m, g: m + (1 - model.beta_1) * (g - m), m, g)
            h = jax.tree.map(lambda h, g: h + (1 - BETA_2) * (g * g - h), h, g)
            p = jax.tree.map(lambda p, m, h: p - rate * m / (jnp.sqrt(h) + EPSILON), p, m, h)
        return (p, m, h, others, key, t), shown

    trained = {name: jnp.array(own.weights[name]) for name in own.trained}
    others = {name: jnp.array(value) for name, value in own.weights.items() if name not in trained}
    m = jax.tree.map(jnp.zeros_like, trained)
    h = jax.tree.map(jnp.zeros_like, trained) if model.beta_1 is not None else {}
    state = (trained, m, h, others, jax.random.key(1), jnp.float32(0))
    feeds = tuple(map(jnp.array, own.feeds))
    compiled = jax.jit(step, donate_argnums=0).lower(state, feeds).compile()

    def run() -> Any:
        nonlocal state
        state, loss = compiled(state, feeds)
        return loss

    return run


def make_torch(model: Model, own: Flywheel, still: bool, compiled: bool) -> Step:
    import torch
    from torch.nn import functional

    class Ops:
        relu, sigmoid = staticmethod(torch.relu), staticmethod(torch.sigmoid)
        leaky_relu, gelu = staticmethod(functional.leaky_relu), staticmethod(functional.gelu)

        def one_hot(self, index: Any, count: int) -> Any:
            return functional.one_hot(torch.as_tensor(index), count).float()

        def draw_integer(self, bound: int, held: int) -> Any:
            return held if still else torch.randint(0, bound, ())

        def draw_normal(self, shape: tuple[int, ...], held: float) -> Any:
            return torch.full(shape, held) if still else torch.randn(shape)

        def dropout(self, x: Any, rate: float) -> Any:
            return x if still else functional.dropout(x, rate)

        def image(self, x: Any) -> Any:
            return x.view(-1, 8, 8, 1).permute(0, 3, 1, 2)

        def filter(self, w: Any, size: int) -> Any:
            return w.view(1, 1, size, size)

        def conv(self, x: Any, w: Any, b: Any = None, stride: int = 1) -> Any:
            # What `SAME` adds for an even extent and a stride of 2 is behind the image alone.
            if stride == 2 and w.shape[2] > 1:
                return functional.conv2d(functional.pad(x, (0, 1, 0, 1)), w, b, 2)
            return functional.conv2d(x, w, b, stride, w.shape[2] // 2)

        def batch_norm(self, x: Any, v: Values, name: str) -> Any:
            mean, variance = v[name + "_mean"], v[name + "_variance"]
            return functional.batch_norm(x, mean, variance, v[name + "_gamma"], v[name + "_beta"], True, 0.1, 1e-3)

        def max_pool(self, x: Any) -> Any:
            return functional.max_pool2d(x, 2)

        def flat(self, x: Any) -> Any:
            return x.permute(0, 2, 3, 1).flatten(1)

        def mean(self, x: Any) -> Any:
            return x.mean((2, 3))

        def dense(self, x: Any, w: Any, b: Any = None) -> Any:
            return functional.linear(x, w.T, b)

        def gather(self, table: Any, index: Any) -> Any:
            return functional.embedding(index, table)

        def layer_norm(self, x: Any, gamma: Any, beta: Any) -> Any:
            return functional.layer_norm(x, (64,), gamma, beta, 1e-5)

        def attention(self, q: Any, k: Any, v: Any) -> Any:
            heads = (t.transpose(1, 2) for t in (q, k, v))
            return functional.scaled_dot_product_attention(*heads, is_causal=True).transpose(1, 2)

        def cross_entropy(self, scores: Any, label: Any) -> Any:
            return functional.cross_entropy(scores.flatten(0, -2), label.flatten())

        def sigmoid_cross_entropy(self, score: Any, answer: float) -> Any:
            return functional.binary_cross_entropy_with_logits(score, torch.full_like(score, answer))

    def adopt(name: str) -> Any:
        value = torch.tensor(own.weights[name])
        if value.dim() == 4:
            value = value.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        return value.requires_grad_(name in own.trained)

    values = {name: adopt(name) for name in own.weights}
    feeds = [torch.tensor(feed) for feed in own.feeds]
    feeds = [feed if feed.is_floating_point() else feed.long() for feed in feeds]
    trained = [values[name] for name in own.trained]
    optimizer: torch.optim.Optimizer
    if model.beta_1 is None:
        optimizer = torch.optim.SGD(trained, model.rate, MOMENTUM, nesterov=True, fused=True)
    else:
        # PyTorch corrects the bias before it adds epsilon: this is the same at the first step.
        epsilon = EPSILON / (1 - BETA_2) ** 0.5
        optimizer = torch.optim.Adam(trained, model.rate, (model.beta_1, BETA_2), epsilon, fused=True)

    def forward(*feeds: Any) -> Any:
        return model.loss(Ops(), values, *feeds)

    if compiled:
        forward = torch.compile(forward)

    def run() -> Any:
        loss = forward(*feeds)
        loss, shown = loss if isinstance(loss, tuple) else (loss, loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return shown.detach()

    return run


# ----------------------------------------------------------------------------
# Measurement
# ----------------------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="cores to use; 0 for all, as the peers choose (1)")
    parser.add_argument("--rounds", type=int, default=31, help="rounds (31)")
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a round and peer (0.05)")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--compile", action="store_true", help="measure torch.compile as well")
    return parser.parse_args()


def restrict_to_cores(threads: int) -> None:
    """Before any peer is imported: they read the environment once."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    if threads == 0:
        return
    cores = sorted(os.sched_getaffinity(0))[:threads]
    if len(cores) < threads:
        sys.exit(f"error: expected {threads} cores, found {len(cores)}")
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"


def check_losses(name: str, runners: dict[str, Step]) -> None:
    """Three steps of each peer, which nothing random moves."""
    expected = [float(runners["flywheel"]()) for _ in range(3)]
    for peer, run in runners.items():
        found = expected if peer == "flywheel" else [float(run()) for _ in range(3)]
        if any(not abs(a - b) <= 1e-3 * abs(b) for a, b in zip(found, expected)):
            sys.exit(f"error: {name}: expected losses {expected}, found {found} of {peer}")


def measure(runners: dict[str, Step], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Seconds of a step of each peer, in each round."""

    def mean(run: Step, steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            loss = run()
        float(loss)
        return (time.perf_counter() - start) / steps

    counts = {}
    for peer, run in runners.items():
        mean(run, 3)
        counts[peer] = max(3, int(seconds / mean(run, 5)))
    times: dict[str, list[float]] = {peer: [] for peer in runners}
    for _ in range(rounds):
        for peer, run in runners.items():
            times[peer].append(mean(run, counts[peer]))
    return times


def main() -> None:
    arguments = parse_arguments()
    restrict_to_cores(arguments.threads)
    peers = {"jax": make_jax, "torch": make_torch}
    for peer in list(peers):
        try:
            __import__(peer)
        except ModuleNotFoundError as error:
            print(f"note: without {peer}: {error}", file=sys.stderr)
            del peers[peer]
    if "torch" in peers and arguments.threads:
        import torch

        torch.set_num_threads(arguments.threads)
    variants = {peer: (make, False) for peer, make in peers.items()}
    if "torch" in peers and arguments.compile:
        variants["compiled"] = (make_torch, True)

    print(f"{'model':14} {'peer':9} {'median':>11} {'minimum':>11} {'over flywheel':>14}")
    for name in arguments.models:
        model = MODELS[name]
        for still in (True, False):
            own = Flywheel(model, still, seed=1)
            runners = {"flywheel": own.step}
            for variant, (make, compiled) in variants.items():
                runners[variant] = make(model, own, still, compiled)
            if still:
                check_losses(name, runners)
        times = measure(runners, arguments.rounds, arguments.seconds)
        for peer, samples in times.items():
            ratio = statistics.median(a / b for a, b in zip(samples, times["flywheel"]))
            print(
                f"{name:14} {peer:9} {statistics.median(samples) * 1e6:9.1f}us {min(samples) * 1e6:9.1f}us "
                f"{ratio:13.2f}x",
                flush=True,
            )
        print(f"{name:14} workspace {own.workspace_bytes} bytes, compiled in {own.compile_seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
