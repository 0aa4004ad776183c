# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of runs: `timeline`."""

from . import timeline as timeline

__all__ = ["timeline"]
