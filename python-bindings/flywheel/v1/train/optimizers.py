# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, written as reads and assignments: their slots and powers are variables under TensorFlow's names, and a
learning rate may be any tensor."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ... import optimizers as traced
from ..._core.argument_checks import number
from ..conversion import as_tensor
from ..derivatives import gradients, rows_of
from ..elementwise import TABLE
from ..graph import GraphKeys, get_default_graph
from ..operation import Operation, Tensor
from ..ops import cast, group
from ..variables import Variable, trainable_variables
from .rows import RowUpdate, apply_rows

_sqrt, _pow, _maximum = TABLE["sqrt"], TABLE["pow"], TABLE["maximum"]


def single(value: Any) -> Any:
    """Returns a number as TensorFlow takes it for variables of float32: 1 - 0.999 is 0.00099998713."""
    return float(np.float32(value)) if isinstance(value, float) else value


class Optimizer:
    """Updates variables along gradients."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool = False, name: str = "Optimizer"):
        self._name = name
        self._slots: Dict[str, Dict[Variable, Variable]] = {}
        self._others: Dict[Tuple[Any, str], Variable] = {}
        self._numbers: Dict[str, Any] = {}

    def get_name(self) -> str:
        return self._name

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: int = 1,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False, name: Optional[str] = None,
        grad_loss: Any = None,
    ) -> Operation:  # fmt: skip
        """An op that takes one step down the gradient of a loss."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(g is None for g, _ in pairs):
            raise ValueError("No gradients provided for any variable, check your graph for ops that do not support "
                             f"gradients, between variables {[v.name for _, v in pairs]} and loss {loss}.")  # fmt: skip
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self, loss: Any, var_list: Any = None, gate_gradients: int = 1, aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False, grad_loss: Any = None,
    ) -> List[Tuple[Any, Variable]]:  # fmt: skip
        """Pairs of a gradient, which may be None, and its variable."""
        variables = trainable_variables() if var_list is None else list(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        return list(zip(gradients(loss, variables, grad_loss), variables))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Operation:
        """An op that takes one step along given gradients."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        kept = [(as_tensor(g), v) for g, v in pairs if g is not None]
        if not kept:
            raise ValueError(f"No gradients provided for any variable: {[v.name for _, v in pairs]}.")
        graph = get_default_graph()
        own = type(self)
        # A class of a program may compute the update of a variable itself.
        of_program = next((one for one in ("_apply_dense", "_resource_apply_dense")
                           if getattr(own, one) is not getattr(Optimizer, one)), None)  # fmt: skip
        with graph.control_dependencies(None):
            self._create_slots([v for _, v in kept])
        with graph.name_scope(name or self._name) as scope:
            self._prepare()
            updates: List[Any] = []
            for g, v in kept:
                if of_program is not None:
                    updates.append(getattr(self, of_program)(g, v))
                    continue
                rows = self._rows(v) if rows_of(g, v._as_graph_tensor()) else None
                updates += self._apply(g, v) if rows is None else [apply_rows(g, v, rows)]
            if own._finish is not Optimizer._finish:
                updates = [self._finish(updates, f"{scope}finish")]
            else:
                updates += self._shared_updates()
            if global_step is not None:
                with graph.control_dependencies(updates):
                    updates.append(global_step.assign_add(1))
            op = group(*updates, name="update")
        graph.add_to_collection(GraphKeys.TRAIN_OP, op)
        return op

    def get_slot(self, var: Variable, name: str) -> Optional[Variable]:
        """The slot of a variable, None if it has none."""
        return self._slots.get(name, {}).get(var)

    def get_slot_names(self) -> List[str]:
        return sorted(self._slots)

    def variables(self) -> List[Variable]:
        """The variables of the optimizer, in the order of their names."""
        return sorted(self._own_variables(), key=lambda v: v.name)

    # Methods that a class of a program defines or calls, under their names in TensorFlow

    def _prepare(self) -> None:
        """Makes the tensors that all updates take."""

    def _create_slots(self, var_list: List[Variable]) -> None:
        """Makes the slots of variables."""
        self._create(var_list)

    def _apply_dense(self, grad: Any, var: Variable) -> Any:
        """An op that updates a variable along a gradient."""
        return group(*self._apply(grad, var))

    def _resource_apply_dense(self, grad: Any, handle: Variable) -> Any:
        return self._apply_dense(grad, handle)

    def _finish(self, update_ops: List[Any], name_scope: str) -> Any:
        """An op that is done when all updates are."""
        return group(*update_ops, *self._shared_updates(), name=name_scope)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._slot(var, slot_name, 0.0, op_name)

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        return self._slot(var, slot_name, val, op_name)

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        return self._slot(var, slot_name, lambda: initializer(shape, dtype), op_name)

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Variable:
        """A variable that is of no other one; `colocate_with` has no effect."""
        key = get_default_graph(), name
        if key not in self._others:
            self._others[key] = Variable(initial_value, trainable=False, name=name)
        return self._others[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Optional[Variable]:
        return self._others.get((graph or get_default_graph(), name))

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _own_variables(self) -> List[Variable]:
        return [*[s for slots in self._slots.values() for s in slots.values()], *self._others.values()]

    def _slot(self, var: Variable, key: str, start: Any = 0.0, name: Optional[str] = None) -> Variable:
        slots = self._slots.setdefault(key, {})
        if var not in slots:
            value = np.full(tuple(var._shape), start).astype(var.dtype) if isinstance(start, (int, float)) else start
            graph = get_default_graph()
            full = graph._unique(f"{var.op_name}/{name or self._name}")
            slot = Variable.__new__(Variable)
            with graph.device(None), graph.device(var.device or None):
                slot._create(graph, full, None, value, False, None, var.dtype, None)
            slots[var] = slot
        return slots[var]

    def _number(self, value: Any, var: Variable) -> Any:
        value = value() if callable(value) else value
        if isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor"):
            x = as_tensor(value)
            return x if x.dtype == var.dtype else cast(x, var.dtype)
        known = number("a number of an optimizer", value)
        return known if var.dtype == "float64" else single(known)

    def _store(self, var: Variable, value: Any) -> Any:
        return var.assign(value if var.constraint is None else var.constraint(value))

    def _create(self, variables: List[Variable]) -> None:
        pass

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        raise NotImplementedError(f"the optimizer {type(self).__name__} has no _apply_dense, which updates a variable "
                                  "along its gradient")  # fmt: skip

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        """Returns the update of rows of a table; None if a gradient of them is applied as one of all."""
        return None

    def _shared_updates(self) -> List[Any]:
        """Returns the updates that come after those of all variables."""
        return []


class GradientDescentOptimizer(Optimizer):
    """p' = p - lr g."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"):
        super().__init__(use_locking, name)
        self._lr = learning_rate

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        return [self._store(v, v - g * self._number(self._lr, v))]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        return RowUpdate(lambda name: traced.GradientDescent(0.0, name=name), {"lr": self._number(self._lr, v)}, [])


class MomentumOptimizer(Optimizer):
    """a' = momentum a + g; p' = p - lr a'."""

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str = "Momentum",
                 use_nesterov: bool = False):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "momentum")

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        lr, momentum, a = self._number(self._lr, v), self._number(self._momentum, v), self._slot(v, "momentum")
        new = a * momentum + g
        step = g * lr + new * momentum * lr if self._nesterov else new * lr
        return [a.assign(new), self._store(v, v - step)]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        scalars = {"lr": self._number(self._lr, v), "momentum": self._number(self._momentum, v)}
        return RowUpdate(lambda name: traced.Momentum(0.0, nesterov=self._nesterov, name=name), scalars,
                         [self._slot(v, "momentum")])  # fmt: skip


