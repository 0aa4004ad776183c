# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the checkpoint that the tests of -train-freeze-variables read.

usage: write_checkpoint.py PATH
"""

import json
import struct
import sys

TENSORS = [
    ("w", "F32", [2], struct.pack("<2f", 1.5, -2.0)),
    ("mask", "BOOL", [3], bytes([1, 0, 1])),
    ("half", "BF16", [], struct.pack("<H", 0x404F)),
    ("none", "I64", [0, 2], b""),
    ("counter", "I32", [], struct.pack("<i", 7)),
    ("w/Adam", "F32", [2], struct.pack("<2f", 0.0, 0.0)),
]

header = {}
data = b""
for name, dtype, shape, content in TENSORS:
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
    data += content
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
