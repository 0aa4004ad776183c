# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of units, shapes, activations and functions."""

import json
import types
from typing import Any

import numpy as np

from ... import _ops
from ... import nn as _traced
from ..._errors.contracts import public_form
from ...v1.conversion import as_tensor, make
from ...v1.precision import rounded, widened
from .. import activations
from .. import backend as K
from .._serialization import allows_code, custom_objects, find, keeps_functions, plain
from ..engine import Layer
from ..legacy import interfaces as _legacy
from ..utils.conv_utils import normalize_data_format
from ..utils.generic_utils import func_dump, func_load
from ._weighted import Weighted, count_of


@_legacy.dense
class Dense(Weighted):
    """activation(x kernel + bias)."""

    supports_masking = True
    arguments = ("units",)

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True, **kwargs: Any) -> None:
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(activation, use_bias, **kwargs)
        self.units = count_of(units, "units")

    def build(self, input_shape: Any) -> None:
        if input_shape[-1] is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self._make((input_shape[-1], self.units), self.units)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        if K.is_sparse(inputs):
            return self._finish(K.dot(inputs, self.kernel))
        return self._finish(make("MatMul", _traced.dense, as_tensor(inputs), self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)


class Flatten(Layer):
    """All dimensions but the first as one, in the order that has the channels last."""

    arguments = ("data_format",)

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        rank = K.ndim(inputs)
        if self.data_format == "channels_first" and rank > 2:
            inputs = K.permute_dimensions(inputs, (0, *range(2, rank), 1))
        shape = K.int_shape(inputs)
        if None in shape[1:]:
            raise ValueError(f'The shape of the input to "Flatten" is not fully defined (got {shape[1:]}). Make sure '
                             'to pass a complete "input_shape" or "batch_input_shape" argument to the first layer in '
                             "your model.")  # fmt: skip
        return K.batch_flatten(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], int(np.prod(input_shape[1:])))


