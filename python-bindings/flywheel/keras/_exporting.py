# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Keras as object files."""

import inspect
import os
import re
import tempfile
from typing import Any, Dict, List, Mapping, Sequence

from .. import _flywheel, _ops
from .._core.annotations import Path
from .._errors.messages import about
from .._functions.exporting import export_model
from ..function import Function, spec
from ..function import function as traced
from ..store import Store
from ..v1.graph import GraphKeys
from ..v1.initialization import is_initialized_in
from ..v1.operation import Tensor
from ..v1.programs import emit
from ..v1.sparse_tensors import SparseTensor
from . import _phase
from . import backend as K
from .backend import sessions


def export(model: Any, path: Path, entries: Any, options: Mapping[str, Any]) -> None:
    """See `Model.export`."""
    names = ["predict"] if model.optimizer is None else ["predict", "train", "test"]
    # Every variable that the functions need has a value then.
    session = sessions.get_session()
    with model.inputs[0].graph.namespace, Store(seed=session.store.seed) as store:
        known: Dict[str, Function] = {}

        def find(name: str) -> Function:
            if name not in known:
                known[name] = _entry(model, name)
            return known[name]

        chosen = names[:2] if entries is None else entries
        for name in [one for one in names if one in chosen or isinstance(chosen, Mapping)]:
            # A function that trains makes its slots when it is built.
            model._function(name)
        _copy_values(sessions.get_session(), store)
        export_model(find, names, path, chosen, options)


def _entry(model: Any, what: str) -> Function:
    """Returns a function of the inputs, and of the targets if there are any: samples have the weight 1."""
    own, phase = model._function(what), int(what == "train")
    weights = [] if what == "predict" else list(model.sample_weights)
    if any(isinstance(x, SparseTensor) for _, x in own._taken):
        raise about("flywheel.keras.Model.export", NotImplementedError("of a model with sparse inputs"))
    fed = [x for _, x in own._taken if not any(x is weight for weight in weights)]
    names = [*model._feed_input_names, *([] if what == "predict" else [
        f"{name}_target" for name in model._feed_target_names])]  # fmt: skip

    def body(*arrays: Any) -> Any:
        feeds = list(zip(fed, arrays))
        for weight in weights:
            count = _ops.dim(arrays[0], 0)
            feeds.append((weight, _ops.ones([count, *[_ops.dim(arrays[-1], 1)] * (K.ndim(weight) - 1)])))
        with _phase.compiling(phase):
            results = emit(own._roots, feeds)
        return tuple(results) if len(results) > 1 else results[0]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    body.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind) for name in _unique([re.sub(r"\W", "_", name) for name in names])]
    )
    results = _unique([re.sub(r"\W", "_", name) for name in (model.output_names if what == "predict" else
                                                             model.metrics_names)])  # fmt: skip
    return traced(body, name=what, signature=[_spec(x) for x in fed], results=results)


def _spec(x: Tensor) -> Any:
    if x.static_shape is None:
        raise ValueError(f"'{x.name}' has no static rank, which an exported function needs")
    dims: List[Any] = list(x.static_shape)
    if dims and dims[0] is None:
        dims[0] = "batch"
    return spec(*dims, dtype=x.dtype)


def _unique(names: Sequence[str]) -> List[str]:
    return [name if names.index(name) == place else f"{name}_{place}" for place, name in enumerate(names)]


def _copy_values(session: Any, store: Store) -> None:
    """Copies the values of the variables of a session."""
    found = {v.implementation.name: v.op_name for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
             if is_initialized_in(v, session)}  # fmt: skip
    if not found:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "values")
        _flywheel.Store.save(session.store, path, found)
        for variable in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            if variable.implementation.name in found:
                variable.implementation._declare_value(store)
        _flywheel.Store.restore(store, path, list(found))
