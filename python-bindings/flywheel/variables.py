# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables: what outlives a call."""

import math
import operator
import warnings
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    SupportsIndex,
    Tuple,
    Union,
)
from weakref import WeakSet

import numpy as np

from ._core import dtypes as _dtypes
from ._core import tensor as _tensor
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.annotations import Array
from ._core.argument_checks import flag
from ._core.operators import Operators
from ._core.tensor import Tensor, TensorLike, format_shape, traced_variable
from ._core.trace import Attributes, Trace
from ._errors.hints import nearest
from ._errors.messages import wrong
from ._flywheel import Attribute, CompileRemark
from ._programs.compilation import compile_graph
from ._variables.attributes import Constant, Constraint
from ._variables.variable_operators import VariableOperators
from .initializers import Initializer
from .namespace import GLOBAL, LOCAL, TRAINABLE, Name, Namespace, current_namespace
from .store import Owners, Store, current_store

# Attributes that may be set, and those that a variable is made with.
_SETTABLE = ("trainable", "collections", "device", "constraint")
_MADE_WITH = ("shape", "dtype")
# Arrays up to this size are in each module; larger ones are copied to the store.
_SMALL = 256


class Variable(VariableOperators):
    """A tensor that outlives a call: in a traced function its value, which may be
    assigned.

    `initial_value` is an array, a number, lists of them, an `Initializer` (then with a
    `shape`), or a function that is traced and returns a tensor, perhaps of other
    variables. Without one, a floating-point variable starts from Glorot's uniform
    distribution, any other from zeros. `dtype` is by default that of the value, else
    float32. The `name` is made unique in the namespace, in the current name scope.

    `collections` names the collections that it is in, by default GLOBAL; `trainable`
    ones are in TRAINABLE too, which is what an optimizer updates (C1, C2). An optimizer
    applies the `constraint` to each new value. `device` says where it wants to live.

    Used in a traced function, a variable is its value at that line: an assignment that
    the program has made before counts (program order). Raises ValueError for a name,
    value or shape that it cannot have, TypeError for a dtype.
    """

    # True if the owner, such as an optimizer, creates it once, whichever trace comes first.
    _is_made_once = False
    # True while the variable is temporarily not trainable: see Module.freeze.
    _is_frozen = False
    _initialize_in: ClassVar[Callable[[Store, "Sequence[Variable]"], None]]

    def __init__(
        self,
        initial_value: Union[TensorLike, Initializer, Callable[[], TensorLike]] = None,
        *,
        shape: Optional[Sequence[int]] = None,
        dtype: Any = None,
        name: Union[str, Name] = "Variable",
        trainable: Optional[bool] = None,
        collections: Optional[Sequence[str]] = None,
        device: Optional[str] = None,
        constraint: Any = None,
    ):
        if isinstance(initial_value, type) and issubclass(initial_value, Initializer):
            own = initial_value.__name__
            raise wrong(TypeError, "a value or an initializer", f"the class {own}", "initial_value",
                        hint=f": write Variable({own}(), shape=...)")  # fmt: skip
        collections = _listed(collections)
        _check_arguments(name, trainable, collections, device, constraint)
        if not self._is_made_once:
            _trace.check_creation(f"variable '{name}'", "flywheel.Variable(...)")
        self._host_value: Optional[Array] = None
        self._initializer: Optional[Initializer] = None
        self._function: Optional[Callable[[], TensorLike]] = None
        kind: Optional[_dtypes.DType] = None if dtype is None else _dtypes.as_dtype(dtype)
        if isinstance(initial_value, Initializer) or initial_value is None:
            if shape is None:
                raise ValueError(f"Shape of a new variable ({name}) must be fully defined: write Variable(value), or "
                                 "Variable(initializer, shape=...)")  # fmt: skip
            self._initializer = initial_value
            self.shape: Tuple[int, ...] = _static_shape(shape, name)
            self.dtype: _dtypes.DType = _dtypes.float32 if kind is None else kind
            if isinstance(initial_value, Constant):
                self._initializer = initial_value.of(self.dtype)
        elif shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape: the variable has that of its value; "
                             f"write Variable(flywheel.initializers.Constant(value), shape={shape!r}) to fill a shape"
                             )  # fmt: skip
        elif callable(initial_value):
            self._function = initial_value
            self.dtype, self.shape = _infer(initial_value, str(name))
            if kind is not None and kind != self.dtype:
                raise ValueError(f"Initializer type '{self.dtype}' and explicit dtype '{kind}' don't match.")
        elif isinstance(initial_value, Tensor):
            raise ValueError("an initial value is computed by a function without arguments, not in another one: "
                             "Variable(lambda: ...)")  # fmt: skip
        else:
            _dtypes.refuse_matrix(initial_value)
            self._host_value = _dtypes.kept(initial_value, kind)
            self.dtype, self.shape = _dtypes.as_dtype(self._host_value.dtype), self._host_value.shape
        # Nobody chooses the default: see Module.
        is_open = name == "Variable"
        self._name = name if isinstance(name, Name) else current_namespace().name(name, is_open=is_open)
        self._name._is_asked_for = not is_open and not isinstance(name, Name)
        self.collections = _collections(collections, trainable)
        self.device = device
        self.constraint = constraint
        self._register()

    def _register(self) -> None:
        # The functions that have a trace with the variable.
        self._traced_in: WeakSet[Any] = WeakSet()
        self.namespace._add_variable(self)
        for key in self.collections:
            self.namespace.add_to_collection(key, self)

    @property
    def name(self) -> str:
        """Unique in the namespace: what a checkpoint and a module call it."""
        return self._name.text

    @property
    def namespace(self) -> Namespace:
        return self._name.namespace

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def trainable(self) -> bool:
        """True if optimizers update the variable by default: if it is in TRAINABLE. Functions that use it are traced
        again after a change (C9)."""
        return TRAINABLE in self.collections

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._is_frozen = False
        is_trainable = flag(f"trainable of variable '{self.name}'", value)
        if is_trainable != self.trainable:
            others = [key for key in self.collections if key != TRAINABLE]
            self.collections = [*others, TRAINABLE] if is_trainable else others

    @property
    def is_global(self) -> bool:
        """True if it is in the collection GLOBAL: initialised and saved by default."""
        return GLOBAL in self.collections

    def __setattr__(self, name: str, value: Any) -> None:
        """Raises AttributeError for an attribute that nothing would read, and for one that stays as it is."""
        if not name.startswith("_") and name not in _SETTABLE and (name in self.__dict__ or name not in _MADE_WITH):
            hint = nearest(name, _SETTABLE) if not hasattr(self, name) else " to set"
            raise AttributeError(
                f"variable '{self.name}' has no attribute '{name}'{hint}: set(x) and assign(x) give it another value, "
                "flywheel.cast makes a tensor of another dtype"
            )
        if name in _SETTABLE and name != "trainable" and "_traced_in" in self.__dict__:
            self._change(name, value)
        else:
            object.__setattr__(self, name, value)

    def _change(self, name: str, value: Any) -> None:
        """Sets an attribute that traces have seen: functions that use the variable are traced again."""
        if name == "collections":
            if value is None:
                raise TypeError(f"expected a list of names as collections of variable '{self.name}', found None")
            value = _listed(value)
        _check_arguments(self.name, **{**dict.fromkeys(_SETTABLE), name: value})
        old = getattr(self, name)
        if name == "collections":
            value = list(dict.fromkeys(value))
            for key in set(old) - set(value):
                self.namespace.remove_from_collection(key, self)
            for key in [key for key in value if key not in old]:
                self.namespace.add_to_collection(key, self)
        object.__setattr__(self, name, value)
        if value != old:
            for function in list(self._traced_in):
                function._forget_traces()

    def __repr__(self) -> str:
        return f"<flywheel.Variable '{self.name}' {_dtypes.name_of(self.dtype)}{format_shape(self.shape)}>"

    # In a traced function

    def read(self) -> Tensor:
        """The value at this line of a traced function."""
        trace = _trace.current()
        return Tensor(trace.read(self), self.dtype, self.shape, trace)

    def initialized_value(self) -> Tensor:
        """The value, or where the variable has none its initial value."""
        trace = _trace.current()
        trace.declare(self)
        type_ = trace.type(self.dtype, self.shape)
        value = trace.op("train.initialized_value", [], [type_], {"variable": Attribute.symbol(self.name)})[0]
        return Tensor(value, self.dtype, self.shape, trace)

    def assign(self, value: TensorLike) -> Any:
        """Sets the variable, and returns its new value.

        In a traced function that is part of the step. Elsewhere the value is copied to
        the current store now, and nothing is returned. Raises ValueError for another
        shape, TypeError for a number that the dtype does not have.
        """
        if not _trace.is_tracing():
            self.set(value)
            return None
        return self._update("train.assign", value)

    def assign_add(self, value: TensorLike) -> Tensor:
        """Adds to the variable, and returns its new value."""
        return self._update("train.assign_add", value)

    def assign_sub(self, value: TensorLike) -> Tensor:
        """Subtracts from the variable, and returns its new value."""
        return self._update("train.assign_sub", value)

    def moving_average(self, value: TensorLike, momentum: float, zero_debias: bool = False) -> Tensor:
        """Moves the variable towards a value: momentum times the old one, and
        (1 - momentum) times this one. With `zero_debias` the first value of the variable
        does not count (R10)."""
        more: Attributes = {"momentum": Attribute.f64(float(momentum))}
        if zero_debias:
            more["zero_debias"] = Attribute.unit()
        return self._update("train.moving_average", value, more)

    def _update(self, op: str, value: TensorLike, more: Optional[Attributes] = None) -> Tensor:
        trace = _trace.current()
        what = self._operand(value)
        trace.declare(self)
        trace.forget_reads(self.name)
        type_ = trace.type(self.dtype, self.shape)
        attributes: Attributes = {"variable": Attribute.symbol(self.name), **(more or {})}
        new = trace.op(op, [what.value], [type_], attributes)[0]
        trace.frames[-1].reads[self.name] = new
        return Tensor(new, self.dtype, self.shape, trace)

    def _operand(self, value: TensorLike) -> Tensor:
        """Returns the tensor to assign, of the variable's dtype and shape."""
        if isinstance(value, Tensor) and value._weak is not None:
            if not isinstance(value._weak, int) and _dtypes.is_integer(self.dtype):
                raise TypeError(f"Expected {_dtypes.name_of(self.dtype)}, got {value!r} of type 'float' instead.")
            tensor = _tensor.as_tensor(value, self.dtype)
        elif isinstance(value, (Tensor, Variable)):
            tensor = _tensor.as_tensor(value)
            if tensor.dtype != self.dtype:
                raise TypeError(
                    f"cannot assign a value of dtype {_dtypes.name_of(tensor.dtype)} to variable '{self.name}' of "
                    f"dtype {_dtypes.name_of(self.dtype)}: cast it"
                )
        else:
            tensor = _tensor.constant(convert(value, self.dtype))
        if tensor._dims != self.shape:
            raise ValueError(
                f"the shapes of a variable and its new value must be equal: cannot assign a value of shape "
                f"{format_shape(tensor._dims)} to variable '{self.name}' of shape {format_shape(self.shape)}"
            )
        return tensor

    # Elsewhere

    def numpy(self) -> Array:
        """A copy of the value in the current store, initialised now if it has none. Raises TypeError in a traced
        function, where no value is known."""
        self._refuse_value("value")
        return current_store().value(self)

    def _refuse_value(self, what: str) -> None:
        remedy = "the variable itself, or its value from before the call, as an argument"
        _trace.refuse_values(f"the {what} of variable '{self.name}'", remedy)

    def set(self, value: Any) -> None:
        """Copies a value to the current store; nothing is compiled again. Raises TypeError in a traced function,
        where `assign` is a part of the step."""
        _trace.refuse_actions(f"setting variable '{self.name}'", "`assign` sets it in each")
        array = convert(value, self.dtype)
        if array.shape != self.shape:
            raise ValueError(
                f"the shapes of a variable and its new value must be equal: cannot assign a value of shape "
                f"{format_shape(array.shape)} to variable '{self.name}' of shape {format_shape(self.shape)}"
            )
        store = current_store()
        store._set(self._declare_value(store), array)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        """Returns the value for `numpy.asarray`: see `numpy`. Raises TypeError in a traced function, where no value is
        known."""
        self._refuse_value("array")
        if copy is False:
            raise ValueError(f"the value of variable '{self.name}' is copied: expected copy=None or True")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def _number(self, what: str) -> Any:
        """Returns the only element."""
        self._refuse_value(what)
        if self.shape != ():
            raise TypeError(f"expected a scalar, found variable '{self.name}' of shape {format_shape(self.shape)}: its "
                            "`numpy()` has the elements")  # fmt: skip
        return self.numpy()[()]

    def __float__(self) -> float:
        return float(self._number("number"))

    def __int__(self) -> int:
        return int(self._number("number"))

    def __bool__(self) -> bool:
        if _trace.is_tracing():
            raise TypeError(f"the truth value of variable '{self.name}' is not known while a function is traced: use "
                            "flywheel.cond, flywheel.where or flywheel.while_loop; `is not None` asks whether there is "
                            "a variable")  # fmt: skip
        return bool(self._number("truth value"))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"variable '{self.name}' is a scalar, which has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return iter([self[i] for i in range(len(self))])

    def __format__(self, how: str) -> str:
        return format(self._number("number"), how) if how else str(self)

    def is_initialized(self) -> bool:
        """Returns true if the variable has a value in the current store. Raises TypeError in a traced function."""
        remedy = "what is_initialized() says before the call"
        _trace.refuse_values(f"whether variable '{self.name}' has a value", remedy)
        store = current_store()
        return store._has_value(self._declare_value(store))

    def __copy__(self) -> "Variable":
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Variable":
        """Another variable, of this dtype, shape, collections and constraint, which begins with the value that this
        one has in the current store. Raises TypeError in a traced function."""
        if _trace.is_tracing():
            raise TypeError(f"variable '{self.name}' is copied before a function is traced, not in it: it would be "
                            "another one each time")  # fmt: skip
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        memo[id(self)] = made
        made._host_value, made._initializer, made._function = self.numpy(), None, None
        made._name = self.namespace.another_name(self._name)
        made.__dict__["collections"] = list(self.collections)
        made._register()
        return made

    def __reduce__(self) -> Any:
        raise TypeError(f"variable '{self.name}' is not pickled, since its value is in a store: save values with "
                        "flywheel.save(path), or pickle `variable.numpy()`")  # fmt: skip

    # For the trace and the store

    def _declare_value(self, store: Store) -> str:
        """Declares the variable in a store, and returns its key there."""
        return store._declare(self._name, _dtypes.name_of(self.dtype), list(self.shape), self.is_global)

    def _is_large(self) -> bool:
        return self._host_value is not None and self._host_value.size > _SMALL

    def _declare(self, trace: Trace) -> None:
        """Adds the variable to the module of a trace."""
        type_ = trace.type(self.dtype, self.shape)
        attributes: Attributes = {
            "sym_name": Attribute.string(self.name),
            "type": Attribute.of_type(type_),
            "collections": Attribute.strings(self.collections),
            "trainable": Attribute.boolean(self.trainable),
        }
        if self.device is not None:
            attributes["device"] = Attribute.string(self.device)
        if self.constraint is not None:
            attributes["constraint"] = self.constraint.attribute()
        regions = []
        initial = self._initial_attribute(trace)
        if initial is not None:
            attributes["initial_value"] = initial
        elif self._function is not None:
            function = self._function
            regions.append(
                trace.region([], lambda _: [_tensor.as_tensor(function()).value], "train.yield", is_isolated=True)
            )
        if not regions:
            regions.append(trace.graph.empty_region())
        trace.graph.op("train.variable", [], [], attributes, regions, True)

    def _initial_attribute(self, trace: Trace) -> Optional[Attribute]:
        if self._initializer is not None:
            return self._initializer.attribute()
        if self._host_value is None:
            return None
        array = self._host_value
        if self.dtype == _dtypes.string:
            texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.reshape(-1)]
            return Attribute.initial_strings(texts)
        if self._is_large() and not trace.embeds:
            # Its values come from here: see `initialize_in`.
            return Attribute.struct("train.zeros", {})
        return Attribute.elements(array, trace.type(self.dtype, self.shape))


