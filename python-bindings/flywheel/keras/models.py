# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Model` and `Sequential`, and what loads them."""

from .engine import Input
from .engine.training import Model
from .saving import clone_model, load_model, model_from_config, model_from_json, model_from_yaml, save_model
from .sequential import Sequential

__all__ = ["Input", "Model", "Sequential", "clone_model", "load_model", "model_from_config", "model_from_json",
           "model_from_yaml", "save_model"]  # fmt: skip
