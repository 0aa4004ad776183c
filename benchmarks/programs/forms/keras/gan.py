# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import keras
from keras import layers, ops

generator = keras.Sequential(
    [
        keras.Input((9,)),
        layers.Dense(100, activation="relu", name="hidden"),
        layers.Dense(64, activation="tanh", name="output"),
    ]
)
discriminator = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(100, name="hidden"),
        layers.LeakyReLU(0.2),
        layers.Dense(1, name="output"),
    ]
)
generator_optimizer = keras.optimizers.Adam(2e-4, beta_1=0.5)
discriminator_optimizer = keras.optimizers.Adam(2e-4, beta_1=0.5)
generator_optimizer.build(generator.trainable_variables)
discriminator_optimizer.build(discriminator.trainable_variables)


def loss_of(weights, real, fake):
    sure, fooled = (discriminator.stateless_call(weights, [], x)[0] for x in (real, fake))
    return ops.mean(ops.softplus(-sure)) + ops.mean(ops.softplus(fooled))


def fooling_of(weights, others, noise):
    fake, _ = generator.stateless_call(weights, [], noise)
    return ops.mean(ops.softplus(-discriminator.stateless_call(others, [], fake)[0]))


@jax.jit
def step(state, real, noise):
    g, g_slots, d, d_slots = state
    fake, _ = generator.stateless_call(g, [], noise)
    loss, gradients = jax.value_and_grad(loss_of)(d, real, fake)
    d, d_slots = discriminator_optimizer.stateless_apply(d_slots, gradients, d)
    fooling, gradients = jax.value_and_grad(fooling_of)(g, d, noise)
    g, g_slots = generator_optimizer.stateless_apply(g_slots, gradients, g)
    return (loss, fooling), (g, g_slots, d, d_slots)


def train(batches):
    variables = (
        generator.trainable_variables,
        generator_optimizer.variables,
        discriminator.trainable_variables,
        discriminator_optimizer.variables,
    )
    state = tuple([v.value for v in group] for group in variables)
    for real, noise in batches:
        (loss, fooling), state = step(state, real, noise)
    for group, values in zip(variables, state):
        for variable, value in zip(group, values):
            variable.assign(value)
    return loss + fooling
