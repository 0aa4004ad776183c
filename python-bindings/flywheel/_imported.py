# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of models that were imported from other frameworks."""

from typing import Any, Callable, Dict, Optional, Sequence

import numpy as np

from . import _trace
from ._arguments import as_array, spec
from ._optimizer import Optimizer, find_connected
from ._tensor import Tensor
from ._types import Path
from .function import Function, function
from .variables import Variable


def _of_another(optimizer: Any) -> str:
    """Describes an optimizer of another package, and names its replacement here."""
    from . import optimizers

    kind = type(optimizer)
    if kind.__name__ not in optimizers.__all__:
        return f"{optimizer!r}" if isinstance(optimizer, str) else f"one of {kind.__module__}.{kind.__name__}"
    lr = (getattr(optimizer, "param_groups", None) or [{}])[0].get("lr")
    given = f"lr={float(lr)}" if isinstance(lr, (int, float)) else "..."
    return f"one of {kind.__module__}: use flywheel.optimizers.{kind.__name__}({given})"


class ImportedModel:
    """A model of another framework: its `variables` by name, and what runs and trains it.

    Called with arrays it runs the model for inference, with tensors in a traced function
    it is part of that; there `training=True` runs it as in training, which updates what
    the model keeps from batch to batch. `step` trains, with an optimizer.
    """

    # The function that a user called to import the model, for errors.
    _maker = "the importer"
    # A parameter that the loss does not use is updated along a gradient of zeros, as JAX does; PyTorch leaves it alone.
    _trains_unconnected = False

    def __init__(self, loss: Optional[Callable[..., Any]], optimizer: Optional[Optimizer]):
        if optimizer is not None and not hasattr(optimizer, "minimize"):
            raise TypeError(f"expected an optimizer of flywheel.optimizers, found {_of_another(optimizer)}")
        self.variables: Dict[str, Variable] = {}
        self._loss = loss
        self._optimizer = optimizer
        self._forward: Function
        self._specs_of_example: Sequence[Any] = ()
        self._step: Optional[Function] = None

    def _build(self, example: Sequence[Any], targets: Optional[Sequence[Any]], dynamic: Any, **signatures: Any) -> None:
        """Creates the functions that run the model. Ops that are not imported are reported here, not at the first
        call."""
        self._forward = function(
            lambda *inputs: self._emit_fed(inputs), name="forward", dynamic=dynamic,
            signature=signatures.get("forward"))  # fmt: skip
        arrays = [as_array(x) for x in example]
        self._specs_of_example = [spec(*x.shape, dtype=x.dtype) if isinstance(x, np.ndarray) else x for x in arrays]
        if self._optimizer is None:
            self._forward.trace(*example)
            return
        self._step = function(self._train, name="step", dynamic=dynamic, signature=signatures.get("step"))
        if targets is not None:
            self._step.trace(*example, *targets)

    def _emit(self, inputs: Sequence[Any], training: bool) -> Any:
        """Emits the ops of the model in the current trace; returns its outputs."""
        raise NotImplementedError

    def _emit_fed(self, inputs: Sequence[Any]) -> Any:
        """For inference, of what a call feeds."""
        return self._emit(inputs, False)

    def _emit_loss(self, arguments: Sequence[Any]) -> Tensor:
        """Emits the ops of the model in training and of the loss."""
        raise NotImplementedError

    def _as_fed(self, value: Any) -> Any:
        """Returns an argument of a call in the form that a traced function takes."""
        return value

    def __call__(self, *inputs: Any, training: bool = False) -> Any:
        if _trace.is_tracing():
            return self._emit(inputs, training)
        if training:
            raise ValueError("training=True is for traced functions; `step` trains")
        return self._forward(*map(self._as_fed, inputs))

    def _train(self, *arguments: Any) -> Tensor:
        assert self._optimizer is not None
        loss = self._emit_loss(arguments)
        trained = list(dict.fromkeys(variable for variable in self.variables.values() if variable.trainable))
        # The optimizer reports an error if there is no gradient.
        connected = trained if self._trains_unconnected else find_connected(loss, trained, through_steps=True)
        self._optimizer.minimize(loss, connected or trained, unconnected="zeros" if connected else "skip")
        return loss

    def step(self, *arguments: Any) -> Any:
        """One step of training on inputs and targets. Returns the loss."""
        if self._step is None:
            raise ValueError(f"{self._maker} needs a loss and an optimizer to train")
        return self._step(*map(self._as_fed, arguments))

    def export(self, path: Path, *, entries: Any = None, **options: Any) -> None:
        """Writes the model as an object file; `flywheel.export` has the options and the errors.

        `entries` lists what to export of "forward" and "step", by default both where the step was traced, or is a dict
        from names in C to these. Each is as it was traced last: for the example, or for the arguments of the last
        call. Raises ValueError for "step" of a model without an optimizer.
        """
        from ._exporting import export_model

        if not self._forward.is_traced:
            self._forward.trace(*self._specs_of_example)
        functions = self._entries()
        if entries is None:
            entries = [name for name, function in functions.items() if function.is_traced]
        export_model(functions.__getitem__, list(functions), path, entries, options)

    def _entries(self) -> Dict[str, Function]:
        """Returns the functions that may be exported, by name."""
        return {"forward": self._forward, **({} if self._step is None else {"step": self._step})}
