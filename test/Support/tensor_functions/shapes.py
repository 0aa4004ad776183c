# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from graphs.graph import DimSize, Node
from harness import Rng, choose
from tensor_functions.function import DTYPES, FLOATS, INTEGERS, MAX_ELEMENTS, Array, Function, elements_of, register


@register("linalg.transpose")
def make_transpose(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *DTYPES, rank=2)
    if x is None:
        return None
    order = [int(i) for i in rng.permutation(x.rank)]
    shape = [x.shape[i] for i in order]
    lines, empty = f.empty(shape, x.element)
    lines.append(f"{{y}} = linalg.transpose ins({{a}} : {{A}}) outs({empty} : {{Y}}) permutation = {order}")
    return f.add("linalg.transpose", shape, x.element, lines, [x], lambda u: np.transpose(u, order))


@register("nn.broadcast")
def make_broadcast(f: Function, rng: Rng) -> Optional[Node]:
    x, like = f.pick(rng, *DTYPES), f.pick(rng, *DTYPES, rank=1)
    if x is None or like is None or x.rank > like.rank:
        return None
    dims = sorted(int(i) for i in rng.choice(like.rank, x.rank, replace=False))
    if any(x.shape[i] not in (1, like.shape[dim]) for i, dim in enumerate(dims)):
        return None
    shape = [1] * like.rank

    def broadcast(u: Array, v: Array) -> Array:
        sizes = list(shape)
        for dim_size, dim in zip(u.shape, dims):
            sizes[dim] = dim_size
        return np.broadcast_to(u.reshape(sizes), v.shape)

    return f.add(
        "nn.broadcast",
        like.shape,
        x.element,
        [f"{{y}} = nn.broadcast {{a}} dims {dims} like {{b}} : ({{A}}, {{B}}) -> {{Y}}"],
        [x, like],
        broadcast,
    )


@register("tensor.collapse_shape")
def make_collapse(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *DTYPES, rank=2)
    if x is None:
        return None
    at = int(rng.integers(x.rank - 1))
    pair = x.shape[at : at + 2]
    if all(isinstance(dim_size, int) for dim_size in pair):
        dim_size: DimSize = int(pair[0]) * int(pair[1])
    elif 1 in pair:
        dim_size = next(dim_size for dim_size in pair if dim_size != 1)
    else:
        return None
    groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, x.rank)]
    shape = [*x.shape[:at], dim_size, *x.shape[at + 2 :]]
    return f.add(
        "tensor.collapse_shape",
        shape,
        x.element,
        [f"{{y}} = tensor.collapse_shape {{a}} {groups} : {{A}} into {{Y}}"],
        [x],
        lambda u: (
            u.reshape(*u.shape[:at], -1, *u.shape[at + 2 :])
            if u.size
            else u.reshape(*u.shape[:at], u.shape[at] * u.shape[at + 1], *u.shape[at + 2 :])
        ),
    )


@register("tensor.expand_shape")
def make_expansion(f: Function, rng: Rng) -> Optional[Node]:
    """A dimension becomes two, of which one may be 1."""
    x = f.pick(rng, *DTYPES, rank=1)
    if x is None:
        return None
    at = int(rng.integers(x.rank))
    dim_size = x.shape[at]
    if isinstance(dim_size, int):
        factor = choose(rng, [k for k in range(1, dim_size + 1) if dim_size % k == 0])
        pair: List[DimSize] = [factor, dim_size // factor]
    else:
        pair = choose(rng, [[1, dim_size], [dim_size, 1]])
    shape = [*x.shape[:at], *pair, *x.shape[at + 1 :]]
    lines, names = f.sizes(shape)
    dynamic = iter(names.split(", "))
    sizes = ", ".join(next(dynamic) if isinstance(dim_size, str) else str(dim_size) for dim_size in shape)
    groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, x.rank)]
    lines.append(f"{{y}} = tensor.expand_shape {{a}} {groups} output_shape [{sizes}] : {{A}} into {{Y}}")

    def expand(u: Array) -> Array:
        two = [u.shape[at] if isinstance(dim_size, str) else dim_size for dim_size in pair]
        return u.reshape(*u.shape[:at], *two, *u.shape[at + 1 :])

    return f.add("tensor.expand_shape", shape, x.element, lines, [x], expand)


@register("tensor.extract_slice")
def make_slice(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *DTYPES, rank=1)
    if x is None:
        return None
    offsets, sizes, strides = draw_slice(rng, x.shape)
    dynamic, names = f.sizes([dim_size for dim_size in sizes if isinstance(dim_size, str)])
    rest = iter(names.split(", "))
    text = ", ".join(next(rest) if isinstance(size, str) else str(size) for size in sizes)
    # Dimension sizes of 1 may go.
    drops = [i for i, size in enumerate(sizes) if size == 1 and rng.integers(3) == 0]
    shape = [size for i, size in enumerate(sizes) if i not in drops]
    return f.add(
        "tensor.extract_slice",
        shape,
        x.element,
        [
            *dynamic,
            f"{{y}} = tensor.extract_slice {{a}}[{text_of(offsets)}] [{text}] [{text_of(strides)}] : {{A}} to {{Y}}",
        ],
        [x],
        lambda u: np.squeeze(u[window(u, offsets, sizes, strides)], tuple(drops)),
    )