class AdagradOptimizer(Optimizer):
    """a' = a + g^2; p' = p - lr g / sqrt(a')."""

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1, use_locking: bool = False,
                 name: str = "Adagrad"):  # fmt: skip
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._lr, self._start = learning_rate, initial_accumulator_value

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "accumulator", self._start)

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        a = self._slot(v, "accumulator")
        new = a + g * g
        return [a.assign(new), self._store(v, v - g * self._number(self._lr, v) / _sqrt(new))]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        return RowUpdate(lambda name: traced.TFAdagrad(0.0, name=name), {"lr": self._number(self._lr, v)},
                         [self._slot(v, "accumulator")])  # fmt: skip


class AdadeltaOptimizer(Optimizer):
    """Zeiler's, as in TensorFlow."""

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-8, use_locking: bool = False,
                 name: str = "Adadelta"):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "accum")
            self._slot(v, "accum_update")

    def _numbers_of(self, v: Variable) -> List[Any]:
        return [self._number(x, v) for x in (self._rho, self._epsilon)]

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        a, d, rho, e = self._slot(v, "accum"), self._slot(v, "accum_update"), *self._numbers_of(v)
        new = a * rho + g * g * (1 - rho)
        u = _sqrt(d + e) / _sqrt(new + e) * g
        return [a.assign(new), d.assign(d * rho + u * u * (1 - rho)),
                self._store(v, v - u * self._number(self._lr, v))]  # fmt: skip

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        rho, epsilon = self._numbers_of(v)
        scalars = {"lr": self._number(self._lr, v), "rho": rho}
        return RowUpdate(lambda name: traced.TFAdadelta(epsilon=epsilon, name=name), scalars,
                         [self._slot(v, "accum"), self._slot(v, "accum_update")])  # fmt: skip


