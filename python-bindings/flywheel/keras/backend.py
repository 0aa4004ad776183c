# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of Keras 2.1, on graphs of `flywheel.v1`: variables, functions, and arithmetic."""

import builtins
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import _dtypes, _ops
from ..v1 import graph as _graph
from ..v1 import initializers as _random
from ..v1 import nn as _nn
from ..v1 import ops as _v1
from ..v1.graph import Tensor, as_tensor, get_default_graph, make
from ..v1.session import Compiled, Session, get_default_session
from ..v1.variables import Variable, is_initialized_in
from . import _phase

_T = _v1.TABLE
_floatx = "float32"
_epsilon = 1e-7
_manual = False
_session: Optional[Session] = None
_uids: Dict[str, int] = {}


#
# Settings
#


def backend() -> str:
    return "tensorflow"


def floatx() -> str:
    """The dtype of floating-point variables and inputs."""
    return _floatx


def set_floatx(dtype: str) -> None:
    global _floatx
    if dtype not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {dtype}")
    _floatx = dtype


def epsilon() -> float:
    """The small number that is added to divisors."""
    return _epsilon


def set_epsilon(value: float) -> None:
    global _epsilon
    _epsilon = value


def cast_to_floatx(x: Any) -> Any:
    return np.asarray(x, dtype=_floatx)


def image_data_format() -> str:
    return "channels_last"


def get_uid(prefix: str = "") -> int:
    """1, 2, ... for each prefix."""
    _uids[prefix] = _uids.get(prefix, 0) + 1
    return _uids[prefix]


def reset_uids() -> None:
    _uids.clear()


#
# Sessions
#


def get_session() -> Session:
    """The session that functions run in: the default one, or one of Keras's own, with a value for each
    variable (S6)."""
    session = _current()
    if not _manual:
        initialize(session)
    return session


def _current() -> Session:
    global _session
    default = get_default_session()
    if default is not None:
        return default
    if _session is None or _session.graph is not get_default_graph():
        _session = Session()
    return _session


def set_session(session: Session) -> None:
    global _session
    _session = session


def clear_session() -> None:
    """Starts anew, with an empty graph."""
    global _session
    _graph.reset_default_graph()
    reset_uids()
    _phase.placeholders.clear()
    _session = None


def manual_variable_initialization(value: bool) -> None:
    """Whether the program initializes variables itself."""
    global _manual
    _manual = value


def initialize(session: Session) -> None:
    """Gives variables that have no value their initial one."""
    done = session.__dict__.setdefault("_keras_initialized", set())
    rest = []
    for v in session.graph.get_collection(_graph.GraphKeys.GLOBAL_VARIABLES):
        if v in done:
            continue
        done.add(v)
        if is_initialized_in(v, session):
            continue
        literal = v.initial_value.op.attrs.get("literal")
        if literal is None:
            rest.append(v.initializer)
        else:
            v.load(literal, session)
    if rest:
        session.run(rest)


#
# Variables
#


def variable(value: Any, dtype: Any = None, name: Optional[str] = None, constraint: Any = None) -> Variable:
    """A new variable with this initial value (S7)."""
    if isinstance(value, (Tensor, Variable)):
        value = as_tensor(value)
        if dtype is not None and value.dtype != _dtypes.as_dtype(dtype):
            value = _v1.cast(value, dtype)
        return Variable(value, name=name, constraint=constraint)
    array = np.asarray(value, dtype=_dtypes.as_dtype(dtype or _floatx))
    found = Variable(array, name=name, constraint=constraint)
    return found


def constant(value: Any, dtype: Any = None, shape: Any = None, name: Optional[str] = None) -> Tensor:
    return _graph.constant(value, dtype or _floatx, shape, name or "Const")


