# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels to measure: products and convolutions, and how each is written for Flywheel and for PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# The operands of each op: x is the input, w the weights, and dy the gradient of the output.
OPERANDS = {"forward": ("x", "w"), "dW": ("x", "dy"), "dX": ("dy", "w")}


# The element type of all operands: f16, bf16, f32 or f64.
element = "f32"


def tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def to_torch(torch: Any, array: Any) -> Any:
    """NumPy's bfloat16 is a type of its own."""
    if element == "bf16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)


def write_entry(name: str, op: str, attributes: str, shapes: list[tuple[int, ...]]) -> str:
    a, b, result = map(tensor, shapes)
    return (
        f"func.func @{name}(%a: {a}, %b: {b}) -> {result} {{\n"
        f"  %r = {op} %a, %b {attributes} : ({a}, {b}) -> {result}\n  return %r : {result}\n}}\n"
    )


class Product(NamedTuple):
    """Rows of a batch, features, outputs."""

    rows: int
    features: int
    outputs: int

    @property
    def name(self) -> str:
        return f"product {self.rows}x{self.features}x{self.outputs}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {
            "x": (self.rows, self.features),
            "w": (self.features, self.outputs),
            "dy": (self.rows, self.outputs),
        }

    @property
    def flops(self) -> float:
        return 2.0 * self.rows * self.features * self.outputs

    def is_wide(self) -> bool:
        return min(self) >= 64

    def text(self) -> str:
        x, w, dy = self.shapes.values()
        return (
            write_entry("forward", "nn.matmul", "", [x, w, dy])
            + write_entry("dW", "nn.matmul", "{transpose_a}", [x, dy, w])
            + write_entry("dX", "nn.matmul", "{transpose_b}", [dy, w, x])
        )

    def peers(self, torch: Any, arrays: dict[str, Any]) -> dict[str, Callable[[], Any]]:
        x, w, dy = (to_torch(torch, arrays[name]) for name in ("x", "w", "dy"))
        return {
            "forward": lambda: torch.mm(x, w),
            "dW": lambda: torch.mm(x.t(), dy),
            "dX": lambda: torch.mm(dy, w.t()),
        }


