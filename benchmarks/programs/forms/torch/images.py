# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, padding="same") for a, b in ((3, 18), (18, 37)))
        self.norms = nn.ModuleList(nn.BatchNorm2d(n) for n in (18, 37))
        self.dropout, self.output = nn.Dropout(0.2), nn.Linear(37, 10)

    def forward(self, x):
        for conv, norm in zip(self.convs, self.norms):
            x = F.max_pool2d(F.relu(norm(conv(x))), 2)
        return self.output(self.dropout(x.mean((2, 3))))


model = Network().to(memory_format=torch.channels_last)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


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
    model.train()
    for image, label in batches:
        loss = step(image, label)
    return loss
