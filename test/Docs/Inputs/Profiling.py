# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model and the batch of docs/Profiling.md.
import shutil

import numpy as np

import flywheel

shutil.copy("examples/digits/digits.mlir", "digits.mlir")
image, label = np.ones((32, 64), np.float32), np.zeros(32, np.int32)


def check():
    assert profile.kernels[0].seconds > 0 and set(profile.entries[0].phases) == {
        "forward", "backward", "update", "other"}  # fmt: skip
