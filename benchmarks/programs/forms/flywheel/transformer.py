# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import flywheel as fw


class Block(fw.Module):
    def __init__(self):
        self.norm1, self.norm2 = fw.nn.LayerNorm(48, epsilon=1e-5), fw.nn.LayerNorm(48, epsilon=1e-5)
        self.attention = fw.nn.MultiHeadAttention(48, heads=4, causal=True)
        self.wide, self.narrow = fw.nn.Dense(48, 192), fw.nn.Dense(192, 48)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(fw.nn.gelu(self.wide(self.norm2(x))))


class Writer(fw.Module):
    def __init__(self):
        self.embed, self.places = fw.nn.Embedding(61, 48), fw.nn.Embedding(37, 48)
        self.blocks = fw.nn.Sequential(Block(), Block())
        self.norm, self.head = fw.nn.LayerNorm(48, epsilon=1e-5), fw.nn.Dense(48, 61)

    def __call__(self, text):
        x = self.embed(text) + self.places(fw.arange(text.shape[1]))
        return self.head(self.norm(self.blocks(x)))


model = Writer()
optimizer = fw.optimizers.AdamW(lr=1e-3, weight_decay=0.01)


@fw.function
def step(text, following):
    loss = fw.nn.sparse_softmax_cross_entropy(model(text), following)
    optimizer.minimize(loss)
    return loss


def train(batches):
    for text, following in batches:
        loss = step(text, following)
    return loss
