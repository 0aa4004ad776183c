# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers, and networks of them."""

import os
import re
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .._flywheel import Store as RuntimeStore
from ..v1.graph import GraphKeys, get_default_graph
from ..v1.operation import Tensor
from . import backend as K
from . import constraints, initializers, regularizers


def to_list(x: Any) -> List[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def one_or_list(xs: List[Any]) -> Any:
    return xs[0] if len(xs) == 1 else xs


class Node:
    """One call of a layer."""

    def __init__(self, layer: "Layer", inputs: List[Any], outputs: List[Any], arguments: Dict[str, Any]):
        self.layer, self.inputs, self.outputs, self.arguments = layer, inputs, outputs, arguments


class Layer:
    """A function of tensors with weights: `build` makes them, `call` computes."""

    def __init__(self, **kwargs: Any) -> None:
        known = {"input_shape", "batch_input_shape", "batch_size", "dtype", "name", "trainable", "weights",
                 "input_dtype"}  # fmt: skip
        for key in kwargs:
            if key not in known:
                raise TypeError("Keyword argument not understood:", key)
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()
        self.name: str = kwargs.get("name") or f"{kind}_{K.get_uid(kind)}"
        self.trainable: bool = kwargs.get("trainable", True)
        self.built = False
        self.stateful = False
        self.dtype = kwargs.get("dtype") or K.floatx()
        self._initial_weights = kwargs.get("weights")
        if "batch_input_shape" in kwargs:
            self.batch_input_shape = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            self.batch_input_shape = (kwargs.get("batch_size"), *kwargs["input_shape"])
        self._trainable: List[Any] = []
        self._fixed: List[Any] = []
        self._losses: List[Any] = []
        self._updates: List[Any] = []
        self._nodes: List[Node] = []

    # What subclasses have

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """Computes the outputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    # What they may call

    def add_weight(
        self, name: Any = None, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
        trainable: bool = True, constraint: Any = None,
    ) -> Any:  # fmt: skip
        """A new weight."""
        if not isinstance(name, str) and name is not None:
            # The order of arguments before Keras 2.
            name, shape = shape, name
        start = initializers.get(initializer or "glorot_uniform")
        with get_default_graph().name_scope(self.name):
            weight = K.variable(start(tuple(shape)), dtype or self.dtype, name, constraints.get(constraint))
        if not trainable:
            weight.trainable = False
            get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES).remove(weight)
        (self._trainable if trainable else self._fixed).append(weight)
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self._losses.append(regularizer(weight))
        return weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        self._losses += to_list(losses)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        self._updates += to_list(updates)

    # Calls

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        given = to_list(inputs)
        for x in given:
            if not K.is_keras_tensor(x) and not isinstance(x, Tensor):
                raise ValueError(f"Layer {self.name} was called with an input that isn't a symbolic tensor: {x!r}")
        shapes = [K.int_shape(x) for x in given]
        if not self.built:
            self.build(one_or_list(shapes))
            self.built = True
            if self._initial_weights is not None:
                self.set_weights(self._initial_weights)
                self._initial_weights = None
        with get_default_graph().name_scope(self.name):
            made = to_list(self.call(one_or_list(given) if not isinstance(inputs, (list, tuple)) else given, **kwargs))
            outputs = [K.identity(y) if any(y is x for x in given) or not isinstance(y, Tensor) else y for y in made]
        found = self.compute_output_shape(one_or_list(shapes))
        listed = list(found) if isinstance(found, list) else [found]
        node = Node(self, given, outputs, kwargs)
        for i, (y, shape) in enumerate(zip(outputs, listed)):
            y.__dict__["_keras_shape"] = y.static_shape if self._knows_shape(y) else tuple(shape)
            y.__dict__["_keras_history"] = (self, len(self._nodes), i)
        self._nodes.append(node)
        return one_or_list(outputs)

    def _knows_shape(self, y: Any) -> bool:
        return y.static_shape is not None and None not in y.static_shape[1:]

    # What they are asked

    @property
    def trainable_weights(self) -> List[Any]:
        return list(self._trainable) if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        return list(self._fixed) if self.trainable else [*self._trainable, *self._fixed]

    @property
    def weights(self) -> List[Any]:
        return [*self._trainable, *self._fixed]

    @property
    def losses(self) -> List[Any]:
        return list(self._losses)

    @property
    def updates(self) -> List[Any]:
        return list(self._updates) if self.trainable else []

    def get_weights(self) -> List[Any]:
        """The values of the weights."""
        return K.batch_get_value(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Sets the weights, in the order of `weights`."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                             f"{len(weights)}, but the layer was expecting {len(own)} weights.")  # fmt: skip
        for v, value in zip(own, weights):
            if K.int_shape(v) != np.shape(value):
                raise ValueError(f"Layer weight shape {K.int_shape(v)} not compatible with provided weight shape "
                                 f"{np.shape(value)}")  # fmt: skip
        K.batch_set_value(list(zip(own, weights)))

    def count_params(self) -> int:
        return sum(K.count_params(v) for v in self.weights)

    @property
    def input(self) -> Any:
        return one_or_list(self._node().inputs)

    @property
    def output(self) -> Any:
        return one_or_list(self._node().outputs)

    @property
    def input_shape(self) -> Any:
        return one_or_list([K.int_shape(x) for x in self._node().inputs])

    @property
    def output_shape(self) -> Any:
        return one_or_list([K.int_shape(x) for x in self._node().outputs])

    def _node(self) -> Node:
        if not self._nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        return self._nodes[0]

    def get_config(self) -> Dict[str, Any]:
        return {"name": self.name, "trainable": self.trainable}


class InputLayer(Layer):
    """Where a network is fed."""

    def __init__(self, batch_shape: Any, dtype: Any, name: Optional[str], tensor: Any = None):
        super().__init__(name=name, dtype=dtype)
        self.built = True
        x = K.placeholder(batch_shape, dtype=self.dtype, name=self.name) if tensor is None else tensor
        x.__dict__["_keras_shape"] = tuple(batch_shape)
        x.__dict__["_keras_history"] = (self, 0, 0)
        self._nodes.append(Node(self, [], [x], {}))


def Input(  # noqa: N802
    shape: Any = None, batch_shape: Any = None, name: Optional[str] = None, dtype: Any = None, sparse: bool = False,
    tensor: Any = None,
) -> Any:  # fmt: skip
    """A tensor that a model is fed; `shape` is without the batch."""
    if sparse:
        raise NotImplementedError("flywheel.keras: sparse inputs")
    if batch_shape is None:
        if shape is None:
            if tensor is None:
                raise ValueError("Please provide to Input either a `shape` or a `batch_shape` argument.")
            batch_shape = K.int_shape(tensor)
        else:
            batch_shape = (None, *shape)
    return InputLayer(batch_shape, dtype, name or None, tensor).output


class Network(Layer):
    """Layers between inputs and outputs."""

    def _init_graph(self, inputs: Any, outputs: Any, name: Optional[str] = None) -> None:
        Layer.__init__(self, name=name)
        self._connect(to_list(inputs), to_list(outputs))

    def _connect(self, inputs: List[Any], outputs: List[Any]) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.built = True
        self._order: List[Node] = []
        seen: Dict[int, bool] = {}
        for y in outputs:
            self._visit(y, seen)
        self.layers: List[Layer] = []
        for node in [*[_node_of(x) for x in inputs], *self._order]:
            if node.layer not in self.layers:
                self.layers.append(node.layer)
        self.input_names = [_node_of(x).layer.name for x in inputs]
        self.output_names = _unique([_node_of(y).layer.name for y in outputs])

    def _node(self) -> Node:
        return Node(self, self.inputs, self.outputs, {})

    def _visit(self, y: Any, seen: Dict[int, bool]) -> None:
        stack: List[Tuple[Any, bool]] = [(y, False)]
        while stack:
            x, done = stack.pop()
            if not hasattr(x, "_keras_history"):
                raise ValueError("Output tensors to a Model must be the output of a Keras `Layer` (thus holding past "
                                 f"layer metadata). Found: {x}")  # fmt: skip
            node = _node_of(x)
            if done:
                if id(node) not in seen:
                    seen[id(node)] = True
                    self._order.append(node)
                continue
            if id(node) in seen or any(x is z for z in self.inputs):
                continue
            if not node.inputs:
                raise ValueError(f"Graph disconnected: cannot obtain value for tensor {x} at layer "
                                 f'"{node.layer.name}".')  # fmt: skip
            stack.append((x, True))
            stack += [(z, False) for z in reversed(node.inputs)]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The layers again, on other tensors."""
        known = {id(x): y for x, y in zip(self.inputs, to_list(inputs))}
        for node in self._order:
            args = [known[id(x)] for x in node.inputs]
            made = to_list(node.layer(one_or_list(args), **node.arguments))
            known.update({id(x): y for x, y in zip(node.outputs, made)})
        return one_or_list([known[id(y)] for y in self.outputs])

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = [K.int_shape(y) for y in self.outputs]
        return one_or_list(shapes)

    @property
    def trainable_weights(self) -> List[Any]:
        return [w for layer in self.layers for w in layer.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        fixed = [w for layer in self.layers for w in layer.non_trainable_weights]
        return fixed if self.trainable else [*[w for layer in self.layers for w in layer.trainable_weights], *fixed]

    @property
    def weights(self) -> List[Any]:
        return [w for layer in self.layers for w in layer.weights]

    @property
    def losses(self) -> List[Any]:
        return [x for layer in self.layers for x in layer.losses]

    @property
    def updates(self) -> List[Any]:
        return [x for layer in self.layers for x in layer.updates]

    def get_layer(self, name: Optional[str] = None, index: Optional[int] = None) -> Layer:
        """A layer by its name, or by its place."""
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} "
                                 "layers.")  # fmt: skip
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}")

    def summary(self, line_length: int = 65, positions: Any = None, print_fn: Any = print) -> None:
        """Prints layers, shapes of their outputs and how many parameters they have."""
        print_fn("_" * line_length)
        print_fn(f"{'Layer (type)':<29}{'Output Shape':<26}Param #")
        print_fn("=" * line_length)
        for layer in self.layers:
            title = f"{layer.name} ({type(layer).__name__})"
            print_fn(f"{title:<29}{layer.output_shape!s:<26}{layer.count_params()}")
        trained = sum(K.count_params(w) for w in self.trainable_weights)
        total = self.count_params()
        print_fn("=" * line_length)
        print_fn(f"Total params: {total:,}")
        print_fn(f"Trainable params: {trained:,}")
        print_fn(f"Non-trainable params: {total - trained:,}")
        print_fn("_" * line_length)

    # Weights on disk

    def _keys(self) -> Dict[str, str]:
        keys: Dict[str, str] = {}
        for layer in self._leaves():
            for w in layer.weights:
                key = f"{layer.name}/{w.op_name.rsplit('/', 1)[-1]}"
                if key in keys:
                    raise ValueError(f"two weights have the name '{key}'")
                keys[key] = w.op_name
        return keys

    def _leaves(self) -> List[Layer]:
        found: List[Layer] = []
        for layer in self.layers:
            found += layer._leaves() if isinstance(layer, Network) else [layer]
        return found

    def save_weights(self, filepath: str, overwrite: bool = True) -> None:
        """Writes the weights to a checkpoint (safetensors), under the names of layers."""
        if not overwrite and os.path.exists(filepath):
            raise FileExistsError(f"'{filepath}' exists, and overwrite is False")
        RuntimeStore.save(K.get_session().store, filepath, self._keys())

    def load_weights(self, filepath: str, by_name: bool = False) -> None:
        """Reads what `save_weights` of such a model wrote."""
        RuntimeStore.restore(K.get_session().store, filepath, self._keys())


def _node_of(x: Any) -> Node:
    layer, index, _ = x._keras_history
    found: Node = layer._nodes[index]
    return found


def _unique(names: List[str]) -> List[str]:
    return [n if names.count(n) == 1 else f"{n}_{names[: i + 1].count(n)}" for i, n in enumerate(names)]
