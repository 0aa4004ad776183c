# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keras as of 2.1, and the most used names of Keras 3: `from flywheel import keras`.

docs/Guides/Keras.md lists its parts and differences."""

from .._errors.contracts import explain_all as _explain_all
from .._errors.contracts import public_names as _public_names
from . import (
    activations,
    applications,
    backend,
    callbacks,
    config,
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
from ._names import Missing
from .engine import Layer
from .losses import Loss
from .metrics import Metric
from .models import Input, Model, Sequential

__all__ = [
    "Input", "Layer", "Loss", "Metric", "Model", "Sequential", "activations", "applications", "backend", "callbacks",
    "config", "constraints", "datasets", "initializers", "layers", "losses", "metrics", "models", "optimizers",
    "preprocessing", "regularizers", "utils",
]  # fmt: skip

for _module in (activations, backend, callbacks, constraints, initializers, layers, losses, metrics, models,
                optimizers, regularizers):  # fmt: skip
    _explain_all(vars(_module), _public_names(vars(_module)))

__getattr__ = Missing("keras", __name__, {
    "wrappers": "a model has fit and predict",
    "ops": "flywheel.keras.backend of tensors of a model, and the functions of flywheel, such as flywheel.matmul, in a "
    "traced function", "random": "flywheel.keras.backend.random_uniform and others, or flywheel.random",
    "Variable": "flywheel.keras.backend.variable, or flywheel.Variable", "KerasTensor": "Input",
    "mixed_precision": "flywheel.function and an optimizer with loss_scale (docs/Guides/MixedPrecision.md)",
    "distribution": "one device", "quantizers": "float32", "saving": "model.save, and models.load_model",
    "tree": "flywheel.map_leaves", "StatelessScope": "flywheel.Store", "export": "model.export",
    "dtype_policies": "flywheel.keras.backend.set_floatx",
})  # fmt: skip
