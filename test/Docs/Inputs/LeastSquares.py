# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The points, on a line, that the program of docs/Guides/LeastSquares.md fits.
import numpy as np


def check():
    np.testing.assert_allclose(session["w"], [2.0, -3.0], rtol=1e-6)
