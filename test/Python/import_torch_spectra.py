# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Modules of PyTorch with Fourier transforms and complex numbers: results, derivatives and states are PyTorch's, and
what is not imported is refused by name (B7)."""

from typing import Any

import numpy as np
import torch

import flywheel as fw
import flywheel.torch


class Operator(torch.nn.Module):  # type: ignore[misc]
    """A layer of a Fourier neural operator: weights, a buffer and a constant are complex."""

    def __init__(self, modes: int, length: int):
        super().__init__()
        self.modes, self.length = modes, length
        self.weight = torch.nn.Parameter(torch.randn(4, 3, modes, dtype=torch.complex64) * 0.3)
        self.register_buffer("turn", torch.polar(torch.ones(modes), torch.arange(float(modes))))
        self.register_buffer("seen", torch.zeros(modes, dtype=torch.complex64))

    def forward(self, x: Any) -> Any:
        found = torch.fft.rfft(x, dim=-1)[..., : self.modes]
        self.seen += found.mean((0, 1)).detach()
        mixed = torch.einsum("bix,iox->box", found, self.weight) * self.turn
        rest = (mixed.conj() / (mixed + 2)).angle() + torch.exp(mixed / 100).real + mixed.abs()
        return torch.fft.irfft(mixed, n=self.length, dim=-1), rest + torch.view_as_real(1 / mixed)[..., 1]


def check_operator() -> None:
    torch.manual_seed(0)
    # Lengths that one product transforms, that several do, and a prime.
    for length in (12, 300, 257):
        module, x = Operator(5, length), torch.randn(2, 4, length)
        optimizer = torch.optim.SGD([module.weight], lr=1e-3)
        with fw.Namespace(), fw.Store():
            ours = flywheel.torch.from_module(module, (x,), loss=lambda found: fw.sum(found[0] * found[0])
                                              + fw.sum(found[1]), optimizer=fw.optimizers.SGD(lr=1e-3))  # fmt: skip
            for _ in range(3):
                optimizer.zero_grad()
                first, second = module(x)
                ((first * first).sum() + second.sum()).backward()
                optimizer.step()
                ours.step(x)
            state = ours.state_dict()
            for name, own in module.state_dict().items():
                torch.testing.assert_close(state[name], own, rtol=2e-4, atol=2e-5, msg=f"{name} of {length}")
            ours.load_state_dict(module.state_dict())
            with torch.no_grad():
                for found, wanted in zip(ours(x), module(x)):
                    np.testing.assert_allclose(np.asarray(found), wanted.numpy(), 2e-4, 2e-4)


class Function(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, function: Any):
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


def check_long() -> None:
    """Transforms of many lengths and dimensions, there and back, beside PyTorch's in float64."""
    rng = np.random.default_rng(1)
    for shape in ((1,), (2,), (3, 129), (1000,), (2048,), (2, 131), (130, 6), (2, 144, 3)):
        x = torch.from_numpy(rng.normal(size=shape))

        def transforms(x: Any) -> Any:
            axis = x.shape.index(max(x.shape))
            whole = torch.fft.fft(x * (1 + 0.5j), dim=axis, norm="ortho")
            half = torch.fft.rfftn(x) * (0.5 - 2j)
            back = torch.fft.irfftn(half, s=x.shape), torch.fft.ifft(whole.roll(1, axis), dim=axis)
            return torch.view_as_real(whole), torch.view_as_real(half), back[0], torch.view_as_real(back[1])

        with fw.Namespace(), fw.Store():
            found = flywheel.torch.from_module(Function(transforms), (x,))(x)
        for own, wanted in zip(found, transforms(x)):
            np.testing.assert_allclose(np.asarray(own), wanted.numpy(), 1e-9, 1e-10, err_msg=str(shape))


REFUSED = {
    "aten.acos.default of complex numbers": lambda x: torch.acos(torch.fft.fft(x)).real,
    "expected torch.view_as_real": torch.fft.fft,
    "with a prime factor above 2048": lambda x: torch.fft.fft(torch.nn.functional.pad(x, (0, 2047))).abs(),
}


# Functions of complex numbers, which have PyTorch's results and derivatives.
FUNCTIONS = {
    **{name: getattr(torch, name) for name in (
        "exp", "expm1", "log", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sigmoid", "sgn", "square",
        "reciprocal")},
    "to 0.5": lambda z: z**0.5,
    "to 5": lambda z: z**5,
    "to -2": lambda z: z**-2,
    "to 1 + 2i": lambda z: z ** (1 + 2j),
    "2 to": lambda z: 2**z,
    "to itself": lambda z: z**z,
}  # fmt: skip


class Functions(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.real = torch.nn.Parameter(torch.randn(5, dtype=torch.float64))
        self.imaginary = torch.nn.Parameter(torch.randn(5, dtype=torch.float64))

    def forward(self, one: Any) -> Any:
        z = torch.complex(self.real, self.imaginary) * one
        return [torch.view_as_real(function(z)) for function in FUNCTIONS.values()]


def check_functions() -> None:
    torch.manual_seed(2)
    module, one = Functions(), torch.ones((), dtype=torch.float64)
    wanted = module(one)
    sum((result * result).sum() for result in wanted).backward()
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(module, (one,), loss=lambda results: sum(fw.sum(x * x) for x in results),
                                          optimizer=fw.optimizers.SGD(lr=1.0))  # fmt: skip
        for name, found, result in zip(FUNCTIONS, ours(one), wanted):
            np.testing.assert_allclose(np.asarray(found), result.detach().numpy(), 1e-9, 1e-10, err_msg=name)
        ours.step(one)
        for name, parameter in module.named_parameters():
            gradient = (parameter - ours.state_dict()[name]).detach().numpy()
            np.testing.assert_allclose(gradient, parameter.grad.numpy(), 1e-6, 1e-8, err_msg=name)


def check_refused() -> None:
    for words, function in REFUSED.items():
        try:
            with fw.Namespace(), fw.Store():
                flywheel.torch.from_module(Function(function), (torch.ones(6),))
        except NotImplementedError as error:
            assert words in str(error), f"expected '{words}', found {error}"
        else:
            raise AssertionError(f"expected an error with '{words}'")
    try:
        with fw.Namespace(), fw.Store():
            flywheel.torch.from_module(Function(torch.abs), (torch.ones(6, dtype=torch.complex64),))
    except NotImplementedError as error:
        assert "of complex numbers is not imported" in str(error), error
    else:
        raise AssertionError("expected an error about a complex argument")


if __name__ == "__main__":
    check_operator()
    check_long()
    check_functions()
    check_refused()
    print("passed")