class Convolution(NamedTuple):
    """Batch, size and channels of square images; kernel, outputs, stride, groups: as many as channels are a
    depthwise convolution."""

    batch: int
    size: int
    channels: int
    kernel: int
    outputs: int
    stride: int = 1
    groups: int = 1

    @property
    def name(self) -> str:
        stride = f" stride {self.stride}" if self.stride > 1 else ""
        image, weights = f"{self.size}x{self.size}x{self.channels}", f"{self.kernel}x{self.kernel}x{self.outputs}"
        groups = f" groups {self.groups}" if self.groups > 1 else ""
        return f"conv {self.batch}x{image} {weights}{stride}{groups}"

    @property
    def pad(self) -> int:
        return (self.kernel - 1) // 2

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        out = (self.size + 2 * self.pad - self.kernel) // self.stride + 1
        return {
            "x": (self.batch, self.size, self.size, self.channels),
            "w": (self.kernel, self.kernel, self.channels // self.groups, self.outputs),
            "dy": (self.batch, out, out, self.outputs),
        }

    @property
    def flops(self) -> float:
        out = self.shapes["dy"][1]
        terms = self.kernel * self.kernel * self.channels // self.groups
        return 2.0 * self.batch * out * out * terms * self.outputs

    def is_wide(self) -> bool:
        return min(self.channels, self.outputs) >= 64 * self.groups

    def text(self) -> str:
        x, w, dy = self.shapes.values()
        s, p = self.stride, self.pad
        attributes = f"strides [{s}, {s}] padding explicit [[{p}, {p}], [{p}, {p}]]"
        return (
            write_entry("forward", "nn.conv2d", attributes, [x, w, dy])
            + write_entry("dW", "nn.conv2d_filter_grad", attributes, [x, dy, w])
            + write_entry("dX", "nn.conv2d_transpose", attributes, [dy, w, x])
        )

    def peers(self, torch: Any, arrays: dict[str, Any]) -> dict[str, Callable[[], Any]]:
        """On the peer's channels-last layout."""
        x, dy = (to_torch(torch, arrays[name]).permute(0, 3, 1, 2) for name in ("x", "dy"))
        w = to_torch(torch, arrays["w"]).permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        strides, pads, groups = [self.stride] * 2, [self.pad] * 2, self.groups

        def backward(mask: list[bool]) -> Any:
            backward = torch.ops.aten.convolution_backward
            return backward(dy, x, w, None, strides, pads, [1, 1], False, [0, 0], groups, mask)

        return {
            "forward": lambda: torch.conv2d(x, w, None, strides, pads, 1, groups),
            "dW": lambda: backward([False, True, False]),
            "dX": lambda: backward([True, False, False]),
        }


PRODUCTS = [
    *(Product(1, n, n) for n in (256, 1000)),
    *(Product(n, n, n) for n in (64, 100, 127, 128, 256, 512)),
    *(Product(64, n, n) for n in (512, 768, 1024)),
    *(Product(1024, n, n) for n in (17, 32, 64)),
    Product(2, 512, 512),
    Product(3, 65, 129),
    Product(4, 1024, 1024),
    Product(4, 512, 2048),
    Product(7, 100, 50),
    Product(16, 784, 128),
    Product(17, 200, 65),
    Product(31, 333, 77),
    Product(32, 784, 100),
    Product(33, 257, 129),
    Product(64, 64, 128),
    Product(64, 128, 10),
    Product(100, 1000, 1),
    Product(128, 256, 10),
    Product(128, 256, 1000),
    Product(128, 784, 256),
    Product(128, 768, 3072),
    Product(255, 511, 63),
    Product(1000, 17, 33),
    Product(2048, 256, 1024),
]

CONVOLUTIONS = [
    Convolution(64, 8, 1, 3, 6),
    Convolution(64, 28, 1, 5, 6),
    Convolution(64, 28, 1, 5, 32),
    Convolution(64, 14, 6, 5, 16),
    Convolution(32, 28, 1, 3, 32),
    Convolution(32, 28, 3, 3, 32),
    Convolution(16, 32, 3, 3, 16),
    Convolution(8, 32, 3, 7, 64, 2),
    Convolution(1, 224, 3, 7, 64, 2),
    Convolution(2, 224, 3, 3, 32, 2),
    Convolution(32, 28, 16, 3, 16),
    Convolution(32, 28, 16, 3, 32, 2),
    Convolution(32, 14, 32, 3, 32),
    Convolution(32, 14, 32, 1, 64),
    Convolution(16, 7, 32, 5, 32),
    Convolution(16, 28, 24, 3, 24),
    Convolution(16, 17, 20, 3, 20),
    Convolution(16, 15, 33, 3, 47),
    Convolution(32, 28, 64, 3, 64),
    Convolution(32, 28, 64, 3, 64, 2),
    Convolution(32, 28, 64, 1, 64),
    Convolution(1, 28, 64, 3, 64),
    Convolution(16, 14, 64, 3, 128),
    Convolution(16, 14, 128, 3, 128),
    Convolution(16, 14, 128, 3, 128, 2),
    Convolution(16, 14, 128, 1, 256),
    Convolution(16, 28, 128, 1, 128, 2),
    Convolution(8, 7, 256, 3, 256),
    Convolution(2, 7, 256, 1, 512),
    Convolution(4, 33, 64, 5, 64),
    Convolution(16, 13, 65, 3, 65),
    Convolution(4, 31, 96, 3, 100),
    Convolution(8, 9, 127, 3, 129),
    Convolution(16, 28, 32, 3, 32, groups=32),
    Convolution(16, 28, 64, 3, 64, groups=64),
    Convolution(16, 28, 64, 3, 64, 2, groups=64),
    Convolution(32, 56, 128, 3, 128, 2, groups=128),
    Convolution(32, 112, 64, 3, 64, 2, groups=64),
    Convolution(8, 57, 72, 3, 72, 2, groups=72),
    Convolution(8, 56, 128, 3, 128, groups=128),
    Convolution(8, 14, 192, 5, 192, groups=192),
    Convolution(16, 14, 64, 3, 64, groups=4),
]