def zeros(shape: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A variable of zeros; a tensor where a size is 0 or not known."""
    return _filled(0, shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A variable of ones; a tensor where a size is 0 or not known."""
    return _filled(1, shape, dtype, name)


def _filled(value: int, shape: Any, dtype: Any, name: Optional[str]) -> Any:
    sizes = tuple(shape)
    if builtins.all(isinstance(d, (int, np.integer)) and d > 0 for d in sizes):
        return variable(np.full(sizes, value), dtype, name)
    return (_v1.ones if value else _v1.zeros)(list(sizes), dtype or _floatx)


def zeros_like(x: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    y = _T["zeros_like"](x)
    return y if dtype is None else cast(y, dtype)


def ones_like(x: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    y = _T["ones_like"](x)
    return y if dtype is None else cast(y, dtype)


def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: Optional[str] = None, seed: Any = None
) -> Variable:
    return variable(np.random.default_rng(seed).uniform(low, high, shape), dtype, name)


def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: Optional[str] = None, seed: Any = None
) -> Variable:
    return variable(np.random.default_rng(seed).normal(mean, scale, shape), dtype, name)


def get_value(x: Any) -> Any:
    """A copy of the value of a variable (R9)."""
    if not isinstance(x, Variable):
        return eval(x)
    value = get_session().store[x.op_name]
    return value[()] if not value.shape else value


def batch_get_value(ops: Sequence[Any]) -> List[Any]:
    return [get_value(x) for x in ops]


def set_value(x: Variable, value: Any) -> None:
    """Sets a variable now; nothing is compiled."""
    array = np.asarray(value, dtype=x.dtype)
    if array.shape != tuple(x.shape.as_list()):
        raise ValueError(f"Cannot feed value of shape {array.shape} for variable '{x.name}', which has shape {x.shape}")
    x.load(array, _current())


def batch_set_value(tuples: Sequence[Tuple[Variable, Any]]) -> None:
    for x, value in tuples:
        set_value(x, value)


def eval(x: Any) -> Any:
    """The value of a tensor or a variable."""
    return function([], [x])([])[0]


def count_params(x: Any) -> int:
    return int(np.prod([d or 0 for d in int_shape(x)]))


def update(x: Variable, new_x: Any) -> Tensor:
    """Sets a variable, when a function with this among its updates runs."""
    return x.assign(_as(x, new_x))


def update_add(x: Variable, increment: Any) -> Tensor:
    return x.assign_add(_as(x, increment))


def update_sub(x: Variable, decrement: Any) -> Tensor:
    return x.assign_sub(_as(x, decrement))


def _as(x: Variable, value: Any) -> Any:
    if isinstance(value, (Tensor, Variable)):
        return value if value.dtype == x.dtype else cast(value, x.dtype)
    return value


def moving_average_update(x: Variable, value: Any, momentum: float) -> Tensor:
    """Moves an average, without the bias that comes from its start at 0 (R10)."""
    biased = zeros(int_shape(x), x.dtype, f"{x.op.name}/biased")
    step = zeros((), x.dtype, f"{x.op.name}/local_step")
    for own in (biased, step):
        get_default_graph().get_collection_ref(_graph.GraphKeys.TRAINABLE_VARIABLES).remove(own)
    moved = biased - (biased - value) * (1 - momentum)
    count = step + 1
    with get_default_graph().control_dependencies([update(biased, moved), update(step, count)]):
        return update(x, moved / (1 - _T["pow"](momentum, count)))


#
# Inputs and functions
#


def placeholder(
    shape: Any = None, ndim: Optional[int] = None, dtype: Any = None, sparse: bool = False, name: Optional[str] = None
) -> Tensor:
    """A tensor that functions are fed."""
    if sparse:
        raise NotImplementedError("flywheel.keras: sparse placeholders")
    sizes = shape if shape is not None else None if ndim is None else (None,) * ndim
    return _v1.placeholder(dtype or _floatx, sizes, name)


def is_placeholder(x: Any) -> bool:
    return isinstance(x, Tensor) and x.op.type == "Placeholder"


def is_keras_tensor(x: Any) -> bool:
    """Whether a tensor is what a layer gave."""
    if not isinstance(x, (Tensor, Variable)):
        raise ValueError(f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance.")
    return hasattr(x, "_keras_history")


learning_phase = _phase.learning_phase
in_train_phase = _phase.in_train_phase


def set_learning_phase(value: int) -> None:
    """Fixes the phase: 0 is test, 1 is training."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phase.placeholders[get_default_graph()] = value


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    return in_train_phase(alt, x, training)


class Function:
    """Calls a part of the graph: see `function`."""

    def __init__(
        self, inputs: Any, outputs: Any, updates: Any = None, name: Optional[str] = None, **session_kwargs: Any
    ) -> None:
        fetches = session_kwargs.pop("fetches", None) or []
        for key in ("feed_dict", "options", "run_metadata"):
            session_kwargs.pop(key, None)
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported at this time: {list(session_kwargs)}")
        for what, given in (("`inputs` to a", inputs), ("`outputs` of a", outputs), ("`updates` in a", updates or [])):
            if not isinstance(given, (list, tuple)):
                raise TypeError(f"{what} Keras backend function should be a list or tuple.")
        self.inputs = list(inputs)
        self.outputs = [as_tensor(x) for x in outputs]
        self.name = name
        self.graph = get_default_graph()
        self._roots: List[Any] = list(self.outputs)
        for one in [*(updates or []), *fetches]:
            made = update(*one) if isinstance(one, tuple) else one
            self._roots.append(made.op if isinstance(made, (Tensor, Variable)) else made)
        phases = [i for i, x in enumerate(self.inputs) if _phase.is_phase(x)]
        self._phase_at = phases[0] if phases else -1
        self._fed = [(i, as_tensor(x)) for i, x in enumerate(self.inputs) if i not in phases]
        self._entries: Dict[Any, Tuple[Session, Compiled, Any]] = {}

    def __call__(self, inputs: Sequence[Any]) -> List[Any]:
        if not isinstance(inputs, (list, tuple)):
            raise TypeError("`inputs` should be a list or tuple.")
        if len(inputs) != len(self.inputs):
            raise ValueError(f"expected {len(self.inputs)} inputs, found {len(inputs)}")
        arrays = [self._feed(x, inputs[i]) for i, x in self._fed]
        phase = int(inputs[self._phase_at]) if self._phase_at >= 0 else None
        shapes = [a.shape if x.static_shape is None else x.static_shape for a, (_, x) in zip(arrays, self._fed)]
        key = (phase, *shapes)
        session = _current()
        found = self._entries.get(key)
        if found is None or found[0] is not session:
            compiled = found[1] if found is not None else self._compile(phase, shapes)
            if not _manual:
                initialize(session)
            session._seed()
            found = self._entries[key] = (session, compiled, session._bind(compiled))
        _, compiled, entry = found
        hosts = [np.ascontiguousarray(op.attrs["host"](session)) for op in compiled.hosts]
        result = entry(*arrays, *hosts)
        count = len(self.outputs)
        results = [result] if count == 1 else list(result) if count else []
        return [x[()] if isinstance(x, np.ndarray) and not x.shape else x for x in results]

    def _feed(self, x: Tensor, value: Any) -> Any:
        array = np.asarray(value, dtype=x.dtype, order="C")
        shape = x.static_shape
        if shape is not None and (
            len(shape) != array.ndim or builtins.any(d not in (None, n) for d, n in zip(shape, array.shape))
        ):
            raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor '{x.name}', which has shape "
                             f"'{x.shape}'")  # fmt: skip
        return array

    def _compile(self, phase: Optional[int], shapes: Any) -> Compiled:
        feeds = [(x, x.dtype, s) for (_, x), s in zip(self._fed, shapes)]
        with _phase.compiling(phase):
            return Compiled(self._roots, feeds, set())


def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Function:
    """What computes `outputs` of `inputs`, from the values that variables have at the call, and then does the
    `updates`: pairs of a variable and its new value, or what `update` gave (R7)."""
    return Function(inputs, outputs, updates, **kwargs)


def gradients(loss: Any, variables: Any) -> List[Any]:
    """The gradient of a loss with respect to each variable, None where it does not depend on it."""
    return _v1.gradients(loss, variables)


def stop_gradient(variables: Any) -> Any:
    if isinstance(variables, (list, tuple)):
        return [_v1.stop_gradient(x) for x in variables]
    return _v1.stop_gradient(variables)


#
# Types and shapes
#


def int_shape(x: Any) -> Any:
    """The shape as a tuple, with None where a size is not known."""
    if hasattr(x, "_keras_shape"):
        return x._keras_shape
    return tuple(x.shape.as_list()) if isinstance(x, Variable) else x.static_shape


def ndim(x: Any) -> int:
    return len(int_shape(x))


def dtype(x: Any) -> str:
    return str(_dtypes.name_of(x.dtype))


def cast(x: Any, dtype: Any) -> Any:
    return x if as_tensor(x).dtype == _dtypes.as_dtype(dtype) else _v1.cast(x, dtype)


def shape(x: Any) -> Any:
    return _v1.shape(x)


def reshape(x: Any, shape: Any) -> Any:
    return _v1.reshape(x, [-1 if d is None else d for d in shape] if isinstance(shape, (list, tuple)) else shape)


def flatten(x: Any) -> Any:
    return _v1.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """All dimensions but the first as one."""
    return make("batch_flatten", lambda y: _ops.reshape(y, [-1, int(np.prod(y.shape[1:]))]), as_tensor(x))


def permute_dimensions(x: Any, pattern: Any) -> Any:
    return _v1.transpose(x, list(pattern))


def transpose(x: Any) -> Any:
    return _v1.transpose(x)


def expand_dims(x: Any, axis: int = -1) -> Any:
    return _v1.expand_dims(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    return _v1.squeeze(x, axis)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    return _v1.concat(tensors, axis)


def stack(x: Any, axis: int = 0) -> Any:
    return _v1.stack(x, axis)


def repeat(x: Any, n: int) -> Any:
    """[samples, dim] as [samples, n, dim]."""
    return _v1.tile(_v1.expand_dims(x, 1), [1, n, 1])


def tile(x: Any, n: Any) -> Any:
    return _v1.tile(x, [n] if isinstance(n, int) else n)


def one_hot(indices: Any, num_classes: int) -> Any:
    return _v1.one_hot(indices, num_classes)


def gather(reference: Any, indices: Any) -> Any:
    """Rows of a table."""
    return _nn.embedding_lookup(reference, indices)


#
# Arithmetic
#

square, sqrt, exp, log, abs, sign, sin, cos = (
    _T[name] for name in ("square", "sqrt", "exp", "log", "abs", "sign", "sin", "cos")
)
round, pow, maximum, minimum = (_T[name] for name in ("round", "pow", "maximum", "minimum"))
equal, not_equal, greater, greater_equal, less, less_equal = (
    _T[name] for name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
)
sigmoid, tanh = _nn.sigmoid, _nn.tanh
softplus, softsign = _nn.softplus, _nn.softsign
identity, switch = _v1.identity, _v1.where


def _reduction(name: str) -> Any:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        y = as_tensor(x)
        if _dtypes.is_bool(y.dtype) and name in ("reduce_mean", "reduce_sum"):
            y = cast(y, _floatx)
        return _T[name](y, axis, keepdims)

    return reduce


sum, mean, max, min, prod, any, all, logsumexp = (
    _reduction("reduce_" + name) for name in ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp")
)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return mean(square(x - mean(x, axis, True)), axis, keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return sqrt(var(x, axis, keepdims))


def argmax(x: Any, axis: int = -1) -> Any:
    return _v1.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    return _v1.argmin(x, axis)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    return _v1.clip_by_value(x, min_value, max_value)


def dot(x: Any, y: Any) -> Any:
    """x times y, of its last dimension and the last but one."""
    return make("dot", _ops.dot, as_tensor(x), as_tensor(y)) if ndim(x) > 2 else _v1.matmul(x, y)


def bias_add(x: Any, bias: Any, data_format: Any = None) -> Any:
    return _nn.bias_add(x, bias)


def relu(x: Any, alpha: float = 0.0, max_value: Any = None) -> Any:
    y = _nn.leaky_relu(x, alpha) if alpha else _nn.relu(x)
    return y if max_value is None else _T["minimum"](y, max_value)


def elu(x: Any, alpha: float = 1.0) -> Any:
    from .. import nn as traced

    return make("Elu", lambda y: traced.elu(y, alpha=alpha), as_tensor(x))


def hard_sigmoid(x: Any) -> Any:
    from .. import nn as traced

    return make("HardSigmoid", traced.hard_sigmoid, as_tensor(x))


def softmax(x: Any) -> Any:
    return _nn.softmax(x)


def l2_normalize(x: Any, axis: Any = None) -> Any:
    return _nn.l2_normalize(x, axis)


def random_uniform(shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.random_uniform(shape, minval, maxval, dtype or _floatx, seed)


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.random_normal(shape, mean, stddev, dtype or _floatx, seed)


def truncated_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    return _random.truncated_normal(shape, mean, stddev, dtype or _floatx, seed)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    return _nn.dropout(x, 1.0 - level, noise_shape, seed)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.keras.backend.{name}; see docs/Keras.md")
