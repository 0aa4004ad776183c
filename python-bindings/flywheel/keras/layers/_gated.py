# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases of recurrent layers and cells: weights of gates, and states that are kept from batch to batch."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from ... import _ops
from ...v1.conversion import as_tensor, make
from ...v1.graph import GraphKeys, get_default_graph
from .. import activations, constraints, initializers, regularizers
from .. import backend as K
from ..engine.topology import Layer, to_list


class Gated(Layer):
    """The base of recurrent layers and cells with a kernel for the inputs and one for the output before, of gates.

    With `dropout` and `recurrent_dropout` (Gal and Ghahramani, 2016) each gate drops inputs, and elements of the output
    before, of its own: the same ones in all steps of a batch. `implementation` has no effect: the compiler chooses.
    """

    gates = 1
    # True if the product with the recurrent kernel has a bias of its own: `bias` is then [2, gates * units].
    reset_after = False
    kernel: Any
    recurrent_kernel: Any
    bias: Any
    arguments: Tuple[str, ...] = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout",
    )  # fmt: skip

    def __init__(
        self, units: int, activation: Any = "tanh", use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, kernel_constraint: Any = None,
        recurrent_constraint: Any = None, bias_constraint: Any = None, dropout: float = 0.0,
        recurrent_dropout: float = 0.0, implementation: int = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        for key, rate in (("dropout", dropout), ("recurrent_dropout", recurrent_dropout)):
            if not 0.0 <= rate < 1.0:
                raise ValueError(f"{key} must be in [0, 1), found {rate}")
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def _make_weights(self, inputs: int) -> None:
        first, second = self._kernel_shapes(inputs)
        weights: List[Any] = [("kernel", first, "kernel"), ("recurrent_kernel", second, "recurrent")]
        if self.use_bias:
            sizes = (self.gates * self.units,)
            weights.append(("bias", (2, *sizes) if self.reset_after else sizes, "bias"))
        for name, sizes, key in weights:
            initializer, regularizer, constraint = (getattr(self, f"{key}_{kind}") for kind in
                                                    ("initializer", "regularizer", "constraint"))  # fmt: skip
            initializer = self._first_bias(initializer) if key == "bias" else initializer
            setattr(self, name, self.add_weight(name, sizes, None, initializer, regularizer, True, constraint))

    def _kernel_shapes(self, inputs: int) -> List[Tuple[int, ...]]:
        """Returns the shapes of the kernel of inputs with this number of channels, and of the recurrent kernel."""
        return [(inputs, self.gates * self.units), (self.units, self.gates * self.units)]

    def _first_bias(self, initializer: Any) -> Any:
        if not getattr(self, "unit_forget_bias", False):
            return initializer

        def start(shape: Any, dtype: Any = None) -> Any:
            bias = np.array(initializer(shape), K.floatx())
            bias[self.units : 2 * self.units] = 1.0
            return bias

        return start


class Stateful(Layer):
    """The base of layers that may begin a batch with the states that the one before it ended with."""

    stateful: bool
    _kept: List[Any]

    def _state_shapes(self) -> List[Tuple[int, ...]]:
        """Returns the shapes of the states, without the batch."""
        raise NotImplementedError

    def assert_input_compatibility(self, inputs: Any) -> None:
        """Raises ValueError for a sequence that does not fit `input_spec`; the inputs behind it are states."""
        super().assert_input_compatibility(to_list(inputs)[:1])

    @property
    def states(self) -> List[Any]:
        """The variables of the states, None for those of a layer that is not stateful, or not built."""
        return list(self._kept) or [None] * len(self._state_shapes())

    def get_initial_state(self, inputs: Any) -> List[Any]:
        """Returns zeros for the states of each example of inputs, [batch, ...]."""

        def zeros(shape: Tuple[int, ...]) -> Any:
            return make("zeros", lambda y: _ops.zeros([_ops.dim(y, 0), *shape], y.dtype), as_tensor(inputs))

        return [zeros(shape) for shape in self._state_shapes()]

    def _make_states(self, batch: Any) -> None:
        if batch is None:
            raise ValueError("If a RNN is stateful, it needs to know its batch size: give the first layer a "
                             "`batch_input_shape`, or Input a `batch_shape`")  # fmt: skip
        self._kept = [K.zeros((batch, *shape), self.dtype, f"state_{i}")
                      for i, shape in enumerate(self._state_shapes())]  # fmt: skip
        for state in self._kept:
            state.trainable = False
            get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES).remove(state)

    def _keep(self, new: Sequence[Any], inputs: Any) -> None:
        self.add_update([K.update(s, y) for s, y in zip(self._kept, new)], inputs)

    def reset_states(self, states: Any = None) -> None:
        """Sets the states, by default to zeros. Raises AttributeError for a layer that is not stateful, ValueError for
        states of another number or shape."""
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if not self._kept:
            raise ValueError(f"Layer {self.name} was not called yet: it has no states")
        given = [np.zeros(K.int_shape(s)) for s in self._kept] if states is None else to_list(states)
        if len(given) != len(self._kept):
            raise ValueError(f"Layer {self.name} expects {len(self._kept)} states, but it received {len(given)} state "
                             "values.")  # fmt: skip
        for state, value in zip(self._kept, given):
            if np.shape(value) != K.int_shape(state):
                raise ValueError(f"State of layer {self.name} is incompatible: expected shape={K.int_shape(state)}, "
                                 f"found shape={np.shape(value)}")  # fmt: skip
        K.batch_set_value(list(zip(self._kept, given)))
