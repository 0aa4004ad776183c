# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables, lists of them, and assignments."""

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .. import variables as traced
from .._core import dtypes as _dtypes
from .._core.tensor import wrap
from .._errors.messages import about
from . import _operators
from .conversion import as_tensor, constant, dtype_of
from .dtypes import DType
from .graph import Graph, GraphKeys, get_default_graph, user_line
from .operation import Fields, Operation, Tensor
from .shapes import TensorShape


class Variable(_operators.Operators):
    """A tensor that a session keeps between runs (V1). `caching_device` and `expected_shape` have no effect. Raises
    NotImplementedError for `variable_def` and `import_scope`: a variable of a graph that is written."""

    __array_ufunc__ = None

    def __init__(
        self, initial_value: Any = None, trainable: Any = None, collections: Any = None, validate_shape: bool = True,
        caching_device: Any = None, name: Optional[str] = None, variable_def: Any = None, dtype: Any = None,
        expected_shape: Any = None, import_scope: Any = None, constraint: Any = None,
    ):  # fmt: skip
        if isinstance(trainable, (np.dtype, DType)):
            # The second argument is a dtype where it looks like one (V6).
            trainable, dtype = None, trainable
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if variable_def is not None or import_scope is not None:
            raise about("flywheel.v1.Variable", NotImplementedError(
                "variable_def and import_scope; give initial_value"))  # fmt: skip
        if not validate_shape:
            raise about("flywheel.v1.Variable", NotImplementedError(
                "validate_shape=False; shapes of variables are fixed"))  # fmt: skip
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
        # The sums and the numbers of steps that averages without bias keep for this variable.
        self._debiased: List[Tuple[Variable, Variable]] = []
        self._is_given = False
        self.constraint = constraint
        self.defined_at = user_line()
        opened = graph._open
        contexts, opened.contexts = opened.contexts, []
        try:
            with graph.control_dependencies(None), graph.name_scope(op_name + "/"):
                value = initial_value() if callable(initial_value) else initial_value
                kind = None if dtype is None else dtype_of(dtype)
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
                with graph.namespace.outside_scopes():
                    own = [{"variables": "GLOBAL", "local_variables": "LOCAL"}.get(n, str(n)) for n in names]
                    self.implementation = traced.Variable(
                        None, shape=self._shape, dtype=self.dtype, name=key or op_name, trainable=self.trainable,
                        collections=own)  # fmt: skip
                self.op_name = self.implementation.name
                types = [(self.dtype, self._shape)]
                self.op = Operation(graph, "VariableV2", op_name, [], None, types,
                                    Fields(variable=self, is_ref=True))  # fmt: skip
                self.device = self.op.device
                read = Operation(graph, "VariableV2", graph.unique_name("read"), [], None, types,
                                 Fields(variable=self))  # fmt: skip
                self._read = read.outputs[0]
                self.initializer = Operation(
                    graph, "Initialize", graph.unique_name("Assign"), [initial], None, types,
                    Fields(variable=self, writes=[self], assign=lambda x: self.implementation.assign(x)))  # fmt: skip
        finally:
            opened.contexts = contexts
        self.collections = names
        graph.add_to_collections(names, self)

    @property
    def name(self) -> str:
        return f"{self.op_name}:0"

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._shape)

    @property
    def static_shape(self) -> Tuple[int, ...]:
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Raises ValueError where this is not the shape."""
        wanted = TensorShape(shape)
        known = None if wanted._dims is None else wanted.as_list()
        if known is not None and (len(known) != len(self._shape)
                                  or any(n not in (None, m) for n, m in zip(known, self._shape))):  # fmt: skip
            raise ValueError(f"Shapes {self.shape} of variable '{self.op_name}' and {wanted} are not compatible")

    def get_shape(self) -> TensorShape:
        return self.shape

    def __repr__(self) -> str:
        return f"<flywheel.v1.Variable '{self.name}' shape={self.shape} dtype={_dtypes.name_of(self.dtype)}>"

    __hash__ = object.__hash__

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"'{self.name}' has values in sessions: use sess.run({self.op_name}), or eval()")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read)

    # Reads

    def _find_traced(self) -> traced.Variable:
        """Returns the variable for the function that is being traced, which then has the values of the session."""
        from .session import enter_traced

        enter_traced(self.graph)
        return self.implementation

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
                               if not self.graph._open.scope else "ReadValue", Fields(variable=self))  # fmt: skip
        return op.outputs[0]

    def initialized_value(self) -> Tensor:
        """The value, or the initial one if the session has none (I8)."""
        if self not in self.graph._guarded:
            self.graph._guarded.append(self)
        op = self.graph.create("InitializedValue", [self.initial_value], None, [(self.dtype, self._shape)],
                               fields=Fields(variable=self))  # fmt: skip
        return op.outputs[0]

    def eval(self, session: Any = None) -> Any:
        from .session import default_session

        return default_session(session, "evaluate tensor").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value in a session now."""
        self._store(value, session)
        self._go_on_from_value(session)

    def _store(self, value: Any, session: Any) -> None:
        from .session import default_session

        store = default_session(session, "load variable").store
        self.implementation._declare_value(store)
        store[self.op_name] = traced.convert(value, self.dtype.dtype).reshape(self._shape)

    def _go_on_from_value(self, session: Any) -> None:
        """Has averages without bias go on from the value that a program gave the variable, as after infinitely many
        steps. From the constant that the variable begins with they begin again: a model that gets the weights of a new
        one trains as that one."""
        from .session import default_session

        value = np.asarray(default_session(session, "load variable").store[self.op_name])
        initial = self.initial_value.op.fields.literal
        if initial is None:
            # Computed by ops: averages begin with all 0 or all 1.
            self._is_given = not (np.all(value == 0) or np.all(value == 1))
        else:
            self._is_given = not np.array_equal(value, initial)
        for biased, step in self._debiased:
            biased.load(value if self._is_given else np.zeros_like(value), session)
            step.load(np.inf if self._is_given else 0.0, session)

    # Writes

    def assign(self, value: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        """Sets the variable when this runs; yields the new value (A1)."""
        return self._with_averages(self._write("Assign", "assign", value, name))

    def assign_add(self, delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        return self._with_averages(self._write("AssignAdd", "assign_add", delta, name))

    def assign_sub(self, delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        return self._with_averages(self._write("AssignSub", "assign_sub", delta, name))

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: Optional[str] = None) -> Tensor:
        raise about("flywheel.v1.Variable.scatter_sub", NotImplementedError(
            "takes IndexedSlices, which there are none: use tf.scatter_sub(variable, indices, "
            "updates)"), " ")  # fmt: skip

    def _with_averages(self, written: Tensor) -> Tensor:
        """Returns the new value, when averages without bias go on from it: see `_go_on_from_value`."""
        if not self._debiased:
            return written
        from .ops import identity

        moved = [x for biased, step in self._debiased for x in (biased.assign(written), step.assign(np.inf))]
        with self.graph.control_dependencies(moved):
            return identity(written)

    def _check_writable(self) -> None:
        if any(context.kind == "while" for context in self.graph._open.contexts):
            raise NotImplementedError(f"an assignment of '{self.op_name}' in the body of tf.while_loop: carry it as a "
                                      "loop variable, and assign it after the loop")  # fmt: skip

    def _write(self, kind: str, method: str, value: Any, name: Optional[str]) -> Tensor:
        if kind != "Assign" and (self.dtype == _dtypes.string or self.dtype.is_bool):
            raise TypeError(f"{kind} takes numbers: variable '{self.op_name}' has dtype {_dtypes.name_of(self.dtype)}")
        self._check_writable()
        if not isinstance(value, Tensor) and not hasattr(value, "_as_graph_tensor"):
            try:
                value = constant(traced.convert(value, self.dtype.dtype))
            except traced.DTypeMismatch:
                raise
            except TypeError:
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

        op = self.graph.create(kind, [x], emit, [(self.dtype, self._shape)], name, Fields(writes=[self]))
        return op.outputs[0]


def _with_shape(x: Any, shape: Tuple[int, ...]) -> Any:
    if x._dims == shape or None not in x._dims:
        return x
    return wrap(x.trace.op("tensor.cast", [x.value], [x.trace.type(x.dtype, shape)])[0], x.dtype, shape)


def _collections(given: Any, trainable: Optional[bool]) -> Tuple[List[Any], bool]:
    """Returns the collections of a new variable, and whether it is trainable (C1, C2)."""
    if isinstance(given, str):
        raise ValueError("collections argument to Variable constructor must be a list, tuple, or set.")
    names = [GraphKeys.GLOBAL_VARIABLES] if given is None else list(given)
    if trainable is None:
        trainable = GraphKeys.LOCAL_VARIABLES not in names
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    return names, bool(trainable)


def assign(ref: Variable, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None) -> Tensor:
    """Sets a variable; yields the new value. `validate_shape` has no effect: a value of another shape is an error."""
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
model_variables = _members(GraphKeys.MODEL_VARIABLES)
moving_average_variables = _members(GraphKeys.MOVING_AVERAGE_VARIABLES)
all_variables = global_variables


def model_of(variables: Any) -> Dict[str, str]:
    """Keys of checkpoints and the names of their variables."""
    if isinstance(variables, dict):
        return {key: v.op_name for key, v in variables.items()}
    keys = [v.op_name for v in variables]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"At least two variables have the same name: {key}")
    return {key: key for key in keys}
