# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators for variables: those of tensors in a traced function, elsewhere NumPy's of the value of now."""

import functools
import inspect
import operator
from typing import Any, Callable, ClassVar, Dict, List, Mapping, NoReturn, Tuple

import numpy as np

from .._core import trace as _trace
from .._core.members import Members
from .._core.operators import Operators
from .._errors.hints import check_keywords
from .._errors.other_frameworks import TENSOR, VARIABLE

# Functions of NumPy for the methods of tensors that its arrays do not have, or that change them in place.
_FUNCTIONS: Dict[str, Callable[..., Any]] = {
    "sort": np.sort, "__round__": np.round, "round": np.round, "mT": lambda x: np.swapaxes(x, -1, -2),
}  # fmt: skip
# NumPy's names of the arguments of methods.
_NUMPY_NAMES: Dict[str, Dict[str, str]] = {"clip": {"low": "min", "high": "max"}}
_BINARY = ("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod").split()
# The symbol of each operator in place, and the call that sets a variable instead.
_IN_PLACE = {"iadd": ("+=", "assign_add(x)"), "isub": ("-=", "assign_sub(x)")}
_SYMBOLS = {"mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and": "&", "or": "|",
            "xor": "^", "lshift": "<<", "rshift": ">>"}  # fmt: skip
_IN_PLACE.update({f"i{name}": (f"{symbol}=", f"assign(v {symbol} x)") for name, symbol in _SYMBOLS.items()})
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class VariableOperators(Operators):
    """The operators of a variable. In a traced function they are those of its tensor at that line. Elsewhere they
    compute with the value that the current store has: `v + 1` is `v.numpy() + 1`, an array. An operator in place
    (`v += 1`) is a TypeError: it would put a tensor or an array in the place of the variable."""

    _elsewhere: ClassVar[Mapping[str, str]] = {**TENSOR, **VARIABLE}
    _is_variable: ClassVar[bool] = True

    def numpy(self) -> Any:
        raise NotImplementedError

    def __contains__(self, value: Any) -> bool:
        """Returns true if an element has this value. Raises TypeError in a traced function, where none is known."""
        if _trace.is_tracing():
            raise TypeError(f"what {self!r} contains is not known while a function is traced: flywheel.any(v == x) is "
                            "a tensor for flywheel.where and flywheel.cond")  # fmt: skip
        return bool(np.any(self.numpy() == to_values(value)))

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"the elements of {self!r} are not set one by one: in a traced function, `v.assign(v.at[key].set(x))`; "
            "elsewhere change `array = v.numpy()`, then `v.set(array)`"
        )

    def __delitem__(self, key: Any) -> None:
        raise TypeError(f"{self!r} keeps its shape: no element of it is deleted")

    def __index__(self) -> int:
        raise TypeError(f"expected an integer, found {self!r}: int(v) is its value outside of traced functions")

    @property
    def at(self) -> Any:
        if not _trace.is_tracing():
            raise TypeError(
                f"`at` of {self!r} makes a tensor in a traced function; elsewhere change `array = v.numpy()`, then "
                "`v.set(array)`"
            )
        return super().at

    __hash__ = object.__hash__


def to_values(tree: Any, is_writable: bool = False) -> Any:
    """Variables as the arrays of their values."""
    if isinstance(tree, VariableOperators):
        array = np.array(tree)
        array.flags.writeable = is_writable
        return array
    if type(tree) in (list, tuple, Members):
        return type(tree)(to_values(one, is_writable) for one in tree)
    if type(tree) is dict:
        return {key: to_values(one, is_writable) for key, one in tree.items()}
    return tree


def _as_numpy_has_them(
    name: str, of_tensor: Any, own: Any, args: Tuple[Any, ...], given: Dict[str, Any]
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Returns the arguments of a tensor's method as NumPy's has them, which orders and names them otherwise: those
    with a default by keyword. NumPy's own names are taken too."""
    names = _NUMPY_NAMES.get(name, {})
    ours = {other: one for one, other in names.items()}
    given = {ours.get(key, key): value for key, value in given.items()}
    check_keywords(of_tensor, name, given, skip=1)
    signature = inspect.signature(of_tensor)
    bound = signature.bind(own, *args, **given)
    found: List[Any] = []
    by_name: Dict[str, Any] = {}
    for key, value in list(bound.arguments.items())[1:]:
        parameter = signature.parameters[key]
        if parameter.kind is parameter.VAR_POSITIONAL:
            found += value
        elif parameter.default is parameter.empty:
            found.append(value)
        else:
            by_name[names.get(key, key)] = tuple(value) if key == "axis" and isinstance(value, list) else value
    return tuple(found), by_name


def _compute(name: str, of_tensor: Any) -> Any:
    """Calls the method of this name: of the tensor, or of the current array."""
    function = _FUNCTIONS.get(name)

    @functools.wraps(of_tensor)
    def method(self: Any, *args: Any, **given: Any) -> Any:
        if _trace.is_tracing():
            return of_tensor(self, *args, **given)
        value = self.numpy()
        # NumPy's operators have the signatures of Python's.
        if not name.startswith("_"):
            args, given = _as_numpy_has_them(name, of_tensor, self, args, given)
        args, given = to_values(args), to_values(given)
        return getattr(value, name)(*args, **given) if function is None else function(value, *args, **given)

    return method


def _compare(name: str, of_tensor: Any) -> Any:
    """Defines a comparison. With an operand that no array has as an element, it is Python's comparison by identity."""

    @functools.wraps(of_tensor)
    def method(self: Any, other: Any) -> Any:
        if other is None or (isinstance(other, (str, bytes)) and self.dtype.kind != "O"):
            return NotImplemented
        if _trace.is_tracing():
            return of_tensor(self, other)
        return getattr(operator, name)(self.numpy(), to_values(other))

    return method


def _define_operators() -> None:
    plain = [f"__{name}__" for name in _BINARY] + [f"__r{name}__" for name in _BINARY]
    plain += ["__neg__", "__pos__", "__abs__", "__invert__", "__round__", "__getitem__"]
    plain += [name for name, value in vars(Operators).items() if not name.startswith("_") and callable(value)]
    for name in plain:
        setattr(VariableOperators, name, _compute(name, getattr(Operators, name)))
    for name in _COMPARISONS:
        setattr(VariableOperators, f"__{name}__", _compare(name, getattr(Operators, f"__{name}__")))
    for name in ("T", "mT"):
        setattr(VariableOperators, name, property(_compute_property(name), doc=getattr(Operators, name).__doc__))
    for name, texts in _IN_PLACE.items():
        setattr(VariableOperators, f"__{name}__", _refuse_in_place(*texts))


def _compute_property(name: str) -> Any:
    of_tensor, function = getattr(Operators, name).fget, _FUNCTIONS.get(name)

    def read(self: Any) -> Any:
        if _trace.is_tracing():
            return of_tensor(self)
        return getattr(self.numpy(), name) if function is None else function(self.numpy())

    return read


def _refuse_in_place(symbol: str, remedy: str) -> Any:
    def refuse(self: Any, _: Any) -> NoReturn:
        raise TypeError(
            f"`v {symbol} x` would put another object in the place of {self!r}: write `v.{remedy}` in a traced "
            f"function, `v.set(v.numpy() {symbol[:-1]} x)` elsewhere, or `y = v {symbol[:-1]} x`"
        )

    return refuse


_define_operators()
