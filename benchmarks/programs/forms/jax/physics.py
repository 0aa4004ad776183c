# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.middle = nnx.Linear(2, 37, rngs=rngs), nnx.Linear(37, 37, rngs=rngs)
        self.output = nnx.Linear(37, 1, rngs=rngs)

    def __call__(self, x):
        return self.output(jnp.tanh(self.middle(jnp.tanh(self.hidden(x)))))


model = Network(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, inside, border, value):
    def loss_of(model):
        def u(x, t):
            return model(jnp.stack([x, t]))[0]

        def residual(x, t):
            u_x, u_t = jax.grad(u, (0, 1))(x, t)
            return u_t + u(x, t) * u_x - 0.01 * jax.grad(jax.grad(u))(x, t)

        equation = jax.vmap(residual)(inside[:, 0], inside[:, 1])
        return jnp.mean(jnp.square(equation)) + jnp.mean(jnp.square(model(border) - value))

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for inside, border, value in batches:
        loss = cached(inside, border, value)
    return loss
