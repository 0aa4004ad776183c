# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keras as of 2.1: `from flywheel import keras`. See docs/Keras.md for what is there and what differs."""

from . import (
    activations,
    backend,
    callbacks,
    constraints,
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
    "Input", "Model", "Sequential", "activations", "backend", "callbacks", "constraints", "initializers", "layers",
    "losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils",
]  # fmt: skip
