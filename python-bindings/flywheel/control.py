# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops that the step decides on."""

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _ops
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.tensor import Tensor, TensorLike, as_tensor, format_shape, wrap
from ._errors.messages import about, wrong
from ._flywheel import Value
from ._ops.checks import expect_equal
from ._ops.emission import Size, difference, empty, index_of, size, sizes
from ._ops.indexing import extract_slice, insert_slice, scalar_at


class TypeMismatch(ValueError):
    """Branches, or iterations of a loop, whose results have other dtypes or shapes."""


def _scalar_bool(condition: TensorLike) -> Value:
    """Converts a scalar tensor to a boolean number."""
    x = _ops.cast(condition, _dtypes.bool_)
    if x._dims != ():
        raise ValueError(f"a condition is a scalar, found shape {format_shape(x._dims)}")
    return x.trace.op("tensor.extract", [x.value], [x.trace.graph.type("bool", None)])[0]


def _is_known(condition: TensorLike) -> bool:
    """Returns true if the condition is a bool of Python or NumPy: the trace has only one branch then."""
    return isinstance(condition, (bool, np.bool_))


def _tensors(tree: Any) -> Tuple[List[Tensor], Any]:
    leaves, spec = _tree.flatten(tree)
    return [as_tensor(leaf) for leaf in leaves], spec


def _wrap_all(values: Sequence[Value], like: Sequence[Tensor]) -> List[Tensor]:
    return [wrap(value, x.dtype, x._dims) for value, x in zip(values, like)]


