# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables, their scopes, and what may be done to them."""

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .. import _dtypes
from .. import variables as traced
from . import _operators, initializers
from .graph import (
    Graph,
    GraphKeys,
    Operation,
    Tensor,
    TensorShape,
    as_tensor,
    constant,
    get_default_graph,
    plain_shape,
    user_line,
)


class Variable(_operators.Operators):
    """A tensor that a session keeps between runs (V1)."""

    __array_ufunc__ = None

    def __init__(
        self, initial_value: Any = None, trainable: Any = None, collections: Any = None, validate_shape: bool = True,
        caching_device: Any = None, name: Optional[str] = None, variable_def: Any = None, dtype: Any = None,
        expected_shape: Any = None, import_scope: Any = None, constraint: Any = None,
    ):  # fmt: skip
        if isinstance(trainable, np.dtype):
            # The second argument is a dtype where it looks like one (V6).
            trainable, dtype = None, trainable
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if not validate_shape:
            raise NotImplementedError("flywheel.v1.Variable: validate_shape=False; shapes of variables are fixed")
        graph = get_default_graph()
        graph.check_name(name or "Variable")
        self._create(graph, graph.unique_name(name or "Variable"), None, initial_value, trainable, collections, dtype,
                     constraint)  # fmt: skip

    def _create(
        self, graph: Graph, op_name: str, key: Optional[str], initial_value: Any, trainable: Any, collections: Any,
        dtype: Any, constraint: Any,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.op_name = op_name
        self.constraint = constraint
        self.defined_at = user_line()
        contexts, graph._contexts = graph._contexts, []
        try:
            with graph.control_dependencies(None), graph.name_scope(op_name + "/"):
                value = initial_value() if callable(initial_value) else initial_value
                kind = None if dtype is None else _dtypes.as_dtype(dtype)
                if isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor"):
                    initial = as_tensor(value)
                    if kind is not None and initial.dtype != kind:
                        raise ValueError(f"Initializer type '{_dtypes.name_of(initial.dtype)}' and explicit dtype "
                                         f"'{_dtypes.name_of(kind)}' don't match.")  # fmt: skip
                else:
                    initial = constant(value, kind, name="initial_value")
                shape = initial.static_shape
                if shape is None or None in shape:
                    raise ValueError(f"Shape of a new variable ({op_name}) must be fully defined, but instead was "
                                     f"{initial.shape}.")  # fmt: skip
                self.initial_value = initial
                self.dtype = initial.dtype
                self._shape: Tuple[int, ...] = tuple(d or 0 for d in shape)
                names, self.trainable = _collections(collections, trainable)
                with graph.namespace:
                    prefixes, graph.namespace._prefixes = graph.namespace._prefixes, []
                    own = [{"variables": "GLOBAL", "local_variables": "LOCAL"}.get(n, str(n)) for n in names]
                    self.implementation = traced.Variable(
                        None, shape=self._shape, dtype=self.dtype, name=key or op_name, trainable=self.trainable,
                        collections=own)  # fmt: skip
                    graph.namespace._prefixes = prefixes
                self.op_name = self.implementation.name
                types = [(self.dtype, self._shape)]
                self.op = Operation(graph, "VariableV2", op_name, [], None, types, variable=self, is_ref=True)
                self.device = self.op.device
                read = Operation(graph, "VariableV2", graph.unique_name("read"), [], None, types, variable=self,
                                 is_ref=False)  # fmt: skip
                self._read = read.outputs[0]
                self.initializer = Operation(
                    graph, "Initialize", graph.unique_name("Assign"), [initial], None, types, variable=self,
                    writes=[self], assign=lambda x: self.implementation.assign(x))  # fmt: skip
        finally:
            graph._contexts = contexts
        self.collections = names
        graph.add_to_collections(names, self)

    @property
    def name(self) -> str:
        return f"{self.op_name}:0"

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    def __repr__(self) -> str:
        return f"<flywheel.v1.Variable '{self.name}' shape={self.shape} dtype={_dtypes.name_of(self.dtype)}>"

    __hash__ = object.__hash__

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read)

    # Reads

    def _as_graph_tensor(self) -> Tensor:
        return self._read

    @property
    def _reference(self) -> Tensor:
        return self.op.outputs[0]

    def value(self) -> Tensor:
        """The value at the start of the run."""
        return self._read

    def read_value(self) -> Tensor:
        """The value after the writes that this depends on (A5, A6)."""
        op = self.graph.create("ReadValue", [], None, [(self.dtype, self._shape)], f"{self.op_name}/ReadValue"
                               if not self.graph._scope else "ReadValue", variable=self)  # fmt: skip
        return op.outputs[0]

    def initialized_value(self) -> Tensor:
        """The value, or where there is none in the session, the initial one (I8)."""
        if self not in self.graph._guarded:
            self.graph._guarded.append(self)
        op = self.graph.create("InitializedValue", [self.initial_value], None, [(self.dtype, self._shape)],
                               variable=self)  # fmt: skip
        return op.outputs[0]

    def eval(self, session: Any = None) -> Any:
        from .session import default_session

        return default_session(session, "evaluate tensor").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in a session now."""
        from .session import default_session

        store = default_session(session, "load variable").store
        self.implementation._declare_value(store)
        store[self.op_name] = traced.convert(value, self.dtype).reshape(self._shape)

    # Writes

    def assign(self, value: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        """Sets the variable when this runs; yields the new value (A1)."""
        return self._write("Assign", "assign", value, name)

    def assign_add(self, delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        return self._write("AssignAdd", "assign_add", delta, name)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        return self._write("AssignSub", "assign_sub", delta, name)

    def _write(self, kind: str, method: str, value: Any, name: Optional[str]) -> Tensor:
        if kind != "Assign" and (self.dtype == _dtypes.string or _dtypes.is_bool(self.dtype)):
            raise TypeError(f"{kind} takes numbers: variable '{self.op_name}' has dtype {_dtypes.name_of(self.dtype)}")
        if any(context.kind == "while" for context in self.graph._contexts):
            raise NotImplementedError(f"an assignment of '{self.op_name}' in the body of tf.while_loop: carry it as a "
                                      "loop variable, and assign it after the loop")  # fmt: skip
        if not isinstance(value, Tensor) and not hasattr(value, "_as_graph_tensor"):
            try:
                value = constant(traced.convert(value, self.dtype))
            except TypeError as error:
                if "Expected" in str(error):
                    raise
                value = as_tensor(value)
        x = as_tensor(value)
        if x.dtype != self.dtype:
            raise TypeError(f"Expected {_dtypes.name_of(self.dtype)} for variable '{self.op_name}', got "
                            f"{_dtypes.name_of(x.dtype)}: cast it")  # fmt: skip
        shape = x.static_shape
        if shape is not None and (len(shape) != len(self._shape)
                                  or any(a is not None and a != b for a, b in zip(shape, self._shape))):  # fmt: skip
            raise ValueError(f"the shapes of variable '{self.op_name}' and of its new value must be equal, found "
                             f"{self.shape} and {x.shape}")  # fmt: skip
        own = self.implementation

        def emit(new: Any) -> Any:
            return getattr(own, method)(_with_shape(new, self._shape))

        op = self.graph.create(kind, [x], emit, [(self.dtype, self._shape)], name, writes=[self])
        return op.outputs[0]


def _with_shape(x: Any, shape: Tuple[int, ...]) -> Any:
    if x.shape == shape or None not in x.shape:
        return x
    from .._tensor import wrap

    return wrap(x.trace.op("tensor.cast", [x.value], [x.trace.type(x.dtype, shape)])[0], x.dtype, shape)


def _collections(given: Any, trainable: Optional[bool]) -> Tuple[List[Any], bool]:
    """The collections of a new variable, and whether it is trainable (C1, C2)."""
    if isinstance(given, str):
        raise ValueError("collections argument to Variable constructor must be a list, tuple, or set.")
    names = [GraphKeys.GLOBAL_VARIABLES] if given is None else list(given)
    if trainable is None:
        trainable = GraphKeys.LOCAL_VARIABLES not in names
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    return names, bool(trainable)


class _AutoReuse:
    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE = _AutoReuse()


class VariableScope:
    """Where `get_variable` looks for names, and what it takes by default."""

    def __init__(self, reuse: Any, name: str = "", **defaults: Any):
        self.name = name
        self.reuse = reuse
        self.original_name_scope = ""
        self.defaults = defaults

    @property
    def initializer(self) -> Any:
        return self.defaults.get("initializer")

    @property
    def dtype(self) -> Any:
        return self.defaults.get("dtype") or _dtypes.float32

    def reuse_variables(self) -> None:
        """From here on variables of the scope are shared (N9)."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        self.defaults["initializer"] = initializer

    def global_variables(self) -> List[Any]:
        return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, self.name)

    def trainable_variables(self) -> List[Any]:
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, self.name)


