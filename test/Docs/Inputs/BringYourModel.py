# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Batches for docs/Guides/BringYourModel.md.
import numpy as np
import torch

rng = np.random.default_rng(0)
batches = [(torch.randn(32, 64), torch.randint(0, 10, (32,))) for _ in range(3)]


def check():
    # The module has the weights that training ended with.
    image, _ = batches[0]
    np.testing.assert_allclose(
        np.asarray(model(image)), module(image).detach().numpy(), rtol=1e-4, atol=1e-5)  # fmt: skip
