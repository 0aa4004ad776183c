# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of random graphs.

Each entry of `OPS` appends an op to a graph, with operands that it picks from
the values so far, and returns its result; or None where no values fit. Results
stay in [-2, 2] or so, away from overflow, and derivatives bounded: a difference
between two compilers is then rounding, or wrong.
"""

from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from graphs.graph import DimSize, Graph, Node, Shape

Maker = Callable[[Graph, np.random.Generator, List[Node]], Optional[Node]]

OPS: Dict[str, Maker] = {}
MAX_ELEMENTS = 4000


def register(name: str) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        OPS[name] = maker
        return maker
    return keep


def pick(rng: np.random.Generator, nodes: Sequence[Node]) -> Optional[Node]:
    """One of the nodes, a late one rather than an early one."""
    if not nodes:
        return None
    weights = np.arange(1, len(nodes) + 1) ** 1.5
    return nodes[rng.choice(len(nodes), p=weights / weights.sum())]


def pick_of(graph: Graph, rng: np.random.Generator, nodes: Sequence[Node],
            condition: Callable[[Node], bool]) -> Optional[Node]:
    return pick(rng, [node for node in nodes if node.element == graph.element and condition(node)])


def weight(graph: Graph, rng: np.random.Generator, shape: Sequence[int], fan_in: int = 4) -> Node:
    """A new variable."""
    values = rng.uniform(-1, 1, shape) / np.sqrt(fan_in)
    node = Node(f"%w{len(graph.weights)}", tuple(shape), graph.element)
    graph.weights.append((node, values))
    return node


# ---------------------------------------------------------------------------
# Elementwise
# ---------------------------------------------------------------------------

UNARY: Dict[str, Callable[[Any, Any], Any]] = {
    "math.tanh": lambda t, x: t.tanh(x),
    "math.sin": lambda t, x: t.sin(x),
    "math.cos": lambda t, x: t.cos(x),
    "math.erf": lambda t, x: t.erf(x),
    "math.atan": lambda t, x: t.atan(x),
    "math.absf": lambda t, x: t.abs(x),
    "arith.negf": lambda t, x: -x,
    "nn.relu": lambda t, x: t.relu(x),
    "nn.sigmoid": lambda t, x: t.sigmoid(x),
    "nn.softplus": lambda t, x: t.nn.functional.softplus(x, threshold=60),
    "nn.gelu": lambda t, x: t.nn.functional.gelu(x),
}


def make_unary(op: str) -> None:
    def make(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
        x = pick_of(graph, rng, nodes, lambda n: True)
        return x and graph.add(op, x.shape, [f"{{y}} = {op} {{a}} : {{A}}"], [x], UNARY[op])
    OPS[op] = make


for name in UNARY:
    make_unary(name)

BINARY: Dict[str, Callable[[Any, Any, Any], Any]] = {
    "arith.addf": lambda t, x, y: x + y,
    "arith.subf": lambda t, x, y: x - y,
    "arith.mulf": lambda t, x, y: x * y,
    "arith.maximumf": lambda t, x, y: t.where(x >= y, x, y),
    "arith.minimumf": lambda t, x, y: t.where(x <= y, x, y),
}


def make_binary(op: str) -> None:
    def make(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
        x = pick_of(graph, rng, nodes, lambda n: True)
        y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
        if x is None or y is None:
            return None
        return graph.add(op, x.shape, [f"{{y}} = {op} {{a}}, {{b}} : {{A}}"], [x, y], BINARY[op])
    OPS[op] = make


for name in BINARY:
    make_binary(name)


@register("arith.divf")
def make_division(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """x / (1 + |y|)."""
    x = pick_of(graph, rng, nodes, lambda n: True)
    y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
    if x is None or y is None:
        return None
    one = splat(graph, y, 1.0)
    size = graph.add("math.absf", y.shape, ["{y} = math.absf {a} : {A}"], [y], lambda t, v: t.abs(v))
    below = graph.add("arith.addf", y.shape, ["{y} = arith.addf {a}, {b} : {A}"], [size, one], lambda t, u, v: u + v)
    return graph.add("arith.divf", x.shape, ["{y} = arith.divf {a}, {b} : {A}"], [x, below], lambda t, u, v: u / v)


def splat(graph: Graph, like: Node, value: float) -> Node:
    """A constant in the shape of another value."""
    return graph.add("nn.broadcast", like.shape,
                     [f"%s{{n}} = arith.constant dense<{value}> : tensor<{{T}}>",
                      "{y} = nn.broadcast %s{n} dims [] like {a} : (tensor<{T}>, {A}) -> {Y}"],
                     [like], lambda t, x: t.full_like(x, value))


@register("arith.select")
def make_select(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: True)
    y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
    if x is None or y is None:
        return None
    bound = splat(graph, x, 0.25)
    return graph.add("arith.select", x.shape,
                     ["%c{n} = arith.cmpf olt, {a}, {c} : {A}",
                      "%d{n} = arith.mulf {a}, {b} : {A}",
                      "{y} = arith.select %c{n}, {b}, %d{n} : " + f"{x.type.replace(x.element, 'i1')}, {{A}}"],
                     [x, y, bound], lambda t, u, v, w: t.where(u < w, v, u * v))


@register("casts")
def make_casts(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """To f64 and back: exact."""
    if graph.element != "f32":
        return None
    x = pick_of(graph, rng, nodes, lambda n: True)
    if x is None:
        return None
    wide = x.type.replace("f32", "f64")
    return graph.add("casts", x.shape,
                     [f"%e{{n}} = arith.extf {{a}} : {{A}} to {wide}", f"%m{{n}} = math.sin %e{{n}} : {wide}",
                      f"{{y}} = arith.truncf %m{{n}} : {wide} to {{A}}"],
                     [x], lambda t, v: t.sin(v.double()).to(v.dtype))


# ---------------------------------------------------------------------------
# Contractions
# ---------------------------------------------------------------------------

@register("nn.dense")
def make_dense(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank == 2 and n.shape[1] != "B")
    if x is None:
        return None
    k, n = int(x.shape[1]), int(rng.choice([1, 3, 8, 17, 33]))
    w, b = weight(graph, rng, (k, n), k), weight(graph, rng, (n,))
    return graph.add("nn.dense", (x.shape[0], n), ["{y} = nn.dense {a}, {b}, {c} : ({A}, {B}, {C}) -> {Y}"],
                     [x, w, b], lambda t, u, v, c: u @ v + c)


@register("nn.matmul")
def make_matmul(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """A product of values or with a weight, in any transposition, scaled down."""
    ta, tb = bool(rng.integers(2)), bool(rng.integers(2))
    a = pick_of(graph, rng, nodes, lambda n: n.rank == 2)
    if a is None:
        return None
    k, m = (a.shape[0], a.shape[1]) if ta else (a.shape[1], a.shape[0])
    if k == "B" or rng.integers(2):
        b = pick_of(graph, rng, nodes, lambda n: n.rank == 2 and n.shape[1 if tb else 0] == k)
    else:
        width = int(rng.choice([1, 2, 9, 16]))
        b = weight(graph, rng, (width, int(k)) if tb else (int(k), width), int(k))
    if b is None:
        return None
    n = b.shape[0] if tb else b.shape[1]
    flags = ", ".join(flag for flag, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
    product = graph.add("nn.matmul", (m, n),
                        [f"{{y}} = nn.matmul {{a}}, {{b}} {{{{{flags}}}}} : ({{A}}, {{B}}) -> {{Y}}"],
                        [a, b], lambda t, u, v: (u.T if ta else u) @ (v.T if tb else v))
    return graph.add("math.tanh", product.shape, ["{y} = math.tanh {a} : {A}"], [product], lambda t, u: t.tanh(u))


# ---------------------------------------------------------------------------
# Reductions and softmax
# ---------------------------------------------------------------------------

REDUCTIONS: Dict[str, Callable[[Any, Any, Any, bool], Any]] = {
    "mean": lambda t, x, dims, keep: x.mean(dims, keepdim=keep),
    "max": lambda t, x, dims, keep: t.amax(x, dims, keepdim=keep),
    "min": lambda t, x, dims, keep: t.amin(x, dims, keepdim=keep),
}


@register("nn.reduce")
def make_reduce(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if x is None:
        return None
    axes = sorted(map(int, rng.choice(x.rank, int(rng.integers(1, x.rank + 1)), replace=False)))
    keep = bool(rng.integers(2))
    kind = str(rng.choice(list(REDUCTIONS)))
    shape: List[DimSize] = []
    for dim, dim_size in enumerate(x.shape):
        if dim not in axes:
            shape.append(dim_size)
        elif keep:
            shape.append(1)
    return graph.add("nn.reduce", shape,
                     [f"{{y}} = nn.reduce {kind} {{a}} axes {axes} {'keepdims ' if keep else ''}: {{A}} -> {{Y}}"],
                     [x], lambda t, u: REDUCTIONS[kind](t, u, axes, keep))


@register("nn.softmax")
def make_softmax(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    return x and graph.add("nn.softmax", x.shape, ["{y} = nn.softmax {a} : {A}"], [x],
                           lambda t, u: t.softmax(u, -1))


# ---------------------------------------------------------------------------
# Shapes
# ---------------------------------------------------------------------------

@register("nn.broadcast")
def make_broadcast(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Stretches a value, or a weight, to the shape of another, and adds them."""
    like = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if like is None:
        return None
    count = int(rng.integers(0, like.rank + 1))
    dims = sorted(map(int, rng.choice(like.rank, count, replace=False)))
    shape: Shape = tuple(1 if like.shape[d] == "B" or rng.integers(3) == 0 else like.shape[d] for d in dims)
    x = pick_of(graph, rng, nodes, lambda n: n.shape == shape)
    if x is None or rng.integers(2):
        x = weight(graph, rng, [int(dim_size) for dim_size in shape])

    def stretch(t: Any, u: Any, v: Any) -> Any:
        view = [1] * v.dim()
        for i, d in enumerate(dims):
            view[d] = u.shape[i]
        return u.reshape(view).expand(v.shape)

    wide = graph.add("nn.broadcast", like.shape,
                     [f"{{y}} = nn.broadcast {{a}} dims {dims} like {{b}} : ({{A}}, {{B}}) -> {{Y}}"],
                     [x, like], stretch)
    return graph.add("arith.addf", like.shape, ["{y} = arith.addf {a}, {b} : {A}"], [wide, like], lambda t, u, v: u + v)


