# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(6037, 24, sparse=True), nn.Embedding(3701, 24, sparse=True)

    def forward(self, user, item):
        return (self.users(user) * self.items(item)).sum(1)


model = Factors()
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)


@torch.compile
def loss_of(user, item, rating):
    return (model(user, item) - rating).square().mean()


def step(user, item, rating):
    loss = loss_of(user, item, rating)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for user, item, rating in batches:
        loss = step(user, item, rating)
    return loss
