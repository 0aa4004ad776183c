# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Factors(nnx.Module):
    def __init__(self, rngs):
        self.users, self.items = nnx.Embed(6037, 24, rngs=rngs), nnx.Embed(3701, 24, rngs=rngs)

    def __call__(self, user, item):
        return jnp.sum(self.users(user) * self.items(item), axis=1)


model = Factors(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adagrad(0.05, initial_accumulator_value=0.0, eps=1e-14), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, user, item, rating):
    def loss_of(model):
        return jnp.mean(jnp.square(model(user, item) - rating))

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for user, item, rating in batches:
        loss = cached(user, item, rating)
    return loss
