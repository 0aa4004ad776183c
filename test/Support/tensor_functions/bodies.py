# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops with bodies: generics, branches and loops."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from graphs.graph import Node
from harness import Rng, choose
from tensor_functions.function import DTYPES, FLOATS, INTEGERS, Array, Function, register, wide

BODY: Dict[str, Tuple[Sequence[str], int, Callable[..., Any]]] = {
    "arith.addf": (FLOATS, 2, lambda x, y: x + y),
    "arith.subf": (FLOATS, 2, lambda x, y: x - y),
    "arith.mulf": (FLOATS, 2, lambda x, y: x * y),
    "arith.maximumf": (FLOATS, 2, np.maximum),
    "math.sin": (FLOATS, 1, wide(np.sin)),
    "math.tanh": (FLOATS, 1, wide(np.tanh)),
    "arith.negf": (FLOATS, 1, lambda x: -x),
    "arith.addi": (INTEGERS, 2, lambda x, y: x + y),
    "arith.muli": (INTEGERS, 2, lambda x, y: x * y),
    "arith.xori": (INTEGERS, 2, lambda x, y: x ^ y),
    "arith.maxsi": (INTEGERS, 2, np.maximum),
}


def draw_body(
    rng: Rng, element: str, kind: str, inputs: Sequence[str], tag: str
) -> Tuple[List[str], str, Callable[..., Array]]:
    """A few ops on values of one type: lines, the name of the last result, and what
    they compute."""
    dtype = DTYPES[element]
    names, steps, lines = list(inputs), [], []
    for index in range(int(rng.integers(1, 4))):
        op = choose(rng, [op for op, (elements, _, _) in BODY.items() if element in elements])
        operands = [int(rng.integers(len(names))) for _ in range(BODY[op][1])]
        name = f"%{tag}{{n}}_{index}"
        lines.append(f"  {name} = {op} {', '.join(names[i] for i in operands)} : {kind}")
        names.append(name)
        steps.append((BODY[op][2], operands))

    def compute(*arrays: Array) -> Array:
        values = list(arrays)
        for function, operands in steps:
            values.append(np.asarray(function(*(values[i] for i in operands))).astype(dtype))
        return values[-1]

    return lines, names[-1], compute


@register("linalg.generic")
def make_generic(f: Function, rng: Rng) -> Optional[Node]:
    """Elementwise, of operands that are transposed or lack dimensions; perhaps summed."""
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    if x is None:
        return None
    others = [node for node in f.nodes if node.element == x.element and node.rank <= x.rank]
    maps, operands = [list(range(x.rank))], [x]
    for _ in range(int(rng.integers(0, 3))):
        y = choose(rng, others)
        dims: List[int] = []
        for dim_size in y.shape:
            fitting = [d for d in range(x.rank) if x.shape[d] == dim_size and d not in dims]
            if not fitting:
                break
            dims.append(choose(rng, fitting))
        if len(dims) == y.rank:
            maps.append(dims)
            operands.append(y)
    summed = [d for d in range(x.rank) if rng.integers(3) == 0]
    kept = [int(d) for d in rng.permutation([d for d in range(x.rank) if d not in summed])]
    shape, element = [x.shape[d] for d in kept], x.element
    inputs = [f"%g{{n}}_{i}" for i in range(len(operands))]
    body, result, compute = draw_body(rng, element, element, inputs, "h")
    lines, empty = f.empty(shape, element)
    add = "arith.addf" if element in FLOATS else "arith.addi"
    if summed:
        zero = "0.0" if element in FLOATS else "0"
        lines += [
            f"%z{{n}} = arith.constant {zero} : {element}",
            f"%f{{n}} = linalg.fill ins(%z{{n}} : {element}) outs({empty} : {{Y}}) -> {{Y}}",
        ]
        empty = "%f{n}"
        body.append(f"  %t{{n}} = {add} {result}, %acc{{n}} : {element}")
        result = "%t{n}"
    order = ", ".join(f"d{d}" for d in range(x.rank))
    texts = [f"affine_map<({order}) -> ({', '.join(f'd{d}' for d in dims)})>" for dims in [*maps, kept]]
    kinds = ", ".join('"reduction"' if d in summed else '"parallel"' for d in range(x.rank))
    letters = "abcdefgh"[: len(operands)]
    blocks = ", ".join(f"{name}: {element}" for name in [*inputs, "%acc{n}"])
    lines += [
        f"{{y}} = linalg.generic {{{{indexing_maps = [{', '.join(texts)}], iterator_types = [{kinds}]}}}} "
        f"ins({', '.join(f'{{{c}}}' for c in letters)} : {', '.join(f'{{{c.upper()}}}' for c in letters)}) "
        f"outs({empty} : {{Y}}) {{{{",
        f"^bb0({blocks}):",
        *body,
        f"  linalg.yield {result} : {element}",
        "}} -> {Y}",
    ]

    def generic(*arrays: Array) -> Array:
        sizes = arrays[0].shape
        views = []
        for array, dims in zip(arrays, maps):
            moved = np.transpose(array, np.argsort(dims)) if dims else array
            full = [sizes[d] if d in dims else 1 for d in range(len(sizes))]
            views.append(np.broadcast_to(moved.reshape(full), sizes))
        values = compute(*views)
        if summed:
            values = values.astype(np.float64) if element in FLOATS else values
            values = values.sum(tuple(summed), keepdims=True, dtype=values.dtype)
        return np.transpose(np.squeeze(values, tuple(summed)), np.argsort(np.argsort(kept)) if kept else None)

    return f.add("linalg.generic", shape, element, lines, operands, generic)


