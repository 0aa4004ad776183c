# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import optax
from flax import nnx


class Translator(nnx.Module):
    def __init__(self, rngs):
        self.source, self.target = nnx.Embed(61, 24, rngs=rngs), nnx.Embed(53, 24, rngs=rngs)
        self.encoder, self.decoder = (nnx.RNN(nnx.GRUCell(24, 37, rngs=rngs), rngs=rngs) for _ in range(2))
        self.output = nnx.Linear(37, 53, rngs=rngs)

    def __call__(self, source, target):
        state, _ = self.encoder(self.source(source), return_carry=True)
        return self.output(self.decoder(self.target(target), initial_carry=state))


model = Translator(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, source, target):
    def loss_of(model):
        scores = model(source, target[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(scores, target[:, 1:]).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def train(batches):
    cached = nnx.cached_partial(step, model, optimizer)
    for source, target in batches:
        loss = cached(source, target)
    return loss
