# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the ELF of a machine that is within an object file: extract_elf.py OBJECT MACHINE
OUTPUT."""

import re
import struct
import sys
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
for match in re.finditer(b"\x7fELF", data):
    at = match.start()
    machine, = struct.unpack_from("<H", data, at + 18)
    if machine != int(sys.argv[2]):
        continue
    # It ends with its table of sections.
    table, = struct.unpack_from("<Q", data, at + 40)
    size, count = struct.unpack_from("<HH", data, at + 58)
    Path(sys.argv[3]).write_bytes(data[at : at + table + size * count])
    break
else:
    sys.exit("no such ELF")
