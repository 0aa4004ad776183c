# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The module has what it needs of MLIR in the shared library alone: an archive that comes before it in the link would
put a dialect into the module a second time, with types of its own, and 100 MB with all of them."""

import ctypes
import re

import flywheel._flywheel

with open("/proc/self/maps", encoding="utf-8") as file:
    (library,) = set(re.findall(r"/\S*libMLIR\S*", file.read()))

# The module's own functions are in its table of symbols, by their names.
with open(flywheel._flywheel.__file__, "rb") as module:
    name = b"_ZN4mlir4LLVM11LLVMDialect10initializeEv\0"
    assert name not in module.read()
assert hasattr(ctypes.CDLL(library), name[:-1].decode())
