# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.lstm = nnx.RNN(nnx.OptimizedLSTMCell(11, 37, rngs=rngs), rngs=rngs)
        self.output = nnx.Linear(37, 5, rngs=rngs)

    def __call__(self, x):
        return self.output(self.lstm(x)[:, -1])


model = Network(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3)), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, sequence, label):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(sequence), label).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for sequence, label in batches:
        loss = cached(sequence, label)
    return loss
