# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Modules that PyTorch itself does not export: the error names the op, the line and the module, and has the exporter's
error as its cause. Errors of a module itself are raised as they are (B7)."""

from typing import Any, Callable, Dict

import torch
import torch.nn.functional as F

import flywheel.torch

Module: Any = torch.nn.Module
Function = Callable[[Any, Any], Any]


class Part(Module):  # type: ignore[misc]
    def __init__(self, function: Function):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4, 3) + 1)
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(self.weight, x)


class Whole(Module):  # type: ignore[misc]
    def __init__(self, function: Function):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Identity(), Part(function))

    def forward(self, x: Any) -> Any:
        return self.inner(x)


def by_sign(w: Any, x: Any) -> Any:
    return w if x[0, 0] > 0 else -w


def ctc(w: Any, x: Any) -> Any:
    scores = torch.log_softmax(torch.stack([w] * 3), -1)
    return F.ctc_loss(scores, torch.ones(4, 2, dtype=torch.long), torch.full((4,), 3), torch.full((4,), 2))


# Each with words of the message.
REFUSED: Dict[Function, str] = {
    lambda w, x: torch.cov(w): "cov",
    lambda w, x: F.gaussian_nll_loss(w, x, w.abs()): "gaussian_nll_loss",
    lambda w, x: torch.linalg.lstsq(w, x).solution: "linalg_lstsq",
    ctc: "ctc_loss",
    by_sign: "elements of a tensor",
}


def check_refused() -> None:
    for function, words in REFUSED.items():
        try:
            flywheel.torch.from_module(Whole(function), (torch.rand(4, 3),))
        except flywheel.torch.UnsupportedOpError as error:
            message, cause = str(error), error.__cause__
            assert words in message, message
            assert "PyTorch does not export this module" in message and "inner.1" in message, message
            assert f"{__file__}:{function.__code__.co_firstlineno}"[:-1] in message, message
            assert len(error.missing) == 1, error.missing
            assert type(cause).__module__.startswith("torch"), repr(cause)
        else:
            raise AssertionError(f"{words} was imported")


def check_own_errors() -> None:
    """A mistake of the module, and one of dynamic_shapes, in their own words."""
    try:
        flywheel.torch.from_module(Whole(lambda w, x: w @ x), (torch.rand(4, 3),))
    except RuntimeError as error:
        assert not isinstance(error, flywheel.torch.UnsupportedOpError), error
    else:
        raise AssertionError("a product of (4, 3) and (4, 3) was imported")
    batch = torch.export.Dim("batch")
    try:
        flywheel.torch.from_module(Whole(lambda w, x: w + x), (torch.rand(4, 3),), dynamic_shapes=({0: batch},))
    except Exception as error:
        assert not isinstance(error, flywheel.torch.UnsupportedOpError) and "batch" in str(error), error
    else:
        raise AssertionError("a size that the module fixes was imported as one of the call")


if __name__ == "__main__":
    check_refused()
    check_own_errors()
