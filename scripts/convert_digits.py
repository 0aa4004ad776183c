#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes scikit-learn's digits data set as examples/digits/digits.safetensors.

Needs scikit-learn, numpy and safetensors. The bytes written depend only on the
data: the same on every machine and with every version of these packages.

Columns:
  image  uint8 [1797, 64]  8x8 pixels, row by row, each 0..16 (not 0..255)
  label  uint8 [1797]      the digit, 0..9
"""

import argparse
import json
import pathlib
import struct
import sys
from typing import Any, Dict

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from sklearn.datasets import load_digits

DEFAULT_OUTPUT = (
    pathlib.Path(__file__).resolve().parent.parent
    / "examples" / "digits" / "digits.safetensors"
)

METADATA = {
    "authors": "E. Alpaydin and C. Kaynak",
    "doi": "10.24432/C50P49",
    "license": "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/",
    "modifications": "test set only, as shipped with scikit-learn"
                     " (sklearn.datasets.load_digits); stored as uint8",
    "source": "UCI Machine Learning Repository, Optical Recognition of"
              " Handwritten Digits",
    "title": "Optical Recognition of Handwritten Digits",
    "year": "1998",
}


def load_columns() -> Dict[str, NDArray[np.uint8]]:
    """The columns as uint8 arrays, after checking that nothing is lost."""
    digits = load_digits()
    columns = {}
    for name, values, limit in (
        ("image", digits.data, 16),
        ("label", digits.target, 9),
    ):
        column = values.astype(np.uint8)
        if not np.array_equal(column, values) or column.max() != limit:
            raise SystemExit(f"error: {name}: values are not 0..{limit}")
        columns[name] = np.ascontiguousarray(column)
    if columns["image"].shape != (1797, 64) or columns["label"].shape != (1797,):
        raise SystemExit("error: the data set does not have 1797 8x8 images")
    return columns


def serialize(columns: Dict[str, NDArray[np.uint8]], metadata: Dict[str, str]) -> bytes:
    """The bytes of a safetensors file. The safetensors package writes the
    metadata in an arbitrary order; here all keys are sorted."""
    header: Dict[str, Any] = {"__metadata__": metadata}
    data = b""
    for name in sorted(columns):
        column = columns[name]
        header[name] = {
            "dtype": "U8",
            "shape": list(column.shape),
            "data_offsets": [len(data), len(data) + column.nbytes],
        }
        data += column.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=DEFAULT_OUTPUT,
                        help="the file to write or check (%(default)s)")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail unless the file already is"
                             " what would be written")
    arguments = parser.parse_args()

    columns = load_columns()
    content = serialize(columns, METADATA)
    # The reference implementation must read back what was put in.
    for name, column in safetensors.numpy.load(content).items():
        if column.dtype != np.uint8 or not np.array_equal(column, columns[name]):
            raise SystemExit(f"error: {name} does not survive a round trip")

    if not arguments.check:
        arguments.output.write_bytes(content)
        print(f"wrote {len(content)} bytes to {arguments.output}")
        return 0
    if not arguments.output.exists():
        raise SystemExit(f"error: {arguments.output} does not exist")
    if arguments.output.read_bytes() != content:
        raise SystemExit(f"error: {arguments.output} differs from the data set")
    print(f"{arguments.output} is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
