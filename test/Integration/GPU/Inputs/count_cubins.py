# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts files of machine code for GPUs within an object file: ELFs of machine 190."""

import re
import struct
import sys
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
found = [m.start() for m in re.finditer(b"\x7fELF", data)]
print(sum(struct.unpack_from("<H", data, at + 18)[0] == 190 for at in found), "cubins")
