# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow as a peer: one tf.function of the whole step, by its own executor or by XLA."""

from __future__ import annotations

import time
from typing import Any

import tensorflow as tf
from rows import Row, Values


class Ops:
    relu, sigmoid = staticmethod(tf.nn.relu), staticmethod(tf.sigmoid)
    one_hot = staticmethod(tf.one_hot)
    mean_all, sum_all = staticmethod(tf.reduce_mean), staticmethod(tf.reduce_sum)

    def __init__(self, still: bool) -> None:
        self.still = still

    def leaky_relu(self, x: Any, slope: float) -> Any:
        return tf.nn.leaky_relu(x, slope)

    def draw_integer(self, bound: int, held: int) -> Any:
        return held if self.still else tf.random.uniform((), 0, bound, tf.int32)

    def draw_normal(self, shape: tuple[int, ...], held: float) -> Any:
        return tf.fill(shape, held) if self.still else tf.random.normal(shape)

    def dropout(self, x: Any, rate: float) -> Any:
        return x if self.still else tf.nn.dropout(x, rate)

    def sum_last(self, x: Any) -> Any:
        return tf.reduce_sum(x, -1)

    def square(self, x: Any, size: int) -> Any:
        return tf.reshape(x, (-1, size, size, 1))

    def image(self, x: Any) -> Any:
        return x

    def filter(self, w: Any, size: int) -> Any:
        return tf.reshape(w, (size, size, 1, 1))

    def conv(self, x: Any, w: Any, b: Any = None, stride: int = 1) -> Any:
        y = tf.nn.conv2d(x, w, stride, "SAME")
        return y if b is None else tf.nn.bias_add(y, b)

    def max_pool(self, x: Any) -> Any:
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    def batch_norm(self, x: Any, v: Values, name: str) -> Any:
        # The fused kernel's variance to be stored has n - 1 below: what it normalizes by is ours.
        y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, v[name + "_gamma"], v[name + "_beta"], epsilon=1e-3)[:3]
        for key, value in ((name + "_mean", mean), (name + "_variance", variance)):
            v[key].assign(0.9 * v[key] + 0.1 * value)
        return y

    def flat(self, x: Any) -> Any:
        return tf.reshape(x, (x.shape[0], -1))

    def mean(self, x: Any) -> Any:
        return tf.reduce_mean(x, (1, 2))

    def dense(self, x: Any, w: Any, b: Any = None) -> Any:
        y = tf.reshape(x, (-1, x.shape[-1])) @ w
        y = y if b is None else tf.nn.bias_add(y, b)
        return tf.reshape(y, (*x.shape[:-1], w.shape[1]))

    def gather(self, table: Any, index: Any) -> Any:
        return tf.gather(table, index)

    def layer_norm(self, x: Any, gamma: Any, beta: Any) -> Any:
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5) * gamma + beta

    def heads(self, x: Any, count: int) -> Any:
        return tf.transpose(tf.reshape(x, (*x.shape[:2], count, x.shape[2] // count)), (0, 2, 1, 3))

    def joined(self, x: Any) -> Any:
        n, h, t, w = x.shape
        return tf.reshape(tf.transpose(x, (0, 2, 1, 3)), (n, t, h * w))

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True) * q.shape[-1] ** -0.5
        seen = tf.linalg.band_part(tf.ones(scores.shape[-2:], tf.bool), -1, 0)
        return tf.nn.softmax(tf.where(seen, scores, -1e30)) @ v

    def gelu(self, x: Any) -> Any:
        return tf.nn.gelu(x)

    def gru(self, x: Any, wx: Any, wh: Any, bx: Any, bh: Any) -> Any:
        gates = self.dense(x, wx, bx)
        h = tf.zeros(x.shape[1:])
        # A counted loop with a known bound: the form that XLA can differentiate.
        for t in tf.range(x.shape[0]):
            ar, az, an = tf.split(gates[t], 3, -1)
            br, bz, bn = tf.split(tf.nn.bias_add(h @ wh, bh), 3, -1)
            z = tf.sigmoid(az + bz)
            h = (1 - z) * tf.tanh(an + tf.sigmoid(ar + br) * bn) + z * h
        return h

    def squared_error(self, x: Any, y: Any) -> Any:
        return tf.reduce_mean((x - y) ** 2)

    def cross_entropy(self, scores: Any, label: Any) -> Any:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, scores))

    def sigmoid_cross_entropy(self, score: Any, answer: float) -> Any:
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.fill(score.shape, answer), score))


class TensorFlow:
    def __init__(self, row: Row, values: Values, trained: list[str], feeds: list[Any], still: bool, xla: bool) -> None:
        v = {name: tf.Variable(value, trainable=name in trained) for name, value in values.items()}
        p = [v[name] for name in trained]
        o = row.optimizer
        m = [tf.Variable(tf.zeros_like(x)) for x in p] if o.kind != "sgd" else []
        h = [tf.Variable(tf.zeros_like(x)) for x in p] if o.kind.startswith("adam") else []
        t = tf.Variable(0.0)
        raw = tf.raw_ops

        def update(i: int, g: Any) -> None:
            """The kernels that Keras' and tf.train's optimizers call."""
            if o.kind == "sgd":
                if isinstance(g, tf.IndexedSlices):
                    raw.ResourceScatterSub(resource=p[i].handle, indices=g.indices, updates=o.rate * g.values)
                else:
                    p[i].assign_sub(o.rate * g)
            elif o.kind in ("momentum", "nesterov"):
                # Keras' form, which takes the rate into the velocity.
                raw.ResourceApplyKerasMomentum(
                    var=p[i].handle, accum=m[i].handle, lr=o.rate, grad=g, momentum=o.momentum,
                    use_nesterov=o.kind == "nesterov",
                )  # fmt: skip
            else:
                rate = o.rate
                if o.kind == "adamw":
                    p[i].assign_sub(o.rate * o.decay * p[i])
                epsilon = o.epsilon if o.kind == "adam" else o.epsilon * tf.sqrt(1 - o.beta_2**t)
                raw.ResourceApplyAdam(
                    var=p[i].handle, m=m[i].handle, v=h[i].handle, beta1_power=o.beta_1**t, beta2_power=o.beta_2**t,
                    lr=rate, beta1=o.beta_1, beta2=o.beta_2, epsilon=epsilon, grad=g,
                )  # fmt: skip

        def step(*given: Any) -> Any:
            t.assign_add(1.0)
            if row.update_only:
                for i, g in enumerate(given):
                    update(i, g)
                return tf.constant(0.0)
            with tf.GradientTape() as tape:
                loss = self.loss(row, still, v, given)
                loss, shown = loss if isinstance(loss, tuple) else (loss, loss)
            for i, g in enumerate(tape.gradient(loss, p)):
                update(i, g if o.kind == "sgd" else tf.convert_to_tensor(g))
            return shown

        self.given = [tf.constant(feed) for feed in feeds]
        function = tf.function(step, jit_compile=xla)
        start = time.perf_counter()
        function.get_concrete_function(*self.given)
        self.compile_seconds = time.perf_counter() - start
        self.function = function
        self.workspace_bytes = None

    def loss(self, row: Row, still: bool, v: Values, given: Any) -> Any:
        return row.loss(Ops(still), v, *given)

    def step(self) -> Any:
        return self.function(*self.given)

    def wait(self) -> None:
        pass
