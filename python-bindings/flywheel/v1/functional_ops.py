# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over the first dimension of tensors. Each is one loop of the step, differentiated as one, whose length a
run may choose."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from .. import control
from .._errors.messages import about
from .conversion import as_tensor, dtype_of
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor
from .ops import concat, expand_dims, identity, stop_gradient
from .structures import describe, flatten, pack

# From the state and a slice of each sequence, the next state and what is collected.
Body = Callable[[List[Tensor], List[Tensor]], Tuple[Sequence[Any], Sequence[Any]]]


def _slices_of(elems: Any, what: str) -> List[Tensor]:
    """Returns the sequences, of which each iteration sees a slice."""
    sequences = [as_tensor(x) for x in flatten(elems)]
    if not sequences:
        raise about(what, ValueError("needs a tensor at least"), " ")
    for x in sequences:
        if x.static_shape is not None and len(x.static_shape) == 0:
            raise about(what, ValueError(f"takes slices along the first dimension, and {x!r} has none"), " ")
    lengths = {x.static_shape[0] for x in sequences if x.static_shape and x.static_shape[0] is not None}
    if len(lengths) > 1:
        raise about(what, ValueError("takes tensors of one length, found "
                                     f"{sorted(n for n in lengths if n is not None)}"), " ")  # fmt: skip
    return sequences


def _loop(
    kind: str, body: Body, start: Sequence[Tensor], sequences: Sequence[Tensor], reverse: bool, back_prop: bool,
    name: Optional[str],
) -> Tuple[List[Tensor], List[Tensor]]:  # fmt: skip
    """Returns the last state, and the values that all iterations collect."""
    from .emission import captures_of, inner_ops

    graph, count = get_default_graph(), len(start)
    with graph.context("while") as context:

        def variable(dtype: Any, known: Any) -> Tensor:
            return graph.create("LoopVariable", [], None, [(dtype, known)]).outputs[0]

        now = [variable(y.dtype, None if y.static_shape is None else y.static_shape[1:]) for y in sequences]
        old = [variable(s.dtype, s.static_shape) for s in start]
        new, collected = body(list(old), list(now))
        results = [identity(y) for y in [*new, *collected]]
    for a, b in zip(results, start):
        if a.dtype != b.dtype:
            raise about(kind, TypeError(f"the state keeps its dtype, found {b.dtype.name} and then {a.dtype.name}"))
        known, found = b.static_shape, a.static_shape
        if known is not None and found is not None and (len(known) != len(found) or any(
                m is not None and n is not None and m != n for m, n in zip(known, found))):  # fmt: skip
            raise about(kind, ValueError(f"the state keeps its shape, found {b.shape} and then {a.shape}"))
    inside, _ = inner_ops(context, [y.op for y in results])
    captures = captures_of(context, [y.op for y in results])
    if any(op.fields.writes for op in inside):
        raise about(f"flywheel.v1.{kind}", NotImplementedError("assignments in the function"))

    def region(emitter: Any, op: Operation) -> Any:
        values = [emitter.value(y) for y in op.inputs]
        taken, first = values[: len(sequences)], values[len(sequences) :]

        def step(states: Any, slices: Any) -> Any:
            own = {y.op.id: [v] for y, v in zip([*now, *old], [*slices, *states])}
            flat = list(emitter.region(context, results, own))
            return flat[:count], flat[count:]

        last, kept = control.scan(step, first, taken, reverse=reverse)
        return [*last, *kept]

    length = next((x.static_shape[0] for x in sequences if x.static_shape and x.static_shape[0] is not None), None)
    types = [(s.dtype, s.static_shape) for s in start]
    types += [(y.dtype, None if y.static_shape is None else (length, *y.static_shape)) for y in results[count:]]
    op = graph.create(kind, [*sequences, *start], lambda *ys: ys, types, name,
                      Fields(captures=captures, region=region))  # fmt: skip
    outputs = op.outputs if back_prop else [stop_gradient(y) for y in op.outputs]
    return list(outputs[:count]), list(outputs[count:])


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Returns the results of `fn` for each slice of `elems`, a tensor or a structure of tensors of one length. If
    `dtype`, in the form of the result, is given, it is checked. With `back_prop=False` there is no gradient."""
    sequences = _slices_of(elems, "map_fn")
    form: List[Any] = []

    def body(_: List[Tensor], now: List[Tensor]) -> Any:
        made = fn(pack(elems, list(now)))
        form.append(made)
        leaves = [as_tensor(x) for x in flatten(made)]
        wanted = [None] * len(leaves) if dtype is None else flatten(dtype)
        if len(wanted) != len(leaves):
            raise about("map_fn", ValueError(f"expected a result of the form {describe(dtype)}, found "
                                             f"{describe(made)}"))  # fmt: skip
        for x, kind in zip(leaves, wanted):
            if kind is not None and dtype_of(kind) != x.dtype:
                raise about("map_fn", TypeError(f"expected a result of dtype {dtype_of(kind).name}, found "
                                                f"{x.dtype.name}"))  # fmt: skip
        return [], leaves

    _, collected = _loop("map_fn", body, [], sequences, False, back_prop, name)
    return pack(form[0], collected)


def _fold(
    kind: str, fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool, collects: bool,
    back_prop: bool, name: Optional[str],
) -> Any:  # fmt: skip
    sequences = _slices_of(elems, kind)
    form, rest = (elems if initializer is None else initializer), sequences
    if initializer is None:
        place = -1 if reverse else 0
        start = [x[place] for x in sequences]
        rest = [x[:-1] if reverse else x[1:] for x in sequences]
    else:
        start = [as_tensor(x) for x in flatten(initializer)]

    def body(old: List[Tensor], now: List[Tensor]) -> Any:
        made = fn(pack(form, list(old)), pack(elems, list(now)))
        if describe(made) != describe(form):
            raise about(kind, ValueError(f"the state keeps its form, found {describe(form)} and then {describe(made)}"))
        leaves = [as_tensor(x) for x in flatten(made)]
        return leaves, leaves if collects else []

    last, collected = _loop(kind, body, start, rest, reverse, back_prop, name)
    if not collects:
        return pack(form, last)
    if initializer is None:
        ends = [expand_dims(x if back_prop else stop_gradient(x), 0) for x in start]
        collected = [concat([y, x] if reverse else [x, y], 0) for x, y in zip(ends, collected)]
    return pack(form, collected)


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
    name: Optional[str] = None,
) -> Any:  # fmt: skip
    """`a = fn(a, x)` for each slice x of `elems`, from `initializer` on, by default the first slice: all values of a,
    in the order of the slices. With `reverse` it starts at the end, and with `back_prop=False` there is no gradient."""
    return _fold("scan", fn, elems, initializer, reverse, True, back_prop, name)


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The last value of `scan`."""
    return _fold("foldl", fn, elems, initializer, False, False, back_prop, name)


def foldr(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """As `foldl`, from the last slice on."""
    return _fold("foldr", fn, elems, initializer, True, False, back_prop, name)
