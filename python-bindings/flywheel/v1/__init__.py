# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vocabulary of TensorFlow 1: `import flywheel.v1 as tf`.

Ops are put in a graph, and run when a session fetches them: each set of fetches is compiled once.
docs/Guides/v1.md lists its parts and differences.
"""

import importlib as _importlib
from typing import TYPE_CHECKING, Any

from .._errors.contracts import explain_all as _explain_all
from .._errors.contracts import public_names as _public_names
from . import complex_tensors as _complex_tensors
from . import contrib, data, distributions, errors, layers, losses, metrics, nn, summary, test, train
from . import dtypes as _dtypes
from . import host_ops as _host_ops
from . import image_boxes as _image_boxes
from . import image_colors as _image_colors
from . import image_windows as _image_windows
from . import images as image
from . import layers_volumes as _layers_volumes
from . import metrics_thresholds as _metrics_thresholds
from . import namespaces as _namespaces
from . import nests as _nests
from . import profiler as profiler
from . import random_counts as _random_counts
from . import random_ops as _random_ops
from . import signal as _signal
from . import special as _special
from . import spectra as _spectra
from . import texts as _texts
from . import watching as _watching  # noqa: F401  # Registers itself.
from .arrays import *  # noqa: F403
from .assertions import *  # noqa: F403
from .candidates import categorical as _categorical
from .candidates import multinomial
from .checks import *  # noqa: F403
from .complex_tensors import *  # noqa: F403
from .control_flow import case, cond, switch_case, while_loop
from .conversion import constant
from .counting import *  # noqa: F403
from .ctc_sparse import edit_distance as edit_distance
from .derivatives import gradients, hessians
from .dtypes import DType, as_dtype
from .elementwise import TABLE as _TABLE
from .errors import OpError, OutOfRangeError
from .functional_ops import foldl, foldr, map_fn, scan
from .gamma_functions import *  # noqa: F403
from .graph import Graph, GraphKeys, get_default_graph, reset_default_graph
from .host_ops import *  # noqa: F403
from .initialization import (
    global_variables_initializer,
    initialize_all_variables,
    is_variable_initialized,
    local_variables_initializer,
    report_uninitialized_variables,
    variables_initializer,
)
from .matrices import *  # noqa: F403
from .nn_convolutions import batch_to_space_nd, space_to_batch_nd
from .norms import *  # noqa: F403
from .operation import Operation, Tensor
from .ops import *  # noqa: F403
from .ops import range_ as range
from .ops import slice_ as slice
from .ops import tuple_ as tuple
from .ordering import *  # noqa: F403
from .own_gradients import *  # noqa: F403
from .pieces import *  # noqa: F403
from .platform import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    app,
    flags,
    gfile,
    logging,
)
from .printing import *  # noqa: F403
from .printing import print_ as print
from .random_counts import *  # noqa: F403
from .random_ops import (
    constant_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    identity_initializer,
    ones_initializer,
    orthogonal_initializer,
    random_crop,
    random_normal,
    random_normal_initializer,
    random_uniform,
    random_uniform_initializer,
    set_random_seed,
    truncated_normal,
    truncated_normal_initializer,
    uniform_unit_scaling_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from .scatters import *  # noqa: F403
from .scopes import (
    AUTO_REUSE,
    VariableScope,
    get_variable,
    get_variable_scope,
    make_template,
    variable_scope,
)
from .session import InteractiveSession, Session, get_default_session
from .settings import *  # noqa: F403
from .shapes import Dimension, TensorShape
from .sparse_ops import *  # noqa: F403
from .sparse_ops import also_sparse as _also_sparse
from .sparse_shapes import *  # noqa: F403
from .sparse_tensors import *  # noqa: F403
from .spectra import *  # noqa: F403
from .step_stats import RunMetadata, RunOptions
from .tape import GradientTape
from .tensor_arrays import TensorArray
from .variables import (
    Variable,
    all_variables,
    assign,
    assign_add,
    assign_sub,
    global_variables,
    local_variables,
    model_variables,
    moving_average_variables,
    trainable_variables,
)

float16, float32, float64 = _dtypes.float16, _dtypes.float32, _dtypes.float64
int8, int16, int32, int64 = _dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64
uint8, uint16, uint32, uint64 = _dtypes.uint8, _dtypes.uint16, _dtypes.uint32, _dtypes.uint64
bfloat16, bool, string = _dtypes.bfloat16, _dtypes.bool_, _dtypes.string
double, half = float64, float16
newaxis = None
# The version of TensorFlow whose vocabulary this is: programs choose by it.
__version__ = VERSION = "1.15.0"


def name_scope(name: Any = None, default_name: Any = None, values: Any = None) -> Any:
    """Puts a prefix before names of ops. `values` has no effect: there is one graph."""
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


def op_scope(values: Any, name: Any = None, default_name: Any = None) -> Any:
    """See `name_scope`."""
    return name_scope(name, default_name, values)


def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: Any = None, initializer: Any = None, regularizer: Any = None,
    caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, reuse: Any = None,
    dtype: Any = None, use_resource: Any = None, constraint: Any = None,
) -> Any:  # fmt: skip
    """See `variable_scope`."""
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner,
                          custom_getter, reuse, dtype, use_resource, constraint)  # fmt: skip


def get_seed(op_seed: Any) -> Any:
    """The seeds of the graph and of an op."""
    return get_default_graph().seed, op_seed


def initialize_variables(var_list: Any, name: str = "init") -> Operation:
    """See `variables_initializer`."""
    return variables_initializer(var_list, name)


def initialize_local_variables() -> Operation:
    """See `local_variables_initializer`."""
    return local_variables_initializer()


def get_local_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Any = False, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
    validate_shape: Any = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None,
) -> Any:  # fmt: skip
    """See `get_variable`; the variable is one of LOCAL_VARIABLES, and is not trained. `trainable` has no effect."""
    chosen = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, chosen, caching_device, partitioner,
                        validate_shape, use_resource, custom_getter, constraint)  # fmt: skip


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: Any = None) -> Tensor:
    """See `convert_to_tensor`: gradients are dense."""
    return convert_to_tensor(value, dtype, name)  # noqa: F405


def get_logger() -> Any:
    """Python's logger of messages."""
    return logging._logger


