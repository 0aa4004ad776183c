# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensorflow` is `flywheel.v1`, for the tests of Keras 2.1.6."""

import importlib
import sys

sys.modules["tensorflow"] = importlib.import_module("flywheel.v1")
