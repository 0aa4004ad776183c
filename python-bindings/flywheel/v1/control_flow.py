# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops."""

from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from .. import _ops, control
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._ops import checks as _checks
from .conversion import as_tensor, constant
from .elementwise import TABLE
from .graph import get_default_graph
from .operation import Fields, Loops, Operation, Tensor
from .ops import identity, stop_gradient
from .sizes import of_size
from .structures import flatten, pack
from .tensor_arrays import TensorArray, with_shapes


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False, name: Optional[str] = None,
         fn1: Any = None, fn2: Any = None) -> Any:  # fmt: skip
    """Returns the results of one of two functions; only the ops of that one run."""
    from .emission import captures_of, inner_ops

    graph = get_default_graph()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    condition = as_tensor(pred)
    if not condition.dtype.is_bool:
        raise TypeError(f"the condition of tf.cond must be a boolean scalar, found {condition!r}")
    contexts, results, forms = [], [], []
    for function in (true_fn or fn1, false_fn or fn2):
        with graph.context("cond") as context:
            made = function()
            flat = flatten(made)
            if any(x is None for x in flat):
                raise ValueError("true_fn and false_fn must return tensors or ops, found None")
            results.append([_after(x) for x in flat])
        contexts.append(context)
        forms.append(made)
    if len(results[0]) != len(results[1]):
        raise ValueError("true_fn and false_fn must return the same number of results, found "
                         f"{len(results[0])} and {len(results[1])}")  # fmt: skip
    for a, b in zip(*results):
        if a.dtype != b.dtype:
            raise TypeError(f"Outputs of true_fn and false_fn must have the same type: {a.dtype.name}, {b.dtype.name}")
    captures, writes = [], []
    for context, outputs in zip(contexts, results):
        inside, outside = inner_ops(context, [x.op for x in outputs])
        captures += captures_of(context, [x.op for x in outputs])
        captures += [op.outputs[0] for op in outside if op.outputs]
        writes += [v for op in inside for v in op.fields.writes]

    def region(emitter: Any, op: Operation) -> Any:
        branches = [(lambda c=c, r=r: tuple(emitter.region(c, r))) for c, r in zip(contexts, results)]
        decision = emitter.decided.get(op.id)
        if decision is not None:
            return list(branches[0 if decision else 1]())
        return list(control.cond(emitter.value(op.inputs[0]), *branches))

    within = [_loops_in(context, outputs) for context, outputs in zip(contexts, results)]

    def counted(emitter: Any, op: Operation) -> Any:
        """Emits the branches with the numbers of iterations of the loops in them, and then their results."""

        def branch(which: int) -> Any:
            found: Dict[Operation, List[Any]] = {}
            made = emitter.region(contexts[which], results[which], None, found)
            own = [x for one in found.values() for x in one]
            # The loops of the branch that does not run have none.
            others = [_ops.zeros([], _dtypes.int32) for _ in within[1 - which]]
            return (*own, *others, *made) if which == 0 else (*others, *own, *made)

        decision = emitter.decided.get(op.id)
        if decision is not None:
            return list(branch(0 if decision else 1))
        return list(control.cond(emitter.value(op.inputs[0]), lambda: branch(0), lambda: branch(1)))

    types = [(a.dtype, a.static_shape if a.static_shape == b.static_shape else None) for a, b in zip(*results)]
    op = graph.create("cond", [condition], lambda x: x, types, name,
                      Fields(captures=captures, region=region, writes=list(dict.fromkeys(writes))))  # fmt: skip
    _count_loops(op, [condition], captures, [*within[0], *within[1]], counted)
    # As TensorFlow has it, a list of one is that one.
    is_single = isinstance(made, (list, tuple)) and len(made) == 1 and not strict
    return op.outputs[0] if is_single else pack(forms[0], list(op.outputs))


def _loops_in(context: Any, outputs: Sequence[Tensor]) -> List[Operation]:
    """Returns the loops without a bound in a branch or a body, also those in branches and bodies of it."""
    from .emission import inner_ops

    return [loop for one in inner_ops(context, [x.op for x in outputs])[0]
            if one.fields.loops is not None for loop in one.fields.loops.ops]  # fmt: skip


def _count_loops(op: Operation, inputs: Sequence[Tensor], captures: Any, loops: List[Operation], counted: Any) -> None:
    """Lets gradients find the numbers of iterations of these loops, which an op is or has in it."""
    if not loops:
        return
    graph = op.graph

    def bounded() -> List[Tensor]:
        """Returns sizes that are at least the numbers of iterations, which a part of the run before finds: a gradient
        keeps the values that each begins with. One program is for all numbers up to a size, and sizes double."""
        if loops[0].fields.bound is None:
            # They wait for nothing that an optimizer waits for: they are known before the run.
            with graph.control_dependencies(None):
                fields = Fields(captures=captures, region=lambda emitter, _: counted(emitter, op)[: len(loops)])
                numbers = graph.create("LoopCount", inputs, lambda *_: (), [(_dtypes.int32, ()) for _ in loops],
                                       fields=fields).outputs  # fmt: skip
            for loop, number in zip(loops, numbers):
                loop.fields = loop.fields._replace(bound=of_size(number, doubles=True))
        return [loop.fields.bound for loop in loops if loop.fields.bound is not None]

    own = Loops(loops, counted, None if graph._open.contexts else bounded)
    op.fields = op.fields._replace(loops=own)


