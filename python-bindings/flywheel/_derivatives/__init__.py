# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of derivatives and of `vmap` that the compiler does not have."""