def get_variable_scope() -> VariableScope:
    """The innermost variable scope."""
    graph = get_default_graph()
    if not graph._variable_scopes:
        graph._variable_scopes.append(VariableScope(False))
    found: VariableScope = graph._variable_scopes[-1]
    return found


@contextmanager
def variable_scope(
    name_or_scope: Any = None, default_name: Optional[str] = None, values: Any = None, initializer: Any = None,
    regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None,
    reuse: Any = None, dtype: Any = None, use_resource: Any = None, constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:  # fmt: skip
    """Puts a prefix before names of `get_variable`, and of ops (N3, N9, N11)."""
    if partitioner is not None:
        raise NotImplementedError("flywheel.v1.variable_scope: partitioner")
    if name_or_scope is None and default_name is None:
        raise ValueError("If default_name is None then name_or_scope is required")
    if reuse is True and name_or_scope is None:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    graph = get_default_graph()
    outer = get_variable_scope()
    defaults = dict(outer.defaults)
    if isinstance(name_or_scope, VariableScope):
        path, inherited = name_or_scope.name, name_or_scope.reuse
        defaults = dict(name_or_scope.defaults)
    else:
        own = name_or_scope if name_or_scope is not None else _default_scope(graph, outer.name, str(default_name))
        path, inherited = (f"{outer.name}/{own}" if outer.name else own), outer.reuse
    given = {"initializer": initializer, "regularizer": regularizer, "custom_getter": custom_getter, "dtype": dtype,
             "constraint": constraint}  # fmt: skip
    defaults.update({key: value for key, value in given.items() if value is not None})
    # An inner scope cannot switch reuse off.
    mode = reuse or inherited
    if inherited is True:
        mode = True
    if isinstance(name_or_scope, VariableScope) and reuse is None:
        scope = name_or_scope
    else:
        scope = VariableScope(mode, path, **defaults)
    last = path.rsplit("/", 1)[-1]
    before = graph._variable_scopes
    graph._variable_scopes = [*before, scope]
    try:
        if last and auxiliary_name_scope:
            with graph.name_scope(last) as entered:
                scope.original_name_scope = scope.original_name_scope or entered
                yield scope
        else:
            yield scope
    finally:
        graph._variable_scopes = before


def _default_scope(graph: Graph, outer: str, name: str) -> str:
    """The first of name, name_1, ... that no scope in this one has."""
    counts = graph._default_names
    full = f"{outer}/{name}" if outer else name
    count = counts.get(full, 0)
    counts[full] = count + 1
    return name if count == 0 else f"{name}_{count}"


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Optional[bool] = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
    validate_shape: bool = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None,
) -> Variable:  # fmt: skip
    """The variable of a name in the scope: a new one or one that is there, as the scope has it (N5 to N8)."""
    scope = get_variable_scope()
    getter = custom_getter or scope.defaults.get("custom_getter")
    if getter is not None:
        made: Variable = getter(_get, name=f"{scope.name}/{name}" if scope.name else name, shape=shape, dtype=dtype,
                                initializer=initializer, regularizer=regularizer, trainable=trainable,
                                collections=collections, constraint=constraint, reuse=scope.reuse)  # fmt: skip
        return made
    if partitioner is not None:
        raise NotImplementedError("flywheel.v1.get_variable: partitioner")
    full = f"{scope.name}/{name}" if scope.name else name
    return _get(full, shape, dtype, initializer, regularizer, trainable, collections, constraint, scope.reuse)


