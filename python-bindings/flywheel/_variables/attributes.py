# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of Python's forms of compiler attributes."""

from typing import TYPE_CHECKING, Any, ClassVar, Dict, Mapping, Optional, Tuple

import numpy as np

from .. import _flywheel
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import as_tensor, wrap
from .._errors.hints import ConstructorSignature, attribute_error, check_keywords, explain_attribute, nearest
from .._errors.messages import about
from .._flywheel import Attribute

if TYPE_CHECKING:
    from typing_extensions import Self


class StructAttribute:
    """An attribute of the train dialect: a mnemonic and fields."""

    mnemonic = ""
    __signature__ = ConstructorSignature()
    # The fields that are rates of learning: the compiler takes ones below 0, as TensorFlow and Keras do.
    _rates: Tuple[str, ...] = ()
    # Attributes of such objects of other frameworks, and what does the same here.
    _elsewhere: ClassVar[Mapping[str, str]] = {}

    def __new__(cls, *_: Any, **given: Any) -> "Self":
        check_keywords(cls.__init__, cls.__name__, given, skip=1)
        return super().__new__(cls)

    def __init__(self, fields: Optional[Dict[str, Any]] = None) -> None:
        if fields is not None and not isinstance(fields, dict):
            raise about(type(self).__name__, TypeError(f"expected a dict of fields, found {fields!r}"))
        self.fields: Dict[str, Any] = fields or {}
        self._check()

    def _check(self) -> None:
        """Raises ValueError for what the compiler would refuse in a trace, far from where it is written, and for rates
        below 0."""
        if self.mnemonic.startswith("train."):
            self._check_fields(self.fields)

    def _check_fields(self, fields: Mapping[str, Any]) -> None:
        try:
            _flywheel._check_struct(self.mnemonic, dict(fields))
            for name in self._rates:
                own = fields.get(name, 0.0)
                for rate in own if isinstance(own, list) else [own]:
                    if rate < 0:
                        raise ValueError(f"expected {name} >= 0, found {rate}: an update goes down the gradient; "
                                         "negate the loss to go up")  # fmt: skip
        except ValueError as error:
            raise about(type(self).__name__, ValueError(f"{error}")) from None

    def attribute(self) -> Attribute:
        """Returns the attribute, where fields that are None have their defaults."""
        return Attribute.struct(self.mnemonic, self.fields)

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        explain_attribute(self, name, self._elsewhere)
        hint = "" if name.startswith("_") else nearest(name, [*fields, *dir(type(self))])
        raise attribute_error(f"'{type(self).__name__}' object has no attribute '{name}'{hint}", name, hint)

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
        array = _dtypes.kept(values, dtype)
        super().__init__({"values": array})
        # Numbers of Python have no dtype of their own.
        has_numbers = dtype is None and isinstance(values, (int, float, list, tuple))
        self._numbers = _dtypes.copied(values) if has_numbers else None

    def of(self, dtype: _dtypes.DType) -> "Constant":
        """The same for a variable of `dtype`: 1 is 1.0 for a floating-point one."""
        own = _dtypes.as_dtype(self.fields["values"].dtype)
        is_number = _dtypes.is_integer(own) or _dtypes.is_floating(own)
        if self._numbers is None or own == dtype or not is_number or not (
            _dtypes.is_floating(dtype) or (_dtypes.is_integer(dtype) and _dtypes.is_integer(own))
        ):  # fmt: skip
            return self
        return Constant(self._numbers, dtype)

    def _check(self) -> None:
        """Does nothing: the variable decides which values are allowed."""

    def attribute(self) -> Attribute:
        array: np.ndarray[Any, Any] = self.fields["values"].reshape(-1)
        if array.dtype == _dtypes.string:
            return Attribute.initial_strings([t if isinstance(t, bytes) else str(t).encode() for t in array])
        type_ = _trace.current().type(_dtypes.as_dtype(array.dtype), array.shape)
        return Attribute.constant(array, type_)


class Constraint(StructAttribute):
    """A projection that an optimizer applies to a new value before it is stored."""


class Schedule(StructAttribute):
    """A rate of learning as a function of the step, computed in the step."""

    _rates = ("rate", "rates", "initial", "peak", "end")

    def __call__(self, step: Any, dtype: Any = _dtypes.float32) -> Any:
        """The rate of `step`, a counter from 0 (int32 or int64), in float32 or float64."""
        counter = as_tensor(step)
        kind = _dtypes.as_dtype(dtype)
        trace = _trace.current()
        value = trace.op(
            "train.schedule", [counter.value], [trace.type(kind, ())], {"schedule": self.attribute()}
        )[0]  # fmt: skip
        return wrap(value, kind, ())
