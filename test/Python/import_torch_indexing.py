# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Ops of PyTorch that take, put and sort elements, losses of every form, and random numbers."""

from typing import Any, Dict

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.torch
from import_torch_ops import Function, compare

Module: Any = nn.Module
PLACES = torch.tensor([2, 0, -1, 1])
COLUMNS = torch.tensor([[0, 3], [1, 2], [3, 0]])
LABELS = torch.tensor([2, 0, 3])
SOME = torch.tensor([2, -100, 3])
WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 0.25], dtype=torch.float64)
SHARES = torch.linspace(-1, 1, 12, dtype=torch.float64).view(3, 4).softmax(1)
OTHER = torch.linspace(-2, 2, 12, dtype=torch.float64).sin().view(3, 4)


def put_parts(x: Any) -> Any:
    y = x * 2
    y[1] = x[0]
    y[:, 2] = 0.5
    y[0, 1:3] += x[2, :2]
    return y


def put_where(x: Any) -> Any:
    y = x * 2
    y[x > 0] = 0.3
    return y


def put_rows(x: Any) -> Any:
    y = x * 2
    y[torch.tensor([0, 2])] = x[:2] * 3
    return y


def put_elements(x: Any) -> Any:
    y = x * 2
    y[torch.tensor([0, 2]), torch.tensor([1, -1])] = x[0, :2]
    return y


