# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and models in traced functions: the ops of their graph become a part of the function.

The function reads and writes the values of the session of Keras, so that training by it trains the model.
"""

from typing import Any, Dict, Hashable, List

from .._captures import module_reads as _module_reads
from .._core import dtypes as _dtypes
from .._core import tensor as _tensor
from .._core import trace as _trace
from ..v1.operation import Tensor
from ..v1.programs import emit
from ..v1.session import enter_traced
from ..v1.variables import Variable
from . import _phase


def is_traced(inputs: Any) -> bool:
    """Returns true for inputs of a call in a traced function: tensors of it, or arrays."""
    if not _trace.is_tracing():
        return False
    listed = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return not any(isinstance(x, (Tensor, Variable)) for x in listed)


def call(layer: Any, inputs: Any, given: Dict[str, Any]) -> Any:
    """Emits what a layer computes of these tensors. With `training` it does what it does in training, draws for
    dropout for one, and runs its updates, such as averages of batch normalization. By default the phase is that of
    `K.set_learning_phase`, or else a test.

    Raises ValueError for inputs of another rank or size than the layer's.
    """
    more = {name: value for name, value in given.items() if name != "training"}
    values = [_tensor.as_tensor(x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    model = _network(layer, values, isinstance(inputs, (list, tuple)), more)
    _module_reads.note_state(model, _state_of)
    trained = set(model.trainable_weights)
    frozen = {v.implementation for v in model.weights if v not in trained}
    for trace in _trace._stack.traces:
        trace.frozen |= frozen
    own = list(model.inputs)
    if len(own) != len(values):
        raise ValueError(f"model '{layer.name}' takes {len(own)} inputs, found {len(values)}")
    for number, (x, value) in enumerate(zip(own, values)):
        shape = x.static_shape
        if shape is not None and (len(shape) != value.ndim or any(
                n != m and None not in (n, m) for n, m in zip(shape, value._dims))):  # fmt: skip
            raise ValueError(f"Input {number} of '{layer.name}' has the shape {x.shape}, found "
                             f"{_tensor.format_shape(value._dims)}")  # fmt: skip
    enter_traced(own[0].graph)
    training = given.get("training")
    if training is None:
        training = _default_phase(own[0].graph)
    feeds = [(x, _tensor.as_tensor(value, x.dtype) if _dtypes.is_floating(value.dtype) else value)
             for x, value in zip(own, values)]  # fmt: skip
    outputs = list(model.outputs)
    updates: List[Any] = list(model.updates) if training else list(model._own(model.state_updates))
    with _phase.compiling(int(bool(training))):
        found = emit([*outputs, *updates], feeds)
    return found[0] if len(outputs) == 1 else found[: len(outputs)]


def _state_of(model: Any) -> Hashable:
    """Returns what the ops of a model depend on beside its weights: what it was built of, which layers are trained, and
    the phase that `K.set_learning_phase` has fixed."""
    layers: List[Any] = [model]
    for layer in layers:
        inner = getattr(layer, "layers", None) or [getattr(layer, "layer", None)]
        layers += [one for one in inner if hasattr(one, "trainable")]
    return (tuple(map(id, model.outputs)), tuple((id(one), one.trainable) for one in layers),
            _default_phase(model.inputs[0].graph))  # fmt: skip


def _default_phase(graph: Any) -> int:
    fixed = _phase.placeholders.get(graph)
    return fixed if isinstance(fixed, int) else 0


def _network(layer: Any, values: List[Any], is_list: bool, given: Dict[str, Any]) -> Any:
    """Returns the layer if it is a network, or else one of a call of the layer, which is made once for each shape."""
    from .engine.network import Network
    from .engine.training import Model
    from .layers import Input

    if isinstance(layer, Network):
        if given:
            raise TypeError(f"call() of model {layer.name} got an unexpected keyword argument '{next(iter(given))}'")
        if not getattr(layer, "inputs", None):
            raise ValueError(f"model '{layer.name}' has no inputs yet: build it before a traced function calls it")
        return layer
    if not layer.built:
        raise ValueError(f"layer '{layer.name}' has no weights yet: call it once on a K.placeholder, or make a model "
                         "of it, before a traced function calls it")  # fmt: skip
    if given:
        raise NotImplementedError(f"'{next(iter(given))}' of a call of layer '{layer.name}' in a traced function")
    known = layer.__dict__.setdefault("_traced_networks", {})
    key = (is_list, *[(x.dtype, (None, *x._dims[1:])) for x in values])
    if key not in known:
        xs = [Input(batch_shape=(None, *x._dims[1:]), dtype=_dtypes.name_of(x.dtype)) for x in values]
        known[key] = Model(xs, layer(xs if is_list else xs[0]))
    return known[key]
