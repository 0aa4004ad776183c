# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces and tensors, element types, and trees of values."""
