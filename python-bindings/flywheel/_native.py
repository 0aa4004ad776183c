# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the compiled part of the package.

A package that was imported before may show an LLVM of its own to the whole process, as TensorFlow does. The compiler
would then call that one in places, which is not its own version: its libraries are to look at each other first.
"""

import ctypes
import os
import sys


def _shows_llvm() -> bool:
    """Whether everyone sees an LLVM that someone loaded."""
    try:
        return hasattr(ctypes.CDLL(None), "LLVMContextCreate")
    except (OSError, TypeError):
        return False


def _load() -> None:
    if "flywheel._flywheel" in sys.modules:
        return
    flags = sys.getdlopenflags()
    if hasattr(os, "RTLD_DEEPBIND") and _shows_llvm():
        sys.setdlopenflags(flags | os.RTLD_DEEPBIND)
    try:
        from . import _flywheel  # noqa: F401
    finally:
        sys.setdlopenflags(flags)


_load()
