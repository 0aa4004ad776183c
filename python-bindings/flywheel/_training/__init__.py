# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of training loops: optimizers, records of events, pages that show them."""
