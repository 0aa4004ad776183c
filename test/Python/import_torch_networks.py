# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Networks of PyTorch train 20 steps here and there, in float64, where 7 digits of losses and weights agree: residual
networks whose batches are normalized amplify the rounding of float32 until none do."""

from typing import Any, Sequence

import torch
from torch import nn
from torch.nn import functional

from import_torch import beside

Module: Any = nn.Module
CROSS_ENTROPY = nn.CrossEntropyLoss()


class Residual(Module):  # type: ignore[misc]
    """A block of ResNet-18."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet18(width: int = 8, classes: int = 10) -> Any:
    w = width
    blocks = [(w, w, 1), (w, w, 1), (w, 2 * w, 2), (2 * w, 2 * w, 1), (2 * w, 4 * w, 2), (4 * w, 4 * w, 1),
              (4 * w, 8 * w, 2), (8 * w, 8 * w, 1)]  # fmt: skip
    return nn.Sequential(
        nn.Conv2d(3, w, 7, 2, 3, bias=False), nn.BatchNorm2d(w), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
        *[Residual(*block) for block in blocks],
        nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(8 * w, classes))  # fmt: skip


class Inverted(Module):  # type: ignore[misc]
    """A block of MobileNet-v2."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int):
        super().__init__()
        inner = inputs * expansion
        layers = [] if expansion == 1 else convolve(inputs, inner, 1, 1, 1)
        layers += convolve(inner, inner, 3, stride, inner)
        self.conv = nn.Sequential(*layers, nn.Conv2d(inner, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.is_residual = stride == 1 and inputs == outputs

    def forward(self, x: Any) -> Any:
        return x + self.conv(x) if self.is_residual else self.conv(x)


def convolve(inputs: int, outputs: int, window: int, stride: int, groups: int) -> "list[Any]":
    conv = nn.Conv2d(inputs, outputs, window, stride, window // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(outputs), nn.ReLU6(inplace=True)]


def mobilenet_v2() -> Any:
    blocks = [(8, 8, 1, 1), (8, 12, 2, 6), (12, 12, 1, 6), (12, 16, 2, 6)]
    return nn.Sequential(
        *convolve(3, 8, 3, 2, 1), *[Inverted(*block) for block in blocks], *convolve(16, 32, 1, 1, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0), nn.Linear(32, 10))  # fmt: skip


class Gpt2(Module):  # type: ignore[misc]
    """One block of GPT-2, with its embeddings; the table of tokens is the last layer's too."""

    def __init__(self, tokens: int = 50, channels: int = 32, heads: int = 4, length: int = 16):
        super().__init__()
        self.heads = heads
        self.wte = nn.Embedding(tokens, channels)
        self.wpe = nn.Embedding(length, channels)
        self.ln_1 = nn.LayerNorm(channels)
        self.attn = nn.Linear(channels, 3 * channels)
        self.proj = nn.Linear(channels, channels)
        self.ln_2 = nn.LayerNorm(channels)
        self.fc = nn.Linear(channels, 4 * channels)
        self.out = nn.Linear(4 * channels, channels)
        self.head = nn.Linear(channels, tokens, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tokens: Any) -> Any:
        batch, time = tokens.shape
        x = self.wte(tokens) + self.wpe(torch.arange(time))
        parts = self.attn(self.ln_1(x)).split(x.shape[-1], 2)
        q, k, v = [part.view(batch, time, self.heads, -1).transpose(1, 2) for part in parts]
        y = self.attend(q, k, v).transpose(1, 2).contiguous().view(batch, time, -1)
        x = x + self.proj(y)
        x = x + self.out(functional.gelu(self.fc(self.ln_2(x)), approximate="tanh"))
        return self.head(x).flatten(0, 1)

    def attend(self, q: Any, k: Any, v: Any) -> Any:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Gpt2ByHand(Gpt2):
    """Attention as softmax of a product with a mask."""

    def attend(self, q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        mask = torch.tril(torch.ones(q.shape[-2], q.shape[-2])) == 0
        return scores.masked_fill(mask, float("-inf")).softmax(-1) @ v


class Recurrent(Module):  # type: ignore[misc]
    def __init__(self, layer: Any, features: int):
        super().__init__()
        self.layer = layer
        self.out = nn.Linear(features, 3)

    def forward(self, x: Any) -> Any:
        return self.out(self.layer(x)[0][:, -1])


class UNet(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.down, self.bottom, self.join = self.stage(1, 4), self.stage(4, 8), self.stage(12, 4)
        self.up = nn.ConvTranspose2d(8, 8, 2, 2)
        self.out = nn.Conv2d(4, 1, 1)

    def stage(self, inputs: int, outputs: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU())  # fmt: skip

    def forward(self, x: Any) -> Any:
        skip = self.down(x)
        y = self.up(self.bottom(functional.max_pool2d(skip, 2)))
        return self.out(self.join(torch.cat([skip, y], 1)))


def check(module: Any, inputs: Sequence[Any], target: Any, loss: Any = CROSS_ENTROPY, rate: float = 0.1) -> Any:
    inputs = [x.double() if x.is_floating_point() else x for x in inputs]
    target = target.double() if target.is_floating_point() else target
    return beside(module.double(), inputs, target, loss, rate, rtol=1e-7)


def test_resnet18() -> None:
    ours = check(resnet18(), [torch.randn(4, 3, 32, 32)], torch.randint(0, 10, (4,)), rate=0.02)
    assert ours.variables["1.running_mean"].trainable is False


def test_mobilenet_v2() -> None:
    check(mobilenet_v2(), [torch.randn(4, 3, 32, 32)], torch.randint(0, 10, (4,)), rate=0.02)


def test_gpt2() -> None:
    for module in (Gpt2(), Gpt2ByHand()):
        ours = check(module, [torch.randint(0, 50, (4, 12))], torch.randint(0, 50, (48,)))
        assert ours.variables["head.weight"] is ours.variables["wte.weight"]


def test_recurrent() -> None:
    lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True)
    gru = nn.GRU(6, 8, batch_first=True, bidirectional=True)
    for layer, features in ((lstm, 8), (gru, 16)):
        check(Recurrent(layer, features), [torch.randn(4, 5, 6)], torch.randint(0, 3, (4,)))


def test_unet() -> None:
    check(UNet(), [torch.randn(2, 1, 16, 16)], torch.randn(2, 1, 16, 16).sign(), nn.MSELoss(), 0.05)


def test_encoder() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True, activation="gelu")
    check(nn.Sequential(layer, nn.Flatten(), nn.Linear(80, 3)), [torch.randn(4, 5, 16)], torch.randint(0, 3, (4,)))


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            torch.manual_seed(3)
            test()
