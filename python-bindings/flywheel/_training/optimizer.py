# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of all optimizers."""

import functools
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core import tree as _tree
from .._core.annotations import Array
from .._core.argument_checks import flag, integer, number
from .._core.members import Members
from .._core.operators import Operators
from .._core.tensor import Tensor, TensorLike, as_tensor, format_shape, traced_variable
from .._core.trace import Attributes
from .._errors.hints import attribute_error, is_own_attribute, name_methods, nearest_argument
from .._errors.messages import about, wrong
from .._errors.other_frameworks import OPTIMIZER
from .._flywheel import Attribute
from .._variables.attributes import Schedule, StructAttribute
from ..clauses import LossScale
from ..namespace import Namespace, current_namespace
from ..store import Store, current_store
from ..transforms import custom_vjp
from ..variables import Variable, list_variables

if TYPE_CHECKING:
    from typing_extensions import Self

# Initial values of counters and such, which are not arguments of the optimizers.
_STARTS = {"iterations": 0, "m_schedule": 1.0}
# For a moment, and of all optimizers: a lock of each could not be copied with it.
_making = threading.RLock()
# The optimizers whose update of an element depends on other elements.
_OF_WHOLE_TENSORS = ("adafactor", "lamb", "muon")


class _Number(Variable):
    """A counter, or another number of an optimizer."""

    _is_made_once = True


class _Scalar(_Number):
    """A hyper-parameter: float32, or float64 where a float64 variable is updated, as the first step decides. Until then
    its dtype is that of the widest trainable variable of the namespace; when it changes, values in stores change theirs
    (V14)."""

    _start: Any = None
    # The stores that have declared it, and what was set there, with all digits. None once the dtype is final.
    _stores: Optional["weakref.WeakKeyDictionary[Store, Optional[Array]]"] = None
    # Raises ValueError for a value that the optimizer cannot have.
    _check: Optional[Callable[[float], None]] = None

    def settle(self, dtype: _dtypes.DType) -> None:
        """Decides the dtype."""
        with _making:
            if self._stores is not None:
                self._retype(dtype)
                self._stores = None

    def _guess(self) -> None:
        with _making:
            if self._stores is not None:
                self._retype(_widest(self.namespace.variables.values()))

    def _retype(self, dtype: _dtypes.DType) -> None:
        old, known = self.dtype, list((self._stores or {}).items())
        if dtype == old:
            return
        values = [(store, given, store._take(super(_Scalar, self)._declare_value(store))) for store, given in known]
        self.__dict__["dtype"], self._host_value = dtype, _dtypes.literal(self._start, dtype)
        for store, given, value in values:
            key = super()._declare_value(store)
            if value is not None:
                # With all digits where nothing else, a checkpoint say, has replaced it.
                exact = [x for x in (given, self._start) if x is not None and value == _dtypes.literal(x, old)]
                store._set(key, _dtypes.literal(exact[0] if exact else value, dtype))

    def set(self, value: Any) -> None:
        if self._check is not None:
            self._check(number(self.name, value))
        if self._stores is None:
            super().set(value)
            return
        _trace.refuse_actions(f"setting variable '{self.name}'", "`assign` sets it in each")
        array = np.array(value, np.float64)
        if array.shape != ():
            raise ValueError(f"expected a number for '{self.name}', found an array of shape {array.shape}")
        store = current_store()
        with _making:
            key = self._declare_value(store)
            if self._stores is not None:
                self._stores[store] = array
            store._set(key, array.astype(self.dtype))

    def numpy(self) -> Array:
        self._refuse_value("value")
        if self._stores is not None and not current_store()._knows(self._name):
            return _dtypes.literal(self._start, self.dtype)
        return super().numpy()

    def _declare_value(self, store: Store) -> str:
        self._guess()
        key = super()._declare_value(store)
        with _making:
            if self._stores is not None:
                self._stores.setdefault(store, None)
        return key

    def _is_large(self) -> bool:
        # No program has it before its dtype is final.
        return self._stores is not None or super()._is_large()

    def _settle_in(self, trace: _trace.Trace) -> None:
        """Gives the number a dtype when a program uses it before the update: by the variables that it has read by then,
        or else by all variables."""
        read = [v for v in trace.variables.values() if v.trainable and _dtypes.is_floating(v.dtype)]
        self.settle(_widest(read or self.namespace.variables.values()))

    def _declare(self, trace: _trace.Trace) -> None:
        self._settle_in(trace)
        super()._declare(trace)

    def _operand(self, value: TensorLike) -> Tensor:
        self._settle_in(_trace.current())
        return super()._operand(value)


