# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of images."""

from typing import Any, Dict, List, Tuple

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import activations, regularizers
from .. import backend as K
from ..engine.specs import InputSpec
from ..engine.topology import one_or_list, to_list
from ..legacy import interfaces as _legacy
from ..utils import conv_utils
from ._gated import Gated, Stateful
from ._weighted import count_of


@_legacy.convlstm2d
class ConvLSTM2D(Gated, Stateful):
    """An LSTM whose products are convolutions (Shi et al., 2015): [batch, time, rows, columns, channels] becomes the
    last output [batch, rows, columns, filters], or with `return_sequences` all of them.

    Inputs are convolved with `strides` and `padding`, states with zeros around them. With the data format
    "channels_first" channels stand before rows. Masks are not taken.
    """

    gates = 4
    arguments: Tuple[str, ...] = (
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "recurrent_activation",
        "unit_forget_bias", "activity_regularizer", "return_sequences", "return_state", "go_backwards", "stateful",
    )  # fmt: skip
    input_spec = InputSpec(ndim=5)

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = (1, 1), activation: Any = "tanh", recurrent_activation: Any = "hard_sigmoid",
        unit_forget_bias: bool = True, activity_regularizer: Any = None, return_sequences: bool = False,
        return_state: bool = False, go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if unroll:
            raise TypeError("Unrolling isn't possible with convolutional RNNs.")
        super().__init__(count_of(filters, "filters"), activation, **kwargs)
        self.filters = self.units
        self.kernel_size = conv_utils.normalize_tuple(kernel_size, 2, "kernel_size")
        self.strides = conv_utils.normalize_tuple(strides, 2, "strides")
        self.padding = conv_utils.normalize_padding(padding)
        self.data_format = conv_utils.normalize_data_format(data_format)
        self.dilation_rate = conv_utils.normalize_tuple(dilation_rate, 2, "dilation_rate")
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self._kept: List[Any] = []
        self._shape: Tuple[int, ...] = ()

    # Shapes

    def _space(self, shape: Any) -> Tuple[int, ...]:
        """Returns the rows and columns of an output. Raises ValueError if they are not known."""
        rows = shape[3:5] if self.data_format == "channels_first" else shape[2:4]
        found = [conv_utils.conv_output_length(n, k, self.padding, s, d)
                 for n, k, s, d in zip(rows, self.kernel_size, self.strides, self.dilation_rate)]  # fmt: skip
        known = tuple(n for n in found if n is not None)
        if len(known) != 2:
            raise ValueError(f"Layer {self.name} takes images of known sizes, found inputs of shape {tuple(shape)}")
        return known

    def _shaped(self, space: Tuple[int, ...]) -> Tuple[int, ...]:
        return (self.filters, *space) if self.data_format == "channels_first" else (*space, self.filters)

    def _state_shapes(self) -> List[Tuple[int, ...]]:
        return [self._shape] * 2

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        channels = shape[2] if self.data_format == "channels_first" else shape[4]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self._shape = self._shaped(self._space(shape))
        self._make_weights(channels)
        if self.stateful:
            self._make_states(shape[0])
        self.built = True

    def _kernel_shapes(self, inputs: int) -> List[Tuple[int, ...]]:
        return [(*self.kernel_size, n, 4 * self.filters) for n in (inputs, self.filters)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        own = self._shaped(self._space(shape))
        output = (*shape[:2], *own) if self.return_sequences else (shape[0], *own)
        return [output, (shape[0], *own), (shape[0], *own)] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        super().compute_mask(inputs, mask)
        return [None] * 3 if self.return_state else None

    # Calls

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        given = to_list(inputs) + ([] if initial_state is None else to_list(initial_state))
        return super().__call__(one_or_list(given), **kwargs)

    def _masks(self, like: Any, shape: Tuple[int, ...], rate: float, training: Any) -> List[Any]:
        """Returns for each gate the elements of an image of each example that are kept."""
        if not rate:
            return []
        kept = make("ones", lambda y: _ops.ones([_ops.dim(y, 0), *shape], y.dtype), like)
        return [K.in_train_phase(K.dropout(kept, rate), kept, training) for _ in range(4)]

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        x, *first = (as_tensor(y) for y in to_list(inputs))
        if first and len(first) != 2:
            raise ValueError(f"Layer {self.name} expects 2 states, but was passed {len(first)} initial states.")
        keeps = not first and self.stateful
        first = [as_tensor(s) for s in self._kept] if keeps else first
        first = first or self.get_initial_state(x)
        dropped = self._masks(x, tuple(K.int_shape(x)[2:]), self.dropout, training)
        dropped_states = self._masks(x, self._shape, self.recurrent_dropout, training)

        def convolved(y: Any, kernel: Any, masks: List[Any], **options: Any) -> List[Any]:
            if not masks:
                return self._parts(K.conv2d(y, kernel, data_format=self.data_format, **options))
            return [K.conv2d(y * mask, kernel[:, :, :, i * self.filters : (i + 1) * self.filters],
                             data_format=self.data_format, **options) for i, mask in enumerate(masks)]  # fmt: skip

        def step(now: Any, states: Any) -> Any:
            parts = convolved(now, self.kernel, dropped, strides=self.strides, padding=self.padding,
                              dilation_rate=self.dilation_rate)  # fmt: skip
            if self.use_bias:
                parts = [K.bias_add(part, self.bias[i * self.filters : (i + 1) * self.filters], self.data_format)
                         for i, part in enumerate(parts)]  # fmt: skip
            more = convolved(states[0], self.recurrent_kernel, dropped_states, padding="same")
            i, f, c, o = (a + b for a, b in zip(parts, more))
            gate = self.recurrent_activation
            memory = gate(f) * states[1] + gate(i) * self.activation(c)
            output = gate(o) * self.activation(memory)
            return output, [output, memory]

        last, outputs, states = K.rnn(step, x, first, self.go_backwards)
        if keeps:
            self._keep(states, inputs)
        output = outputs if self.return_sequences else last
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(output), inputs)
        return [output, *states] if self.return_state else output

    def _parts(self, y: Any) -> List[Any]:
        """Returns the channels of each gate."""
        parts = [slice(i * self.filters, (i + 1) * self.filters) for i in range(4)]
        return [y[:, part] if self.data_format == "channels_first" else y[..., part] for part in parts]

    def get_config(self) -> Dict[str, Any]:
        return {key: value for key, value in super().get_config().items() if key != "units"}
