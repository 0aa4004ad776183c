# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keras as of 2.1: `from flywheel import keras`. See docs/Keras.md for what is there and what differs."""

from typing import Any

from . import (
    activations,
    backend,
    callbacks,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    preprocessing,
    regularizers,
    utils,
)
from .models import Input, Model, Sequential

__all__ = [
    "Input", "Model", "Sequential", "activations", "backend", "callbacks", "constraints", "datasets", "initializers",
    "layers", "losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    hints = {"applications": "no weights are downloaded; build the network of flywheel.keras.layers, or import one by "
             "flywheel.torch or flywheel.onnx", "wrappers": "a model has fit and predict"}  # fmt: skip
    hint = f"; instead: {hints[name]}" if name in hints else ""
    raise AttributeError(f"there is no flywheel.keras.{name}{hint}; see docs/Keras.md")
