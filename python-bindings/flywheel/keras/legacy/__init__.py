# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of Keras 1 call by other names."""
