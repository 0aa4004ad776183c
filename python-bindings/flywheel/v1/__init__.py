# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vocabulary of TensorFlow 1: `import flywheel.v1 as tf`.

Ops are put in a graph, and run when a session fetches them: each set of fetches is
compiled once. See docs/v1.md for what is there and what differs.
"""

from typing import TYPE_CHECKING, Any

from .. import _dtypes, _flywheel
from . import contrib, initializers, layers, losses, metrics, nn, summary, train
from . import conversion as _conversion
from .arrays import *  # noqa: F403
from .control_flow import case, cond, while_loop
from .conversion import constant
from .derivatives import gradients
from .functional_ops import foldl, foldr, map_fn, scan
from .graph import Graph, GraphKeys, get_default_graph, reset_default_graph
from .initialization import (
    global_variables_initializer,
    initialize_all_variables,
    is_variable_initialized,
    local_variables_initializer,
    report_uninitialized_variables,
    variables_initializer,
)
from .initializers import (
    constant_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    ones_initializer,
    random_normal,
    random_normal_initializer,
    random_uniform,
    random_uniform_initializer,
    set_random_seed,
    truncated_normal,
    truncated_normal_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from .operation import Operation, Tensor
from .ops import *  # noqa: F403
from .ops import TABLE as _TABLE
from .ops import range_ as range
from .ops import slice_ as slice
from .ops import tuple_ as tuple
from .platform import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
    app,
    flags,
    gfile,
    logging,
)
from .scopes import AUTO_REUSE, VariableScope, get_variable, get_variable_scope, variable_scope
from .session import InteractiveSession, Session, get_default_session
from .shapes import Dimension, TensorShape
from .tape import GradientTape
from .variables import (
    Variable,
    all_variables,
    assign,
    assign_add,
    assign_sub,
    global_variables,
    local_variables,
    trainable_variables,
)

float16, float32, float64 = _dtypes.float16, _dtypes.float32, _dtypes.float64
int8, int16, int32, int64 = _dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64
uint8, uint16, uint32, uint64 = _dtypes.uint8, _dtypes.uint16, _dtypes.uint32, _dtypes.uint64
bfloat16, bool, string = _dtypes.bfloat16, _dtypes.bool_, _dtypes.string
double, half = float64, float16


def as_dtype(type_value: Any) -> Any:
    """A dtype by its name, that of TensorFlow's too: "float" has 32 bits."""
    return _conversion.dtype_of(type_value)


class errors:  # noqa: N801
    """Errors of runs."""

    FailedPreconditionError = _flywheel.FailedPreconditionError
    InvalidArgumentError = _flywheel.InvalidArgumentError
    NotFoundError = _flywheel.NotFoundError
    DataLossError = _flywheel.DataLossError


def name_scope(name: Any = None, default_name: Any = None, values: Any = None) -> Any:
    """Puts a prefix before names of ops."""
    return get_default_graph().name_scope(name if name is not None else default_name)


def control_dependencies(control_inputs: Any) -> Any:
    """See `Graph.control_dependencies`."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: Any) -> Any:
    """See `Graph.device`."""
    return get_default_graph().device(device_name_or_function)


def add_to_collections(names: Any, value: Any) -> None:
    get_default_graph().add_to_collections(names, value)


def add_to_collection(name: Any, value: Any) -> None:
    get_default_graph().add_to_collection(name, value)


def get_collection(key: Any, scope: Any = None) -> Any:
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> Any:
    return get_default_graph().get_collection_ref(key)


globals().update(_TABLE)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"there is no flywheel.v1.{name}; see docs/v1.md")

else:

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "AUTO_REUSE", "ConfigProto", "Dimension", "GPUOptions", "GradientTape", "Graph", "GraphKeys", "GraphOptions",
    "InteractiveSession", "Operation", "OptimizerOptions", "RunMetadata", "RunOptions", "Session", "Tensor",
    "TensorShape", "Variable", "VariableScope", "add_to_collection", "add_to_collections", "all_variables", "app",
    "as_dtype", "assign", "assign_add", "assign_sub", "case", "cond", "constant", "constant_initializer", "contrib",
    "control_dependencies", "device", "errors", "flags", "foldl", "foldr", "get_collection", "get_collection_ref",
    "get_default_graph", "get_default_session", "get_variable", "get_variable_scope", "gfile", "global_variables",
    "global_variables_initializer", "glorot_normal_initializer", "glorot_uniform_initializer", "gradients",
    "initialize_all_variables", "initializers", "is_variable_initialized", "layers", "local_variables",
    "local_variables_initializer", "logging", "losses", "map_fn", "metrics", "name_scope", "nn", "ones_initializer",
    "random_normal", "random_normal_initializer", "random_uniform", "random_uniform_initializer", "range",
    "report_uninitialized_variables", "reset_default_graph", "scan", "set_random_seed", "slice", "summary", "train",
    "trainable_variables", "truncated_normal", "truncated_normal_initializer", "tuple", "variable_scope",
    "variables_initializer", "variance_scaling_initializer", "while_loop", "zeros_initializer",
]  # fmt: skip
