# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looking inside a running step: functions of Python that a compiled step calls."""

import builtins
import string
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._captures import code_names as _code_names
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.annotations import Array
from ._core.tensor import Tensor, as_tensor, format_shape, wrap
from ._errors.messages import about
from ._flywheel import Attribute
from ._functions.arguments import TensorSpec
from .variables import Variable

__all__ = ["breakpoint", "callback", "print"]


def _is_traced(leaf: Any) -> bool:
    return isinstance(leaf, (Tensor, Variable))


def _as_host(array: Array, dtype: _dtypes.DType) -> Any:
    """Converts an array of the step to NumPy's form: booleans come as bytes, and all integers as signed ones."""
    found = array.view(dtype) if array.dtype != dtype and array.dtype.kind in "iu" else array
    return found[()] if found.ndim == 0 else found


def _as_step(array: Array) -> Array:
    """Converts an array of NumPy to the step's form."""
    dense = np.ascontiguousarray(array).reshape(array.shape)
    is_signless = dense.dtype.kind in "bu" and dense.dtype != _dtypes.bfloat16
    return dense.view(f"i{dense.dtype.itemsize}") if is_signless else dense


def _call(
    kind: str, function: Callable[[List[Any]], Any], inputs: Sequence[Tensor], results: Sequence[TensorSpec]
) -> List[Tensor]:
    """Emits a call of `function`, of a list of arrays; it returns a list of arrays, one for each of `results`."""
    trace = _trace.current()
    if trace.calls_forbidden:
        raise about(f"flywheel.{kind}", ValueError(f"{trace.calls_forbidden} may be computed several "
                                                   "times or not at all, and must not call functions "
                                                   "of the host: call it outside"))  # fmt: skip
    dtypes = [x.dtype for x in inputs]
    for dtype in [*dtypes, *[one.dtype for one in results]]:
        if dtype == _dtypes.string:
            raise TypeError(f"flywheel.{kind} takes and returns numbers and booleans, found strings")

    def run(arrays: List[Array]) -> List[Array]:
        made = function([_as_host(array, dtype) for array, dtype in zip(arrays, dtypes)])
        return [_as_step(array) for array in made or ()]

    shapes = [tuple(int(n) for n in one.shape if isinstance(n, int)) for one in results]
    types = [trace.type(one.dtype, shape) for one, shape in zip(results, shapes)]
    site = trace.host_functions.add(run)
    values = trace.op("train.host_call", [x.value for x in inputs], types,
                      {"kind": Attribute.string(kind), "site": Attribute.i64(site)})  # fmt: skip
    return [wrap(value, one.dtype, shape) for value, one, shape in zip(values, results, shapes)]


def _apply(kind: str, function: Callable[[Any], Any], tree: Any, results: Sequence[TensorSpec] = ()) -> List[Any]:
    """Calls `function` of a tree with arrays in the place of its tensors: in the step, or now."""
    leaves, form = _tree.flatten(tree)
    if not _trace.is_tracing():
        now = [leaf.numpy()[()] if isinstance(leaf, Variable) else leaf for leaf in leaves]
        made = function(_tree.unflatten(form, now))
        return list(made or ())
    places = [i for i, leaf in enumerate(leaves) if _is_traced(leaf)]

    def call(arrays: List[Any]) -> Any:
        own = list(leaves)
        for place, array in zip(places, arrays):
            own[place] = array
        return function(_tree.unflatten(form, own))

    inputs = [as_tensor(leaves[place]) for place in places]
    # A function may be kept longer than the tensors of its step.
    leaves = [None if _is_traced(leaf) else leaf for leaf in leaves]
    return _call(kind, call, inputs, results)


# Printing


