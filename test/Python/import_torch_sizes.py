# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Modules of PyTorch with a batch whose size the call chooses, dropout, bfloat16, parts that are frozen, and states and
arguments that do not fit."""

import tempfile
from typing import Any, Callable, List, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import flywheel as fw
import flywheel.torch
from import_torch import beside, train
from import_torch_networks import Gpt2, Gpt2ByHand, Recurrent, resnet18

CROSS_ENTROPY = nn.CrossEntropyLoss()


def steps(module: Any, make: Callable[[int], List[Any]], loss: Any = CROSS_ENTROPY, rtol: float = 1e-4) -> None:
    """Steps of several batch sizes, which are exported once."""
    batch = torch.export.Dim("batch")
    x, y = make(5)
    ours = flywheel.torch.from_module(
        module, (x,), loss=loss, example_targets=(y,), optimizer=fw.optimizers.SGD(lr=0.05),
        dynamic_shapes=({0: batch}, {0: batch}))  # fmt: skip
    for size in (5, 7, 3, 9):
        x, y = make(size)
        found = float(ours.step(x, y))
        np.testing.assert_allclose(found, train(module, (x,), y, loss, 0.05, 1)[0], rtol=rtol)


def test_dynamic_batch() -> None:
    module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    steps(module, lambda n: [torch.randn(n, 8), torch.randint(0, 4, (n,))])
    steps(Recurrent(nn.LSTM(6, 8, batch_first=True), 8), lambda n: [torch.randn(n, 5, 6), torch.randint(0, 3, (n,))])


def test_dynamic_batch_norm() -> None:
    """The running variance divides by one less than there are elements."""
    module = resnet18().double()
    steps(module, lambda n: [torch.randn(n, 3, 32, 32).double(), torch.randint(0, 10, (n,))], rtol=1e-7)


def test_empty_batch() -> None:
    """R11: it changes nothing, the running averages included."""
    module = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(16, 4))
    x, y = torch.randn(5, 3, 4, 4), torch.randint(0, 4, (5,))
    batch = torch.export.Dim("batch")
    ours = flywheel.torch.from_module(
        module, (x,), loss=nn.CrossEntropyLoss(reduction="sum"), example_targets=(y,),
        optimizer=fw.optimizers.SGD(lr=0.05), dynamic_shapes=({0: batch}, {0: batch}))  # fmt: skip
    for _ in range(2):
        ours.step(x, y)
        before = {name: variable.numpy() for name, variable in ours.variables.items()}
        assert float(ours.step(x[:0], y[:0])) == 0
        for name, value in before.items():
            if not name.endswith("num_batches_tracked"):
                np.testing.assert_array_equal(ours.variables[name].numpy(), value, err_msg=name)


def test_dynamic_attention() -> None:
    def loss(logits: Any, labels: Any) -> Any:
        return functional.cross_entropy(logits, labels.view(-1))

    for module in (Gpt2(), Gpt2ByHand()):
        with fw.Namespace(), fw.Store():
            steps(module, lambda n: [torch.randint(0, 50, (n, 12)), torch.randint(0, 50, (n, 12))], loss)


class Called(nn.Module):  # type: ignore[misc]
    def __init__(self, function: Callable[[Any], Any]):
        super().__init__()
        self.function = function
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x: Any) -> Any:
        return self.function(x * self.w)


OF_A_BATCH: List[Callable[[Any], Any]] = [
    lambda x: torch.diagonal(x @ x.T),
    lambda x: torch.diagonal(x[:, :, None] * x[:, None], dim1=-2, dim2=-1),
    lambda x: x[-1] + x[0],
    lambda x: x[torch.arange(x.shape[0]), torch.tensor([1])],
    lambda x: x.gather(1, x.argmax(1, keepdim=True)),
    lambda x: torch.zeros_like(x).index_put((torch.arange(x.shape[0]), x.argmax(1)), x[:, 0]),
    lambda x: functional.conv1d(x.T[None], torch.ones(1, 4, 3), padding=1),
    lambda x: functional.conv_transpose1d(x.T[None], torch.ones(4, 2, 3), stride=2),
    lambda x: x[:, None].squeeze(1),
    lambda x: x + 0 * torch.rand_like(x) + 0 * torch.randn(x.shape[0], 4),
    lambda x: torch.linalg.det(x[:, :, None] * x[:, None] + torch.eye(4)),
    lambda x: functional.cross_entropy(x @ x.T, torch.arange(x.shape[0])),
]


def test_ops_of_a_batch() -> None:
    """Values and derivatives of ops along a dimension whose size the call chooses, 1 too."""
    for place, function in enumerate(OF_A_BATCH):
        module = Called(function)
        with fw.Namespace(), fw.Store():
            ours = flywheel.torch.from_module(
                module, (torch.randn(6, 4),), loss=lambda y: fw.sum(y * y), optimizer=fw.optimizers.SGD(lr=1.0),
                dynamic_shapes=({0: torch.export.Dim("batch", max=64)},))  # fmt: skip
            for size in (6, 3, 1, 2):
                x = torch.randn(size, 4)
                module.zero_grad()
                wanted = module(x)
                wanted.square().sum().backward()
                ours.load_state_dict(module.state_dict())
                np.testing.assert_allclose(np.asarray(ours(x)), wanted.detach().numpy(), 1e-4, 1e-5, err_msg=str(place))
                ours.step(x)
                found = module.w.detach() - ours.state_dict()["w"]
                scale = max(1.0, float(module.w.grad.abs().max()))
                np.testing.assert_allclose(found.numpy(), module.w.grad.numpy(), 1e-4, 1e-5 * scale, err_msg=str(place))


def test_squeezed_batch() -> None:
    """PyTorch removes a batch of 1, for which alone a result has another shape: an error that says what to write."""
    ours = flywheel.torch.from_module(Called(lambda x: x.mean(1, keepdim=True).squeeze()), (torch.randn(6, 4),),
                                      dynamic_shapes=({0: torch.export.Dim("batch")},))  # fmt: skip
    assert np.asarray(ours(torch.randn(3, 4))).shape == (3,)
    try:
        ours(torch.randn(1, 4))
    except flywheel.torch.UnsupportedOpError as error:
        assert "aten.squeeze.default of dimension 0" in str(error) and "x.squeeze(1)" in str(error), error
    else:
        raise AssertionError("no error")


class Order(nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        median, third, top = x.median(0, keepdim=True), x.kthvalue(3, 0), x.topk(4, 0)
        return median.values, median.indices, third.values, top.values, top.indices, x.median(), x.nanmedian(0).values


def test_order_of_a_batch() -> None:
    """Medians and the largest of any number of elements, and in an export."""
    dims = ({0: torch.export.Dim("b", min=6, max=200)},)
    ours = flywheel.torch.from_module(Order(), (torch.arange(12.0),), dynamic_shapes=dims)
    for count in (12, 20, 7, 33, 6, 200):
        x = torch.randperm(count).float()
        for found, expected in zip(ours(x), Order()(x)):
            np.testing.assert_array_equal(np.asarray(found), expected.numpy(), err_msg=str(count))
    with tempfile.TemporaryDirectory() as folder:
        ours.export(f"{folder}/order.o")


def test_dropout() -> None:
    ours = flywheel.torch.from_module(nn.Sequential(nn.Dropout(0.3)), (torch.ones(100, 100),))
    x = np.ones((100, 100), np.float32)
    np.testing.assert_array_equal(ours(x), x)
    drop = fw.function(lambda x: ours(x, training=True))
    first, second = drop(x), drop(x)
    # The share of 10,000 elements has a standard deviation of 0.0046.
    assert abs((first == 0).mean() - 0.3) < 0.02
    assert (first != second).any()
    np.testing.assert_allclose(first[first != 0], 1 / 0.7, rtol=1e-6)


def test_bfloat16() -> None:
    module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).bfloat16()
    beside(module, (torch.randn(5, 8).bfloat16(),), torch.randn(5, 4).bfloat16(), nn.MSELoss(), rtol=0.03)


def test_frozen() -> None:
    """Parameters that PyTorch does not train are not trained, and a layer in evaluation stays in it."""
    module = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
    module[1].eval()
    module[0].weight.requires_grad_(False)
    before = module[0].weight.clone()
    ours = beside(module, (torch.randn(5, 8),), torch.randint(0, 4, (5,)), CROSS_ENTROPY)
    assert not ours.variables["0.weight"].trainable
    assert torch.equal(module[0].weight, before) and int(module[1].num_batches_tracked) == 0


def refuses(thunk: Callable[[], Any], *parts: str) -> None:
    try:
        thunk()
    except ValueError as error:
        assert all(part in str(error) for part in parts), error
        return
    raise AssertionError("no error")


def test_errors() -> None:
    module = nn.Linear(3, 2)
    x = torch.randn(4, 3)
    ours = flywheel.torch.from_module(module, (x,))
    refuses(lambda: ours(torch.randn(5, 3)), "exported for float32(4, 3) as 'input', found float32(5, 3)")
    refuses(lambda: ours(x.double()), "found float64(4, 3)")
    refuses(lambda: ours(x, x), "1 argument", "2")
    refuses(lambda: ours.load_state_dict({"weight": x}), "lacks ['bias']")
    refuses(lambda: flywheel.torch.from_module(module, (x,), loss=CROSS_ENTROPY), "both a loss and an optimizer")


def run(tests: Sequence[Callable[[], None]]) -> None:
    for test in tests:
        torch.manual_seed(1)
        with fw.Namespace(), fw.Store():
            test()


if __name__ == "__main__":
    run([test for name, test in list(globals().items()) if name.startswith("test_")])
