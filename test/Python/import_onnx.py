# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx, onnxruntime, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Models that PyTorch exports to ONNX train 20 steps here and there: losses and weights are compared (B2), inference is
compared with onnxruntime, which also runs the weights that are written back (B3)."""

import os
import sys
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.onnx

Array = Any
Loss = Callable[..., Any]

FOLDER = tempfile.TemporaryDirectory()


def export(module: Any, inputs: Sequence[Any], dynamic: Sequence[Dict[int, str]], is_legacy: bool = False) -> str:
    """The path of the module as ONNX, in training mode."""
    path = os.path.join(FOLDER.name, f"{type(module).__name__}_{len(os.listdir(FOLDER.name))}.onnx")
    names = [f"input_{i}" for i in range(len(inputs))]
    module.train()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_legacy:
            torch.onnx.export(
                module, tuple(inputs), path, dynamo=False, training=torch.onnx.TrainingMode.TRAINING, input_names=names,
                do_constant_folding=False, dynamic_axes=dict(zip(names, dynamic)))  # fmt: skip
        else:
            torch.onnx.export(
                module, tuple(inputs), path, dynamo=True, input_names=names, verbose=False,
                dynamic_shapes=tuple(dict(one) for one in dynamic))  # fmt: skip
    return path


def run(path: str, *inputs: Any) -> Array:
    session = onnxruntime.InferenceSession(path)
    names = [one.name for one in session.get_inputs()]
    return session.run(None, dict(zip(names, map(np.asarray, inputs))))[0]


def train(module: Any, inputs: Sequence[Any], target: Any, loss: Loss, rate: float, steps: int) -> List[float]:
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
    module: Any, inputs: Sequence[Any], target: Any, loss: Loss, our_loss: Any, dynamic: Sequence[Dict[int, str]] = (),
    is_legacy: bool = False, rate: float = 0.1, rtol: float = 2e-4, names: Sequence[str] = (),
) -> Tuple[Any, str]:  # fmt: skip
    """Trains the exported model and the module, and compares; the weights of these names, by default all."""
    dynamic = dynamic or [{} for _ in inputs]
    with torch.no_grad():
        # Exporters make one initializer of those that are equal, and leave out biases of 0.
        for parameter in module.parameters():
            parameter += 0.05 * torch.rand_like(parameter)
    path = export(module, inputs, dynamic, is_legacy)
    feeds = [one.numpy() for one in (*inputs, target)]
    ours = flywheel.onnx.load(path, loss=our_loss, optimizer=fw.optimizers.SGD(lr=rate))
    found = [float(ours.step(*feeds)) for _ in range(20)]
    expected = train(module, inputs, target, loss, rate, 20)
    assert expected[-1] < expected[0], "the model does not learn"
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-5)
    state = ours.state_dict()
    for name, value in module.named_parameters():
        if not names or name in names:
            np.testing.assert_allclose(state[name], value.detach(), rtol=rtol * 10, atol=rtol * 10, err_msg=name)
    # Inference is that of PyTorch, and of the file that is written, by onnxruntime.
    module.eval()
    with torch.no_grad():
        wanted = module(*inputs).numpy()
    np.testing.assert_allclose(ours(*feeds[:-1]), wanted, rtol=1e-2, atol=rtol * 20)
    trained = os.path.join(FOLDER.name, "trained.onnx")
    ours.export_weights(trained)
    onnx.checker.check_model(trained, full_check=True)
    return ours, trained


def check_written(ours: Any, trained: str, inputs: Sequence[Any], rtol: float = 1e-4) -> None:
    feeds = [one.numpy() for one in inputs]
    wanted = ours(*feeds)
    np.testing.assert_allclose(run(trained, *feeds), wanted, rtol=rtol, atol=rtol)
    # In another store, where `ours` has its initial values.
    with fw.Namespace(), fw.Store():
        again = flywheel.onnx.load(trained)
        np.testing.assert_array_equal(again(*feeds), wanted)


CROSS = "sparse_softmax_cross_entropy"


def test_perceptron() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).double()
    x, y = torch.randn(5, 8, dtype=torch.float64), torch.randint(0, 4, (5,))
    ours, trained = beside(module, (x,), y, nn.CrossEntropyLoss(), CROSS, [{0: "batch"}], rtol=1e-9)
    check_written(ours, trained, (x,), 1e-9)
    assert sorted(ours.variables) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert all(variable.trainable for variable in ours.variables.values())
    # Another batch does not need another program.
    wide = torch.randn(9, 8, dtype=torch.float64)
    np.testing.assert_allclose(ours(wide), module(wide).detach(), rtol=1e-9)
    ours.step(wide.numpy(), np.zeros(9, np.int64))
    assert len(ours._steps) == 1


class Convolutions(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.second = nn.Conv2d(6, 6, 3, stride=2, groups=2)
        self.dense = nn.Linear(6 * 9, 4)

    def forward(self, x: Any) -> Any:
        x = functional.max_pool2d(torch.relu(self.norm(self.first(x))), 2)
        return self.dense(torch.relu(self.second(x)).flatten(1))


def test_convolutions() -> None:
    """Batch norms by statistics of the batch, whose variance ONNX moves without Bessel's correction."""
    torch.manual_seed(1)
    module = Convolutions()
    x, y = torch.randn(4, 3, 15, 15), torch.randint(0, 4, (4,))
    ours, trained = beside(module, (x,), y, nn.CrossEntropyLoss(), CROSS, [{0: "batch"}], is_legacy=True, rate=0.05)
    assert not ours.variables["norm.running_mean"].trainable
    assert ours.variables["first.weight"].shape == (3, 3, 3, 6)
    state = ours.state_dict()
    assert state["first.weight"].shape == (6, 3, 3, 3)
    np.testing.assert_allclose(state["norm.running_mean"], module.norm.running_mean, rtol=1e-3, atol=1e-4)
    count = 4 * 15 * 15
    # v' = 0.9 v + 0.1 u n / (n - 1), and here without the factor.
    start = 0.9**20
    expected = (module.norm.running_var - start) * (count - 1) / count + start
    np.testing.assert_allclose(state["norm.running_var"], expected, rtol=1e-3)
    ours.load_state_dict(state)


