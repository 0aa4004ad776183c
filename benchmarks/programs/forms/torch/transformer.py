# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(48), nn.LayerNorm(48)
        self.qkv, self.o = nn.Linear(48, 3 * 48), nn.Linear(48, 48)
        self.wide, self.narrow = nn.Linear(48, 192), nn.Linear(192, 48)

    def attention(self, x):
        q, k, v = (y.unflatten(2, (4, 12)).transpose(1, 2) for y in self.qkv(x).chunk(3, 2))
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(61, 48), nn.Embedding(37, 48)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm, self.head = nn.LayerNorm(48), nn.Linear(48, 61)

    def forward(self, text):
        x = self.embed(text) + self.places(torch.arange(text.shape[1]))
        return self.head(self.norm(self.blocks(x)))


model = Writer()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)


@torch.compile
def loss_of(text, following):
    return F.cross_entropy(model(text).flatten(0, 1), following.flatten())


def step(text, following):
    loss = loss_of(text, following)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for text, following in batches:
        loss = step(text, following)
    return loss
