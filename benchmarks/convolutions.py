#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of convolutions and pools on one core: Flywheel and PyTorch.

Each layer's output and its two gradients, in f32, as entries of their own; the
peer works on its channels-last layout, with one thread. All run in turn; the
figure is the median over rounds, and the ratio is that of medians. Convolutions of
3 x 3 are also compiled with `winograd`, which leaves gradients of filters as they are.

usage: PYTHONPATH=build/python python benchmarks/convolutions.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

from side_by_side import measure


class Layer(NamedTuple):
    """Batch, size and channels of a square image; kernel, outputs, stride."""

    batch: int
    size: int
    channels: int
    kernel: int
    outputs: int
    stride: int = 1


LAYERS = {
    "lenet1-8x8": Layer(64, 8, 1, 3, 6),
    "lenet1-28x28": Layer(64, 28, 1, 5, 6),
    "lenet2": Layer(64, 14, 6, 5, 16),
    "resnet3x3": Layer(32, 28, 64, 3, 64),
    "resnet3x3s2": Layer(32, 28, 64, 3, 64, 2),
    "resnet1x1": Layer(32, 28, 64, 1, 64),
    # Layers for which Winograd's method is meant, and layers for which it is not worth it.
    "winograd-32x32x64": Layer(32, 32, 64, 3, 64),
    "winograd-56x56x64": Layer(8, 56, 64, 3, 64),
    "winograd-16x16x128": Layer(32, 16, 128, 3, 128),
    "winograd-8x8x256": Layer(32, 8, 256, 3, 256),
    "winograd-7x7x512": Layer(4, 7, 512, 3, 512),
    "winograd-28x28x16": Layer(32, 28, 16, 3, 16),
    "winograd-32x32x3": Layer(32, 32, 3, 3, 32),
}
POOLS = {"maxpool2x2": (32, 28, 64), "maxpool2x2-lenet": (64, 28, 6)}


def tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def conv_text(layer: Layer) -> tuple[str, int]:
    """SAME padding, as the explicit amounts that PyTorch takes as well."""
    n, h, c, k, o, s = layer
    pad = (k - 1) // 2
    out = (h + 2 * pad - k) // s + 1
    x, w, y = tensor(n, h, h, c), tensor(k, k, c, o), tensor(n, out, out, o)
    attributes = f"strides [{s}, {s}] padding explicit [[{pad}, {pad}], [{pad}, {pad}]]"
    ops = {"conv2d": ((x, w), y), "conv2d_transpose": ((y, w), x), "conv2d_filter_grad": ((x, y), w)}
    text = ""
    for op, ((a, b), result) in ops.items():
        text += f"func.func @{op}(%a: {a}, %b: {b}) -> {result} {{\n"
        text += f"  %r = nn.{op} %a, %b {attributes} : ({a}, {b}) -> {result}\n  return %r : {result}\n}}\n"
    return text, out