def _get(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Optional[bool] = None, collections: Any = None, constraint: Any = None, reuse: Any = None, **_: Any,
) -> Variable:  # fmt: skip
    graph = get_default_graph()
    scope = get_variable_scope()
    graph.check_name(name)
    wanted = _dtypes.as_dtype(dtype) if dtype is not None else scope.dtype
    found = graph._variable_store.get(name)
    if found is not None:
        if reuse is False or reuse is None:
            raise ValueError(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                             f"reuse=AUTO_REUSE in VarScope? Originally defined at: {found.defined_at}")  # fmt: skip
        return _share(found, name, shape, wanted)
    if reuse is True:
        raise ValueError(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to "
                         "set reuse=tf.AUTO_REUSE in VarScope?")  # fmt: skip
    start = initializer if initializer is not None else scope.initializer
    regularizer = regularizer if regularizer is not None else scope.defaults.get("regularizer")
    constraint = constraint if constraint is not None else scope.defaults.get("constraint")
    initial, kind = _initial(name, shape, dtype, wanted, start)
    variable = Variable.__new__(Variable)
    # The op gets a suffix where another op has the name; the variable keeps its own.
    variable._create(graph, graph._unique(name), name, initial, trainable, collections, kind, constraint)
    graph._variable_store[name] = variable
    if regularizer is not None:
        with graph.name_scope(name + "/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _share(found: Variable, name: str, shape: Any, dtype: Any) -> Variable:
    if shape is not None:
        given = plain_shape(shape)
        if len(given) != len(found._shape) or any(a is not None and a != b for a, b in zip(given, found._shape)):
            raise ValueError(f"Trying to share variable {name}, but specified shape {TensorShape(given)} and found "
                             f"shape {found.shape}.")  # fmt: skip
    if found.dtype != dtype:
        raise ValueError(f"Trying to share variable {name}, but specified dtype {_dtypes.name_of(dtype)} and found "
                         f"dtype {_dtypes.name_of(found.dtype)}.")  # fmt: skip
    return found


def _initial(name: str, shape: Any, dtype: Any, wanted: Any, start: Any) -> Tuple[Any, Any]:
    """The initial value of a new variable, and its dtype."""
    if isinstance(start, type):
        start = start()
    if start is not None and not callable(start):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return start, None if isinstance(start, Tensor) and dtype is None else (wanted if dtype is not None else None)
    dims = None if shape is None else plain_shape(shape)
    if dims is None or None in dims:
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was "
                         f"{TensorShape(dims)}.")  # fmt: skip
    if start is None:
        start = initializers.glorot_uniform_initializer() if _dtypes.is_floating(wanted) else (
            initializers.zeros_initializer())  # fmt: skip
    function: Callable[..., Any] = start
    sizes = list(dims)

    def make() -> Any:
        try:
            return function(sizes, dtype=wanted)
        except TypeError as error:
            if "dtype" not in str(error):
                raise
            return function(sizes)

    return make, wanted


