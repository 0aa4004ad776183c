# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Towers(fw.Module):
    def __init__(self):
        self.hidden, self.image = fw.nn.Dense(64, 100), fw.nn.Dense(100, 37)
        self.words, self.text = fw.nn.Embedding(61, 48), fw.nn.Dense(48, 37)
        self.scale = fw.Variable(2.0)

    def __call__(self, image, text):
        a = self.image(fw.nn.relu(self.hidden(image)))
        b = self.text(fw.mean(self.words(text), axis=1))
        a, b = a / fw.norm(a, axis=1, keepdims=True), b / fw.norm(b, axis=1, keepdims=True)
        return fw.exp(self.scale) * a @ b.T


model = Towers()
optimizer = fw.optimizers.AdamW(lr=1e-3, weight_decay=0.01)
average = fw.ExponentialMovingAverage(0.99)


@fw.function
def step(image, text):
    scores = model(image, text)
    label = fw.arange(image.shape[0])
    loss = sum(fw.nn.sparse_softmax_cross_entropy(s, label) for s in (scores, scores.T)) / 2
    optimizer.minimize(loss)
    average.apply(model.parameters())
    return loss


def train(batches):
    for image, text in batches:
        loss = step(image, text)
    return loss