def test_modes() -> None:
    """A file says that batch norms are for inference; a step has its mode, if it is asked to."""
    torch.manual_seed(2)
    module = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4), nn.Flatten(), nn.Dropout(0.5), nn.Linear(4 * 6, 1))
    x, y = torch.randn(3, 2, 8), torch.randn(3, 1)
    module[1].running_mean += 0.5
    path = os.path.join(FOLDER.name, "modes.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module.eval(), (x,), path, dynamo=False, training=torch.onnx.TrainingMode.PRESERVE,
                          do_constant_folding=False, input_names=["x"])  # fmt: skip
    # The exporter found the weight and the variance, all ones, equal.
    kinds = [node.op_type for node in onnx.load(path).graph.node]
    assert "BatchNormalization" in kinds and "Identity" in kinds, kinds
    options: Any = {"loss": "mean_squared_error", "optimizer": fw.optimizers.SGD(lr=0.1)}
    ours = flywheel.onnx.load(path, keep_modes=True, **options)
    assert ours.variables["1.weight"].trainable and not ours.variables["1.running_var"].trainable
    found = [float(ours.step(x.numpy(), y.numpy())) for _ in range(5)]
    np.testing.assert_allclose(found, train(module, (x,), y, nn.MSELoss(), 0.1, 5), rtol=1e-4)
    np.testing.assert_array_equal(ours.state_dict()["1.running_mean"], module[1].running_mean)
    ours.export_weights(path)
    np.testing.assert_allclose(run(path, x), module(x).detach(), rtol=1e-4)
    moving = flywheel.onnx.load(path, name="moving", **options)
    moving.step(x.numpy(), y.numpy())
    assert moving.variables["1.running_mean"].name == "moving/1.running_mean"
    assert np.abs(moving.state_dict()["1.running_mean"] - 0.5).max() > 1e-3


