# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G11: derivatives of a high order of what is computed of joined pieces are what they are of the same written out, and
no order takes more than twice the ops of the one below, unless it does so written out, too."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

import flywheel as fw

ORDERS = 10


def written(*v: Any) -> Any:
    product = v[0]
    for x in v[1:]:
        product = product * x
    return product


PRODUCTS: Dict[str, Callable[..., Any]] = {
    "written out": written,
    "stack": lambda *v: fw.prod(fw.stack(v)),
    "concatenate": lambda *v: fw.prod(fw.concatenate([fw.stack(v[:7]), fw.stack(v[7:])])),
    "rows": lambda *v: fw.prod(fw.stack([fw.stack(v[:6]), fw.stack(v[6:])])),
    "keepdims": lambda *v: fw.prod(fw.stack(v), keepdims=True)[0],
}
POINT = np.linspace(0.5, 1.5, ORDERS + 2)


def derivative(product: Callable[..., Any], order: int) -> fw.Function:
    for place in range(order):
        product = fw.grad(product, argnums=place)
    return fw.function(product)


for name, product in PRODUCTS.items():
    counts = []
    for order in range(1, ORDERS + 1):
        function = derivative(product, order)
        counts.append(function.stage("flywheel-autodiff", *POINT).count(" = "))
        if order in (1, 2, 5, ORDERS):
            np.testing.assert_allclose(np.asarray(function(*POINT)), np.prod(POINT[order:]), 1e-12,
                                       err_msg=f"{name}, order {order}")  # fmt: skip
    for order, (below, above) in enumerate(zip(counts, counts[1:]), 2):
        assert above <= 2 * below, (name, order, counts)

# Ops on each piece, between a join and its reduction. Beside each, the same written out.
Pieces = Callable[..., Any]


def each(function: Callable[[Any], Any]) -> Pieces:
    return lambda *v: written(*[function(x) for x in v])


def added(*v: Any) -> Any:
    total = v[0]
    for x in v[1:]:
        total = total + x
    return total


def rows(v: Any) -> Any:
    return fw.stack([fw.stack(v[:4]), fw.stack(v[4:8]), fw.stack(v[8:12])])


def inner_rows(v: Any) -> Any:
    return fw.stack([fw.stack(v[i::4]) for i in range(4)], axis=1)


def read(x: Any) -> Any:
    return written(*[x[i] for i in range(len(POINT))])


def prefixes(v: Any) -> Any:
    return [written(*v[: k + 1]) for k in range(len(v))]