class DTypeMismatch(TypeError):
    """A value that has numbers, but not of the dtype that it is for."""


def convert(value: Any, dtype: _dtypes.DType) -> Array:
    """An array of this dtype with the numbers of `value`. Raises DTypeMismatch for an
    array of another one, and for a Python number that is not exact in it."""
    array = _dtypes.as_numpy(value)
    if isinstance(value, (np.ndarray, np.generic)) and array.dtype.kind not in "OSU":
        if array.dtype != dtype:
            raise DTypeMismatch(f"Expected {_dtypes.name_of(dtype)}, got an array of dtype {value.dtype}: cast it")
        return array
    if _dtypes.is_integer(dtype) and array.dtype.kind == "f":
        raise DTypeMismatch(f"Expected {_dtypes.name_of(dtype)}, got {value!r} of type 'float' instead.")
    if (array.dtype.kind in "OSU") != (dtype == _dtypes.string):
        found = f"{value!r} of type '{type(value).__name__}'"
        raise DTypeMismatch(f"Expected {_dtypes.name_of(dtype)}, got {found} instead.")
    return _dtypes.literal(value, dtype)


def _check_arguments(name: Any, trainable: Any, collections: Any, device: Any, constraint: Any) -> None:
    """Raises TypeError for what a variable cannot have."""
    if not isinstance(name, (str, Name)):
        raise wrong(TypeError, "a str", repr(name), "the name of a variable")
    if trainable is not None:
        flag(f"trainable of variable '{name}'", trainable)
    if collections is not None and (
        not isinstance(collections, Iterable) or isinstance(collections, str)
        or not all(isinstance(key, str) for key in collections)
    ):  # fmt: skip
        raise TypeError(f"expected a list of names as collections of variable '{name}', found {collections!r}")
    if device is not None and not isinstance(device, str):
        raise TypeError(f"expected a str such as '/cpu:0' as device of variable '{name}', found {device!r}")
    if constraint is not None and not isinstance(constraint, Constraint):
        raise TypeError(f"expected one of flywheel.constraints as constraint of variable '{name}', found "
                        f"{constraint!r}")  # fmt: skip


