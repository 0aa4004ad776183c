# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step with a loop that fails for the device changes no variable: failed_loop.py MODEL."""

import sys

import numpy as np

import flywheel

session = flywheel.Session(flywheel.compile(sys.argv[1], target="cuda:sm_90a:bitcode"))
session.initialize(3)
for _ in range(2):
    try:
        session.run("grow")
    except (RuntimeError, MemoryError) as error:
        assert "no driver of a GPU" in str(error) or "CUDA_ERROR" in str(error), str(error)
    else:
        raise AssertionError("expected an error of the device")
    np.testing.assert_array_equal(session["w"], np.ones((3, 4), np.float32))
