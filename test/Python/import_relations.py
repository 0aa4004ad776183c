# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch, jax
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""P14: sizes of inputs that an import declares to be computed of others, such as 2*d: a call that breaks the relation
is an error, as in JAX and PyTorch, and others compute the same numbers."""

from typing import Any, Callable, List, Tuple

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import torch

import flywheel as fw
import flywheel.jax
import flywheel.torch
from configurations import run_tests

d, e = jax.export.symbolic_shape("d, e")


def ones(*sizes: int) -> List[Any]:
    return [np.arange(1, n + 1, dtype=np.float32) for n in sizes]


def total(scale: Any, *inputs: Any) -> Any:
    return sum(jnp.sum(x) * (place + 1) for place, x in enumerate(inputs)) * scale


# The sizes of the inputs, sizes that keep the relations, sizes that do not, and what the error says.
CASES: List[Tuple[Tuple[Any, ...], Tuple[int, ...], Tuple[int, ...], str]] = [
    ((d, 2 * d), (3, 6), (3, 8), "a size '2*d' in dimension 0 of input 1: found 8, expected 6"),
    ((2 * d, d), (6, 3), (8, 3), "a size '2*d' in dimension 0 of input 0: found 8, expected 6"),
    ((d, e, d * e + 1), (2, 3, 7), (2, 3, 8), "a size 'd*e + 1' in dimension 0 of input 2: found 8, expected 7"),
    ((2 * d,), (6,), (7,), "a size '2*d' in dimension 0 of input 0: found 7"),
    ((d, d), (3, 3), (3, 4), "disagree on the dimension size 'd'"),
    ((d, d**2), (3, 9), (3, 8), "found 8, expected 9"),
    ((d, d // 2), (5, 2), (5, 3), "found 3, expected 2"),
]


def expect(call: Callable[[], Any], text: str) -> None:
    try:
        call()
    except (ValueError, fw.InvalidArgumentError) as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected an error: {text}")


def test_jax() -> None:
    for sizes, good, bad, text in CASES:
        shapes = [jax.ShapeDtypeStruct((size,), np.float32) for size in sizes]
        exported = jax.export.export(jax.jit(total))(jax.ShapeDtypeStruct((), np.float32), *shapes)
        model = fw.jax.from_function(total, np.float32(2), shapes)
        for call in (model, fw.function(lambda *x, model=model: model(*x)),
                     fw.function(lambda *x, model=model: model(*x), dynamic=True)):  # fmt: skip
            np.testing.assert_allclose(call(*ones(*good)), exported.call(np.float32(2), *ones(*good)))
            wanted = text if call is model or "disagree" not in text else "found 4, expected 3"
            expect(lambda call=call, bad=bad: call(*ones(*bad)), wanted)  # type: ignore[misc]
        try:
            exported.call(np.float32(2), *ones(*bad))
        except ValueError:
            continue
        raise AssertionError("JAX takes these sizes")


class Joined(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: Any, y: Any) -> Any:
        return y.reshape(2, -1).sum(0) + x


def test_torch() -> None:
    size = torch.export.Dim("size", max=100)
    dims = ({0: size}, {0: 2 * size})
    example = tuple(map(torch.from_numpy, ones(3, 6)))
    model = fw.torch.from_module(Joined(), example, dynamic_shapes=dims)
    for n in (4, 5, 6):
        x, y = ones(n, 2 * n)
        np.testing.assert_allclose(model(x, y), Joined()(torch.from_numpy(x), torch.from_numpy(y)))
    expect(lambda: model(*ones(3, 8)), "a size '2*size' in dimension 0 of input 1: found 8, expected 6")
    expect(lambda: model(*ones(101, 202)), "for sizes of 0 to 100 as 'size', found 101")


if __name__ == "__main__":
    run_tests([test_jax, test_torch])
