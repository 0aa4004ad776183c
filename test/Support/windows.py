# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools, element by element in numpy: what they must compute."""

from typing import List, Sequence, Tuple, Union

import numpy as np

from cases import Array

# "same", "valid", or what is added [[top, bottom], [left, right]].
Padding = Union[str, Sequence[Sequence[int]]]


class Window:
    """A window that slides over height and width."""

    def __init__(self, size: Sequence[int], strides: Sequence[int], padding: Padding,
                 dilations: Sequence[int] = (1, 1)) -> None:
        self.size, self.strides, self.padding, self.dilations = size, strides, padding, dilations

    def attributes(self, is_pool: bool = False) -> str:
        """As in the assembly of an op."""
        text = f"window {list(self.size)} " if is_pool else ""
        text += f"strides {list(self.strides)} padding "
        text += self.padding if isinstance(self.padding, str) else f"explicit {self.padding}"
        return text if is_pool else text + f" dilations {list(self.dilations)}"

    def along(self, i: int, dim_size: int) -> Tuple[int, int]:
        """The windows over an image of `dim_size`, and the padding before it."""
        span = (self.size[i] - 1) * self.dilations[i] + 1
        stride = self.strides[i]
        if self.padding == "same":
            count = -(-dim_size // stride)
            return count, max((count - 1) * stride + span - dim_size, 0) // 2
        before, after = (0, 0) if isinstance(self.padding, str) else self.padding[i]
        return (dim_size + before + after - span) // stride + 1, before

    def shape(self, image: Sequence[int]) -> List[int]:
        """Height and width of the output."""
        return [self.along(i, image[i + 1])[0] for i in (0, 1)]

    def elements(self, image: Sequence[int], i: int, j: int) -> List[Tuple[int, int, int, int]]:
        """(p, q, h, w): element (p, q) of window (i, j) is position (h, w)."""
        found = []
        for p in range(self.size[0]):
            for q in range(self.size[1]):
                h = i * self.strides[0] + p * self.dilations[0] - self.along(0, image[1])[1]
                w = j * self.strides[1] + q * self.dilations[1] - self.along(1, image[2])[1]
                if 0 <= h < image[1] and 0 <= w < image[2]:
                    found.append((p, q, h, w))
        return found

    def each(self, image: Sequence[int]) -> List[Tuple[int, int, int, int, int, int]]:
        """(i, j, p, q, h, w) for every element of every window."""
        height, width = self.shape(image)
        return [(i, j) + element for i in range(height) for j in range(width)
                for element in self.elements(image, i, j)]


def conv2d(window: Window, x: Array, w: Array) -> Array:
    groups = x.shape[3] // w.shape[2]
    y = np.zeros((x.shape[0], *window.shape(x.shape), w.shape[3]))
    xs, ws = np.split(x, groups, 3), np.split(w, groups, 3)
    for i, j, p, q, h, v in window.each(x.shape):
        y[:, i, j] += np.concatenate([a[:, h, v] @ b[p, q] for a, b in zip(xs, ws)], 1)
    return y


def conv2d_transpose(window: Window, y: Array, w: Array, image: Sequence[int]) -> Array:
    groups = image[3] // w.shape[2]
    x = np.zeros(image)
    ys, ws = np.split(y, groups, 3), np.split(w, groups, 3)
    for i, j, p, q, h, v in window.each(image):
        x[:, h, v] += np.concatenate([a[:, i, j] @ b[p, q].T for a, b in zip(ys, ws)], 1)
    return x


def conv2d_filter_grad(window: Window, x: Array, y: Array, filter: Sequence[int]) -> Array:
    groups = x.shape[3] // filter[2]
    w = np.zeros(filter)
    xs, ys = np.split(x, groups, 3), np.split(y, groups, 3)
    for i, j, p, q, h, v in window.each(x.shape):
        w[p, q] += np.concatenate([a[:, h, v].T @ b[:, i, j] for a, b in zip(xs, ys)], 1)
    return w


def places(window: Window, x: Array) -> Array:
    """The position of the first maximum of each window, the first NaN if there is one."""
    found = np.zeros((x.shape[0], *window.shape(x.shape), x.shape[3], 2), int)
    for n, i, j, c in np.ndindex(*found.shape[:4]):
        elements = window.elements(x.shape, i, j)
        values = [x[n, h, w, c] for _, _, h, w in elements]
        found[n, i, j, c] = elements[int(np.argmax(values))][2:]
    return found


def max_pool2d_select(window: Window, x: Array, v: Array) -> Array:
    at = places(window, x)
    y = np.zeros(at.shape[:4])
    for n, i, j, c in np.ndindex(*y.shape):
        h, w = at[n, i, j, c]
        y[n, i, j, c] = v[n, h, w, c]
    return y


def max_pool2d(window: Window, x: Array) -> Array:
    return max_pool2d_select(window, x, x)


def max_pool2d_grad(window: Window, x: Array, dy: Array) -> Array:
    at = places(window, x)
    dx = np.zeros(x.shape)
    for n, i, j, c in np.ndindex(*dy.shape):
        h, w = at[n, i, j, c]
        dx[n, h, w, c] += dy[n, i, j, c]
    return dx


def avg_pool2d(window: Window, x: Array) -> Array:
    y = np.zeros((x.shape[0], *window.shape(x.shape), x.shape[3]))
    for _, i, j, c in np.ndindex(1, *y.shape[1:]):
        y[:, i, j, c] = np.mean([x[:, h, w, c] for _, _, h, w in window.elements(x.shape, i, j)], 0)
    return y


def avg_pool2d_grad(window: Window, dy: Array, image: Sequence[int]) -> Array:
    dx = np.zeros(image)
    for i, j in np.ndindex(*dy.shape[1:3]):
        elements = window.elements(image, i, j)
        for _, _, h, w in elements:
            dx[:, h, w] += dy[:, i, j] / len(elements)
    return dx
