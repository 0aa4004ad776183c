# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch that record_torch.py records: small ones that train in float64, or float32 where that matters."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch
from torch import nn
from torch.nn import functional

Module: Any = nn.Module


class Case(NamedTuple):
    """A module, its arguments and targets as specs of `recordings.filled`, and the loss of PyTorch's.

    `sizes` has names for the dimensions, by axis, of each argument and target, whose sizes a call chooses.
    """

    name: str
    build: Callable[[], Any]
    inputs: List[Dict[str, Any]]
    targets: List[Dict[str, Any]]
    loss: Callable[..., Any] = functional.mse_loss
    optimizer: str = "sgd"
    sizes: Optional[List[Dict[str, str]]] = None
    # Other modules are made float64 ones.
    keeps_dtypes: bool = False


def real(*shape: int, **more: Any) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": "float64", **more}


def whole(below: int, *shape: int) -> Dict[str, Any]:
    return {"shape": list(shape), "dtype": "int64", "below": below}


class Attention(Module):  # type: ignore[misc]
    """A block of a transformer with a causal mask, after its embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Parameter(torch.zeros(5, 8))
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 11)

    def forward(self, x: Any) -> Any:
        h = self.tokens(x) + self.places
        q, k, v = self.qkv(self.norm(h)).view(x.shape[0], 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
        h = h + functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(h.shape)
        return self.out(functional.gelu(h))


class Recurrent(Module):  # type: ignore[misc]
    """A recurrent layer, and a linear one of its last output."""

    def __init__(self, kind: Any, **options: Any):
        super().__init__()
        self.cells = kind(3, 4, batch_first=True, **options)
        self.out = nn.Linear(4 * (2 if options.get("bidirectional") else 1), 2)

    def forward(self, x: Any) -> Any:
        return self.out(self.cells(x)[0][:, -1])


class Bags(Module):  # type: ignore[misc]
    """Rows of a table that indices choose, their sums, and the rest of indexing: gather, index_add, masks."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.bag = nn.Embedding(9, 4, padding_idx=0), nn.EmbeddingBag(9, 4, mode="sum")

    def forward(self, x: Any) -> Any:
        rows = self.table(x) * (x > 2).unsqueeze(-1)
        first = torch.gather(rows, 1, (x % 3).unsqueeze(-1).expand(-1, -1, 4))
        total = torch.zeros_like(rows[0]).index_add(0, x[:, 0] % 3, rows[:, 1])
        return first.sum(1) + self.bag(x) + torch.where(total.sum(0) > 0, total.sum(0), -total.sum(0))


class Orders(Module):  # type: ignore[misc]
    """Sorting, the largest elements, sums up to each element, and reductions."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        y = self.mix(x)
        largest, places = torch.topk(y, 3)
        ordered, _ = torch.sort(y, dim=-1, descending=True)
        sums = torch.cumsum(y, 1) * torch.softmax(y, 1) + torch.flip(torch.cumprod(torch.tanh(y), 1), [1])
        spread = torch.logsumexp(y, 1, keepdim=True) + y.var(1, keepdim=True) + y.amax(1, keepdim=True)
        return torch.cat([largest, ordered * 0.5, sums, spread, places.to(y.dtype)], 1)


class Algebra(Module):  # type: ignore[misc]
    """Solvers and factors of matrices, and einsum."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.zeros(3, 3, dtype=torch.float64))

    def forward(self, x: Any) -> Any:
        square = self.a @ self.a.T + 2 * torch.eye(3, dtype=torch.float64)
        factor = torch.linalg.cholesky(square)
        return torch.einsum("bi,ij->bj", x, factor) + torch.linalg.solve(square, x.T).T * torch.linalg.det(square)


class Typed(Module):  # type: ignore[misc]
    """Promotion of dtypes: float32 with numbers, integers and float64."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, dtype=torch.float32))
        self.register_buffer("wide", torch.zeros(4, dtype=torch.float64))

    def forward(self, x: Any, count: Any) -> Any:
        scaled = self.w * count / 3 + x.to(torch.float32) * 2
        return (scaled.to(torch.float64) + self.wide) * (count // 2) + torch.where(count > 1, self.w, 0.5)


class Spectra(Module):  # type: ignore[misc]
    """A filter in the frequency domain: complex numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Parameter(torch.zeros(5, 2, dtype=torch.float64))

    def forward(self, x: Any) -> Any:
        return torch.fft.irfft(torch.fft.rfft(x) * torch.view_as_complex(self.filter), n=8)


class Pair(Module):  # type: ignore[misc]
    """A result that is a pair, of sizes that the call chooses."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        h = torch.relu(self.one(x))
        flat = h.reshape(x.shape[0] * 2, 2).sum(0)
        return self.other(h) + flat / x.shape[0]


def convolutions() -> Any:
    return nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, groups=2),
                         nn.AvgPool2d(2), nn.Flatten(), nn.Linear(4, 3))  # fmt: skip


def decoder() -> Any:
    return nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1), nn.GroupNorm(2, 4), nn.SiLU(),
                         nn.Upsample(scale_factor=2), nn.Conv2d(4, 1, 1))  # fmt: skip


def normalized() -> Any:
    return nn.Sequential(nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 4),
                         nn.BatchNorm1d(4), nn.Hardtanh())  # fmt: skip


def of_one_dimension() -> Any:
    return nn.Sequential(nn.Conv1d(3, 4, 3, dilation=2), nn.InstanceNorm1d(4, affine=True), nn.LeakyReLU(0.1),
                         nn.AdaptiveAvgPool1d(2), nn.Flatten(), nn.Linear(8, 2))  # fmt: skip


CASES = [
    Case("mlp", lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), [real(5, 4)], [real(5, 3)]),
    Case("classifier", lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 3)),
         [real(6, 4)], [whole(3, 6)], functional.cross_entropy, "adam"),
    Case("conv_net", convolutions, [real(2, 2, 8, 8)], [whole(3, 2)], functional.cross_entropy, "momentum"),
    Case("batch_norm", normalized, [real(3, 2, 4, 4)], [real(3, 4)]),
    Case("decoder", decoder, [real(2, 3, 3, 3)], [real(2, 1, 10, 10)], functional.smooth_l1_loss),
    Case("conv_1d", of_one_dimension, [real(2, 3, 9)], [real(2, 2)], functional.l1_loss, "rmsprop"),
    Case("attention", Attention, [whole(11, 2, 5)], [real(2, 5, 11)], functional.mse_loss, "momentum"),
    Case("lstm", lambda: Recurrent(nn.LSTM, num_layers=2), [real(2, 2, 3)], [real(2, 2)], functional.mse_loss, "adam"),
    Case("gru", lambda: Recurrent(nn.GRU, bidirectional=True), [real(2, 2, 3)], [real(2, 2)]),
    Case("embedding", Bags, [whole(9, 4, 3)], [real(4, 4)]),
    Case("orders", Orders, [real(3, 6)], [real(3, 19)]),
    Case("algebra", Algebra, [real(4, 3)], [real(4, 3)]),
    Case("dtypes", Typed, [real(4), whole(4, 4)], [real(4)], keeps_dtypes=True),
    Case("spectra", Spectra, [real(3, 8)], [real(3, 8)]),
    Case("dynamic_batch", Pair, [real(5, 3)], [real(5, 2)], sizes=[{"0": "batch"}, {"0": "batch"}]),
]
