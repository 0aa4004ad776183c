# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flywheel: a compiler for training graphs.

    import flywheel as fw

    w = fw.Variable(shape=(64, 10), name="w")
    adam = fw.optimizers.Adam(lr=0.01)

    @fw.function
    def step(image, label):
        loss = fw.nn.sparse_softmax_cross_entropy(image @ w, label)
        adam.minimize(loss)
        return loss

    for image, label in batches:
        loss = step(image, label)
    fw.save("digits.safetensors")

A program in MLIR is compiled and run by hand:

    program = fw.compile("digits.mlir")
    session = fw.Session(program)
    session.initialize(seed=1)
    step = session.entry("train_step")
    for image, label in batches:  # arrays of the feeds' dtypes
        loss = step(image, label)
    session.save("digits.safetensors")

bfloat16 arrays have the dtype of `ml_dtypes`, or uint16 (the bits) where that
package is not installed.
"""

import math as _math

# Before whatever uses what it loads.
from . import _native  # noqa: F401

# isort: split
from . import _ops, clauses, constraints, data, fft, initializers, linalg, nn, optimizers, random, schedules, train
from ._core import dtypes as _dtypes
from ._core.dtypes import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._core.tensor import Tensor, TensorLike, as_tensor, constant
from ._core.tree import map_leaves
from ._errors.module_names import show as _show
from ._flywheel import (
    ArgumentInfo,
    CheckpointState,
    CompileError,
    CompileRemark,
    CompileWarning,
    DataLossError,
    DeviceArray,
    Entry,
    EntryInfo,
    FailedPreconditionError,
    InvalidArgumentError,
    ModuleOp,
    NotFoundError,
    Program,
    Session,
    VariableInfo,
    __version__,
    batching_rules,
    derivative_rules,
    get_checkpoint_state,
    latest_checkpoint,
    lower,
    parse,
    stages,
)
from ._functions.exporting import export, module_of
from ._functions.traced import Traced
from ._numerics import numpy_functions as _numpy_functions  # noqa: F401  # Registers itself.
from ._ops import *  # noqa: F403  # NumPy's names: all of `_ops.__all__`.
from ._ops.sizes import Size
from ._ops.updates import At, Place
from ._programs.compilation import device
from ._programs.models import compile, cost, load, load_dialect_plugin, load_pass_plugin
from ._variables.checkpoint_managers import CheckpointManager
from .averages import ExponentialMovingAverage
from .control import cond, fori_loop, map, scan, switch, while_loop
from .dashboard import Dashboard
from .function import Function, TensorSpec, function, spec
from .host import breakpoint, callback, print
from .microbatches import microbatch
from .module import Module
from .namespace import (
    Namespace,
    add_to_collection,
    collection,
    current_namespace,
    global_variables,
    name_scope,
    trainable_variables,
)
from .profile import Kernel, Profile, ProfiledEntry
from .store import Store, current_store, restore, save, set_seed
from .summary import Summary, SummaryRow, summary
from .transforms import (
    custom_vjp,
    grad,
    gradients,
    hessian,
    jacobian,
    jacobian_of,
    jvp,
    jvp_of,
    value_and_grad,
    vjp,
    vmap,
)
from .variables import Variable
from .watching import watch

__all__ = [
    "ArgumentInfo", "At", "CheckpointManager", "CheckpointState", "CompileError", "CompileRemark", "CompileWarning",
    "Dashboard", "DataLossError", "DeviceArray", "Entry", "EntryInfo", "ExponentialMovingAverage",
    "FailedPreconditionError", "Function", "InvalidArgumentError", "Kernel", "Module", "ModuleOp", "Namespace",
    "NotFoundError", "Place", "Profile", "ProfiledEntry", "Program", "Session", "Size", "Store", "Summary",
    "SummaryRow", "Tensor", "TensorLike", "TensorSpec", "Traced", "Variable", "VariableInfo", "__version__",
    "add_to_collection", "array", "as_tensor", "asarray", "batching_rules", "bfloat16", "bool_", "breakpoint",
    "callback", "clauses", "collection", "compile", "cond", "constant", "constraints", "cost", "current_namespace",
    "current_store", "custom_vjp", "data", "derivative_rules", "device", "e", "export", "fft", "float16", "float32",
    "float64", "fori_loop", "function", "get_checkpoint_state", "global_variables", "grad", "gradients", "hessian",
    "inf", "initializers", "int16", "int32", "int64", "int8", "jacobian", "jacobian_of", "jvp", "jvp_of",
    "latest_checkpoint", "linalg", "load", "load_dialect_plugin", "load_pass_plugin", "lower", "map", "map_leaves",
    "microbatch", "module_of", "name_scope", "nan", "newaxis", "nn", "optimizers", "parse", "pi", "print",
    "promote_types", "random", "restore", "save", "scan", "schedules", "set_seed", "spec", "stages", "string",
    "summary", "switch", "train", "trainable_variables", "uint16", "uint32", "uint64", "uint8", "value_and_grad", "vjp",
    "vmap", "watch", "while_loop",
]  # fmt: skip
__all__ += _ops.__all__

promote_types = _dtypes.promote_types

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None
array = constant
asarray = as_tensor

for _module in ("clauses", "constraints", "data", "fft", "initializers", "linalg", "nn", "optimizers", "random",
                "schedules"):  # fmt: skip
    _show(f"{__name__}.{_module}")
_show(__name__, ["jax", "keras", "math", "onnx", "pictures", "profile", "torch", "v1", "variables"])