class Reshape(Layer):
    """Another shape, without the batch; one size may be -1."""

    arguments = ("target_shape",)

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        sizes = [-1 if d is None else d for d in self.compute_output_shape(K.int_shape(inputs))[1:]]
        # The batch by its name: the size of a result has to be that of a feed.
        return make("Reshape", lambda x: _ops.reshape(x, [_ops.dim(x, 0), *sizes]), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        known = int(np.prod([d for d in self.target_shape if d != -1]))
        if None in input_shape[1:]:
            return (input_shape[0], *[None if d == -1 else d for d in self.target_shape])
        count = int(np.prod(input_shape[1:]))
        if known == 0 or count % known or (-1 not in self.target_shape and count != known):
            raise ValueError(f"total size of new array must be unchanged: {input_shape[1:]} to {self.target_shape}")
        return (input_shape[0], *[count // known if d == -1 else d for d in self.target_shape])


class Permute(Layer):
    """Dimensions in another order, counted from 1."""

    arguments = ("dims",)

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.permute_dimensions(inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *[input_shape[d] for d in self.dims])


class RepeatVector(Layer):
    """[batch, n] as [batch, times, n]."""

    arguments = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.repeat(inputs, self.n)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.n, input_shape[1])


class Activation(Layer):
    """An activation by itself."""

    supports_masking = True
    arguments = ("activation",)

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.activation(inputs)


class ReLU(Layer):
    """x, at least 0 and at most `max_value`; `negative_slope` times x - `threshold` below the threshold."""

    supports_masking = True
    arguments = ("max_value", "negative_slope", "threshold")

    def __init__(
        self, max_value: Any = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        for name, number in (("max_value", max_value), ("negative_slope", negative_slope), ("threshold", threshold)):
            if number is not None and number < 0:
                raise ValueError(f"expected {name} of at least 0, found {number}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any) -> Any:
            if self.max_value == 6 and not self.negative_slope and not self.threshold:
                return _traced.relu6(x)
            high = x if self.max_value is None else _ops.minimum(x, self.max_value)
            low = (x - self.threshold) * self.negative_slope
            if self.max_value is not None or self.threshold:
                # The slope at the threshold is 0, but for a leaky one alone.
                low = _ops.where(_ops.less(x, self.threshold), low, 0)
            return _ops.where(_ops.greater(x, self.threshold), high, low)

        return make("ReLU", emit, as_tensor(inputs))


class Rescaling(Layer):
    """scale x + offset."""

    supports_masking = True
    arguments = ("scale", "offset")

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = K.cast(inputs, K.floatx())
        return x * np.asarray(self.scale, K.floatx()) + np.asarray(self.offset, K.floatx())


class Identity(Layer):
    """Its input."""

    supports_masking = True


class LeakyReLU(Layer):
    """x, or alpha x where x < 0."""

    supports_masking = True
    arguments = ("alpha",)

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.relu(inputs, self.alpha)


@_legacy.dropout
class Dropout(Layer):
    """Drops elements at random while training (X13)."""

    supports_masking = True
    arguments = ("rate", "noise_shape", "seed")

    def __init__(self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = min(1.0, max(0.0, rate)), noise_shape, seed

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        if not 0.0 < self.rate < 1.0:
            return inputs
        return K.in_train_phase(lambda: K.dropout(inputs, self.rate, self.noise_shape, self.seed), inputs, training)


class ActivityRegularization(Layer):
    """Adds to the loss l1 times the sum of absolute values, and l2 times that of squares, of what passes."""

    supports_masking = True
    arguments = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.l1, self.l2 = l1, l2

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = widened(inputs)
        self.add_loss(rounded(K.sum(self.l1 * K.abs(x)) + K.sum(self.l2 * K.square(x)), inputs.dtype))
        return inputs


class Lambda(Layer):
    """Any function of tensors. A named one that is saved is among the custom objects where it is loaded."""

    supports_masking = True

    def __init__(
        self, function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.function = find(function, {}, "function") if isinstance(function, str) else function
        output_shape = find(output_shape, {}, "function") if isinstance(output_shape, str) else output_shape
        mask = find(mask, {}, "function") if isinstance(mask, str) else mask
        # Under the name that Keras has for it; that of the class is a list of names.
        self.arguments: Any = {key: _array(value) for key, value in (arguments or {}).items()}
        self._output_shape = output_shape
        self._mask = mask

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.function(inputs, **self.arguments)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self._mask(inputs, mask) if callable(self._mask) else mask if self._mask is None else self._mask

    def get_config(self) -> Any:
        arguments = {key: _plain(value) for key, value in self.arguments.items()}
        return {**Layer.get_config(self), "function": coded(self.function), "arguments": arguments,
                "output_shape": coded(self._output_shape), "mask": coded(self._mask)}  # fmt: skip

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer of what `get_config` gave. Raises ValueError for code, where that is not allowed."""
        return cls(**decoded(config, ("function", "output_shape", "mask")))

    def compute_output_shape(self, input_shape: Any) -> Any:
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        if self._output_shape is None:
            return input_shape
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        return (first[0] if first else None, *self._output_shape)

    def _knows_shape(self, y: Any, declared: Any) -> bool:
        if y.static_shape is None:
            return False
        return self._output_shape is None or len(declared) == len(y.static_shape)


def decoded(config: Any, keys: Any) -> Any:
    """Returns a configuration with functions in place of what `coded` gave of them. Raises ValueError for code, where
    that is not allowed."""
    own = dict(config)
    for key in keys:
        value = own.get(key)
        if isinstance(value, dict) and value.get("name") in custom_objects():
            own[key] = custom_objects()[value["name"]]
        elif isinstance(value, dict) and "lambda" in value:
            if not allows_code():
                raise ValueError("a Lambda of code, which calling the model would execute: load the model with "
                                 "safe_mode=False if you trust the file, or give the function a name and pass it "
                                 "among the custom objects")  # fmt: skip
            own[key] = func_load(value["lambda"], globs={**globals(), **custom_objects()})
    return own


def coded(function: Any) -> Any:
    """Returns the code of a function of the program, with its name unless it is a lambda; the name of another one."""
    if isinstance(function, types.FunctionType) and not keeps_functions() and public_form(function) is function:
        name = None if function.__name__ == "<lambda>" else function.__name__
        code, defaults, closure = func_dump(function)
        if name is None or closure is None and _is_plain(defaults):
            return {"lambda": [code, defaults, closure], **({"name": name} if name else {})}
    return plain(function)


def _plain(value: Any) -> Any:
    """Returns an argument as JSON has it: an array by its elements, as Keras writes it."""
    return {"type": "ndarray", "value": value.tolist()} if isinstance(value, np.ndarray) else plain(value)


def _array(value: Any) -> Any:
    """Returns an argument of what `_plain` returned."""
    if isinstance(value, dict) and value.get("type") == "ndarray" and "value" in value:
        return np.array(value["value"])
    return value


def _is_plain(value: Any) -> bool:
    """Returns true for a value that JSON has."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


class Masking(Layer):
    """Says that steps whose features are all `mask_value` do not count; they are 0."""

    supports_masking = True
    arguments = ("mask_value",)

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return K.any(K.not_equal(inputs, self.mask_value), -1)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return inputs * K.cast(K.any(K.not_equal(inputs, self.mask_value), -1, True), inputs.dtype)
