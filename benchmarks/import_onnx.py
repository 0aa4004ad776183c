#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that were loaded from ONNX files: train steps against PyTorch, which wrote the files, and inference against
ONNX Runtime and PyTorch, in turns on one core.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/import_onnx.py [--rounds=N] [--models NAME...]
"""

import argparse
import io
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test/Python"))
from import_torch_networks import Gpt2, Recurrent, resnet18  # noqa: E402

RATE = 0.01


def models() -> Dict[str, Tuple[Any, Any, Any]]:
    """Modules, their inputs, and labels."""
    return {
        "perceptron of 784, 512, 512, 10, batch 64": (
            nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
            torch.randn(64, 784), torch.randint(0, 10, (64,))),
        "ResNet-18 of 32 channels, 32x32, batch 32": (
            resnet18(32), torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))),
        "block of GPT-2, 256 channels, 8x64 tokens": (
            Gpt2(512, 256, 8, 64), torch.randint(0, 512, (8, 64)), torch.randint(0, 512, (512,))),
        "LSTM of 128, 50 steps, batch 32": (
            Recurrent(nn.LSTM(64, 128, batch_first=True), 128), torch.randn(32, 50, 64), torch.randint(0, 3, (32,))),
    }  # fmt: skip


def write(module: Any, x: Any, trains: bool) -> bytes:
    """The module as a file of ONNX."""
    mode = torch.onnx.TrainingMode.TRAINING if trains else torch.onnx.TrainingMode.EVAL
    buffer = io.BytesIO()
    torch.onnx.export(module.train(trains), (x,), buffer, dynamo=False, training=mode, opset_version=17,
                      do_constant_folding=not trains, input_names=["x"])  # fmt: skip
    return buffer.getvalue()


def training(module: Any, x: Any, y: Any) -> Dict[str, Callable[[], Any]]:
    """A step of gradient descent here and there."""
    loaded = flywheel.onnx.load(
        onnx.load_from_string(write(module, x, True)), loss="sparse_softmax_cross_entropy",
        optimizer=fw.optimizers.SGD(lr=RATE))  # fmt: skip
    sgd = torch.optim.SGD(module.train().parameters(), RATE)

    def step() -> None:
        sgd.zero_grad()
        functional.cross_entropy(module(x), y).backward()
        sgd.step()

    arrays = x.numpy(), y.numpy()
    return {"flywheel": lambda: loaded.step(*arrays), "PyTorch": step}


def inference(module: Any, x: Any) -> Dict[str, Callable[[], Any]]:
    """Returns functions that compute the module, after a check that their numbers are the same."""
    content, array = write(module, x, False), x.numpy()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    loaded = flywheel.onnx.load(onnx.load_from_string(content))
    np.testing.assert_allclose(loaded(array), session.run(None, {"x": array})[0], rtol=1e-3, atol=1e-4)
    module.eval()

    def run() -> Any:
        with torch.no_grad():
            return module(x)

    return {"flywheel": lambda: loaded(array), "ONNX Runtime": lambda: session.run(None, {"x": array}), "PyTorch": run}


def measure(steps: Dict[str, Callable[[], Any]], rounds: int) -> Dict[str, float]:
    """Medians of rounds in turns, in seconds; short ones several times a round."""
    times: Dict[str, List[float]] = {key: [] for key in steps}
    for step in steps.values():
        step()
        step()
    for _ in range(rounds):
        for key, step in steps.items():
            start, count = time.perf_counter(), 0
            while count == 0 or time.perf_counter() - start < 0.05:
                step()
                count += 1
            times[key].append((time.perf_counter() - start) / count)
    return {key: statistics.median(values) for key, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="these models, by their first word (all)")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    print("| model | | here | PyTorch | ratio | ONNX Runtime | ratio |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, (module, x, y) in models().items():
        if options.models and name.split()[0] not in options.models:
            continue
        for what in ("a step", "inference"):
            with fw.Namespace(), fw.Store():
                steps = training(module, x, y) if what == "a step" else inference(module, x)
                found = measure(steps, options.rounds)
            ours = found["flywheel"]
            cells = [f"{found[key] * 1e3:.3g} ms | {found[key] / ours:.2f}" if key in found else "- | -"
                     for key in ("PyTorch", "ONNX Runtime")]  # fmt: skip
            print(f"| {name} | {what} | {ours * 1e3:.3g} ms | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
