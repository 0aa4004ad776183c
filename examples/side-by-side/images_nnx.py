# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same in flax.nnx."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

rng = np.random.default_rng(0)
labels = rng.integers(0, 10, 640).astype(np.int32)
images = (rng.standard_normal((640, 16, 16, 3)) + 0.3 * labels[:, None, None, None]).astype(np.float32)


class Network(nnx.Module):
    def __init__(self, rngs):
        self.convs = nnx.List([nnx.Conv(a, b, (3, 3), rngs=rngs) for a, b in ((3, 16), (16, 32))])
        self.norms = nnx.List([nnx.BatchNorm(n, momentum=0.9, rngs=rngs) for n in (16, 32)])
        self.dropout, self.output = nnx.Dropout(0.2, rngs=rngs), nnx.Linear(32 * 16, 10, rngs=rngs)

    def __call__(self, x):
        for conv, norm in zip(self.convs, self.norms):
            x = nnx.max_pool(nnx.relu(norm(conv(x))), (2, 2), strides=(2, 2))
        return self.output(self.dropout(x.reshape(-1, 512)))


model = Network(nnx.Rngs(0))
average = nnx.clone(model)
average.eval()
optimizer = nnx.Optimizer(model, optax.adamw(0.003, weight_decay=0.01), wrt=nnx.Param)


@nnx.jit
def step(model, average, optimizer, image, label):
    def loss_of(model):
        targets = optax.smooth_labels(jax.nn.one_hot(label, 10), 0.1)
        return optax.softmax_cross_entropy(model(image), targets).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    new, old = (nnx.state(one, (nnx.Param, nnx.BatchStat)) for one in (model, average))
    nnx.update(average, jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, old, new))
    return loss


@nnx.jit
def accuracy(model, image, label):
    return jnp.mean(jnp.argmax(model(image), 1) == label)


model.train()
for epoch in range(5):
    for rows in np.split(np.random.default_rng(epoch).permutation(640), 20):
        step(model, average, optimizer, images[rows], labels[rows])
print(f"{accuracy(average, images, labels):.3f}")
