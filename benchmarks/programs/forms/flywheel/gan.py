# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Generator(fw.Module):
    def __init__(self):
        self.hidden, self.output = fw.nn.Dense(9, 100), fw.nn.Dense(100, 64)

    def __call__(self, z):
        return fw.tanh(self.output(fw.nn.relu(self.hidden(z))))


class Discriminator(fw.Module):
    def __init__(self):
        self.hidden, self.output = fw.nn.Dense(64, 100), fw.nn.Dense(100, 1)

    def __call__(self, x):
        return self.output(fw.nn.leaky_relu(self.hidden(x), 0.2))


generator, discriminator = Generator(), Discriminator()
generator_optimizer = fw.optimizers.Adam(lr=2e-4, beta_1=0.5)
discriminator_optimizer = fw.optimizers.Adam(lr=2e-4, beta_1=0.5)


@fw.function
def step(real, noise):
    fake = generator(noise)
    loss = fw.mean(fw.nn.softplus(-discriminator(real))) + fw.mean(fw.nn.softplus(discriminator(fake)))
    discriminator_optimizer.minimize(loss, discriminator.parameters())
    fooling = fw.mean(fw.nn.softplus(-discriminator(fake)))
    generator_optimizer.minimize(fooling, generator.parameters())
    return loss, fooling


def train(batches):
    for real, noise in batches:
        loss, fooling = step(real, noise)
    return loss + fooling