@register("linalg.transpose")
def make_transpose(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2)
    if x is None:
        return None
    order = list(map(int, rng.permutation(x.rank)))
    shape = [x.shape[d] for d in order]
    sizes, lines = dynamic_sizes(x, order)
    return graph.add("linalg.transpose", shape,
                     [*lines, f"%e{{n}} = tensor.empty({sizes}) : {{Y}}",
                      f"{{y}} = linalg.transpose ins({{a}} : {{A}}) outs(%e{{n}} : {{Y}}) permutation = {order}"],
                     [x], lambda t, u: u.permute(order))


def dynamic_sizes(x: Node, order: Sequence[int]) -> Any:
    """The dynamic dimension sizes of `x`, in an order, and the lines that make them."""
    lines: List[str] = []
    names: List[str] = []
    for position, dim in enumerate(order):
        if x.shape[dim] == "B":
            lines += [f"%i{{n}}_{position} = arith.constant {dim} : index",
                      f"%z{{n}}_{position} = tensor.dim {{a}}, %i{{n}}_{position} : {{A}}"]
            names.append(f"%z{{n}}_{position}")
    return ", ".join(names), lines


@register("tensor.collapse_shape")
def make_collapse(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Merges the last two dimensions, static ones."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2 and "B" not in n.shape[-2:])
    if x is None:
        return None
    groups = [[d] for d in range(x.rank - 2)] + [[x.rank - 2, x.rank - 1]]
    shape = (*x.shape[:-2], int(x.shape[-2]) * int(x.shape[-1]))
    return graph.add("tensor.collapse_shape", shape,
                     [f"{{y}} = tensor.collapse_shape {{a}} {groups} : {{A}} into {{Y}}"],
                     [x], lambda t, u: u.reshape(*u.shape[:-2], -1))


@register("tensor.expand_shape")
def make_expand(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Splits the last dimension, a static one."""
    x = pick_of(graph, rng, nodes, lambda n: 1 <= n.rank <= 3 and n.shape[-1] != "B")
    if x is None:
        return None
    last = int(x.shape[-1])
    outer = int(rng.choice([d for d in range(1, last + 1) if last % d == 0]))
    groups = [[d] for d in range(x.rank - 1)] + [[x.rank - 1, x.rank]]
    shape = (*x.shape[:-1], outer, last // outer)
    _, lines = dynamic_sizes(x, range(x.rank - 1))
    names = [f"%z{{n}}_{d}" if dim_size == "B" else str(dim_size) for d, dim_size in enumerate(x.shape[:-1])]
    sizes = ", ".join([*names, str(outer), str(last // outer)])
    return graph.add("tensor.expand_shape", shape,
                     [*lines, f"{{y}} = tensor.expand_shape {{a}} {groups} output_shape [{sizes}] : {{A}} into {{Y}}"],
                     [x], lambda t, u: u.reshape(*u.shape[:-1], outer, last // outer))


@register("tensor.extract_slice")
def make_slice(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """A strided part of the last dimension, a static one."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and n.shape[-1] not in ("B", 1))
    if x is None:
        return None
    last = int(x.shape[-1])
    start = int(rng.integers(0, last))
    stride = int(rng.integers(1, 3))
    size = int(rng.integers(1, (last - start - 1) // stride + 2))
    _, lines = dynamic_sizes(x, range(x.rank - 1))
    sizes = [f"%z{{n}}_{d}" if dim_size == "B" else str(dim_size) for d, dim_size in enumerate(x.shape[:-1])]
    offsets = ", ".join(["0"] * (x.rank - 1) + [str(start)])
    strides = ", ".join(["1"] * (x.rank - 1) + [str(stride)])
    return graph.add("tensor.extract_slice", (*x.shape[:-1], size),
                     [*lines, f"{{y}} = tensor.extract_slice {{a}}[{offsets}] [{', '.join([*sizes, str(size)])}] "
                      f"[{strides}] : {{A}} to {{Y}}"],
                     [x], lambda t, u: u[..., start:start + (size - 1) * stride + 1:stride])


@register("tensor.concat")
def make_concat(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Two values side by side."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and n.shape[-1] != "B")
    y = x and pick_of(graph, rng, nodes, lambda n: n.shape[:-1] == x.shape[:-1] and n.rank == x.rank
                      and n.shape[-1] != "B")
    if x is None or y is None:
        return None
    shape = (*x.shape[:-1], int(x.shape[-1]) + int(y.shape[-1]))
    return graph.add("tensor.concat", shape,
                     [f"{{y}} = tensor.concat dim({x.rank - 1}) {{a}}, {{b}} : ({{A}}, {{B}}) -> {{Y}}"],
                     [x, y], lambda t, u, v: t.cat([u, v], -1))


@register("tensor.pad")
def make_pad(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and n.shape[-1] != "B")
    if x is None:
        return None
    low, high = int(rng.integers(0, 3)), int(rng.integers(0, 3))
    zeros = ", ".join(["0"] * (x.rank - 1))
    lows = ", ".join(filter(None, [zeros, str(low)]))
    highs = ", ".join(filter(None, [zeros, str(high)]))
    arguments = ", ".join(f"%p{{n}}_{d}: index" for d in range(x.rank))
    return graph.add("tensor.pad", (*x.shape[:-1], int(x.shape[-1]) + low + high),
                     ["%f{n} = arith.constant 0.5 : {T}", f"{{y}} = tensor.pad {{a}} low[{lows}] high[{highs}] {{{{",
                      f"^bb0({arguments}):", "tensor.yield %f{n} : {T}", "}} : {A} to {Y}"],
                     [x], lambda t, u: t.nn.functional.pad(u, (low, high), value=0.5))


# ---------------------------------------------------------------------------
# Control flow
# ---------------------------------------------------------------------------

@register("scf.for")
def make_loop(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """h := tanh(h * x + y), a few times."""
    x = pick_of(graph, rng, nodes, lambda n: True)
    y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
    if x is None or y is None:
        return None
    trips = int(rng.integers(1, 4))

    def loop(t: Any, u: Any, v: Any) -> Any:
        h = v
        for _ in range(trips):
            h = t.tanh(h * u + v)
        return h

    return graph.add("scf.for", x.shape,
                     ["%l{n} = arith.constant 0 : index", "%s{n} = arith.constant 1 : index",
                      f"%u{{n}} = arith.constant {trips} : index",
                      "{y} = scf.for %k{n} = %l{n} to %u{n} step %s{n} iter_args(%h{n} = {b}) -> ({B}) {{",
                      "%m{n} = arith.mulf %h{n}, {a} : {A}", "%a{n} = arith.addf %m{n}, {b} : {A}",
                      "%t{n} = math.tanh %a{n} : {A}", "scf.yield %t{n} : {A}", "}}"],
                     [x, y], loop)


@register("scf.if")
def make_branch(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """sin x, or x times y, as the mean of x is above 0 or not."""
    x = pick_of(graph, rng, nodes, lambda n: True)
    y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
    if x is None or y is None:
        return None
    axes = list(range(x.rank))
    return graph.add("scf.if", x.shape,
                     [f"%r{{n}} = nn.reduce mean {{a}} axes {axes} : {{A}} -> tensor<{{T}}>",
                      "%e{n} = tensor.extract %r{n}[] : tensor<{T}>", "%f{n} = arith.constant 0.0 : {T}",
                      "%c{n} = arith.cmpf ogt, %e{n}, %f{n} : {T}", "{y} = scf.if %c{n} -> ({A}) {{",
                      "%p{n} = math.sin {a} : {A}", "scf.yield %p{n} : {A}", "}} else {{",
                      "%q{n} = arith.mulf {a}, {b} : {A}", "scf.yield %q{n} : {A}", "}}"],
                     [x, y], lambda t, u, v: t.sin(u) if u.mean() > 0 else u * v)
