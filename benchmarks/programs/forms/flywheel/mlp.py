# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Network(fw.Module):
    def __init__(self):
        self.hidden, self.middle, self.output = fw.nn.Dense(64, 100), fw.nn.Dense(100, 37), fw.nn.Dense(37, 10)

    def __call__(self, x):
        return self.output(fw.nn.relu(self.middle(fw.nn.relu(self.hidden(x)))))


model = Network()
optimizer = fw.optimizers.SGD(lr=0.05, momentum=0.9)


@fw.function
def step(image, label):
    loss = fw.nn.sparse_softmax_cross_entropy(model(image), label)
    optimizer.minimize(loss)
    return loss


def train(batches):
    for image, label in batches:
        loss = step(image, label)
    return loss
