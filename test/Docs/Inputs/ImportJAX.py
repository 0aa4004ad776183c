# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Batches for the part on JAX of docs/Guides/BringYourModel.md.
import numpy as np

rng = np.random.default_rng(0)
batches = [(rng.standard_normal((32, 64), np.float32), rng.integers(0, 10, 32).astype(np.int32)) for _ in range(3)]


def check():
    # The tree has the weights that training ended with.
    images, _ = batches[0]
    np.testing.assert_allclose(
        np.asarray(imported(images)), np.asarray(apply(params, images)), rtol=1e-4, atol=1e-5)  # fmt: skip