class _Shown:
    """A value as a field of a format shows it: a format of numbers is that of each element."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        value = self._value
        if spec and isinstance(value, np.ndarray):
            return np.array2string(value, formatter={"all": lambda x: format(x, spec)})
        return format(value, spec) if spec else str(value)

    def __str__(self) -> str:
        return str(self._value)

    def __repr__(self) -> str:
        return repr(self._value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)

    def __getitem__(self, key: Any) -> Any:
        return _Shown(self._value[key])


class _Formatter(string.Formatter):
    """Formats as `str.format`. Raises ValueError for a value without a field, and for a field without a value."""

    def get_value(self, key: Any, args: Any, kwargs: Any) -> Any:
        if key in kwargs if isinstance(key, str) else key < len(args):
            return super().get_value(key, args, kwargs)
        given = [f"{len(args)} values", *([f"the names {', '.join(kwargs)}"] if kwargs else [])]
        raise ValueError(f"expected a value for the field {{{key}}} of the format, found {' and '.join(given)}: write "
                         "{{ and }} for braces that are not a field")  # fmt: skip

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        try:
            return super().get_field(field_name, args, kwargs)
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError(f"expected a part that the value has in the field {{{field_name}}} of the format: {error}"
                             ) from None  # fmt: skip

    def format_field(self, value: Any, format_spec: str) -> Any:
        try:
            return super().format_field(value, format_spec)
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected a format of numbers behind the colon of a field, found '{format_spec}': {error}"
                             ) from None  # fmt: skip

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion not in (None, "r", "s", "a"):
            raise ValueError(f"expected !r, !s or !a as conversion in a field of the format, found !{conversion}")
        return super().convert_field(value, conversion)

    def check_unused_args(self, used_args: Any, args: Any, kwargs: Any) -> None:
        unused = [repr(key) for key in [*range(len(args)), *kwargs] if key not in used_args]
        if unused:
            raise ValueError(f"expected a field in the format for each value, found none for {', '.join(unused)}")


def _format(text: str, values: Sequence[Any], named: Dict[str, Any]) -> str:
    try:
        list(string.Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"expected a format, found {text!r}: {error}; write {{{{ and }}}} for braces that are not a "
                         "field") from None  # fmt: skip
    return _Formatter().vformat(text, [_Shown(x) for x in values], {key: _Shown(x) for key, x in named.items()})


def _stand_in(leaf: Any) -> Any:
    """Returns a value of the kind that a leaf will have, to try a format with."""
    if not _is_traced(leaf):
        return leaf
    return np.zeros([n if isinstance(n, int) else 1 for n in leaf.shape], leaf.dtype)[()]


def print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False, **named: Any) -> None:
    """Prints values of a running step.

        fw.print("step {}: loss {:.4f}", i, loss)
        fw.print("norms {norms:.2e}", norms=norms)
        fw.print(loss, accuracy)

    If the first value is a str with fields, it is a format as `str.format` has it, whose number formats hold for each
    element; without, all values are printed as `print` does. Values may be trees of tensors. The lines of a step come
    in the order of the program, in branches and loops as often as these run; in a loop that is differentiated once an
    iteration; under `vmap` once for each position, in order, and once in all if no value is mapped. Outside of a traced
    function it prints at once.

    Each costs a call into Python, some microseconds, and it comes before the step assigns variables: see `callback`.
    Raises ValueError for a format that does not fit, such as one with a field without a value.
    """
    text = values[0] if values and isinstance(values[0], str) and ("{" in values[0] or named) else None
    given = list(values[1:]) if text is not None else list(values)
    if text is None and named:
        raise ValueError(f"expected a format that names {', '.join(named)}, found none")
    if text is not None:
        _format(text, *_tree.map_leaves(_stand_in, (given, named)))

    def show(tree: Any) -> None:
        own, own_named = tree
        words = [_format(text, own, own_named)] if text is not None else own
        builtins.print(*words, sep=sep, end=end, file=sys.stdout if file is None else file, flush=flush)

    _apply("print", show, (given, named))


# Functions


def _as_spec(leaf: Any) -> TensorSpec:
    if isinstance(leaf, (TensorSpec, Tensor, Variable, np.ndarray, np.generic)):
        shape = tuple(leaf._dims if isinstance(leaf, Tensor) else leaf.shape)
        if not all(isinstance(n, int) for n in shape):
            raise ValueError(f"the results of flywheel.callback have sizes that are known when the function is "
                             f"traced, found {format_shape(shape)}")  # fmt: skip
        return TensorSpec(shape, _dtypes.as_dtype(leaf.dtype))
    raise TypeError(f"expected a flywheel.spec as the result of flywheel.callback, or a tree of them, found {leaf!r}")


def _check_result(value: Any, one: TensorSpec, place: int) -> Array:
    """Returns a result of a function, as `one` describes it. Raises TypeError for another dtype, ValueError for another
    shape."""
    array = np.asarray(value)
    if not isinstance(value, (np.ndarray, np.generic)) and not hasattr(value, "__dlpack__"):
        array = _dtypes.literal(value, one.dtype)
    if array.dtype != one.dtype:
        raise TypeError(f"result {place} of the function of flywheel.callback is {_dtypes.name_of(one.dtype)} by its "
                        f"spec, found an array of {array.dtype}: cast it")  # fmt: skip
    if array.shape != one.shape:
        raise ValueError(f"result {place} of the function of flywheel.callback has the shape {one.shape} by its spec, "
                         f"found {array.shape}")  # fmt: skip
    return array


def callback(function: Callable[..., Any], *tensors: Any, result: Any = None) -> Any:
    """Calls a Python function with values of a running step, and returns what it returns as tensors.

        fw.callback(history.append, loss)
        rate = fw.callback(look_up, step, result=fw.spec(dtype="float32"))

    `function` gets each argument, which may be a tree of tensors, with NumPy arrays in their place: copies, which it
    may keep, and NumPy scalars of rank 0. `result` is a `flywheel.spec` of what it returns, or a tree of them, of
    sizes that are known; without, what it returns is forgotten. Results are constant to derivatives: to ask for a
    derivative through one is a CompileError; `custom_vjp` gives one.

    The calls of a step run in the order of the program, prints among them, in branches and loops as often as these
    run, on the thread that called the step, and under `vmap` once for each position, or once in all if no argument is
    mapped. All of them come before the step assigns a variable: one that is assigned before the call has its new value
    in a buffer until then. An exception of the function ends the step and comes out of the call as it is; no further
    function is called, and no variable has changed.

    A running step locks its store. The function must not use variables of that store, and must not call a traced
    function there, also one without variables: both are a RuntimeError. Pass values, or call it in a store of its own
    (`with fw.Store():`). The function must not wait for another thread that uses the store: that thread waits for the
    step, and neither goes on.

    Each call costs a copy of its arguments and a call into Python, some microseconds; with `threads` the other
    workers wait. A step for a GPU, and an export to an object file, refuse it. Raises TypeError and ValueError for
    results other than the spec.
    """
    if not callable(function):
        raise TypeError(f"expected a function, found {function!r}")
    _code_names.add_host_function(function)
    specs, form = _tree.flatten(result)
    specs = [_as_spec(leaf) for leaf in specs]

    def run(given: Tuple[Any, ...]) -> List[Array]:
        made = function(*given)
        if result is None:
            return []
        leaves, found = _tree.flatten(made)
        if found != form:
            raise ValueError(f"the function of flywheel.callback returns {_tree.describe(form)} by its spec, found "
                             f"{_tree.describe(found)}")  # fmt: skip
        return [_check_result(leaf, one, i) for i, (leaf, one) in enumerate(zip(leaves, specs))]

    made = _apply("callback", run, tuple(tensors), specs)
    return _tree.unflatten(form, made) if result is not None else None


# The debugger


def _namespace(tensors: Sequence[Any], named: Dict[str, Any], local: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the names that the debugger has: those of the caller, or if tensors are given only those."""
    if not tensors and not named:
        return dict(local)
    found = {key: value for key, value in local.items() if not _holds_traced(value)}
    for i, x in enumerate(tensors):
        own = [key for key, value in local.items() if value is x]
        found[own[0] if own else f"value_{i}"] = x
    return {**found, **named}


