# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions and ufuncs, called with tensors and variables: those of this package under the same names."""

import inspect
import sys
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple

import numpy as np

from .. import _ops, fft, linalg
from .._core import registry as _registry
from .._core import trace as _trace
from .._core.tensor import Tensor, TensorLike, as_tensor
from .._errors.messages import about, wrong
from .._variables.variable_operators import to_values

# Reductions and scans of ufuncs.
_METHODS = {
    ("add", "reduce"): "sum", ("multiply", "reduce"): "prod", ("maximum", "reduce"): "max",
    ("minimum", "reduce"): "min", ("logical_and", "reduce"): "all", ("logical_or", "reduce"): "any",
    ("add", "accumulate"): "cumsum", ("multiply", "accumulate"): "cumprod",
}  # fmt: skip
# Functions of NumPy that have another name here.
_NAMES = {"abs": "absolute", "amax": "max", "amin": "min", "around": "round", "round_": "round",
          "concat": "concatenate", "acos": "arccos", "asin": "arcsin", "atan": "arctan",
          "conjugate": "positive"}  # fmt: skip

# Options of NumPy's functions that have another name here.
_OPTIONS: Dict[str, Dict[str, str]] = {
    "clip": {"a_min": "low", "a_max": "high", "min": "low", "max": "high"}, "tril": {"k": "diagonal"},
    "triu": {"k": "diagonal"}, "where": {"x": "a", "y": "b"}, "full_like": {"fill_value": "value"},
}  # fmt: skip


def _take(a: TensorLike, indices: TensorLike, axis: Optional[int] = None) -> Tensor:
    return as_tensor(a).take(indices, axis)


def _of_one_triangle(a: TensorLike, UPLO: str) -> Tensor:  # noqa: N803
    """The symmetric matrices of which one triangle is read."""
    if UPLO not in ("L", "U", "l", "u"):
        raise wrong(ValueError, "'L' or 'U'", repr(UPLO), "UPLO")
    x = as_tensor(a)
    if x.ndim < 2:
        return x
    lower = x if UPLO in "Ll" else _ops.swapaxes(x, -1, -2)
    return _ops.add(_ops.tril(lower), _ops.swapaxes(_ops.tril(lower, -1), -1, -2))


def _eigh(a: TensorLike, UPLO: str = "L") -> Tuple[Tensor, Tensor]:  # noqa: N803
    return linalg.eigh(_of_one_triangle(a, UPLO))


def _eigvalsh(a: TensorLike, UPLO: str = "L") -> Tensor:  # noqa: N803
    return linalg.eigvalsh(_of_one_triangle(a, UPLO))


def _svd(a: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    x = as_tensor(a)
    if not compute_uv:
        return linalg.svdvals(x)
    if full_matrices and x.ndim >= 2 and x._dims[-1] != x._dims[-2]:
        _refuse("numpy.linalg.svd", " that is not square has no square factors: expected full_matrices=False, found "
                                    "True")  # fmt: skip
    return linalg.svd(x)


# Functions of which this package's do something else by default.
_OTHERWISE: Dict[Tuple[str, str], Callable[..., Any]] = {
    ("numpy", "take"): _take, ("numpy.linalg", "eigh"): _eigh, ("numpy.linalg", "eigvalsh"): _eigvalsh,
    ("numpy.linalg", "svd"): _svd,
}  # fmt: skip


def _refuse(name: str, why: str = "") -> NoReturn:
    where = "flywheel.linalg" if name.startswith("numpy.linalg.") else "flywheel"
    missing = why or f" is not there: {where} has no such function"
    raise about(name, TypeError(f"of a tensor{missing}; a function of flywheel makes a tensor of tensors, and numpy's "
                                "take the results of calls"), " ")  # fmt: skip


def _find(name: str, is_linalg: bool = False) -> Any:
    module: Any = linalg if is_linalg else _ops
    name = _NAMES.get(name, name)
    return getattr(module, name) if name in module.__all__ else None


def _read(name: str, call: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]) -> Any:
    """Calls NumPy's function with the values of variables. Raises TypeError if it writes to one of them: it would
    write to a copy."""
    try:
        return call(*to_values(list(args)), **to_values(dict(given)))
    except ValueError:
        # Functions that write refuse arrays that are read-only, and take others.
        try:
            call(*to_values(list(args), True), **to_values(dict(given), True))
        except ValueError:
            is_written = False
        else:
            is_written = True
        if not is_written:
            raise
    raise about(name, TypeError("writes to a variable, whose value is in a store: compute an array, then "
                                "variable.set(array)"), " ")  # fmt: skip


