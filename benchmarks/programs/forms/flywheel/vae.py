# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Autoencoder(fw.Module):
    def __init__(self):
        self.hidden, self.mean, self.logvar = fw.nn.Dense(64, 100), fw.nn.Dense(100, 9), fw.nn.Dense(100, 9)
        self.back, self.output = fw.nn.Dense(9, 100), fw.nn.Dense(100, 64)

    def encode(self, x):
        h = fw.nn.relu(self.hidden(x))
        return self.mean(h), self.logvar(h)

    def decode(self, z):
        return self.output(fw.nn.relu(self.back(z)))


model = Autoencoder()
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(image, noise):
    mean, logvar = model.encode(image)
    scores = model.decode(mean + fw.exp(0.5 * logvar) * noise)
    error = fw.nn.sigmoid_cross_entropy(scores, image, reduction="sum")
    divergence = -0.5 * fw.sum(1 + logvar - fw.square(mean) - fw.exp(logvar))
    loss = (error + divergence) / image.shape[0]
    optimizer.minimize(loss)
    return loss


def train(batches):
    for image, noise in batches:
        loss = step(image, noise)
    return loss
