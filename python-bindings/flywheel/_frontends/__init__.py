# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts that importers of models of other frameworks share."""
