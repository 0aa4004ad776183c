# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""The package, `flywheel.v1` and `flywheel.keras` are imported, and train, with the packages alone that a wheel
requires: each other one that the package can use is hidden."""

import subprocess
import sys

HIDDEN = ("h5py", "IPython", "jax", "matplotlib", "ml_dtypes", "onnx", "pandas", "PIL", "scipy", "sklearn", "torch",
          "tensorboardX", "tqdm", "yaml")  # fmt: skip
PROGRAM = """
import sys

sys.modules.update({name: None for name in sys.argv[1:]})
import numpy as np

import flywheel as fw
import flywheel.v1 as tf
from flywheel import keras

w = fw.Variable(np.zeros(3, np.float32))
sgd = fw.optimizers.SGD(lr=0.1)


@fw.function
def step(x):
    loss = fw.sum((w - x) ** 2)
    sgd.minimize(loss)
    return loss


assert step(np.ones(3, np.float32)) == 3 and np.allclose(w.numpy(), 0.2)
x = tf.placeholder(tf.float32, [None, 2])
v = tf.get_variable("v", [2, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, v)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run([train, loss], {x: np.ones((4, 2))})[1] == 4
    assert session.run(tf.saturate_cast(tf.constant(1e30), tf.float16)) == 65504
    assert session.run(tf.saturate_cast(tf.constant(300), tf.int8)) == 127
model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
model.compile("sgd", "mse")
assert np.isfinite(model.fit(np.ones((8, 3)), np.ones((8, 2)), verbose=0).history["loss"][0])
"""


def main() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *HIDDEN], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"without {', '.join(HIDDEN)}: {done.stderr}"


if __name__ == "__main__":
    main()
