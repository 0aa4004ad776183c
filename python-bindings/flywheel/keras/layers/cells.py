# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of cells, which programs may write themselves."""

from typing import Any, Dict, List, Tuple

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .._serialization import plain
from ..engine.topology import Layer, to_list
from .wrappers import Wrapper


def _sizes(cell: Any) -> List[int]:
    """Returns the sizes of a cell's states."""
    return [cell.state_size] if isinstance(cell.state_size, int) else [int(n) for n in cell.state_size]


class StackedRNNCells(Layer):
    """Cells of which each one takes the outputs of the one before; the states of the last one come first."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not isinstance(cell, Layer) or not hasattr(cell, "state_size"):
                raise ValueError(f"All cells must be layers with a `state_size`, found {cell!r}")
        self.cells = list(cells)

    @property
    def state_size(self) -> Tuple[int, ...]:
        return tuple(n for cell in reversed(self.cells) for n in _sizes(cell))

    def build(self, input_shape: Any) -> None:
        shape = tuple(input_shape)
        for cell in self.cells:
            if not cell.built:
                cell.build(shape)
                cell.built = True
            shape = (shape[0], _sizes(cell)[0])
        self.built = True

    def call(self, inputs: Any, states: Any = (), **kwargs: Any) -> Any:
        parts: List[List[Any]] = []
        left = list(states)
        for cell in reversed(self.cells):
            parts.append([left.pop(0) for _ in _sizes(cell)])
        output, new = inputs, []
        for cell, own in zip(self.cells, reversed(parts)):
            output, made = cell.call(output, own, **kwargs)
            new.append(list(made))
        return output, [s for made in reversed(new) for s in made]

    @property
    def trainable_weights(self) -> List[Any]:
        return [w for cell in self.cells for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        fixed = [w for cell in self.cells for w in cell.non_trainable_weights]
        return fixed if self.trainable else [*[w for cell in self.cells for w in cell.trainable_weights], *fixed]

    @property
    def weights(self) -> List[Any]:
        return [w for cell in self.cells for w in cell.weights]

    @property
    def losses(self) -> List[Any]:
        return [x for cell in self.cells for x in cell.losses]

    def _named_weights(self) -> List[Tuple[str, Any]]:
        return [(f"cell_{i}/{name}", w) for i, cell in enumerate(self.cells) for name, w in cell._named_weights()]

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "cells": [plain(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        from . import deserialize

        return cls(**{**config, "cells": [deserialize(cell) for cell in config["cells"]]})


class RNN(Wrapper):
    """A cell over time: [batch, time, ...] becomes the last output, or with `return_sequences` all of them.

    A cell is a layer with `state_size`, a number or several, and `call(inputs, states)`, which gives the output and the
    next states; a list of cells is `StackedRNNCells`. A step that the mask leaves out keeps the states.
    """

    supports_masking = True
    arguments = ("return_sequences", "return_state", "go_backwards")

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: bool = False, unroll: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if stateful:
            raise NotImplementedError("flywheel.keras.layers.RNN: stateful; SimpleRNN, LSTM and GRU may be")
        cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if not hasattr(cell, "state_size"):
            raise ValueError("The RNN cell should have an attribute `state_size` (an integer, or integers)")
        super().__init__(cell, **kwargs)
        self._cell: Any = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards

    @property
    def cell(self) -> Any:
        return self.layer

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        if not self.layer.built:
            self.layer.build((shape[0], *shape[2:]))
            self.layer.built = True
        self.built = True

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        given = to_list(inputs) + ([] if initial_state is None else to_list(initial_state))
        return super().__call__(given[0] if len(given) == 1 else given, **kwargs)

    def call(self, inputs: Any, mask: Any = None, **kwargs: Any) -> Any:
        x, *first = (as_tensor(y) for y in to_list(inputs))
        sizes = _sizes(self.layer)
        if first and len(first) != len(sizes):
            raise ValueError(f"Layer {self.name} expects {len(sizes)} states, but was passed {len(first)} initial "
                             "states.")  # fmt: skip
        if not first:
            first = [make("zeros", lambda y, n=n: _ops.zeros([_ops.dim(y, 0), n], y.dtype), x) for n in sizes]
        mask = mask[0] if isinstance(mask, list) else mask

        def step(now: Any, states: Any) -> Any:
            return self._cell.call(now, states, **kwargs)

        last, outputs, states = K.rnn(step, x, first, self.go_backwards, mask)
        output = outputs if self.return_sequences else last
        return [output, *states] if self.return_state else output

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        sizes = _sizes(self.layer)
        width = getattr(self.layer, "output_size", sizes[0])
        output = (*shape[:2], width) if self.return_sequences else (shape[0], width)
        return [output, *[(shape[0], n) for n in sizes]] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        own = mask[0] if isinstance(mask, list) else mask
        output = own if self.return_sequences else None
        return [output, *[None] * len(_sizes(self.layer))] if self.return_state else output

    def get_config(self) -> Dict[str, Any]:
        config = super().get_config()
        return {**{key: value for key, value in config.items() if key != "layer"}, "cell": config["layer"]}

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> Any:
        from . import deserialize

        return cls(**{**config, "cell": deserialize(config["cell"])})
