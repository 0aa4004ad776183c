# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python imports this first in each program of the tests: one that hangs says where, before the test runner ends it."""

import faulthandler
import os
import signal

seconds = int(os.environ.get("FLYWHEEL_TEST_SECONDS") or 0)
if seconds:
    # No thread waits for this: some tests fork.
    faulthandler.register(signal.SIGALRM)
    signal.alarm(max(1, seconds * 9 // 10))