def _widest(variables: Iterable[Variable]) -> _dtypes.DType:
    """Returns the dtype of numbers that trainable ones of these variables need."""
    is_wide = any(v.trainable and v.dtype == _dtypes.float64 for v in list(variables))
    return _dtypes.float64 if is_wide else _dtypes.float32


def _check_clause(name: str, value: Any) -> float:
    """Returns a number of a clause. Raises ValueError for one that is out of range."""
    found = number(name, value)
    is_bound = name.startswith("clip")
    if not (found > 0.0 if is_bound else found >= 0.0) or found == float("inf"):
        raise ValueError(f"expected a finite {name} {'> 0' if is_bound else '>= 0'}, found {value}: leave {name} out "
                         + ("to bound nothing" if is_bound else "for no penalty"))  # fmt: skip
    return found


def _candidates(trace: _trace.Trace, var_list: Optional[Sequence[Variable]]) -> List[Variable]:
    """The variables to update, if the loss depends on them. Raises ValueError for none, TypeError for integers."""
    if var_list is not None:
        targets = list_variables("var_list", var_list)
    else:
        targets = [v for v in trace.variables.values()
                   if v.trainable and v not in trace.frozen and _dtypes.is_floating(v.dtype)]  # fmt: skip
    if not targets:
        raise ValueError("No variables to optimize")
    for variable in targets:
        if not _dtypes.is_floating(variable.dtype):
            raise TypeError(f"variable '{variable.name}' of dtype {variable.dtype} has no gradient")
    return targets


def find_connected(loss: Tensor, variables: Sequence[Variable], through_steps: bool = False) -> List[Variable]:
    """The variables that a loss is a differentiable function of. With `through_steps`, ops such as `flywheel.floor`,
    whose derivative is 0, count as differentiable."""
    values = [loss.trace.read(variable) for variable in variables]
    connected = loss.trace.graph.depends([loss.value], values, through_steps)
    return [variable for variable, depends in zip(variables, connected) if depends]


def _connect(loss: Tensor, variables: Sequence[Variable]) -> Tensor:
    """The loss, whose derivative with respect to a variable that it does not depend on is 0."""
    connected = {id(variable) for variable in find_connected(loss, variables)}
    others = [variable.read() for variable in variables if id(variable) not in connected]
    if not others:
        return loss
    connect = custom_vjp(lambda value, *_: value)
    connect.defvjp(lambda *given: (given[-1], *[None] * len(others)))
    return connect(loss, *others)  # type: ignore[no-any-return]


def _list_pairs(given: Any) -> List[Tuple[Optional[TensorLike], Variable]]:
    """Pairs of a gradient and its variable. Raises TypeError for anything else."""
    if isinstance(given, Mapping):
        raise TypeError("expected a list of pairs of a gradient and its variable, found a dict by path: give "
                        "zip(gradients.values(), module.parameters())")  # fmt: skip
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, (Operators, str)) else None
    found = None if found is None else [
        (pair[0], traced_variable(pair[1])) if isinstance(pair, (tuple, list)) and len(pair) == 2 else pair
        for pair in found]  # fmt: skip
    for pair in [None] if found is None else found:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[1], Variable):
            is_swapped = isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], Variable)
            raise TypeError("expected a list of pairs of a gradient and its variable, "
                            + ("in this order, " if is_swapped else "") + "found "
                            + repr(given if found is None else pair))  # fmt: skip
    return found or []