def _static_shape(shape: Any, name: object) -> Tuple[int, ...]:
    """Returns the sizes of a shape, a list of numbers or one number. Raises TypeError for a value that is not a size,
    ValueError for one that is not known."""
    sizes = [shape] if isinstance(shape, (int, np.integer)) else shape
    if isinstance(sizes, (str, bytes)) or not isinstance(sizes, Iterable):
        raise TypeError(f"expected a list of sizes as the shape of variable '{name}', found {shape!r}")
    found = []
    for dim_size in sizes:
        if dim_size is None or isinstance(dim_size, Tensor):
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined: expected numbers, found "
                             f"{shape!r}")  # fmt: skip
        if isinstance(dim_size, (bool, np.bool_)) or not isinstance(dim_size, SupportsIndex):
            raise TypeError(f"expected integers as the shape of variable '{name}', found {dim_size!r}")
        if operator.index(dim_size) < 0:
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined: expected sizes of 0 or more, "
                             f"found {dim_size}")  # fmt: skip
        found.append(operator.index(dim_size))
    return tuple(found)


def _listed(collections: Any) -> Any:
    """Returns a list of what an iterable gives once, and other values as they are."""
    return list(collections) if isinstance(collections, Iterator) else collections


def _collections(given: Optional[Sequence[str]], trainable: Optional[bool]) -> List[str]:
    names = [GLOBAL] if given is None else list(given)
    if trainable is None:
        trainable = TRAINABLE in names or LOCAL not in names
    if trainable and TRAINABLE not in names:
        names.append(TRAINABLE)
    return names if trainable else [name for name in names if name != TRAINABLE]


