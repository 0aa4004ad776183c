# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of tensors of the graph."""

import functools
from typing import Any, Iterator, List, Optional, Sequence, Set

from .. import _ops, transforms
from .._errors.messages import about
from .conversion import as_tensor, make
from .graph import get_default_graph
from .operation import Fields, Gradient, Operation, Tensor

# Ops of floating-point tensors that have no gradient, as in TensorFlow (G2).
_CONSTANT = frozenset([
    "Ceil", "Floor", "Floordiv", "OnesLike", "ReadValue", "Rint", "Round", "StopGradient", "Truncatediv", "VariableV2",
    "ZeroFraction", "ZerosLike", "floordiv",
])  # fmt: skip


def _connects(op: Operation) -> bool:
    """Returns true if an op has a gradient. An assignment has none, and neither has what Python computes."""
    fields = op.fields
    if fields.own_gradient is not None:
        return True
    writes = fields.writes and fields.region is None
    return op.type not in _CONSTANT and not writes and fields.host_call is None


def sources_of(op: Operation) -> List[Tensor]:
    """Returns the tensors to which gradients propagate from the results of an op."""
    return op.operands if _connects(op) else []


def visit(ys: Sequence[Tensor], stops: Any) -> Iterator[Tensor]:
    """Yields the floating-point tensors that these depend on, without those before `stops`."""
    left, seen, ends = list(ys), set(), set(stops)
    while left:
        y = left.pop()
        if y in seen or not y.dtype.is_floating:
            continue
        seen.add(y)
        yield y
        if y not in ends:
            left += sources_of(y.op)


def reaches(ys: Sequence[Tensor], x: Tensor, stops: Any) -> bool:
    """Returns true if a y depends on x by floating-point tensors."""
    return any(y is x for y in visit(ys, stops))


def as_list(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: str = "gradients", colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False, aggregation_method: Any = None, stop_gradients: Any = None,
    unconnected_gradients: str = "none",
) -> List[Any]:  # fmt: skip
    """The gradient of the sum of the ys with respect to each x. One that no y depends on has None, or zeros with
    `unconnected_gradients="zero"`."""
    if unconnected_gradients not in ("none", "zero"):
        raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}")
    if unconnected_gradients == "zero":
        from .elementwise import TABLE

        each = gradients(ys, xs, grad_ys, name, stop_gradients=stop_gradients)
        return [TABLE["zeros_like"](x) if one is None else one for x, one in zip(as_list(xs), each)]
    roots = [as_tensor(y) for y in as_list(ys)]
    targets = [as_tensor(x) for x in as_list(xs)]
    stops = [] if stop_gradients is None else [as_tensor(x) for x in as_list(stop_gradients)]
    weights = [None] * len(roots) if grad_ys is None else as_list(grad_ys)
    if len(weights) != len(roots):
        raise ValueError(f"Must pass one grad_y for each y: expected {len(roots)}, found {len(weights)}")
    for y, w in zip(roots, weights):
        a, b = y.static_shape, None if w is None else as_tensor(w).static_shape
        if a is not None and b is not None and (len(a) != len(b) or any(
                n != m and None not in (n, m) for n, m in zip(a, b))):  # fmt: skip
            raise ValueError(f"Shapes {y.shape} of '{y.name}' and {as_tensor(w).shape} of its grad_ys are incompatible")
    known = set(visit(roots, stops))
    explicit = sorted((y for y in known if y.op.type == "ReadValue"), key=lambda y: y.op.id)
    reads = [[y for y in explicit if y.op.variable is _variable_of(x)] for x in as_list(xs)]
    if any(reads):
        # A variable has the sum of the gradients of its reads, each of which is apart from the others.
        each = [one for x, own in zip(targets, reads) for one in (x, *own)]
        parts = gradients(ys, each, grad_ys, name, stop_gradients=[*stops, *(y for own in reads for y in own)])
        found = iter(parts)
        return [_sum_of([next(found) for _ in range(1 + len(own))]) for own in reads]
    bounds = bound_loops(known)
    reached = [x in known for x in targets]
    wrt = [x for x, is_reached in zip(targets, reached) if is_reached]
    if not wrt:
        return [None] * len(targets)
    mark([*wrt, *stops])
    given = [as_tensor(w) for w in weights if w is not None]
    n, m, k = len(roots), len(wrt), len(given)

    def emit(*values: Any) -> Any:
        own = iter(values[n + m : n + m + k])
        weighted = None if not k else [None if w is None else next(own) for w in weights]
        ys, xs, fixed = list(values[:n]), list(values[n : n + m]), list(values[n + m + k :])

        def of(chosen: Sequence[int], constants: List[Any]) -> Any:
            return transforms.gradients(ys, [xs[i] for i in chosen], weighted, stop_gradients=constants,
                                        unconnected="zero")  # fmt: skip

        # A target may be a constant for the others.
        plain = [i for i, x in enumerate(wrt) if x not in stops]
        found = dict(zip(plain, of(plain, fixed))) if plain else {}
        for i, x in enumerate(wrt):
            if x in stops:
                found[i] = of([i], [c for c, stop in zip(fixed, stops) if stop is not x])[0]
        return [found[i] for i in range(m)]

    types = [(x.dtype, x.static_shape) for x in wrt]
    graph = get_default_graph()
    fields = Fields(gradient=Gradient(roots, wrt, weights, stops), captures=bounds)
    op = graph.create("gradients", [*roots, *wrt, *given, *stops], emit, types, name, fields)
    found = iter(op.outputs)
    return [next(found) if is_reached else None for is_reached in reached]


