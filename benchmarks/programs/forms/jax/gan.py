# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax.numpy as jnp
import optax
from flax import nnx


class Generator(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.output = nnx.Linear(9, 100, rngs=rngs), nnx.Linear(100, 64, rngs=rngs)

    def __call__(self, z):
        return jnp.tanh(self.output(nnx.relu(self.hidden(z))))


class Discriminator(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.output = nnx.Linear(64, 100, rngs=rngs), nnx.Linear(100, 1, rngs=rngs)

    def __call__(self, x):
        return self.output(nnx.leaky_relu(self.hidden(x), 0.2))


generator, discriminator = Generator(nnx.Rngs(0)), Discriminator(nnx.Rngs(1))
generator_optimizer = nnx.Optimizer(generator, optax.adam(2e-4, b1=0.5), wrt=nnx.Param)
discriminator_optimizer = nnx.Optimizer(discriminator, optax.adam(2e-4, b1=0.5), wrt=nnx.Param)


@nnx.jit
def step(generator, discriminator, generator_optimizer, discriminator_optimizer, real, noise):
    def loss_of(discriminator):
        fake = generator(noise)
        return jnp.mean(nnx.softplus(-discriminator(real))) + jnp.mean(nnx.softplus(discriminator(fake)))

    def fooling_of(generator):
        return jnp.mean(nnx.softplus(-discriminator(generator(noise))))

    loss, gradients = nnx.value_and_grad(loss_of)(discriminator)
    discriminator_optimizer.update(discriminator, gradients)
    fooling, gradients = nnx.value_and_grad(fooling_of)(generator)
    generator_optimizer.update(generator, gradients)
    return loss, fooling


def train(batches):
    cached = nnx.cached_partial(step, generator, discriminator, generator_optimizer, discriminator_optimizer)
    for real, noise in batches:
        loss, fooling = cached(real, noise)
    return loss + fooling
