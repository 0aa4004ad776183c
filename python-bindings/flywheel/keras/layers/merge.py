# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of several tensors."""

from typing import Any

from ... import _ops
from ..._errors.messages import about
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
        rank = max(len(K.int_shape(x)) for x in inputs)
        # Each example's dimensions are aligned at the end, behind the batch.
        y, *others = [_with_rank(x, rank) for x in inputs]
        for x in others:
            y = self._pairwise(y, x)
        return y

    def compute_output_shape(self, input_shape: Any) -> Any:
        rank = max(len(shape) for shape in input_shape)
        shapes = [(shape[0], *[1] * (rank - len(shape)), *shape[1:]) for shape in input_shape]
        found = []
        for sizes in zip(*shapes):
            wide = [d for d in sizes if d != 1]
            known = {d for d in wide if d is not None}
            if len(known) > 1:
                raise ValueError(f"Operands could not be broadcast together with shapes {input_shape}")
            found.append(known.pop() if known else None if wide else 1)
        return tuple(found)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Returns the mask of the steps that count in all inputs. Raises ValueError if there is not one mask, or None,
        for each of several inputs."""
        self._check_masks(inputs, mask)
        masks = [as_tensor(m) for m in mask or [] if m is not None]
        found = masks[0] if masks else None
        for other in masks[1:]:
            found = make("LogicalAnd", _ops.logical_and, found, other)
        return found

    def _check_masks(self, inputs: Any, mask: Any) -> None:
        if mask is None:
            return
        for what, given in (("mask", mask), ("inputs", inputs)):
            if not isinstance(given, list):
                raise ValueError(f"`{what}` should be a list.")
        if len(mask) != len(inputs):
            raise ValueError("The lists `inputs` and `mask` should have the same length.")


def _with_rank(x: Any, rank: int) -> Any:
    for _ in range(rank - len(K.int_shape(x))):
        x = K.expand_dims(x, 1)
    return x


class Add(_Merge):
    """The sum."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return a + b


class Subtract(_Merge):
    """The difference of two."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs.")
        return super().call(inputs, **kwargs)

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


class Minimum(_Merge):
    """The smallest, element by element."""

    def _pairwise(self, a: Any, b: Any) -> Any:
        return K.minimum(a, b)


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
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError("A `Concatenate` layer should be called on a list of at least 2 inputs.")
        return K.concatenate(inputs, self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape[0])
        sizes = [s[self.axis] for s in input_shape]
        shape[self.axis] = None if None in sizes else sum(sizes)
        return tuple(shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks beside each other along the axis; along the features, what counts in all inputs."""
        self._check_masks(inputs, mask)
        if mask is None or all(m is None for m in mask):
            return None
        rank = len(K.int_shape(inputs[0]))
        if self.axis % rank == rank - 1:
            return super().compute_mask(inputs, mask)
        masks = [make("OnesLike", _all_of, as_tensor(x)) if m is None else m for x, m in zip(inputs, mask)]
        return K.concatenate(masks, self.axis)


def _all_of(x: Any) -> Any:
    """Returns a mask of all steps."""
    return _ops.equal(_ops.zeros_like(x[..., 0]), 0.0)


class Dot(_Merge):
    """The products of vectors along an axis of each of two tensors: of all pairs of the others, [batch, ...a, ...b]."""

    arguments = ("axes", "normalize")

    def __init__(self, axes: Any = -1, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes = axes if isinstance(axes, int) else tuple(int(axis) for axis in axes)
        self.normalize = normalize

    def _places(self, shapes: Any) -> Any:
        both = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        places = [axis % len(shape) for axis, shape in zip(both, shapes)]
        if 0 in places:
            raise about("Dot", ValueError("is along other axes than that of the batch"), " ")
        return places

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        places = self._places([K.int_shape(x) for x in inputs])
        a, b = (K.l2_normalize(x, p) for x, p in zip(inputs, places)) if self.normalize else inputs
        result = K.batch_dot(a, b, places)
        return K.expand_dims(result, -1) if K.ndim(result) == 1 else result

    def compute_output_shape(self, input_shape: Any) -> Any:
        first, second = self._places(input_shape)
        rest = [*(n for i, n in enumerate(input_shape[0]) if i not in (0, first)),
                *(n for i, n in enumerate(input_shape[1]) if i not in (0, second))]  # fmt: skip
        return (input_shape[0][0], *(rest or [1]))


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    return Dot(axes, normalize, **kwargs)(inputs)


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


def minimum(inputs: Any, **kwargs: Any) -> Any:
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    return Concatenate(axis, **kwargs)(inputs)
