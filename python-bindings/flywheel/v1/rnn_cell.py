# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.nn.rnn_cell`: one step of recurrent networks.

A cell takes inputs [batch, n] and a state, and gives outputs [batch, output_size] and the next state. It makes its
variables at the first call, and takes the same ones at each other call.
"""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .._core import dtypes as _dtypes
from .._errors.messages import about
from . import nn
from .conversion import as_tensor
from .namespaces import missing
from .ops import clip_by_value, concat, matmul, split, zeros
from .random_ops import constant_initializer, zeros_initializer
from .scopes import get_variable, variable_scope
from .structures import flatten, pack


class LSTMStateTuple(NamedTuple):
    """The state of LSTMs: the memory, and the output."""

    c: Any
    h: Any


class RNNCell:
    """The base class of cells."""

    # The name of the scope of variables.
    kind = "rnn_cell"

    def __init__(self, name: Optional[str] = None, reuse: Any = None, dtype: Any = None):
        self._name, self._reuse, self._dtype = name or self.kind, reuse, dtype
        self._weights: Optional[Dict[str, Any]] = None

    @property
    def state_size(self) -> Any:
        """The sizes of the state, in its form."""
        raise NotImplementedError

    @property
    def output_size(self) -> int:
        raise NotImplementedError

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros."""

        def make(size: Any) -> Any:
            if isinstance(size, tuple):
                made = [make(s) for s in size]
                return type(size)(*made) if hasattr(size, "_fields") else tuple(made)
            return zeros([batch_size, size], dtype)

        return make(self.state_size)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        x = as_tensor(inputs)
        if self._weights is None:
            size = x.shape[-1].value
            if size is None:
                raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {x.shape}")
            with variable_scope(scope, default_name=self._name, reuse=self._reuse if scope is not None else None):
                self._weights = self.build(int(size), self._dtype or x.dtype)
        return self.call(x, state, self._weights)

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        """Returns the variables for this number of inputs."""
        raise NotImplementedError

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        """The outputs, and the next state."""
        raise NotImplementedError


class _Units(RNNCell):
    """Cells of some units."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, name: Optional[str] = None,
                 dtype: Any = None):  # fmt: skip
        super().__init__(name, reuse, dtype)
        self._num_units = num_units
        self._activation = activation or nn.tanh

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units


def _linear(x: Any, h: Any, weights: Dict[str, Any], prefix: str = "") -> Any:
    """[x, h] kernel + bias."""
    kernel, n = weights[prefix + "kernel"].value(), x.static_shape[-1]
    # Two products: the sizes of x and h need not be compared in a loop, and that of x is one of all steps.
    return nn.bias_add(matmul(x, kernel[:n]) + matmul(h, kernel[n:]), weights[prefix + "bias"])


class BasicRNNCell(_Units):
    """h' = activation([x, h] kernel + bias)."""

    kind = "basic_rnn_cell"

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        shape = [inputs + self._num_units, self._num_units]
        return {"kernel": get_variable("kernel", shape, dtype),
                "bias": get_variable("bias", [self._num_units], dtype, zeros_initializer())}  # fmt: skip

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        h = self._activation(_linear(x, state, weights))
        return h, h


