#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the published models that `flywheel.torch.from_module` and `flywheel.onnx.load` take as they are.

Models of PyTorch, torchvision, timm and transformers (`coverage_models.py`), small and untrained: in float64 each
trains two steps of SGD here and in PyTorch, and the losses have to agree to 6 digits; then its ONNX file (as torch.onnx
writes it, float32) is loaded, and what it computes compared with ONNX Runtime's to 3 digits. The table has the seconds
of importing and compiling both programs, or what is missing. torchvision, timm and transformers are needed besides
requirements.txt.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/import_coverage.py [--packages NAME...] [--models NAME...]
       [--no-onnx]
"""

import argparse
import logging
import os
import tempfile
import time
import warnings
from typing import Any, Callable

import numpy as np
import torch
from coverage_models import Model, all_models
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.onnx
import flywheel.torch

Module: Any = nn.Module
RATE = 0.01


class Output(Module):  # type: ignore[misc]
    """A module that returns one tensor."""

    def __init__(self, model: Model):
        super().__init__()
        self.model, self.output = model.module, model.output

    def forward(self, *inputs: Any) -> Any:
        return self.output(self.model(*inputs))


def train(model: Model) -> str:
    """Two steps here and in PyTorch."""
    torch.manual_seed(0)
    module = Output(model).double()
    # Dropout draws other numbers here than there.
    module.model.eval()
    inputs = tuple(x.double() if x.is_floating_point() else x for x in model.inputs)
    with torch.no_grad():
        target = torch.randn_like(module(*inputs))
    start = time.perf_counter()
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, inputs, loss=nn.MSELoss(), optimizer=fw.optimizers.SGD(lr=RATE),
                                          example_targets=(target,))  # fmt: skip
        found = [float(ours.step(*inputs, target))]
        seconds = time.perf_counter() - start
        found.append(float(ours.step(*inputs, target)))
    sgd, expected = torch.optim.SGD(module.parameters(), RATE), []
    for _ in found:
        sgd.zero_grad()
        loss = functional.mse_loss(module(*inputs), target)
        loss.backward()
        sgd.step()
        expected.append(loss.item())
    return f"{seconds:.1f} s" if np.allclose(found, expected, rtol=1e-6) else f"{found} rather than {expected}"


def load(model: Model, folder: str) -> str:
    """Compares the results of a model's ONNX file with those of ONNX Runtime, and returns the outcome in words."""
    import onnxruntime

    module, path = Output(model).float().eval(), os.path.join(folder, "model.onnx")
    try:
        torch.onnx.export(module, tuple(model.inputs), path, dynamo=True, verbose=False)
    except Exception:
        return "torch.onnx does not export it"
    session = onnxruntime.InferenceSession(path)
    feeds = [x.numpy() for x in model.inputs]
    expected = session.run(None, {own.name: feed for own, feed in zip(session.get_inputs(), feeds)})[0]
    start = time.perf_counter()
    with fw.Namespace(), fw.Store():
        result = flywheel.onnx.load(path)(*feeds)
    seconds = time.perf_counter() - start
    found = np.asarray(result[0] if isinstance(result, (tuple, list)) else result)
    error = float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-9))
    return f"{seconds:.1f} s" if error < 1e-3 else f"differs by {error:.1g}"


def attempt(action: Callable[..., str], *arguments: Any) -> str:
    try:
        return action(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--packages", nargs="+", metavar="NAME", help="models of these packages (all)")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="these models (all)")
    parser.add_argument("--no-onnx", action="store_true", help="modules of PyTorch only")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    print("| model | of | trains as in PyTorch | its ONNX file computes the same |\n| --- | --- | --- | --- |")
    right = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for package, models in all_models().items():
            for name, make in models.items():
                if package not in (options.packages or [package]) or name not in (options.models or [name]):
                    continue
                torch.manual_seed(0)
                trained = attempt(train, make())
                loaded = "-" if options.no_onnx else attempt(load, make(), folder)
                count += 1
                right += trained.endswith(" s")
                print(f"| {name} | {package} | {trained} | {loaded} |", flush=True)
    print(f"{right} of {count} train as in PyTorch")


if __name__ == "__main__":
    main()
