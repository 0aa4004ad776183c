# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages checkpoints, as a disk would, or makes them as older versions wrote them.

usage: damage.py flip IN OUT    flips a bit of the last tensor
       damage.py strip IN OUT   removes the checksums
       damage.py python FOLDER  saves, damages and restores variables of Python
"""

import json
import os
import struct
import sys


def flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 0x40])


def strip(data: bytes) -> bytes:
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    del header["__metadata__"]["flywheel_checksums"]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def change(how: str, source: str, target: str) -> None:
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(flip(data) if how == "flip" else strip(data))


def check_python(folder: str) -> None:
    import flywheel as fw

    good, bad = os.path.join(folder, "good"), os.path.join(folder, "bad")
    w = fw.Variable([1.0, 2.0], name="w")
    fw.save(good)
    change("flip", good, bad)
    w.assign([3.0, 4.0])
    try:
        fw.restore(bad)
    except fw.DataLossError as error:
        expected = f"'{bad}' is not a valid checkpoint: the data of tensor \"w\" is damaged: expected the CRC-32 "
        assert expected in str(error), error
    else:
        raise AssertionError("a damaged checkpoint was restored")
    assert w.numpy().tolist() == [3.0, 4.0], w.numpy()
    change("strip", good, bad)
    fw.restore(bad)
    assert w.numpy().tolist() == [1.0, 2.0], w.numpy()


if __name__ == "__main__":
    if sys.argv[1] == "python":
        check_python(sys.argv[2])
    else:
        change(*sys.argv[1:4])