def cond(condition: TensorLike, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """Returns the results of `true_fn(*operands)` if the condition, a scalar, holds, else those of
    `false_fn(*operands)`. Only that branch runs.

    Both return trees of one form, with tensors of the same dtypes and shapes; a branch
    may assign variables. Gradients are those of the branch that runs. If the condition is a bool of Python, such as a
    comparison of sizes that no call chooses, only that branch is traced. Raises ValueError for results that differ.
    """
    if _is_known(condition):
        chosen, form = _tensors((true_fn if condition else false_fn)(*operands))
        return _tree.unflatten(form, chosen)
    trace = _trace.current()
    number = _scalar_bool(condition)
    results: List[Tuple[List[Tensor], Any]] = []

    def body(function: Callable[..., Any]) -> Callable[[List[Value]], List[Value]]:
        def emit(_: List[Value]) -> List[Value]:
            leaves, spec = _tensors(function(*operands))
            if results:
                leaves = _match(leaves, spec, *results[0])
            results.append((leaves, spec))
            return [x.value for x in leaves]

        return emit

    then = trace.region([], body(true_fn), "scf.yield")
    otherwise = trace.region([], body(false_fn), "scf.yield")
    leaves, spec = results[0]
    types = [trace.type(x.dtype, x._dims) for x in leaves]
    values = trace.op("scf.if", [number], types, {}, [then, otherwise])
    return _tree.unflatten(spec, _wrap_all(values, leaves))


def _match(leaves: List[Tensor], spec: Any, others: List[Tensor], other_spec: Any) -> List[Tensor]:
    if spec != other_spec:
        raise ValueError(
            f"both branches must return trees of one form, found {_tree.describe(other_spec)} and "
            f"{_tree.describe(spec)}"
        )
    return [_as_type(x, y.dtype, y._dims, "both branches must return") for x, y in zip(leaves, others)]


def _as_type(x: Tensor, dtype: _dtypes.DType, shape: _trace.Shape, what: str) -> Tensor:
    """`x` with a type that says more or less about the same sizes."""
    fits = len(x._dims) == len(shape) and all(a is None or b is None or a == b for a, b in zip(x._dims, shape))
    if x.dtype != dtype or not fits:
        raise TypeMismatch(
            f"{what} one type, found {_dtypes.name_of(dtype)}{format_shape(shape)} and "
            f"{_dtypes.name_of(x.dtype)}{format_shape(x._dims)}"
        )
    if x._dims == shape:
        return x
    return wrap(x.trace.op("tensor.cast", [x.value], [x.trace.type(dtype, shape)])[0], dtype, shape)


def switch(index: TensorLike, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Returns the results of the branch of this number; only that branch runs. A number below 0 selects the first
    branch, a number that is too large the last one. An integer of Python traces one branch. See `cond`."""
    if not branches:
        raise about("switch", ValueError("takes a branch or more"), " ")
    for branch in branches:
        if not callable(branch):
            raise wrong(TypeError, "functions", type(branch).__name__, "branches", function="switch")
    if isinstance(index, (int, np.integer)):
        chosen = branches[min(max(int(index), 0), len(branches) - 1)]
        return cond(True, chosen, chosen, *operands)
    number = _ops.cast(index, _dtypes.int64)

    def pick(first: int, rest: Sequence[Callable[..., Any]]) -> Any:
        if len(rest) == 1:
            return rest[0](*operands)
        # Half of the branches at a time.
        middle = len(rest) // 2
        return cond(_ops.less(number, first + middle), lambda: pick(first, rest[:middle]),
                    lambda: pick(first + middle, rest[middle:]))  # fmt: skip

    return pick(0, list(branches))


def map(function: Callable[[Any], Any], xs: Any) -> Any:
    """Returns the results of `function` for each slice of `xs` along the first dimension, computed one after the other:
    see `scan`, and `vmap` for all at once."""
    return scan(lambda state, x: (state, function(x)), None, xs)[1]


def while_loop(
    cond_fn: Callable[..., TensorLike], body_fn: Callable[..., Any], init: Any, *, max_iterations: Optional[int] = None
) -> Any:
    """Runs `state = body_fn(state)` as long as `cond_fn(state)` holds, and returns the
    last state.

    The state is a tree of tensors, which keep their dtypes and shapes. With `max_iterations` the loop ends after at
    most that number, and has a gradient, for which it keeps what each iteration started with. Raises ValueError for a
    state of another form.
    """
    trace = _trace.current()
    leaves, spec = _tensors(init)
    if max_iterations is not None:
        leaves = [as_tensor(0, _dtypes.int32), *leaves]
    types = [trace.type(x.dtype, x._dims) for x in leaves]

    def state_of(values: List[Value]) -> Tuple[List[Tensor], Any]:
        own = _wrap_all(values, leaves)
        return own, _tree.unflatten(spec, own if max_iterations is None else own[1:])

    def test(values: List[Value]) -> List[Value]:
        own, state = state_of(values)
        number = _scalar_bool(cond_fn(state))
        if max_iterations is not None:
            within = _scalar_bool(_ops.less(own[0], max_iterations))
            number = trace.op("arith.andi", [within, number], [trace.graph.type("bool", None)])[0]
        return [number, *values]

    def step(values: List[Value]) -> List[Value]:
        own, state = state_of(values)
        new, form = _tensors(body_fn(state))
        _check_state(form, spec)
        carried = leaves if max_iterations is None else leaves[1:]
        new = [_as_type(x, y.dtype, y._dims, "a loop keeps the types of its state:") for x, y in zip(new, carried)]
        if max_iterations is not None:
            new = [_ops.add(own[0], 1), *new]
        return [x.value for x in new]

    before = trace.region(types, test, "scf.condition", sees_outer=False)
    after = trace.region(types, step, "scf.yield", sees_outer=False)
    values = trace.op("scf.while", [x.value for x in leaves], types, {}, [before, after])
    return state_of(values)[1]


def _check_state(form: Any, spec: Any) -> None:
    if form != spec:
        raise ValueError(
            f"a loop keeps the form of its state, found {_tree.describe(spec)} and then {_tree.describe(form)}"
        )


def _for(
    count: Size, leaves: List[Tensor], body: Callable[[Value, List[Tensor]], List[Tensor]]
) -> List[Tensor]:
    """Emits an `scf.for` from 0 over a state."""
    trace = _trace.current()
    types = [trace.type(x.dtype, x._dims) for x in leaves]

    def step(values: List[Value]) -> List[Value]:
        new = body(values[0], _wrap_all(values[1:], leaves))
        what = "a loop keeps the types of its state:"
        return [_as_type(x, y.dtype, y._dims, what).value for x, y in zip(new, leaves)]

    region = trace.region([trace.index_type(), *types], step, "scf.yield", sees_outer=False)
    bounds = [trace.index(0), index_of(count), trace.index(1)]
    return _wrap_all(trace.op("scf.for", [*bounds, *[x.value for x in leaves]], types, {}, [region]), leaves)


def _counter(index: Value) -> Tensor:
    trace = _trace.current()
    number = trace.op("arith.index_cast", [index], [trace.graph.type("int32", None)])[0]
    return wrap(trace.op("tensor.from_elements", [number], [trace.type(_dtypes.int32, ())])[0], _dtypes.int32, ())


def fori_loop(lower: Any, upper: Any, body_fn: Callable[[Tensor, Any], Any], init: Any) -> Any:
    """`state = body_fn(i, state)` for i from `lower` up to but without `upper`, which are
    integers or scalar tensors; returns the last state. A body that is known not to run is not traced."""
    leaves, spec = _tensors(init)
    first = _ops.shapes.to_index(lower)
    last = _ops.shapes.to_index(upper)
    if isinstance(first, int) and isinstance(last, int) and last <= first:
        return _tree.unflatten(spec, leaves)
    count = _ops.emission.index_op("maxsi", _ops.emission.index_op("subi", last, first), 0)

    def body(index: Value, own: List[Tensor]) -> List[Tensor]:
        number = _counter(index)
        if first != 0:
            number = _ops.add(number, lower)
        new, form = _tensors(body_fn(number, _tree.unflatten(spec, own)))
        _check_state(form, spec)
        return new

    return _tree.unflatten(spec, _for(count, leaves, body))


def scan(
    body_fn: Callable[[Any, Any], Tuple[Any, Any]], init: Any, xs: Any = None, length: Optional[TensorLike] = None,
    *, reverse: bool = False,
) -> Tuple[Any, Any]:  # fmt: skip
    """Computes `state, y = body_fn(state, x)` for each slice x of `xs` along its first dimension; returns the last
    state, and all ys as trees of tensors with that dimension first.

    `xs` may be None with a `length`, and may be a tree, whose leaves have one size. With
    `reverse` it starts at the end. Gradients flow through. Raises ValueError for sizes
    that differ, or a state of another form.
    """
    carried, spec = _tensors(init)
    inputs, input_spec = _tensors(xs)
    count = _scan_length(inputs, length)
    found: List[Any] = [None]

    def step(index: Value, own: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
        index = from_end(count, index) if reverse else index
        slices = _tree.unflatten(input_spec, [scalar_at(x, index) for x in inputs])
        result = body_fn(_tree.unflatten(spec, own), slices)
        if not isinstance(result, tuple) or len(result) != 2:
            raise ValueError("expected a pair from the body of a scan: the state, and the values to collect")
        new, form = _tensors(result[0])
        _check_state(form, spec)
        outputs, found[0] = _tensors(result[1])
        return new, outputs

    state, outputs = collect(count, carried, step, reverse)
    return _tree.unflatten(spec, state), _tree.unflatten(found[0], outputs)


def scan_states(
    body_fn: Callable[[Any, Any], Any], init: Any, xs: Any, keep: Sequence[int] = (), *, reverse: bool = False
) -> Tuple[Any, List[Tensor]]:
    """`state = body_fn(state, x)` as `scan`; returns the last state, and of its leaves `keep` the values after all
    iterations, in their order. Sizes of the state may be dynamic, as long as they stay the same.
    """
    carried, spec = _tensors(init)
    inputs, input_spec = _tensors(xs)
    count = _scan_length(inputs, None)
    known = [sizes(x) for x in carried]

    def step(index: Value, own: List[Tensor]) -> Tuple[List[Tensor], List[Tensor]]:
        index = from_end(count, index) if reverse else index
        slices = _tree.unflatten(input_spec, [scalar_at(x, index) for x in inputs])
        new, form = _tensors(body_fn(_tree.unflatten(spec, own), slices))
        _check_state(form, spec)
        return new, [new[k] for k in keep]

    shapes = [(carried[k].dtype, known[k]) for k in keep]
    state, kept = _collect(count, carried, known, shapes, step, [False] * len(keep))
    return _tree.unflatten(spec, state), kept


# From the number of an iteration and its state, the next state, and what the iteration returns besides.
Step = Callable[[Value, List[Tensor]], Tuple[List[Tensor], List[Tensor]]]


def collect(
    count: Size, carried: List[Tensor], step: Step, reverse: Union[bool, Sequence[bool]] = False
) -> Tuple[List[Tensor], List[Tensor]]:
    """Runs `step` `count` times; returns the last state, and what all iterations return besides, the first one in
    front; or last, where `reverse` (of all, or of each one) holds. The state keeps its sizes, which may be dynamic; so
    may be those of what is collected, where it is part of the state. Raises ValueError for other dynamic sizes, and
    TypeMismatch for a state whose types change."""
    known = [sizes(x) for x in carried]
    new, outputs = probe(carried, lambda index, own: step(index, _with_all_sizes(own, known)))
    shapes: List[Tuple[_dtypes.DType, List[Size]]] = []
    for y in outputs:
        place = next((k for k, x in enumerate(new) if x is y), None)
        lengths = [known[place][axis] if n is None and place is not None else n for axis, n in enumerate(y._dims)]
        if None in lengths:
            raise ValueError(f"expected a result of static sizes from each iteration, found {format_shape(y._dims)}")
        shapes.append((y.dtype, [n for n in lengths if n is not None]))
    order = [reverse] * len(shapes) if isinstance(reverse, bool) else list(reverse)
    return _collect(count, carried, known, shapes, step, order)


def _collect(
    count: Size, carried: List[Tensor], known: List[List[Size]], shapes: Sequence[Tuple[_dtypes.DType, List[Size]]],
    step: Step, reverse: Sequence[bool],
) -> Tuple[List[Tensor], List[Tensor]]:  # fmt: skip
    buffers = [empty([count, *lengths], dtype) for dtype, lengths in shapes]
    n = len(carried)

    def body(index: Value, own: List[Tensor]) -> List[Tensor]:
        new, outputs = step(index, _with_all_sizes(own[:n], known))
        places = [from_end(count, index) if is_reversed else index for is_reversed in reverse]
        kept = [_insert(y, into, place) for y, into, place in zip(outputs, own[n:], places)]
        return [in_place_of(x, y, lengths) for x, y, lengths in zip(new, own, known)] + kept

    results = _for(count, carried + buffers, body)
    return results[:n], results[n:]


def _with_all_sizes(own: List[Tensor], known: List[List[Size]]) -> List[Tensor]:
    return [with_sizes(y, lengths) for y, lengths in zip(own, known)]


def with_sizes(y: Tensor, lengths: Sequence[Size]) -> Tensor:
    """A state of a loop with the sizes of the first one by name: nothing about them is to be checked in the loop."""
    return y if None not in y._dims else extract_slice(y, [0] * y.ndim, list(lengths), [1] * y.ndim)


def in_place_of(x: Tensor, y: Tensor, known: Sequence[Size]) -> Tensor:
    """A new state. The place of the old one says that its sizes are those of before, where its value does not."""
    fits = x.ndim == y.ndim and all(a is None or b is None or a == b for a, b in zip(x._dims, y._dims))
    if None not in y._dims or not fits or x.dtype != y.dtype:
        return x
    # A size of before is one from outside the loop, in what is kept for derivatives too.
    lengths = [old if difference(size(x, axis), old) == 0 else size(x, axis) for axis, old in enumerate(known)]
    return insert_slice(x, y, [0] * x.ndim, lengths, [1] * x.ndim)


def from_end(count: Size, index: Value) -> Value:
    trace = _trace.current()
    last = trace.op("arith.subi", [index_of(count), trace.index(1)], [trace.index_type()])[0]
    return trace.op("arith.subi", [last, index], [trace.index_type()])[0]


def _scan_length(inputs: List[Tensor], length: Optional[TensorLike]) -> Size:
    for x in inputs:
        if x.ndim == 0:
            raise ValueError("a scan takes slices: a scalar has none")
    given = None if length is None else _ops.shapes.to_index(length)
    if given is not None and not isinstance(given, int):
        for x in inputs:
            expect_equal(size(x, 0), given, "a scan takes tensors of its length")
        return given
    known = {x._dims[0] for x in inputs if x._dims[0] is not None} | ({given} if given is not None else set())
    if len(known) > 1:
        raise ValueError(f"a scan takes tensors of one length, found {sorted(n for n in known if n is not None)}")
    if known:
        return next(n for n in known if n is not None)
    if not inputs:
        raise ValueError("a scan over nothing needs a length")
    return size(inputs[0], 0)


def probe(carried: List[Tensor], step: Callable[[Value, List[Tensor]], Any]) -> Any:
    """Returns the results of one iteration from a trace that is discarded, for types, and for which tensors are the
    same."""
    trace = _trace.current()
    types = [trace.type(x.dtype, x._dims) for x in carried]
    arguments = trace.graph.begin_region([trace.index_type(), *types])
    try:
        with trace.frame(sees_outer=False):
            return step(arguments[0], _wrap_all(arguments[1:], carried))
    finally:
        trace.graph.abandon_region()


def _insert(y: Tensor, into: Tensor, index: Value) -> Tensor:
    """Inserts a slice in its place."""
    return insert_slice(y, into, [index, *[0] * y.ndim], [1, *sizes(y)], [1] * (y.ndim + 1))
