# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of Keras 1 that Keras 2.1 keeps: `Merge`, `MaxoutDense` and `Highway`."""

import warnings
from typing import Any, Dict, List, Tuple

from .. import activations, constraints, initializers, regularizers
from .. import backend as K
from .._serialization import plain
from ..engine import Layer
from ..engine.network import Network
from ..engine.topology import to_list
from ..layers import AtrousConvolution1D as AtrousConvolution1D
from ..layers import AtrousConvolution2D as AtrousConvolution2D
from ..layers import deserialize as _layer_of
from ..layers import merge as _merges
from ..layers.core import coded, decoded

__all__ = ["AtrousConvolution1D", "AtrousConvolution2D", "Highway", "MaxoutDense", "Merge", "merge"]


class Merge(Layer):
    """Several tensors in one: their "sum", "mul" (product), "ave" (mean) or "max", "concat" along `concat_axis`, "dot"
    or "cos" (products, or cosines, of vectors along `dot_axes`), or a function of the list of them with `arguments`,
    whose shape and mask `output_shape` and `output_mask` give, which may be functions too.

    With `layers`, models or layers, the tensors are their outputs, and the layer may be the first of a `Sequential`."""

    def __init__(
        self, layers: Any = None, mode: Any = "sum", concat_axis: int = -1, dot_axes: Any = -1,
        output_shape: Any = None, output_mask: Any = None, arguments: Any = None, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.mode, self.concat_axis, self.dot_axes = mode, concat_axis, dot_axes
        self._output_shape, self._output_mask, self.given = output_shape, output_mask, dict(arguments or {})
        self.branches: List[Any] = list(layers or [])
        # The layer of Keras 2 that does the same; its name is not counted.
        makers: Dict[str, Any] = {
            "sum": _merges.Add, "mul": _merges.Multiply, "ave": _merges.Average, "max": _merges.Maximum,
            "concat": lambda **own: _merges.Concatenate(axis=concat_axis, **own),
            "dot": lambda **own: _merges.Dot(axes=dot_axes, **own),
            "cos": lambda **own: _merges.Dot(axes=dot_axes, normalize=True, **own),
        }  # fmt: skip
        if not callable(mode) and mode not in makers:
            raise ValueError(f"Invalid merge mode: {mode}. Expected a function, or one of {', '.join(makers)}")
        self._inner: Any = None if callable(mode) else makers[mode](name=f"{self.name}_{mode}")
        self.supports_masking = True
        if self.branches:
            self([branch.outputs[0] if isinstance(branch, Network) else branch.output for branch in self.branches])

    def call(self, inputs: Any, mask: Any = None, **kwargs: Any) -> Any:
        return self.mode(inputs, **self.given) if self._inner is None else self._inner.call(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._inner is not None:
            return self._inner.compute_output_shape(input_shape)
        if callable(self._output_shape):
            return tuple(self._output_shape(input_shape))
        return input_shape[0] if self._output_shape is None else (input_shape[0][0], *self._output_shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if all(one is None for one in to_list(mask)):
            return None
        if self._inner is not None:
            return None if self.mode in ("dot", "cos") else self._inner.compute_mask(inputs, mask)
        return self._output_mask(mask) if callable(self._output_mask) else self._output_mask

    def get_config(self) -> Dict[str, Any]:
        own = {"mode": coded(self.mode), "concat_axis": self.concat_axis, "dot_axes": plain(self.dot_axes),
               "output_shape": coded(self._output_shape), "output_mask": coded(self._output_mask),
               "arguments": plain(self.given)}  # fmt: skip
        layers = [plain(branch) for branch in self.branches]
        return {**super().get_config(), **own, **({"layers": layers} if layers else {})}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer of what `get_config` gave, with branches of its own."""
        own = decoded(config, ("mode", "output_shape", "output_mask"))
        own["layers"] = [_layer_of(one) for one in own.get("layers") or []]
        return cls(**own)


def merge(
    inputs: Any, mode: Any = "sum", concat_axis: int = -1, dot_axes: Any = -1, output_shape: Any = None,
    output_mask: Any = None, arguments: Any = None, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the tensor that `Merge` gives of these tensors."""
    warnings.warn("The `merge` function is deprecated. Use instead layers from `keras.layers.merge`, e.g. `add`, "
                  "`concatenate`, etc.", stacklevel=2)  # fmt: skip
    return Merge(mode=mode, concat_axis=concat_axis, dot_axes=dot_axes, output_shape=output_shape,
                 output_mask=output_mask, arguments=arguments, name=name)(inputs)  # fmt: skip


class _Dense(Layer):
    """Layers of Keras 1 of [batch, inputs], with the arguments of its time."""

    arguments: Tuple[str, ...] = (
        "init", "W_regularizer", "b_regularizer", "activity_regularizer", "W_constraint", "b_constraint", "bias",
        "input_dim",
    )  # fmt: skip

    def __init__(
        self, init: Any = "glorot_uniform", W_regularizer: Any = None, b_regularizer: Any = None,  # noqa: N803
        activity_regularizer: Any = None, W_constraint: Any = None, b_constraint: Any = None,  # noqa: N803
        bias: bool = True, input_dim: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if input_dim is not None:
            kwargs["input_shape"] = (input_dim,)
        super().__init__(**kwargs)
        self.init, self.bias, self.input_dim = initializers.get(init), bias, input_dim
        self.W_regularizer, self.b_regularizer = regularizers.get(W_regularizer), regularizers.get(b_regularizer)
        self.W_constraint, self.b_constraint = constraints.get(W_constraint), constraints.get(b_constraint)
        self.activity_regularizer = regularizers.get(activity_regularizer)

    def _weight(self, name: str, shape: Any) -> Any:
        return self.add_weight(name, shape, None, self.init, self.W_regularizer, True, self.W_constraint)

    def _bias(self, name: str, shape: Any, start: str) -> Any:
        return self.add_weight(name, shape, None, start, self.b_regularizer, True, self.b_constraint)

    def _penalized(self, y: Any, inputs: Any) -> Any:
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(y), inputs)
        return y


class MaxoutDense(_Dense):
    """The largest of `nb_feature` linear functions of the inputs, for each of `output_dim` units."""

    arguments = ("output_dim", "nb_feature")

    def __init__(self, output_dim: int, nb_feature: int = 4, weights: Any = None, **kwargs: Any) -> None:
        super().__init__(weights=weights, **kwargs)
        self.output_dim, self.nb_feature = output_dim, nb_feature

    def build(self, input_shape: Any) -> None:
        self.W = self._weight("W", (self.nb_feature, input_shape[-1], self.output_dim))
        self.b = self._bias("b", (self.nb_feature, self.output_dim), "zero") if self.bias else None
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        y = K.dot(inputs, self.W)
        return self._penalized(K.max(y if self.b is None else y + self.b, axis=1), inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.output_dim)


class Highway(_Dense):
    """t f(x W + b) + (1 - t) x, where t = sigmoid(x W_carry + b_carry) and f is the activation."""

    arguments = ("activation",)

    def __init__(
        self, init: Any = "glorot_uniform", activation: Any = None, weights: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(init, weights=weights, **kwargs)
        self.activation = activations.get(activation)

    def build(self, input_shape: Any) -> None:
        width = input_shape[-1]
        self.W, self.W_carry = self._weight("W", (width, width)), self._weight("W_carry", (width, width))
        self.b = self._bias("b", (width,), "zero") if self.bias else None
        self.b_carry = self._bias("b_carry", (width,), "one") if self.bias else None
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        t, y = K.dot(inputs, self.W_carry), K.dot(inputs, self.W)
        if self.b is not None:
            t, y = t + self.b_carry, y + self.b
        t = activations.sigmoid(t)
        return self._penalized(t * self.activation(y) + (1.0 - t) * inputs, inputs)