globals().update(_TABLE)
globals().update(_also_sparse(globals()))
globals().update(_complex_tensors.also_complex(globals()), complex=_complex_tensors.complex_)
for _space, _more, _names in (
    (layers, _layers_volumes, _layers_volumes.NAMES), (metrics, _metrics_thresholds, _metrics_thresholds.NAMES),
    *((image, _part, _part.__all__) for _part in (_image_boxes, _image_colors, _image_windows)),
):  # fmt: skip
    for _name in _names:
        setattr(_space, _name, getattr(_more, _name))
    _explain_all(vars(_space), _names)
for _space, _names in ((_special, _special.TOP), (_image_windows, _image_windows.TOP)):
    globals().update({_name: getattr(_space, _name) for _name in _names})
image.random_crop, image.resize_with_crop_or_pad = random_crop, image.resize_image_with_crop_or_pad
image.transpose = image.transpose_image
for _space in (nn, contrib, distributions, layers, losses, image, metrics, summary, train,
               *(_importlib.import_module(f".{_name}", __name__) for _name in nn.PARTS)):  # fmt: skip
    _explain_all(vars(_space), _public_names(vars(_space)))
_explain_all(globals(), [_name for _name in globals() if not _name.startswith("_")])
globals().update(_namespaces.build(
    globals(), nn, {
        "initializers": {**_random_ops.NAMES, "global_variables": global_variables_initializer,
                         "local_variables": local_variables_initializer, "variables": variables_initializer,
                         "tables_initializer": tables_initializer},  # noqa: F405
        "nest": _nests.NAMES, "version": {"VERSION": VERSION, "GIT_VERSION": VERSION},
        "compat": _texts.NAMES, "signal": {**_signal.NAMES, **_spectra.SIGNAL},
        "spectral": {**_spectra.SPECTRAL, "dct": _signal.dct, "idct": _signal.idct},
        "random": {
            "gamma": _random_counts.random_gamma, "poisson": _random_counts.random_poisson, "get_seed": get_seed,
            "categorical": _categorical, "multinomial": multinomial, "normal": random_normal,
            "shuffle": _host_ops.random_shuffle, "set_random_seed": set_random_seed,
            "truncated_normal": truncated_normal, "uniform": random_uniform,
            "log_uniform_candidate_sampler": nn.log_uniform_candidate_sampler,
            "uniform_candidate_sampler": nn.uniform_candidate_sampler},
    }))  # fmt: skip

contrib.signal = globals()["signal"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "keras":
            return _importlib.import_module("flywheel.keras")
        if name in ("Summary", "Event"):
            return getattr(summary, name)
        raise _namespaces.missing(name)

else:

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "AUTO_REUSE", "ConfigProto", "DType", "Dimension", "GPUOptions", "GradientTape", "Graph", "GraphKeys",
    "GraphOptions", "InteractiveSession", "OpError", "Operation", "OptimizerOptions", "OutOfRangeError",
    "RunMetadata", "RunOptions", "Session",
    "Tensor", "TensorArray", "TensorShape", "Variable", "VariableScope", "add_to_collection", "add_to_collections",
    "all_variables", "app", "as_dtype", "assign", "assign_add", "assign_sub", "batch_to_space_nd", "case", "cond",
    "constant", "constant_initializer", "contrib", "control_dependencies", "data", "device", "errors", "flags",
    "foldl", "foldr", "get_collection", "get_collection_ref", "get_default_graph", "get_default_session", "get_seed",
    "get_variable", "get_variable_scope", "gfile", "global_variables", "global_variables_initializer",
    "glorot_normal_initializer", "glorot_uniform_initializer", "gradients", "hessians", "identity_initializer",
    "image", "initialize_all_variables", "is_variable_initialized", "layers", "local_variables",
    "local_variables_initializer", "logging", "losses", "make_template", "map_fn", "metrics", "model_variables",
    "moving_average_variables", "multinomial", "name_scope", "nn", "ones_initializer", "op_scope",
    "newaxis", "orthogonal_initializer", "print", "random_crop", "random_normal", "random_normal_initializer",
    "random_uniform", "random_uniform_initializer", "range",
    "report_uninitialized_variables", "reset_default_graph", "scan",
    "set_random_seed", "slice", "space_to_batch_nd",
    "switch_case", "summary", "train", "trainable_variables", "truncated_normal",
    "truncated_normal_initializer", "test", "tuple", "uniform_unit_scaling_initializer", "variable_op_scope",
    "variable_scope", "variables_initializer", "variance_scaling_initializer", "while_loop", "zeros_initializer",
]  # fmt: skip
