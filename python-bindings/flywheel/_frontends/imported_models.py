# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of models that were imported from other frameworks."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from .. import nn, optimizers
from .._core import trace as _trace
from .._core.annotations import Path
from .._core.tensor import Tensor
from .._flywheel import CompileError
from .._functions.arguments import Leaf, TensorSpec, as_array, spec
from .._functions.exporting import export_model
from .._functions.traced import Traced
from .._ops.emission import Size, size
from .._ops.nn_ops import LOSSES
from .._training.optimizer import Optimizer, find_connected
from ..function import Function, function
from ..variables import Variable
from ._declared_sizes import Bound, DeclaredSizes

__all__ = ["Bound", "DeclaredSizes", "ImportedModel", "find_loss"]


def _of_another(optimizer: Any) -> str:
    """Describes an optimizer of another package, and names its replacement here."""
    kind = type(optimizer)
    if kind.__name__ not in optimizers.__all__:
        return f"{optimizer!r}" if isinstance(optimizer, str) else f"one of {kind.__module__}.{kind.__name__}"
    lr = (getattr(optimizer, "param_groups", None) or [{}])[0].get("lr")
    given = f"lr={float(lr)}" if isinstance(lr, (int, float)) else "..."
    return f"one of {kind.__module__}: use flywheel.optimizers.{kind.__name__}({given})"


def find_loss(loss: Union[str, Callable[..., Any], None]) -> Optional[Callable[..., Any]]:
    """Returns a loss: what is given, or the function of `flywheel.nn` of this name."""
    if not isinstance(loss, str):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"there is no loss '{loss}', expected a function, or one of {', '.join(LOSSES)}")
    found: Callable[..., Any] = getattr(nn, loss)
    return found


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
        # The inputs, with names for the sizes that the import declares to be a call's choice, and likewise the targets;
        # None if each call brings its own.
        self._inputs: Sequence[TensorSpec] = ()
        self._own_targets: Optional[Sequence[TensorSpec]] = None
        # The sizes of the inputs and the targets as the import declares them.
        self._sizes = DeclaredSizes([], {})
        self._step: Optional[Function] = None

    def _build(self, example: Sequence[Any], targets: Optional[Sequence[Any]], dynamic: Any, **signatures: Any) -> None:
        """Creates the functions that run the model. Ops that are not imported are reported here, not at the first
        call."""
        self._forward = function(
            lambda *inputs: self._emit_fed(inputs), name="forward", dynamic=dynamic,
            signature=signatures.get("forward"))  # fmt: skip
        self._inputs = self._inputs or _specs_of(example)
        if targets is not None and self._own_targets is None:
            self._own_targets = _specs_of(targets)
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
        from names in C to these. A size that the import declares to be a call's choice is one in C, too, with its bound
        unless `max_dim_sizes` has another; the others are those of the example. Targets that the import knows nothing
        of are as in the last call of `step`. Raises ValueError for "step" of a model without an optimizer.
        """
        functions = self._entries()
        if entries is None:
            entries = [name for name, function in functions.items() if name == "forward" or function.is_traced]
        export_model(self._find_entry, list(functions), path, entries, options, self._bounds_of)

    def _find_entry(self, name: str) -> Traced:
        """Returns an entry, traced for all sizes that the import declares to be a call's choice."""
        entry = self._entries()[name]
        if entry._specs is not None:
            return entry.trace()
        targets: Sequence[Any] = ()
        if name == "step":
            targets = self._own_targets if self._own_targets is not None else self._last_targets(entry)
        return entry._find((*self._inputs, *targets), {}, is_for_sizes=True)[0]

    def _last_targets(self, entry: Function) -> List[TensorSpec]:
        """Returns the targets of the last step. Raises ValueError if there was none."""
        if not entry.is_traced:
            raise ValueError(f"the targets of a step are not known before it is called: call `step`, or give "
                             f"{self._maker} example_targets")  # fmt: skip
        leaves = entry.trace().leaves
        count = len(self._inputs)

        def traces(name: str, dim_size: int, place: int, axis: int) -> bool:
            """Returns true if a step traces where this size is another one, but for this dimension of a target."""
            bound = self._sizes.bounds.get(name, Bound(1, None))
            other = dim_size + 1 if bound.most is None or dim_size < bound.most else dim_size - 1
            if other < max(bound.least, 2):
                return False
            probed = []
            for number, leaf in enumerate(leaves):
                dims = list(leaf.dims)
                if number < count:
                    names = self._inputs[number].shape
                    dims = [other if wanted == name else own for wanted, own in zip(names, dims)]
                elif number != count + place and dims[axis : axis + 1] == [dim_size]:
                    dims[axis] = other
                probed.append(TensorSpec(tuple(dims), leaf.dtype))
            try:
                function(self._train, name="step", dynamic=False).trace(*probed)
            except (ValueError, TypeError, CompileError):
                return False
            return True

        named = _name_targets(self._inputs, leaves[:count], leaves[count:], traces)
        return [TensorSpec(leaf.dims, leaf.dtype) for leaf in named]

    def _bounds_of(self, traces: Sequence[Traced]) -> Dict[str, int]:
        """Returns the largest sizes that these entries have, by their names."""
        names = {dim for one in traces for leaf in one.leaves for dim in leaf.dims if isinstance(dim, str)}
        bounds = self._sizes.bounds
        return {name: bound.most for name, bound in bounds.items() if name in names and bound.most is not None}

    def _check_sizes(self, inputs: Sequence[Any]) -> None:
        """Raises ValueError for sizes that the import does not declare: the model may do something else there."""
        shapes: List[Optional[Sequence[Size]]] = []
        for value in inputs:
            is_tensor = isinstance(value, Tensor)
            shapes.append([size(value, axis) for axis in range(value.ndim)] if is_tensor else np.shape(value))
        ranks = [len(dims) for dims in self._sizes.inputs]
        shapes = [shape if shape is not None and len(shape) == rank else None for shape, rank in zip(shapes, ranks)]
        self._sizes.check(shapes, any(isinstance(value, Tensor) for value in inputs))

    def _entries(self) -> Dict[str, Function]:
        """Returns the functions that may be exported, by name."""
        return {"forward": self._forward, **({} if self._step is None else {"step": self._step})}


def _specs_of(values: Sequence[Any]) -> List[TensorSpec]:
    """Returns the specs of arrays, and specs as they are."""
    arrays = [as_array(value) for value in values]
    return [one if isinstance(one, TensorSpec) else spec(*np.shape(one), dtype=np.asarray(one).dtype) for one in arrays]


def _name_targets(
    inputs: Sequence[TensorSpec], given: Sequence[Leaf], targets: Sequence[Leaf], traces: Callable[..., bool],
) -> List[Leaf]:  # fmt: skip
    """Returns targets with the names that the sizes of the inputs have: a dimension whose size is that of an input's
    dimension at the same place, which has a name, has it, too. `given` has the sizes of the inputs. A number that is
    equal may be the own one of a target, as that of classes: the model `traces` with another one of the inputs then."""
    result = []
    for place, target in enumerate(targets):
        dims = list(target.dims)
        for axis, dim_size in enumerate(dims):
            for one, leaf in zip(inputs, given):
                is_named = len(one.shape) == len(leaf.dims) > axis and isinstance(one.shape[axis], str)
                if not is_named or (dim_size != leaf.dims[axis] and dim_size is not None):
                    continue
                if isinstance(dim_size, int) and dim_size > 1 and traces(one.shape[axis], dim_size, place, axis):
                    continue
                dims[axis] = one.shape[axis]
                break
        result.append(target._replace(dims=tuple(dims)))
    return result
