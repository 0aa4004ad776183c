# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors as fields, of which their texts are made, and hints: the texts that a user reads about a call that failed."""