# Functions of a parameter [3, 4].
CASES: Dict[str, Function] = {
    "rows": lambda x: x[PLACES], "columns": lambda x: x[:, PLACES], "elements": lambda x: x[PLACES, PLACES],
    "grid": lambda x: x[torch.arange(3)[:, None], PLACES[:2]],
    "apart": lambda x: x.view(3, 2, 2)[PLACES, :, LABELS[:1] // 2],
    "bool_rows": lambda x: (x > 0)[PLACES], "fewer": lambda x: x.gather(1, COLUMNS[:2]),
    "put_parts": put_parts, "put_where": put_where, "put_rows": put_rows, "put_elements": put_elements,
    "put_more": lambda x: torch.index_put(x, (PLACES,), x[0], accumulate=True),
    "index_add": lambda x: torch.zeros(5, 4, dtype=x.dtype).index_add(0, LABELS, x),
    "scatter": lambda x: OTHER.scatter(1, COLUMNS, x[:, :2]), "scatter_value": lambda x: x.scatter(1, COLUMNS, 2.5),
    "scatter_add": lambda x: x.scatter_add(0, torch.tensor([[0, 1, 2, 0], [2, 2, 0, 0]]), x[1:]),
    "scatter_sum": lambda x: x.scatter_reduce(1, COLUMNS, x[:, :2].exp(), "sum"),
    "top": lambda x: x.topk(2, 1)[0] + x.topk(2, 1, largest=False)[0], "places": lambda x: x.topk(3, 0)[1],
    "sort": lambda x: x.sort(1, descending=True)[0] * torch.arange(4), "order": lambda x: x.argsort(0),
    "order_of_bools": lambda x: (x > 0).sort(1)[0], "bilinear": lambda x: functional.bilinear(
        x, OTHER, x[:, :2].flatten()[:, None, None] * torch.ones(6, 4, 4, dtype=x.dtype), x[0, :1].expand(6)),
    "filled": lambda x: torch.zeros_like(x).fill_(3) * x,
    "equal": lambda x: (x * 0).sort(1)[1], "max": lambda x: x.max(1)[0] + x.min(0, keepdim=True)[0][0, :3],
    "max_places": lambda x: x.max(0)[1], "median": lambda x: x.median(1)[0], "diagonal": lambda x: x.diagonal(1),
    "trace": lambda x: torch.trace(x), "windows": lambda x: x.unfold(1, 2, 2), "cumprod": lambda x: x.cumprod(1),
    "logcumsumexp": lambda x: x.logcumsumexp(0), "erfc": lambda x: torch.erfc(x),
    "padding_row": lambda x: functional.embedding(LABELS, x[:, :2].t().repeat(2, 1), padding_idx=3),
    "groups": lambda x: functional.scaled_dot_product_attention(
        x.view(1, 4, 3, 1), x[:2].view(1, 2, 4, 1)[:, :, :3], OTHER[:2].view(1, 2, 4, 1)[:, :, :3], enable_gqa=True),
    # Losses.
    "smoothed": lambda x: functional.cross_entropy(x, LABELS, label_smoothing=0.2),
    "smoothed_weights": lambda x: functional.cross_entropy(x, SOME, WEIGHTS, label_smoothing=0.2),
    "weighted": lambda x: functional.cross_entropy(x, LABELS, WEIGHTS),
    "all_ignored": lambda x: functional.cross_entropy(x, torch.full_like(LABELS, -100)),
    "all_ignored_smoothed": lambda x: functional.cross_entropy(x, torch.full_like(LABELS, 1), ignore_index=1,
                                                               label_smoothing=0.1),
    "farthest_of_equal": lambda x: torch.cdist(
        x[:, :1].expand(-1, 4).contiguous(), OTHER[:, :1].expand(-1, 4).contiguous(), p=torch.inf),
    "one_output": lambda x: functional.linear(x, x[0]), "logit_above": lambda x: torch.logit(x, 0.7),
    "maximum_nan": lambda x: torch.maximum(torch.where(x > 0.5, torch.nan, x), OTHER),
    "minimum_nan": lambda x: torch.minimum(OTHER, torch.where(x > 0.5, torch.nan, x)),
    "ignored": lambda x: functional.cross_entropy(x, SOME), "ignored_sum": lambda x: functional.cross_entropy(
        x, LABELS, ignore_index=0, reduction="sum"),
    "each": lambda x: functional.cross_entropy(x, SOME, reduction="none"),
    "pixels": lambda x: functional.cross_entropy(x.view(1, 3, 2, 2), torch.tensor([[[0, 2], [1, 1]]])),
    "one_row": lambda x: functional.cross_entropy(x[0], torch.tensor(2)),
    "shares": lambda x: functional.cross_entropy(x, SHARES, WEIGHTS, label_smoothing=0.1),
    "positive": lambda x: functional.binary_cross_entropy_with_logits(x, SHARES, OTHER.abs(), pos_weight=WEIGHTS),
}  # fmt: skip


class Order(Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        up, down = torch.sort(x, stable=True), torch.sort(x, descending=True, stable=True)
        return up[0], up[1], down[0], down[1], x.median(1)[0], torch.sort(x > 1, stable=True)[1]


def test_order() -> None:
    """NaN is the largest; of equal elements the first is first."""
    x = torch.tensor([[1.0, float("nan"), -2.0, 1.0], [4.0, 3.0, 2.0, 1.0]])
    with fw.Namespace():
        ours = flywheel.torch.from_module(Order(), (x,))
        for found, wanted in zip(ours(x), Order()(x)):
            np.testing.assert_array_equal(np.asarray(found), wanted.numpy())


class Medians(Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return (*x.median(1), *x.median(1, keepdim=True), *x.nanmedian(1))


def test_places_of_medians() -> None:
    """The place of a median that is NaN is that of the first NaN."""
    nan = float("nan")
    x = torch.tensor([[3.0, nan, 1.0, 2.0, nan], [2.0, 2.0, 1.0, 2.0, 3.0], [5.0, 4.0, nan, 2.0, 1.0]])
    with fw.Namespace():
        ours = flywheel.torch.from_module(Medians(), (x,))
        for found, wanted in zip(ours(x), Medians()(x)):
            np.testing.assert_array_equal(np.asarray(found), wanted.numpy())


class Drops(Module):  # type: ignore[misc]
    """Layers that draw."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, 0.25, batch_first=True)
        self.drops = nn.Sequential(nn.Dropout1d(0.5), nn.AlphaDropout(0.2))

    def forward(self, x: Any) -> Any:
        noise = torch.randn_like(x) + torch.rand(8) + torch.bernoulli(torch.full((8,), 0.5))
        return self.drops(self.encoder(x)) + (noise if self.training else 0)


def test_random() -> None:
    """Other numbers at each step, none in inference, where the results are PyTorch's."""
    torch.manual_seed(0)
    module = Drops()
    x, target = torch.randn(3, 5, 8), torch.zeros(3, 5, 8)
    with fw.Namespace(), fw.Store(seed=3):
        ours = flywheel.torch.from_module(module, (x,), loss=nn.MSELoss(), example_targets=(target,),
                                          optimizer=fw.optimizers.SGD(lr=0.0))  # fmt: skip
        losses = [float(ours.step(x, target)) for _ in range(4)]
        assert len(set(losses)) == 4 and all(1.0 < loss < 6.0 for loss in losses), losses
        module.eval()
        # PyTorch's fast path of inference rounds in another order.
        np.testing.assert_allclose(np.asarray(ours(x)), module(x).detach(), rtol=1e-4, atol=1e-5)


class Learned(Module):  # type: ignore[misc]
    """A loss with a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, scores: Any, labels: Any) -> Any:
        return functional.cross_entropy(scores * self.scale, labels)


def test_losses_with_state() -> None:
    """Weights of a loss are constants of the step; one with parameters is refused."""
    layer = nn.Linear(5, 4)
    x, target = torch.randn(3, 5), torch.tensor([0, 3, 1])
    loss = nn.CrossEntropyLoss(weight=WEIGHTS.float())
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(layer, (x,), loss=loss, example_targets=(target,),
                                          optimizer=fw.optimizers.SGD(lr=0.1))  # fmt: skip
        assert sorted(ours.variables) == ["bias", "weight"]
        np.testing.assert_allclose(float(ours.step(x, target)), loss(layer(x), target).item(), rtol=1e-5)
        try:
            flywheel.torch.from_module(layer, (x,), loss=Learned(), example_targets=(target,),
                                       optimizer=fw.optimizers.SGD(lr=0.1))  # fmt: skip
        except ValueError as error:
            assert "the loss Learned has parameters" in str(error), error
        else:
            raise AssertionError("expected an error")


class Positions(Module):  # type: ignore[misc]
    """A table of positions for as many tokens as there are."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(11, 6, padding_idx=0), nn.Embedding(16, 6)
        self.table = nn.Parameter(torch.randn(16, 6))
        self.out = nn.Linear(6, 11)

    def forward(self, tokens: Any) -> Any:
        count = tokens.shape[1]
        return self.out(self.tokens(tokens) + self.positions(torch.arange(count)) + self.table[:count])


def test_open_lengths() -> None:
    """One program for all numbers of tokens."""
    torch.manual_seed(0)
    module = Positions()
    length = torch.export.Dim("length", min=2, max=16)
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, (torch.ones(2, 5, dtype=torch.int64),), dynamic_shapes=({1: length},))
        for count in (5, 9, 16):
            tokens = torch.randint(0, 11, (2, count))
            np.testing.assert_allclose(np.asarray(ours(tokens)), module(tokens).detach(), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    compare(CASES)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
