# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights and models in files of HDF5, in the layout of Keras 2: a group for each layer, with a dataset for each
weight, and attributes with the names of both in their order. Needs the package h5py."""

import importlib
import json
import os
import sys
import warnings
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .._flywheel import DataLossError
from . import _streams
from . import backend as K
from ._serialization import plain
from .legacy.weights import preprocess_weights_for_loading

SIGNATURE = b"\x89HDF\r\n\x1a\n"
# HDF5 keeps an attribute of fixed size in a header of less than 64 KiB.
_LIMIT = 64512
VERSION = "2.1.6"
# Classes of layers that take no data format in Keras 2.1.
_CHANNELS_LAST = ("AveragePooling1D", "Conv1D", "LocallyConnected1D", "MaxPooling1D")
# A group of whole models that Keras does not have: variables of training that are not weights of its optimizer.
_STATE = "flywheel_training_state"


def h5py() -> Optional[Any]:
    """Returns the package h5py, or None where it is not installed."""
    try:
        return importlib.import_module("h5py")
    except ImportError:
        return None


def is_group(filepath: Any) -> bool:
    """Returns true for an open file of h5py, or a group of one."""
    package = sys.modules.get("h5py")
    return package is not None and isinstance(filepath, package.Group)


def is_written(filepath: Any) -> bool:
    """Returns true if what is saved to `filepath` is HDF5: an open file of h5py, or a name that ends in .h5 or .hdf5
    where h5py is installed."""
    return is_group(filepath) or (str(filepath).lower().endswith((".h5", ".hdf5")) and h5py() is not None)


def is_read(filepath: Any) -> bool:
    """Returns true if `filepath` is an open file of h5py, or begins as a file of HDF5 and h5py is installed."""
    if is_group(filepath):
        return True
    if h5py() is None or not os.path.isfile(filepath):
        return False
    with open(filepath, "rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


@contextmanager
def written(filepath: Any) -> Iterator[Any]:
    """Yields the group to write to: an open file itself, or a new file, which gets its name when it is whole."""
    if is_group(filepath):
        yield filepath
        filepath.file.flush()
        return
    package: Any = h5py()
    part = f"{os.fspath(filepath)}.{os.getpid()}.part"
    try:
        with package.File(part, "w") as file:
            yield file
        os.replace(part, filepath)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


@contextmanager
def read(filepath: Any) -> Iterator[Any]:
    """Yields the group to read from. Raises DataLossError for a file that is damaged."""
    if is_group(filepath):
        yield filepath
        return
    package: Any = h5py()
    try:
        file = package.File(filepath, "r")
    except OSError as error:
        raise DataLossError(f"'{filepath}' is a file of HDF5 that cannot be read: {error}") from error
    with file:
        yield file


def _child(group: Any, name: str, kind: str) -> Any:
    """Returns a "Group" or a "Dataset" of a group. Raises DataLossError if there is none."""
    try:
        found = group[name]
    except (KeyError, ValueError, OSError, RuntimeError):
        found = None
    if not isinstance(found, getattr(h5py(), kind)):
        raise DataLossError(f"'{group.file.filename}' is damaged: '{group.name}' has no {kind.lower()} '{name}'")
    return found


def _checked(dataset: Any) -> Any:
    """Returns a dataset. Raises DataLossError for one of other values than numbers, or whose values the file lacks."""
    stored = dataset.id.get_storage_size()
    has_filters = dataset.id.get_create_plist().get_nfilters() > 0
    if dataset.dtype.kind not in "biuf" or dataset.shape is None or (stored < dataset.nbytes and not has_filters):
        raise DataLossError(f"'{dataset.file.filename}' is damaged: '{dataset.name}' has {stored} bytes of values, "
                            f"expected numbers of the shape {dataset.shape}")  # fmt: skip
    return dataset


def _array(dataset: Any) -> Any:
    try:
        return np.asarray(dataset)
    except (OSError, RuntimeError) as error:
        what = f"'{dataset.file.filename}' is damaged: '{dataset.name}' cannot be read: {error}"
        raise DataLossError(what) from error


# Attributes


def write_text(group: Any, name: str, text: str) -> None:
    """Writes an attribute. All versions of h5py give a text of fixed size back as bytes, which Keras 2 expects."""
    data = text.encode()
    group.attrs[name] = np.bytes_(data) if 0 < len(data) < _LIMIT else data


def read_text(group: Any, name: str) -> Optional[str]:
    """Returns an attribute, or None. Raises DataLossError for one that is not text."""
    value = group.attrs.get(name)
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    try:
        found = value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        found = None
    if not isinstance(found, str):
        raise DataLossError(f"expected a text in a file of HDF5, found {value!r}")
    return found


def write_names(group: Any, name: str, names: List[str]) -> None:
    """Writes names as one attribute, or, if they take more bytes than HDF5 keeps in one, as some with numbers. Raises
    ValueError for a name that is too long."""
    encoded = [one.encode() for one in names]
    longest = max(map(len, encoded), default=0)
    if longest > _LIMIT:
        raise ValueError(f"a name of {longest} bytes is too long for a file of HDF5: at most {_LIMIT}")
    # Each name takes as much as the longest one of its attribute.
    per_part = _LIMIT // max(longest, 1)
    parts = [encoded[i : i + per_part] for i in range(0, len(encoded), per_part)]
    for i, part in enumerate(parts or [[]]):
        group.attrs[name if len(parts) < 2 else f"{name}{i}"] = np.array(part, dtype=f"S{max(longest, 1)}")


def read_names(group: Any, name: str) -> List[str]:
    """Returns the names of an attribute, or of some with numbers. Raises DataLossError if there are none."""
    if name in group.attrs:
        return [_text(one) for one in np.atleast_1d(group.attrs[name])]
    found: List[str] = []
    number = 0
    while f"{name}{number}" in group.attrs:
        found += [_text(one) for one in np.atleast_1d(group.attrs[f"{name}{number}"])]
        number += 1
    if not number:
        raise DataLossError(f"'{group.file.filename}' is not a file of Keras: '{group.name}' has no attribute '{name}'")
    return found


# Weights


def write_arrays(group: Any, variables: List[Any], names: List[str]) -> None:
    """Writes values of variables as datasets, and the attribute `weight_names` with their names in order."""
    write_names(group, "weight_names", names)
    for name, value in zip(names, K.batch_get_value(variables)):
        # Networks inside of a layer may share a weight.
        if name not in group:
            group.create_dataset(name, data=np.asarray(value))


def _dataset_name(variable: Any) -> str:
    return f"{variable.op_name}:0"


def _datasets(group: Any) -> List[Tuple[str, Any]]:
    """Returns the datasets that `weight_names` lists, in order, with their names."""
    return [(name, _checked(_child(group, name, "Dataset"))) for name in read_names(group, "weight_names")]


def save_weights_to_hdf5_group(f: Any, layers: List[Any]) -> None:
    """Writes the weights of layers into an open file or a group of h5py."""
    write_names(f, "layer_names", [layer.name for layer in layers])
    write_text(f, "backend", K.backend())
    write_text(f, "keras_version", VERSION)
    for layer in layers:
        write_arrays(f.require_group(layer.name), layer.weights, [_dataset_name(w) for w in layer.weights])


def _stored_layers(f: Any) -> List[Tuple[str, List[Any]]]:
    """Returns the names of layers in a file, and the datasets of each."""
    return [(name, [one for _, one in _datasets(_child(f, name, "Group"))]) for name in read_names(f, "layer_names")]


def _converted(f: Any, layer: Any, stored: List[Any], reshape: bool) -> List[Tuple[Any, Any]]:
    """Returns the weights of a layer with their values in a file, which another version or back end of Keras may have
    written. Raises ValueError for another number or shape of weights."""
    version, backend = read_text(f, "keras_version") or "1", read_text(f, "backend")
    values = preprocess_weights_for_loading(layer, [_array(one) for one in stored], version, backend, reshape)
    if len(values) != len(layer.weights):
        raise ValueError(f"Layer '{layer.name}' expects {len(layer.weights)} weight(s), but '{f.file.filename}' has "
                         f"{len(values)}")  # fmt: skip
    pairs = []
    for w, value in zip(layer.weights, values):
        shape = K.int_shape(w)
        if reshape and value.size == K.count_params(w):
            value = value.reshape(shape)
        if value.shape != shape:
            raise ValueError(f"Layer '{layer.name}': weight '{w.op_name}' has the shape {shape}, but the one of "
                             f"'{f.file.filename}' has {value.shape}")  # fmt: skip
        pairs.append((w, value))
    return pairs


def load_weights_from_hdf5_group(f: Any, layers: List[Any], reshape: bool = False) -> None:
    """Reads the weights of layers, one layer after another, from an open file or a group of h5py. With `reshape`,
    weights with as many elements are read in another shape. Raises ValueError for another number or shape of them."""
    own = [layer for layer in layers if layer.weights]
    stored = [datasets for _, datasets in _stored_layers(f) if datasets]
    if len(own) != len(stored):
        raise ValueError(f"You are trying to load a weight file containing {len(stored)} layers into a model with "
                         f"{len(own)} layers: '{f.file.filename}'")  # fmt: skip
    K.batch_set_value([pair for layer, datasets in zip(own, stored)
                       for pair in _converted(f, layer, datasets, reshape)])  # fmt: skip


def load_weights_from_hdf5_group_by_name(
    f: Any, layers: List[Any], skip_mismatch: bool = False, reshape: bool = False
) -> None:
    """Reads the weights of those layers whose names a file has. `skip_mismatch` leaves layers whose weights do not fit
    as they are, with a warning; otherwise they are a ValueError."""
    loaded: List[Tuple[Any, Any]] = []
    for name, datasets in _stored_layers(f):
        for layer in layers:
            if layer.name != name or not (datasets or layer.weights):
                continue
            try:
                loaded += _converted(f, layer, datasets, reshape)
            except ValueError as error:
                if not skip_mismatch:
                    raise
                warnings.warn(f"Skipping loading of weights. {error}", stacklevel=3)
    K.batch_set_value(loaded)


def weights_of(f: Any) -> Any:
    """Returns the group with the weights of a file of weights, or of a whole model."""
    has_layers = "layer_names" in f.attrs or "layer_names0" in f.attrs
    return f if has_layers else _child(f, "model_weights", "Group")


# Models


def write_model(f: Any, model: Any, training: Optional[str], state: Dict[str, Any]) -> None:
    """Writes a model into an open file. `training` says how it is trained, as JSON; `state` has the variables of that
    by their names."""
    write_text(f, "keras_version", VERSION)
    write_text(f, "backend", K.backend())
    write_text(f, "model_config", json.dumps(_of_keras_2(plain(model))))
    save_weights_to_hdf5_group(f.create_group("model_weights"), model.layers)
    if training is None:
        return
    write_text(f, "training_config", training)
    own = model.optimizer.weights
    if own:
        write_arrays(f.create_group("optimizer_weights"), own, [_dataset_name(w) for w in own])
    others = {name: v for name, v in state.items() if all(v is not w for w in own)}
    if others:
        write_arrays(f.create_group(_STATE), list(others.values()), list(others))
    store = K.get_session().store
    for key, name in _streams.begun(model).items():
        f.create_dataset(key, data=store[name])


def _of_keras_2(config: Any) -> Any:
    """Returns a configuration as Keras 2.1 reads it: a Sequential model is the list of its layers, and layers of one
    dimension have no data format. A frozen Sequential model, which no list is, has the form of Keras 2.2."""
    if isinstance(config, list):
        return [_of_keras_2(one) for one in config]
    if not isinstance(config, dict):
        return config
    made = {key: _of_keras_2(one) for key, one in config.items()}
    if made.get("class_name") in _CHANNELS_LAST and made["config"].get("data_format") == "channels_last":
        del made["config"]["data_format"]
    if made.get("class_name") == "Sequential" and isinstance(made.get("config"), dict):
        made["config"] = made["config"] if "trainable" in made["config"] else made["config"]["layers"]
    return made


def read_metadata(f: Any) -> Dict[str, str]:
    """Returns the configurations of a model and of its training, where the file has them."""
    found = {name: read_text(f, name) for name in ("model_config", "training_config")}
    return {name: text for name, text in found.items() if text is not None}


def count_elements(f: Any) -> int:
    """Returns how many elements all weights in a file have."""
    return sum(int(one.size) for _, datasets in _stored_layers(weights_of(f)) for one in datasets)


def load_training_state(f: Any, model: Any, state: Dict[str, Any]) -> None:
    """Reads the variables of training. Weights of the optimizer that do not fit are left as they are, with a warning,
    as in Keras."""
    if "optimizer_weights" in f:
        values = [_array(one) for _, one in _datasets(_child(f, "optimizer_weights", "Group"))]
        try:
            model.optimizer.set_weights(values)
        except ValueError as error:
            warnings.warn(f"The saved state of the optimizer does not fit and is not loaded: {error}", stacklevel=4)
            return
    if _STATE in f:
        stored = dict(_datasets(_child(f, _STATE, "Group")))
        pairs = [(v, _array(stored[name])) for name, v in state.items() if name in stored]
        K.batch_set_value([(v, value) for v, value in pairs if value.shape == K.int_shape(v)])
    if _streams.PREFIX.rstrip("/") in f:
        drawn: Dict[str, Any] = {}

        def read(key: str, one: Any) -> None:
            if hasattr(one, "shape"):
                drawn[_streams.PREFIX + key] = _array(_checked(one))

        _child(f, _streams.PREFIX.rstrip("/"), "Group").visititems(read)
        _streams.go_on(model, drawn)