class Block(nn.Module):  # type: ignore[misc]
    """A block of a residual network, with a projection."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(inputs, outputs, 3, 2, 1, bias=False)
        self.norm_one = nn.BatchNorm2d(outputs)
        self.two = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm_two = nn.BatchNorm2d(outputs)
        self.project = nn.Conv2d(inputs, outputs, 1, 2)

    def forward(self, x: Any) -> Any:
        y = self.norm_two(self.two(torch.relu(self.norm_one(self.one(x)))))
        return torch.relu(y + self.project(x))


def test_residual() -> None:
    torch.manual_seed(3)
    module = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Block(8, 8), Block(8, 12), nn.AdaptiveAvgPool2d(1),
                           nn.Flatten(), nn.Linear(12, 5))  # fmt: skip
    x, y = torch.randn(6, 3, 12, 12), torch.randint(0, 5, (6,))
    beside(module, (x,), y, nn.CrossEntropyLoss(), CROSS, [{0: "batch"}], is_legacy=True, rate=0.02, rtol=1e-3)


class Tokens(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(20, 16)
        self.layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, activation="gelu", batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, tokens: Any) -> Any:
        return self.out(self.layer(self.table(tokens)))


def test_transformer() -> None:
    torch.manual_seed(4)
    module = Tokens()
    tokens, targets = torch.randint(0, 20, (3, 7)), torch.randint(0, 20, (3, 7))

    def loss(out: Any, wanted: Any) -> Any:
        return functional.cross_entropy(out.flatten(0, 1), wanted.flatten())

    for dynamic in ([{0: "batch", 1: "time"}], None):
        with fw.Namespace(), fw.Store():
            names = ["table.weight", "layer.norm1.weight", "layer.norm2.bias", "layer.linear1.bias", "out.bias"]
            ours, trained = beside(module, (tokens,), targets, loss, CROSS, dynamic or (), rate=0.05, rtol=1e-3,
                                   names=names)  # fmt: skip
            check_written(ours, trained, (tokens,))
            if dynamic:
                wider = torch.randint(0, 20, (4, 9))
                np.testing.assert_allclose(ours(wider), module(wider).detach(), rtol=1e-3, atol=1e-3)


class Recurrent(nn.Module):  # type: ignore[misc]
    def __init__(self, kind: Any, is_both: bool) -> None:
        super().__init__()
        self.recurrent = kind(3, 5, batch_first=True, bidirectional=is_both)
        self.dense = nn.Linear(10 if is_both else 5, 2)

    def forward(self, x: Any) -> Any:
        return self.dense(self.recurrent(x)[0][:, -1])


def test_recurrent() -> None:
    torch.manual_seed(5)
    x, y = torch.randn(4, 6, 3), torch.randn(4, 2)
    dynamic = [{0: "batch", 1: "time"}]
    for kind, is_both, is_legacy in ((nn.LSTM, False, True), (nn.GRU, True, True), (nn.RNN, False, True),
                                     (nn.LSTM, True, False)):  # fmt: skip
        with fw.Namespace(), fw.Store():
            module = Recurrent(kind, is_both)
            ours, trained = beside(module, (x,), y, nn.MSELoss(), "mean_squared_error", dynamic, is_legacy,
                                   names=["dense.weight", "dense.bias"])  # fmt: skip
            check_written(ours, trained, (x,))
            longer = torch.randn(2, 9, 3)
            np.testing.assert_allclose(ours(longer), module(longer).detach(), rtol=1e-3, atol=1e-4)


class Pyramid(nn.Module):  # type: ignore[misc]
    """Down and up again, with groups of channels."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.down = nn.Conv2d(8, 12, 3, 2, 1)
        self.up = nn.ConvTranspose2d(12, 8, 2, 2)
        self.norm = nn.GroupNorm(4, 8)
        self.out = nn.Conv2d(24, 2, 3, padding=1)

    def forward(self, x: Any) -> Any:
        x = functional.hardswish(self.first(x))
        up = self.norm(self.up(torch.relu(self.down(x))))
        small = functional.interpolate(functional.avg_pool2d(x, 2), scale_factor=2, mode="nearest")
        return self.out(torch.cat([x, up, small], 1))


def test_pyramid() -> None:
    """Initializers that the exporter makes of a module's constants are not trained: here the scale and the bias of a
    norm that the norm of groups becomes."""
    torch.manual_seed(7)
    x, y = torch.randn(2, 3, 16, 16), torch.randn(2, 2, 16, 16)
    for is_legacy in (False, True):
        with fw.Namespace(), fw.Store():
            ours, trained = beside(Pyramid(), (x,), y, nn.MSELoss(), "mean_squared_error", [{0: "batch"}], is_legacy,
                                   rate=0.02, rtol=1e-3, names=["up.weight", "down.weight"])  # fmt: skip
            check_written(ours, trained, (x,))


def test_part() -> None:
    """A model as part of a traced function."""
    torch.manual_seed(6)
    module = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
    x = torch.randn(7, 3)
    ours = flywheel.onnx.load(onnx.load(export(module, (x,), [{0: "batch"}])))

    @fw.function
    def twice(x: Any) -> Any:
        return ours(x) * 2

    np.testing.assert_allclose(twice(x.numpy()), 2 * module(x).detach(), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_") and (len(sys.argv) < 2 or sys.argv[1] in name):
            with fw.Namespace(), fw.Store():
                test()
