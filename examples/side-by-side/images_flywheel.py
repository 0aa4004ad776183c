# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolutional network with batch norm and dropout, and an average of its weights that is evaluated."""

import copy

import numpy as np

import flywheel as fw

rng = np.random.default_rng(0)
labels = rng.integers(0, 10, 640).astype(np.int32)
images = (rng.standard_normal((640, 16, 16, 3)) + 0.3 * labels[:, None, None, None]).astype(np.float32)


class Network(fw.Module):
    def __init__(self):
        self.convs = [fw.nn.Conv2D(a, b, 3, padding="same") for a, b in ((3, 16), (16, 32))]
        self.norms = [fw.nn.BatchNorm(n, momentum=0.9) for n in (16, 32)]
        self.dropout, self.output = fw.nn.Dropout(0.2), fw.nn.Dense(32 * 16, 10)

    def __call__(self, x, *, training):
        for conv, norm in zip(self.convs, self.norms):
            x = fw.nn.max_pool2d(fw.nn.relu(norm(conv(x), training=training)), [2, 2])
        return self.output(self.dropout(fw.reshape(x, (-1, 512)), training=training))


model = Network()
average = copy.deepcopy(model)
adam = fw.optimizers.AdamW(lr=0.003, weight_decay=0.01)


@fw.function
def step(image, label):
    loss = fw.nn.sparse_softmax_cross_entropy(model(image, training=True), label, label_smoothing=0.1)
    adam.minimize(loss)
    for to, of in zip(average.variables(), model.variables()):
        to.moving_average(of, 0.9)
    return loss


@fw.function
def accuracy(image, label):
    return fw.mean(fw.argmax(average(image, training=False), 1) == label)


for epoch in range(5):
    for rows in np.split(np.random.default_rng(epoch).permutation(640), 20):
        step(images[rows], labels[rows])
print(f"{accuracy(images, labels):.3f}")
