# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.convs = nnx.List([nnx.Conv(a, b, (3, 3), rngs=rngs) for a, b in ((3, 18), (18, 37))])
        self.norms = nnx.List([nnx.BatchNorm(n, momentum=0.9, rngs=rngs) for n in (18, 37)])
        self.dropout, self.output = nnx.Dropout(0.2, rngs=rngs), nnx.Linear(37, 10, rngs=rngs)

    def __call__(self, x):
        for conv, norm in zip(self.convs, self.norms):
            x = nnx.max_pool(nnx.relu(norm(conv(x))), (2, 2), strides=(2, 2))
        return self.output(self.dropout(jnp.mean(x, axis=(1, 2))))


model = Network(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, image, label):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(image), label).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    model.train()
    cached = nnx.cached_partial(step, model, optimizer)
    for image, label in batches:
        loss = cached(image, label)
    return loss
