# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nonlinear least squares by Levenberg and Marquardt, as in TensorFlow Graphics."""

import importlib
import math
import operator
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ..._core import dtypes as _dtypes
from ..._core import trace as _trace
from ..._core.tensor import Tensor, as_tensor, traced_variable, wrap
from ..._flywheel import Attribute, Value
from ..._functions.kept_results import Kept, reference
from ...function import function
from ...variables import Variable

__all__ = ["minimize"]

_MOST_ITERATIONS = 2**63 - 1
_PACKAGE = __name__.partition(".")[0]


def minimize(
    residuals: Any,
    variables: Any,
    max_iterations: int,
    regularizer: Any = 1e-20,
    regularizer_multiplier: float = 10.0,
    callback: Optional[Callable[[int, Any, List[Any]], Any]] = None,
    name: Optional[str] = None,
    *,
    on_failure: Optional[str] = None,
) -> Tuple[Any, List[Any]]:
    """Lowers half the sum of the squares of residuals; returns that, and the new values (L1).

    `residuals` is a function of all the `variables`, or a list of them, whose results have any shape; `variables`
    is what they start from. Exactly `max_iterations` iterations are made (L2), in loops of one entry (L8).

    In a traced function the results are tensors. If the variables are `flywheel.Variable`s, these are assigned at the
    end, and the search moves the values that the residuals read of them (L9, L10); all or none have to be. Elsewhere
    the start is arrays, and so are the results; the entry is kept for the next call with these functions. There a
    `callback` gets the number of each iteration from 1 on, the objective and the variables (L11).

    A matrix that is not positive definite is an error of the step (`on_failure` "error"), or a rejected iteration
    ("reject"), which is the default where no function is traced (L3). Raises ValueError for a number of
    iterations below 1, a regularizer that is negative or not finite, and for a `callback` in a traced function.

    If the variables are those of a graph, `flywheel.v1.Variable`s, weights of Keras, or tensors, the objective and the
    new values are tensors: each run of them makes the iterations, and assigns the variables.

    Arrays that a residual closes over are constants of the kept entry: changing one in place changes nothing. Pass
    what changes as `flywheel.Variable`s, or a new function.
    """
    max_iterations = operator.index(max_iterations)
    if max_iterations <= 0:
        raise ValueError("'max_iterations' needs to be at least 1")
    if max_iterations > _MOST_ITERATIONS:
        raise ValueError(f"expected max_iterations of at most {_MOST_ITERATIONS}, found {max_iterations}")
    if on_failure not in (None, "error", "reject"):
        raise ValueError(f"expected on_failure 'error' or 'reject', found '{on_failure}'")
    functions = tuple(residuals) if isinstance(residuals, (list, tuple)) else (residuals,)
    start = list(variables) if isinstance(variables, (list, tuple)) else [variables]
    if not start:
        raise ValueError("expected variables to move, found none")
    if not functions:
        raise ValueError("expected a function of residuals, found none")
    start = [traced_variable(x) for x in start]
    graph = _graph_of(start)
    if not isinstance(regularizer, (Tensor, Variable)) and _graph_of([regularizer]) is None:
        regularizer = _number("regularizer", regularizer, 0.0)
    regularizer_multiplier = _number("regularizer_multiplier", regularizer_multiplier, 1.0)
    if graph is not None:
        if callback is not None:
            raise ValueError("a callback is called by minimize of arrays only: run an op of one iteration in a loop")
        found: Tuple[Any, List[Any]] = graph.minimize(functions, start, max_iterations, regularizer,
                                                      regularizer_multiplier, on_failure or "reject")  # fmt: skip
        return found
    if _trace.is_tracing():
        if callback is not None:
            raise ValueError("a callback is called by minimize outside of traced functions only")
        objective, values, _ = _emit(functions, start, max_iterations, regularizer, regularizer_multiplier,
                                     on_failure or "error")  # fmt: skip
        return objective, values
    return _run(functions, start, max_iterations, regularizer, regularizer_multiplier, callback,
                on_failure or "reject")  # fmt: skip


def _graph_of(values: List[Any]) -> Any:
    """Returns the module of least squares over graphs if one of the values is of a graph."""
    if not any(type(x).__module__.startswith(f"{_PACKAGE}.v1.") for x in values):
        return None
    return importlib.import_module(f"{_PACKAGE}.v1.least_squares")


def _number(name: str, value: Any, least: float) -> float:
    number = float(value)
    if not (math.isfinite(number) and number >= least):
        raise ValueError(f"expected a {name} of at least {least:g}, found {number}")
    return number