def _holds_traced(value: Any) -> bool:
    return any(_is_traced(leaf) for leaf in _tree.flatten(value)[0])


def _can_be_seen(value: Any, trace: Optional[_trace.Trace]) -> bool:
    """Returns true if all tensors of a value are numbers of this trace."""
    leaves = _tree.flatten(value)[0]
    return all(leaf.trace is trace and leaf.dtype != _dtypes.string for leaf in leaves if isinstance(leaf, Tensor))


def breakpoint(*tensors: Any, **named: Any) -> None:
    """Stops a running step in the debugger, at this line, with the values that its tensors have then.

    The debugger has the names of the caller: tensors and variables, also in tuples, lists and dicts, are NumPy arrays,
    and everything else is what it was when the function was traced. With arguments,
    `fw.breakpoint(x, norm=fw.norm(x))`, only these tensors are computed and copied. The debugger is that of Python's
    `breakpoint` (`sys.breakpointhook`, PYTHONBREAKPOINT): pdb by default, where `c` continues, and `q` ends the step
    with `bdb.BdbQuit` and leaves the variables as they were. It costs and is ordered as a `callback`.
    """
    frame = _trace.find_user_frame() or sys._getframe(1)
    trace = _trace.current() if _trace.is_tracing() else None
    known = {key: value for key, value in _namespace(tensors, named, frame.f_locals).items()
             if key.isidentifier() and _can_be_seen(value, trace)}  # fmt: skip
    # The debugger shows the line that this is called in.
    text = "\n" * (frame.f_lineno - 2) + "breakpoint()\npass\n"
    code, names = compile(text, frame.f_code.co_filename, "exec"), frame.f_globals

    def stop(values: Dict[str, Any]) -> None:
        exec(code, {**names, "breakpoint": builtins.breakpoint}, dict(values))

    if trace is None:
        stop(known)
    else:
        _apply("breakpoint", stop, known)
