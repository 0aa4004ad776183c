# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Factors(fw.Module):
    def __init__(self):
        self.users, self.items = fw.nn.Embedding(6037, 24), fw.nn.Embedding(3701, 24)

    def __call__(self, user, item):
        return fw.sum(self.users(user) * self.items(item), axis=1)


model = Factors()
optimizer = fw.optimizers.Adagrad(lr=0.05)


@fw.function
def step(user, item, rating):
    loss = fw.mean(fw.square(model(user, item) - rating))
    optimizer.minimize(loss)
    return loss


def train(batches):
    for user, item, rating in batches:
        loss = step(user, item, rating)
    return loss
