# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Windows, other sizes, indices and order in modules of PyTorch: values and gradients beside PyTorch's."""

from typing import Any, Callable, List, Tuple

import numpy as np
import torch
from import_torch import beside
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.torch

Function = Callable[..., Any]
Module: Any = nn.Module
FACTOR = torch.tensor([0.7, 1.3, -0.4])


class Scaled(Module):  # type: ignore[misc]
    """Functions of images that a parameter scales: it gets their gradient."""

    def __init__(self, functions: List[Function], channels: int):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(0.5, 1.5, channels, dtype=torch.float64)[:, None, None])
        self.functions = functions

    def forward(self, x: Any) -> Any:
        scaled = x * self.scale
        return torch.cat([function(scaled).flatten() for function in self.functions])


def compare(functions: List[Function], shape: Tuple[int, ...]) -> None:
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=torch.float64)
    module = Scaled(functions, shape[1])
    with torch.no_grad():
        target = torch.randn_like(module(x))
    beside(module, (x,), target, nn.MSELoss(), rate=0.01, steps=2, rtol=1e-7)


def test_pools() -> None:
    """Windows that go beyond the image, that are apart, and that do not divide it."""
    f = functional
    for height, width in ((7, 10), (8, 5)):
        compare([
            lambda x: f.max_pool2d(x, 3, 2, ceil_mode=True), lambda x: f.max_pool2d(x, 2, 3, 1, ceil_mode=True),
            lambda x: f.max_pool2d(x, (3, 2), (1, 2), dilation=(2, 1)), lambda x: f.max_pool2d(x, 2, 2, 1, 2, True),
            lambda x: f.avg_pool2d(x, 3, 2, ceil_mode=True), lambda x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
            lambda x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            lambda x: f.avg_pool2d(x, 2, 2, 1, divisor_override=3)], (2, 3, height, width))  # fmt: skip
        compare([
            lambda x: f.adaptive_avg_pool2d(x, (3, 4)), lambda x: f.adaptive_avg_pool2d(x, (None, 9)),
            lambda x: f.adaptive_avg_pool2d(x, 11), lambda x: f.adaptive_max_pool2d(x, (3, 4)),
            lambda x: f.local_response_norm(x, 2), lambda x: f.max_pool1d(x.flatten(2), 3, 2, 1)],
            (2, 3, height, width))  # fmt: skip


def test_other_sizes() -> None:
    f = functional
    for mode in ("bilinear", "bicubic"):
        compare([
            lambda x: f.interpolate(x, scale_factor=1.7, mode=mode), lambda x: f.interpolate(x, (3, 9), mode=mode),
            lambda x: f.interpolate(x, (9, 1), mode=mode, align_corners=True),
            lambda x: f.interpolate(x, (3, 4), mode=mode, antialias=True)], (2, 2, 5, 6))  # fmt: skip
    compare([
        lambda x: f.interpolate(x, (7, 4)), lambda x: f.interpolate(x, scale_factor=1.6),
        lambda x: f.interpolate(x, (7, 4), mode="nearest-exact"), lambda x: f.interpolate(x, scale_factor=2.0),
        lambda x: f.pad(x, (2, 1, 0, 3), "reflect"), lambda x: f.pad(x, (2, 1, 0, 3), "replicate"),
        lambda x: f.pad(x, (2, 1, 0, 3), "circular")], (2, 2, 5, 6))  # fmt: skip
    module = nn.Sequential(nn.ConvTranspose2d(2, 4, 3, 2, 1, 1), nn.ConvTranspose2d(4, 3, 2, 2, 0, 1, dilation=2))
    x = torch.randn(2, 2, 3, 4)
    beside(module, (x,), torch.randn_like(module(x)), nn.MSELoss(), rate=0.01, steps=2)


def test_indices() -> None:
    places, others = torch.tensor([[2, 0], [-1, 1]]), torch.tensor([1, -2])

    def written(x: Any) -> Any:
        y = torch.zeros_like(x)
        y[:, :, 1:3] = x[:, :, :2]
        y[:, 0] = x[:, 1]
        y[0, 1, 2] = 3.0
        return y

    compare([
        lambda x: x[places], lambda x: x[:, places], lambda x: x[:, places, others], lambda x: x[others, :, places],
        lambda x: x[:, :, [0, 3]], written], (3, 3, 4, 5))  # fmt: skip


def test_embeddings() -> None:
    """The row of the padding is not trained."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Embedding(9, 5, padding_idx=2), nn.Flatten(), nn.Linear(20, 3))
    ids = torch.tensor([[2, 1, 2, 8], [0, 1, 1, 2], [7, 2, 2, 2]])
    before = module[0].weight[2].clone()
    beside(module, (ids,), torch.tensor([0, 2, 1]), nn.CrossEntropyLoss())
    assert torch.equal(module[0].weight[2], before)


def test_order() -> None:
    def best(x: Any) -> Any:
        values, places = torch.topk(x, 2, dim=1)
        return values * (1 + places)

    def ordered(x: Any) -> Any:
        values, places = torch.sort(x, dim=2, descending=True)
        return values * (1 + places)

    compare([
        best, lambda x: torch.topk(x, 3, dim=-1, largest=False)[0], ordered, lambda x: torch.sort(x)[0],
        lambda x: x.median(3)[0], lambda x: x.median(2, keepdim=True)[0] * FACTOR[0],
        lambda x: 0.1 * x * torch.argsort(x, -1)], (2, 3, 4, 5))  # fmt: skip
    # NaN is the largest; of equal elements the first is first.
    x = torch.tensor([[1.0, float("nan"), -2.0, 1.0], [4.0, 3.0, 2.0, 1.0]])
    with fw.Namespace():
        ours = flywheel.torch.from_module(Order(), (x,))
        for found, wanted in zip(ours(x), Order()(x)):
            np.testing.assert_array_equal(np.asarray(found), wanted.numpy())


class Order(Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        up, down = torch.sort(x, stable=True), torch.sort(x, descending=True, stable=True)
        return up[0], up[1], down[0], down[1], x.median(1)[0], torch.sort(x > 1, stable=True)[1]


def test_bilinear() -> None:
    torch.manual_seed(0)

    class Joined(Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.join = nn.Bilinear(3, 4, 5)

        def forward(self, a: Any, b: Any) -> Any:
            return self.join(a, b)

    beside(Joined(), (torch.randn(6, 3), torch.randn(6, 4)), torch.randn(6, 5), nn.MSELoss())


def test_refusals() -> None:
    """What is not imported names its form and the line."""

    class Places(Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return functional.max_pool2d(x, 2, return_indices=True)[1]

    try:
        with fw.Namespace():
            flywheel.torch.from_module(Places(), (torch.randn(2, 3, 4, 4),))
        raise AssertionError("expected an error")
    except flywheel.torch.UnsupportedOpError as error:
        assert "whose indices are used" in str(error) and "import_torch_indexing.py" in str(error), error


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
