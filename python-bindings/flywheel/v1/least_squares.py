# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Levenberg and Marquardt's method over variables and tensors of a graph (L9, L10)."""

from typing import Any, List, Sequence, Tuple

from .._core import tensor as _tensor
from ..math.optimizer import levenberg_marquardt as _traced
from .conversion import as_tensor
from .emission import Emitter, ancestors, captures_of, inner_ops
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor
from .ops import identity
from .variables import Variable


def minimize(
    functions: Sequence[Any], start: List[Any], count: int, regularizer: Any, multiplier: float, on_failure: str
) -> Tuple[Tensor, List[Tensor]]:
    """The objective and the new values of `search`."""
    op = search(functions, start, count, regularizer, multiplier, on_failure)
    return op.outputs[0], list(op.outputs[1:-1])


def search(
    functions: Sequence[Any], start: List[Any], count: int, regularizer: Any, multiplier: float, on_failure: str
) -> Operation:
    """An op that makes `count` iterations when it runs, of the objective, the new values and the last regularizer.

    Variables are assigned at the end, and what residuals read of them is what moves, also in tensors that were made
    before, such as the outputs of a model. Raises ValueError for variables beside tensors, and for residuals that
    assign something.
    """
    owned = [x for x in start if isinstance(x, Variable)]
    if owned and len(owned) != len(start):
        raise ValueError("expected variables or tensors, found both")
    values = [as_tensor(x) for x in start]
    if owned:
        return _over_variables(functions, owned, count, regularizer, multiplier, on_failure)
    graph = get_default_graph()
    with graph.context("while") as context:
        own = [graph.create("LoopVariable", [], None, [(x.dtype, x.static_shape)]).outputs[0] for x in values]
        results = [identity(as_tensor(f(*own))) for f in functions]
    outputs = [y.op for y in results]
    _check(inner_ops(context, outputs)[0])
    captures = captures_of(context, outputs)

    def region(emitter: Any, op: Operation) -> Any:
        def residual(place: int) -> Any:
            def of(*xs: Any) -> Any:
                return emitter.region(context, [results[place]], {x.op.id: [v] for x, v in zip(own, xs)})[0]

            return of

        given = [emitter.value(x) for x in op.inputs[: len(values)]]
        found = _traced._emit(tuple(map(residual, range(len(results)))), given, count,
                              _damping(emitter, regularizer), multiplier, on_failure)  # fmt: skip
        return [found[0], *found[1], found[2][count - 1]]

    return _created(values, regularizer, captures, region, [(x.dtype, x.static_shape) for x in values], [])


def _over_variables(
    functions: Sequence[Any], owned: List[Variable], count: int, regularizer: Any, multiplier: float, on_failure: str
) -> Operation:
    results = [as_tensor(f(*owned)) for f in functions]
    # The ops that depend on the variables are emitted in the region, again if something else needs them.
    order = sorted(ancestors([x.op for x in results], by_data=True), key=lambda op: op.id)
    moved = [op for op in order if op.type in ("VariableV2", "ReadValue") and op.variable in owned]
    inside = set(moved)
    for op in order:
        if any(x.op in inside for x in op.operands):
            inside.add(op)
    body = [op for op in order if op in inside and op not in moved]
    _check(body)
    again = {op.id for op in body}
    captures = [x for op in body for x in op.operands if x.op not in inside]
    captures += [x for x in results if x.op not in inside]

    def region(emitter: Any, op: Operation) -> Any:
        def residual(place: int) -> Any:
            def of(*_: Any) -> Any:
                env = {number: values for number, values in emitter.env.items() if number not in again}
                env.update({op.id: [op.variable.implementation.read()] for op in moved})
                inner = Emitter(body, env, emitter.initialized, emitter.decided)
                inner.run()
                return inner.value(results[place])

            return of

        found = _traced._emit(tuple(map(residual, range(len(results)))), [v.implementation for v in owned], count,
                              _damping(emitter, regularizer), multiplier, on_failure)  # fmt: skip
        return [found[0], *found[1], found[2][count - 1]]

    types = [(v.dtype, tuple(v.shape.as_list())) for v in owned]
    return _created([], regularizer, captures, region, types, owned)


def _created(
    inputs: List[Tensor], regularizer: Any, captures: List[Tensor], region: Any, types: Any, writes: List[Variable]
) -> Operation:
    damping = [as_tensor(regularizer)] if isinstance(regularizer, (Tensor, Variable)) else []
    scalar = (types[0][0], ())
    return get_default_graph().create("LeastSquares", [*inputs, *damping], lambda *xs: xs, [scalar, *types, scalar],
                                      fields=Fields(captures=captures, region=region, writes=writes))  # fmt: skip


def _damping(emitter: Any, regularizer: Any) -> Any:
    if not isinstance(regularizer, (Tensor, Variable)):
        return regularizer
    found: _tensor.Tensor = emitter.value(as_tensor(regularizer))
    return found


def _check(inside: Sequence[Operation]) -> None:
    for op in inside:
        if op.fields.writes:
            raise ValueError(f"residuals of least squares may not assign: found '{op.name}'")
