# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.output = nn.Linear(9, 100), nn.Linear(100, 64)

    def forward(self, z):
        return torch.tanh(self.output(F.relu(self.hidden(z))))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.output = nn.Linear(64, 100), nn.Linear(100, 1)

    def forward(self, x):
        return self.output(F.leaky_relu(self.hidden(x), 0.2))


generator, discriminator = Generator(), Discriminator()
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999), fused=True)
discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999), fused=True)


@torch.compile
def loss_of(real, fake):
    return F.softplus(-discriminator(real)).mean() + F.softplus(discriminator(fake)).mean()


@torch.compile
def fooling_of(fake):
    return F.softplus(-discriminator(fake)).mean()


def step(real, noise):
    fake = generator(noise)
    loss = loss_of(real, fake.detach())
    discriminator_optimizer.zero_grad()
    loss.backward()
    discriminator_optimizer.step()
    fooling = fooling_of(fake)
    generator_optimizer.zero_grad()
    fooling.backward()
    generator_optimizer.step()
    return loss.detach(), fooling.detach()


def train(batches):
    for real, noise in batches:
        loss, fooling = step(real, noise)
    return loss + fooling
