# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers, networks of them, and models, under their names in Keras 2.1."""

from typing import Any

from .topology import Input, InputLayer, InputSpec, Layer

__all__ = ["Input", "InputLayer", "InputSpec", "Layer", "Model", "get_source_inputs"]


def __getattr__(name: str) -> Any:
    # Layers are made of `topology`, and models of layers.
    if name in ("Model", "get_source_inputs"):
        from . import network, training

        return training.Model if name == "Model" else network.get_source_inputs
    raise AttributeError(f"there is no flywheel.keras.engine.{name}; see docs/Guides/Keras.md")