class RMSPropOptimizer(Optimizer):
    """Tieleman and Hinton's, as in TensorFlow."""

    def __init__(self, learning_rate: Any, decay: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-10,
                 use_locking: bool = False, centered: bool = False, name: str = "RMSProp"):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "rms", 1.0)
            if self._centered:
                self._slot(v, "mg")
            self._slot(v, "momentum")

    def _numbers_of(self, v: Variable) -> List[Any]:
        return [self._number(x, v) for x in (self._decay, self._momentum, self._epsilon)]

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        s, m, (rho, momentum, epsilon) = self._slot(v, "rms"), self._slot(v, "momentum"), self._numbers_of(v)
        new = s * rho + g * g * (1 - rho)
        updates, under = [s.assign(new)], new + epsilon
        if self._centered:
            c = self._slot(v, "mg")
            mean = c * rho + g * (1 - rho)
            updates.append(c.assign(mean))
            # Rounding may take it below 0, where no root is.
            under = _maximum(new - mean * mean, 0.0) + epsilon
        step = m * momentum + g * self._number(self._lr, v) / _sqrt(under)
        return [*updates, m.assign(step), self._store(v, v - step)]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        decay, momentum, epsilon = self._numbers_of(v)
        scalars = {"lr": self._number(self._lr, v), "decay": decay, "momentum": momentum}
        return RowUpdate(
            lambda name: traced.TFRMSProp(0.0, epsilon=epsilon, centered=self._centered, name=name), scalars,
            [self._slot(v, key) for key in ("rms", "mg", "momentum") if key != "mg" or self._centered])  # fmt: skip