def _unpickle(kind: "Type[Optimizer]", fields: Dict[str, Any], name: str) -> "Optimizer":
    made = kind.__new__(kind)
    Optimizer.__init__(made, fields, name)
    return made


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
    # True if a listed variable without a gradient is an error, as in Keras (O11).
    refuses_unconnected = False
    _rates = ("lr", "adam_lr")
    _elsewhere = OPTIMIZER

    def __new__(cls, *args: Any, **given: Any) -> "Self":
        """Raises TypeError for variables, which are arguments of `minimize`."""
        if args and isinstance(args[0], (list, tuple, dict, types.GeneratorType, _tree.Whole)):
            raise about(cls.__name__, TypeError("takes no variables, found "
                                                f"{type(args[0]).__name__}: those that it updates "
                                                "are an argument of minimize(loss, variables)"), " ")  # fmt: skip
        return super().__new__(cls, *args, **given)

    def __init__(self, fields: Dict[str, Any], name: Optional[str] = None) -> None:
        super().__init__(fields)
        if name is not None and not isinstance(name, str):
            raise wrong(TypeError, "a str", repr(name), "name", function=type(self).__name__)
        settings = {"class": type(self).__name__, **{key: repr(value) for key, value in self.fields.items()}}
        settable = [key for key in self.scalars if isinstance(self.fields.get(key), (int, float))]
        known = _trace.made_once(f"optimizer '{name or self.prefix}'", settings, self, settable)
        if known is not self:
            # The same optimizer, with its numbers and slots.
            object.__setattr__(self, "__dict__", known.__dict__)
            return
        # Its numbers are in this namespace, wherever they are used first.
        self._name = current_namespace().name(name or self.prefix)
        self._scalars: Dict[str, Variable] = {}

    @property
    def name(self) -> str:
        return self._name.text

    @property
    def namespace(self) -> Namespace:
        return self._name.namespace

    def _copy(self, namespace: Namespace) -> "Optimizer":
        """Another optimizer with the hyper-parameters of now, which has numbers and slots of its own (N15)."""
        made = type(self).__new__(type(self))
        made.__dict__["fields"] = self._current_fields()
        made._name, made._scalars = namespace.name(self._name.wanted), {}
        return made

    def __copy__(self) -> "Optimizer":
        return self._copy(self.namespace)

    def __deepcopy__(self, _: Any) -> "Optimizer":
        return self._copy(self.namespace)

    def __reduce__(self) -> Any:
        return _unpickle, (type(self), self._current_fields(), self._name.wanted)

    def _current_fields(self) -> Dict[str, Any]:
        """Returns the hyper-parameters with their values in the current store."""
        found = dict(self.fields)
        for name, variable in list(self._scalars.items()):
            if name in found and variable.is_initialized():
                value = variable.numpy()
                if value != _dtypes.literal(found[name], variable.dtype):
                    found[name] = float(value)
        return found

    def attribute(self) -> Attribute:
        return Attribute.struct(self.mnemonic, {**self.fields, "name": self.name})

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        known = own.get("_scalars", {})
        if name in known:
            return known[name]
        fields = own.get("fields", {})
        positive = name in self.scalars_if_positive and fields.get(name, 0.0) > 0
        if "_name" in own and (name in self.scalars or positive):
            # Threads that use a number first get the same one.
            with _making:
                if name not in known:
                    known[name] = self._scalar(name)
            return known[name]
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if "_name" in own and (name in self.scalars or name in self.scalars_if_positive):
            raise AttributeError(f"'{name}' of '{self.name}' is a variable: set it by `.{name}.set(...)` between calls "
                                 f"or `.{name}.assign(...)` in a traced function")  # fmt: skip
        if "_name" in own and name not in own and name not in self.fields and not is_own_attribute(self, name):
            hint = nearest_argument(name, [*self.fields, *self.scalars, *self.scalars_if_positive])
            raise attribute_error(f"'{type(self).__name__}' has no attribute '{name}' to set{hint}", name, hint)
        super().__setattr__(name, value)

    def _scalar(self, name: str) -> Variable:
        start = self._start(name)
        known = self.__dict__.get("_dtype")
        kind = _dtypes.int64 if name == "iterations" else known or _dtypes.float32
        variable = (_Number if name == "iterations" else _Scalar)(
            start, dtype=kind, name=self.namespace.name(name, self._name), trainable=False)  # fmt: skip
        if isinstance(variable, _Scalar):
            variable._start, variable._stores = start, None if known else weakref.WeakKeyDictionary()
            if name in self.fields:
                variable._check = functools.partial(self._check_number, name)
        return variable

    def _check_number(self, name: str, value: float) -> None:
        self._check_fields({**self.fields, name: value})

    def _start(self, name: str) -> Any:
        if name in self.fields:
            return self.fields[name]
        if name in ("beta1_power", "beta2_power"):
            return self.fields["beta_1" if name == "beta1_power" else "beta_2"]
        return _STARTS[name]

    def _settle_dtype(self, variables: Sequence[Variable]) -> None:
        wide = any(variable.dtype == _dtypes.float64 for variable in variables)
        wanted = _dtypes.float64 if wide else _dtypes.float32
        # A graph of flywheel.v1 settles it before it is traced.
        trace = _trace.current() if _trace.is_tracing() else None
        if "_dtype" not in self.__dict__:
            self._dtype, self._settled_in = wanted, weakref.ref(trace) if trace else None
        # Several updates of one function share what the widest of them needs.
        settled_in = self._settled_in() if self._settled_in else None
        is_narrow = self._dtype != wanted and (trace is None or settled_in is not trace)
        for scalar in list(self._scalars.values()):
            if isinstance(scalar, _Scalar):
                scalar.settle(self._dtype)
                is_narrow |= scalar.dtype != wanted
        if wide and is_narrow:
            raise TypeError(f"optimizer '{self.name}' has its numbers in float32, and float64 variables need them in "
                            "float64: use another optimizer for these, and its numbers in no function that has not "
                            "read one of the variables before")  # fmt: skip

    @property
    def variables(self) -> List[Variable]:
        """The scalar variables: hyper-parameters and counters."""
        positive = [name for name in self.scalars_if_positive if self.fields.get(name, 0.0) > 0]
        return Members(getattr(self, name) for name in [*self.scalars, *positive])

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
        """One step down the gradient of `loss`, a scalar.

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
        `unconnected` says: "error", "skip", or "zeros", which updates it along a
        gradient of zeros, as JAX does. Raises ValueError where nothing can be
        updated, for a loss that is not a scalar, and for a number that is out of range: a
        bound of 0, a penalty below 0; TypeError for one that is not a number.
        """
        loss = as_tensor(loss)
        trace = loss.trace
        if not _dtypes.is_floating(loss.dtype):
            raise TypeError(f"a loss is floating-point, found {_dtypes.name_of(loss.dtype)}")
        if loss.shape != ():
            raise ValueError(f"a loss is a scalar, found shape {format_shape(loss.shape)}: use flywheel.mean(loss) for "
                             "the mean over the examples, or flywheel.sum(loss)")  # fmt: skip
        if unconnected not in (None, "error", "skip", "zeros"):
            raise ValueError(f'expected unconnected to be "error", "skip" or "zeros", found {unconnected!r}')
        is_strict = unconnected == "error"
        if unconnected is None:
            is_strict = self.refuses_unconnected and var_list is not None
        if unconnected == "zeros":
            loss = _connect(loss, _candidates(trace, var_list))
        targets = self._targets(loss, var_list, is_strict)
        self._settle_dtype(targets)
        numbers = {"l2": l2, "weight_decay": weight_decay, "clip_norm": clip_norm,
                   "clip_global_norm": clip_global_norm, "clip_value": clip_value}  # fmt: skip
        attributes = self._clauses(
            trace, global_step, schedule, numbers, no_decay, loss_scale, accumulate, master_weights, lazy
        )
        attributes["var_list"] = Attribute.symbols([variable.name for variable in targets])
        attributes["unconnected"] = Attribute.i32(0 if is_strict else 1)
        trace.op("train.minimize", [loss.value], [], attributes)
        trace.forget_reads()

    def _targets(self, loss: Tensor, var_list: Optional[Sequence[Variable]], is_strict: bool) -> List[Variable]:
        trace = loss.trace
        targets = _candidates(trace, var_list)
        reached = find_connected(loss, targets)
        if is_strict and len(reached) < len(targets):
            raise ValueError("An operation has `None` for gradient: the loss does not depend on "
                             + ", ".join(v.name for v in targets if all(v is not own for own in reached)))  # fmt: skip
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
        pairs = _list_pairs(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        given = [(as_tensor(gradient, variable.dtype), variable) for gradient, variable in pairs
                 if gradient is not None]  # fmt: skip
        if not given:
            raise ValueError("No gradients provided for any variable: " + ", ".join(v.name for _, v in pairs))
        for gradient, variable in given:
            if gradient._dims != variable.shape:
                raise ValueError(f"the gradient of variable '{variable.name}' has shape {gradient._dims}, "
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
        attributes["var_list"] = Attribute.symbols([variable.name for variable in targets])
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
        trace.owners.append(self._name)
        if global_step is not None and not isinstance(global_step, Variable):
            raise wrong(TypeError, "a variable", type(global_step).__name__, "global_step")
        if schedule is not None and not isinstance(schedule, Schedule):
            raise wrong(TypeError, "one of flywheel.schedules", type(schedule).__name__, "schedule",
                        hint="; a rate that does not change is the optimizer's lr")  # fmt: skip
        no_decay = list_variables("no_decay", no_decay)
        if global_step is not None:
            trace.declare(global_step)
            attributes["global_step"] = Attribute.symbol(global_step.name)
        if schedule is not None:
            attributes["schedule"] = schedule.attribute()
        for name, given in numbers.items():
            if given is not None:
                attributes[name] = Attribute.f64(_check_clause(name, given))
        if no_decay:
            for variable in no_decay:
                trace.declare(variable)
            attributes["no_decay"] = Attribute.symbols([variable.name for variable in no_decay])
        if loss_scale is not None:
            if not isinstance(loss_scale, LossScale):
                scale = number("loss_scale", loss_scale)
                if not 0.0 < scale < float("inf"):
                    raise ValueError(f"expected a finite loss_scale > 0, found {loss_scale}")
                loss_scale = LossScale(initial=scale, growth=1.0, backoff=1.0)
            attributes["loss_scale"] = loss_scale.attribute()
        if accumulate is not None:
            calls = integer("accumulate", accumulate)
            if calls < 1:
                raise ValueError(f"expected accumulate >= 1, the calls whose gradients are one update, found {calls}")
            attributes["accumulate"] = Attribute.i64(calls)
        if flag("master_weights", master_weights):
            attributes["master_weights"] = Attribute.unit()
        if flag("lazy", lazy):
            if self.mnemonic.rpartition(".")[2] in _OF_WHOLE_TENSORS:
                raise about(type(self).__name__, ValueError("expected lazy=False: an update is of a whole tensor, not "
                            "of the rows that a step looks up; Adam, Adagrad and others take lazy=True"))  # fmt: skip
            attributes["sparse"] = Attribute.i32(1)
        return attributes


name_methods(Optimizer, ["minimize"])
