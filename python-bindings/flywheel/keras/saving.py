# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models in one file: a checkpoint (safetensors) with the weights and the state of the optimizer, whose metadata
have the architecture and how the model is trained, as JSON; or a file of HDF5 in the layout of Keras 2."""

import importlib
import json
import os
import stat
import struct
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional

from .._core.trace import warn_user
from .._flywheel import DataLossError
from .._flywheel import Store as RuntimeStore
from ..data import load as load_arrays
from ..v1.operation import Tensor
from . import _hdf5, _streams, layers, optimizers
from . import backend as K
from ._serialization import custom_object_scope, keeping_functions, limit_elements, loads_code, plain
from .engine.network import WEIGHT_NAMES
from .engine.topology import Input, one_or_list, to_list

# Before the keys of the state of the optimizer, and of layers apart from their weights.
_OPTIMIZER, _LAYERS = "optimizer_weights/", "layer_states/"


def save_model(model: Any, filepath: str, overwrite: bool = True, include_optimizer: bool = True) -> None:
    """Writes a model: architecture, weights, and where it is compiled how it is trained and the state of the
    optimizer. `filepath` is a name, or an open file of h5py. The format is HDF5 for that, and for a name that ends in
    .h5 or .hdf5 where h5py is installed; otherwise it is safetensors. Raises FileExistsError, and ValueError for what
    has no configuration."""
    expect_new(filepath, overwrite)
    training: Optional[str] = None
    if include_optimizer and model.optimizer is not None:
        if isinstance(model.optimizer, optimizers.TFOptimizer):
            warnings.warn("optimizers of flywheel.v1.train have no configuration: the model is saved without its "
                          "optimizer", stacklevel=3)  # fmt: skip
        else:
            training = json.dumps(_training_config(model))
            model._function("train")
    state = {} if training is None else _training_state(model)
    if _hdf5.is_written(filepath):
        with _hdf5.written(filepath) as file:
            _hdf5.write_model(file, model, training, state)
        return
    keys = model._keys()
    metadata = {"model_config": model.to_json(), WEIGHT_NAMES: json.dumps(list(keys))}
    if training is not None:
        metadata["training_config"] = training
    keys.update({name: v.op_name for name, v in state.items()})
    drawn = {} if training is None else _streams.begun(model)
    if drawn:
        metadata["random_streams"] = "\n".join(drawn)
        keys.update(drawn)
    if keys:
        RuntimeStore.save(K.get_session().store, filepath, keys, metadata=metadata)
        return
    # A model without variables is a file with metadata only.
    header = json.dumps({"__metadata__": metadata}).encode()
    header += b" " * (-len(header) % 8)
    with open(filepath, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)


def expect_new(filepath: Any, overwrite: bool) -> None:
    """Raises FileExistsError for a file that exists and is not to be overwritten. Warns of a name of HDF5 for a file
    that is not."""
    if _hdf5.is_group(filepath):
        return
    if not overwrite and os.path.exists(filepath):
        raise FileExistsError(f"'{filepath}' exists, and overwrite is False")
    if str(filepath).lower().endswith((".h5", ".hdf5")) and not _hdf5.is_written(filepath):
        warn_user(f"'{filepath}' is written in the format safetensors, which readers of HDF5 do not know: install h5py "
                  "(pip install h5py), or end its name with .safetensors or .keras", UserWarning)  # fmt: skip


def _training_config(model: Any) -> Dict[str, Any]:
    # The weights that `compile` took, if the program has frozen other ones since.
    chosen, names = model._collected_trainable_weights, {w: name for name, w in model._named_weights()}
    others = {} if chosen == model.trainable_weights else {"trained_weights": [names[w] for w in chosen if w in names]}
    return {"optimizer_config": plain(model.optimizer), "loss": plain(model.loss), "metrics": plain(model.metrics),
            "loss_weights": plain(model.loss_weights), "sample_weight_mode": model.sample_weight_mode,
            "weighted_metrics": plain(model.weighted_metrics), **others}  # fmt: skip


def _training_state(model: Any) -> Dict[str, Any]:
    """Returns the variables of the optimizer, under the names of weights, and those from which moving averages are
    computed."""
    names = {w: name for name, w in model._named_weights()}
    found = {_OPTIMIZER + key: v for key, v in model.optimizer.state(names).items()}
    for layer in model._leaves():
        for i, update in enumerate(model._own(layer.updates)):
            hidden = update.op.fields.hidden if isinstance(update, Tensor) else None
            found.update({f"{_LAYERS}{layer.name}/{i}/{key}": v for key, v in (hidden or {}).items()})
    return found


def load_model(
    filepath: str, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """The model that `save_model` wrote: training goes on as it would have. `custom_objects` are classes and functions
    of the program by their names. With `safe_mode`, code in the file is an error, unless
    `keras.config.enable_unsafe_deserialization` was called. Raises NotFoundError for a missing file, and DataLossError
    or ValueError for one that has no model."""
    if _hdf5.is_read(filepath):
        with _hdf5.read(filepath) as file:
            name = file.file.filename
            found = _hdf5.read_metadata(file)
            model = _make(name, found, lambda: _hdf5.count_elements(file), custom_objects, compile, safe_mode)
            _hdf5.load_weights_from_hdf5_group(_hdf5.weights_of(file), model.layers)
            if model.optimizer is not None:
                _hdf5.load_training_state(file, model, _training_state(model))
        return model
    found = read_metadata(filepath)
    model = _make(filepath, found, lambda: os.path.getsize(filepath), custom_objects, compile, safe_mode)
    keys = model._keys()
    if keys:
        RuntimeStore.restore(K.get_session().store, filepath, keys)
        model._go_on_from_values()
    state = {} if model.optimizer is None else _training_state(model)
    if state:
        RuntimeStore.restore(K.get_session().store, filepath, {name: v.op_name for name, v in state.items()})
    drawn = [] if model.optimizer is None else _streams.listed(found)
    if drawn:
        _streams.go_on(model, load_arrays(filepath, drawn))
    return model


def _make(
    filepath: Any, metadata: Dict[str, str], count: Callable[[], int], custom: Any, compile: bool, safe_mode: bool
) -> Any:
    """Returns the model of the configurations in a file, compiled if they say how. `count` returns how many elements
    its weights have at most."""
    if "model_config" not in metadata:
        raise ValueError(f"No model found in '{filepath}': it has weights only, for load_weights")
    # Weights are not allocated before it is known that the file has as many bytes.
    most = count()
    with custom_object_scope(custom), _naming(filepath), limit_elements(most):
        text = json.dumps(json.loads(metadata["model_config"]), ensure_ascii=False)
        if any("\ud800" <= one <= "\udfff" for one in text):
            raise ValueError("it has text with half a character")
        model = model_from_json(metadata["model_config"], safe_mode=safe_mode)
        if not hasattr(model, "_keys"):
            raise ValueError(f"expected a model, found a {type(model).__name__}")
        model._keys()
        training = metadata.get("training_config")
        if compile and training is not None:
            config = json.loads(training)
            model.compile(optimizers.get(config["optimizer_config"]), config["loss"], config["metrics"],
                          config["loss_weights"], config.get("sample_weight_mode"),
                          config.get("weighted_metrics"))  # fmt: skip
            if "trained_weights" in config:
                own = dict(model._named_weights())
                model._collected_trainable_weights = [own[name] for name in config["trained_weights"]]
            model._function("train")
    return model


@contextmanager
def _naming(filepath: str) -> Iterator[None]:
    """Turns each error of the configuration in a file into a ValueError that names the file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        text = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise ValueError(f"the model in '{filepath}' cannot be made: {text}") from error


