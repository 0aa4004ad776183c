# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages of variables, and their swap for evaluation."""

from typing import Any, Dict, List, Optional, Sequence
from weakref import ReferenceType, ref

from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core.argument_checks import number
from ._core.trace import Attributes
from ._errors.messages import wrong
from ._flywheel import Attribute
from .initializers import Zeros
from .namespace import TRAINABLE, current_namespace
from .variables import Variable, list_variables


class _Average(Variable):
    """An average, which is made where it is traced first."""

    _is_made_once = True


class ExponentialMovingAverage:
    """Averages of variables, later values of which count more.

    `apply`, in a traced function, moves each average towards its variable: average :=
    average - (average - variable) (1 - decay), as tf.train.ExponentialMovingAverage. With
    `num_updates`, an integer variable that counts steps, decay is at most (1 + n) / (10 +
    n). With `zero_debias` the first value does not count (R10).

    The average of a variable `w` is the variable `w/ExponentialMovingAverage`, or
    `w/<name>`, of the same shape and dtype, but float32 for float16 and bfloat16. It starts
    at the value of `w`. Raises ValueError for a decay that is not within [0, 1).
    """

    def __init__(
        self,
        decay: float,
        num_updates: Optional[Variable] = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self.decay = number("decay", decay)
        if not 0 <= self.decay < 1:
            raise ValueError(f"expected a decay within [0, 1), found {decay}")
        if num_updates is not None and not isinstance(num_updates, Variable):
            raise wrong(TypeError, "an integer variable", repr(num_updates), "num_updates")
        if not isinstance(name, str):
            raise wrong(TypeError, "a str", repr(name), "name")
        settings = {"decay": repr(self.decay), "num_updates": repr(num_updates), "zero_debias": repr(zero_debias)}
        known = _trace.made_once(f"moving average '{name}'", settings, self)
        if known is not self:
            # The same one, with its averages.
            self.__dict__ = known.__dict__
            return
        self.num_updates = num_updates
        self.zero_debias = zero_debias
        self._name = current_namespace().name(name)
        # By the identity of variables, which are not kept: those of a model that is gone take their averages along.
        self._averages: Dict[int, Variable] = {}
        self._rounded: Dict[int, Variable] = {}
        self._averaged: Dict[int, ReferenceType[Variable]] = {}

    def __copy__(self) -> "ExponentialMovingAverage":
        return self._copy()

    def __deepcopy__(self, _: Any) -> "ExponentialMovingAverage":
        return self._copy()

    def _copy(self) -> "ExponentialMovingAverage":
        """Another one that averages in the same way, with averages of its own."""
        return ExponentialMovingAverage(self.decay, self.num_updates, self.zero_debias, self._name.wanted)

    def __reduce__(self) -> Any:
        raise TypeError(f"averages '{self.name}' are not pickled, since their values are in a store: save them with "
                        "flywheel.save(path)")  # fmt: skip

    @property
    def name(self) -> str:
        """Unique, as an optimizer's: two averages of one variable are two."""
        return self._name.text

    def average_name(self, variable: Variable) -> str:
        """The name of the average of `variable`."""
        return f"{variable.name}/{self.name}"

    def average(self, variable: Variable) -> Optional[Variable]:
        """The average of `variable`; None where `apply` has not been traced with it."""
        return self._averages.get(id(variable))

    def apply(self, var_list: Optional[Sequence[Variable]] = None) -> None:
        """Moves the averages of `var_list`, by default of all floating-point trainable variables, towards the values
        that the variables have at this line. Raises ValueError if there are no variables, TypeError for another
        dtype."""
        trace = _trace.current()
        if var_list is None:
            var_list = [v for v in current_namespace().collection(TRAINABLE) if _dtypes.is_floating(v.dtype)]
        var_list = list_variables("var_list", var_list)
        if not var_list:
            raise ValueError("expected a trainable floating-point variable to average, found none")
        for variable in var_list:
            if not _dtypes.is_floating(variable.dtype):
                raise TypeError(f"variable '{variable.name}' of dtype {_dtypes.name_of(variable.dtype)} has no average")
            self._add(variable)
            trace.declare(variable)
            trace.declare(self._averages[id(variable)])
            trace.declare(self._rounded[id(variable)])
        attributes: Attributes = {"decay": Attribute.f64(self.decay), "name": Attribute.string(self.name),
                                  "var_list": Attribute.symbols([variable.name for variable in var_list])}  # fmt: skip
        if self.num_updates is not None:
            trace.declare(self.num_updates)
            attributes["num_updates"] = Attribute.symbol(self.num_updates.name)
        if self.zero_debias:
            attributes["zero_debias"] = Attribute.unit()
        trace.owners.append(self._name)
        trace.op("train.average_variables", [], [], attributes)
        trace.forget_reads()

    def swap(self, var_list: Optional[Sequence[Variable]] = None) -> None:
        """Gives the variables, by default all that are averaged, the values of their
        averages and the averages theirs, in place: in a traced function, for evaluation.
        Once more, and each has its own again. Those of float16 and bfloat16 are exchanged
        with the rounded average, and the average itself stays. Raises ValueError where
        nothing is averaged."""
        listed = self._variables() if var_list is None else list(var_list)
        if not listed:
            raise ValueError("no variable is averaged: trace `apply` first, or list the variables")
        for variable in listed:
            self._add(variable)
            other = self._rounded[id(variable)]
            value, average = variable.read(), other.read()
            variable.assign(average)
            other.assign(value)

    def _add(self, variable: Variable) -> None:
        if id(variable) in self._averages:
            return
        wide = variable.dtype
        if wide in (_dtypes.float16, _dtypes.bfloat16):
            wide = _dtypes.float32
        average = self._make(variable, self.average_name(variable), wide)
        self._averages[id(variable)] = self._rounded[id(variable)] = average
        if wide != variable.dtype:
            self._rounded[id(variable)] = self._make(variable, f"{average.name}_rounded", variable.dtype)
        kept = self._averages, self._rounded, self._averaged

        def forget(_: object, key: int = id(variable)) -> None:
            for one in kept:
                one.pop(key, None)

        self._averaged[id(variable)] = ref(variable, forget)

    def _variables(self) -> List[Variable]:
        """Returns the variables that are averaged, in the order in which they were added."""
        found = [reference() for reference in list(self._averaged.values())]
        return [variable for variable in found if variable is not None]

    def _make(self, variable: Variable, name: str, dtype: _dtypes.DType) -> Variable:
        # The name is the variable's already.
        with current_namespace().outside_scopes():
            if self.zero_debias:
                return _Average(Zeros(), shape=variable.shape, dtype=dtype, name=name, trainable=False)
            own = ref(variable)

            def start() -> Any:
                found = own()
                if found is None:
                    raise ReferenceError(f"the variable that '{name}' is the average of does not exist any more")
                return found.initialized_value().astype(dtype)

            return _Average(start, name=name, trainable=False)