UNARY: Dict[str, Callable[[Any], Any]] = {
    "-": lambda x: -x,
    "exp": fw.exp,
    "sin": fw.sin,
    "log1p": fw.log1p,
    "tanh": fw.tanh,
    "sqrt": fw.sqrt,
    "abs": fw.abs,
    "square": lambda x: x * x,
    "power": lambda x: x**3,
    "x ** 1.5": lambda x: x**1.5,
    "reciprocal": lambda x: 1 / x,
    "scaled": lambda x: 3.0 * x - 0.25,
    "relu": fw.nn.relu,
    "sigmoid": fw.nn.sigmoid,
    "softplus": fw.nn.softplus,
    "gelu": fw.nn.gelu,
    "clip": lambda x: fw.clip(x, 0.1, 3.0),
    "where": lambda x: fw.where(x > 0.9, x, 2.0 * x),
    "cast": lambda x: x.astype(np.float32).astype(np.float64),
    "two": lambda x: fw.exp(-x) * x,
}
CASES: Dict[str, Tuple[Pieces, Pieces]] = {
    **{f"{name}, stacked": (lambda *v, f=f: fw.prod(f(fw.stack(v))), each(f)) for name, f in UNARY.items()},
    "concatenate": (lambda *v: fw.prod(fw.exp(fw.concatenate([fw.stack(v[:5]), fw.stack(v[5:])]))), each(fw.exp)),
    "two joins": (
        lambda *v: fw.prod(fw.stack(v[:6]) + fw.sin(fw.stack(v[6:]))),
        lambda *v: written(*[a + fw.sin(b) for a, b in zip(v[:6], v[6:])]),
    ),
    "other pieces": (
        lambda *v: fw.prod(fw.concatenate([fw.stack(v[:4]), fw.stack(v[4:])]) * fw.concatenate(
            [fw.stack(v[:7])[::-1], fw.stack(v[7:])])),
        lambda *v: written(*[a * b for a, b in zip(v, [*v[6::-1], *v[7:]])]),
    ),
    "constants": (
        lambda *v: fw.prod(fw.stack(v) * POINT + 1.0),
        lambda *v: written(*[x * c + 1.0 for x, c in zip(v, POINT)]),
    ),
    "one of them": (lambda *v: fw.prod(fw.stack(v) + v[0]), lambda *v: written(*[x + v[0] for x in v])),
    "rows": (lambda *v: fw.prod(fw.exp(rows(v))), each(fw.exp)),
    "columns": (lambda *v: fw.prod(fw.exp(inner_rows(v))), each(fw.exp)),
    "transposed": (lambda *v: fw.prod(fw.exp(rows(v).T)), each(fw.exp)),
    "reshaped": (lambda *v: fw.prod(fw.exp(fw.reshape(fw.stack(v), (3, 4)))), each(fw.exp)),
    "flattened": (lambda *v: fw.prod(fw.exp(fw.reshape(rows(v), (-1,)))), each(fw.exp)),
    "one axis": (lambda *v: fw.prod(fw.prod(fw.exp(rows(v)), axis=0)), each(fw.exp)),
    "other axis": (lambda *v: fw.prod(fw.prod(fw.exp(rows(v)), axis=1, keepdims=True)), each(fw.exp)),
    "sums of products": (
        lambda *v: fw.sum(fw.prod(fw.exp(rows(v)), axis=1)),
        lambda *v: added(*[each(fw.exp)(*v[k : k + 4]) for k in (0, 4, 8)]),
    ),
    "flipped": (lambda *v: fw.prod(fw.exp(fw.stack(v)[::-1])), each(fw.exp)),
    "read": (lambda *v: read(fw.stack(v)), written),
    "read of exp": (lambda *v: read(fw.exp(fw.stack(v))), each(fw.exp)),
    "split": (lambda *v: written(*[fw.prod(fw.exp(x)) for x in fw.split(fw.stack(v), 3)]), each(fw.exp)),
    "cumprod": (lambda *v: fw.sum(fw.cumprod(fw.exp(fw.stack(v)))),
                lambda *v: added(*prefixes([fw.exp(x) for x in v]))),
    "reversed cumprod": (lambda *v: fw.cumprod(fw.exp(fw.stack(v))[::-1])[-1], each(fw.exp)),
    "sum": (lambda *v: fw.sin(fw.sum(fw.sin(fw.stack(v)))), lambda *v: fw.sin(added(*[fw.sin(x) for x in v]))),
    "dot": (
        lambda *v: fw.exp(fw.sum(fw.stack(v[:6]) * fw.stack(v[6:]))),
        lambda *v: fw.exp(added(*[a * b for a, b in zip(v[:6], v[6:])])),
    ),
    "logsumexp": (lambda *v: fw.logsumexp(fw.stack(v)), lambda *v: fw.log(added(*[fw.exp(x) for x in v]))),
    "exp of it": (lambda *v: fw.exp(fw.prod(fw.stack(v))), lambda *v: fw.exp(written(*v))),
}  # fmt: skip
SWEPT = 7
for name, (joined, plain) in CASES.items():
    lengths = []
    for of_pieces in (joined, plain):
        counts = [derivative(of_pieces, order).stage("flywheel-autodiff", *POINT).count(" = ")
                  for order in range(1, SWEPT + 1)]  # fmt: skip
        lengths.append(counts)
    for order in range(1, SWEPT):
        growth, allowed = (counts[order] / counts[order - 1] for counts in lengths)
        is_shorter = lengths[0][order] <= lengths[1][order]
        assert growth <= max(2.0, 1.05 * allowed) or is_shorter, (name, order + 1, lengths)
    # The ops that a join adds are not multiplied from order to order.
    assert lengths[0][-1] <= 2 * lengths[1][-1] + 4 * len(POINT), (name, lengths)
    for wanted in ((0, 0), (0, 3, 0)):
        results = []
        for of_pieces in (joined, plain):
            for argument in wanted:
                of_pieces = fw.grad(of_pieces, argnums=argument)
            results.append(np.asarray(fw.function(of_pieces)(*POINT)))
        np.testing.assert_allclose(
            results[0], results[1], 1e-6 if name.startswith("cast") else 1e-10, 1e-12, err_msg=f"{name} {wanted}"
        )

# Pieces of more than one element, of sizes that the call chooses, and in half precision.
for dtype in (np.float64, np.float16):
    a, b = (np.array(x, dtype) for x in ([0.5, 2.0, 1.5], [1.0, 0.25, 2.0]))
    for axis in (0, 1):

        def vectors(a: Any, b: Any) -> Any:
            return fw.sum(fw.prod(fw.exp(fw.stack([a, b], axis=axis) * 0.5), axis=axis))

        twice = fw.function(fw.grad(lambda a, b: fw.sum(fw.grad(vectors)(a, b)), 1), dynamic=axis == 0)
        np.testing.assert_allclose(np.asarray(twice(a, b)), 0.25 * np.exp(0.5 * (a + b)), 1e-3 if dtype == np.float16
                                   else 1e-12)  # fmt: skip

# A product with an element twice, with zeros, and in half precision.
x = np.array([0.0, 2.0, 0.0])
twice = fw.function(lambda v: fw.hessian(lambda v: fw.prod(fw.stack([v[0], v[1], v[1], v[2]])))(v))(x)
np.testing.assert_allclose(twice, [[0.0, 0.0, 4.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
half = fw.function(lambda a, b: fw.grad(lambda a, b: fw.grad(lambda a: fw.prod(fw.stack([a, b, b])))(a), 1)(a, b))
np.testing.assert_array_equal(np.asarray(half(np.float16(3), np.float16(2))), np.float16(4))
