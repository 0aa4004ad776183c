# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.middle = nnx.Linear(6, 48, rngs=rngs), nnx.Linear(48, 37, rngs=rngs)
        self.output = nnx.Linear(37, 3, rngs=rngs)

    def __call__(self, x):
        return self.output(nnx.relu(self.middle(nnx.relu(self.hidden(x)))))


model = Network(nnx.Rngs(0))
target = nnx.clone(model)
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, target, optimizer, state, action, reward, following, done):
    def loss_of(model):
        values = jnp.take_along_axis(model(state), action[:, None], 1)[:, 0]
        wanted = reward + 0.99 * (1 - done) * jnp.max(target(following), axis=1)
        return optax.huber_loss(values, wanted).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, target, optimizer)
    for count, batch in enumerate(batches):
        if count % 4 == 0:
            nnx.update(target, nnx.state(model))
        loss = cached(*batch)
    return loss
