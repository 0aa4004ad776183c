#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Train steps of imported modules of PyTorch against PyTorch's own, eager and compiled, in turns on one core.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/import_torch.py [--rounds=N] [--compile]
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import torch
from torch.nn import functional

import flywheel as fw
import flywheel.torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test/Python"))
from import_torch_networks import Gpt2, resnet18  # noqa: E402


def models() -> Dict[str, Tuple[Any, Any, Any]]:
    images, labels = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
    tokens, following = torch.randint(0, 512, (8, 64)), torch.randint(0, 512, (512,))
    return {
        "ResNet-18 of 64 channels, 32x32, batch 32": (resnet18(64), images, labels),
        "block of GPT-2, 256 channels, 8x64 tokens": (Gpt2(512, 256, 8, 64), tokens, following),
    }


def torch_step(module: Any, x: Any, y: Any, compiles: bool) -> Callable[[], None]:
    sgd = torch.optim.SGD(module.parameters(), 0.01)

    def forward(x: Any, y: Any) -> Any:
        return functional.cross_entropy(module(x), y)

    loss_of: Any = torch.compile(forward) if compiles else forward

    def step() -> None:
        sgd.zero_grad()
        loss_of(x, y).backward()
        sgd.step()

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--compile", action="store_true", help="torch.compile too, which needs a C++ compiler")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name, (module, x, y) in models().items():
        ours = flywheel.torch.from_module(
            module, (x,), loss=functional.cross_entropy, example_targets=(y,), optimizer=fw.optimizers.SGD(lr=0.01),
            name=name.split()[0])  # fmt: skip
        arrays = x.numpy(), y.numpy()
        steps: Dict[str, Callable[[], Any]] = {
            "flywheel": lambda ours=ours, arrays=arrays: ours.step(*arrays),  # type: ignore[misc]
            "eager": torch_step(module, x, y, False),
        }
        if options.compile:
            steps["torch.compile"] = torch_step(module, x, y, True)
        times: Dict[str, List[float]] = {key: [] for key in steps}
        for step in steps.values():
            step()
            step()
        for _ in range(options.rounds):
            for key, step in steps.items():
                start = time.perf_counter()
                step()
                times[key].append(time.perf_counter() - start)
        medians = {key: statistics.median(values) for key, values in times.items()}
        print(name)
        for key, median in medians.items():
            print(f"  {key:14s} {median * 1e3:8.2f} ms   {median / medians['flywheel']:.2f}")


if __name__ == "__main__":
    main()