class AdamOptimizer(Optimizer):
    """Kingma and Ba's, as in TensorFlow."""

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 use_locking: bool = False, name: str = "Adam"):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: List[Variable] = []

    def _create(self, variables: List[Variable]) -> None:
        if not self._powers:
            # As in TensorFlow, those of narrower variables are of float32.
            kind = "float64" if variables[0].dtype == "float64" else "float32"
            for name, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
                self._powers.append(Variable(np.asarray(value, kind), trainable=False, name=name))
        for v in variables:
            self._slot(v, "m")
            self._slot(v, "v")

    def _own_variables(self) -> List[Variable]:
        return [*self._powers, *super()._own_variables()]

    def _numbers_of(self, v: Variable) -> List[Any]:
        return [self._number(x, v) for x in (self._beta1, self._beta2, self._epsilon)]

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        m, s, (b1, b2, epsilon) = self._slot(v, "m"), self._slot(v, "v"), self._numbers_of(v)
        one, two = (self._number(p, v) for p in self._powers)
        rate = _sqrt(1 - two) / (1 - one) * self._number(self._lr, v)
        first, second = m * b1 + g * (1 - b1), s * b2 + g * g * (1 - b2)
        return [m.assign(first), s.assign(second),
                self._store(v, v - rate * first / (_sqrt(second) + epsilon))]  # fmt: skip

    def _shared_updates(self) -> List[Any]:
        one, two = self._powers
        return [one.assign(one * self._beta1), two.assign(two * self._beta2)]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        # TensorFlow's moments fall in all rows; only their parts along the gradient are of some.
        one, two = (self._number(p, v) for p in self._powers)
        b1, b2, epsilon = self._numbers_of(v)
        scalars = {"lr": self._number(self._lr, v), "beta_1": b1, "beta_2": b2, "beta1_power": one,
                   "beta2_power": two}  # fmt: skip
        return RowUpdate(lambda name: traced.TFAdam(epsilon=epsilon, name=name), scalars,
                         [self._slot(v, "m"), self._slot(v, "v")], decays_all=True)  # fmt: skip


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader (McMahan et al., 2013), with the shrinkage of TensorFlow (O26).

    n' = n + g^2; z' = z + g + 2 shrinkage p - (n'^k - n^k) / lr p, where k = -learning_rate_power; p' = (l1 sign(z') -
    z') / (n'^k / lr + 2 l2) where |z'| > l1, else 0. The variables n and z of a variable have the names VARIABLE/Ftrl
    and VARIABLE/Ftrl_1, or `accum_name` and `linear_name` in place of Ftrl.
    """

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", accum_name: Any = None, linear_name: Any = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ):  # fmt: skip
        for key, value in (("initial_accumulator_value", initial_accumulator_value),
                           ("l1_regularization_strength", l1_regularization_strength),
                           ("l2_regularization_strength", l2_regularization_strength),
                           ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)):  # fmt: skip
            if value < 0:
                raise ValueError(f"{key} {value} needs to be positive or zero")
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        super().__init__(use_locking, name)
        self._lr, self._k, self._start = learning_rate, -learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._names = accum_name, linear_name

    def _create(self, variables: List[Variable]) -> None:
        for v in variables:
            self._slot(v, "accum", self._start, self._names[0])
            self._slot(v, "linear", name=self._names[1])

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        n, z, lr, p = self._slot(v, "accum"), self._slot(v, "linear"), self._number(self._lr, v), v.value()
        sums = n + g * g
        root, before = (_sqrt(x) if self._k == 0.5 else _pow(x, self._k) for x in (sums, n))
        shrunk = g + 2 * self._shrinkage * p if self._shrinkage else g
        linear = z + shrunk - (root - before) / lr * p
        # `-beyond` is l1 sign(z') - z' if |z'| > l1, else 0.
        beyond = TABLE["maximum"](TABLE["abs"](linear) - self._l1, 0.0) * TABLE["sign"](linear)
        kept = -beyond / (root / lr + 2 * self._l2)
        return [self._store(v, kept), z.assign(linear), n.assign(sums)]

    def _rows(self, v: Variable) -> Optional[RowUpdate]:
        scalars = {"lr": self._number(self._lr, v), "l1": self._l1, "l2": self._l2, "l2_shrinkage": self._shrinkage}
        return RowUpdate(lambda name: traced.Ftrl(0.0, lr_power=-self._k, name=name), scalars,
                         [self._slot(v, "accum"), self._slot(v, "linear")])  # fmt: skip
