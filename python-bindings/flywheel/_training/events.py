# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Event files, which TensorBoard shows: records of the protocol buffers `Event` and `Summary`, written by hand.

A record is the length (8 bytes), a checksum of it, the event, and a checksum of that: CRC-32C (Castagnoli), rotated by
15 bits and increased by 0xa282ead8, as the TFRecord format says.
"""

import itertools
import os
import socket
import struct
import time
from typing import Any, Iterable, List, Optional

import numpy as np

from .._core.annotations import Path

__all__ = ["EventWriter", "binned_value", "histogram_value", "image_value", "scalar_value"]

_numbers = itertools.count()


def _crc_table() -> List[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def masked_crc(data: bytes) -> int:
    """The checksum of a record."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# Protocol buffers


def _varint(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def int_field(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _double(field: int, number: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", number)


def bytes_field(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def text_field(field: int, text: str) -> bytes:
    return bytes_field(field, text.encode())


def _doubles(field: int, numbers: Iterable[float]) -> bytes:
    return bytes_field(field, b"".join(struct.pack("<d", x) for x in numbers))


# Summaries: the serialized values of several, one after the other, are a summary of all of them.


def _value(tag: str, content: bytes) -> bytes:
    return bytes_field(1, text_field(1, tag) + content)


def scalar_value(tag: str, number: float) -> bytes:
    """A summary of one number."""
    return _value(tag, _varint(2 << 3 | 5) + struct.pack("<f", number))


def _limits() -> "np.ndarray[Any, Any]":
    """Returns the right ends of bins, as TensorFlow's: each 1.1 times the one before."""
    ends = 1e-12 * 1.1 ** np.arange(774)
    return np.concatenate([[-np.finfo(np.float64).max], -ends[::-1], [0.0], ends, [np.finfo(np.float64).max]])


def histogram_value(tag: str, value: Any) -> bytes:
    """A summary of how often elements are in each of 1550 bins. Raises ValueError for elements that are not finite."""
    x = np.asarray(value, np.float64).ravel()
    if not np.isfinite(x).all():
        raise ValueError(f"Nan in summary histogram for: {tag}")
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, x, side="right"), minlength=len(limits))
    low, high = (x.min(), x.max()) if len(x) else (None, None)
    return binned_value(tag, low, high, len(x), x.sum(), (x * x).sum(), limits, counts)


def binned_value(
    tag: str, low: Optional[float], high: Optional[float], count: int, total: float, squares: float, limits: Any,
    counts: Any,
) -> bytes:  # fmt: skip
    """A summary of how many elements are in bins, whose right ends are `limits`. `low`, `high`, `count`, `total` and
    `squares` are the least and the largest element, their number, their sum, and that of their squares."""
    used = np.asarray(counts).nonzero()[0]
    # With an empty bin before the first one, where it begins.
    kept = slice(max(used[0] - 1, 0), used[-1] + 1) if len(used) else slice(0, 0)
    ends = b"" if low is None or high is None else _double(1, low) + _double(2, high)
    content = ends + _double(3, count) + _double(4, total) + _double(5, squares)
    return _value(tag, bytes_field(5, content + _doubles(6, limits[kept]) + _doubles(7, counts[kept])))


def image_value(tag: str, shape: Any, encoded: bytes) -> bytes:
    """A summary of an image [height, width, channels] that is encoded as PNG."""
    sizes = b"".join(int_field(i + 1, int(n)) for i, n in enumerate(shape))
    return _value(tag, bytes_field(4, sizes + bytes_field(4, encoded)))


class EventWriter:
    """Writes one event file in a folder, which is made. Raises OSError."""

    def __init__(self, folder: Path, suffix: str = "") -> None:
        self.folder = os.fsdecode(folder)
        self._suffix = suffix
        self._file: Any = None
        self._open()

    def _open(self) -> None:
        os.makedirs(self.folder, exist_ok=True)
        now = time.time()
        owner = f"{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        name = f"events.out.tfevents.{int(now):010d}.{owner}{self._suffix}"
        self.path = os.path.join(self.folder, name)
        self._file = open(self.path, "ab")  # noqa: SIM115
        self._write(text_field(3, "brain.Event:2"), None)
        self.flush()

    def _write(self, content: bytes, step: Optional[int]) -> None:
        place = b"" if step is None else int_field(2, step)
        self.add_event(_double(1, time.time()) + place + content)

    def add_event(self, event: bytes) -> None:
        """Writes a serialized Event."""
        if self._file is None:
            self._open()
        length = struct.pack("<Q", len(event))
        self._file.write(length + struct.pack("<I", masked_crc(length)) + event + struct.pack("<I", masked_crc(event)))

    def add_summary(self, summary: bytes, step: Optional[int] = None) -> None:
        """Writes serialized values, as the functions here make them."""
        self._write(bytes_field(5, summary), step)

    def add_graph(self, graph: bytes, step: Optional[int] = None) -> None:
        """Writes a serialized GraphDef."""
        self._write(bytes_field(4, graph), step)

    def add_run_metadata(self, tag: str, metadata: bytes, step: Optional[int] = None) -> None:
        """Writes a serialized RunMetadata."""
        self._write(bytes_field(8, text_field(1, tag) + bytes_field(2, metadata)), step)

    def flush(self) -> None:
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file; what is written later begins another one."""
        if self._file is not None:
            self._file.close()
            self._file = None
