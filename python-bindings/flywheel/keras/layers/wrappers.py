# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers around layers."""

from typing import Any, Dict, List, Tuple

from ... import _ops
from ..._errors.messages import about
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .._serialization import plain
from ..engine.topology import Layer, one_or_list, to_list


class Wrapper(Layer):
    """A layer around another one, whose weights it has."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"expected a layer, found {layer!r}")
        super().__init__(**kwargs)
        self.layer = layer

    def _inner(self) -> List[Tuple[str, Any]]:
        """Returns the layers inside, with prefixes that distinguish their weights."""
        return [("", self.layer)]

    @property
    def trainable_weights(self) -> List[Any]:
        return [w for _, layer in self._inner() for w in layer.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        fixed = [w for _, layer in self._inner() for w in layer.non_trainable_weights]
        return fixed if self.trainable else [
            *[w for _, layer in self._inner() for w in layer.trainable_weights], *fixed]  # fmt: skip

    @property
    def weights(self) -> List[Any]:
        return [w for _, layer in self._inner() for w in layer.weights]

    @property
    def losses(self) -> List[Any]:
        return [*[x for _, layer in self._inner() for x in layer.losses], *self._losses]

    @property
    def updates(self) -> List[Any]:
        own = [*[x for _, layer in self._inner() for x in layer.updates], *self._updates]
        return own if self.trainable or self.stateful else []

    def get_losses_for(self, inputs: Any) -> List[Any]:
        return [*[x for _, layer in self._inner() for x in layer.get_losses_for(inputs)],
                *super().get_losses_for(inputs)]  # fmt: skip

    def get_updates_for(self, inputs: Any) -> List[Any]:
        return [*[x for _, layer in self._inner() for x in layer.get_updates_for(inputs)],
                *super().get_updates_for(inputs)]  # fmt: skip

    def _named_weights(self) -> List[Tuple[str, Any]]:
        return [(prefix + name, w) for prefix, layer in self._inner() for name, w in layer._named_weights()]

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "layer": plain(self.layer)}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        from . import deserialize

        return cls(**{**config, "layer": deserialize(config["layer"])})


class TimeDistributed(Wrapper):
    """A layer at each step of time: [batch, time, ...]."""

    supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not self.layer.built:
            self.layer.build((input_shape[0], *input_shape[2:]))
            self.layer.built = True
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = as_tensor(inputs)
        shape = K.int_shape(x)
        if None in shape[2:]:
            raise about("TimeDistributed", ValueError(f"takes features of known sizes, found shape {shape}"), " ")
        # All steps of all examples as one batch.
        flat = make("Reshape", lambda y: _ops.reshape(y, [-1, *shape[2:]]), x, types=[(x.dtype, (None, *shape[2:]))])
        flat._keras_shape = (None, *shape[2:])
        y = self.layer.call(flat, **kwargs)
        sizes = K.int_shape(y)[1:] if y.static_shape is not None and None not in y.static_shape[1:] else (
            self.layer.compute_output_shape((None, *shape[2:]))[1:])  # fmt: skip
        return make("Reshape", lambda z, like: _ops.reshape(z, [_ops.dim(like, 0), _ops.dim(like, 1), *sizes]), y, x,
                    types=[(y.dtype, (*shape[:2], *sizes))])  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        inner = self.layer.compute_output_shape((input_shape[0], *input_shape[2:]))
        return (*input_shape[:2], *inner[1:])


class Bidirectional(Wrapper):
    """A recurrent layer forwards, and another one backwards; `merge_mode` says what becomes of the two outputs:
    "concat", "sum", "mul", "ave", or None for both."""

    supports_masking = True
    arguments = ("merge_mode",)

    def __init__(self, layer: Any, merge_mode: Any = "concat", weights: Any = None, **kwargs: Any) -> None:
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError("Invalid merge mode. Merge mode should be one of {'sum', 'mul', 'ave', 'concat', None}")
        if hasattr(layer, "batch_input_shape") and not {"batch_input_shape", "input_shape"} & {*kwargs}:
            kwargs["batch_input_shape"] = layer.batch_input_shape
        super().__init__(layer, **kwargs)
        self.return_state = bool(getattr(layer, "return_state", False))
        # The number of inputs at the end that are constants.
        self._constants = 0
        self.merge_mode = merge_mode
        config = layer.get_config()
        made = []
        for prefix, backwards in (("forward_", layer.go_backwards), ("backward_", not layer.go_backwards)):
            own = {**config, "name": prefix + layer.name, "go_backwards": backwards}
            own.pop("batch_input_shape", None)
            made.append(type(layer).from_config(own))
        self.forward_layer, self.backward_layer = made
        self.stateful, self.return_sequences = layer.stateful, layer.return_sequences
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights, self.backward_layer._initial_weights = weights[:half], weights[half:]

    def _inner(self) -> List[Tuple[str, Any]]:
        return [("forward_", self.forward_layer), ("backward_", self.backward_layer)]

    def build(self, input_shape: Any) -> None:
        # They are built by their calls, which give them their first weights.
        self.built = True

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        if constants is not None:
            self._constants = len(to_list(constants))
        given = [*to_list(inputs), *([] if initial_state is None else to_list(initial_state)),
                 *([] if constants is None else to_list(constants))]  # fmt: skip
        return super().__call__(one_or_list(given), **kwargs)

    def call(self, inputs: Any, mask: Any = None, training: Any = None, **kwargs: Any) -> Any:
        x, *more = to_list(inputs)
        states, constants = more[: len(more) - self._constants], more[len(more) - self._constants :]
        if len(states) % 2:
            raise ValueError("When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                             "containing the states of the underlying RNNs, an even number of them. Found: "
                             f"{len(states)}")  # fmt: skip
        given: Dict[str, Any] = {"mask": mask[0] if isinstance(mask, list) else mask, "training": training}
        given = {key: value for key, value in given.items() if value is not None}
        given = {**given, **({"constants": constants} if constants else {})}
        half = len(states) // 2
        y, z = (layer(x, **({"initial_state": own} if own else {}), **given) for layer, own in
                ((self.forward_layer, states[:half]), (self.backward_layer, states[half:])))  # fmt: skip
        (y, *first), (z, *second) = to_list(y), to_list(z)
        if self.return_sequences:
            z = make("Reverse", _turned, as_tensor(z))
        merged = self._merged(y, z)
        return [*to_list(merged), *first, *second] if self.return_state else merged

    def _merged(self, y: Any, z: Any) -> Any:
        if self.merge_mode == "concat":
            return K.concatenate([y, z])
        if self.merge_mode == "mul":
            return y * z
        if self.merge_mode is None:
            return [y, z]
        return (y + z) / 2.0 if self.merge_mode == "ave" else y + z

    def compute_output_shape(self, input_shape: Any) -> Any:
        made = self.layer.compute_output_shape(input_shape)
        shape, *states = made if isinstance(made, list) else [made]
        if self.merge_mode == "concat":
            shape = (*shape[:-1], 2 * shape[-1])
        outputs = [shape, shape] if self.merge_mode is None else [shape]
        return [*outputs, *states, *states] if self.return_state else one_or_list(outputs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        mask = mask[0] if isinstance(mask, list) else mask
        own = mask if self.return_sequences else None
        outputs = [own, own] if self.merge_mode is None else [own]
        if self.return_state:
            made = self.layer.compute_mask(inputs, mask)
            outputs += [None] * (2 * (len(made) - 1))
        return one_or_list(outputs)

    def get_config(self) -> Dict[str, Any]:
        config = super().get_config()
        return {**config, "num_constants": self._constants} if self._constants else config

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        own = dict(config)
        constants = own.pop("num_constants", 0)
        layer = super().from_config(own)
        layer._constants = layer.forward_layer._constants = layer.backward_layer._constants = constants
        return layer

    def reset_states(self) -> None:
        """Sets the states of both layers to zeros."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()


def _turned(x: Any) -> Any:
    """Reverses a tensor along time, of any length."""
    count = _ops.dim(x, 1)
    steps = _ops.cumsum(_ops.ones([count], "int32"), 0)
    return _ops.take(x, _ops.subtract(_ops.cast(count, "int32"), steps), 1)
