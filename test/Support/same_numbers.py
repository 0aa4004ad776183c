# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless two files have the same numbers, one a line, up to rounding.

usage: same_numbers.py EXPECTED FOUND
"""

import sys

import numpy as np

expected, found = (np.loadtxt(path) for path in sys.argv[1:])
assert expected.size > 1 and expected[-1] < expected[0], "nothing was learned"
np.testing.assert_allclose(found, expected, rtol=1e-3)
