# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the names of the ops that have a sample, one a line."""

from samples import SAMPLES

print("\n".join(sorted(SAMPLES)))
