# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops."""

from typing import Any, Callable, Optional

from .. import control
from .conversion import as_tensor, constant
from .graph import get_default_graph
from .operation import Operation, Tensor
from .ops import identity
from .structures import flatten, pack


def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False, name: Optional[str] = None,
         fn1: Any = None, fn2: Any = None) -> Any:  # fmt: skip
    """What one of two functions gives; only its ops run."""
    from .session import inner_ops

    graph = get_default_graph()
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
            raise TypeError(f"Outputs of true_fn and false_fn must have the same type: {a.dtype}, {b.dtype}")
    captures, writes = [], []
    for context, outputs in zip(contexts, results):
        inside, outside = inner_ops(context, [x.op for x in outputs])
        captures += [x for op in inside for x in op.inputs if x.op in outside]
        captures += [op.outputs[0] for op in outside if op.outputs]
        writes += [v for op in inside for v in op.attrs.get("writes", ())]

    def region(emitter: Any, op: Operation) -> Any:
        branches = [(lambda c=c, r=r: tuple(emitter.region(c, r))) for c, r in zip(contexts, results)]
        return list(control.cond(emitter.value(op.inputs[0]), *branches))

    types = [(a.dtype, a.static_shape if a.static_shape == b.static_shape else None) for a, b in zip(*results)]
    op = graph.create("cond", [as_tensor(pred)], lambda x: x, types, name, captures=captures, region=region,
                      writes=list(dict.fromkeys(writes)))  # fmt: skip
    # As TensorFlow has it, a list of one is that one.
    is_single = isinstance(made, (list, tuple)) and len(made) == 1 and not strict
    return op.outputs[0] if is_single else pack(forms[0], list(op.outputs))


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
    """Runs the body as long as the condition holds. A gradient needs `maximum_iterations`."""
    from .session import inner_ops

    graph = get_default_graph()
    init = [as_tensor(x) for x in flatten(loop_vars)]
    if not init:
        raise ValueError("No loop variables provided")
    contexts, states, outputs = [], [], []
    for function in (cond, body):
        with graph.context("while") as context:
            state = [graph.create("LoopVariable", [], None, [(x.dtype, x.static_shape)]).outputs[0] for x in init]
            packed = pack(loop_vars, list(state))
            made = function(*packed) if isinstance(loop_vars, (list, tuple)) else function(packed)
            outputs.append([identity(x) for x in flatten(made)])
        contexts.append(context)
        states.append(state)
    if len(outputs[1]) != len(init):
        raise ValueError(f"The body of a loop must return {len(init)} values, found {len(outputs[1])}")
    captures = []
    for context, results in zip(contexts, outputs):
        inside, outside = inner_ops(context, [x.op for x in results])
        captures += [x for op in inside for x in op.inputs if x.op in outside]

    def region(emitter: Any, op: Operation) -> Any:
        def part(which: int, values: Any) -> Any:
            own = {x.op.id: [v] for x, v in zip(states[which], values)}
            return emitter.region(contexts[which], outputs[which], own)

        values = [emitter.value(x) for x in op.inputs]
        return control.while_loop(lambda s: part(0, s)[0], lambda s: list(part(1, s)), values,
                                  max_iterations=maximum_iterations)  # fmt: skip

    types = [(x.dtype, x.static_shape) for x in init]
    op = graph.create("while", init, lambda *xs: xs, types, name, captures=captures, region=region)
    return op.outputs[0] if len(op.outputs) == 1 else pack(loop_vars, list(op.outputs))


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """What the function gives whose condition is the first to hold, else what `default` gives: by default the last
    of the functions."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not pairs:
        raise ValueError("case needs a pair of a condition and a function")
    if exclusive:
        raise NotImplementedError("flywheel.v1.case: exclusive")
    if default is None:
        default = pairs.pop()[1]

    def choose(place: int) -> Any:
        if place == len(pairs):
            return default()
        condition, function = pairs[place]
        return cond(condition, function, lambda: choose(place + 1), strict=strict)

    return choose(0)
