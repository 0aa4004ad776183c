# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.middle = nnx.Linear(64, 100, rngs=rngs), nnx.Linear(100, 37, rngs=rngs)
        self.output = nnx.Linear(37, 10, rngs=rngs)

    def __call__(self, x):
        return self.output(nnx.relu(self.middle(nnx.relu(self.hidden(x)))))


model = Network(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(0.05, momentum=0.9), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, image, label):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(image), label).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for image, label in batches:
        loss = cached(image, label)
    return loss
