# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of products and tables, and what puts layers together."""

import inspect
from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.argument_checks import number
from .._core.tensor import Tensor, TensorLike, as_tensor
from .._errors.messages import wrong
from .._ops import nn_ops as ops
from ..initializers import Initializer, RandomNormal
from ..module import Module
from ..variables import Variable
from . import functions
from ._common import as_input, bias_of, count_of

__all__ = ["Dense", "Dropout", "Embedding", "Sequential"]


class Dense(Module):
    """x kernel + bias: [..., inputs] becomes [..., outputs].

    Variables: `kernel` [inputs, outputs], by default of Glorot's uniform distribution, and with `bias` the `bias`
    [outputs] of zeros, of `dtype`, which is that of x too. A call raises ValueError for another last dimension,
    TypeError for another dtype.
    """

    def __init__(
        self, inputs: int, outputs: int, *, bias: bool = True, initializer: Optional[Initializer] = None,
        dtype: Any = _dtypes.float32,
    ) -> None:  # fmt: skip
        self.inputs, self.outputs = count_of(inputs, "inputs"), count_of(outputs, "outputs")
        self.kernel = Variable(initializer, shape=(self.inputs, self.outputs), dtype=dtype)
        self.bias = bias_of(bias, self.outputs, dtype)

    def __call__(self, x: TensorLike) -> Tensor:
        x = as_input(self, x, self.kernel.dtype, ("...", self.inputs))
        if x.ndim == 1:
            return _ops.squeeze(ops.dense(_ops.expand_dims(x, 0), self.kernel, self.bias), 0)
        return ops.dense(x, self.kernel, self.bias)


class Embedding(Module):
    """Rows of a table: integers [...] become [..., width].

    Variable: `table` [count, width], by default normal with the standard deviation 1 / sqrt(width), of `dtype`. An
    index outside of [0, count) is an error of the step.
    """

    def __init__(
        self, count: int, width: int, *, initializer: Optional[Initializer] = None, dtype: Any = _dtypes.float32
    ) -> None:
        self.count, self.width = count_of(count, "count"), count_of(width, "width")
        drawn = RandomNormal(stddev=self.width**-0.5) if initializer is None else initializer
        self.table = Variable(drawn, shape=(self.count, self.width), dtype=dtype)

    def __call__(self, indices: TensorLike) -> Tensor:
        x = as_tensor(indices)
        if not _dtypes.is_integer(x.dtype):
            raise TypeError(f"layer '{self.name}' (Embedding) takes integers, found {_dtypes.name_of(x.dtype)}")
        return functions.embedding(self.table, x)

    def attend(self, x: TensorLike) -> Tensor:
        """The products of [..., width] with all rows, [..., count]: scores from the same table."""
        x = as_input(self, x, self.table.dtype, ("...", "rows", self.width))
        return ops.dense(x, _ops.transpose(self.table))


class Dropout(Module):
    """Drops elements of x with probability `rate`, and divides the others by 1 - rate, where `training`; else x. See
    `flywheel.nn.dropout`. With `seed` the masks repeat in each process; each use in a step has its own. Raises
    ValueError for a rate outside of [0, 1)."""

    def __init__(self, rate: float, *, seed: Optional[int] = None) -> None:
        self.rate, self.seed = number("rate", rate), seed
        if not 0 <= self.rate < 1:
            raise ValueError(f"expected a rate within [0, 1), found {rate}")

    def __call__(self, x: TensorLike, *, training: Any) -> Tensor:
        if training is False or self.rate == 0:
            return as_tensor(x)
        seed = None if self.seed is None else _seed_of_use(self, self.seed)
        return functions.dropout(x, self.rate, training=None if training is True else training, seed=seed)


def _seed_of_use(layer: Module, seed: int) -> int:
    """Returns the seed for this use of a layer in a program: the first use has the layer's, each other one its own."""
    uses = _trace.current().uses
    uses[id(layer)] = number_of_use = uses.get(id(layer), -1) + 1
    if number_of_use == 0:
        return seed
    return int(np.random.SeedSequence([seed, number_of_use]).generate_state(1, np.uint64)[0] >> np.uint64(1))


class Sequential(Module):
    """Layers one after the other: modules, and functions such as `flywheel.nn.relu`, also as one list.

    `training` is passed to the layers that have it, or any keyword, as an argument: a call without it is a TypeError
    where one requires it, as `Dropout`. Variables: `layers/0/kernel` and so on.
    """

    def __init__(self, *layers: Union[Callable[..., Any], Sequence[Callable[..., Any]]]) -> None:
        given: List[Any] = list(layers[0] if len(layers) == 1 and isinstance(layers[0], (list, tuple)) else layers)
        for layer in given:
            if not callable(layer):
                raise wrong(TypeError, "modules and functions", type(layer).__name__, "layers")
        self.layers = given

    def __call__(self, x: Any, **mode: Any) -> Any:
        if set(mode) - {"training"}:
            raise TypeError(f"'{self.name}' takes x and training, found {', '.join(set(mode) - {'training'})}")
        for layer in self.layers:
            x = layer(x, **mode) if mode and _takes_training(layer) else layer(x)
        return x


def _takes_training(layer: Callable[..., Any]) -> bool:
    if isinstance(layer, Sequential):
        return True
    try:
        parameters = inspect.signature(layer).parameters
    except ValueError:
        return False
    return "training" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
