# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the session of docs/LeastSquares.md finds: a line through points.
import numpy as np


def check():
    np.testing.assert_allclose(session["w"], [2.0, -3.0], rtol=1e-6)