def text_of(numbers: Sequence[Any]) -> str:
    return ", ".join(str(number) for number in numbers)


def draw_slice(rng: Rng, shape: Sequence[DimSize]) -> Tuple[List[int], List[DimSize], List[int]]:
    """Offsets, sizes and strides within a shape; dynamic dimension sizes stay whole."""
    offsets, strides = [0] * len(shape), [1] * len(shape)
    sizes = list(shape)
    for i, dim_size in enumerate(shape):
        if isinstance(dim_size, int) and dim_size > 1:
            offsets[i] = int(rng.integers(dim_size))
            strides[i] = int(rng.integers(1, 3))
            sizes[i] = int(rng.integers(1, (dim_size - offsets[i] - 1) // strides[i] + 2))
    return offsets, sizes, strides


def window(u: Array, offsets: Sequence[int], sizes: Sequence[DimSize], strides: Sequence[int]) -> Tuple[slice, ...]:
    counts = [u.shape[i] if isinstance(size, str) else size for i, size in enumerate(sizes)]
    return tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, counts, strides))


@register("tensor.insert_slice")
def make_insertion(f: Function, rng: Rng) -> Optional[Node]:
    """A value, or the whole of one, in a part of another."""
    x = f.pick(rng, *DTYPES, rank=1)
    if x is None:
        return None
    offsets, sizes, strides = draw_slice(rng, x.shape)
    part = next(
        (
            node
            for node in reversed(f.nodes)
            if node.element == x.element and list(node.shape) == sizes and node is not x
        ),
        None,
    )
    if part is None:
        if any(isinstance(size, str) for size in sizes):
            return None
        part = f.feed(sizes, x.element)
    dynamic, names = f.sizes([dim_size for dim_size in sizes if isinstance(dim_size, str)])
    rest = iter(names.split(", "))
    text = ", ".join(next(rest) if isinstance(size, str) else str(size) for size in sizes)

    def insert(v: Array, u: Array) -> Array:
        result = u.copy()
        result[window(u, offsets, sizes, strides)] = v
        return np.asarray(result)

    return f.add(
        "tensor.insert_slice",
        x.shape,
        x.element,
        [
            *dynamic,
            f"{{y}} = tensor.insert_slice {{a}} into {{b}}[{text_of(offsets)}] [{text}] "
            f"[{text_of(strides)}] : {{A}} into {{B}}",
        ],
        [part, x],
        insert,
    )


@register("tensor.pad")
def make_pad(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, *INTEGERS, rank=1)
    if x is None:
        return None
    low = [0 if isinstance(dim_size, str) else int(rng.integers(0, 3)) for dim_size in x.shape]
    high = [0 if isinstance(dim_size, str) else int(rng.integers(0, 3)) for dim_size in x.shape]
    shape = [dim_size if isinstance(dim_size, str) else dim_size + a + b for dim_size, a, b in zip(x.shape, low, high)]
    number = "7.0" if x.element in FLOATS else "7"
    indices = ", ".join(f"%i{{n}}_{i}: index" for i in range(x.rank))
    return f.add(
        "tensor.pad",
        shape,
        x.element,
        [
            f"%p{{n}} = arith.constant {number} : {x.element}",
            f"{{y}} = tensor.pad {{a}} low{low} high{high} {{{{",
            f"^bb0({indices}):",
            f"  tensor.yield %p{{n}} : {x.element}",
            "}} : {A} to {Y}",
        ],
        [x],
        lambda u: np.pad(u, list(zip(low, high)), constant_values=u.dtype.type(7)),
    )


@register("tensor.concat")
def make_concat(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *DTYPES, rank=1)
    if x is None:
        return None
    dims = [i for i in range(x.rank) if isinstance(x.shape[i], int)]
    if not dims:
        return None
    at = choose(rng, dims)
    y = choose(
        rng,
        [
            node
            for node in f.nodes
            if node.element == x.element
            and node.rank == x.rank
            and all(node.shape[i] == x.shape[i] for i in range(x.rank) if i != at)
            and isinstance(node.shape[at], int)
        ],
    )
    shape = list(x.shape)
    shape[at] = int(x.shape[at]) + int(y.shape[at])
    return f.add(
        "tensor.concat",
        shape,
        x.element,
        [f"{{y}} = tensor.concat dim({at}) {{a}}, {{b}} : ({{A}}, {{B}}) -> {{Y}}"],
        [x, y],
        lambda u, v: np.concatenate([u, v], at),
    )


@register("nn.tile")
def make_tile(f: Function, rng: Rng) -> Optional[Node]:
    x = f.pick(rng, *FLOATS, rank=1)
    if x is None:
        return None
    multiples = [1 if isinstance(dim_size, str) else int(rng.integers(1, 4)) for dim_size in x.shape]
    shape = [dim_size if isinstance(dim_size, str) else dim_size * m for dim_size, m in zip(x.shape, multiples)]
    if elements_of(shape) > MAX_ELEMENTS:
        return None
    return f.add(
        "nn.tile",
        shape,
        x.element,
        [f"{{y}} = nn.tile {{a}} multiples {multiples} : {{A}} -> {{Y}}"],
        [x],
        lambda u: np.tile(u, multiples),
    )
