# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.train`: optimizers, the global step, and checkpoints.

Optimizers are written as reads and assignments: their slots and powers are variables
under TensorFlow's names, and a learning rate may be any tensor.
"""

import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import _dtypes
from .._flywheel import CheckpointManager
from .._flywheel import Store as RuntimeStore
from .._flywheel import get_checkpoint_state as _state
from .._flywheel import latest_checkpoint as _latest
from .graph import GraphKeys, Operation, Tensor, as_tensor, get_default_graph
from .initializers import zeros_initializer
from .ops import TABLE, cast, gradients, group
from .variables import Variable, _get, global_variables, model_of, trainable_variables

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


def create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps (V14). Raises ValueError where there is one."""
    if get_global_step() is not None:
        raise ValueError('"global_step" already exists.')
    names = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
    return _get("global_step", [], _dtypes.int64, zeros_initializer(), None, False, names)


def get_global_step(graph: Any = None) -> Optional[Variable]:
    """The variable that counts steps, None where there is none."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def get_or_create_global_step(graph: Any = None) -> Variable:
    return get_global_step(graph) or create_global_step(graph)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session."""
    return int(sess.run(global_step_tensor))


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: Any = None
) -> Any:
    """learning_rate decay_rate^(global_step / decay_steps)."""
    share = cast(global_step, _dtypes.float32) / float(decay_steps)
    return _pow(float(decay_rate), TABLE["floor"](share) if staircase else share) * learning_rate


class Saver:
    """Writes variables to checkpoints, and reads them (P3, P7, P8)."""

    def __init__(
        self, var_list: Any = None, reshape: bool = False, sharded: bool = False, max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0, name: Any = None, restore_sequentially: bool = False,
        saver_def: Any = None, builder: Any = None, defer_build: bool = False, allow_empty: bool = False,
        write_version: Any = None, pad_step_number: bool = False, save_relative_paths: bool = False,
        filename: Any = None,
    ):  # fmt: skip
        variables = global_variables() if var_list is None else var_list
        if not variables and not allow_empty:
            raise ValueError("No variables to save")
        self._names = model_of(variables)
        self._variables = list(variables.values() if isinstance(variables, dict) else variables)
        self._reshape = reshape
        self._max_to_keep, self._hours, self._pads = max_to_keep, float(keep_checkpoint_every_n_hours), pad_step_number
        self._managers: Dict[str, CheckpointManager] = {}
        self.last_checkpoints: List[str] = []

    def save(
        self, sess: Any, save_path: str, global_step: Any = None, latest_filename: Optional[str] = None,
        meta_graph_suffix: str = "meta", write_meta_graph: bool = True, write_state: bool = True,
    ) -> str:  # fmt: skip
        """Writes a checkpoint, and gives its path. There is no file of the graph."""
        step = global_step
        if step is not None and not isinstance(step, (int, np.integer)):
            step = sess.run(step)
        self._declare(sess)
        file = latest_filename or "checkpoint"
        manager = self._managers.get(file)
        if manager is None:
            manager = self._managers[file] = CheckpointManager(
                max_to_keep=self._max_to_keep, keep_checkpoint_every_n_hours=self._hours, pad_step_number=self._pads,
                state_file=file)  # fmt: skip
        path = manager.save(sess.store, save_path, None if step is None else int(step), self._names)
        self.last_checkpoints = [p for p in self.last_checkpoints if p != path] + [path]
        return path

    def restore(self, sess: Any, save_path: Optional[str]) -> None:
        """Reads a checkpoint; its variables need no initializer then."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        self._declare(sess)
        RuntimeStore.restore(sess.store, save_path, self._names, reshape=self._reshape)

    def _declare(self, sess: Any) -> None:
        for variable in self._variables:
            variable.implementation._declare_value(sess.store)


def get_checkpoint_state(checkpoint_dir: str, latest_filename: Optional[str] = None) -> Any:
    """What the state file of a folder says, None where there is none (P7)."""
    return _state(checkpoint_dir, latest_filename or "checkpoint")


def latest_checkpoint(checkpoint_dir: str, latest_filename: Optional[str] = None) -> Optional[str]:
    """The path of the latest checkpoint of a folder, None where there is none."""
    return _latest(checkpoint_dir, latest_filename or "checkpoint")


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    folder, base = os.path.split(checkpoint_prefix)
    return any(name == base or name.startswith(base + ".") for name in os.listdir(folder or "."))


def replica_device_setter(
    ps_tasks: int = 0, ps_device: str = "/job:ps", worker_device: str = "/job:worker", merge_devices: bool = True,
    cluster: Any = None, ps_ops: Any = None, ps_strategy: Any = None,
) -> Any:  # fmt: skip
    """A device function: variables go to the ps tasks in turn, all else to workers."""
    if cluster is not None:
        ps_tasks = len((cluster if isinstance(cluster, dict) else cluster.as_dict()).get("ps", []))
    if ps_tasks == 0:
        return None
    kinds = ps_ops or ("VariableV2",)
    count = [0]

    def device(op: Operation) -> str:
        if op.type not in kinds or not op.attrs.get("is_ref"):
            return worker_device
        if "/job:" in op.device and ps_device not in op.device:
            return op.device
        task = ps_strategy(op) if ps_strategy is not None else count[0] % ps_tasks
        count[0] += 1
        return f"{ps_device}/task:{task}"

    return device


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.train.{name}; see docs/v1.md")
