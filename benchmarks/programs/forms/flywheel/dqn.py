# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy

import flywheel as fw


class Network(fw.Module):
    def __init__(self):
        self.hidden, self.middle, self.output = fw.nn.Dense(6, 48), fw.nn.Dense(48, 37), fw.nn.Dense(37, 3)

    def __call__(self, x):
        return self.output(fw.nn.relu(self.middle(fw.nn.relu(self.hidden(x)))))


model = Network()
target = copy.deepcopy(model)
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(state, action, reward, following, done):
    values = fw.take_along_axis(model(state), action[:, None], 1)[:, 0]
    wanted = reward + 0.99 * (1 - done) * fw.max(target(following), axis=1)
    loss = fw.nn.huber(values, wanted)
    optimizer.minimize(loss, model.parameters())
    return loss


def train(batches):
    for count, batch in enumerate(batches):
        if count % 4 == 0:
            target.load_state_dict(model.state_dict())
        loss = step(*batch)
    return loss
