# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""N18: layers of modules compute what NumPy does, start from the values that they promise, and take narrow types."""

from typing import Any

import numpy as np

import flywheel as fw
from configurations import run_tests

rng = np.random.default_rng(0)
X = rng.standard_normal((5, 3)).astype(np.float32)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_values() -> None:
    """Layers beside NumPy, for odd sizes and for batches of several sizes."""
    with fw.Namespace(), fw.Store(seed=5):
        lstm, gru, conv = fw.nn.LSTM(3, 2), fw.nn.GRU(3, 2), fw.nn.Conv1D(3, 2, 3, padding="causal", dilations=2)
        table, attention = fw.nn.Embedding(5, 6), fw.nn.MultiHeadAttention(6, 2, causal=True)
        for layer in (lstm, gru, conv, attention):
            for variable in layer.variables():
                variable.set(rng.standard_normal(variable.shape).astype(np.float32))

        @fw.function
        def run(x: Any, ids: Any) -> Any:
            y = table(ids)
            return lstm(x), gru(x), conv(x), y, table.attend(y), attention(y)

        def get(layer: Any, name: str) -> Any:
            return layer.state_dict()[name].astype(np.float64)

        for batch in (3, 1, 4):
            x = rng.standard_normal((batch, 5, 3)).astype(np.float32)
            ids = rng.integers(0, 5, (batch, 4)).astype(np.int32)
            (hs, (h, c)), (gs, g), y, rows, scores, seen = run(x, ids)
            own = [np.zeros((batch, 2)) for _ in range(3)]
            for t in range(5):
                i, f, n, o = np.split(x[:, t] @ get(lstm, "kernel") + own[0] @ get(lstm, "recurrent_kernel")
                                      + get(lstm, "bias"), 4, 1)  # fmt: skip
                own[1] = sigmoid(f) * own[1] + sigmoid(i) * np.tanh(n)
                own[0] = sigmoid(o) * np.tanh(own[1])
                np.testing.assert_allclose(hs[:, t], own[0], 1e-4, 1e-5)
                r, z, n = np.split(x[:, t] @ get(gru, "kernel") + get(gru, "bias"), 3, 1)
                rr, zz, nn = np.split(own[2] @ get(gru, "recurrent_kernel") + get(gru, "recurrent_bias"), 3, 1)
                z = sigmoid(z + zz)
                own[2] = (1 - z) * np.tanh(n + sigmoid(r + rr) * nn) + z * own[2]
                np.testing.assert_allclose(gs[:, t], own[2], 1e-4, 1e-5)
                parts = [x[:, t - 2 * (2 - k)] @ get(conv, "kernel")[k] for k in range(3) if t >= 2 * (2 - k)]
                np.testing.assert_allclose(y[:, t], sum(parts) + get(conv, "bias"), 1e-4, 1e-5)
            for found, wanted in ((h, own[0]), (c, own[1]), (g, own[2])):
                np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)
            np.testing.assert_array_equal(rows, table.table.numpy()[ids])
            np.testing.assert_allclose(scores, rows @ table.table.numpy().T, 1e-4, 1e-5)
            q, k, v = (np.moveaxis((rows @ get(attention, f"{p}/kernel") + get(attention, f"{p}/bias"))
                                   .reshape(batch, 4, 2, 3), 2, 1) for p in "qkv")  # fmt: skip
            weights = np.where(np.tri(4, dtype=bool), np.exp(q @ np.swapaxes(k, 2, 3) / np.sqrt(3)), 0)
            each = np.moveaxis(weights / weights.sum(-1, keepdims=True) @ v, 1, 2).reshape(batch, 4, 6)
            np.testing.assert_allclose(seen, each @ get(attention, "o/kernel") + get(attention, "o/bias"), 1e-4, 1e-5)
        assert len(run._traces) == 2, "one program for batches of all sizes, and one for single examples"
        # Elements that are kept are doubled, about half of them.
        drop, ones = fw.nn.Dropout(0.5), np.ones((40, 50), np.float32)
        kept = fw.function(lambda x: drop(x, training=True))(ones)
        assert set(np.unique(kept)) == {0, 2} and 0.4 < (kept > 0).mean() < 0.6
        for training in (False, np.bool_(False)):
            np.testing.assert_array_equal(fw.function(lambda x, t: drop(x, training=t))(ones, training), ones)


def test_initial_values() -> None:
    """Fans are those of the layer, of each gate by itself, of transposed filters in their direction."""
    with fw.Namespace(), fw.Store(seed=5):
        he = fw.initializers.HeNormal()
        # The standard deviation of a truncated normal distribution.
        shrunk = 0.8796256610
        layer: Any
        for layer, wanted in (
            (fw.nn.Dense(50, 400, initializer=he), shrunk * np.sqrt(2 / 50)),
            (fw.nn.Dense(50, 400), np.sqrt(2 / 450)),
            (fw.nn.Conv2D(20, 100, (2, 3), initializer=he), shrunk * np.sqrt(2 / 120)),
            (fw.nn.Conv1D(40, 80, 3, groups=2, initializer=he), shrunk * np.sqrt(2 / 60)),
            (fw.nn.ConvTranspose2D(20, 100, (2, 3), initializer=he), shrunk * np.sqrt(2 / 120)),
            (fw.nn.LSTM(60, 30), np.sqrt(2 / 90)),
            (fw.nn.GRU(60, 30), np.sqrt(2 / 90)),
        ):
            drawn = layer.kernel.numpy()
            np.testing.assert_allclose(drawn.std(), wanted, 0.03, err_msg=repr(layer))
            assert not layer.bias.numpy().any()
        np.testing.assert_allclose(fw.nn.Embedding(200, 64).table.numpy().std(), 1 / 8, 0.03)


def test_narrow() -> None:
    """Layers of bfloat16 and float16 with masters of float32: products are of 16 bits, norms' variables are not."""
    for name in ("float16", "bfloat16"):
        dtype = getattr(fw, name)
        if dtype is None:
            continue
        with fw.Namespace(), fw.Store(seed=5):
            layers = fw.nn.Sequential(
                fw.nn.Dense(8, 12, dtype=dtype), fw.nn.LayerNorm(12, dtype=dtype), fw.nn.GroupNorm(3, 12, dtype=dtype),
                lambda x: fw.expand_dims(x, 0), fw.nn.MultiHeadAttention(12, 2, rotary=1e4, dtype=dtype),
                fw.nn.LSTM(12, 5, dtype=dtype), lambda pair: pair[0][0], fw.nn.BatchNorm(5, dtype=dtype))  # fmt: skip
            adam = fw.optimizers.Adam(lr=0.01)

            @fw.function
            def step(x: Any) -> Any:
                y = layers(fw.cast(x, dtype), training=True)  # noqa: B023
                loss = fw.mean((fw.cast(y, "float32") - 1) ** 2)
                adam.minimize(loss, master_weights=True)  # noqa: B023
                return loss

            x = rng.standard_normal((7, 8)).astype(np.float32)
            losses = [float(step(x)) for _ in range(30)]
            assert losses[-1] < 0.8 * losses[0], (name, losses[::10])
            assert layers.layers[1].gamma.dtype == np.float32 and "master" in "".join(fw.current_store().names)


run_tests([test_values, test_initial_values, test_narrow])
