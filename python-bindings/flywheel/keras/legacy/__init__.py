# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of Keras 1."""
