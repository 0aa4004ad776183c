# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend under the name that it has in Keras 2.1."""

from . import *  # noqa: F403
