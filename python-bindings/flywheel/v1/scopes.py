# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variable scopes, and the variables that are got by name."""

import inspect
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .._core import dtypes as _dtypes
from .._core.argument_checks import text
from .._errors.messages import about
from . import random_ops
from .dtypes import DType, as_dtype
from .graph import Graph, GraphKeys, get_default_graph
from .operation import Tensor
from .shapes import TensorShape, plain_shape
from .variables import Variable


class _AutoReuse:
    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE = _AutoReuse()
# Held while a scope is counted: threads get different default names.
_entering = threading.Lock()


class VariableScope:
    """A prefix for names of `get_variable`, and the defaults of its arguments."""

    def __init__(
        self, reuse: Any, name: str = "", initializer: Any = None, regularizer: Any = None, caching_device: Any = None,
        partitioner: Any = None, custom_getter: Any = None, name_scope: str = "", dtype: Any = None,
        use_resource: Any = None, constraint: Any = None,
    ):  # fmt: skip
        self.name = name
        self.reuse = reuse
        self.original_name_scope = name_scope
        self.set_partitioner(partitioner)
        given = {"initializer": initializer, "regularizer": regularizer, "custom_getter": custom_getter,
                 "dtype": dtype, "constraint": constraint}  # fmt: skip
        self.defaults = {key: value for key, value in given.items() if value is not None}

    @property
    def initializer(self) -> Any:
        return self.defaults.get("initializer")

    @property
    def dtype(self) -> DType:
        return as_dtype(self.defaults.get("dtype") or _dtypes.float32)

    def reuse_variables(self) -> None:
        """From here on variables of the scope are shared (N9)."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        self.defaults["initializer"] = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        self.defaults["regularizer"] = regularizer

    def set_dtype(self, dtype: Any) -> None:
        self.defaults["dtype"] = dtype

    def set_custom_getter(self, custom_getter: Any) -> None:
        self.defaults["custom_getter"] = custom_getter

    def set_use_resource(self, use_resource: Any) -> None:
        """All variables are the same here."""

    def set_partitioner(self, partitioner: Any) -> None:
        if partitioner is not None:
            raise about("flywheel.v1.VariableScope.set_partitioner", NotImplementedError("variables have no parts"))

    @property
    def regularizer(self) -> Any:
        return self.defaults.get("regularizer")

    @property
    def custom_getter(self) -> Any:
        return self.defaults.get("custom_getter")

    def get_collection(self, name: Any) -> List[Any]:
        return get_default_graph().get_collection(name, self.name + "/" if self.name else "")

    def local_variables(self) -> List[Any]:
        return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, self.name)

    def global_variables(self) -> List[Any]:
        return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, self.name)

    def trainable_variables(self) -> List[Any]:
        return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, self.name)


def get_variable_scope() -> VariableScope:
    """The innermost variable scope."""
    graph = get_default_graph()
    if graph._root_scope is None:
        graph._root_scope = VariableScope(False)
    found: VariableScope = [graph._root_scope, *graph._open.variable_scopes][-1]
    return found


@contextmanager
def variable_scope(
    name_or_scope: Any = None, default_name: Optional[str] = None, values: Any = None, initializer: Any = None,
    regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None,
    reuse: Any = None, dtype: Any = None, use_resource: Any = None, constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:  # fmt: skip
    """Puts a prefix before names of `get_variable`, and of ops (N3, N9, N11). `values` has no effect: there is one
    graph."""
    if partitioner is not None:
        raise about("flywheel.v1.variable_scope", NotImplementedError("partitioner"))
    if name_or_scope is None and default_name is None:
        raise ValueError("If default_name is None then name_or_scope is required")
    if reuse is True and name_or_scope is None:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    if name_or_scope is not None and not isinstance(name_or_scope, VariableScope):
        text("name_or_scope", name_or_scope)
    graph = get_default_graph()
    outer = get_variable_scope()
    defaults = dict(outer.defaults)
    counts: Optional[Dict[str, int]] = None
    if isinstance(name_or_scope, VariableScope):
        path, inherited = name_or_scope.name, name_or_scope.reuse
        defaults = dict(name_or_scope.defaults)
        counts = dict(graph._scope_counts)
        _enter(graph, "", path)
    else:
        path, inherited = _enter(graph, outer.name, name_or_scope, default_name), outer.reuse
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
    opened = graph._open
    before = opened.variable_scopes
    opened.variable_scopes = [*before, scope]
    try:
        if last and auxiliary_name_scope:
            with graph.name_scope(last) as entered:
                scope.original_name_scope = scope.original_name_scope or entered
                yield scope
        else:
            yield scope
    finally:
        opened.variable_scopes = before
        # When the scope is entered again, default names in it are the same again. Other threads are in other scopes.
        with _entering:
            for key in graph._scope_counts:
                if key.startswith(path + "/") or counts is not None and path in (key, ""):
                    graph._scope_counts[key] = 0 if counts is None else counts.get(key, 0)


def _enter(graph: Graph, outer: str, name: Optional[str], default_name: Optional[str] = None) -> str:
    """Enters a scope and returns its path. Without a name, that is the first of default_name, default_name_1, ... that
    is not open in the scope `outer` since it was entered."""
    base = str(default_name) if name is None else name
    full = path = f"{outer}/{base}" if outer else base
    with _entering:
        number = 0
        while name is None and graph._scope_counts.get(path):
            number += 1
            path = f"{full}_{number}"
        graph._scope_counts[path] = graph._scope_counts.get(path, 0) + 1
    return path


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Optional[bool] = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
    validate_shape: bool = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None,
) -> Variable:  # fmt: skip
    """The variable of a name in the scope: a new one or an existing one, as the scope has it (N5 to N8).
    `validate_shape` has no effect: shapes of variables are known and fixed."""
    scope = get_variable_scope()
    full = f"{scope.name}/{name}" if scope.name else name
    getter = custom_getter or scope.defaults.get("custom_getter")
    if getter is not None:
        made: Variable = getter(get_by_full_name, name=full, shape=shape, dtype=dtype, initializer=initializer,
                                regularizer=regularizer, trainable=trainable, collections=collections,
                                constraint=constraint, reuse=scope.reuse)  # fmt: skip
        return made
    if partitioner is not None:
        raise about("flywheel.v1.get_variable", NotImplementedError("partitioner"))
    return get_by_full_name(full, shape, dtype, initializer, regularizer, trainable, collections, constraint,
                            scope.reuse)  # fmt: skip


def _refused(text: str) -> ValueError:
    """An error of `get_variable` in the words of TensorFlow."""
    return about("get_variable", ValueError(text), None)


def get_by_full_name(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: Optional[bool] = None, collections: Any = None, constraint: Any = None, reuse: Any = None, **_: Any,
) -> Variable:  # fmt: skip
    graph = get_default_graph()
    scope = get_variable_scope()
    graph.check_name(name)
    wanted = as_dtype(dtype) if dtype is not None else scope.dtype
    found = graph._variable_store.get(name)
    if found is not None:
        if reuse is False or reuse is None:
            raise _refused(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                           f"reuse=AUTO_REUSE in VarScope? Originally defined at: {found.defined_at}")  # fmt: skip
        return _share(found, name, shape, wanted)
    if reuse is True:
        raise _refused(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to "
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


def _share(found: Variable, name: str, shape: Any, dtype: DType) -> Variable:
    if shape is not None:
        given = plain_shape(shape)
        if len(given) != len(found._shape) or any(a is not None and a != b for a, b in zip(given, found._shape)):
            raise _refused(f"Trying to share variable {name}, but specified shape {TensorShape(given)} and found "
                           f"shape {found.shape}.")  # fmt: skip
    if found.dtype != dtype:
        raise _refused(f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                       f"dtype {found.dtype.name}.")  # fmt: skip
    return found


def _initial(name: str, shape: Any, dtype: Any, wanted: DType, start: Any) -> Tuple[Any, Any]:
    """Returns the initial value of a new variable, and its dtype."""
    if isinstance(start, type):
        start = start()
    if start is not None and not callable(start):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return start, None if isinstance(start, Tensor) and dtype is None else (wanted if dtype is not None else None)
    dims = None if shape is None else plain_shape(shape)
    if dims is None or None in dims:
        raise _refused(f"Shape of a new variable ({name}) must be fully defined, but instead was "
                       f"{TensorShape(dims)}.")  # fmt: skip
    if start is None:
        start = random_ops.glorot_uniform_initializer() if wanted.is_floating else (
            random_ops.zeros_initializer())  # fmt: skip
    function: Callable[..., Any] = start
    sizes = list(dims)

    takes_dtype = _takes_dtype(function)
    return lambda: function(sizes, dtype=wanted) if takes_dtype else function(sizes), wanted


def _takes_dtype(initializer: Callable[..., Any]) -> bool:
    """Returns true if an initializer has an argument `dtype`."""
    try:
        parameters = inspect.signature(initializer).parameters
    except ValueError:
        # One that is written in C has no signature.
        return True
    return "dtype" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def make_template(
    name_: str, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: Optional[str] = None,
    custom_getter_: Any = None, **kwargs: Any,
) -> Callable[..., Any]:  # fmt: skip
    """A function whose variables are made by its first call, and shared by the others. Its scope has the name that is
    free at the first call, or now if `create_scope_now_` is true."""
    known: List[VariableScope] = []
    if create_scope_now_:
        with variable_scope(unique_name_, default_name=name_, custom_getter=custom_getter_) as scope:
            known.append(scope)
    is_first = [True]

    def call(*args: Any, **more: Any) -> Any:
        reuses = not is_first[0]
        is_first[0] = False
        if not known:
            with variable_scope(unique_name_, default_name=name_, custom_getter=custom_getter_) as scope:
                known.append(scope)
                return func_(*args, **{**kwargs, **more})
        with variable_scope(known[0], reuse=reuses or None):
            return func_(*args, **{**kwargs, **more})

    return call
