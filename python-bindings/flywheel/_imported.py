# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an imported model is, whichever framework it is from: variables, inference and steps."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _trace
from ._optimizer import Optimizer
from ._tensor import Tensor
from ._types import Array
from .variables import Variable

__all__ = ["ImportedModel", "arrange"]


def arrange(array: Array, order: Optional[Sequence[int]]) -> Array:
    """An array with dimension `order[i]` as its dimension i."""
    return array if order is None or array.ndim != len(order) else array.transpose(order)


class ImportedModel:
    """A model of another framework, its parameters as variables.

    Called with arrays it runs the model for inference, with tensors in a traced function
    it is part of that; there `training=True` runs it as in training, which updates
    statistics of batches and drops elements.
    """

    # What makes one, as errors name it.
    _made_by = ""

    def __init__(self, inputs: int, loss: Optional[Callable[..., Any]], optimizer: Optional[Optimizer]):
        if (optimizer is None) != (loss is None):
            raise ValueError("expected both a loss and an optimizer, or neither")
        self._count = inputs
        self._loss = loss
        self._optimizer = optimizer
        # By the model's names.
        self.variables: Dict[str, Variable] = {}
        # The order of dimensions that some variables have, by the variable's name.
        self._orders: Dict[str, Tuple[int, ...]] = {}

    # What importers add

    def _emit(self, inputs: Sequence[Any], training: bool) -> Any:
        """The ops of the model in the current trace, and its outputs."""
        raise NotImplementedError

    def _infer(self, inputs: Sequence[Any]) -> Any:
        """Runs the model on arrays."""
        raise NotImplementedError

    def _run_step(self, arguments: Sequence[Any]) -> Any:
        """Runs `_train` on arrays."""
        raise NotImplementedError

    def _loss_of(self, arguments: Sequence[Any]) -> Any:
        """The loss of inputs and targets, in the current trace."""
        assert self._loss is not None
        return self._loss(self._emit(arguments[: self._count], True), *arguments[self._count :])

    # Calls

    def __call__(self, *inputs: Any, training: bool = False) -> Any:
        if _trace.is_tracing():
            return self._emit(inputs, training)
        if training:
            raise ValueError("training=True is for traced functions; `step` trains")
        return self._infer(inputs)

    def _train(self, *arguments: Any) -> Tensor:
        assert self._optimizer is not None
        loss = self._loss_of(arguments)
        trained = list(dict.fromkeys(variable for variable in self.variables.values() if variable.trainable))
        self._optimizer.minimize(loss, trained, unconnected="skip")
        return loss  # type: ignore[no-any-return]

    def step(self, *arguments: Any) -> Any:
        """One step of training on inputs and targets. Returns the loss."""
        if self._optimizer is None:
            raise ValueError(f"{self._made_by} needs a loss and an optimizer to train")
        return self._run_step(arguments)

    # Values, in the order of dimensions that the model has

    def _value(self, name: str) -> Array:
        variable = self.variables[name]
        order = self._orders.get(variable.name)
        return variable.numpy() if order is None else arrange(variable.numpy(), np.argsort(order).tolist())

    def _set_value(self, name: str, array: Array) -> None:
        variable = self.variables[name]
        variable.set(np.array(arrange(array, self._orders.get(variable.name)), order="C"))

    def _check_state(self, wanted: Sequence[str], state: Mapping[str, Any]) -> None:
        """Raises ValueError where a state has other names."""
        absent: List[str] = [name for name in wanted if name not in state]
        unknown = [name for name in state if name not in wanted]
        if absent or unknown:
            raise ValueError(f"the state is not that of this model: it lacks {absent}, and has {unknown} besides")
