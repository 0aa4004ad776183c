# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of several tensors."""

from typing import Any

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..engine import Layer


class _Merge(Layer):
    """Layers of several tensors."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs.")
        y = inputs[0]
        for x in inputs[1:]:
            y = self._pairwise(y, x)
        return y

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape[0]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What counts in all inputs."""
        masks = [m for m in (mask if isinstance(mask, list) else [mask]) if m is not None]
        found = masks[0] if masks else None
        for other in masks[1:]:
            found = make("LogicalAnd", _ops.logical_and, found, other)
        return found


class Add(_Merge):
    """The sum."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a + b


class Subtract(_Merge):
    """The difference of two."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a - b


class Multiply(_Merge):
    """The product, element by element."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a * b


class Maximum(_Merge):
    """The largest, element by element."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return K.maximum(a, b)


class Average(Add):
    """The mean, element by element."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(_Merge):
    """One after another along an axis."""

    arguments = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.concatenate(inputs, self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape[0])
        sizes = [s[self.axis] for s in input_shape]
        shape[self.axis] = None if None in sizes else sum(sizes)
        return tuple(shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks beside each other along the axis; along the features, what counts in all inputs."""
        if mask is None or all(m is None for m in mask):
            return None
        rank = len(K.int_shape(inputs[0]))
        if self.axis % rank == rank - 1:
            return super().compute_mask(inputs, mask)
        masks = [make("OnesLike", _all_of, as_tensor(x)) if m is None else m for x, m in zip(inputs, mask)]
        return K.concatenate(masks, self.axis)


def _all_of(x: Any) -> Any:
    """A mask of all steps."""
    return _ops.equal(_ops.zeros_like(x[..., 0]), 0.0)


class Dot(_Merge):
    """The product of the rows of two matrices."""

    arguments = ("axes", "normalize")

    def __init__(self, axes: Any = -1, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if axes not in (-1, 1, (1, 1), [1, 1]):
            raise NotImplementedError(f"flywheel.keras.layers.Dot: axes={axes}, expected 1")
        self.normalize = normalize

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        a, b = (K.l2_normalize(x, 1) for x in inputs) if self.normalize else inputs
        return K.sum(a * b, 1, True)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0][0], 1)


def add(inputs: Any, **kwargs: Any) -> Any:
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    return Maximum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    return Concatenate(axis, **kwargs)(inputs)
