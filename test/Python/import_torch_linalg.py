# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Modules of PyTorch that solve, invert and factor matrices, measure distances, and embed bags, beside PyTorch."""

from typing import Any

import numpy as np
import torch
from torch import nn

import flywheel.torch
from import_torch import beside

Module: Any = nn.Module
MSE = nn.MSELoss()
torch.manual_seed(3)


class Matrices(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.eye(3) + 0.3 * torch.randn(3, 3))
        self.many = nn.Parameter(torch.eye(2) + 0.3 * torch.randn(5, 2, 2))

    def forward(self, x: Any) -> Any:
        a = self.a
        y = torch.linalg.solve(a, x.T).T + x @ torch.linalg.inv(a) + torch.linalg.solve(a, x, left=False)
        z = torch.linalg.solve(self.many, x[:, :2]) + torch.linalg.det(self.many)[:, None]
        return torch.cat([y, z], 1) + torch.linalg.slogdet(a)[1] + torch.logdet(a @ a.T)


class Normal(Module):  # type: ignore[misc]
    """The logarithm of a normal density, by the Cholesky factor of its covariance."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.mean = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.randn(3))

    def forward(self, x: Any) -> Any:
        covariance = self.a @ self.a.T + torch.eye(3, dtype=x.dtype)
        factor = torch.linalg.cholesky(covariance)
        z = torch.linalg.solve_triangular(factor, (x - self.mean).T, upper=False)
        right = torch.linalg.solve_triangular(factor.mT, x, upper=True, left=False)
        return torch.stack([z.square().sum(0) + 2 * factor.diagonal().log().sum(),
                            (x * torch.cholesky_solve(x.T, factor).T).sum(1) + right.sum(1)], 1)  # fmt: skip


class Distances(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.randn(4, 3))

    def forward(self, x: Any) -> Any:
        near = torch.cat([torch.cdist(x, self.centers, p=p) for p in (2.0, 1.0, float("inf"), 3.0)], 1)
        a, b = self.centers[:2], self.centers[2:]
        return near + torch.hypot(a, b).sum() + torch.fmax(a, b).sum() + torch.copysign(a, b).sum()


class Bags(Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.sums, self.means = nn.EmbeddingBag(9, 3, mode="sum"), nn.EmbeddingBag(9, 3, padding_idx=0)

    def forward(self, x: Any) -> Any:
        starts = torch.tensor([0, 3, 3, 7, 9])
        return torch.cat([self.sums(x.flatten(), starts), self.means(x)], 1)


class Triangles(Module):  # type: ignore[misc]
    """Reads one triangle of a matrix that is not symmetric; derivatives go to both."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(3 * torch.eye(3) + 0.3 * torch.randn(3, 3))

    def forward(self, x: Any) -> Any:
        lower, upper = torch.linalg.eigh(self.a), torch.linalg.eigh(self.a, UPLO="U")
        factors = torch.linalg.cholesky(self.a), torch.linalg.cholesky(self.a, upper=True)
        values = lower[0] + 2 * upper[0] + factors[0].sum(0) + 2 * factors[1].sum(1)
        return x * values + x @ lower[1].square() + x @ upper[1].square() * 2


class Parts(Module):  # type: ignore[misc]
    """Factors matrices of which the other triangle is NaN."""

    def forward(self, lower: Any, upper: Any) -> Any:
        return (torch.linalg.eigvalsh(lower), torch.linalg.eigvalsh(upper, UPLO="U"), torch.linalg.cholesky(lower),
                torch.linalg.cholesky(upper, upper=True))  # fmt: skip


def test_triangles() -> None:
    x = torch.randn(5, 3).double()
    beside(Triangles().double(), (x,), torch.randn(5, 3).double(), MSE, rate=1e-3, steps=6, rtol=1e-7)
    lower = torch.tensor([[2.0, float("nan")], [1.0, 2.0]])
    module = Parts()
    ours, wanted = flywheel.torch.from_module(module, (lower, lower.mT)), module(lower, lower.mT)
    for found, expected in zip(ours(lower, lower.mT), wanted):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(wanted[0], [1, 3], rtol=1e-5)


def main() -> None:
    test_triangles()
    x = torch.randn(5, 3).double()
    beside(Matrices().double(), (x,), torch.randn(5, 5).double(), MSE, rate=0.01, steps=6, rtol=1e-7)
    beside(Normal().double(), (x,), torch.randn(5, 2).double(), MSE, rate=1e-3, steps=6, rtol=1e-7)
    beside(Distances().double(), (x,), torch.randn(5, 16).double(), MSE, rate=0.05, steps=6, rtol=1e-7)
    tokens = torch.randint(0, 9, (5, 4))
    beside(Bags().double(), (tokens,), torch.randn(5, 6).double(), MSE, steps=6, rtol=1e-7)
    try:
        beside(nn.EmbeddingBag(9, 3, mode="max"), (tokens,), torch.randn(5, 3), MSE)
        raise AssertionError("expected an UnsupportedOpError")
    except flywheel.torch.UnsupportedOpError as error:
        assert "mode='max'" in str(error)


if __name__ == "__main__":
    main()
