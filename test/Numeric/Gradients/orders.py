# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G11: derivatives of a high order of a product of joined pieces are what they are of the product written out, and no
order takes more than twice the ops of the one below."""

from typing import Any, Callable, Dict

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

# A product with an element twice, with zeros, and in half precision.
x = np.array([0.0, 2.0, 0.0])
twice = fw.function(lambda v: fw.hessian(lambda v: fw.prod(fw.stack([v[0], v[1], v[1], v[2]])))(v))(x)
np.testing.assert_allclose(twice, [[0.0, 0.0, 4.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
half = fw.function(lambda a, b: fw.grad(lambda a, b: fw.grad(lambda a: fw.prod(fw.stack([a, b, b])))(a), 1)(a, b))
np.testing.assert_array_equal(np.asarray(half(np.float16(3), np.float16(2))), np.float16(4))
