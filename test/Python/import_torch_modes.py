# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Parts of a module besides its layers: parts without gradients, buffers that it sets or changes in place, and
parametrizations that do. Each trains some steps here and in PyTorch."""

from typing import Any

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

from import_torch import beside

Module: Any = nn.Module
MSE = nn.MSELoss()
torch.manual_seed(1)


class Frozen(Module):  # type: ignore[misc]
    """The first layer is not trained by what is computed without gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: Any) -> Any:
        with torch.no_grad():
            hidden = self.first(x).relu()
            if self.training:
                self.mean.mul_(0.9).add_(0.1 * hidden.mean(0))
        return self.second(hidden - self.mean) + self.second(torch.tanh(self.first(x)))


class Counting(Module):  # type: ignore[misc]
    """A buffer that is set anew, by a module in another one."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Any
        self.register_buffer("last", torch.zeros(5, 4))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.layer = nn.Linear(3, 4)

    def forward(self, x: Any) -> Any:
        y = torch.tanh(self.layer(x) + 0.5 * self.last.detach())
        if self.training:
            self.last = y
            self.steps += 1
        return y


CASES = {
    "no_grad": Frozen(),
    "buffers": nn.Sequential(Counting(), nn.Linear(4, 2)),
    "spectral_norm": nn.Sequential(spectral_norm(nn.Linear(3, 4), n_power_iterations=2), nn.Linear(4, 2)),
    "weight_norm": nn.Sequential(weight_norm(nn.Linear(3, 4)), nn.Linear(4, 2)),
}
for name, module in CASES.items():
    print(name, flush=True)
    beside(module.double(), (torch.randn(5, 3).double(),), torch.randn(5, 2).double(), MSE, steps=6, rtol=1e-7)
