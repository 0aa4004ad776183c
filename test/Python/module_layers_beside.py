# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Layers beside those of PyTorch with the same weights (N18): results, and the gradients with respect to the argument
and to each parameter, for odd sizes."""

from typing import Any, Callable, Dict

import numpy as np
import torch
from torch.nn import functional

import flywheel as fw

torch.manual_seed(3)
rng = np.random.default_rng(4)
COMPARED = {"Embedding", "Dropout", "Sequential", "KeyValueCache"}  # Compared elsewhere.


def draw(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def compare(
    ours: Any, theirs: Any, paths: Dict[str, str], x: Any, *, axes: Callable[[Any], Any] = lambda w: w,
    to: Callable[[Any], Any] = lambda x: x, back: Callable[[Any], Any] = lambda y: y,
    call: Callable[[Any, Any], Any] = lambda layer, x: layer(x), call_theirs: Any = None, tolerance: float = 2e-5,
) -> None:  # fmt: skip
    """One layer here and there: `paths` are the names of parameters there, `axes` moves a weight from there to here,
    `to` the argument from here to there and `back` the result."""
    theirs.zero_grad()
    named = dict(theirs.named_parameters())
    ours.load_state_dict({path: axes(named[name].detach().numpy()) for path, name in paths.items()}, strict=False)

    given = torch.tensor(to(x).copy(), requires_grad=True)
    result = (call_theirs or call)(theirs, given)
    expected = back(result.detach().numpy())
    weights = draw(*expected.shape)

    @fw.function
    def step(x: Any) -> Any:
        loss = lambda x, layer: (lambda y: (fw.sum(y * weights), y))(call(layer, x))  # noqa: E731
        (_, y), (dx, dw) = fw.value_and_grad(loss, (0, 1), has_aux=True)(x, ours)
        return y, dx, dw

    y, dx, dw = step(x)
    # The weights of the result go there as the argument does.
    shape_there = torch.tensor(np.ascontiguousarray(to(weights) if weights.ndim == x.ndim else weights))
    result.backward(shape_there)
    label = type(ours).__name__
    COMPARED.add(label)
    np.testing.assert_allclose(y, expected, tolerance, tolerance, err_msg=label)
    np.testing.assert_allclose(dx, back(given.grad.numpy()), 10 * tolerance, 10 * tolerance, err_msg=f"{label}: x")
    assert set(dw) == set(paths), (label, set(dw), set(paths))
    for path, name in paths.items():
        np.testing.assert_allclose(dw[path], axes(named[name].grad.numpy()), 10 * tolerance, 10 * tolerance,
                                   err_msg=f"{label}: {path}")  # fmt: skip


KERNEL = {"kernel": "weight", "bias": "bias"}
SCALE = {"gamma": "weight", "beta": "bias"}


def transposed(w: Any) -> Any:
    return w.T


# Products and tables.
for lead in ((5,), (2, 3), ()):
    compare(fw.nn.Dense(3, 7), torch.nn.Linear(3, 7), KERNEL, draw(*lead, 3), axes=transposed)
compare(fw.nn.Dense(3, 1, bias=False), torch.nn.Linear(3, 1, bias=False), {"kernel": "weight"}, draw(1, 3),
        axes=transposed)  # fmt: skip


# Convolutions: channels are last here, and second there.
def channels_second(x: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def channels_last(y: Any) -> Any:
    return np.moveaxis(y, 1, -1)


def filters(w: Any) -> Any:
    """Outputs and inputs last."""
    return w if w.ndim == 1 else np.moveaxis(np.moveaxis(w, 0, -1), 0, -2)


def convolution(ours: Any, theirs: Any, x: Any) -> None:
    compare(ours, theirs, KERNEL, x, axes=filters, to=channels_second, back=channels_last, tolerance=5e-5)


convolution(fw.nn.Conv1D(3, 4, 3), torch.nn.Conv1d(3, 4, 3), draw(2, 9, 3))
convolution(fw.nn.Conv1D(4, 6, 3, strides=2, padding=[(1, 1)], groups=2),
            torch.nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), draw(2, 9, 4))  # fmt: skip
convolution(fw.nn.Conv1D(3, 2, 3, dilations=2, padding="same"), torch.nn.Conv1d(3, 2, 3, dilation=2, padding="same"),
            draw(2, 9, 3))  # fmt: skip
convolution(fw.nn.Conv2D(3, 5, (3, 2), strides=(2, 1)), torch.nn.Conv2d(3, 5, (3, 2), stride=(2, 1)), draw(2, 9, 7, 3))
convolution(fw.nn.Conv2D(4, 4, 3, padding="same", groups=4), torch.nn.Conv2d(4, 4, 3, padding="same", groups=4),
            draw(1, 5, 7, 4))  # fmt: skip
convolution(fw.nn.Conv3D(2, 3, 3, padding="same"), torch.nn.Conv3d(2, 3, 3, padding="same"), draw(2, 5, 4, 3, 2))
convolution(fw.nn.Conv3D(2, 3, (1, 2, 3), strides=(1, 2, 1)), torch.nn.Conv3d(2, 3, (1, 2, 3), stride=(1, 2, 1)),
            draw(1, 3, 5, 4, 2))  # fmt: skip


# Transposed filters are inputs first there, and inputs last here.
def transposed_filters(w: Any) -> Any:
    return w if w.ndim == 1 else np.moveaxis(w, (0, 1), (-1, -2))


compare(fw.nn.ConvTranspose1D(3, 4, 3, strides=2), torch.nn.ConvTranspose1d(3, 4, 3, stride=2), KERNEL, draw(2, 5, 3),
        axes=transposed_filters, to=channels_second, back=channels_last)  # fmt: skip
compare(fw.nn.ConvTranspose2D(3, 4, (3, 2), strides=(2, 1)), torch.nn.ConvTranspose2d(3, 4, (3, 2), stride=(2, 1)),
        KERNEL, draw(2, 4, 3, 3), axes=transposed_filters, to=channels_second, back=channels_last)  # fmt: skip
for groups in (2, 4):
    compare(fw.nn.ConvTranspose1D(4, 8, 3, strides=2, groups=groups),
            torch.nn.ConvTranspose1d(4, 8, 3, stride=2, groups=groups), KERNEL, draw(2, 5, 4),
            axes=transposed_filters, to=channels_second, back=channels_last)  # fmt: skip
    compare(fw.nn.ConvTranspose2D(4, 4, (3, 2), strides=(2, 1), groups=groups),
            torch.nn.ConvTranspose2d(4, 4, (3, 2), stride=(2, 1), groups=groups), KERNEL, draw(2, 4, 3, 4),
            axes=transposed_filters, to=channels_second, back=channels_last)  # fmt: skip

# Norms.
compare(fw.nn.LayerNorm(7, epsilon=1e-5), torch.nn.LayerNorm(7), SCALE, draw(3, 7))
compare(fw.nn.LayerNorm((3, 5), epsilon=1e-5), torch.nn.LayerNorm((3, 5)), SCALE, draw(2, 3, 5))
compare(fw.nn.RMSNorm(7, epsilon=1e-5), torch.nn.RMSNorm(7, eps=1e-5), {"gamma": "weight"}, draw(2, 3, 7))
compare(fw.nn.GroupNorm(3, 6, epsilon=1e-5), torch.nn.GroupNorm(3, 6), SCALE, draw(2, 5, 3, 6), to=channels_second,
        back=channels_last)  # fmt: skip
compare(fw.nn.GroupNorm(2, 6, epsilon=1e-5), torch.nn.GroupNorm(2, 6), SCALE, draw(4, 6))
batch = fw.nn.BatchNorm(5, momentum=0.9, epsilon=1e-5)
there = torch.nn.BatchNorm2d(5, momentum=0.1)
compare(batch, there, SCALE, draw(3, 4, 2, 5), to=channels_second, back=channels_last,
        call=lambda layer, x: layer(x, training=True), call_theirs=lambda layer, x: layer(x))  # fmt: skip
np.testing.assert_allclose(batch.mean.numpy(), there.running_mean, 1e-5, 1e-6)
# The variance of the batch here is the mean of squares; there it is over n - 1.
there.running_var.copy_(torch.tensor(batch.variance.numpy()))
compare(batch, there.eval(), SCALE, draw(3, 4, 2, 5), to=channels_second, back=channels_last,
        call=lambda layer, x: layer(x, training=False), call_theirs=lambda layer, x: layer(x))  # fmt: skip


# Attention.
class Attention(torch.nn.Module):  # type: ignore[misc]
    """The attention of PyTorch's product attention."""

    def __init__(self, width: int, heads: int, kv_heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.each, self.causal = heads, kv_heads, width // heads, causal
        self.q, self.o = torch.nn.Linear(width, width), torch.nn.Linear(width, width)
        self.k, self.v = (torch.nn.Linear(width, kv_heads * self.each) for _ in range(2))

    def forward(self, x: Any, context: Any = None, mask: Any = None) -> Any:
        other = x if context is None else context

        def split(y: Any, heads: int) -> Any:
            return y.unflatten(2, (heads, self.each)).transpose(1, 2)

        y = functional.scaled_dot_product_attention(
            split(self.q(x), self.heads), split(self.k(other), self.kv_heads), split(self.v(other), self.kv_heads),
            mask, is_causal=self.causal, enable_gqa=True)  # fmt: skip
        return self.o(y.transpose(1, 2).flatten(2))


PARTS = {f"{part}/{ours}": f"{part}.{theirs}" for part in "qkvo" for ours, theirs in KERNEL.items()}
context, visible = draw(2, 7, 12), np.tril(np.ones((5, 5), bool), 1)
for heads, kv_heads, causal in ((3, 3, True), (4, 2, True), (4, 1, False)):
    compare(fw.nn.MultiHeadAttention(12, heads, kv_heads=kv_heads, causal=causal),
            Attention(12, heads, kv_heads, causal), PARTS, draw(2, 5, 12), axes=transposed)  # fmt: skip
compare(fw.nn.MultiHeadAttention(12, 4, kv_heads=2), Attention(12, 4, 2, False), PARTS, draw(2, 5, 12),
        axes=transposed, call=lambda layer, x: layer(x, mask=visible),
        call_theirs=lambda layer, x: layer(x, mask=torch.tensor(visible)))  # fmt: skip
compare(fw.nn.MultiHeadAttention(12, 2), Attention(12, 2, 2, False), PARTS, draw(2, 5, 12), axes=transposed,
        call=lambda layer, x: layer(x, context),
        call_theirs=lambda layer, x: layer(x, torch.tensor(context)))  # fmt: skip

# Recurrent layers. The bias of LSTMs is one here and a sum of two there.
for reverse in (False, True):
    recurrent = torch.nn.LSTM(3, 5, batch_first=True)
    torch.nn.init.zeros_(recurrent.bias_hh_l0)

    def run(layer: Any, x: Any, reverse: bool = reverse) -> Any:
        return layer(x, reverse=reverse)[0]

    def run_there(layer: Any, x: Any, reverse: bool = reverse) -> Any:
        return layer(x.flip(1))[0].flip(1) if reverse else layer(x)[0]

    compare(fw.nn.LSTM(3, 5), recurrent,
            {"kernel": "weight_ih_l0", "recurrent_kernel": "weight_hh_l0", "bias": "bias_ih_l0"}, draw(2, 6, 3),
            axes=transposed, call=run, call_theirs=run_there)  # fmt: skip
    compare(fw.nn.GRU(3, 5), torch.nn.GRU(3, 5, batch_first=True),
            {"kernel": "weight_ih_l0", "recurrent_kernel": "weight_hh_l0", "bias": "bias_ih_l0",
             "recurrent_bias": "bias_hh_l0"}, draw(2, 6, 3), axes=transposed, call=run,
            call_theirs=run_there)  # fmt: skip

layers = {name for name in fw.nn.__all__ if isinstance(getattr(fw.nn, name), type)}
assert layers == COMPARED, layers ^ COMPARED

# Losses.
logits, soft, weights = draw(6, 5), rng.dirichlet(np.ones(5), 6).astype(np.float32), rng.random(5).astype(np.float32)
hits = (rng.random((6, 5)) < 0.4).astype(np.float32)
labels = np.array([0, 4, -100, 2, 2, -100])


def check_loss(ours: Callable[[Any], Any], theirs: Callable[[Any], Any], label: str) -> None:
    x = torch.tensor(logits, requires_grad=True)
    expected = theirs(x)
    expected.sum().backward()

    @fw.function
    def step(x: Any) -> Any:
        y = ours(x)
        return y, fw.gradients(y, x)

    found, gradient = step(logits)
    np.testing.assert_allclose(found, expected.detach().numpy(), 1e-5, 1e-6, err_msg=label)
    np.testing.assert_allclose(gradient, x.grad.numpy(), 1e-5, 1e-6, err_msg=label)


for smoothing in (0.0, 0.1):
    for class_weights in (None, weights):
        there_weights = None if class_weights is None else torch.tensor(weights)
        for reduction in ("none", "mean", "sum"):
            options: Any = {"label_smoothing": smoothing, "reduction": reduction}
            for own, ignored in ((labels, -100), (np.maximum(labels, 0), 0), (np.maximum(labels, 0), None)):
                there_options = options if ignored is None else {**options, "ignore_index": ignored}
                check_loss(
                    lambda x: fw.nn.sparse_softmax_cross_entropy(x, own, ignore_index=ignored,
                                                                 class_weights=class_weights, **options),
                    lambda x: functional.cross_entropy(x, torch.tensor(own), there_weights, **there_options),
                    f"sparse {options} {ignored}")  # fmt: skip
            check_loss(lambda x: fw.nn.softmax_cross_entropy(x, soft, class_weights=class_weights, **options),
                       lambda x: functional.cross_entropy(x, torch.tensor(soft), there_weights, **options),
                       f"soft {options}")  # fmt: skip
            check_loss(lambda x: fw.nn.sigmoid_cross_entropy(x, hits, positive_weight=class_weights, **options),
                       lambda x: functional.binary_cross_entropy_with_logits(
                           x, torch.tensor(hits * (1 - smoothing) + smoothing / 2), pos_weight=there_weights,
                           reduction=reduction), f"sigmoid {options}")  # fmt: skip
