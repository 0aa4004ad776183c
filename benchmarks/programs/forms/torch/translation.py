# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.source, self.target = nn.Embedding(61, 24), nn.Embedding(53, 24)
        self.encoder, self.decoder = nn.GRU(24, 37, batch_first=True), nn.GRU(24, 37, batch_first=True)
        self.output = nn.Linear(37, 53)

    def forward(self, source, target):
        _, state = self.encoder(self.source(source))
        return self.output(self.decoder(self.target(target), state)[0])


model = Translator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


@torch.compile
def loss_of(source, target):
    return F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten())


def step(source, target):
    loss = loss_of(source, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for source, target in batches:
        loss = step(source, target)
    return loss
