# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch as a peer: eager or torch.compile, images in channels-last memory, fused optimizers."""

from __future__ import annotations

import time
from typing import Any

import torch
from rows import Row, Values
from torch.nn import functional


class Ops:
    relu, sigmoid = staticmethod(torch.relu), staticmethod(torch.sigmoid)
    leaky_relu, gelu = staticmethod(functional.leaky_relu), staticmethod(functional.gelu)
    mean_all, sum_all = staticmethod(torch.mean), staticmethod(torch.sum)

    def __init__(self, still: bool) -> None:
        self.still = still

    def one_hot(self, index: Any, count: int) -> Any:
        return functional.one_hot(torch.as_tensor(index), count).float()

    def draw_integer(self, bound: int, held: int) -> Any:
        return held if self.still else torch.randint(0, bound, ())

    def draw_normal(self, shape: tuple[int, ...], held: float) -> Any:
        return torch.full(shape, held) if self.still else torch.randn(shape)

    def dropout(self, x: Any, rate: float) -> Any:
        return x if self.still else functional.dropout(x, rate)

    def sum_last(self, x: Any) -> Any:
        return x.sum(-1)

    def square(self, x: Any, size: int) -> Any:
        return x.view(-1, size, size, 1)

    def image(self, x: Any) -> Any:
        return x.permute(0, 3, 1, 2)

    def filter(self, w: Any, size: int) -> Any:
        return w.view(1, 1, size, size)

    def conv(self, x: Any, w: Any, b: Any = None, stride: int = 1) -> Any:
        # The padding of `SAME` for an even size and a stride of 2 is after the image only.
        if stride == 2 and w.shape[2] > 1:
            return functional.conv2d(functional.pad(x, (0, 1, 0, 1)), w, b, 2)
        return functional.conv2d(x, w, b, stride, w.shape[2] // 2)

    def batch_norm(self, x: Any, v: Values, name: str) -> Any:
        mean, variance = v[name + "_mean"], v[name + "_variance"]
        return functional.batch_norm(x, mean, variance, v[name + "_gamma"], v[name + "_beta"], True, 0.1, 1e-3)

    def max_pool(self, x: Any) -> Any:
        return functional.max_pool2d(x, 2)

    def flat(self, x: Any) -> Any:
        return x.permute(0, 2, 3, 1).flatten(1)

    def mean(self, x: Any) -> Any:
        return x.mean((2, 3))

    def dense(self, x: Any, w: Any, b: Any = None) -> Any:
        return functional.linear(x, w.T, b)

    def gather(self, table: Any, index: Any) -> Any:
        return functional.embedding(index, table, sparse=hasattr(table, "sparse"))

    def layer_norm(self, x: Any, gamma: Any, beta: Any) -> Any:
        return functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5)

    def heads(self, x: Any, count: int) -> Any:
        return x.view(*x.shape[:2], count, -1).transpose(1, 2)

    def joined(self, x: Any) -> Any:
        return x.transpose(1, 2).flatten(2)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def gru(self, x: Any, wx: Any, wh: Any, bx: Any, bh: Any) -> Any:
        start = x.new_zeros(1, *x.shape[1:])
        weights = (wx.T, wh.T, bx, bh)
        return torch._VF.gru(x, start, weights, True, 1, 0.0, True, False, False)[1][0]

    def squared_error(self, x: Any, y: Any) -> Any:
        return functional.mse_loss(x, y)

    def cross_entropy(self, scores: Any, label: Any) -> Any:
        return functional.cross_entropy(scores.flatten(0, -2), label.flatten())

    def sigmoid_cross_entropy(self, score: Any, answer: float) -> Any:
        return functional.binary_cross_entropy_with_logits(score, torch.full_like(score, answer))


class Torch:
    def __init__(
        self, row: Row, values: Values, trained: list[str], feeds: list[Any], still: bool, compiled: bool
    ) -> None:
        def adopt(name: str) -> Any:
            value = torch.tensor(values[name])
            if value.dim() == 4:
                value = value.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
            value.requires_grad_(name in trained)
            if row.optimizer.kind == "sgd":  # A table: its gradient is rows.
                value.sparse = True
            return value

        v = {name: adopt(name) for name in values}
        given = [torch.tensor(feed) for feed in feeds]
        given = [feed if feed.is_floating_point() else feed.long() for feed in given]
        parameters = [v[name] for name in trained]
        o = row.optimizer
        optimizer: torch.optim.Optimizer
        if o.kind == "sgd":
            optimizer = torch.optim.SGD(parameters, o.rate)
        elif o.kind in ("momentum", "nesterov"):
            optimizer = torch.optim.SGD(parameters, o.rate, o.momentum, nesterov=o.kind == "nesterov", fused=True)
        elif o.kind == "adam":
            # PyTorch corrects the bias before it adds epsilon: this is the same at the first step.
            epsilon = o.epsilon / (1 - o.beta_2) ** 0.5
            optimizer = torch.optim.Adam(parameters, o.rate, (o.beta_1, o.beta_2), epsilon, fused=True)
        else:
            optimizer = torch.optim.AdamW(parameters, o.rate, (o.beta_1, o.beta_2), o.epsilon, o.decay, fused=True)
        if row.update_only:
            for parameter, gradient in zip(parameters, given, strict=True):
                parameter.grad = gradient

        def forward(*feeds: Any) -> Any:
            return row.loss(Ops(still), v, *feeds)

        # The function to compile: the update if that is all.
        update = optimizer.step
        if compiled and row.update_only:
            update = torch.compile(update)
        elif compiled:
            forward = torch.compile(forward)

        def step() -> Any:
            if row.update_only:
                update()
                return torch.tensor(0.0)
            loss = forward(*given)
            loss, shown = loss if isinstance(loss, tuple) else (loss, loss)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return shown.detach()

        self.step = step
        self.compile_seconds = 0.0
        self.workspace_bytes = None
        # The update takes its first step to be compiled, which is timed with it.
        if compiled and not row.update_only:
            # Compiles without taking a step.
            start = time.perf_counter()
            loss = forward(*given)
            (loss[0] if isinstance(loss, tuple) else loss).backward()
            self.compile_seconds = time.perf_counter() - start

    def wait(self) -> None:
        if torch.get_default_device().type == "cuda":
            torch.cuda.synchronize()
