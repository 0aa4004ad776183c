# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the classes that stand for attributes of the compiler share."""

import operator
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Mapping,
    Optional,
    SupportsIndex,
    Tuple,
)

import numpy as np

from . import _dtypes, _flywheel, _trace
from ._hints import check_keywords, nearest
from ._operators import Operators

if TYPE_CHECKING:
    from typing_extensions import Self

Attribute = Tuple[str, Any]


def to_number(name: str, value: Any) -> float:
    """A number as Python's own. Raises TypeError, which names the argument, for what is not one."""
    is_number = hasattr(value, "__float__") and np.ndim(value) == 0 if not _is_variable(value) else False
    if not is_number or isinstance(value, (str, bytes, bool, np.bool_)):
        raise TypeError(f"expected a number as {name}, found {_describe(value)}")
    return float(value)


def to_integer(name: str, value: Any) -> int:
    """An integer as Python's own. Raises TypeError, which names the argument, for what is not one."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, SupportsIndex) or _is_variable(value):
        raise TypeError(f"expected an integer as {name}, found {_describe(value)}")
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise TypeError(f"expected an integer of 64 bits as {name}, found {number}")
    return number


def to_flag(name: str, value: Any) -> bool:
    """True or False. Raises TypeError, which names the argument, for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"expected True or False as {name}, found {_describe(value)}")
    return bool(value)


def _is_variable(value: Any) -> bool:
    return isinstance(value, Operators)


def _describe(value: Any) -> str:
    if _is_variable(value):
        return f"{value!r}: the numbers of an optimizer are variables of its own, as `optimizer.lr.set(...)`"
    if isinstance(value, Schedule):
        return f"{value!r}: give a schedule to `minimize(loss, schedule=...)`"
    return repr(value)


def _optional(convert: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else convert(name, value)


def _to_list(convert: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def to_list(name: str, values: Any) -> Any:
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise TypeError(f"expected a list of numbers as {name}, found {values!r}")
        return [convert(name, value) for value in values]

    return to_list


_CONVERSIONS: Dict[str, Callable[[str, Any], Any]] = {
    "number": to_number, "integer": to_integer, "flag": to_flag, "numbers": _to_list(to_number),
    "integers": _to_list(to_integer), "number or None": _optional(to_number), "integer or None": _optional(to_integer),
}  # fmt: skip


class StructAttribute:
    """An attribute of the train dialect: a mnemonic and fields."""

    mnemonic = ""
    # Of each field that is a number or a flag, which of these.
    _kinds: Mapping[str, str] = {}
    # The fields that are rates of learning: the compiler takes ones below 0, as TensorFlow and Keras do.
    _rates: Tuple[str, ...] = ()

    def __new__(cls, *_: Any, **given: Any) -> "Self":
        check_keywords(cls.__init__, cls.__name__, given, skip=1)
        return super().__new__(cls)

    def __init__(self, fields: Optional[Dict[str, Any]] = None) -> None:
        own = type(self).__name__
        if fields is not None and not isinstance(fields, dict):
            raise TypeError(f"{own}: expected a dict of fields, found {fields!r}")
        try:
            self.fields: Dict[str, Any] = {
                name: _CONVERSIONS[self._kinds[name]](name, value) if name in self._kinds else value
                for name, value in (fields or {}).items()
            }  # fmt: skip
        except TypeError as error:
            raise TypeError(f"{own}: {error}") from None
        self._check()

    def _check(self) -> None:
        """Raises ValueError for what the compiler would refuse in a trace, far from where it is written, and for rates
        below 0."""
        if self.mnemonic.startswith("train."):
            self._check_fields(self.fields)

    def _check_fields(self, fields: Mapping[str, Any]) -> None:
        try:
            _flywheel._check_struct(self.mnemonic, {k: v for k, v in fields.items() if v is not None})
            for name in self._rates:
                own = fields.get(name, 0.0)
                for rate in own if isinstance(own, list) else [own]:
                    if rate < 0:
                        raise ValueError(f"expected {name} >= 0, found {rate}: an update goes down the gradient; "
                                         "negate the loss to go up")  # fmt: skip
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None

    def attribute(self) -> Attribute:
        """What a graph makes the attribute of; fields that are None are left out."""
        return ("struct", (self.mnemonic, {key: value for key, value in self.fields.items() if value is not None}))

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        hint = "" if name.startswith("_") else nearest(name, [*fields, *dir(type(self))])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        # Steps that are compiled have the old number: to keep another one would be to ignore it.
        if name in self.__dict__.get("fields", {}):
            raise AttributeError(f"'{name}' of '{type(self).__name__}' is fixed: make another object")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.fields.items() if v is not None)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.fields == getattr(other, "fields", None)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))


class Initializer(StructAttribute):
    """The initial value of a variable, as a recipe: the same bits on every target."""


class Constant(Initializer):
    """Given values in row-major order, the last of which repeats (I2).

    `values` is a number or nested lists of them, which become `dtype`. Raises
    ValueError where a variable has fewer elements.
    """

    mnemonic = "train.constant"

    def __init__(self, values: Any, dtype: Any = None) -> None:
        array = _dtypes.literal(values, dtype)
        super().__init__({"values": array})

    def _check(self) -> None:
        """Which values there may be depends on the variable."""

    def attribute(self) -> Attribute:
        array: np.ndarray[Any, Any] = self.fields["values"].reshape(-1)
        if array.dtype == _dtypes.string:
            return ("strings", [text if isinstance(text, bytes) else str(text).encode() for text in array])
        type_ = _trace.current().type(_dtypes.as_dtype(array.dtype), array.shape)
        return ("constant", (array, type_))


class Constraint(StructAttribute):
    """A projection that an optimizer applies to a new value before it is stored."""


class Schedule(StructAttribute):
    """A rate of learning as a function of the step, computed in the step."""

    _rates = ("rate", "rates", "initial", "peak", "end")

    def __call__(self, step: Any, dtype: Any = _dtypes.float32) -> Any:
        """The rate of `step`, a counter from 0 (int32 or int64), in float32 or float64."""
        from ._tensor import as_tensor, wrap

        counter = as_tensor(step)
        kind = _dtypes.as_dtype(dtype)
        trace = _trace.current()
        value = trace.op(
            "train.schedule", [counter.value], [trace.type(kind, ())], {"schedule": self.attribute()}
        )[0]  # fmt: skip
        return wrap(value, kind, ())
