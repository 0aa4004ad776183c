# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy

import torch
from torch import nn
from torch.nn import functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.middle, self.output = nn.Linear(6, 48), nn.Linear(48, 37), nn.Linear(37, 3)

    def forward(self, x):
        return self.output(F.relu(self.middle(F.relu(self.hidden(x)))))


model = Network()
target = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)


@torch.compile
def loss_of(state, action, reward, following, done):
    values = model(state).gather(1, action[:, None])[:, 0]
    with torch.no_grad():
        wanted = reward + 0.99 * (1 - done) * target(following).amax(1)
    return F.huber_loss(values, wanted)


def step(*batch):
    loss = loss_of(*batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    for count, batch in enumerate(batches):
        if count % 4 == 0:
            target.load_state_dict(model.state_dict())
        loss = step(*batch)
    return loss
