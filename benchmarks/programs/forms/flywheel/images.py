# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Network(fw.Module):
    def __init__(self):
        self.convs = [fw.nn.Conv2D(a, b, 3, padding="same") for a, b in ((3, 18), (18, 37))]
        self.norms = [fw.nn.BatchNorm(n, momentum=0.9, epsilon=1e-5) for n in (18, 37)]
        self.dropout, self.output = fw.nn.Dropout(0.2), fw.nn.Dense(37, 10)

    def __call__(self, x, *, training):
        for conv, norm in zip(self.convs, self.norms):
            x = fw.nn.max_pool2d(fw.nn.relu(norm(conv(x), training=training)), [2, 2])
        return self.output(self.dropout(fw.mean(x, axis=(1, 2)), training=training))


model = Network()
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(image, label):
    loss = fw.nn.sparse_softmax_cross_entropy(model(image, training=True), label)
    optimizer.minimize(loss)
    return loss


def train(batches):
    for image, label in batches:
        loss = step(image, label)
    return loss
