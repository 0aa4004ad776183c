# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that traced functions have from outside: those that their code reads, and when they are others."""