def _run(
    functions: Tuple[Any, ...], start: List[Any], count: int, regularizer: float, multiplier: float, callback: Any,
    on_failure: str,
) -> Tuple[Any, List[Any]]:  # fmt: skip
    owned = [x for x in start if isinstance(x, Variable)]
    if owned and len(owned) != len(start):
        raise ValueError("expected variables or arrays, found both")
    arrays = [np.asarray(x) for x in start] if not owned else []
    for a in arrays:
        if a.dtype.kind not in "fiub":
            raise TypeError(f"expected real numbers to start from, found an array of dtype {a.dtype}")
    arrays = [a if a.dtype.kind == "f" else a.astype(np.float32) for a in arrays]
    kind = owned[0].dtype if owned else arrays[0].dtype
    damping = np.asarray(regularizer, kind)
    one = 1 if callback is not None else count
    call = _entry(functions, tuple(owned), one, multiplier, on_failure)
    objective: Any = None
    for iteration in range(1, count // one + 1):
        objective, found, damping = call(damping, *arrays)
        arrays = list(found) if not owned else []
        if callback is not None:
            callback(iteration, objective, [v.numpy() for v in owned] if owned else arrays)
    return objective, [v.numpy() for v in owned] if owned else arrays


# The entries of calls without variables.
_entries = Kept()


def _entry(
    functions: Tuple[Any, ...], owned: Tuple[Variable, ...], count: int, multiplier: float, on_failure: str
) -> Any:
    """Returns the entry for these functions and variables. It is kept as long as they are: the first variable has the
    entries of variables, which refer to it."""
    kept = owned[0].__dict__.setdefault("_least_squares", Kept()) if owned else _entries
    key = (tuple(id(variable) for variable in owned), count, multiplier, on_failure)
    return kept.find(functions, key, lambda: _make_entry(functions, owned, count, multiplier, on_failure))


def _make_entry(
    functions: Tuple[Any, ...], owned: Tuple[Variable, ...], count: int, multiplier: float, on_failure: str
) -> Any:
    # Whoever calls the entry has the functions.
    references = [reference(f) or (lambda f=f: f) for f in functions]

    @function(dynamic=False)
    def least_squares(damping: Any, *arrays: Any) -> Any:
        start = list(owned) if owned else list(arrays)
        residuals = tuple(find() for find in references)
        objective, values, regularizers = _emit(residuals, start, count, damping, multiplier, on_failure)
        return objective, [] if owned else values, regularizers[count - 1]

    return least_squares


def _emit(
    functions: Tuple[Any, ...], start: List[Any], count: int, regularizer: Any, multiplier: float, on_failure: str
) -> Tuple[Tensor, List[Any], Tensor]:
    """Emits the op; returns the objective, the last values of the variables, and the regularizer after each
    iteration."""
    trace = _trace.current()
    owned = [x for x in start if isinstance(x, Variable)]
    if owned and len(owned) != len(start):
        raise ValueError("expected variables or tensors, found both")
    tensors = [] if owned else [as_tensor(x) for x in start]
    kinds = {x.dtype for x in (owned or tensors)}
    if len(kinds) != 1 or not kinds <= {_dtypes.float32, _dtypes.float64}:
        raise TypeError("expected variables of one dtype, float32 or float64, found "
                        f"{sorted(_dtypes.name_of(k) for k in kinds)}")  # fmt: skip
    kind = kinds.pop()
    attributes: _trace.Attributes = {
        "max_iterations": Attribute.i64(count), "multiplier": Attribute.f64(float(multiplier)),
        "history": Attribute.unit(), "on_failure": Attribute.i32(int(on_failure == "reject")),
    }  # fmt: skip
    operands = [x.value for x in tensors]
    dampings = []
    if isinstance(regularizer, (int, float)):
        attributes["regularizer"] = Attribute.f64(float(regularizer))
    else:
        dampings = [as_tensor(regularizer, kind).value]
    attributes["operandSegmentSizes"] = Attribute.i32s([len(operands), len(dampings)])
    for variable in owned:
        trace.declare(variable)
    if owned:
        attributes["var_list"] = Attribute.symbols([v.name for v in owned])

    def body(arguments: List[Value]) -> List[Value]:
        xs: List[Any] = [*owned, *[wrap(v, x.dtype, x._dims) for v, x in zip(arguments, tensors)]]
        return [as_tensor(f(*xs), kind).value for f in functions]

    inner = [trace.type(x.dtype, x._dims) for x in tensors]
    with trace.forbidding_effects("a residual of least squares, which each iteration computes more than once,"):
        region = trace.region(inner, body, "train.residuals", sees_outer=False)
    scalar, vector = trace.type(kind, ()), trace.type(kind, (count,))
    types = [scalar, *inner, vector, trace.type(_dtypes.bool_, (count,)), vector]
    values = trace.op("train.least_squares", operands + dampings, types, attributes, [region])
    if owned:
        trace.forget_reads()
        found: List[Any] = [v.read() for v in owned]
    else:
        found = [wrap(v, x.dtype, x._dims) for v, x in zip(values[1:], tensors)]
    return wrap(values[0], kind, ()), found, wrap(values[-1], kind, (count,))