def assign(ref: Variable, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None) -> Tensor:
    """Sets a variable; yields the new value."""
    return _variable(ref).assign(value, name=name)


def assign_add(ref: Variable, value: Any, use_locking: Any = None, name: Any = None) -> Tensor:
    """Adds to a variable; yields the new value."""
    return _variable(ref).assign_add(value, name=name)


def assign_sub(ref: Variable, value: Any, use_locking: Any = None, name: Any = None) -> Tensor:
    """Subtracts from a variable; yields the new value."""
    return _variable(ref).assign_sub(value, name=name)


def _variable(ref: Any) -> Variable:
    if not isinstance(ref, Variable):
        raise TypeError(f"only variables are assigned, found {type(ref).__name__}")
    return ref


def _members(key: str) -> Callable[..., List[Any]]:
    def members(scope: Optional[str] = None) -> List[Any]:
        return get_default_graph().get_collection(key, scope)

    return members


global_variables = _members(GraphKeys.GLOBAL_VARIABLES)
local_variables = _members(GraphKeys.LOCAL_VARIABLES)
trainable_variables = _members(GraphKeys.TRAINABLE_VARIABLES)
all_variables = global_variables


def variables_initializer(var_list: Any, name: str = "init") -> Operation:
    """An op that gives variables their initial values (S2)."""
    from .ops import group

    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Operation:
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    return variables_initializer(local_variables(), "init_local")


initialize_all_variables = global_variables_initializer


def is_initialized_in(variable: Variable, session: Any) -> bool:
    """Whether a variable has a value in a session."""
    name = variable.op_name
    return name in session.store and bool(session.store.is_initialized(name))


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of variables that have no value (S4)."""
    listed = global_variables() + local_variables() if var_list is None else list(var_list)

    def host(session: Any) -> Any:
        return np.array([v.op_name.encode() for v in listed if not is_initialized_in(v, session)], dtype=object)

    return get_default_graph().create("Report", [], None, [(_dtypes.string, (None,))], name, host=host).outputs[0]


def is_variable_initialized(ref: Variable, name: Optional[str] = None) -> Tensor:
    """Whether a variable has a value (S5)."""

    def host(session: Any) -> Any:
        return np.array(is_initialized_in(ref, session))

    types = [(_dtypes.bool_, ())]
    return get_default_graph().create("IsVariableInitialized", [], None, types, name, host=host).outputs[0]


def model_of(variables: Any) -> Dict[str, str]:
    """Keys of checkpoints and the names of their variables."""
    if isinstance(variables, dict):
        return {key: v.op_name for key, v in variables.items()}
    keys = [v.op_name for v in variables]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"At least two variables have the same name: {key}")
    return {key: key for key in keys}