def _after(value: Any) -> Tensor:
    if not isinstance(value, Operation):
        return identity(value)
    with get_default_graph().control_dependencies([value]):
        return identity(constant(True))


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: Optional[str] = None,
    maximum_iterations: Optional[int] = None,
) -> Any:  # fmt: skip
    """Runs the body as long as the condition holds. The gradient of a loop that does not count from a number to a
    number, and that has no `maximum_iterations`, counts the iterations first, and those of loops in it: that runs the
    loop once more in the runs that need the gradient. With `back_prop=False` there is no gradient. `shape_invariants`
    has no effect: each variable keeps the shape that it has before the loop."""
    from .emission import captures_of

    graph = get_default_graph()
    leaves = flatten(loop_vars)
    arrays = [x for x in leaves if isinstance(x, TensorArray)]

    def called(function: Callable[..., Any], states: Sequence[Any]) -> Any:
        own = [x._with(s) if isinstance(x, TensorArray) and s is not None else x if s is None else s
               for x, s in zip(leaves, states)]  # fmt: skip
        packed = pack(loop_vars, own)
        return function(*packed) if isinstance(loop_vars, (list, tuple)) else function(packed)

    def variable(x: Tensor) -> Tensor:
        return graph.create("LoopVariable", [], None, [(x.dtype, x.static_shape)]).outputs[0]

    def probe() -> Any:
        with graph.context("while"):
            own = [None if isinstance(x, TensorArray) else variable(as_tensor(x)) for x in leaves]
            made = flatten(called(body, own))
        return [new for old, new in zip(leaves, made) if isinstance(old, TensorArray)]

    if arrays:
        with_shapes(arrays, probe)
    init = [_carried(x) for x in leaves]
    if not init:
        raise ValueError("No loop variables provided")
    contexts, states, outputs = [], [], []
    for function in (cond, body):
        with graph.context("while") as context:
            state = [variable(x) for x in init]
            outputs.append([identity(_carried(x)) for x in flatten(called(function, state))])
        contexts.append(context)
        states.append(state)
    if len(outputs[0]) != 1 or not outputs[0][0].dtype.is_bool:
        raise TypeError(f"The condition of a loop must return a boolean scalar, found {outputs[0]}")
    if len(outputs[1]) != len(init):
        raise ValueError(f"The body of a loop must return {len(init)} values, found {len(outputs[1])}")
    for old, new in zip(init, outputs[1]):
        _check_invariant(old, new)
    captures = [y for context, results in zip(contexts, outputs) for y in captures_of(context, [x.op for x in results])]
    # The number of iterations, if it is known, and else the largest one, if it is.
    trips = _count(init, states, outputs)
    if trips is not None and isinstance(maximum_iterations, (int, np.integer)):
        trips = min(trips, max(int(maximum_iterations), 0))
    inner = _loops_in(contexts[1], outputs[1])

    def part(emitter: Any, which: int, values: Any, counts: Any = None) -> Any:
        own = {x.op.id: [v] for x, v in zip(states[which], values)}
        return emitter.region(contexts[which], outputs[which], own, counts)

    def emit(emitter: Any, start: Any, step: Callable[[Any], Any], first: int, limit: Any) -> Any:
        """Emits the loop over states, of which those of the program begin with number `first`."""
        if trips is not None:
            return list(control.fori_loop(0, trips, lambda _, s: step(s), start))
        return list(control.while_loop(lambda s: part(emitter, 0, s[first:])[0], step, start, max_iterations=limit))

    def region(emitter: Any, op: Operation) -> Any:
        values = [emitter.value(x) for x in op.inputs]
        known = op.fields.bound
        # It is known in the runs that need a gradient.
        is_counted = known is not None and known.op.id in emitter.env
        limit = _ops.cast(_ops.shape(emitter.value(known))[0], _dtypes.int32) if is_counted else maximum_iterations
        last = emit(emitter, values, lambda s: list(part(emitter, 1, s)), 0, limit)
        if is_counted:
            left = _ops.cast(part(emitter, 0, last)[0], _dtypes.int32)
            _checks.expect_equal(_ops.shapes.to_index(left), 0, f"'{op.name}' is to run longer than when its "
                                 "iterations were counted: iterations that are left")  # fmt: skip
        return last

    def counted(emitter: Any, op: Operation) -> Any:
        """Emits the loop with the numbers of iterations of `loops`, the largest of those in it, and then its states."""
        own, number = len(loops) - len(inner), len(loops)

        def step(s: Any) -> Any:
            found: Dict[Operation, List[Any]] = {}
            made = part(emitter, 1, s[number:], found)
            # Each loop of the body comes before those in it.
            new = [x for one in found.values() for x in one]
            most = [_ops.maximum(a, b) for a, b in zip(s[own:number], new)]
            return [*[_ops.add(x, 1) for x in s[:own]], *most, *made]

        start = [*[_ops.zeros([], _dtypes.int32) for _ in loops], *[emitter.value(x) for x in op.inputs]]
        return emit(emitter, start, step, number, maximum_iterations)

    types = [(x.dtype, x.static_shape) for x in init]
    op = graph.create("while", init, lambda *xs: xs, types, name, Fields(captures=captures, region=region))
    # The loops without a bound: this one, and those in it.
    loops = [*([op] if trips is None and maximum_iterations is None else []), *inner]
    _count_loops(op, init, captures, loops, counted)
    results = op.outputs if back_prop else [stop_gradient(y) for y in op.outputs]
    found = [x._with(y) if isinstance(x, TensorArray) else y for x, y in zip(leaves, results)]
    return found[0] if len(found) == 1 else pack(loop_vars, found)


