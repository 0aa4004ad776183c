# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.middle, self.output = nn.Linear(2, 37), nn.Linear(37, 37), nn.Linear(37, 1)

    def forward(self, x):
        return self.output(torch.tanh(self.middle(torch.tanh(self.hidden(x)))))


model = Network()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


@torch.compile
def loss_of(inside, border, value):
    inside.requires_grad_()
    u = model(inside)
    (slopes,) = torch.autograd.grad(u.sum(), inside, create_graph=True)
    u_x, u_t = slopes[:, 0], slopes[:, 1]
    (curvature,) = torch.autograd.grad(u_x.sum(), inside, create_graph=True)
    equation = u_t + u[:, 0] * u_x - 0.01 * curvature[:, 0]
    return equation.square().mean() + (model(border) - value).square().mean()


def step(inside, border, value):
    loss = loss_of(inside, border, value)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for inside, border, value in batches:
        loss = step(inside, border, value)
    return loss
