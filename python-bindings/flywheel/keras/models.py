# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Model` and `Sequential`, and what loads them."""

from .engine import Input
from .saving import load_model, model_from_config, model_from_json, save_model
from .sequential import Sequential
from .engine.training import Model

__all__ = ["Input", "Model", "Sequential", "load_model", "model_from_config", "model_from_json", "save_model"]