def _variable_of(x: Any) -> Any:
    """Returns a variable that is differentiated by, None for a tensor."""
    return x._as_graph_tensor().op.fields.variable if hasattr(x, "_as_graph_tensor") else None


def _sum(*xs: Any) -> Any:
    return functools.reduce(_ops.add, xs)


def _sum_of(parts: List[Any]) -> Any:
    known = [one for one in parts if one is not None]
    return None if not known else known[0] if len(known) == 1 else make("AddN", _sum, *known)


def bound_loops(reached: Set[Tensor]) -> List[Tensor]:
    """Returns what a run with a gradient needs besides: the numbers of iterations of loops that it propagates through,
    where they are not known."""
    if get_default_graph()._open.contexts:
        return []
    ops = sorted({y.op for y in reached}, key=lambda op: op.id)
    found = [op.fields.loops for op in ops if op.fields.loops is not None]
    return [bound for loops in found if loops.bounded is not None for bound in loops.bounded()]


def mark(wrt: Sequence[Tensor]) -> None:
    """Says that derivatives are with respect to these, or stop at them: what another tensor is the same value as, an
    identity or an equal constant, becomes one of its own where it is emitted."""
    for x in wrt:
        if x.op.type != "VariableV2":
            x.op.fields = x.op.fields._replace(is_wrt=True)


def jacobian(y: Tensor, x: Tensor) -> Optional[Tensor]:
    """The derivative of each element of y with respect to each of x, of shape y.shape + x.shape; None where y does
    not depend on x."""
    if not x.dtype.is_floating or not reaches([y], x, ()):
        return None
    mark([x])
    bounds = bound_loops(set(visit([y], ())))
    shape = None if y.static_shape is None or x.static_shape is None else (*y.static_shape, *x.static_shape)
    op = get_default_graph().create("jacobian", [y, x], transforms.jacobian_of, [(y.dtype, shape)],
                                    fields=Fields(captures=bounds))  # fmt: skip
    return op.outputs[0]


def hessians(
    ys: Any, xs: Any, name: str = "hessians", colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> List[Any]:  # fmt: skip
    """For each x the second derivatives of the sum of the ys, of shape x.shape + x.shape."""
    found = []
    for x in as_list(xs):
        gradient = gradients(ys, x)[0]
        if gradient is None:
            raise about("hessians", ValueError(f"no y depends on {x!r}"))
        found.append(jacobian(gradient, as_tensor(x)))
    return found


def rows_of(gradient: Tensor, table: Tensor) -> bool:
    """Returns true if a gradient is that of a table which is only looked up: it then has few nonzero rows."""
    while gradient.op.fields.scaled is not None:
        gradient = as_tensor(gradient.op.fields.scaled.of)
    own = gradient.op.fields.gradient
    return own is not None and own.wrt[gradient.index] is table and bool(_lookups(own.roots, table))


def slices_of(gradient: Tensor) -> List[Tensor]:
    """Returns the gradients of the lookups of which that of a table is the sum, where a row that is looked up twice is
    there twice: the values of TensorFlow's `IndexedSlices`, as in its norms. Another gradient is the only one."""
    from .elementwise import TABLE
    from .precision import rounded

    scaled, own = gradient.op.fields.scaled, gradient.op.fields.gradient
    if scaled is not None:
        inner = as_tensor(scaled.of)
        slices = slices_of(inner)
        if slices[0] is not inner:
            return [TABLE["multiply"](one, rounded(scaled.scale, one.dtype.dtype)) for one in slices]
    if own is None:
        return [gradient]
    lookups = _lookups(own.roots, own.wrt[gradient.index])
    if not lookups:
        return [gradient]
    return gradients(own.roots, lookups, own.weights, "slices", stop_gradients=own.stops or None)


def _lookups(roots: Sequence[Tensor], table: Tensor) -> List[Tensor]:
    """Returns the lookups in a table on which the roots of a gradient depend; none if they depend on the table in
    another way."""
    found: List[Tensor] = []
    seen: Set[Operation] = set()
    for y in visit(roots, ()):
        if y is table or y.op in seen:
            continue
        seen.add(y.op)
        places = [i for i, x in enumerate(y.op.operands) if x is table]
        if places and not (places == [0] and y.op.fields.looks_up):
            return []
        if places:
            found.append(y)
    return [] if table in roots else sorted(found, key=lambda y: y.op.id)
