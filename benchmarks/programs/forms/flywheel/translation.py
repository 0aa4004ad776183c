# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Translator(fw.Module):
    def __init__(self):
        self.source, self.target = fw.nn.Embedding(61, 24), fw.nn.Embedding(53, 24)
        self.encoder, self.decoder = fw.nn.GRU(24, 37), fw.nn.GRU(24, 37)
        self.output = fw.nn.Dense(37, 53)

    def __call__(self, source, target):
        _, state = self.encoder(self.source(source))
        return self.output(self.decoder(self.target(target), state)[0])


model = Translator()
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(source, target):
    loss = fw.nn.sparse_softmax_cross_entropy(model(source, target[:, :-1]), target[:, 1:])
    optimizer.minimize(loss)
    return loss


def train(batches):
    for source, target in batches:
        loss = step(source, target)
    return loss
