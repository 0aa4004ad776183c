# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network of two layers for digits: trained, evaluated, saved."""

import numpy as np
from safetensors.numpy import load_file

import flywheel as fw

digits = load_file("examples/digits/digits.safetensors")
images, labels = digits["image"].astype(np.float32) / 16, digits["label"].astype(np.int32)
train, test = np.split(np.random.default_rng(0).permutation(len(labels)), [1437])


class Network(fw.Module):
    def __init__(self):
        self.hidden, self.output = fw.nn.Dense(64, 128), fw.nn.Dense(128, 10)

    def __call__(self, x):
        return self.output(fw.nn.relu(self.hidden(x)))


model = Network()
adam = fw.optimizers.Adam(lr=0.003)


@fw.function
def step(image, label):
    loss = fw.nn.sparse_softmax_cross_entropy(model(image), label)
    adam.minimize(loss)
    return loss


@fw.function
def accuracy(image, label):
    return fw.mean(fw.argmax(model(image), 1) == label)


for epoch in range(10):
    for rows in np.split(np.random.default_rng(epoch).permutation(train)[:1408], 44):
        step(images[rows], labels[rows])
print(f"{accuracy(images[test], labels[test]):.3f}")
model.save("digits.ckpt")
