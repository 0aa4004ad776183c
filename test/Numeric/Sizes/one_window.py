# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Pools and convolutions whose window has one place, or few, in images that are larger than the window, and their
derivatives, against loops of NumPy."""

from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import flywheel as fw

Array = Any
random = np.random.default_rng(5)


def windows(x: Array, k: Tuple[int, int], s: Tuple[int, int]) -> Iterator[Tuple[int, int, Any]]:
    """The place of each window in the result, and where it is in the image."""
    for i in range((x.shape[1] - k[0]) // s[0] + 1):
        for j in range((x.shape[2] - k[1]) // s[1] + 1):
            yield i, j, np.s_[:, i * s[0] : i * s[0] + k[0], j * s[1] : j * s[1] + k[1]]


def largest(part: Array) -> Tuple[Array, Array]:
    """The largest elements, and the derivative of each one's sum."""
    flat = part.reshape(part.shape[0], -1, part.shape[3])
    places = flat.argmax(1)
    slope = np.zeros_like(flat)
    np.put_along_axis(slope, places[:, None], 1, 1)
    return flat.max(1), slope.reshape(part.shape)


def average(part: Array) -> Tuple[Array, Array]:
    return part.mean((1, 2)), np.full_like(part, 1 / (part.shape[1] * part.shape[2]))


def pool(x: Array, k: Any, s: Any, of: Callable[[Array], Tuple[Array, Array]]) -> Tuple[Array, Array]:
    """The result, and the derivative of its sum with factors 1, 2, ... by place."""
    places = [(i, j) for i, j, _ in windows(x, k, s)]
    result = np.zeros((x.shape[0], places[-1][0] + 1, places[-1][1] + 1, x.shape[3]))
    slope = np.zeros_like(x)
    for number, (i, j, part) in enumerate(windows(x, k, s), 1):
        result[:, i, j], own = of(x[part])
        slope[part] += own * number
    return result, slope


def convolve(x: Array, w: Array, s: Any) -> Tuple[Array, Array, Array]:
    places = [(i, j) for i, j, _ in windows(x, w.shape[:2], s)]
    result = np.zeros((x.shape[0], places[-1][0] + 1, places[-1][1] + 1, w.shape[3]))
    of_x, of_w = np.zeros_like(x), np.zeros_like(w)
    for number, (i, j, part) in enumerate(windows(x, w.shape[:2], s), 1):
        result[:, i, j] = np.einsum("nhwc,hwco->no", x[part], w)
        of_x[part] += number * w.sum(3)
        of_w += number * x[part].sum(0)[..., None]
    return result, of_x, of_w


def weighted(y: Any) -> Any:
    """The sum with factors 1, 2, ... by place."""
    count = y.shape[1] * y.shape[2]
    return fw.sum(y * np.arange(1.0, count + 1).reshape(1, y.shape[1], y.shape[2], 1))


SHAPES: List[Tuple[int, int, Tuple[int, int], Tuple[int, int]]] = [
    (4, 4, (3, 3), (2, 2)), (3, 3, (2, 2), (2, 2)), (6, 6, (3, 3), (4, 4)), (5, 3, (2, 3), (4, 1)),
    (3, 7, (3, 2), (1, 6)), (4, 9, (3, 3), (2, 3)), (1, 6, (1, 4), (1, 3)), (6, 1, (4, 1), (5, 5)),
    (3, 3, (3, 3), (1, 1)), (4, 4, (1, 1), (4, 4)), (9, 9, (7, 7), (3, 3))]  # fmt: skip


def check(what: str, found: Any, wanted: Array) -> None:
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-9, atol=1e-12, err_msg=what)


if __name__ == "__main__":
    pools: Dict[str, Any] = {"max_pool2d": largest, "avg_pool2d": average}
    for height, width, k, s in SHAPES:
        for batch, channels, outputs in ((1, 1, 1), (2, 3, 1), (1, 2, 5)):
            where = f"{batch}x{height}x{width}x{channels} with a window of {k} and strides of {s}"
            x = random.normal(size=(batch, height, width, channels))
            for name, of in pools.items():
                op = getattr(fw.nn, name)

                def run(a: Any, op: Any = op) -> Any:
                    return op(a, list(k), strides=list(s))

                result, slope = pool(x, k, s, of)
                check(f"{name} of {where}", fw.function(run)(x), result)
                found = fw.function(lambda a, run=run: fw.grad(lambda b: weighted(run(b)))(a))(x)
                check(f"the derivative of {name} of {where}", found, slope)
            w = random.normal(size=(*k, channels, outputs))

            def conv(a: Any, b: Any) -> Any:
                return fw.nn.conv2d(a, b, strides=list(s))

            result, of_x, of_w = convolve(x, w, s)
            check(f"conv2d of {where}", fw.function(conv)(x, w), result)
            both = fw.function(lambda a, b: fw.grad(lambda p, q: weighted(conv(p, q)), argnums=(0, 1))(a, b))(x, w)
            check(f"the derivative of conv2d of {where}", both[0], of_x)
            check(f"that by the filter of {where}", both[1], of_w)
