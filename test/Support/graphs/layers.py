# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers, losses and indexing of random graphs: the rest of the table of graphs.ops."""

from typing import Any, Callable, Dict, List, Optional

import numpy as np

from graphs.graph import DimSize, Graph, Node
from graphs.ops import OPS, UNARY, dynamic_sizes, make_unary, pick_of, register, weight

UNARY.update({
    "nn.silu": lambda t, x: t.nn.functional.silu(x),
    "nn.elu": lambda t, x: t.nn.functional.elu(x),
    "nn.selu": lambda t, x: t.nn.functional.selu(x),
    "nn.softsign": lambda t, x: t.nn.functional.softsign(x),
    "nn.relu6": lambda t, x: t.nn.functional.relu6(x),
})
for name in ("nn.silu", "nn.elu", "nn.selu", "nn.softsign", "nn.relu6"):
    make_unary(name)


@register("nn.leaky_relu")
def make_leaky_relu(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: True)
    return x and graph.add("nn.leaky_relu", x.shape, ["{y} = nn.leaky_relu {a} alpha 0.2 : {A}"], [x],
                           lambda t, u: t.nn.functional.leaky_relu(u, 0.2))


@register("nn.log_softmax")
def make_log_softmax(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Takes a tanh as its operand, whose values stay small."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if x is None:
        return None
    small = graph.add("math.tanh", x.shape, ["{y} = math.tanh {a} : {A}"], [x], lambda t, u: t.tanh(u))
    y = graph.add("nn.log_softmax", x.shape, ["{y} = nn.log_softmax {a} : {A}"], [small],
                  lambda t, u: t.log_softmax(u, -1))
    return graph.add("math.tanh", x.shape, ["{y} = math.tanh {a} : {A}"], [y], lambda t, u: t.tanh(u))


@register("nn.layer_norm")
def make_layer_norm(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    # If there are two elements or fewer, the result is a sign: no derivative to compare.
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2 and n.shape[-1] not in ("B", 1, 2))
    if x is None:
        return None
    n = int(x.shape[-1])
    gamma, beta = weight(graph, rng, (n,)), weight(graph, rng, (n,))
    return graph.add("nn.layer_norm", x.shape,
                     [f"{{y}} = nn.layer_norm {{a}} gamma {{b}} beta {{c}} axes [{x.rank - 1}] epsilon 0.1 : "
                      "({A}, {B}, {C}) -> {Y}"],
                     [x, gamma, beta], lambda t, u, g, b: t.nn.functional.layer_norm(u, (n,), g, b, 0.1))


@register("nn.rms_norm")
def make_rms_norm(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and n.shape[-1] not in ("B", 1))
    return x and graph.add("nn.rms_norm", x.shape,
                           [f"{{y}} = nn.rms_norm {{a}} axes [{x.rank - 1}] epsilon 0.1 : ({{A}}) -> {{Y}}"], [x],
                           lambda t, u: u / t.sqrt((u * u).mean(-1, keepdim=True) + 0.1))


@register("nn.batch_norm_training")
def make_batch_norm(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2 and n.shape[-1] != "B")
    if x is None:
        return None
    n = int(x.shape[-1])
    gamma, beta = weight(graph, rng, (n,)), weight(graph, rng, (n,))
    channels = gamma.type

    def normalize(t: Any, u: Any, g: Any, b: Any) -> Any:
        dims = list(range(u.dim() - 1))
        mean = u.mean(dims)
        variance = ((u - mean) ** 2).mean(dims)
        return (u - mean) / t.sqrt(variance + 0.1) * g + b

    return graph.add("nn.batch_norm_training", x.shape,
                     ["{y}, %m{n}, %q{n} = nn.batch_norm_training {a} gamma {b} beta {c} epsilon 0.1 : "
                      f"({{A}}, {{B}}, {{C}}) -> ({{Y}}, {channels}, {channels})"], [x, gamma, beta], normalize)


@register("nn.attention")
def make_attention(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank == 3 and "B" not in n.shape[1:])
    k = x and pick_of(graph, rng, nodes, lambda n: n.rank == 3 and n.shape == x.shape)
    if x is None or k is None:
        return None
    causal = bool(rng.integers(2))
    return graph.add("nn.attention", x.shape,
                     [f"{{y}} = nn.attention {{a}}, {{b}}, {{a}} {'causal ' if causal else ''}: "
                      "({A}, {B}, {A}) -> {Y}"],
                     [x, k], lambda t, u, v: t.nn.functional.scaled_dot_product_attention(u, v, u, is_causal=causal))


@register("nn.matmul batched")
def make_batched_matmul(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """x y^T, over the leading dimension."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank == 3)
    y = x and pick_of(graph, rng, nodes, lambda n: n.rank == 3 and (n.shape[0], n.shape[2]) == (x.shape[0], x.shape[2]))
    if x is None or y is None:
        return None
    product = graph.add("nn.matmul batched", (x.shape[0], x.shape[1], y.shape[1]),
                        ["{y} = nn.matmul {a}, {b} {{transpose_b}} : ({A}, {B}) -> {Y}"], [x, y],
                        lambda t, u, v: u @ v.transpose(-1, -2))
    return graph.add("math.tanh", product.shape, ["{y} = math.tanh {a} : {A}"], [product], lambda t, u: t.tanh(u))


@register("nn.dense of rows")
def make_dense_of_rows(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank == 3 and n.shape[2] != "B")
    if x is None:
        return None
    k, n = int(x.shape[2]), int(rng.choice([1, 4, 9]))
    w, b = weight(graph, rng, (k, n), k), weight(graph, rng, (n,))
    return graph.add("nn.dense of rows", (*x.shape[:2], n), ["{y} = nn.dense {a}, {b}, {c} : ({A}, {B}, {C}) -> {Y}"],
                     [x, w, b], lambda t, u, v, c: u @ v + c)


# ---------------------------------------------------------------------------
# Images
# ---------------------------------------------------------------------------

def image_of(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """A value of rank 4, or one of rank 3 with a channel, of [batch, height, width, channels]."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank in (3, 4) and "B" not in n.shape[1:])
    if x is None or x.rank == 4:
        return x
    _, lines = dynamic_sizes(x, [0])
    batch = "%z{n}_0" if x.shape[0] == "B" else str(x.shape[0])
    return graph.add("tensor.expand_shape", (*x.shape, 1),
                     [*lines, "{y} = tensor.expand_shape {a} [[0], [1], [2, 3]] output_shape "
                      f"[{batch}, {x.shape[1]}, {x.shape[2]}, 1] : {{A}} into {{Y}}"],
                     [x], lambda t, u: u.unsqueeze(-1))


def pad_of(dim_size: int, kernel: int, stride: int, dilation: int, same: bool) -> List[int]:
    """The result's dimension size and what is added before and after (X2)."""
    reach = (kernel - 1) * dilation + 1
    if not same:
        return [(dim_size - reach) // stride + 1, 0, 0]
    out = -(-dim_size // stride)
    total = max((out - 1) * stride + reach - dim_size, 0)
    return [out, total // 2, total - total // 2]


@register("nn.conv2d")
def make_conv(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = image_of(graph, rng, nodes)
    if x is None:
        return None
    h, w, channels = (int(dim_size) for dim_size in x.shape[1:])
    kh, kw = int(rng.integers(1, min(h, 3) + 1)), int(rng.integers(1, min(w, 3) + 1))
    stride, same = int(rng.integers(1, 3)), bool(rng.integers(2))
    dilation = int(rng.integers(1, 3)) if same else 1
    groups = int(rng.choice([g for g in range(1, channels + 1) if channels % g == 0]))
    outputs = groups * int(rng.integers(1, 4))
    oh, top, bottom = pad_of(h, kh, stride, dilation, same)
    ow, left, right = pad_of(w, kw, stride, dilation, same)
    kernel = weight(graph, rng, (kh, kw, channels // groups, outputs), kh * kw * channels // groups)

    def convolve(t: Any, u: Any, v: Any) -> Any:
        image = t.nn.functional.pad(u.permute(0, 3, 1, 2), (left, right, top, bottom))
        return t.nn.functional.conv2d(image, v.permute(3, 2, 0, 1), stride=stride, dilation=dilation,
                                      groups=groups).permute(0, 2, 3, 1)

    padding = "same" if same else "valid"
    return graph.add("nn.conv2d", (x.shape[0], oh, ow, outputs),
                     [f"{{y}} = nn.conv2d {{a}}, {{b}} strides [{stride}, {stride}] padding {padding} "
                      f"dilations [{dilation}, {dilation}] : ({{A}}, {{B}}) -> {{Y}}"], [x, kernel], convolve)


def make_pool(op: str, pool: Callable[[Any, Any, int, int], Any]) -> None:
    def make(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
        x = image_of(graph, rng, nodes)
        if x is None:
            return None
        h, w = int(x.shape[1]), int(x.shape[2])
        k, stride = int(rng.integers(1, min(h, w, 3) + 1)), int(rng.integers(1, 3))
        shape: List[DimSize] = [x.shape[0], (h - k) // stride + 1, (w - k) // stride + 1, x.shape[3]]
        return graph.add(op, shape, [f"{{y}} = {op} {{a}} window [{k}, {k}] strides [{stride}, {stride}] padding valid "
                                     ": ({A}) -> {Y}"], [x],
                         lambda t, u: pool(t, u.permute(0, 3, 1, 2), k, stride).permute(0, 2, 3, 1))
    OPS[op] = make


make_pool("nn.max_pool2d", lambda t, u, k, stride: t.nn.functional.max_pool2d(u, k, stride))
make_pool("nn.avg_pool2d", lambda t, u, k, stride: t.nn.functional.avg_pool2d(u, k, stride))


# ---------------------------------------------------------------------------
# Indexing and sums
# ---------------------------------------------------------------------------

@register("nn.gather")
def make_gather(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Rows of a static dimension, some of them twice."""
    x = pick_of(graph, rng, nodes, lambda n: any(dim_size != "B" for dim_size in n.shape))
    if x is None:
        return None
    axis = int(rng.choice([dim for dim, dim_size in enumerate(x.shape) if dim_size != "B"]))
    indices = rng.integers(0, int(x.shape[axis]), int(rng.integers(1, 6))).tolist()
    kind = f"tensor<{len(indices)}xi32>"
    return graph.add("nn.gather", (*x.shape[:axis], len(indices), *x.shape[axis + 1:]),
                     [f"%g{{n}} = arith.constant dense<{indices}> : {kind}",
                      f"{{y}} = nn.gather {{a}}, %g{{n}} axis {axis} : ({{A}}, {kind}) -> {{Y}}"],
                     [x], lambda t, u: t.index_select(u, axis, t.tensor(indices)))


@register("nn.take_along_axis")
def make_take_along_axis(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Takes elements of one dimension of a static shape, some of them twice."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and "B" not in n.shape and n.rank <= 3)
    if x is None:
        return None
    axis = int(rng.integers(0, x.rank))
    shape = (*x.shape[:axis], int(rng.integers(1, 4)), *x.shape[axis + 1:])
    indices = rng.integers(0, int(x.shape[axis]), tuple(map(int, shape))).tolist()
    kind = f"tensor<{'x'.join(map(str, shape))}xi32>"
    return graph.add("nn.take_along_axis", shape,
                     [f"%g{{n}} = arith.constant dense<{indices}> : {kind}",
                      f"{{y}} = nn.take_along_axis {{a}}, %g{{n}} axis {axis} : ({{A}}, {kind}) -> {{Y}}"],
                     [x], lambda t, u: t.take_along_dim(u, t.tensor(indices), axis))


@register("nn.cumsum")
def make_cumsum(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """A mean along the way, so that it does not grow."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if x is None:
        return None
    axis = int(rng.integers(0, x.rank))
    reverse = bool(rng.integers(2))

    def scan(t: Any, u: Any) -> Any:
        return u.flip(axis).cumsum(axis).flip(axis) if reverse else u.cumsum(axis)

    y = graph.add("nn.cumsum", x.shape,
                  [f"{{y}} = nn.cumsum {{a}} axis {axis} {'reverse ' if reverse else ''}: {{A}} -> {{Y}}"], [x], scan)
    return graph.add("math.tanh", x.shape, ["{y} = math.tanh {a} : {A}"], [y], lambda t, u: t.tanh(u))


@register("nn.cumprod")
def make_cumprod(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    """Products of numbers below 1."""
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if x is None:
        return None
    axis = int(rng.integers(0, x.rank))
    reverse = bool(rng.integers(2))

    def scan(t: Any, u: Any) -> Any:
        return u.flip(axis).cumprod(axis).flip(axis) if reverse else u.cumprod(axis)

    y = graph.add("math.tanh", x.shape, ["{y} = math.tanh {a} : {A}"], [x], lambda t, u: t.tanh(u))
    return graph.add("nn.cumprod", x.shape,
                     [f"{{y}} = nn.cumprod {{a}} axis {axis} {'reverse ' if reverse else ''}: {{A}} -> {{Y}}"], [y],
                     scan)


@register("nn.logcumsumexp")
def make_logcumsumexp(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1)
    if x is None:
        return None
    axis = int(rng.integers(0, x.rank))
    reverse = bool(rng.integers(2))

    def scan(t: Any, u: Any) -> Any:
        return u.flip(axis).logcumsumexp(axis).flip(axis) if reverse else u.logcumsumexp(axis)

    return graph.add("nn.logcumsumexp", x.shape,
                     [f"{{y}} = nn.logcumsumexp {{a}} axis {axis} {'reverse ' if reverse else ''}: {{A}} -> {{Y}}"],
                     [x], scan)


@register("nn.tile")
def make_tile(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 1 and n.shape[-1] != "B")
    if x is None:
        return None
    times = int(rng.integers(1, 4))
    multiples = [1] * (x.rank - 1) + [times]
    return graph.add("nn.tile", (*x.shape[:-1], int(x.shape[-1]) * times),
                     [f"{{y}} = nn.tile {{a}} multiples {multiples} : {{A}} -> {{Y}}"], [x],
                     lambda t, u: u.repeat(multiples))


@register("nn.triangle")
def make_triangle(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
    x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2)
    if x is None:
        return None
    k = int(rng.integers(-1, 2))
    return graph.add("nn.triangle", x.shape, [f"{{y}} = nn.triangle lower {{a}} diagonal {k} : {{A}}"], [x],
                     lambda t, u: t.tril(u, k))


# ---------------------------------------------------------------------------
# Losses
# ---------------------------------------------------------------------------

LOSSES: Dict[str, Callable[[Any, Any, Any], Any]] = {
    "nn.mean_squared_error": lambda t, x, y: ((x - y) ** 2).mean(),
    "nn.log_cosh": lambda t, x, y: t.log(t.cosh(x - y)).mean(),
    "nn.huber": lambda t, x, y: t.nn.functional.huber_loss(x, y),
    "nn.sigmoid_cross_entropy": lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y),
    "nn.softmax_cross_entropy": lambda t, x, y: -(y * t.log_softmax(x, -1)).sum(-1).mean(),
}


def make_loss(op: str) -> None:
    def make(graph: Graph, rng: np.random.Generator, nodes: List[Node]) -> Optional[Node]:
        x = pick_of(graph, rng, nodes, lambda n: n.rank >= 2)
        y = x and pick_of(graph, rng, nodes, lambda n: n.shape == x.shape)
        if x is None or y is None:
            return None
        target = graph.add("nn.sigmoid", y.shape, ["{y} = nn.sigmoid {a} : {A}"], [y], lambda t, u: t.sigmoid(u))
        return graph.add(op, (), [f"{{y}} = {op} {{a}}, {{b}} : ({{A}}, {{B}}) -> {{Y}}"], [x, target], LOSSES[op])
    OPS[op] = make


for name in LOSSES:
    make_loss(name)
