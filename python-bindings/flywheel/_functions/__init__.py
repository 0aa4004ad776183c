# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of traced functions: definitions, arguments, sizes, programs, exports."""
