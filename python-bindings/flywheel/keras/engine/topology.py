# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers: their calls, weights and configurations."""

import inspect
import re
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..._errors.hints import nearest
from ..._errors.messages import about
from ...v1.conversion import as_tensor
from ...v1.graph import GraphKeys, get_default_graph
from ...v1.operation import Tensor
from ...v1.sparse_tensors import SparseTensor
from ...v1.variables import Variable
from .. import _traced_calls, constraints, initializers, regularizers
from .. import backend as K
from .._hdf5 import load_weights_from_hdf5_group as load_weights_from_hdf5_group
from .._hdf5 import load_weights_from_hdf5_group_by_name as load_weights_from_hdf5_group_by_name
from .._hdf5 import save_weights_to_hdf5_group as save_weights_to_hdf5_group
from .._serialization import Configured, argument_names, take_elements
from ..legacy import interfaces as _legacy
from ..legacy.weights import preprocess_weights_for_loading as preprocess_weights_for_loading
from .specs import InputSpec as InputSpec
from .specs import check_inputs as check_inputs


def to_list(x: Any) -> List[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def one_or_list(xs: List[Any]) -> Any:
    return xs[0] if len(xs) == 1 else xs


def _ids(inputs: Any) -> List[int]:
    """Returns what identifies tensors; a variable is the tensor of its value."""
    return [id(as_tensor(x) if isinstance(x, Variable) else x) for x in to_list(inputs)]


class Node:
    """One call of a layer."""

    def __init__(self, layer: "Layer", inputs: List[Any], outputs: List[Any], arguments: Dict[str, Any]):
        self.layer, self.inputs, self.outputs, self.arguments = layer, inputs, outputs, arguments

    @property
    def outbound_layer(self) -> "Layer":
        return self.layer

    @property
    def input_tensors(self) -> List[Any]:
        """The inputs; that of an input layer is its output."""
        return self.inputs or self.outputs

    @property
    def output_tensors(self) -> List[Any]:
        return self.outputs

    @property
    def input_masks(self) -> List[Any]:
        return [getattr(x, "_keras_mask", None) for x in self.input_tensors]

    @property
    def output_masks(self) -> List[Any]:
        return [getattr(x, "_keras_mask", None) for x in self.outputs]

    @property
    def input_shapes(self) -> List[Any]:
        return [K.int_shape(x) for x in self.input_tensors]

    @property
    def output_shapes(self) -> List[Any]:
        return [K.int_shape(x) for x in self.outputs]

    @property
    def inbound_layers(self) -> List[Any]:
        return [x._keras_history[0] for x in self.inputs if hasattr(x, "_keras_history")]

    @property
    def node_indices(self) -> List[int]:
        return [x._keras_history[1] for x in self.inputs if hasattr(x, "_keras_history")]

    @property
    def tensor_indices(self) -> List[int]:
        return [x._keras_history[2] for x in self.inputs if hasattr(x, "_keras_history")]

    def get_config(self) -> Dict[str, Any]:
        """The names of the layers, and the numbers of their calls and outputs."""
        return {"outbound_layer": self.layer.name, "inbound_layers": [one.name for one in self.inbound_layers],
                "node_indices": self.node_indices, "tensor_indices": self.tensor_indices}  # fmt: skip


class Layer(Configured):
    """A function of tensors with weights: `build` makes them, `call` computes.

    A class with `supports_masking` passes masks on; `call` takes the mask of its inputs where it has an argument of
    that name. `arguments` are those of the constructor that `get_config` gives, and attributes.
    """

    supports_masking = False
    # The begin of the name of a layer that is given none; by default that of its class.
    _kind = ""
    # One InputSpec for the inputs, a list of them, or None for any.
    input_spec: Any = None

    def __init__(self, **kwargs: Any) -> None:
        known = {"input_shape", "batch_input_shape", "batch_size", "dtype", "name", "trainable", "weights",
                 "input_dtype"}  # fmt: skip
        for key in kwargs:
            if key not in known:
                own = inspect.signature(type(self).__init__).parameters
                names = [*argument_names(type(self)), *list(own)[1:], *known]
                raise TypeError(f"Keyword argument not understood: '{key}'{nearest(key, names)}")
        kind = re.sub(r"(?<=.)(?=[A-Z][a-z0-9])|(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()
        kind = self._kind or kind
        self.name: str = kwargs.get("name") or f"{kind}_{K.get_uid(kind)}"
        self.trainable: bool = kwargs.get("trainable", True)
        self.stateful = False
        self.dtype = kwargs.get("dtype") or K.floatx()
        self._initial_weights = kwargs.get("weights")
        if "batch_input_shape" in kwargs:
            self.batch_input_shape = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            self.batch_input_shape = (kwargs.get("batch_size"), *kwargs["input_shape"])
        self._forget_build()

    def _forget_build(self) -> None:
        """As before the first call: without weights and calls."""
        self.built = False
        self._trainable: List[Any] = []
        self._fixed: List[Any] = []
        self._losses: List[Any] = []
        self._updates: List[Any] = []
        self._nodes: List[Node] = []
        # Calls of other layers that take outputs of this one.
        self._outbound_nodes: List[Node] = []
        # The ops of calls that draw.
        self._random_ops: List[Any] = []
        # By losses and updates, the inputs that they are for.
        self._made_of: Dict[int, List[int]] = {}

    # Methods that subclasses define

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """Computes the outputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def reset_states(self) -> None:
        """Sets the state of a stateful layer to zeros."""

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the outputs' steps; None is all. Raises TypeError for a mask that the layer does not
        take."""
        if self.supports_masking:
            return mask
        if any(m is not None for m in to_list(mask)):
            raise about("Layer", TypeError(f"{self.name} does not support masking, but was passed "
                                           f"an input_mask: {mask}"), " ")  # fmt: skip
        return None

    # Methods that subclasses call

    @_legacy.legacy_add_weight_support
    def add_weight(
        self, name: Any = None, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
        trainable: bool = True, constraint: Any = None,
    ) -> Any:  # fmt: skip
        """A new weight. Its name is in the current scope: that of the layer's call, which builds it."""
        start = initializers.get(initializer or "glorot_uniform")
        take_elements(f"a weight of layer '{self.name}'", tuple(shape))
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
        self._losses += self._noted(losses, inputs)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        self._updates += self._noted(updates, inputs)

    def _noted(self, made: Any, inputs: Any) -> List[Any]:
        """Keeps which inputs losses or updates were added for."""
        listed = to_list(made)
        if inputs is not None:
            self._made_of.update({id(x): _ids(inputs) for x in listed})
        return listed

    # Calls

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        self._check_arguments(kwargs)
        if _traced_calls.is_traced(inputs):
            return _traced_calls.call(self, inputs, kwargs)
        given = [as_tensor(x) if isinstance(x, Variable) else x for x in to_list(inputs)]
        for x in given:
            if not K.is_keras_tensor(x) and not isinstance(x, (Tensor, SparseTensor)):
                raise about("Layer", ValueError(f"{self.name} was called with an input that isn't a symbolic tensor: "
                                                f"{x!r}"), " ")  # fmt: skip
        shapes = [K.int_shape(x) for x in given]
        self.assert_input_compatibility(given)
        masks = [getattr(x, "_keras_mask", None) for x in given]
        mask = kwargs.get("mask", None if all(m is None for m in masks) else one_or_list(masks))
        more = {} if mask is None or "mask" in kwargs or not self._takes_mask() else {"mask": mask}
        own: Any = given if isinstance(inputs, (list, tuple)) else given[0]
        # One scope for the weights and the call.
        with get_default_graph().name_scope(self.name):
            if not self.built:
                self._build_once(one_or_list(shapes))
                # Programs say what inputs have when they know it.
                self.assert_input_compatibility(given)
            with get_default_graph().recorded() as ops:
                made = to_list(self.call(own, **kwargs, **more))
            self._random_ops += [op for op in ops if op.fields.is_random]
            outputs = [K.identity(y) if any(y is x for x in given) or not isinstance(y, (Tensor, SparseTensor)) else y
                       for y in made]  # fmt: skip
            found_masks = to_list(self.compute_mask(own, mask))
        found = self.compute_output_shape(one_or_list(shapes))
        listed = list(found) if isinstance(found, list) else [found]
        node = Node(self, given, outputs, kwargs)
        in_phase = any(getattr(x, "_uses_learning_phase", False) for x in given) or any(
            op.fields.is_learning_phase for op in ops)  # fmt: skip
        for i, (y, shape) in enumerate(zip(outputs, listed)):
            y._keras_shape = y.static_shape if self._knows_shape(y, shape) else tuple(shape)
            y._keras_history = (self, len(self._nodes), i)
            y._uses_learning_phase = in_phase
            y._keras_mask = found_masks[i] if i < len(found_masks) else None
        self._nodes.append(node)
        for one in node.inbound_layers:
            one._outbound_nodes.append(node)
        return one_or_list(outputs)

    def assert_input_compatibility(self, inputs: Any) -> None:
        """Raises ValueError for inputs that do not fit `input_spec`."""
        if self.input_spec:
            check_inputs(self.name, to_list(self.input_spec), to_list(inputs))

    def _build_once(self, shapes: Any) -> None:
        self.build(shapes)
        self.built = True
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _check_arguments(self, given: Dict[str, Any]) -> None:
        """Raises TypeError for an argument of a call that a layer of this package does not have. Any layer may be told
        whether it trains, and its mask; one of a user's says itself what it takes."""
        known = {"mask", "training", *inspect.signature(self.call).parameters}
        unknown = [key for key in given if key not in known]
        if unknown and type(self).call.__module__.startswith(Configured.__module__.rpartition(".")[0]):
            raise TypeError(f"call() of layer {self.name} got an unexpected keyword argument '{unknown[0]}'")

    def _takes_mask(self) -> bool:
        return "mask" in inspect.signature(self.call).parameters

    def _knows_shape(self, y: Any, declared: Any) -> bool:
        """Returns true if the shape of a result is its own, and not the one that the layer declares: a class which
        declares none would have that of its input."""
        if y.static_shape is None or None in y.static_shape[1:]:
            return False
        declares = type(self).compute_output_shape is not Layer.compute_output_shape
        return not declares or len(declared) == len(y.static_shape)

    # Methods that networks call

    @property
    def _inbound_nodes(self) -> List[Node]:
        return self._nodes

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
        return list(self._updates) if self.trainable or self.stateful else []

    def _named_weights(self) -> List[Tuple[str, Any]]:
        """Returns the weights, under distinct names."""
        return [(w.op_name.rsplit("/", 1)[-1], w) for w in self.weights]

    def _ordered_weights(self) -> List[Any]:
        """Returns the weights in the order of `get_weights`."""
        return self.weights

    def get_weights(self) -> List[Any]:
        """The values of the weights."""
        return K.batch_get_value(self._ordered_weights())

    def set_weights(self, weights: Any) -> None:
        """Sets the weights, in the order of `get_weights`."""
        own = self._ordered_weights()
        if len(own) != len(weights):
            raise ValueError(f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                             f"{len(weights)}, but the layer was expecting {len(own)} weights.")  # fmt: skip
        for v, value in zip(own, weights):
            if K.int_shape(v) != np.shape(value):
                raise about("Layer", ValueError(f"weight shape {K.int_shape(v)} not compatible with provided weight "
                                                f"shape {np.shape(value)}"), " ")  # fmt: skip
        K.batch_set_value(list(zip(own, weights)))

    def count_params(self) -> int:
        return sum(K.count_params(v) for v in self.weights)

    @property
    def input(self) -> Any:
        return one_or_list(self._node("input").input_tensors)

    @property
    def output(self) -> Any:
        return one_or_list(self._node("output").outputs)

    @property
    def input_shape(self) -> Any:
        return self._common_shape("input shape", [node.input_tensors for node in self._nodes])

    @property
    def output_shape(self) -> Any:
        return self._common_shape("output shape", [node.outputs for node in self._nodes])

    def _common_shape(self, what: str, calls: List[List[Any]]) -> Any:
        """Returns the shape that the tensors of all calls have. Raises AttributeError if there are several."""
        shapes = [[K.int_shape(x) for x in tensors] for tensors in calls]
        if not shapes or any(one != shapes[0] for one in shapes):
            node = self._node(what)
            shapes = [[K.int_shape(x) for x in (node.input_tensors if what == "input shape" else node.outputs)]]
        return one_or_list(shapes[0])

    @property
    def input_mask(self) -> Any:
        return _masks(self._node("input mask").input_tensors)

    @property
    def output_mask(self) -> Any:
        return _masks(self._node("output mask").outputs)

    def _node(self, what: str) -> Node:
        """The only call of the layer. Raises AttributeError if there is none, or if there are several."""
        if not self._nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        if len(self._nodes) > 1:
            getter = f"get_{what.replace(' ', '_')}_at"
            raise AttributeError(f'Layer {self.name} has multiple inbound nodes, hence the notion of "layer {what}" is '
                                 f"ill-defined. Use `{getter}(node_index)` instead.")  # fmt: skip
        return self._nodes[0]

    def _node_at(self, node_index: int, what: str) -> Node:
        """A call by its number. Raises RuntimeError for a layer without calls, and ValueError for a number that no call
        has."""
        if not self._nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if not node_index < len(self._nodes):
            raise ValueError(f"Asked to get {what} at node {node_index}, but the layer has only {len(self._nodes)} "
                             "inbound nodes.")  # fmt: skip
        return self._nodes[node_index]

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of a call of the layer."""
        return one_or_list(self._node_at(node_index, "input").input_tensors)

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of a call of the layer."""
        return one_or_list(self._node_at(node_index, "output").outputs)

    def get_input_shape_at(self, node_index: int) -> Any:
        return one_or_list([K.int_shape(x) for x in self._node_at(node_index, "input shape").input_tensors])

    def get_output_shape_at(self, node_index: int) -> Any:
        return one_or_list([K.int_shape(x) for x in self._node_at(node_index, "output shape").outputs])

    def get_input_mask_at(self, node_index: int) -> Any:
        return _masks(self._node_at(node_index, "input mask").input_tensors)

    def get_output_mask_at(self, node_index: int) -> Any:
        return _masks(self._node_at(node_index, "output mask").outputs)

    def get_updates_for(self, inputs: Any) -> List[Any]:
        """The updates that depend on these inputs; of None, those that depend on none."""
        return self._for(inputs, self._updates)

    def get_losses_for(self, inputs: Any) -> List[Any]:
        """The losses that depend on these inputs; of None, those that depend on none."""
        return self._for(inputs, self._losses)

    def _for(self, inputs: Any, made: List[Any]) -> List[Any]:
        wanted = None if inputs is None else _ids(inputs)
        return [x for x in made if self._made_of.get(id(x)) == wanted]

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer."""
        config: Dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "batch_input_shape"):
            config["batch_input_shape"] = list(self.batch_input_shape)
            config["dtype"] = self.dtype
        return {**config, **super().get_config()}


def _masks(tensors: List[Any]) -> Any:
    return one_or_list([getattr(x, "_keras_mask", None) for x in tensors])


class InputLayer(Layer):
    """A layer that is an input of a network."""

    supports_masking = True
    _kind = "input"

    def __init__(
        self, input_shape: Any = None, batch_size: Any = None, batch_input_shape: Any = None, dtype: Any = None,
        input_tensor: Any = None, sparse: bool = False, name: Optional[str] = None,
    ):  # fmt: skip
        self.sparse = sparse
        if batch_input_shape is None:
            if input_shape is None and input_tensor is None:
                raise ValueError("An Input layer should be passed either a `batch_input_shape` or an `input_shape`.")
            batch_input_shape = K.int_shape(input_tensor) if input_shape is None else (batch_size, *input_shape)
        super().__init__(name=name, dtype=dtype, batch_input_shape=batch_input_shape)
        self.built = True
        shape = self.batch_input_shape
        if input_tensor is None:
            x = K.placeholder(shape, dtype=self.dtype, sparse=sparse, name=self.name)
        else:
            x = input_tensor if K.is_sparse(input_tensor) else as_tensor(input_tensor)
        if hasattr(x, "_keras_history"):
            # That of a variable, or of a layer, which other models have too.
            x = K.identity(x)
        x._keras_shape = shape
        x._keras_history = (self, 0, 0)
        self._nodes.append(Node(self, [], [x], {}))

    def get_config(self) -> Dict[str, Any]:
        return {"batch_input_shape": list(self.batch_input_shape), "dtype": self.dtype, "sparse": self.sparse,
                "name": self.name}  # fmt: skip


def Input(  # noqa: N802
    shape: Any = None, batch_shape: Any = None, name: Optional[str] = None, dtype: Any = None, sparse: bool = False,
    tensor: Any = None,
) -> Any:  # fmt: skip
    """A tensor that a model is fed; `shape` is without the batch."""
    if batch_shape is None:
        if shape is None:
            if tensor is None:
                raise ValueError("Please provide to Input either a `shape` or a `batch_shape` argument.")
            batch_shape = K.int_shape(tensor)
        else:
            batch_shape = (None, *shape)
    made = InputLayer(batch_input_shape=batch_shape, dtype=dtype, input_tensor=tensor, sparse=sparse,
                      name=name or None)  # fmt: skip
    return made.output


def node_of(x: Any) -> Node:
    """The call that gave a tensor."""
    layer, index, _ = x._keras_history
    found: Node = layer._nodes[index]
    return found
