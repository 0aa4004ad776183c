# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how many programs a cache has, and that it has nothing else."""

import os
import sys

files = os.listdir(sys.argv[1])
if len(files) != int(sys.argv[2]) or not all(name.endswith(".program") for name in files):
    sys.exit(f"expected {sys.argv[2]} programs, found {files}")
