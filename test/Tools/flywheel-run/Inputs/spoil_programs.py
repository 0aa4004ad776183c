# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spoils every file of a folder: the end is missing, a bit of the middle is another, or all of it is."""

import pathlib
import sys

for path in pathlib.Path(sys.argv[1]).iterdir():
    data = bytearray(path.read_bytes())
    if sys.argv[2] == "end":
        del data[-1]
    elif sys.argv[2] == "middle":
        data[len(data) // 2] ^= 1
    else:
        data.clear()
    path.write_bytes(data)
