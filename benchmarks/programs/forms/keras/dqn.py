# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import keras
from keras import layers, ops


class TemporalDifference(keras.Model):
    def __init__(self, online, target):
        super().__init__()
        self.online, self.target = online, target
        self.target.trainable = False

    def call(self, batch):
        state, action, reward, following, done = batch
        values = ops.take_along_axis(self.online(state), action[:, None], 1)[:, 0]
        return values - reward - 0.99 * (1 - done) * ops.max(self.target(following), axis=1)


model = keras.Sequential(
    [
        keras.Input((6,)),
        layers.Dense(48, activation="relu", name="hidden"),
        layers.Dense(37, activation="relu", name="middle"),
        layers.Dense(3, name="output"),
    ]
)
trainer = TemporalDifference(model, keras.models.clone_model(model))
trainer.compile(optimizer=keras.optimizers.Adam(1e-3), loss=keras.losses.Huber())


def train(batches):
    for count, batch in enumerate(batches):
        if count % 4 == 0:
            trainer.target.set_weights(model.get_weights())
        loss = trainer.train_on_batch(batch, ops.zeros_like(batch[2]))
    return loss
