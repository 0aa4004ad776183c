# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places of a model's random streams, which files of whole models have: a model that is loaded draws on."""

from typing import Any, Dict, List

import numpy as np

from .._core import dtypes as _dtypes
from ..v1.emission import ancestors
from ..v1.operation import Operation
from . import backend as K

# Before the keys of streams in a file.
PREFIX = "random_streams/"
# In place of the name of a layer.
_NO_LAYER = "of no layer"


def names_of(model: Any) -> Dict[str, str]:
    """Returns the names in the store of what the ops that draw in training have drawn, by their keys in a file: the
    name of the layer, and a number."""
    function = model._function("train")
    roots = [x if isinstance(x, Operation) else x.op for x in getattr(function, "_roots", [])]
    drawing = sorted((op for op in ancestors(roots, ()) if op.fields.is_random), key=lambda op: op.id)
    owners = {op: layer.name for layer in model._leaves() for op in layer._random_ops}
    counts: Dict[str, int] = {}
    found = {}
    for op in drawing:
        own = owners.get(op, _NO_LAYER)
        number = counts[own] = counts.get(own, -1) + 1
        found[f"{PREFIX}{own}/{number}"] = f"random/{op.name}"
    return found


def begun(model: Any) -> Dict[str, str]:
    """Returns those of `names_of` from which something has been drawn in the session of Keras."""
    store = K.get_session().store
    known = set(store.names)
    return {key: name for key, name in names_of(model).items() if name in known and store.is_initialized(name)}


def go_on(model: Any, arrays: Dict[str, Any]) -> None:
    """Sets streams to the places that a file has, by their keys."""
    store = K.get_session().store
    known = set(store.names)
    for key, name in names_of(model).items():
        array = arrays.get(key)
        # A stream of another version, or a damaged one, begins anew.
        if array is None or name in known or array.dtype != np.int64 or array.shape != (2,):
            continue
        store.declare(name, _dtypes.name_of(array.dtype), list(array.shape), False)
        store[name] = array


def listed(metadata: Dict[str, str]) -> List[str]:
    """Returns the keys of streams in a file."""
    return [key for key in metadata.get("random_streams", "").split("\n") if key.startswith(PREFIX)]
