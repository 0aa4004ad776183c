# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T2, X14: an unknown attribute of an op is an error that names the op, the attribute and what was found."""

from typing import Any, Callable

import numpy as np

import flywheel as fw
from flywheel import nn

x = np.ones((2, 3), np.float32)
image, kernel = np.ones((1, 5, 5, 2), np.float32), np.ones((3, 3, 2, 2), np.float32)


def raises(kind: Any, words: str, function: Callable[[Any], Any], argument: Any = x) -> None:
    try:
        fw.function(function)(argument)
    except kind as error:
        assert words in str(error), (words, error)
    else:
        raise AssertionError(f"expected an error: {words}")


wrong: Any = "a"
raises(TypeError, "nn.layer_norm: expected a number as epsilon, found 'a'",
       lambda y: nn.layer_norm(y, axes=[1], epsilon=wrong))  # fmt: skip
raises(TypeError, "nn.layer_norm: expected a sequence of integers as axes, found [1.5]",
       lambda y: nn.layer_norm(y, axes=[1.5]))  # type: ignore[list-item]  # fmt: skip
raises(TypeError, "nn.elu: expected a number as alpha, found None",
       lambda y: nn.elu(y, alpha=None))  # type: ignore[arg-type]  # fmt: skip
raises(TypeError, "expected an integer as the seed of dropout, found float",
       lambda y: nn.dropout(y, 0.5, seed=1.5))  # type: ignore[arg-type]  # fmt: skip

# Windows: two numbers each.
for steps in (2, [2], [2.0, 2.0], None, "ab"):
    given: Any = steps
    if steps is not None:
        raises(TypeError, f"expected two integers as strides, of height and width, found {steps!r}",
               lambda y: nn.conv2d(y, kernel, strides=given), image)  # fmt: skip
        raises(TypeError, f"expected two integers as dilations, of height and width, found {steps!r}",
               lambda y: nn.conv2d(y, kernel, dilations=given), image)  # fmt: skip
    raises(TypeError, f"expected two integers as window, of height and width, found {steps!r}",
           lambda y: nn.max_pool2d(y, given), image)  # fmt: skip
    if steps not in (None, "ab"):
        raises(ValueError, f"[(top, bottom), (left, right)] of at least 0, found {steps!r}",
               lambda y: nn.conv2d(y, kernel, padding=given), image)  # fmt: skip
raises(ValueError, "of at least 0, found [(-1, 1), (0, 0)]",
       lambda y: nn.conv2d(y, kernel, padding=[(-1, 1), (0, 0)]), image)  # fmt: skip
raises(TypeError, "nn.conv2d: expected a sequence of integers as dilations, found [1180591620717411303424, 1]",
       lambda y: nn.conv2d(y, kernel, dilations=[2**70, 1]), image)  # fmt: skip
raises(fw.CompileError, "(9, 9, 2, 2): expected an image whose height is at least 9, that of one window, found 5",
       lambda y: nn.conv2d(y, np.ones((9, 9, 2, 2), np.float32)), image)  # fmt: skip
numpy_steps: Any = (np.int64(2), 2)
found = fw.function(lambda y: nn.conv2d(y, kernel, strides=numpy_steps, padding=[(1, 1), (1, 1)]))(image)
assert found.shape == (1, 3, 3, 2)

# Shapes.
raises(ValueError, "expected dimension sizes of at least 0, or None, found (-1,)", lambda y: fw.zeros((-1,)))
raises(TypeError, "one_hot: expected an integer or a scalar tensor as depth, found 'a'",
       lambda y: nn.one_hot(fw.cast(y, "int32"), wrong))  # fmt: skip
