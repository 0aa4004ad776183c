# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Modules of PyTorch train 20 steps here and there: losses, parameters and buffers are compared."""

from typing import Any, Callable, List, Optional, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.torch
from configurations import raises

Array = Any
Target = Optional[Any]


def train(
    module: Any, inputs: Sequence[Any], target: Any, loss: Callable[..., Any], rate: float, steps: int
) -> List[float]:
    sgd = torch.optim.SGD(module.parameters(), rate)
    losses = []
    for _ in range(steps):
        sgd.zero_grad()
        value = loss(module(*inputs), target)
        value.backward()
        sgd.step()
        losses.append(value.item())
    return losses


def beside(
    module: Any, inputs: Sequence[Any], target: Any, loss: Any, rate: float = 0.1, steps: int = 20, rtol: float = 2e-4,
    dynamic_shapes: Any = None,
) -> Any:  # fmt: skip
    """Trains a copy here, and compares."""
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(
            module, inputs, loss=loss, optimizer=fw.optimizers.SGD(lr=rate), example_targets=(target,),
            dynamic_shapes=dynamic_shapes)  # fmt: skip
        found = [float(ours.step(*inputs, target)) for _ in range(steps)]
        expected = train(module, inputs, target, loss, rate, steps)
        assert expected[-1] < expected[0], "the model does not learn"
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-5)
        state = ours.state_dict()
        assert list(state) == list(module.state_dict())
        for name, value in module.state_dict().items():
            assert state[name].dtype == value.dtype
            np.testing.assert_allclose(state[name].float(), value.float(), rtol=rtol * 10, atol=rtol * 10, err_msg=name)
        # For inference, with what it has learned.
        was_training = module.training
        module.eval()
        with torch.no_grad():
            wanted = module(*inputs)
        found_now = np.asarray(ours(*inputs)).astype(np.float32)
        np.testing.assert_allclose(found_now, wanted.float(), rtol=1e-2, atol=rtol * 20)
        module.train(was_training)
        # And back: PyTorch takes the state as its own.
        module.load_state_dict(state)
        ours.load_state_dict(module.state_dict())
        return ours


def test_perceptron() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    ours = beside(module, (torch.randn(5, 8),), torch.randint(0, 4, (5,)), nn.CrossEntropyLoss())
    assert sorted(ours.variables) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert ours.variables["0.weight"].shape == (16, 8) and ours.variables["0.weight"].trainable


def test_own_loss() -> None:
    """A loss of this package's ops, an import for inference, and a module as part of a traced function."""
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
    x, y = torch.randn(7, 3), torch.randn(7, 2)
    with fw.Namespace(), fw.Store():
        ours = flywheel.torch.from_module(
            module, (x,), loss=lambda out, target: fw.mean(fw.square(out - target)),
            optimizer=fw.optimizers.SGD(lr=0.1))  # fmt: skip
        found = [float(ours.step(x, y)) for _ in range(20)]
        np.testing.assert_allclose(found, train(module, (x,), y, functional.mse_loss, 0.1, 20), rtol=1e-4)

        @fw.function
        def twice(x: Any) -> Any:
            return ours(x) * 2

        np.testing.assert_allclose(twice(x.numpy()), 2 * module(x).detach(), rtol=1e-4, atol=1e-5)
        frozen = flywheel.torch.from_module(module, (x,), name="frozen")
        np.testing.assert_allclose(frozen(x), module(x).detach(), rtol=1e-4, atol=1e-5)
        assert frozen.variables["0.bias"].name == "frozen/0.bias"
        try:
            frozen.step(x, y)
        except ValueError as error:
            assert "a loss and an optimizer" in str(error)
        else:
            raise AssertionError("a step without an optimizer")


def test_arguments() -> None:
    """A wrong module, example, loss, optimizer or state of the module is named in the error."""
    layer, x = nn.Linear(3, 4), torch.zeros(2, 3)
    make: Any = flywheel.torch.from_module
    mse, sgd = fw.nn.mean_squared_error, fw.optimizers.SGD(lr=0.1)
    raises(TypeError, "expected a torch.nn.Module, found function", lambda: make(lambda x: x, (x,)))
    raises(TypeError, "a tuple of example inputs, found Tensor", lambda: make(layer, x))
    raises(TypeError, "a tuple of example targets, found Tensor",
           lambda: make(layer, (x,), loss=nn.MSELoss(), optimizer=sgd, example_targets=x))  # fmt: skip
    raises(TypeError, "torch.nn.MSELoss(), found 'mse'", lambda: make(layer, (x,), loss="mse", optimizer=sgd))
    theirs = torch.optim.SGD(layer.parameters(), lr=0.5)
    raises(TypeError, "found one of torch.optim.sgd: use flywheel.optimizers.SGD(lr=0.5)",
           lambda: make(layer, (x,), loss=mse, optimizer=theirs))  # fmt: skip
    raises(TypeError, "an optimizer of flywheel.optimizers, found 'sgd'",
           lambda: make(layer, (x,), loss=mse, optimizer="sgd"))  # fmt: skip
    with fw.Namespace(), fw.Store():
        make(layer, (x,))
        ours = make(layer, (x,))
        state = ours.state_dict()
        changed = {"bias": state["bias"] + 1, "weight": torch.zeros(2, 2)}
        raises(ValueError, "'weight' of the module has the shape (4, 3), found (2, 2)",
               lambda: ours.load_state_dict({**changed}))  # fmt: skip
        changed["weight"] = state["weight"].double()
        raises(TypeError, "'weight': Expected float32", lambda: ours.load_state_dict(changed))
        assert torch.equal(ours.state_dict()["bias"], state["bias"])


def test_unsupported() -> None:
    """All ops that are missing, with their lines, before anything is compiled."""

    class Strange(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            y = torch.special.airy_ai(x)  # line of airy
            return torch.special.spherical_bessel_j0(y) + torch.special.airy_ai(x).sum()

    try:
        flywheel.torch.from_module(Strange(), (torch.randn(3, 3),))
    except flywheel.torch.UnsupportedOpError as error:
        text = str(error)
        with open(__file__) as file:
            line = next(i for i, text in enumerate(file, 1) if "# line of airy" in text and "torch.special" in text)
        assert "2 ops of this PyTorch model are not imported" in text, text
        assert "aten.special_airy_ai.default" in text and "aten.special_spherical_bessel_j0.default" in text, text
        assert f"{__file__}:{line}" in text, text
        assert len(error.missing) == 3
    else:
        raise AssertionError("an op that is not imported")


def test_unsupported_forms() -> None:
    """So are all forms of ops that are not imported."""

    class Strange(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            table = functional.embedding_bag(x.flatten()[:4].to(torch.int64).view(2, 2) * 0, x[0, 0], mode="max")
            return table.sum() + x[x > 0].sum()

    try:
        flywheel.torch.from_module(Strange(), (torch.randn(1, 1, 5, 5),))
    except flywheel.torch.UnsupportedOpError as error:
        text = str(error)
        assert "2 ops of this PyTorch model" in text, text
        assert "aten.index.Tensor by booleans" in text and "with mode='max'" in text, text
    else:
        raise AssertionError("forms that are not imported")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
