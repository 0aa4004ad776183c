# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, written as reads and assignments: their slots and powers are variables under TensorFlow's names, and a
learning rate may be any tensor."""

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..conversion import as_tensor
from ..graph import GraphKeys, get_default_graph
from ..operation import Operation, Tensor
from ..ops import TABLE, cast, gradients, group
from ..variables import Variable, trainable_variables

_sqrt, _pow = TABLE["sqrt"], TABLE["pow"]


class Optimizer:
    """Updates variables along gradients."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool = False, name: str = "Optimizer"):
        self._name = name
        self._slots: Dict[str, Dict[Variable, Variable]] = {}
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
        with graph.control_dependencies(None):
            self._create([v for _, v in kept])
        with graph.name_scope(name or self._name):
            updates = []
            for g, v in kept:
                updates += self._apply(g, v)
            updates += self._finish()
            if global_step is not None:
                with graph.control_dependencies(updates):
                    updates.append(global_step.assign_add(1))
            op = group(*updates, name="update")
        graph.add_to_collection(GraphKeys.TRAIN_OP, op)
        return op

    def get_slot(self, var: Variable, name: str) -> Optional[Variable]:
        """The slot of a variable, None where there is none."""
        return self._slots.get(name, {}).get(var)

    def get_slot_names(self) -> List[str]:
        return sorted(self._slots)

    def variables(self) -> List[Variable]:
        """The variables of the optimizer."""
        return [s for slots in self._slots.values() for s in slots.values()]

    def _slot(self, var: Variable, key: str, start: float = 0.0) -> Variable:
        slots = self._slots.setdefault(key, {})
        if var not in slots:
            value = np.full(tuple(var._shape), start)
            graph = get_default_graph()
            full = graph._unique(f"{var.op_name}/{self._name}")
            slot = Variable.__new__(Variable)
            with graph.device(None), graph.device(var.device or None):
                slot._create(graph, full, None, value.astype(var.dtype), False, None, var.dtype, None)
            slots[var] = slot
        return slots[var]

    def _number(self, value: Any, var: Variable) -> Any:
        value = value() if callable(value) else value
        if isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor"):
            x = as_tensor(value)
            return x if x.dtype == var.dtype else cast(x, var.dtype)
        return float(value)

    def _store(self, var: Variable, value: Any) -> Any:
        return var.assign(value if var.constraint is None else var.constraint(value))

    def _create(self, variables: List[Variable]) -> None:
        pass

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        raise NotImplementedError

    def _finish(self) -> List[Any]:
        return []


class GradientDescentOptimizer(Optimizer):
    """p' = p - lr g."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"):
        super().__init__(use_locking, name)
        self._lr = learning_rate

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        return [self._store(v, v - g * self._number(self._lr, v))]


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

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        a, d, rho, e = self._slot(v, "accum"), self._slot(v, "accum_update"), self._rho, self._epsilon
        new = a * rho + g * g * (1 - rho)
        u = _sqrt(d + e) / _sqrt(new + e) * g
        return [a.assign(new), d.assign(d * rho + u * u * (1 - rho)),
                self._store(v, v - u * self._number(self._lr, v))]  # fmt: skip


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

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        s, m, rho = self._slot(v, "rms"), self._slot(v, "momentum"), self._decay
        new = s * rho + g * g * (1 - rho)
        updates, under = [s.assign(new)], new + self._epsilon
        if self._centered:
            c = self._slot(v, "mg")
            mean = c * rho + g * (1 - rho)
            updates.append(c.assign(mean))
            under = new - mean * mean + self._epsilon
        step = m * self._momentum + g * self._number(self._lr, v) / _sqrt(under)
        return [*updates, m.assign(step), self._store(v, v - step)]


class AdamOptimizer(Optimizer):
    """Kingma and Ba's, as in TensorFlow."""

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 use_locking: bool = False, name: str = "Adam"):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: List[Variable] = []

    def _create(self, variables: List[Variable]) -> None:
        if not self._powers:
            kind = variables[0].dtype
            for name, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
                self._powers.append(Variable(np.asarray(value, kind), trainable=False, name=name))
        for v in variables:
            self._slot(v, "m")
            self._slot(v, "v")

    def variables(self) -> List[Variable]:
        return [*self._powers, *super().variables()]

    def _apply(self, g: Any, v: Variable) -> List[Any]:
        m, s, b1, b2 = self._slot(v, "m"), self._slot(v, "v"), self._beta1, self._beta2
        one, two = (self._number(p, v) for p in self._powers)
        rate = _sqrt(1 - two) / (1 - one) * self._number(self._lr, v)
        first, second = m * b1 + g * (1 - b1), s * b2 + g * g * (1 - b2)
        return [m.assign(first), s.assign(second),
                self._store(v, v - rate * first / (_sqrt(second) + self._epsilon))]  # fmt: skip

    def _finish(self) -> List[Any]:
        one, two = self._powers
        return [one.assign(one * self._beta1), two.assign(two * self._beta2)]