def _infer(function: Callable[[], TensorLike], name: str) -> Tuple[_dtypes.DType, Tuple[int, ...]]:
    """Returns the dtype and the shape of an initial value, from a trace that is discarded."""
    trace = Trace("initial_value")
    trace.calls_forbidden = "an initial value"
    trace.graph.begin_function("initial_value", [], {}, [])
    try:
        with _trace.tracing(trace):
            value = _tensor.as_tensor(function())
    finally:
        trace.graph.abandon_function()
    if any(dim_size is None for dim_size in value._dims):
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined")
    return value.dtype, tuple(dim_size or 0 for dim_size in value._dims)


def provide_host_values(store: Store, variables: Sequence[Variable]) -> None:
    """Copies initial values that modules do not have to a store that has none yet."""
    if not store.initializes:
        return
    for variable in variables:
        if variable._is_large():
            key = variable._declare_value(store)
            if not store._has_value(key):
                store._set(key, variable._host_value)


def initialize_in(store: Store, variables: Sequence[Variable]) -> None:
    """Gives variables their initial values in a store."""
    computed: Dict[str, Variable] = {}
    for variable in variables:
        key = variable._declare_value(store)
        if variable._is_large():
            store._set(key, variable._host_value)
        else:
            computed[key] = variable
    # If all values are known, no program is needed. Else one program computes all of them, in the order of their
    # dependencies.
    if all(one._host_value is not None and one.dtype != _dtypes.string for one in computed.values()):
        for key, variable in computed.items():
            store._set(key, variable._host_value)
        return
    trace = Trace("initializer")
    with _trace.tracing(trace):
        for variable in computed.values():
            trace.declare(variable)
    provide_host_values(store, list(trace.variables.values()))
    with warnings.catch_warnings():
        # Remarks about copies of initial values are not of interest here.
        warnings.simplefilter("ignore", CompileRemark)
        program = compile_graph(trace.graph)
    binding = store.bind_program(program, Owners(trace.variables, trace.owners))
    # Variables that initial values are computed from are initialised with them, if they have no value.
    others = [variable._declare_value(store) for variable in trace.variables.values()]
    wanted = [*computed, *[key for key in others if key not in computed and store.initializes
                           and not store._has_value(key)]]  # fmt: skip
    binding.initialize(wanted)


def list_variables(what: str, given: Any) -> List[Variable]:
    """Returns the variables of a list. Raises TypeError for anything else."""
    if isinstance(given, _tree.Whole):
        raise wrong(TypeError, "a list of variables", type(given).__name__, what, hint=": give its parameters()")
    if isinstance(given, (Operators, str)) or not isinstance(given, Iterable):
        raise wrong(TypeError, "a list of variables", repr(given), what)
    found = [traced_variable(one) for one in given]
    for variable in found:
        if not isinstance(variable, Variable):
            raise TypeError(f"expected variables in {what}, found {type(variable).__name__}")
    return found


# A store has no class of variables: it asks one of them.
Variable._initialize_in = staticmethod(initialize_in)