def _is_default(option: str, value: Any) -> bool:
    """Returns true if an option of a ufunc has the value that says nothing. None as axis says: all dimensions."""
    return (value is None and option in ("out", "dtype", "signature")) or (option == "where" and value is True)


def call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], given: Mapping[str, Any]) -> Any:
    """Implements `__array_ufunc__`. Outside of traced functions a variable is its value."""
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    if not _trace.is_tracing():
        return _read(name, getattr(ufunc, method), inputs, given)
    options: Dict[str, Any] = {key: value for key, value in given.items() if not _is_default(key, value)}
    if "out" in options:
        kinds = ", ".join(sorted({type(one).__name__ for one in options["out"]}))
        _refuse(name, f" is another tensor: expected out=None, found {kinds} (which operators such as `+=` of an array "
                      "give)")  # fmt: skip
    if method == "__call__":
        function = _find(ufunc.__name__)
        dtype = options.pop("dtype", None)
        if function is None or options:
            _refuse(name, f" does not take {', '.join(options)}" if options and function is not None else "")
        if dtype is None:
            return function(*inputs)
        # NumPy computes in the dtype, and not in that of the operands. A comparison has no other result than booleans.
        cast = _find("cast")
        if np.dtype(dtype) != np.bool_:
            inputs = [cast(one, dtype) for one in inputs]
        return cast(function(*inputs), dtype)
    reduction = _METHODS.get((ufunc.__name__, method))
    if reduction is None:
        _refuse(name)
    # NumPy has put all arguments but the first among the named ones. It reduces the first dimension by default, and
    # all for None, which scans do not take.
    axis = options.pop("axis", 0)
    if axis is None and method == "accumulate" and inputs[0].ndim != 1:
        _refuse(name, " goes along one dimension: expected an integer as axis, found None")
    return _find(reduction)(*inputs, axis=axis, **options)


def _translate(
    function: Callable[..., Any], own: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]
) -> Tuple[List[Any], Dict[str, Any]]:
    """Returns the arguments of this package's function for those of NumPy's, whose optional parameters have another
    order. Raises TypeError for an option that is not the default and that this package's function does not have."""
    called = f"{function.__module__}.{function.__name__}"
    theirs = list(inspect.signature(function).parameters.values())
    ours = list(inspect.signature(own).parameters)
    names = _OPTIONS.get(function.__name__, {})
    count = 0
    for count, parameter in enumerate(theirs):  # noqa: B007
        is_required = parameter.default is parameter.empty
        same = ours[count : count + 1] == [names.get(parameter.name, parameter.name)]
        if count == len(args) or parameter.kind is parameter.VAR_POSITIONAL or not (is_required or same):
            break
    else:
        count = len(theirs)
    if count < len(theirs) and theirs[count].kind is inspect.Parameter.VAR_POSITIONAL:
        count = len(args)
    options = {**dict(zip((one.name for one in theirs[count:]), args[count:])), **given}
    defaults = {one.name: one.default for one in theirs}
    translated = {}
    for name, value in options.items():
        key = names.get(name, name)
        if key in ours:
            translated[key] = value
        elif name == "out" and value is not None:
            _refuse(called, f" is another tensor: expected out=None, found {type(value).__name__}")
        elif name not in defaults or not _is_same(value, defaults[name]):
            _refuse(called, f" does not take {name}")
    return list(args[:count]), translated


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (
        type(value) is type(default) and isinstance(value, (bool, int, str)) and value == default
    )


def call_function(function: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]) -> Any:
    """Implements `__array_function__`. Outside of traced functions a variable is its value."""
    name = function.__name__
    if not _trace.is_tracing():
        return _read(f"{function.__module__}.{name}", function, args, given)
    if name in ("shape", "ndim", "size") and len(args) == 1 and not given:
        return getattr(args[0], name)
    is_linalg = function.__module__ == "numpy.linalg"
    own = _OTHERWISE.get((function.__module__, name))
    if own is None and function.__module__ in ("numpy", "numpy.linalg"):
        own = _find(name, is_linalg)
    if own is None:
        is_spectrum = function.__module__ == "numpy.fft" and name in fft.__all__
        why = f" is flywheel.fft.{name}, whose complex numbers are pairs of tensors" if is_spectrum else ""
        _refuse(f"{function.__module__}.{name}", why)
    positional, options = _translate(function, own, args, given)
    return own(*positional, **options)


_registry.register(numpy_functions=sys.modules[__name__])
