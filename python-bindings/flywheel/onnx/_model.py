# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of ONNX, its initializers as variables, and what runs it."""

import inspect
import keyword
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor, format_shape
from .._frontends.imported_models import ImportedModel, find_loss
from .._frontends.layouts import Laid
from .._frontends.missing_ops import MissingOp, refuse
from .._functions.arguments import TensorSpec, as_array
from .._training.optimizer import Optimizer
from ..function import Function, function
from ..namespace import current_namespace
from . import _file
from ._early import find_early_inputs
from ._functions import expand_functions
from ._graph import HANDLERS, Interpreter, find_missing
from ._known import Known
from ._small import Small, as_carried
from ._variables import Trainable, Wanted, arrange, make_variables

__all__ = ["OnnxModel", "load"]

Loss = Union[str, Callable[..., Any], None]


def _identifiers(names: Sequence[str]) -> List[str]:
    """Returns names in a form that Python and C allow, each once."""
    result: List[str] = []
    for name in names:
        own = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
        own = f"_{own}" if own[0].isdigit() else f"{own}_" if keyword.iskeyword(own) else own
        unique, count = own, 1
        while unique in result:
            unique, count = f"{own}_{count}", count + 1
        result.append(unique)
    return result


class _Chosen(NamedTuple):
    """The elements of an input that the translation has to know."""

    dtype: str
    shape: Tuple[int, ...]
    data: bytes

    @staticmethod
    def of(array: Array) -> "_Chosen":
        return _Chosen(array.dtype.name, array.shape, array.tobytes())

    def array(self) -> Array:
        return np.frombuffer(self.data, _dtypes.as_dtype(self.dtype)).reshape(self.shape)


Chosen = Tuple[_Chosen, ...]