def read_metadata(filepath: str) -> Dict[str, str]:
    """Reads the head of a file: the length of its header, then the header as JSON."""
    from .._flywheel import NotFoundError

    try:
        # Does not wait for a writer of a pipe.
        descriptor = os.open(filepath, os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            info = os.fstat(descriptor)
            size = file.read(8) if stat.S_ISREG(info.st_mode) else b""
            if size == _hdf5.SIGNATURE:
                raise DataLossError(f"'{filepath}' is a file of HDF5, which h5py reads: pip install h5py")
            (length,) = struct.unpack("<Q", size)
            if length > info.st_size:
                raise struct.error
            header = json.loads(file.read(length))
        found = header.get("__metadata__", {}) if isinstance(header, dict) else None
        if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
            raise ValueError("no metadata")
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file '{filepath}'") from error
    except DataLossError:
        raise
    except (struct.error, ValueError, RecursionError) as error:
        raise DataLossError(f"'{filepath}' is not a checkpoint: its header cannot be read") from error
    return found


def read_weight_names(filepath: str) -> Optional[List[str]]:
    """The names of the weights in a file in the order of the model that wrote it, or None for a file that another
    program wrote. Raises NotFoundError for a missing file, and DataLossError for names that are damaged."""
    text = read_metadata(filepath).get(WEIGHT_NAMES)
    if text is None:
        return None
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        raise DataLossError(f"'{filepath}' is damaged: its names of weights cannot be read")
    return names


def model_from_config(config: Dict[str, Any], custom_objects: Any = None) -> Any:
    """The model of {"class_name", "config"}."""
    if isinstance(config, list):
        raise TypeError("`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
                        "`Sequential.from_config(config)`?")  # fmt: skip
    return layers.deserialize(config, custom_objects)


def clone_model(model: Any, input_tensors: Any = None) -> Any:
    """A model of the same layers with weights of its own. `input_tensors` are its inputs, by default new ones. Raises
    ValueError for another number of them."""
    if input_tensors is None:
        with keeping_functions():
            config = model.get_config()
        return type(model).from_config(config)
    listed = to_list(input_tensors)
    if len(listed) != len(model.inputs):
        raise ValueError(f"expected {len(model.inputs)} input_tensors, found {len(listed)}")
    copy = clone_model(model)
    given = [x if K.is_keras_tensor(x) else Input(tensor=x) for x in listed]
    outputs = copy(one_or_list(given))
    from .engine.training import Model

    return Model(given, outputs, name=model.name)


def model_from_yaml(yaml_string: str, custom_objects: Any = None, safe_mode: bool = True) -> Any:
    """The model of what `to_yaml` gave, with new weights; `safe_mode` as in `model_from_json`. Needs PyYAML."""
    with loads_code(not safe_mode):
        return model_from_config(yaml().safe_load(yaml_string), custom_objects)


def yaml() -> Any:
    """The package PyYAML. Raises ImportError with what to do without it."""
    try:
        return importlib.import_module("yaml")
    except ImportError as error:
        raise ImportError("models as YAML need PyYAML (pip install pyyaml); to_json needs nothing") from error


def model_from_json(json_string: str, custom_objects: Any = None, safe_mode: bool = True) -> Any:
    """The model of what `to_json` gave, with new weights. Raises ValueError for a `Lambda` of code, unless `safe_mode`
    is False: calling the model executes it."""
    with loads_code(not safe_mode):
        return model_from_config(json.loads(json_string), custom_objects)
