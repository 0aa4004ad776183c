# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B7: a step of an imported recurrent layer, and of cells in a loop, needs no more workspace than one that is written
with `fw.scan`, whatever the order in which PyTorch's exporter takes the slices of inputs and weights."""

import sys
import warnings
from typing import Any, Callable, Dict, List

import numpy as np
import torch

import flywheel as fw
import flywheel.torch

UNITS, STEPS, BATCH = 16, 32, 4
MOST = 1.2
x = np.zeros((BATCH, STEPS, UNITS), np.float32)


def lstm(gates: Any, state: List[Any], weights: Any, bias: Any) -> List[Any]:
    i, f, g, o = fw.split(gates + state[0] @ weights + bias, 4, 1)
    cell = fw.sigmoid(f) * state[1] + fw.sigmoid(i) * fw.tanh(g)
    return [fw.sigmoid(o) * fw.tanh(cell), cell]


def gru(gates: Any, state: List[Any], weights: Any, bias: Any) -> List[Any]:
    ours, theirs = fw.split(gates, 3, 1), fw.split(state[0] @ weights + bias, 3, 1)
    reset, update = fw.sigmoid(ours[0] + theirs[0]), fw.sigmoid(ours[1] + theirs[1])
    new = fw.tanh(ours[2] + reset * theirs[2])
    return [(1 - update) * new + update * state[0]]


def rnn(gates: Any, state: List[Any], weights: Any, bias: Any) -> List[Any]:
    return [fw.tanh(gates + state[0] @ weights + bias)]


CELLS: Dict[str, Any] = {"LSTM": (lstm, 4, 2), "GRU": (gru, 3, 1), "RNN": (rnn, 1, 1)}


def workspace_of(step: Callable[..., Any]) -> int:
    trace: Any = step.trace(x)  # type: ignore[attr-defined]
    return int(trace.program.entries[0].workspace_bytes())


def written(kind: str) -> int:
    """The bytes of a step of the layer, by hand."""
    cell, gates, states = CELLS[kind]
    rng = np.random.default_rng(0)
    shapes = [(UNITS, gates * UNITS), (UNITS, gates * UNITS), (gates * UNITS,), (gates * UNITS,)]
    w, u, b, c = (fw.Variable((rng.standard_normal(shape) / 4).astype(np.float32)) for shape in shapes)
    sgd = fw.optimizers.SGD(lr=0.1)

    @fw.function
    def train(inputs: Any) -> Any:
        each = fw.swapaxes(inputs, 0, 1) @ w + b

        def step(state: Any, own: Any) -> Any:
            new = cell(own, state, u, c)
            return new, new[0]

        _, outputs = fw.scan(step, [fw.zeros([BATCH, UNITS])] * states, each)
        loss = fw.sum(fw.square(outputs))
        sgd.minimize(loss)
        return loss

    return workspace_of(train)


class Layer(torch.nn.Module):  # type: ignore[misc]
    """A layer of PyTorch's, or its cell at each step."""

    def __init__(self, kind: str, is_cell: bool):
        super().__init__()
        self.is_cell, self.states = is_cell, CELLS[kind][2]
        options = {} if is_cell else {"batch_first": True}
        self.inner = getattr(torch.nn, kind + ("Cell" if is_cell else ""))(UNITS, UNITS, **options)

    def forward(self, inputs: Any) -> Any:
        if not self.is_cell:
            return self.inner(inputs)[0]
        state, outputs = [torch.zeros(BATCH, UNITS)] * self.states, []
        for t in range(STEPS):
            found = self.inner(inputs[:, t], tuple(state) if self.states > 1 else state[0])
            state = list(found) if self.states > 1 else [found]
            outputs.append(state[0])
        return torch.stack(outputs, 1)


def imported(kind: str, is_cell: bool) -> int:
    model = flywheel.torch.from_module(
        Layer(kind, is_cell), (torch.from_numpy(x),), loss=lambda y: fw.sum(fw.square(y)),
        optimizer=fw.optimizers.SGD(lr=0.1))  # fmt: skip
    assert model._step is not None
    return workspace_of(model._step)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for kind in CELLS:
        with fw.Namespace(), fw.Store():
            limit = written(kind)
        for is_cell in (False, True):
            with fw.Namespace(), fw.Store():
                found = imported(kind, is_cell)
            print(f"{kind}{' cell' if is_cell else ''}: {found} bytes, by hand {limit}", flush=True)
            if found > MOST * limit:
                sys.exit(f"expected at most {MOST} times {limit} bytes")
