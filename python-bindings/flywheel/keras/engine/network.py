# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks: layers between inputs and outputs."""

import json
import warnings
from typing import Any, Dict, List, Optional, Set, Tuple

import numpy as np

from ..._flywheel import Store as RuntimeStore
from ...v1.conversion import as_tensor
from ...v1.emission import ancestors
from ...v1.operation import Operation
from ...v1.train.saver import load_checkpoint
from .. import _hdf5, _summary
from .. import backend as K
from .._serialization import plain
from ._depths import by_depth
from .topology import Layer, Node, node_of, one_or_list, to_list

# The key of the metadata that list the keys of weights in order.
WEIGHT_NAMES = "weight_names"


class Network(Layer):
    """Layers between inputs and outputs."""

    def _init_graph(self, inputs: Any, outputs: Any, name: Optional[str] = None) -> None:
        Layer.__init__(self, name=name)
        self._connect(to_list(inputs), to_list(outputs))

    def _connect(self, inputs: List[Any], outputs: List[Any]) -> None:
        for what, given in (("Input", inputs), ("Output", outputs)):
            for x in given:
                if not K.is_tensor(x):
                    raise TypeError(f"{what} tensors to a Model must be Keras tensors. Found: {x!r}")
        if len({id(x) for x in inputs}) < len(inputs):
            raise ValueError("The list of inputs passed to the model is redundant. All inputs should only appear once. "
                             f"Found: {inputs}")  # fmt: skip
        self.inputs, self.outputs = inputs, outputs
        self.built = True
        self._order: List[Node] = []
        seen: Dict[int, bool] = {}
        found: List[Layer] = []
        for y in outputs:
            self._visit(y, seen, found)
        self.layers: List[Layer]
        self.layers_by_depth, self.layers = by_depth(self._order, [node_of(x) for x in inputs], found)
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f'The name "{name}" is used {names.count(name)} times in the model. All layer names '
                                 "should be unique.")  # fmt: skip
        self._made_masks = [getattr(y, "_keras_mask", None) for y in outputs]
        self.input_names = [node_of(x).layer.name for x in inputs]
        self.output_names = _unique([node_of(y).layer.name for y in outputs])

    def _node(self, what: str) -> Node:
        return Node(self, self.inputs, self.outputs, {})

    def _visit(self, y: Any, seen: Dict[int, bool], found: List[Layer]) -> None:
        """Adds the calls that `y` is computed by to `_order`, and their layers to `found`, the last first."""
        stack: List[Tuple[Any, bool]] = [(y, False)]
        while stack:
            x, done = stack.pop()
            if not hasattr(x, "_keras_history"):
                if x is not y and self._is_beside_layers(x):
                    # A variable, a constant, or zeros of the size of an input, which a layer takes.
                    continue
                raise ValueError("Output tensors to a Model must be the output of a Keras `Layer` (thus holding past "
                                 f"layer metadata). Found: {x}")  # fmt: skip
            node = node_of(x)
            if done:
                if id(node) not in seen:
                    seen[id(node)] = True
                    self._order.append(node)
                continue
            if id(node) in seen:
                continue
            if all(node.layer is not layer for layer in found):
                found.append(node.layer)
            if any(x is z for z in self.inputs):
                continue
            if not node.inputs:
                raise RuntimeError(f"Graph disconnected: cannot obtain value for tensor {x} at layer "
                                   f'"{node.layer.name}".')  # fmt: skip
            stack.append((x, True))
            stack += [(z, False) for z in reversed(node.inputs)]

    def _fed_ops(self) -> Set[Operation]:
        """Returns the ops of the inputs: a sparse one has three."""
        return {part.op for x in self.inputs for part in (x.parts if K.is_sparse(x) else [x])}

    def _is_beside_layers(self, x: Any) -> bool:
        """Returns true if a tensor that no layer made depends on no layer either, but for the inputs of the model: it
        has no weights that the model would lose."""
        fed = self._fed_ops()
        others = [op for op in ancestors([x.op], fed) if op not in fed]
        return not any(op.type == "Placeholder" or any(hasattr(z, "_keras_history") for z in op.outputs)
                       for op in others)  # fmt: skip

    def _again(self, x: Any, inputs: List[Any]) -> Any:
        """Returns a tensor that no layer made for a call on other inputs. Raises ValueError for one that is computed
        from the model's own."""
        fed = self._fed_ops()
        has_others = any(given is not own for given, own in zip(inputs, self.inputs))
        if has_others and not fed.isdisjoint(ancestors([x.op])):
            raise ValueError(f"the model '{self.name}' cannot be called on other inputs: {x} is computed from its own "
                             "input, outside of a layer; compute it in a Lambda layer")  # fmt: skip
        return x

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The layers again, on other tensors."""
        known = {id(x): y for x, y in zip(self.inputs, to_list(inputs))}
        for x, y in zip(self.inputs, to_list(inputs)):
            if not hasattr(y, "_keras_shape"):
                y._keras_shape = K.int_shape(x)
        for node in self._order:
            args = [known[id(x)] if id(x) in known else self._again(x, to_list(inputs)) for x in node.inputs]
            made = to_list(node.layer(one_or_list(args), **node.arguments))
            known.update({id(x): y for x, y in zip(node.outputs, made)})
        made = [known[id(y)] for y in self.outputs]
        self._made_masks = [getattr(y, "_keras_mask", None) for y in made]
        return one_or_list(made)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the masks of the outputs, of the last call or of the network itself."""
        return one_or_list(self._made_masks)

    @property
    def input_layers(self) -> List[Layer]:
        return [node_of(x).layer for x in self.inputs]

    @property
    def output_layers(self) -> List[Layer]:
        return [node_of(y).layer for y in self.outputs]

    @property
    def input_layers_node_indices(self) -> List[int]:
        return [x._keras_history[1] for x in self.inputs]

    @property
    def input_layers_tensor_indices(self) -> List[int]:
        return [x._keras_history[2] for x in self.inputs]

    @property
    def output_layers_node_indices(self) -> List[int]:
        return [y._keras_history[1] for y in self.outputs]

    @property
    def output_layers_tensor_indices(self) -> List[int]:
        return [y._keras_history[2] for y in self.outputs]

    def compute_output_shape(self, input_shape: Any) -> Any:
        given = [tuple(s) for s in (input_shape if isinstance(input_shape, list) else [input_shape])]
        if given == [K.int_shape(x) for x in self.inputs]:
            return one_or_list([K.int_shape(y) for y in self.outputs])
        if len(given) != len(self.inputs):
            raise ValueError(f"Invalid input_shape argument {input_shape}: model has {len(self.inputs)} tensor inputs.")
        known = {id(x): shape for x, shape in zip(self.inputs, given)}
        for node in self._order:
            made = node.layer.compute_output_shape(
                one_or_list([known.get(id(x), K.int_shape(x)) for x in node.inputs]))
            known.update(zip(map(id, node.outputs), made if isinstance(made, list) else [made]))
        return one_or_list([tuple(known[id(y)]) for y in self.outputs])

    @property
    def trainable_weights(self) -> List[Any]:
        return [w for layer in self.layers for w in layer.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        fixed = [w for layer in self.layers for w in layer.non_trainable_weights]
        return fixed if self.trainable else [*[w for layer in self.layers for w in layer.trainable_weights], *fixed]

    @property
    def weights(self) -> List[Any]:
        """The weights that are trained, and then the others: `get_weights` has another order, that of the layers."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    def _ordered_weights(self) -> List[Any]:
        return [w for layer in self.layers for w in layer.weights]

    @property
    def losses(self) -> List[Any]:
        """The losses of layers in this network, and those that were added to it."""
        return [*self._own([x for layer in self._leaves() for x in layer.losses]), *self._losses]

    @property
    def updates(self) -> List[Any]:
        """The updates of layers in this network: a layer may have other calls."""
        if not self.trainable and not self.stateful:
            return []
        return self._own([*[x for layer in self._leaves() for x in layer.updates], *self._updates])

    def _own(self, made: List[Any]) -> List[Any]:
        """Returns the tensors that depend on inputs of this model alone: a layer may have other calls."""
        fed = self._fed_ops()
        found = []
        for x in made:
            op = x if isinstance(x, Operation) else as_tensor(x).op
            if not any(o.type == "Placeholder" and o not in fed for o in ancestors([op], fed)):
                found.append(x)
        return found

    @property
    def stateful(self) -> bool:
        """Returns true if a layer keeps its state from batch to batch."""
        return any(layer.stateful for layer in self.layers)

    @stateful.setter
    def stateful(self, value: bool) -> None:
        pass

    @property
    def state_updates(self) -> List[Any]:
        """Returns the updates of states, which tests and predictions run, too."""
        return [x for layer in self._leaves() if layer.stateful for x in layer.updates]

    def reset_states(self) -> None:
        """Sets the states of all layers to zeros."""
        for layer in self._leaves():
            if layer.stateful:
                layer.reset_states()

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

    def summary(self, line_length: Optional[int] = None, positions: Any = None, print_fn: Any = print) -> None:
        """Prints layers, shapes of their outputs and how many parameters they have."""
        self._check_trainable_weights_consistency()
        _summary.show(self, line_length, positions, print_fn)

    def _check_trainable_weights_consistency(self) -> None:
        """Warns if a compiled model has other trainable weights than `compile` took."""

    # Configurations

    def get_config(self) -> Dict[str, Any]:
        """The layers, and what each call of one of them takes."""
        kept = {id(node) for node in [*[node_of(x) for x in self.inputs], *self._order]}
        # The calls of a layer in this network are counted apart.
        numbers: Dict[int, int] = {}
        listed = []
        for layer in self.layers:
            own = [node for node in layer._nodes if id(node) in kept]
            numbers.update({id(node): i for i, node in enumerate(own, _first_call(layer))})
            listed.append((layer, own))

        def place(x: Any) -> List[Any]:
            if not hasattr(x, "_keras_history"):
                raise ValueError(f"'{x.name}', which a layer takes, is not the output of a layer: the network has no "
                                 "configuration")  # fmt: skip
            node = node_of(x)
            return [node.layer.name, numbers[id(node)], x._keras_history[2]]

        layers = [{"name": layer.name, **plain(layer),
                   "inbound_nodes": [[[*place(x), plain(node.arguments)] for x in node.inputs] for node in own
                                     if node.inputs]} for layer, own in listed]  # fmt: skip
        return {"name": self.name, "layers": layers, "input_layers": [place(x) for x in self.inputs],
                "output_layers": [place(y) for y in self.outputs], **self._frozen_config()}  # fmt: skip

    def _frozen_config(self) -> Dict[str, Any]:
        """Returns an entry that the configuration of a frozen network has, which Keras 2.1 leaves out."""
        return {} if self.trainable else {"trainable": False}

    @classmethod
    def from_config(cls, config: Dict[str, Any], custom_objects: Any = None) -> Any:
        """The network of what `get_config` gave, with weights of its own."""
        from ..layers import deserialize

        made: Dict[str, Layer] = {}
        left: List[Tuple[Layer, Any]] = []
        for data in config["layers"]:
            layer = deserialize(data, custom_objects)
            made[data["name"]] = layer
            left += [(layer, call) for call in data["inbound_nodes"]]

        def tensor(place: Any) -> Any:
            node = made[place[0]]._nodes[place[1] - _first_call(made[place[0]])]
            return node.outputs[place[2]]

        while left:
            waiting: List[Tuple[Layer, Any]] = []
            for layer, call in left:
                # The calls of a layer are in their order.
                ready = all(name in made and 0 <= number - _first_call(made[name]) < len(made[name]._nodes)
                            for name, number, *_ in call)  # fmt: skip
                if not ready or any(layer is other for other, _ in waiting):
                    waiting.append((layer, call))
                    continue
                inputs = [tensor(place) for place in call]
                layer(one_or_list(inputs), **(call[0][3] if len(call[0]) > 3 else {}))
            if len(waiting) == len(left):
                raise ValueError(f"the calls of {sorted({layer.name for layer, _ in left})} take tensors that no layer "
                                 "gives")  # fmt: skip
            left = waiting
        network = cls(inputs=[tensor(p) for p in config["input_layers"]],
                      outputs=[tensor(p) for p in config["output_layers"]], name=config.get("name"))  # fmt: skip
        network.trainable = config.get("trainable", True)
        return network

    def to_json(self, **kwargs: Any) -> str:
        """The architecture, without weights; `kwargs` are those of `json.dumps`."""
        whole = {**plain(self), "keras_version": _hdf5.VERSION, "backend": K.backend()}
        return json.dumps(whole, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """As `to_json`, in YAML; `kwargs` are those of `yaml.dump`. Needs PyYAML."""
        from ..saving import yaml

        made: str = yaml().dump(json.loads(self.to_json()), **kwargs)
        return made

    # Weights on disk

    def _named_weights(self) -> List[Tuple[str, Any]]:
        return [(f"{layer.name}/{name}", w) for layer in self._leaves() for name, w in layer._named_weights()]

    def _keys(self) -> Dict[str, str]:
        keys: Dict[str, str] = {}
        for key, w in self._named_weights():
            if key in keys:
                raise ValueError(f"two weights have the name '{key}'")
            keys[key] = w.op_name
        return keys

    def _leaves(self) -> List[Layer]:
        found: List[Layer] = []
        for layer in self.layers:
            own = layer._leaves() if isinstance(layer, Network) else [layer]
            # Networks may share a layer.
            found += [one for one in own if all(one is not other for other in found)]
        return found

    def save(self, filepath: str, overwrite: bool = True, include_optimizer: bool = True) -> None:
        """Writes the whole model: see `flywheel.keras.models.save_model`."""
        from ..saving import save_model

        save_model(self, filepath, overwrite, include_optimizer)

    def save_weights(self, filepath: str, overwrite: bool = True) -> None:
        """Writes the weights under the names of layers, to a checkpoint (safetensors), or as HDF5 where `save` does."""
        from ..saving import expect_new

        expect_new(filepath, overwrite)
        if _hdf5.is_written(filepath):
            with _hdf5.written(filepath) as file:
                _hdf5.save_weights_to_hdf5_group(file, self.layers)
            return
        keys = self._keys()
        RuntimeStore.save(K.get_session().store, filepath, keys, metadata={WEIGHT_NAMES: json.dumps(list(keys))})

    def _load_in_order(self, filepath: str, reshape: bool) -> None:
        """Reads weights by their keys, or, if the file has others, one after another. With `reshape` those with as many
        elements are read in another shape."""
        from ..saving import read_weight_names

        keys = self._keys()
        names = read_weight_names(filepath)
        if not reshape and (names is None or set(names) == set(keys)):
            RuntimeStore.restore(K.get_session().store, filepath, keys)
            self._go_on_from_values()
            return
        names = list(keys) if names is None or set(names) == set(keys) else names
        if len(names) != len(keys):
            raise ValueError(f"You are trying to load a weight file containing {len(names)} weights into a model with "
                             f"{len(keys)} weights: '{filepath}'")  # fmt: skip
        pairs = dict(zip(names, keys.values()))
        reader = load_checkpoint(filepath)
        own = {w.op_name: w for _, w in self._named_weights()}
        changed = {key: name for key, name in pairs.items()
                   if reshape and tuple(reader.get_variable_to_shape_map()[key]) != K.int_shape(own[name])}  # fmt: skip
        for key, name in changed.items():
            value = np.asarray(reader.get_tensor(key))
            if value.size != K.count_params(own[name]):
                raise ValueError(f"weight '{name}' has the shape {K.int_shape(own[name])}, but the one of '{filepath}' "
                                 f"has {value.shape}")  # fmt: skip
        RuntimeStore.restore(K.get_session().store, filepath,
                             {key: name for key, name in pairs.items() if key not in changed})  # fmt: skip
        self._go_on_from_values()
        K.batch_set_value([(own[name], np.asarray(reader.get_tensor(key)).reshape(K.int_shape(own[name])))
                           for key, name in changed.items()])  # fmt: skip

    def _go_on_from_values(self) -> None:
        """Has averages go on from weights that were read from a file."""
        for _, w in self._named_weights():
            w._go_on_from_value(K.get_session())

    def load_weights(
        self, filepath: str, by_name: bool = False, skip_mismatch: bool = False, reshape: bool = False
    ) -> None:
        """Reads what `save_weights` of such a model wrote. With `by_name`, those layers whose names the file has; then
        `skip_mismatch` leaves layers whose weights have other shapes as they are, with a warning. `reshape` reads
        weights with as many elements in another shape. Reads HDF5, too, of Keras 1 and 2, if h5py is installed. Raises
        ValueError for another number or shape of weights."""
        if skip_mismatch and not by_name:
            raise ValueError("skip_mismatch of load_weights needs by_name=True")
        if _hdf5.is_read(filepath):
            with _hdf5.read(filepath) as file:
                group = _hdf5.weights_of(file)
                if by_name:
                    _hdf5.load_weights_from_hdf5_group_by_name(group, self.layers, skip_mismatch, reshape)
                else:
                    _hdf5.load_weights_from_hdf5_group(group, self.layers, reshape)
            return
        if not by_name:
            self._load_in_order(filepath, reshape)
            return
        reader = load_checkpoint(filepath)
        known = reader.get_variable_to_shape_map()
        loaded: List[Tuple[Any, Any]] = []
        for layer in self._leaves():
            wanted = [(f"{layer.name}/{name}", w) for name, w in layer._named_weights()]
            found = [key for key in known if key.startswith(f"{layer.name}/")]
            if not found or not wanted:
                continue
            pairs = [(w, np.asarray(reader.get_tensor(key))) for key, w in wanted if key in known]
            problem = None if len(pairs) == len(wanted) == len(found) else (
                f"Layer '{layer.name}' expects {len(wanted)} weight(s), but '{filepath}' has {len(found)}")  # fmt: skip
            for i, (w, value) in enumerate(pairs):
                if reshape and value.size == K.count_params(w):
                    pairs[i] = (w, value.reshape(K.int_shape(w)))
                elif problem is None and value.shape != K.int_shape(w):
                    problem = (f"Layer '{layer.name}': weight '{w.op_name}' has the shape {K.int_shape(w)}, but the "
                               f"one of '{filepath}' has {value.shape}")  # fmt: skip
            if problem is None:
                loaded += pairs
            elif skip_mismatch:
                warnings.warn(f"Skipping loading of weights. {problem}", stacklevel=2)
            else:
                raise ValueError(problem)
        K.batch_set_value(loaded)


def get_source_inputs(tensor: Any, layer: Any = None, node_index: Any = None) -> List[Any]:
    """Returns the inputs that a tensor is computed from, each once. `layer` and `node_index` have no effect: they
    are those of the tensor."""
    if not hasattr(tensor, "_keras_history"):
        return [tensor]
    found: List[Any] = []
    seen = set()
    stack = [tensor]
    while stack:
        x = stack.pop()
        node = node_of(x)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not node.inputs:
            found.append(x)
        stack += reversed(node.inputs)
    return found


def _first_call(layer: Layer) -> int:
    """Returns the number of a layer's first call in a configuration: Keras counts the making of a network as one."""
    return 1 if isinstance(layer, Network) else 0


def _unique(names: List[str]) -> List[str]:
    return [n if names.count(n) == 1 else f"{n}_{names[: i + 1].count(n)}" for i, n in enumerate(names)]
