# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""G1: the gradient of a tensor that is read in parts has one accumulator, wherever the parts are read: the steps of a
recurrent network may take theirs when they need them, or all before the first step."""

import sys
from typing import Any, Callable, List

import numpy as np

import flywheel as fw

UNITS = 16
rng = np.random.default_rng(5)
Parts = Callable[[Any], List[Any]]


def slices(x: Any) -> List[Any]:
    return [x[t] for t in range(x.shape[0])]


def pieces(x: Any) -> List[Any]:
    return [fw.reshape(part, part.shape[1:]) for part in fw.split(x, x.shape[0])]


def rows(x: Any) -> List[Any]:
    return [fw.take(x, fw.constant(np.int32(t)), 0) for t in range(x.shape[0])]


def late(x: Any) -> Any:
    """Parts that are read when they are needed."""

    class Late:
        def __getitem__(self, t: int) -> Any:
            return x[t]

    return Late()


def of_inputs(parts: Callable[[Any], Any]) -> Callable[..., Any]:
    def loss(w: Any, u: Any, x: Any) -> Any:
        inputs, state = parts(x @ w), fw.zeros([UNITS], x.dtype)
        for t in range(x.shape[0]):
            state = fw.tanh(inputs[t] + state @ u)
        return fw.sum(fw.square(state))

    return loss


def of_weights(parts: Callable[[Any], Any]) -> Callable[..., Any]:
    def loss(w: Any, x: Any) -> Any:
        own, state = parts(w), x
        for t in range(w.shape[0]):
            state = fw.tanh(state @ own[t])
        return fw.sum(fw.square(state))

    return loss


def check(name: str, program: Callable[..., Callable[..., Any]], count: int, arguments: List[Any]) -> None:
    wanted = tuple(range(count))
    expected = fw.function(fw.grad(program(late), argnums=wanted))
    gradients = expected(*arguments)
    limit = expected.trace(*arguments).program.entries[0].workspace_bytes()
    for parts in (slices, pieces, rows):
        function = fw.function(fw.grad(program(parts), argnums=wanted))
        for found, right in zip(function(*arguments), gradients):
            np.testing.assert_allclose(found, right, 1e-4, 1e-6, err_msg=f"{name} {parts.__name__}")
        size = function.trace(*arguments).program.entries[0].workspace_bytes()
        # Gathered rows are a copy, not a part.
        if parts is not rows and size > 1.2 * limit:
            sys.exit(f"{name} {parts.__name__}: expected at most 1.2 times {limit} bytes, found {size}")


for steps in (8, 32):
    table = rng.standard_normal((steps, UNITS)).astype(np.float32)
    weights = (rng.standard_normal((UNITS, UNITS)) / 4).astype(np.float32)
    own_weights = (rng.standard_normal((steps, UNITS, UNITS)) / 4).astype(np.float32)
    check("of inputs", of_inputs, 2, [weights, weights, table])
    check("of weights", of_weights, 1, [own_weights, table[0]])
