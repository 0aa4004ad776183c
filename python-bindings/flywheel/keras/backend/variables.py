# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables, and what changes them."""

from typing import Any, Optional

import numpy as np

from ..._core import dtypes as _dtypes
from ..._core.argument_checks import optional_integer
from ..._errors.messages import about, wrong
from ...v1 import ops as _v1
from ...v1.conversion import as_tensor
from ...v1.elementwise import TABLE
from ...v1.graph import GraphKeys, get_default_graph
from ...v1.initialization import is_initialized_in
from ...v1.operation import Tensor
from ...v1.sparse_tensors import SparseTensor
from ...v1.variables import Variable
from . import sessions
from .operations import cast, int_shape
from .settings import floatx


def variable(value: Any, dtype: Any = None, name: Optional[str] = None, constraint: Any = None) -> Any:
    """A new variable with this initial value (S7); of a sparse matrix of SciPy a constant sparse tensor, as in
    Keras."""
    if hasattr(value, "tocoo"):
        own = value.tocoo()
        made = SparseTensor(np.stack([own.row, own.col], 1), _dtypes.as_numpy(
            own.data, _dtypes.as_dtype(dtype or floatx())), own.shape)  # fmt: skip
        made._keras_shape, made._uses_learning_phase = tuple(own.shape), False
        return made
    if isinstance(value, (Tensor, Variable)):
        value = as_tensor(value)
        if dtype is not None and value.dtype != _dtypes.as_dtype(dtype):
            value = _v1.cast(value, dtype)
        return Variable(value, name=name, constraint=constraint)
    array = _dtypes.as_numpy(value, _dtypes.as_dtype(dtype or floatx()))
    found = Variable(array, name=name, constraint=constraint)
    return found


def zeros(shape: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A variable of zeros; a tensor where a size is 0 or not known."""
    return _filled(0, shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: Optional[str] = None) -> Any:
    """A variable of ones; a tensor where a size is 0 or not known."""
    return _filled(1, shape, dtype, name)


def _filled(value: int, shape: Any, dtype: Any, name: Optional[str]) -> Any:
    sizes = tuple(shape)
    if all(isinstance(d, (int, np.integer)) and d > 0 for d in sizes):
        return variable(np.full(sizes, value), dtype, name)
    return (_v1.ones if value else _v1.zeros)(list(sizes), dtype or floatx())


def _drawn(distribution: str, seed: Any, first: Any, second: Any, shape: Any) -> Any:
    """Draws numbers of a distribution of NumPy, with its two parameters, which broadcast to the shape. Without a seed,
    NumPy draws one, as in Keras."""
    own = optional_integer("seed", seed)
    draws = np.random.default_rng(np.random.randint(10**9) if own is None else own % 2**64)
    try:
        return getattr(draws, distribution)(first, second, shape)
    except (TypeError, ValueError, OverflowError) as error:
        raise about(f"random_{distribution}_variable", type(error)(
            f"of shape {shape!r} with {first!r} and {second!r}: {error}"), " ") from None  # fmt: skip


def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: Optional[str] = None, seed: Any = None
) -> Variable:
    found: Variable = variable(_drawn("uniform", seed, low, high, shape), dtype, name)
    return found


def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: Optional[str] = None, seed: Any = None
) -> Variable:
    found: Variable = variable(_drawn("normal", seed, mean, scale, shape), dtype, name)
    return found


def count_params(x: Any) -> int:
    return int(np.prod([d or 0 for d in int_shape(x)]))


def update(x: Variable, new_x: Any) -> Tensor:
    """Sets a variable, when a function with this among its updates runs."""
    return variable_of(x).assign(_as(x, new_x))


def update_add(x: Variable, increment: Any) -> Tensor:
    return variable_of(x).assign_add(_as(x, increment))


def update_sub(x: Variable, decrement: Any) -> Tensor:
    return variable_of(x).assign_sub(_as(x, decrement))


def variable_of(x: Any) -> Variable:
    """A variable; raises TypeError for others."""
    if not isinstance(x, Variable):
        raise wrong(TypeError, "a variable", type(x).__name__)
    return x


def _as(x: Variable, value: Any) -> Any:
    if isinstance(value, (Tensor, Variable)):
        return value if value.dtype == x.dtype else cast(value, x.dtype)
    return value


def moving_average_update(x: Variable, value: Any, momentum: float) -> Tensor:
    """Moves an average, without the bias that comes from its start at 0 (R10). If the variable is set or loaded, the
    average goes on from that value."""
    x = variable_of(x)
    value = cast(value, x.dtype)
    biased = zeros(int_shape(x), x.dtype, f"{x.op.name}/biased")
    step = zeros((), x.dtype, f"{x.op.name}/local_step")
    for own in (biased, step):
        get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES).remove(own)
    moved = biased - (biased - value) * (1 - momentum)
    count = step + 1
    with get_default_graph().control_dependencies([update(biased, moved), update(step, count)]):
        done = x._write("Assign", "assign", moved / (1 - TABLE["pow"](momentum, count)), None)
    # The variables that a saved model keeps of the average.
    done.op.fields = done.op.fields._replace(hidden={"biased": biased, "local_step": step})
    _go_on(x, biased, step)
    return done


def _go_on(x: Variable, biased: Variable, step: Variable) -> None:
    """Begins an average where the variable already is: where it was set or loaded, or another call of its layer has
    moved it."""
    before, known = x._debiased[-1:], x._is_given
    x._debiased.append((biased, step))
    if not before and not known:
        return
    session = sessions.current_session()
    if not before and is_initialized_in(x, session):
        x._go_on_from_value(session)
    for pair in before:
        if all(is_initialized_in(v, session) for v in pair):
            for own, other in zip((biased, step), pair):
                own.load(session.store[other.op_name], session)
