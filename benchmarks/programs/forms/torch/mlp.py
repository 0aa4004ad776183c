# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.middle, self.output = nn.Linear(64, 100), nn.Linear(100, 37), nn.Linear(37, 10)

    def forward(self, x):
        return self.output(F.relu(self.middle(F.relu(self.hidden(x)))))


model = Network()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)


@torch.compile
def loss_of(image, label):
    return F.cross_entropy(model(image), label)


def step(image, label):
    loss = loss_of(image, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for image, label in batches:
        loss = step(image, label)
    return loss
