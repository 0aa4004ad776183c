# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of cells, which programs may write themselves."""

import inspect
from typing import Any, Dict, List, Tuple

from ...v1.conversion import as_tensor
from .. import backend as K
from .. import regularizers
from .._serialization import plain
from ..engine.topology import Layer, to_list
from ._gated import Stateful
from .wrappers import Wrapper


def _sizes(cell: Any) -> List[int]:
    """Returns the sizes of a cell's states."""
    return [cell.state_size] if isinstance(cell.state_size, int) else [int(n) for n in cell.state_size]


def _takes(cell: Any, name: str) -> bool:
    return name in inspect.signature(cell.call).parameters


def _build(cell: Any, shape: Any, constants: List[Any]) -> None:
    """Builds a cell that is a layer for inputs of a step, and constants if it takes them."""
    if isinstance(cell, Layer) and not cell.built:
        cell.build([shape, *constants] if constants and _takes(cell, "constants") else shape)
        cell.built = True


def _call(cell: Any, inputs: Any, states: Any, given: Dict[str, Any]) -> Any:
    """Calls a cell with those of the arguments that it takes."""
    return cell.call(inputs, states, **{key: value for key, value in given.items() if _takes(cell, key)})


class StackedRNNCells(Layer):
    """Cells of which each one takes the outputs of the one before; the states of the last one come first."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ValueError(f"All cells must have a `call` method and a `state_size`, found {cell!r}")
        self.cells = list(cells)

    @property
    def state_size(self) -> Tuple[int, ...]:
        return tuple(n for cell in reversed(self.cells) for n in _sizes(cell))

    @property
    def output_size(self) -> int:
        return int(getattr(self.cells[-1], "output_size", _sizes(self.cells[-1])[0]))

    def build(self, input_shape: Any) -> None:
        shape, *constants = input_shape if isinstance(input_shape, list) else [input_shape]
        for cell in self.cells:
            _build(cell, shape, constants)
            shape = (shape[0], _sizes(cell)[0])
        self.built = True

    def call(self, inputs: Any, states: Any = (), constants: Any = None, training: Any = None, **kwargs: Any) -> Any:
        parts: List[List[Any]] = []
        left = list(states)
        for cell in reversed(self.cells):
            parts.append([left.pop(0) for _ in _sizes(cell)])
        given = {**kwargs, **({"constants": constants} if constants else {}), "training": training}
        output, new = inputs, []
        for cell, own in zip(self.cells, reversed(parts)):
            output, made = _call(cell, output, own, given)
            new.append(list(made))
        return output, [s for made in reversed(new) for s in made]

    def draw(self, inputs: Any, width: int, training: Any = None) -> None:
        """Draws what the steps of each cell drop."""
        for cell in self.cells:
            if hasattr(cell, "draw"):
                cell.draw(inputs, width, training)
            width = _sizes(cell)[0]

    def forget(self) -> None:
        for cell in self.cells:
            if hasattr(cell, "forget"):
                cell.forget()

    @property
    def _layers(self) -> List[Layer]:
        return [cell for cell in self.cells if isinstance(cell, Layer)]

    @property
    def trainable_weights(self) -> List[Any]:
        return [w for cell in self._layers for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        fixed = [w for cell in self._layers for w in cell.non_trainable_weights]
        return fixed if self.trainable else [*[w for cell in self._layers for w in cell.trainable_weights], *fixed]

    @property
    def weights(self) -> List[Any]:
        return [w for cell in self._layers for w in cell.weights]

    @property
    def losses(self) -> List[Any]:
        return [x for cell in self._layers for x in cell.losses]

    def get_losses_for(self, inputs: Any) -> List[Any]:
        return [x for cell in self._layers for x in cell.get_losses_for(inputs)]

    def _named_weights(self) -> List[Tuple[str, Any]]:
        return [(f"cell_{i}/{name}", w) for i, cell in enumerate(self._layers) for name, w in cell._named_weights()]

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "cells": [plain(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        from . import deserialize

        return cls(**{**config, "cells": [deserialize(cell) for cell in config["cells"]]})


class RNN(Wrapper, Stateful):
    """A cell over time: [batch, time, ...] becomes the last output, or with `return_sequences` all of them.

    A cell has `state_size`, a number or several, and `call(inputs, states)`, which gives the output and the next
    states; a list of cells is `StackedRNNCells`. A cell that is not a layer has no weights that the layer knows. A call
    may give `constants`, which the cell's `call` takes too. A step that the mask leaves out keeps the states. `unroll`
    has no effect.
    """

    supports_masking = True
    arguments = ("return_sequences", "return_state", "go_backwards", "stateful")

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: bool = False, unroll: bool = False, activity_regularizer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if not hasattr(cell, "call"):
            raise ValueError(f"`cell` should have a `call` method. The RNN was passed: {cell!r}")
        if not hasattr(cell, "state_size"):
            raise ValueError("The RNN cell should have an attribute `state_size` (an integer, or integers)")
        if "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim"))
        Layer.__init__(self, **kwargs)
        self.layer = self._cell = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful = stateful
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._kept: List[Any] = []
        # The number of inputs at the end that are constants.
        self._constants = 0

    def _inner(self) -> List[Tuple[str, Any]]:
        return [("", self._cell)] if isinstance(self._cell, Layer) else []

    @property
    def cell(self) -> Any:
        return self._cell

    def _state_shapes(self) -> List[Tuple[int, ...]]:
        return [(n,) for n in _sizes(self._cell)]

    def build(self, input_shape: Any) -> None:
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        shape, constants = shapes[0], shapes[len(shapes) - self._constants :]
        _build(self._cell, (shape[0], *shape[2:]), constants)
        if self.stateful:
            self._make_states(shape[0])
        self.built = True

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        if constants is not None:
            self._constants = len(to_list(constants))
        given = [*to_list(inputs), *([] if initial_state is None else to_list(initial_state)),
                 *([] if constants is None else to_list(constants))]  # fmt: skip
        return super().__call__(given[0] if len(given) == 1 else given, **kwargs)

    def call(self, inputs: Any, mask: Any = None, training: Any = None, **kwargs: Any) -> Any:
        x, *more = (as_tensor(y) for y in to_list(inputs))
        first, constants = more[: len(more) - self._constants], more[len(more) - self._constants :]
        sizes = _sizes(self._cell)
        if first and len(first) != len(sizes):
            raise ValueError(f"Layer {self.name} expects {len(sizes)} states, but was passed {len(first)} initial "
                             "states.")  # fmt: skip
        keeps = not first and self.stateful
        if keeps:
            first = [as_tensor(s) for s in self._kept]
        first = first or self.get_initial_state(x)
        mask = mask[0] if isinstance(mask, list) else mask
        if hasattr(self._cell, "draw"):
            self._cell.draw(x, K.int_shape(x)[-1], training)

        def step(now: Any, states: Any) -> Any:
            own, fixed = states[: len(sizes)], states[len(sizes) :]
            given = {**kwargs, **({"constants": fixed} if fixed else {}), "training": training}
            return _call(self._cell, now, own, given)

        last, outputs, states = K.rnn(step, x, first, self.go_backwards, mask, constants)
        if hasattr(self._cell, "forget"):
            self._cell.forget()
        if keeps:
            self._keep(states, inputs)
        output = outputs if self.return_sequences else last
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(output), inputs)
        return [output, *states] if self.return_state else output

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        sizes = _sizes(self._cell)
        width = getattr(self._cell, "output_size", sizes[0])
        output = (*shape[:2], width) if self.return_sequences else (shape[0], width)
        return [output, *[(shape[0], n) for n in sizes]] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        own = mask[0] if isinstance(mask, list) else mask
        output = own if self.return_sequences else None
        return [output, *[None] * len(_sizes(self._cell))] if self.return_state else output

    def get_config(self) -> Dict[str, Any]:
        config = super().get_config()
        own = {**{key: value for key, value in config.items() if key != "layer"}, "cell": config["layer"]}
        return {**own, "num_constants": self._constants} if self._constants else own

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        from . import deserialize

        own = {**config, "cell": deserialize(config["cell"])}
        constants = own.pop("num_constants", 0)
        layer = cls(**own)
        layer._constants = constants
        return layer
