# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers that make weights sparse: a step along the gradient, and then towards 0 (Duchi and Singer, Efficient
Online and Batch Learning Using Forward Backward Splitting, 2009)."""

from typing import Any, List, NoReturn, Optional

from ..._errors.messages import about
from ..conversion import as_tensor
from ..elementwise import TABLE
from ..ops import cast
from ..variables import Variable
from .optimizers import Optimizer
from .rows import RowUpdate

_sqrt, _sign, _abs, _maximum = (TABLE[key] for key in ("sqrt", "sign", "abs", "maximum"))


def _nearer(x: Any, rate: Any, l1: float, l2: float) -> Any:
    """x moved towards 0 by `rate` times l1, and scaled by 1 / (1 + rate l2)."""
    if l1 > 0:
        x = _sign(x) * _maximum(_abs(x) - rate * l1, 0.0)
    return x / (1.0 + rate * l2)


def _refuse_rows(optimizer: Optimizer, v: Variable) -> NoReturn:
    raise about(f"flywheel.v1.train.{type(optimizer).__name__}", NotImplementedError(
        f"an update of the rows of '{v.op_name}' that were looked up, which moves no other row; apply `gradient + 0.0` "
        "to move all rows, or take FtrlOptimizer"))  # fmt: skip


class _Proximal(Optimizer):
    def __init__(self, learning_rate: Any, l1: float, l2: float, use_locking: bool, name: str):
        for key, value in (("l1_regularization_strength", l1), ("l2_regularization_strength", l2)):
            if value < 0:
                raise ValueError(f"{key} {value} needs to be positive or zero")
        super().__init__(use_locking, name)
        self._lr, self._l1, self._l2 = learning_rate, l1, l2

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        return _refuse_rows(self, v) if self._l1 or self._l2 else None


class ProximalGradientDescentOptimizer(_Proximal):
    """q = p - lr g; p' = sign(q) max(|q| - lr l1, 0) / (1 + lr l2)."""

    def __init__(
        self, learning_rate: Any, l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        use_locking: bool = False, name: str = "ProximalGradientDescent",
    ):  # fmt: skip
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        rate = self._number(self._lr, v)
        return [self._store(v, _nearer(v - g * rate, rate, self._l1, self._l2))]


class ProximalAdagradOptimizer(_Proximal):
    """a' = a + g^2; as `ProximalGradientDescentOptimizer` with the rate lr / sqrt(a') of each element for the step, and
    for l1 and l2."""

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, use_locking: bool = False, name: str = "ProximalAdagrad",
    ):  # fmt: skip
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._start = initial_accumulator_value

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "accumulator", self._start)

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        a = self._slot(v, "accumulator")
        new = a + g * g
        rate = self._number(self._lr, v) / _sqrt(new)
        return [a.assign(new), self._store(v, _nearer(v - g * rate, rate, self._l1, self._l2))]


class AdagradDAOptimizer(Optimizer):
    """Adagrad by dual averaging (Duchi, Hazan and Singer, 2011), of the sums s of gradients and q of their squares. In
    step t, which is `global_step` + 1: p' = -lr sign(s) max(|s| - l1 t, 0) / (l2 t lr + sqrt(q))."""

    def __init__(
        self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "AdagradDA",
    ):  # fmt: skip
        if initial_gradient_squared_accumulator_value <= 0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive: "
                             f"{initial_gradient_squared_accumulator_value}")  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._steps, self._start = learning_rate, global_step, initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "gradient_accumulator")
            self._slot(v, "gradient_squared_accumulator", self._start)

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        return _refuse_rows(self, v)

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        s, q = self._slot(v, "gradient_accumulator"), self._slot(v, "gradient_squared_accumulator")
        t, rate = cast(as_tensor(self._steps), v.dtype) + 1, self._number(self._lr, v)
        sums, squares = s + g, q + g * g
        kept = _sign(sums) * _maximum(_abs(sums) - self._l1 * t, 0.0) if self._l1 > 0 else sums
        return [s.assign(sums), q.assign(squares),
                self._store(v, -rate * kept / (self._l2 * t * rate + _sqrt(squares)))]  # fmt: skip
