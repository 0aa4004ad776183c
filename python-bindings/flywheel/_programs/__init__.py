# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling: options, models in MLIR, and traced modules, each compiled once."""
