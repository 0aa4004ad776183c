# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.image = nn.Linear(64, 100), nn.Linear(100, 37)
        self.words, self.text = nn.Embedding(61, 48), nn.Linear(48, 37)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, image, text):
        a = F.normalize(self.image(F.relu(self.hidden(image))))
        b = F.normalize(self.text(self.words(text).mean(1)))
        return self.scale.exp() * a @ b.T


model = Towers()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))


@torch.compile
def loss_of(image, text):
    scores = model(image, text)
    label = torch.arange(image.shape[0])
    return (F.cross_entropy(scores, label) + F.cross_entropy(scores.T, label)) / 2


def step(image, text):
    loss = loss_of(image, text)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update_parameters(model)
    return loss.detach()


def train(batches):
    for image, text in batches:
        loss = step(image, text)
    return loss
