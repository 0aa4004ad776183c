# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.output = nn.LSTM(11, 37, batch_first=True), nn.Linear(37, 5)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.output(h[0])


model = Network()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


@torch.compile
def loss_of(sequence, label):
    return F.cross_entropy(model(sequence), label)


def step(sequence, label):
    loss = loss_of(sequence, label)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


def train(batches):
    for sequence, label in batches:
        loss = step(sequence, label)
    return loss
