# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The batch and the rate of docs/index.md.
import numpy as np

images, labels, rate = np.ones((8, 64), np.float32), np.zeros(8, np.int32), 0.2


def check():
    assert session["SGD/lr"] == np.float32(rate) and np.isfinite(loss)