def pool_text(shape: tuple[int, int, int]) -> str:
    n, h, c = shape
    x, y = tensor(n, h, h, c), tensor(n, h // 2, h // 2, c)
    return (
        f"func.func @forward(%x: {x}) -> {y} {{\n"
        f"  %y = nn.max_pool2d %x window [2, 2] : ({x}) -> {y}\n  return %y : {y}\n}}\n"
        f"func.func @both(%x: {x}, %dy: {y}) -> ({y}, {x}) {{\n"
        f"  %y = nn.max_pool2d %x window [2, 2] : ({x}) -> {y}\n"
        f"  %dx = nn.max_pool2d_grad %x, %dy window [2, 2] : ({x}, {y}) -> {x}\n  return %y, %dx : {y}, {x}\n}}\n"
    )


def find_medians(runners: dict[str, Callable[[], Any]], rounds: int, seconds: float) -> dict[str, float]:
    """Median seconds of a call of each."""
    return {name: statistics.median(times) for name, times in measure(runners, rounds, seconds).items()}


def report(what: str, found: dict[str, float], flops: float = 0.0) -> None:
    ratio = f"  ratio {found['flywheel'] / found['torch']:5.2f}" if "torch" in found else ""
    rate = f"  {flops / found['flywheel'] / 1e9:6.1f} GFLOP/s" if flops else ""
    times = "  ".join(f"{name} {seconds * 1e6:9.1f} us" for name, seconds in found.items())
    gain = f"  winograd {found['flywheel'] / found['winograd']:5.2f} times as fast" if "winograd" in found else ""
    print(f"{what:36} {times}{ratio}{rate}{gain}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="rounds (15)")
    parser.add_argument("--seconds", type=float, default=0.03, help="length of a round and peer (0.03)")
    parser.add_argument("--layers", nargs="+", default=[*LAYERS, *POOLS], choices=[*LAYERS, *POOLS])
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])

    import numpy as np

    import flywheel

    try:
        import torch

        torch.set_num_threads(1)
    except ModuleNotFoundError:
        torch = None
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32)

    for name in options.layers:
        if name in POOLS:
            n, h, c = POOLS[name]
            session = flywheel.Session(flywheel.compile(pool_text(POOLS[name])))
            session.initialize(1)
            x, dy = draw(n, h, h, c), draw(n, h // 2, h // 2, c)
            forward, both = session.entry("forward"), session.entry("both")
            peers: dict[str, dict[str, Callable[[], Any]]] = {
                "forward": {"flywheel": lambda f=forward, x=x: f(x)},
                "both": {"flywheel": lambda f=both, x=x, dy=dy: f(x, dy)},
            }
            if torch:
                tx = torch.from_numpy(x).permute(0, 3, 1, 2).requires_grad_()
                tdy = torch.from_numpy(dy).permute(0, 3, 1, 2)
                peers["forward"]["torch"] = lambda tx=tx: torch.max_pool2d(tx.detach(), 2)
                peers["both"]["torch"] = lambda tx=tx, tdy=tdy: torch.autograd.grad(torch.max_pool2d(tx, 2), tx, tdy)
            for what, runners in peers.items():
                report(f"{name} {what}", find_medians(runners, options.rounds, options.seconds))
            continue
        layer = LAYERS[name]
        n, h, c, k, o, s = layer
        text, out = conv_text(layer)
        session = flywheel.Session(flywheel.compile(text))
        session.initialize(1)
        fast = flywheel.Session(flywheel.compile(text, winograd=True))
        fast.initialize(1)
        x, w, y = draw(n, h, h, c), draw(k, k, c, o), draw(n, out, out, o)
        operands = {"conv2d": (x, w), "conv2d_transpose": (y, w), "conv2d_filter_grad": (x, y)}
        for number, (op, (a, b)) in enumerate(operands.items()):
            entry = session.entry(op)
            runners = {"flywheel": lambda f=entry, a=a, b=b: f(a, b)}
            if k == 3 and s == 1 and op != "conv2d_filter_grad":
                other = fast.entry(op)
                runners["winograd"] = lambda f=other, a=a, b=b: f(a, b)
            if torch:
                tx, ty = (torch.from_numpy(v).permute(0, 3, 1, 2) for v in (x, y))
                tw = torch.from_numpy(w).permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
                pad = [(k - 1) // 2] * 2
                if number == 0:
                    runners["torch"] = lambda tx=tx, tw=tw, s=s, pad=pad: torch.conv2d(tx, tw, None, s, pad)
                else:
                    mask = [number == 1, number == 2, False]
                    backward = torch.ops.aten.convolution_backward
                    runners["torch"] = lambda ty=ty, tx=tx, tw=tw, s=s, pad=pad, mask=mask, backward=backward: (
                        backward(ty, tx, tw, None, [s, s], pad, [1, 1], False, [0, 0], 1, mask)
                    )
            times = find_medians(runners, options.rounds, options.seconds)
            report(f"{name} {op}", times, 2.0 * n * out * out * k * k * c * o)


if __name__ == "__main__":
    main()
