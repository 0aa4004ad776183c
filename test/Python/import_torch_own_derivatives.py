# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Derivatives that a module of PyTorch defines itself: those of `torch.autograd.Function` are PyTorch's, and hooks of
gradients, which no step calls, are refused by name. Assertions about elements are errors of a step (B11)."""

from typing import Any, Callable, Dict

import numpy as np
import torch
from torch import nn

import flywheel as fw
import flywheel.torch

Module: Any = nn.Module
Function: Any = torch.autograd.Function


class Rounded(Function):  # type: ignore[misc]
    """Rounds; the derivative is that of the identity."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.round()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


class Reversed(Function):  # type: ignore[misc]
    """Changes the sign of the derivative; with `setup_context` and an argument that is not a tensor."""

    @staticmethod
    def forward(x: Any, factor: float) -> Any:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return -ctx.factor * g, None


class Several(Function):  # type: ignore[misc]
    """Two arguments and results, one of integers, with tensors that are saved, and a derivative that is not its own."""

    @staticmethod
    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        y = x @ w
        return (y > 0).sum(1), y.exp()

    @staticmethod
    def backward(ctx: Any, _: Any, g: Any) -> Any:
        x, w = ctx.saved_tensors
        product = g * (x @ w).exp()
        return (2 * product @ w.T if ctx.needs_input_grad[0] else None), x.T @ product


class Nested(Function):  # type: ignore[misc]
    """A function that calls another one in its derivative."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * Rounded.apply(3 * ctx.saved_tensors[0]).cos()


class Model(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(3, 3)
        self.w = nn.Parameter(torch.randn(3, 4) * 0.1)

    def forward(self, x: Any) -> Any:
        x = Nested.apply(Rounded.apply(self.dense(x) * 3) / 3)
        count, y = Several.apply(Reversed.apply(x, 0.5), self.w)
        return y * (1 + count[:, None])


def check_functions() -> None:
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        torch.manual_seed(0)
        module, x = Model().to(dtype), torch.randn(5, 3, dtype=dtype)
        module(x).square().sum().backward()
        with fw.Namespace(), fw.Store():
            ours = flywheel.torch.from_module(module, (x,), loss=lambda y: fw.sum(y * y),
                                              optimizer=fw.optimizers.SGD(lr=1.0))  # fmt: skip
            np.testing.assert_allclose(np.asarray(ours(x)), module(x).detach().numpy(), tolerance)
            ours.step(x)
            for name, parameter in module.named_parameters():
                found = (parameter - ours.state_dict()[name]).detach().numpy()
                scale = float(parameter.grad.abs().max())
                np.testing.assert_allclose(found / scale, parameter.grad.numpy() / scale, 0, tolerance, err_msg=name)


class Called(Module):  # type: ignore[misc]
    def __init__(self, function: Callable[[Any], Any]):
        super().__init__()
        self.dense = nn.Linear(3, 3)
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(self.dense(x))


def hooked(x: Any) -> Any:
    x.register_hook(lambda g: -g)
    return x


def of_parameter() -> Any:
    module = nn.Linear(3, 3)
    module.weight.register_hook(lambda g: g * 0)
    return module


def of_module() -> Any:
    module = nn.Sequential(nn.Linear(3, 3))
    module[0].register_full_backward_hook(lambda *_: None)
    return module


class Packed(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 3)

    def forward(self, x: Any) -> Any:
        return self.lstm(nn.utils.rnn.pack_padded_sequence(x[:, None], [4]))[1][0]


class Moving(Module):  # type: ignore[misc]
    """Changes a parameter that is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        with torch.no_grad():
            self.dense.bias.mul_(0.5)
        return self.dense(x)


REFUSED: Dict[str, Callable[[], Any]] = {
    "a hook of the gradient of a tensor": lambda: Called(hooked),
    "a hook of the gradient of the parameter 'weight'": of_parameter,
    "a hook of the gradient of the module '0'": of_module,
    "a PackedSequence": Packed,
    "changes its parameter 'dense.bias', which is trained": Moving,
    "by booleans, whose result has a size": lambda: Called(lambda x: x[x > 0].mean()),
}


def check_refused() -> None:
    for words, make in REFUSED.items():
        try:
            with fw.Namespace(), fw.Store():
                flywheel.torch.from_module(make(), (torch.ones(4, 3),), loss=lambda y: fw.sum(y),
                                           optimizer=fw.optimizers.SGD(lr=1.0)).step(torch.ones(4, 3))  # fmt: skip
        except NotImplementedError as error:
            assert words in str(error), f"expected '{words}', found {error}"
        else:
            raise AssertionError(f"expected an error with '{words}'")


class Scored(Module):  # type: ignore[misc]
    """A density, whose arguments PyTorch checks."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(3, 1)

    def forward(self, x: Any, scale: Any) -> Any:
        return -torch.distributions.Normal(self.dense(x), scale).log_prob(x).mean()


def check_assertions() -> None:
    torch.manual_seed(0)
    module, x, scale = Scored(), torch.randn(4, 3), torch.ones(1)
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, (x, scale), loss=lambda y: y, optimizer=fw.optimizers.SGD(lr=0.1))
        np.testing.assert_allclose(float(ours.step(x, scale)), float(module(x, scale).detach()), 1e-6)
        before = ours.state_dict()
        try:
            ours.step(x, -scale)
        except Exception as error:
            assert "constraint" in str(error), error
        else:
            raise AssertionError("expected an error about a negative scale")
        for name, value in ours.state_dict().items():
            assert torch.equal(value, before[name]), name


if __name__ == "__main__":
    check_functions()
    check_refused()
    check_assertions()
    print("passed")