class GRUCell(_Units):
    """r, u = sigmoid([x, h] gates); h' = u h + (1 - u) activation([x, r h] candidate) (Cho et al., 2014)."""

    kind = "gru_cell"

    def __init__(
        self, num_units: int, activation: Any = None, reuse: Any = None, kernel_initializer: Any = None,
        bias_initializer: Any = None, name: Optional[str] = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        found, n = {}, self._num_units
        for prefix, times, start in (("gates/", 2, constant_initializer(1.0)), ("candidate/", 1, zeros_initializer())):
            found[prefix + "kernel"] = get_variable(prefix + "kernel", [inputs + n, times * n], dtype,
                                                    self._kernel_initializer)  # fmt: skip
            found[prefix + "bias"] = get_variable(prefix + "bias", [times * n], dtype, self._bias_initializer or start)
        return found

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        r, u = split(nn.sigmoid(_linear(x, state, weights, "gates/")), 2, 1)
        candidate = self._activation(_linear(x, r * state, weights, "candidate/"))
        h = u * state + (1 - u) * candidate
        return h, h


class _LSTM(_Units):
    def __init__(self, num_units: int, forget_bias: float, state_is_tuple: bool, **kwargs: Any):
        super().__init__(num_units, **kwargs)
        self._forget_bias, self._is_tuple = forget_bias, state_is_tuple

    @property
    def state_size(self) -> Any:
        c, h = self._num_units, self.output_size
        return LSTMStateTuple(c, h) if self._is_tuple else c + h

    def _parts(self, state: Any) -> Any:
        """Returns the memory and the output of the step before."""
        if not self._is_tuple:
            return split(state, [self._num_units, self.output_size], 1)
        if not isinstance(state, (list, tuple)) or len(state) != 2:
            raise ValueError(f"the state of a {type(self).__name__} is a pair (c, h) of tensors, found {state!r}")
        return state

    def _state(self, c: Any, h: Any) -> Any:
        return LSTMStateTuple(c, h) if self._is_tuple else concat([c, h], 1)


class BasicLSTMCell(_LSTM):
    """i, j, f, o = [x, h] kernel + bias; c' = sigmoid(f + forget_bias) c + sigmoid(i) activation(j);
    h' = sigmoid(o) activation(c') (Zaremba et al., 2014)."""

    kind = "basic_lstm_cell"

    def __init__(self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
                 reuse: Any = None, name: Optional[str] = None, dtype: Any = None):  # fmt: skip
        super().__init__(num_units, forget_bias, state_is_tuple, activation=activation, reuse=reuse, name=name,
                         dtype=dtype)  # fmt: skip

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        n = self._num_units
        return {"kernel": get_variable("kernel", [inputs + n, 4 * n], dtype),
                "bias": get_variable("bias", [4 * n], dtype, zeros_initializer())}  # fmt: skip

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        c, h = self._parts(state)
        i, j, f, o = split(_linear(x, h, weights), 4, 1)
        c = c * nn.sigmoid(f + self._forget_bias) + nn.sigmoid(i) * self._activation(j)
        h = self._activation(c) * nn.sigmoid(o)
        return h, self._state(c, h)


class LSTMCell(_LSTM):
    """As `BasicLSTMCell`, and with `use_peepholes` the memory times a vector is added to i, f (before the step) and o
    (after it); `cell_clip` bounds the memory; outputs are projected to `num_proj` numbers, which `proj_clip` bounds
    (Sak et al., 2014)."""

    kind = "lstm_cell"

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: Optional[float] = None, initializer: Any = None,
        num_proj: Optional[int] = None, proj_clip: Optional[float] = None, num_unit_shards: Any = None,
        num_proj_shards: Any = None, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
        reuse: Any = None, name: Optional[str] = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__(num_units, forget_bias, state_is_tuple, activation=activation, reuse=reuse, name=name,
                         dtype=dtype)  # fmt: skip
        if num_unit_shards is not None or num_proj_shards is not None:
            raise about("flywheel.v1.nn.rnn_cell.LSTMCell", NotImplementedError("variables in several parts"))
        self._peepholes, self._cell_clip, self._initializer = use_peepholes, cell_clip, initializer
        self._num_proj, self._proj_clip = num_proj, proj_clip

    @property
    def output_size(self) -> int:
        return self._num_proj or self._num_units

    def build(self, inputs: int, dtype: Any) -> Dict[str, Any]:
        n = self._num_units
        found = {"kernel": get_variable("kernel", [inputs + self.output_size, 4 * n], dtype, self._initializer),
                 "bias": get_variable("bias", [4 * n], dtype, zeros_initializer())}  # fmt: skip
        for key in ("w_f_diag", "w_i_diag", "w_o_diag") if self._peepholes else ():
            found[key] = get_variable(key, [n], dtype, self._initializer)
        if self._num_proj:
            found["projection"] = get_variable("projection/kernel", [n, self._num_proj], dtype, self._initializer)
        return found

    def call(self, x: Any, state: Any, weights: Dict[str, Any]) -> Tuple[Any, Any]:
        c, h = self._parts(state)
        i, j, f, o = split(_linear(x, h, weights), 4, 1)
        f = f + self._forget_bias
        if self._peepholes:
            i, f = i + weights["w_i_diag"] * c, f + weights["w_f_diag"] * c
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        h = nn.sigmoid(o + weights["w_o_diag"] * c if self._peepholes else o) * self._activation(c)
        if self._num_proj:
            h = matmul(h, weights["projection"])
            if self._proj_clip is not None:
                h = clip_by_value(h, -self._proj_clip, self._proj_clip)
        return h, self._state(c, h)


class MultiRNNCell(RNNCell):
    """Cells one after the other."""

    kind = "multi_rnn_cell"

    def __init__(self, cells: Sequence[RNNCell], state_is_tuple: bool = True):
        super().__init__()
        if not cells:
            raise about("MultiRNNCell", ValueError("Must specify at least one cell for MultiRNNCell."), None)
        self._cells: List[RNNCell] = list(cells)
        self._is_tuple = state_is_tuple
        if not state_is_tuple and any(isinstance(cell.state_size, tuple) for cell in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes "
                             f"are: {[cell.state_size for cell in cells]}")  # fmt: skip

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        return self._cells[-1].output_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        x, states = inputs, []
        if not self._is_tuple:
            state = split(state, [cell.state_size for cell in self._cells], 1)
        elif not isinstance(state, (list, tuple)) or len(state) != len(self._cells):
            raise ValueError(f"Expected state to be a tuple of length {len(self._cells)}, but received: {state!r}")
        with variable_scope(scope, default_name=self._name):
            for i, (cell, own) in enumerate(zip(self._cells, state)):
                with variable_scope(f"cell_{i}"):
                    x, new = cell(x, own)
                states.append(new)
        return x, tuple(states) if self._is_tuple else concat(states, 1)


class CellWrapper(RNNCell):
    """A cell around another one, with its sizes and its state of zeros."""

    def __init__(self, cell: RNNCell, reuse: Any = None):
        super().__init__(reuse=reuse)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> int:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._cell.zero_state(batch_size, dtype)


class DropoutWrapper(CellWrapper):
    """A cell whose inputs, outputs and states lose elements: those that stay are divided by the probability of it.
    A loop draws nothing while it is differentiated, so in `dynamic_rnn` a probability below 1 is refused; `static_rnn`
    takes it. `input_size` and `dtype` are for `variational_recurrent`, and have no effect."""

    kind = "dropout_wrapper"

    def __init__(
        self, cell: RNNCell, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0, state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False, input_size: Any = None, dtype: Any = None, seed: Any = None,
    ):  # fmt: skip
        super().__init__(cell)
        if variational_recurrent:
            raise about("flywheel.v1.nn.rnn_cell.DropoutWrapper", NotImplementedError("variational_recurrent"))
        for name, value in (("input", input_keep_prob), ("output", output_keep_prob), ("state", state_keep_prob)):
            if isinstance(value, (int, float)) and not 0.0 < value <= 1.0:
                raise ValueError(f"Parameter {name}_keep_prob must be in (0, 1], found {value}")
        self._seed = seed
        self._keep = [1.0 if isinstance(p, (int, float)) and p == 1 else p
                      for p in (input_keep_prob, output_keep_prob, state_keep_prob)]  # fmt: skip

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        output, new = self._cell(nn.dropout(inputs, self._keep[0], seed=self._seed), state, scope)
        if self._keep[2] != 1.0:
            new = pack(new, [nn.dropout(s, self._keep[2], seed=self._seed) for s in tensors_of(new)])
        return nn.dropout(output, self._keep[1], seed=self._seed), new


class ResidualWrapper(CellWrapper):
    """A cell whose output is the input plus what the cell makes of it."""

    kind = "residual_wrapper"

    def __init__(self, cell: RNNCell, residual_fn: Any = None):
        super().__init__(cell)
        self._function = residual_fn or (lambda x, y: x + y)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        output, new = self._cell(inputs, state, scope)
        return self._function(inputs, output), new


def tensors_of(state: Any) -> List[Any]:
    """The tensors of a state."""
    return [as_tensor(x, _dtypes.float32 if isinstance(x, (int, float)) else None) for x in flatten(state)]


__all__ = ["BasicLSTMCell", "BasicRNNCell", "GRUCell", "LSTMCell", "LSTMStateTuple", "MultiRNNCell", "RNNCell"]


def __getattr__(name: str) -> Any:
    raise missing(f"nn.rnn_cell.{name}")