def _carried(x: Any) -> Tensor:
    """Returns the tensor that a loop carries for a variable: all elements of a TensorArray."""
    return x._all() if isinstance(x, TensorArray) else as_tensor(x)


def _check_invariant(old: Tensor, new: Tensor) -> None:
    """Raises TypeError or ValueError where a body gives another type for a variable."""
    if old.dtype != new.dtype:
        raise TypeError(f"The body of a loop must keep the dtype of '{old.name}', {_dtypes.name_of(old.dtype)}, found "
                        f"{_dtypes.name_of(new.dtype)}")  # fmt: skip
    a, b = old.static_shape, new.static_shape
    if a is not None and b is not None and (len(a) != len(b)
                                            or any(None not in (n, m) and n != m for n, m in zip(a, b))):  # fmt: skip
        raise ValueError(f"The shape of '{old.name}' is not an invariant for the loop: it enters with {old.shape}, and "
                         f"the body gives {new.shape}. A tensor that grows is written into a TensorArray, or a tensor "
                         "of its last size")  # fmt: skip


def _count(init: Any, states: Any, outputs: Any) -> Optional[int]:
    """Returns the number of iterations of a body that counts from a number to another one; None if that is not seen."""

    def source(x: Tensor) -> Tensor:
        while x.op.type == "Identity":
            x = x.op.inputs[0]
        return x

    def number(x: Tensor) -> Optional[int]:
        literal: Any = source(x).op.fields.literal
        is_one = literal is not None and literal.ndim == 0 and literal.dtype.kind in "iu"
        return int(literal) if is_one else None

    test = source(outputs[0][0]).op
    parts = [source(x) for x in test.inputs]
    if test.type not in ("Less", "LessEqual") or not parts or parts[0] not in states[0]:
        return None
    place = states[0].index(parts[0])
    given = test.fields.scalar or (0, None)
    limit = number(parts[1]) if len(parts) == 2 else given[1] if given[0] == 1 else None
    first, step = number(init[place]), source(outputs[1][place]).op
    counts = step.type in ("add", "Add") and states[1][place] in map(source, step.inputs)
    if limit is None or first is None or not counts:
        return None
    rest = [number(x) for x in step.inputs if source(x) is not states[1][place]]
    by: Any = rest[0] if len(rest) == 1 else (step.fields.scalar or (0, None))[1]
    if by is None or by <= 0:
        return None
    total = int(limit) - first + (test.type == "LessEqual")
    return max(-(-total // int(by)), 0)


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """Returns the results of the function of a number, a list's or a dict's, else those of `default`: by default the
    one of the largest number."""
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(enumerate(branch_fns))
    pairs = [one if isinstance(one[1], tuple) is False else one[1] for one in pairs]
    if not pairs:
        raise ValueError("branch_fns: expected at least one function")
    pairs.sort(key=lambda one: one[0])
    index, other = as_tensor(branch_index), default or pairs[-1][1]

    def choose(place: int) -> Any:
        if place == len(pairs):
            return other()
        number, function = pairs[place]
        return cond(TABLE["equal"](index, number), function, lambda: choose(place + 1))

    return choose(0)


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """Returns the results of the first function whose condition holds, else those of `default`: by default the last of
    the functions."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not pairs:
        raise about("case", ValueError("needs a pair of a condition and a function"), " ")
    if exclusive:
        raise about("flywheel.v1.case", NotImplementedError("exclusive"))
    if default is None:
        default = pairs.pop()[1]

    def choose(place: int) -> Any:
        if place == len(pairs):
            return default()
        condition, function = pairs[place]
        return cond(condition, function, lambda: choose(place + 1), strict=strict)

    return choose(0)
