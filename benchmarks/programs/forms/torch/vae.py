# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.mean, self.logvar = nn.Linear(64, 100), nn.Linear(100, 9), nn.Linear(100, 9)
        self.back, self.output = nn.Linear(9, 100), nn.Linear(100, 64)

    def encode(self, x):
        h = F.relu(self.hidden(x))
        return self.mean(h), self.logvar(h)

    def decode(self, z):
        return self.output(F.relu(self.back(z)))


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


@torch.compile
def loss_of(image, noise):
    mean, logvar = model.encode(image)
    scores = model.decode(mean + torch.exp(0.5 * logvar) * noise)
    error = F.binary_cross_entropy_with_logits(scores, image, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mean.square() - logvar.exp())
    return (error + divergence) / image.shape[0]


def step(image, noise):
    loss = loss_of(image, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for image, noise in batches:
        loss = step(image, noise)
    return loss