class OnnxModel(ImportedModel):
    """A model that `load` imported.

    Called with arrays it runs the model for inference, with tensors in a traced function
    it is part of that; there `training=True` runs it as in training. Several outputs are a
    tuple. `variables` has the initializers by their names.

    Inputs that the translation has to know, `chosen_names`, such as shapes and axes, are
    arrays in a traced function too; each of their values is a program of its own.
    """

    _maker = "flywheel.onnx.load"

    def __init__(
        self, model: _file.Model, loss: Loss, optimizer: Optional[Optimizer], targets: Optional[Sequence[TensorSpec]],
        trainable: Trainable, keep_modes: Optional[bool], name: str,
    ):  # fmt: skip
        super().__init__(find_loss(loss), optimizer)
        self._model = model
        # The order of dimensions that some variables have, by the variable's name.
        self._orders: Dict[int, Tuple[int, ...]] = {}
        self._keeps_modes = keep_modes
        self._targets = None if targets is None else tuple(targets)
        wanted = Wanted(trainable, model.initializers)
        with _file.naming(model.name):
            self._dims = model.infer_sizes()
            self.variables, self._constants = make_variables(model, wanted, name, self._orders)
            self._specs = [TensorSpec(one.dims, one.dtype) for one in model.inputs]
        self.input_names = [one.name for one in model.inputs]
        self.output_names = list(model.outputs)
        self.chosen_names = find_early_inputs(model.graph, model.inputs)
        self._early = [place for place, name in enumerate(self.input_names) if name in self.chosen_names]
        self._fed = [place for place in range(len(self._specs)) if place not in self._early]
        self._feeds = [_identifiers(self.input_names)[place] for place in self._fed]
        # One for each value of the inputs that are chosen, and for each form of the targets.
        self._forwards: Dict[Chosen, Function] = {}
        self._steps: Dict[Tuple[Chosen, Tuple[TensorSpec, ...]], Function] = {}
        if self._early:
            return
        # Ops that are not imported are reported here, not at the first call.
        self._forward = self._forward_for(())
        with _file.naming(model.name):
            self._forward.trace()
        if optimizer is not None and self._targets is not None:
            self._step_for((), self._targets).trace()

    def _forward_for(self, chosen: Chosen) -> Function:
        if chosen not in self._forwards:
            self._forwards[chosen] = function(
                self._named(lambda *fed: self._emit(self._joined(chosen, fed), False), self._feeds), name="forward",
                signature=[self._specs[place] for place in self._fed],
                results=_identifiers(self.output_names))  # fmt: skip
        return self._forwards[chosen]

    def _joined(self, chosen: Chosen, fed: Sequence[Any]) -> List[Any]:
        """Returns all inputs in their order, and the arguments after them."""
        found: List[Any] = [None] * len(self._specs)
        for place, value in zip(self._early, chosen):
            found[place] = value.array()
        for place, value in zip(self._fed, fed):
            found[place] = value
        return found + list(fed[len(self._fed) :])

    def _split(self, inputs: Sequence[Any]) -> Tuple[Chosen, List[Any]]:
        """Returns the inputs that are chosen, and those that are fed."""
        if len(inputs) < len(self._specs):
            raise ValueError(self._count_error(len(inputs)))
        chosen = tuple(_Chosen.of(self._as_chosen(place, inputs[place])) for place in self._early)
        return chosen, [inputs[place] for place in self._fed]

    def _as_chosen(self, place: int, value: Any) -> Array:
        """Returns an input that the translation has to know. Raises TypeError and ValueError if it is not the
        model's."""
        name, wanted = self.input_names[place], self._specs[place]
        array = _dtypes.as_numpy(value) if isinstance(value, (np.ndarray, np.generic)) else _dtypes.literal(
            value, wanted.dtype)  # fmt: skip
        _check(name, wanted, array)
        return array

    def _count_error(self, found: int) -> str:
        return f"{self._model.name} has {len(self._specs)} inputs, {', '.join(self.input_names)}: found {found}"

    def __call__(self, *inputs: Any, training: bool = False) -> Any:
        if _trace.is_tracing() or training:
            return super().__call__(*inputs, training=training)
        if len(inputs) != len(self._specs):
            raise ValueError(self._count_error(len(inputs)))
        chosen, fed = self._split(self._carried(inputs))
        found = self._forward_for(chosen)(*map(self._as_fed, fed))
        if not any(self._model.output_elements):
            return found
        results = [one if element is None else np.asarray(one).astype(element.dtype) for one, element in
                   zip(found if isinstance(found, tuple) else (found,), self._model.output_elements)]  # fmt: skip
        return results[0] if len(results) == 1 else tuple(results)

    def _carried(self, inputs: Sequence[Any]) -> List[Any]:
        """Returns the inputs, with the values of those of 2 to 8 bits in a wider type."""
        return [value if one.element is None else as_carried(value, one.element, f"input '{one.name}'")
                for one, value in zip(self._model.inputs, inputs)]  # fmt: skip

    def _entries(self) -> Dict[str, Function]:
        found = {"forward": self._forward}
        if self._steps:
            # The one that was made last.
            found["step"] = list(self._steps.values())[-1]
        return found

    @staticmethod
    def _named(target: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
        """Returns a function whose arguments have these names, as its feeds then have."""

        def named(*arguments: Any) -> Any:
            return target(*arguments)

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        named.__signature__ = inspect.Signature([inspect.Parameter(one, kind) for one in names])  # type: ignore[attr-defined]
        return named

    def _emit(self, inputs: Sequence[Any], training: bool) -> Any:
        if len(inputs) != len(self._specs):
            raise ValueError(self._count_error(len(inputs)))
        known = {self.input_names[place]: Known(self._as_chosen(place, inputs[place])) for place in self._early
                 if not isinstance(inputs[place], Tensor)}  # fmt: skip
        tensors = {name: as_tensor(x) for name, x in zip(self.input_names, inputs) if name not in known}
        for name, one in zip(self.input_names, self._specs):
            if name in tensors:
                _check(name, one, tensors[name])
        constants = {**self._constants, **known}
        elements = {one.name: one.element for one in self._model.inputs}
        values = {name: Laid(x) if element is None else Small(x, element)
                  for name, x in tensors.items() for element in (elements[name],)}  # fmt: skip
        interpreter = Interpreter(
            self._model.name, self._model.versions, values, constants, self.variables, self._orders, self._dims,
            training, self._keeps_modes_of(training))  # fmt: skip
        found = interpreter.run(self._model.graph)
        for name, result, wanted in zip(self.output_names, found, self._model.output_elements):
            own = result.element if isinstance(result, Small) else None
            if own != wanted:
                kinds = [_dtypes.name_of(result.dtype) if kind is None else kind.name for kind in (wanted, own)]
                raise ValueError(f"{self._model.name}: output '{name}' has elements of {kinds[1]}, expected "
                                 f"{kinds[0]}")  # fmt: skip
        outputs = [one.plain() for one in found]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _keeps_modes_of(self, training: bool) -> bool:
        """Returns true if nodes have the modes of the file, as by default in a model that is not trained."""
        is_only_run = self._optimizer is None and not training
        return is_only_run if self._keeps_modes is None else self._keeps_modes

    def _emit_loss(self, arguments: Sequence[Any]) -> Tensor:
        assert self._loss is not None
        count = len(self._specs)
        return self._loss(self._emit(arguments[:count], True), *arguments[count:])  # type: ignore[no-any-return]

    def step(self, *arguments: Any) -> Any:
        """One step of training on inputs and targets. Returns the loss."""
        if self._optimizer is None:
            return super().step(*arguments)
        count = len(self._specs)
        if len(arguments) < count:
            raise ValueError(self._count_error(len(arguments)))
        values = [as_array(value) for value in [*self._carried(arguments), *arguments[count:]]]
        targets = self._targets
        if targets is None:
            targets = tuple(self._target_spec(value, values[:count]) for value in values[count:])
        chosen, fed = self._split(values)
        return self._step_for(chosen, targets)(*fed, *values[count:])

    def _step_for(self, chosen: Chosen, targets: Tuple[TensorSpec, ...]) -> Function:
        if (chosen, targets) not in self._steps:
            names = _identifiers([*self._feeds, *(f"target_{i}" if i else "target" for i in range(len(targets)))])
            specs = [self._specs[place] for place in self._fed]
            self._steps[chosen, targets] = function(
                self._named(lambda *fed: self._train(*self._joined(chosen, fed)), names), name="step",
                signature=[*specs, *targets])  # fmt: skip
        return self._steps[chosen, targets]

    def _target_spec(self, value: Any, inputs: Sequence[Any]) -> TensorSpec:
        """Returns the spec of a target of a step: a size that an input's dimension at this place has by name is that
        one."""
        array = _dtypes.as_numpy(value)
        if not isinstance(value, (np.ndarray, np.generic)):
            array = _dtypes.literal(value)
        dims: List[Any] = list(array.shape)
        for axis, dim_size in enumerate(array.shape):
            for one, given in zip(self._specs, inputs):
                shape = np.shape(given)
                if len(one.shape) == len(shape) > axis and isinstance(one.shape[axis], str) and shape[axis] == dim_size:
                    dims[axis] = one.shape[axis]
                    break
        return TensorSpec(tuple(dims), _dtypes.as_dtype(array.dtype))

    def state_dict(self) -> Dict[str, Array]:
        """Copies of the values of variables by the names of initializers, in the shapes of the file."""
        state = {}
        for name, variable in self.variables.items():
            order = self._orders.get(id(variable))
            back = None if order is None else np.argsort(order).tolist()
            state[name] = np.array(arrange(variable.numpy(), back), order="C")
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Sets all variables. Raises ValueError where names or shapes differ, TypeError where dtypes do, and then
        changes nothing."""
        absent = [name for name in self.variables if name not in state]
        unknown = [name for name in state if name not in self.variables]
        if absent or unknown:
            raise ValueError(f"the state is not that of this model: it lacks {absent}, and has {unknown} besides")
        arrays = {name: _dtypes.as_numpy(state[name]) for name in self.variables}
        for name, array in arrays.items():
            tensor = self._model.initializers[name]
            if array.shape != tuple(tensor.dims):
                raise ValueError(f"'{name}' has the shape {tuple(tensor.dims)}, found {array.shape}")
            if array.dtype != self.variables[name].dtype:
                raise TypeError(f"'{name}' has the dtype {self.variables[name].dtype}, found {array.dtype}")
        for name, array in arrays.items():
            variable = self.variables[name]
            variable.set(np.array(arrange(array, self._orders.get(id(variable))), order="C"))

    def export_weights(self, path: Union[str, Path]) -> None:
        """Writes the model that was loaded with the values that variables have now, a file of ONNX. Raises OSError."""
        _file.write(self._model.proto, path, self.state_dict())


def _check(name: str, wanted: TensorSpec, x: Union[Tensor, Array]) -> None:
    """Checks that the model is for an input. Raises ValueError."""
    known = x._dims if isinstance(x, Tensor) else x.shape
    fits = len(wanted.shape) == x.ndim and all(
        not isinstance(dim, int) or own is None or dim == own for dim, own in zip(wanted.shape, known))  # fmt: skip
    if not fits or wanted.dtype != x.dtype:
        dims = tuple(dim if isinstance(dim, int) else None for dim in wanted.shape)
        raise ValueError(f"input '{name}' is {_dtypes.name_of(wanted.dtype)}{format_shape(dims)}, found "
                         f"{_dtypes.name_of(x.dtype)}{format_shape(known)}")  # fmt: skip


def _refuse_missing(read: _file.Model) -> None:
    missing: List[MissingOp] = find_missing(read.graph, read.versions)
    if missing:
        raise refuse("ONNX", missing)


def load(
    model: Any,
    *,
    loss: Loss = None,
    optimizer: Optional[Optimizer] = None,
    trainable: Trainable = None,
    sizes: Optional[Mapping[str, int]] = None,
    targets: Optional[Sequence[TensorSpec]] = None,
    keep_modes: Optional[bool] = None,
    name: str = "",
) -> OnnxModel:
    """Imports a model of ONNX: a path, or an `onnx.ModelProto`, with ops of version 13 or later.

    Inputs of the graph are what a call feeds; a dimension that has a name there has the
    size that the call chooses, unless `sizes`, {"batch": 32}, says one. Initializers of floating-point numbers are
    variables under their names (with the prefix `name/`, if that is given). All of these are trained, except the
    statistics of batch norms and the buffers of PyTorch's exporter. Initializers that are one number without a
    dimension, that were not made of parameters (if the exporter marks these), that are not floating-point numbers, or
    that an op has to know before the step (axes, bounds, ratios), are constants. `trainable`, a list of names or a
    function of a name, says instead which are trained.

    `loss` is a function of the outputs and of targets, of this package's ops, or the name
    of a loss of `flywheel.nn`; `optimizer` minimizes its result in `step`. `targets` lists
    a `flywheel.spec` for each target; without it, they are what the first call brings, and
    their dimensions of an input's size have its name. A step runs batch norms and dropouts
    in training mode; with an optimizer, inference never does. `keep_modes=True` has the
    modes of the file in steps and inference, `False` in neither; without an optimizer,
    inference has them by default. Only a step changes statistics.

    Raises UnsupportedOpError, before anything is compiled, where ops, attributes or types
    have no translation: `missing` lists all of them with the nodes that have them.
    FileNotFoundError where a file, or one that it has data in, is not there; ValueError for
    a file that is none of ONNX, or breaks its rules.
    """
    if (optimizer is None) != (loss is None):
        raise ValueError("expected both a loss and an optimizer, or neither")
    read = _file.Model(model)
    with _file.naming(read.name):
        try:
            read.check()
        except ValueError:
            # Unknown ops may break rules.
            _refuse_missing(read)
            raise
        read.prepare(dict(sizes or {}))
        expand_functions(read, HANDLERS)
        _refuse_missing(read)
    with current_namespace().all_or_nothing():
        return OnnxModel(read, loss, optimizer, targets, trainable, keep_modes, name)
