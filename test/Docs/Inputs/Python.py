# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Calls the functions that docs/Design/Python.md defines.
import numpy as np


def check():
    image, label = np.ones((8, 64), np.float32), np.zeros(8, np.int32)
    assert step(image, label) > step(image, label)
