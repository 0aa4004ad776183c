# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, jax, onnx, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B9: imported losses whose derivatives are 0 everywhere, or do not exist, train as in their frameworks.

JAX gives zeros to what a loss does not use; PyTorch gives none, and zeros where a derivative is 0. A gradient of zeros
moves a parameter that decays or has a momentum."""

from typing import Any, Callable, Dict, List

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

import flywheel as fw
import flywheel.jax
import flywheel.onnx
import flywheel.torch

X = np.array([0.5, -1.5, 2.0], np.float32)
STEPS: Dict[str, Callable[[Any], Any]] = {
    "round": torch.round, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc, "sign": torch.sign,
    "divided": lambda a: torch.div(a, 0.3, rounding_mode="floor"), "zero": lambda a: a * 0}  # fmt: skip
# Functions without a derivative in PyTorch.
CUT: Dict[str, Callable[[Any], Any]] = {
    "detach": lambda a: a.detach() * 2, "argmax": lambda a: torch.argmax(a).float(),
    "greater": lambda a: (a > 0).float()}  # fmt: skip


class Module(torch.nn.Module):  # type: ignore[misc]
    """`a` has a gradient of zeros, `c` one that is not zero, and `b` none."""

    def __init__(self, function: Callable[[Any], Any], has_other: bool):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor([1.3, -0.7, 0.4]))
        self.b = torch.nn.Parameter(torch.ones(3))
        self.c = torch.nn.Parameter(torch.full((3,), 0.5)) if has_other else None
        self.function = function

    def forward(self, x: Any) -> Any:
        result = self.function(self.a) * x
        return result if self.c is None else result + self.c


def train_torch(module: Any) -> List[float]:
    x, target = torch.from_numpy(X), torch.ones(3)
    optimizer, losses = torch.optim.AdamW(module.parameters(), lr=0.1, weight_decay=0.1), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(module(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def make(function: Callable[[Any], Any], has_other: bool) -> Any:
    return flywheel.torch.from_module(
        Module(function, has_other), (torch.from_numpy(X),), loss=torch.nn.MSELoss(), example_targets=(torch.ones(3),),
        optimizer=fw.optimizers.AdamW(lr=0.1, weight_decay=0.1))  # fmt: skip


def test_torch() -> None:
    for name, function in {**STEPS, **CUT}.items():
        for has_other in (True, False):
            with fw.Namespace(), fw.Store():
                if name in CUT and not has_other:
                    # PyTorch: element 0 of tensors does not require grad.
                    try:
                        make(function, has_other)
                        raise AssertionError(f"{name}: expected an error")
                    except ValueError as error:
                        assert "No gradients provided for any variable" in str(error), error
                    continue
                theirs, ours = Module(function, has_other), make(function, has_other)
                expected = train_torch(theirs)
                found = [float(ours.step(torch.from_numpy(X), torch.ones(3))) for _ in range(3)]
                np.testing.assert_allclose(found, expected, 1e-5, err_msg=name)
                for path, value in theirs.state_dict().items():
                    np.testing.assert_allclose(ours.state_dict()[path], value, 1e-5, err_msg=f"{name}: {path}")


def test_jax() -> None:
    functions: Dict[str, Callable[[Any], Any]] = {
        "round": jnp.round, "floor": jnp.floor, "sign": jnp.sign, "stop": jax.lax.stop_gradient,
        "argmax": lambda a: jnp.argmax(a).astype(jnp.float32), "greater": lambda a: (a > 0).astype(jnp.float32),
        "constant": lambda a: jnp.ones(3), "cond": lambda a: jax.lax.cond(a[0] > 0, jnp.round, jnp.floor, a),
        "loop": lambda a: jax.lax.fori_loop(0, 3, lambda i, s: jnp.round(s * 1.5), a)}  # fmt: skip
    start = {"a": np.array([1.3, -0.7, 0.4], np.float32), "b": np.ones(2, np.float32)}
    for name, function in functions.items():
        for has_other in (True, False):
            def loss(params: Any, x: Any, own: Any = function, other: bool = has_other) -> Any:
                return jnp.sum(own(params["a"]) * x) + (jnp.sum(params["c"] ** 2) if other else 0.0)

            params = {**start, "c": np.full(3, 0.5, np.float32)} if has_other else start
            gradients = jax.grad(loss)(params, X)
            with fw.Namespace(), fw.Store():
                ours = flywheel.jax.from_function(
                    loss, params, (X,), optimizer=fw.optimizers.AdamW(lr=0.5, weight_decay=0.1))  # fmt: skip
                assert np.isclose(ours.step(X), loss(params, X)), name
                for path, value in ours.params().items():
                    # The first step of Adam is by the rate, whatever the size of a gradient.
                    wanted = params[path] * (1 - 0.5 * 0.1) - 0.5 * np.sign(gradients[path])
                    np.testing.assert_allclose(value, wanted, 1e-5, err_msg=f"{name}: {path}")


def test_onnx() -> None:
    for op in ("Round", "Floor", "Ceil", "Sign"):
        nodes = [helper.make_node(op, ["a"], ["r"]), helper.make_node("Mul", ["r", "x"], ["y"])]
        info = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [3]) for name in ("x", "y")]
        weights = [numpy_helper.from_array(np.array([1.3, -0.7, 0.4], np.float32), "a"),
                   numpy_helper.from_array(np.ones(3, np.float32), "b")]  # fmt: skip
        graph = helper.make_graph(nodes, "steps", info[:1], info[1:], weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        with fw.Namespace(), fw.Store():
            ours = flywheel.onnx.load(model, loss=lambda y, t: fw.mean((y - t) ** 2),
                                      optimizer=fw.optimizers.AdamW(lr=0.5, weight_decay=0.1))  # fmt: skip
            ours.step(X, np.ones(3, np.float32))
            state = ours.state_dict()
            np.testing.assert_allclose(state["a"], np.array([1.3, -0.7, 0.4]) * 0.95, 1e-5, err_msg=op)
            assert (state.get("b", np.ones(3)) == 1).all(), op


def test_minimize() -> None:
    """`unconnected="zeros"`: slots and decays move as along a gradient of zeros."""
    for through in (fw.floor, lambda w: w * 0, fw.stop_gradient, lambda w: 1.0):
        with fw.Namespace(), fw.Store():
            w, v = fw.Variable([2.0, -1.5], name="w"), fw.Variable(1.0, name="v")
            adam = fw.optimizers.AdamW(lr=0.1, weight_decay=0.5)

            @fw.function
            def step(x: Any, own: Any = through) -> Any:
                loss = fw.sum(own(w) * x) + v * v
                adam.minimize(loss, [w, v], unconnected="zeros", clip_global_norm=10.0)
                return loss

            step(np.float32(3.0))
            np.testing.assert_allclose(w.numpy(), [1.9, -1.425], 1e-5)
            assert v.numpy() < 0.9


if __name__ == "__main__":
    test_minimize()
    test_jax()
    test_onnx()
    test_torch()
