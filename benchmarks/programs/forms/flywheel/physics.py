# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Network(fw.Module):
    def __init__(self):
        self.hidden, self.middle, self.output = fw.nn.Dense(2, 37), fw.nn.Dense(37, 37), fw.nn.Dense(37, 1)

    def __call__(self, x):
        return self.output(fw.tanh(self.middle(fw.tanh(self.hidden(x)))))


model = Network()
optimizer = fw.optimizers.Adam(lr=1e-3)


@fw.function
def step(inside, border, value):
    u = model(inside)
    slopes = fw.gradients(u, inside)
    u_x, u_t = slopes[:, 0], slopes[:, 1]
    u_xx = fw.gradients(u_x, inside)[:, 0]
    equation = u_t + u[:, 0] * u_x - 0.01 * u_xx
    loss = fw.mean(fw.square(equation)) + fw.mean(fw.square(model(border) - value))
    optimizer.minimize(loss)
    return loss


def train(batches):
    for inside, border, value in batches:
        loss = step(inside, border, value)
    return loss
