# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Network(fw.Module):
    def __init__(self):
        self.lstm, self.output = fw.nn.LSTM(11, 37), fw.nn.Dense(37, 5)

    def __call__(self, x):
        _, (h, _) = self.lstm(x)
        return self.output(h)


model = Network()
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(sequence, label):
    loss = fw.nn.sparse_softmax_cross_entropy(model(sequence), label)
    optimizer.minimize(loss, clip_global_norm=1.0)
    return loss


def train(batches):
    for sequence, label in batches:
        loss = step(sequence, label)
    return loss