def flag_of(f: Function, rng: Rng) -> Node:
    """A boolean that decides."""
    flags = [node for node in f.nodes if node.element == "i1" and node.rank == 0]
    return choose(rng, flags) if flags and rng.integers(2) else f.feed((), "i1")


@register("scf.if")
def make_branch(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS)
    y = x and f.pick(rng, x.element, of=x)
    if x is None or y is None:
        return None
    flag = flag_of(f, rng)
    kind = x.type
    first, left, then = draw_body(rng, x.element, kind, ["{a}", "{b}"], "h")
    second, right, other = (
        draw_body(rng, x.element, kind, ["{a}", "{b}"], "k") if rng.integers(2) else ([], "{b}", lambda u, v: v)
    )
    lines = [
        "%c{n} = tensor.extract {c}[] : {C}",
        "{y} = scf.if %c{n} -> {A} {{",
        *first,
        f"  scf.yield {left} : {{A}}",
        "}} else {{",
        *second,
        f"  scf.yield {right} : {{A}}",
        "}}",
    ]
    return f.add("scf.if", x.shape, x.element, lines, [x, y, flag], lambda u, v, c: then(u, v) if c else other(u, v))


@register("scf.for")
def make_loop(f: Function, rng: Rng) -> Optional[Node]:
    """A carried tensor, and one that it meets in each iteration; the trip count is a
    number or a feed."""
    x = f.pick(rng, *FLOATS, *INTEGERS)
    y = x and f.pick(rng, x.element, of=x)
    if x is None or y is None:
        return None
    body, result, compute = draw_body(rng, x.element, x.type, ["%c{n}", "{b}"], "h")
    lines = ["%l{n} = arith.constant 0 : index", "%s{n} = arith.constant 1 : index"]
    operands = [x, y]
    trips = int(rng.integers(0, 5))
    if rng.integers(2):
        operands.append(f.feed((), "i64", 5))
        lines += ["%m{n} = tensor.extract {c}[] : {C}", "%n{n} = arith.index_cast %m{n} : i64 to index"]
    else:
        lines.append(f"%n{{n}} = arith.constant {trips} : index")
    lines += [
        "{y} = scf.for %i{n} = %l{n} to %n{n} step %s{n} iter_args(%c{n} = {a}) -> ({A}) {{",
        *body,
        f"  scf.yield {result} : {{A}}",
        "}}",
    ]

    def loop(u: Array, v: Array, *count: Array) -> Array:
        for _ in range(int(count[0]) if count else trips):
            u = compute(u, v)
        return u

    return f.add("scf.for", x.shape, x.element, lines, operands, loop)
