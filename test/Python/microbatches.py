# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Micro-batches in one step: what the whole batch gives, in less memory (C7, G9)."""

from typing import Any, List, Tuple

import numpy as np

import flywheel as fw
from flywheel import nn

rng = np.random.default_rng(11)


def expect(kind: Any, text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected an error: {text}")


def model(dtype: str = "float64") -> Tuple[List[fw.Variable], Any]:
    weights = [fw.Variable(np.asarray(0.1 * rng.standard_normal(shape)), dtype=dtype) for shape in ((7, 33), (33, 5))]

    def loss(x: fw.Tensor, label: fw.Tensor) -> Any:
        hidden = fw.tanh(x @ weights[0])
        scores = fw.cast(hidden @ weights[1], "float64")
        right = fw.sum(fw.cast(fw.equal(fw.cast(fw.argmax(scores, 1), "int32"), label), "int32"))
        return nn.sparse_softmax_cross_entropy(scores, label), right

    return weights, loss


# A mean loss, its gradients and hits, with static and dynamic batches and any number of parts.
weights, loss = model()
x, label = rng.standard_normal((12, 7)), rng.integers(0, 5, 12).astype(np.int32)
both = fw.value_and_grad(loss, variables=weights, has_aux=True)
whole = fw.function(both)(x, label)
for count in (1, 2, 3, 12):
    for batch in (12, "batch"):
        signature = [fw.spec(batch, 7, dtype="float64"), fw.spec(batch, dtype="int32")]
        parts = fw.function(fw.microbatch(both, count), signature=signature)(x, label)
        np.testing.assert_allclose(parts[0][0], whole[0][0], 1e-13)
        assert parts[0][1] == whole[0][1], "hits are summed"
        for a, b in zip(parts[1], whole[1]):
            np.testing.assert_allclose(a, b, 1e-11, 1e-14)

# With reduction "sum", other axes and arguments that all parts share; trees in and out.
summed = fw.microbatch(
    lambda pair, scale: {"sum": fw.sum(pair["a"] * pair["b"]) * scale}, 3, in_axes=(1, None), reduction="sum"
)
a, b = rng.standard_normal((2, 6)), rng.standard_normal((2, 6))
np.testing.assert_allclose(fw.function(summed)({"a": a, "b": b}, 2.0)["sum"], 2 * np.sum(a * b), 1e-6)

# An update: the same weights as that of the whole batch, in less memory.
wide = 256


def train(count: int) -> Any:
    rng = np.random.default_rng(2)
    first = fw.Variable((0.1 * rng.standard_normal((16, wide))).astype(np.float32))
    second = fw.Variable((0.1 * rng.standard_normal((wide, 1))).astype(np.float32))
    optimizer = fw.optimizers.Adam(0.01)

    def error(x: fw.Tensor, y: fw.Tensor) -> fw.Tensor:
        return fw.mean(fw.square(fw.tanh(x @ first) @ second - y))

    @fw.function(threads=1)  # Several have buffers of their own.
    def step(x: fw.Tensor, y: fw.Tensor) -> Any:
        def part(x: fw.Tensor, y: fw.Tensor) -> Any:
            # A number that is counted keeps no part's activations either.
            return fw.value_and_grad(error, variables=[first, second])(x, y), fw.sum(fw.cast(y > 0, "int32"))

        (value, found), _ = fw.microbatch(part, count)(x, y)
        optimizer.apply_gradients(zip(found, [first, second]), clip_global_norm=1.0)
        return value

    inputs, targets = rng.standard_normal((2048, 16), np.float32), rng.standard_normal((2048, 1), np.float32)
    losses = [float(step(inputs, targets)) for _ in range(5)]
    return losses, first.numpy(), step.trace(inputs, targets).program.entries[0].workspace_bytes()


one, eight = train(1), train(8)
np.testing.assert_allclose(eight[0], one[0], 1e-5)
np.testing.assert_allclose(eight[1], one[1], 1e-3, 1e-5)
assert eight[0][-1] < eight[0][0]
# The first cache of the CPU decides which of the two programs computes the gradient of the activations in their place.
# At most, a part has two buffers of an eighth of the rows, and the sums of two gradients in turn.
part, sums = 2048 // 8 * wide * 4, 2 * (16 * wide + wide) * 4
assert one[2] >= 8 * part and eight[2] <= 2 * part + sums + 4096, (eight[2], one[2], part, sums)

# Parts assign what the function assigns, one after the other; narrow sums are wide.
calls = fw.Variable(0, dtype="int32", name="calls", trainable=False)


def counted(x: fw.Tensor) -> fw.Tensor:
    calls.assign_add(1)
    return fw.sum(x)


tenths = np.full(4096, 0.1, np.float16)
total = fw.function(fw.microbatch(counted, 4096, reduction="sum"))(tenths)
assert total.dtype == np.float16 and abs(float(total) - 409.6) < 0.5, total
assert int(calls.numpy()) == 4096

# Errors.
expect(ValueError, "a batch of 12 (shape (12, 7)) has none", lambda: fw.function(fw.microbatch(both, 5))(x, label))
expect(ValueError, "at least 1, found 0", lambda: fw.microbatch(both, 0))
expect(ValueError, "at least 1, found 2.5", lambda: fw.microbatch(both, 2.5))  # type: ignore[arg-type]
expect(ValueError, "'mean' or 'sum', found 'max'", lambda: fw.microbatch(both, 2, reduction="max"))
expect(ValueError, "an axis for each of 2", lambda: fw.function(fw.microbatch(both, 2, in_axes=(0,)))(x, label))
expect(ValueError, "an argument with an axis", lambda: fw.function(fw.microbatch(both, 2, in_axes=None))(x, label))
expect(ValueError, "a scalar has none", lambda: fw.function(fw.microbatch(fw.sum, 2))(1.0))
expect(TypeError, "sums numbers, found bool", lambda: fw.function(fw.microbatch(fw.isfinite, 2))(x))
expect(ValueError, "static sizes", lambda: fw.function(
    fw.microbatch(fw.square, 2), signature=[fw.spec(None)])(np.ones(4, np.float32)))

# A batch whose size is known at run time only: the call fails, and changes nothing.
before = int(calls.numpy())
uneven = fw.function(fw.microbatch(counted, 4), signature=[fw.spec(None)])
assert float(uneven(np.ones(8, np.float32))) == 2
assert int(calls.numpy()) == before + 4
expect(fw.InvalidArgumentError, "microbatch: a batch in 4 equal parts: found 7, expected a multiple of 4",
       lambda: uneven(np.ones(7, np.float32)))
assert int(calls.numpy()) == before + 4
