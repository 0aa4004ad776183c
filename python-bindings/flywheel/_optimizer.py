# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all optimizers share."""

import operator
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _dtypes, _trace
from ._attributes import Attribute, Schedule, StructAttribute
from ._tensor import Tensor, TensorLike, as_tensor
from ._trace import Attributes
from .clauses import LossScale
from .namespace import current_namespace
from .variables import Variable

# Initial values of counters and such, which are no arguments of the optimizers.
_STARTS = {"iterations": 0, "m_schedule": 1.0}


class Optimizer(StructAttribute):
    """A rule that updates variables along gradients.

    Its numbers that may change between steps are variables, as attributes of the
    object: `optimizer.lr.set(0.01)` between calls, `optimizer.lr.assign(...)` in a
    traced function; nothing is compiled again. The `name`, made unique, is that of
    these variables (`Adam/lr`) and of slots (`w/Adam`).
    """

    prefix = ""
    scalars: Tuple[str, ...] = ()
    scalars_if_positive: Tuple[str, ...] = ()
    # Whether a listed variable without a gradient is an error, as in Keras (O11).
    refuses_unconnected = False

    def __init__(self, fields: Dict[str, Any], name: Optional[str] = None) -> None:
        super().__init__(fields)
        namespace = current_namespace()
        self.name: str = namespace.unique(namespace.qualify(name or self.prefix))
        self._scalars: Dict[str, Variable] = {}

    def attribute(self) -> Attribute:
        return ("struct", (self.mnemonic, {**self.fields, "name": self.name}))

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        known = own.get("_scalars", {})
        if name in known:
            return known[name]
        fields = own.get("fields", {})
        positive = name in self.scalars_if_positive and fields.get(name, 0.0) > 0
        if "name" in own and (name in self.scalars or positive):
            variable = self._scalar(name)
            known[name] = variable
            return variable
        return super().__getattr__(name)

    def _scalar(self, name: str) -> Variable:
        start = self._start(name)
        kind = _dtypes.int64 if name == "iterations" else self.__dict__.get("_dtype", _dtypes.float32)
        # The name is the optimizer's already.
        variable = Variable.__new__(Variable)
        namespace = current_namespace()
        prefixes, namespace._prefixes = namespace._prefixes, []
        try:
            Variable.__init__(variable, start, dtype=kind, name=f"{self.name}/{name}", trainable=False)
        finally:
            namespace._prefixes = prefixes
        return variable

    def _start(self, name: str) -> Any:
        if name in self.fields:
            return self.fields[name]
        if name in ("beta1_power", "beta2_power"):
            return self.fields["beta_1" if name == "beta1_power" else "beta_2"]
        return _STARTS[name]

    def _settle_dtype(self, variables: Sequence[Variable]) -> None:
        if "_dtype" not in self.__dict__:
            wide = any(variable.dtype == _dtypes.float64 for variable in variables)
            self._dtype = _dtypes.float64 if wide else _dtypes.float32

    @property
    def variables(self) -> List[Variable]:
        """The scalar variables: hyper-parameters and counters."""
        positive = [name for name in self.scalars_if_positive if self.fields.get(name, 0.0) > 0]
        return [getattr(self, name) for name in [*self.scalars, *positive]]

    # In a traced function

    def minimize(
        self,
        loss: TensorLike,
        var_list: Optional[Sequence[Variable]] = None,
        *,
        global_step: Optional[Variable] = None,
        schedule: Optional[Schedule] = None,
        l2: Optional[float] = None,
        weight_decay: Optional[float] = None,
        no_decay: Sequence[Variable] = (),
        clip_norm: Optional[float] = None,
        clip_global_norm: Optional[float] = None,
        clip_value: Optional[float] = None,
        loss_scale: Union[LossScale, float, None] = None,
        accumulate: Optional[int] = None,
        master_weights: bool = False,
        lazy: bool = False,
        unconnected: Optional[str] = None,
    ) -> None:
        """One step down the gradient of `loss`, which is summed unless it is a scalar.

        Updates `var_list`, by default all trainable variables that the loss depends on
        (C6). `schedule` sets the rate of the step. Then in this order: `l2` adds its
        penalty to gradients, `clip_norm` bounds each one's norm, `clip_global_norm` that
        of all together, `clip_value` their elements; `weight_decay` shrinks variables
        apart from the gradient. `no_decay` are left out of both penalties. With `lazy`,
        rows of a table that no example looked up stay as they are. `global_step` counts
        afterwards.

        `loss_scale` multiplies the loss, and divides the gradients in float32: a number,
        or a `flywheel.clauses.LossScale` that grows and falls; a call whose gradients are
        not all finite changes nothing but the scale, the variable `Adam/loss_scale`.
        `accumulate=k` sums gradients of k calls, and updates along their mean in the
        last. With `master_weights`, variables of float16 and bfloat16 are the rounded
        values of float32 ones (`w/Adam/master`), which are updated.
        A variable of `var_list` that the loss does not depend on is a
        ValueError of the optimizers of Keras and left alone by others, or as
        `unconnected` says: "error" or "skip". Raises ValueError where nothing can be
        updated.
        """
        loss = as_tensor(loss)
        trace = loss.trace
        if not _dtypes.is_floating(loss.dtype):
            raise TypeError(f"a loss is floating-point, found {_dtypes.name_of(loss.dtype)}")
        if unconnected not in (None, "error", "skip"):
            raise ValueError(f'expected unconnected to be "error" or "skip", found {unconnected!r}')
        is_strict = unconnected == "error"
        if unconnected is None:
            is_strict = self.refuses_unconnected and var_list is not None
        targets = self._targets(loss, var_list, is_strict)
        self._settle_dtype(targets)
        numbers = {"l2": l2, "weight_decay": weight_decay, "clip_norm": clip_norm,
                   "clip_global_norm": clip_global_norm, "clip_value": clip_value}  # fmt: skip
        attributes = self._clauses(
            trace, global_step, schedule, numbers, no_decay, loss_scale, accumulate, master_weights, lazy
        )
        attributes["var_list"] = ("symbols", [variable.name for variable in targets])
        attributes["unconnected"] = ("i32", 0 if is_strict else 1)
        trace.op("train.minimize", [loss.value], [], attributes)
        trace.forget_reads()

    def _targets(self, loss: Tensor, var_list: Optional[Sequence[Variable]], is_strict: bool) -> List[Variable]:
        trace = loss.trace
        if var_list is not None:
            targets = list(var_list)
        else:
            targets = [v for v in trace.variables.values() if v.trainable and _dtypes.is_floating(v.dtype)]
        if not targets:
            raise ValueError("No variables to optimize")
        for variable in targets:
            if not isinstance(variable, Variable):
                raise TypeError(f"expected variables to optimize, found {type(variable).__name__}")
            if not _dtypes.is_floating(variable.dtype):
                raise TypeError(f"variable '{variable.name}' of dtype {variable.dtype} has no gradient")
        values = [trace.read(variable) for variable in targets]
        connected = trace.graph.depends([loss.value], values)
        reached = [variable for variable, depends in zip(targets, connected) if depends]
        if is_strict and len(reached) < len(targets):
            raise ValueError("An operation has `None` for gradient: the loss does not depend on "
                             + ", ".join(v.name for v, depends in zip(targets, connected) if not depends))  # fmt: skip
        if not reached:
            raise ValueError("No gradients provided for any variable: the loss depends on none of "
                             + ", ".join(variable.name for variable in targets))  # fmt: skip
        return reached

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Tuple[Optional[TensorLike], Variable]],
        *,
        global_step: Optional[Variable] = None,
        schedule: Optional[Schedule] = None,
        l2: Optional[float] = None,
        weight_decay: Optional[float] = None,
        no_decay: Sequence[Variable] = (),
        clip_norm: Optional[float] = None,
        clip_global_norm: Optional[float] = None,
        clip_value: Optional[float] = None,
        loss_scale: Union[LossScale, float, None] = None,
        accumulate: Optional[int] = None,
        master_weights: bool = False,
        lazy: bool = False,
    ) -> None:
        """One step along given gradients, of the shapes of their variables; a gradient
        that is None leaves its variable alone. See `minimize`."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        given = [(as_tensor(gradient, variable.dtype), variable) for gradient, variable in pairs
                 if gradient is not None]  # fmt: skip
        if not given:
            raise ValueError("No gradients provided for any variable: " + ", ".join(v.name for _, v in pairs))
        for gradient, variable in given:
            if gradient.shape != variable.shape:
                raise ValueError(f"the gradient of variable '{variable.name}' has shape {gradient.shape}, "
                                 f"expected {variable.shape}")  # fmt: skip
        trace = _trace.current()
        targets = [variable for _, variable in given]
        for variable in targets:
            trace.declare(variable)
        self._settle_dtype(targets)
        numbers = {"l2": l2, "weight_decay": weight_decay, "clip_norm": clip_norm,
                   "clip_global_norm": clip_global_norm, "clip_value": clip_value}  # fmt: skip
        attributes = self._clauses(
            trace, global_step, schedule, numbers, no_decay, loss_scale, accumulate, master_weights, lazy
        )
        attributes["var_list"] = ("symbols", [variable.name for variable in targets])
        trace.op("train.apply_gradients", [gradient.value for gradient, _ in given], [], attributes)
        trace.forget_reads()

    def _clauses(
        self,
        trace: _trace.Trace,
        global_step: Optional[Variable],
        schedule: Optional[Schedule],
        numbers: Dict[str, Optional[float]],
        no_decay: Sequence[Variable],
        loss_scale: Union[LossScale, float, None],
        accumulate: Optional[int],
        master_weights: bool,
        lazy: bool,
    ) -> Attributes:
        attributes: Attributes = {"optimizer": self.attribute()}
        if global_step is not None:
            trace.declare(global_step)
            attributes["global_step"] = ("symbol", global_step.name)
        if schedule is not None:
            attributes["schedule"] = schedule.attribute()
        for name, number in numbers.items():
            if number is not None:
                attributes[name] = ("f64", float(number))
        if no_decay:
            for variable in no_decay:
                trace.declare(variable)
            attributes["no_decay"] = ("symbols", [variable.name for variable in no_decay])
        if loss_scale is not None:
            if not isinstance(loss_scale, LossScale):
                loss_scale = LossScale(initial=loss_scale, growth=1.0, backoff=1.0)
            attributes["loss_scale"] = loss_scale.attribute()
        if accumulate is not None:
            attributes["accumulate"] = ("i64", operator.index(accumulate))
        if master_weights:
            attributes["master_weights"] = ("unit", None)
        if lazy:
            attributes["sparse"] = ("i32", 1)
        return attributes
