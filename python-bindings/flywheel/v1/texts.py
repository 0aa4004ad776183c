# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.compat`: texts as bytes and as text."""

import numbers
from typing import Any

import numpy as np


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A text as bytes."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as a text."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str_any(value: Any) -> str:
    """Bytes as a text, and anything else as `str` has it."""
    return as_text(value) if isinstance(value, bytes) else str(value)


NAMES = {
    "as_bytes": as_bytes, "as_str": as_text, "as_str_any": as_str_any, "as_text": as_text,
    "bytes_or_text_types": (bytes, str), "complex_types": (numbers.Complex, np.number),
    "integral_types": (numbers.Integral, np.integer), "real_types": (numbers.Real, np.integer, np.floating),
}  # fmt: skip
