# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import keras
from keras import layers, ops


class Burgers(keras.Model):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def u(self, x, t):
        return self.network(ops.reshape(ops.stack([x, t]), (1, 2)))[0, 0]

    def residual(self, x, t):
        u_x, u_t = jax.grad(self.u, (0, 1))(x, t)
        return u_t + self.u(x, t) * u_x - 0.01 * jax.grad(jax.grad(self.u))(x, t)

    def call(self, points):
        inside, border = points
        return jax.vmap(self.residual)(inside[:, 0], inside[:, 1]), self.network(border)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        equation, found = y_pred
        return ops.mean(ops.square(equation)) + ops.mean(ops.square(found - y))


model = keras.Sequential(
    [
        keras.Input((2,)),
        layers.Dense(37, activation="tanh", name="hidden"),
        layers.Dense(37, activation="tanh", name="middle"),
        layers.Dense(1, name="output"),
    ]
)
trainer = Burgers(model)
trainer.compile(optimizer=keras.optimizers.Adam(1e-3))


def train(batches):
    pairs = (((inside, border), value) for inside, border, value in batches)
    return trainer.fit(pairs, verbose=0).history["loss"][-1]
