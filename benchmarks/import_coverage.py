#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the published models that `flywheel.torch.from_module` and `flywheel.onnx.load` take as they are.

Models of torchvision and of transformers, small and untrained: in float64 each trains two steps of SGD here and in
PyTorch, and the losses have to agree to 6 digits; then its ONNX file (as torch.onnx writes it, float32) is loaded, and
what it computes compared with ONNX Runtime's to 3 digits. The table has the seconds of importing and compiling both
programs, or what is missing. torchvision and transformers are needed besides requirements.txt.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/import_coverage.py [--models NAME...] [--no-onnx]
"""

import argparse
import logging
import os
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.onnx
import flywheel.torch

Module: Any = nn.Module
RATE = 0.01


class Model(NamedTuple):
    module: Any
    inputs: List[Any]
    # Selects the output in the result of the module.
    output: Callable[[Any], Any] = lambda result: result


class Output(Module):  # type: ignore[misc]
    """A module that returns one tensor."""

    def __init__(self, model: Model):
        super().__init__()
        self.model, self.output = model.module, model.output

    def forward(self, *inputs: Any) -> Any:
        return self.output(self.model(*inputs))


def vision() -> Dict[str, Callable[[], Model]]:
    import torchvision.models as tv

    def image(size: int = 64) -> List[Any]:
        return [torch.randn(2, 3, size, size)]

    names = ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5", "mnasnet0_5",
             "efficientnet_b0", "regnet_y_400mf", "vgg11_bn"]  # fmt: skip
    found = {name: (lambda own=name: Model(getattr(tv, own)(num_classes=5), image())) for name in names}
    blocks = [tv.convnext.CNBlockConfig(12, 24, 1), tv.convnext.CNBlockConfig(24, None, 1)]
    found |= {
        "googlenet": lambda: Model(tv.googlenet(num_classes=5, aux_logits=False, init_weights=False), image()),
        "densenet": lambda: Model(tv.DenseNet(8, (2, 2), 16, num_classes=5), image()),
        "convnext": lambda: Model(tv.convnext.ConvNeXt(blocks, num_classes=5), image()),
        "vit": lambda: Model(tv.VisionTransformer(32, 8, 2, 3, 48, 64, num_classes=5), image(32)),
        "swin": lambda: Model(tv.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=5), image()),
        "lraspp": lambda: Model(
            tv.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3), image(),
            lambda result: result["out"]),
    }  # fmt: skip
    return found


def text() -> Dict[str, Callable[[], Model]]:
    import transformers as t

    ids = [torch.randint(0, 50, (2, 11))]
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
             "vocab_size": 50, "max_position_embeddings": 16}  # fmt: skip
    gpt = {"vocab_size": 50, "n_positions": 16, "n_embd": 24, "n_layer": 2, "n_head": 3, "bos_token_id": 1,
           "eos_token_id": 2, "use_cache": False}  # fmt: skip
    distil = {"vocab_size": 50, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "max_position_embeddings": 16}
    t5 = {"vocab_size": 50, "d_model": 24, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_heads": 3}
    mamba = {"vocab_size": 50, "hidden_size": 16, "state_size": 4, "num_hidden_layers": 1, "use_cache": False}

    def logits(result: Any) -> Any:
        return result.logits

    def last(result: Any) -> Any:
        return result.last_hidden_state

    return {
        "gpt2": lambda: Model(t.GPT2LMHeadModel(t.GPT2Config(**gpt)), ids, logits),
        "llama": lambda: Model(
            t.LlamaForCausalLM(t.LlamaConfig(**sizes, num_key_value_heads=2, use_cache=False)), ids, logits),
        "bert": lambda: Model(t.BertModel(t.BertConfig(**sizes)), ids, last),
        "distilbert": lambda: Model(t.DistilBertModel(t.DistilBertConfig(**distil)), ids, last),
        "t5 encoder": lambda: Model(t.T5EncoderModel(t.T5Config(**t5)), ids, last),
        "mamba": lambda: Model(t.MambaModel(t.MambaConfig(**mamba)), ids, last),
    }  # fmt: skip


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
    parser.add_argument("--models", nargs="+", metavar="NAME", help="these models (all)")
    parser.add_argument("--no-onnx", action="store_true", help="modules of PyTorch only")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    models: List[Tuple[str, Callable[[], Model]]] = [*vision().items(), *text().items()]
    print("| model | trains as in PyTorch | its ONNX file computes the same |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in models:
            if options.models and name not in options.models:
                continue
            torch.manual_seed(0)
            trained = attempt(train, make())
            loaded = "-" if options.no_onnx else attempt(load, make(), folder)
            print(f"| {name} | {trained} | {loaded} |", flush=True)


if __name__ == "__main__":
    main()
