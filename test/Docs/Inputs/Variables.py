# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model of docs/Guides/Variables.md that is trained in parts.
import numpy as np

import flywheel

weights = [flywheel.Variable(shape=(4, 3), name="w")]
offsets = [flywheel.Variable(np.ones(2, np.float32), name="offsets")]
optimizer = flywheel.optimizers.SGD(lr=0.5)


def loss(image, label):
    return flywheel.nn.sparse_softmax_cross_entropy(image @ weights[0], label)


def penalty():
    return flywheel.sum(flywheel.square(offsets[0]))


def check():
    rng = np.random.default_rng(0)
    image, label = rng.standard_normal((16, 4)).astype(np.float32), rng.integers(0, 3, 16).astype(np.int32)
    before = weights[0].numpy()
    step(image, label)
    scores = np.exp(image @ before)
    shares = scores / scores.sum(1, keepdims=True) - np.eye(3)[label]
    np.testing.assert_allclose(weights[0].numpy(), before - 0.5 * image.T @ shares / 16, rtol=1e-4, atol=1e-6)
    done = optimizer.iterations.numpy()
    step_of_two(image, label)
    assert optimizer.iterations.numpy() == done + 1
    np.testing.assert_allclose(offsets[0].numpy(), [0, 0], atol=1e-6)

    @flywheel.function
    def twice():
        optimizer.minimize(penalty(), var_list=offsets)
        optimizer.minimize(penalty(), var_list=offsets)

    twice()
    assert optimizer.iterations.numpy() == done + 3
