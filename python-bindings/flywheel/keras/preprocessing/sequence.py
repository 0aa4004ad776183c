# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of several lengths."""

from typing import Any, Optional

import numpy as np


def pad_sequences(
    sequences: Any, maxlen: Optional[int] = None, dtype: Any = "int32", padding: str = "pre", truncating: str = "pre",
    value: Any = 0.0,
) -> Any:  # fmt: skip
    """An array [samples, maxlen, ...] of sequences, which are cut or filled up with `value`, at their begin ("pre") or
    end ("post"). Raises ValueError for another place, or elements of several shapes."""
    for place in (padding, truncating):
        if place not in ("pre", "post"):
            raise ValueError(f"expected 'pre' or 'post', found '{place}'")
    rows = [np.asarray(row, dtype=dtype) for row in sequences]
    width = max((len(row) for row in rows), default=0) if maxlen is None else maxlen
    shape = next((row.shape[1:] for row in rows if len(row)), ())
    result = np.full((len(rows), width, *shape), value, dtype=dtype)
    for i, row in enumerate(rows):
        if not len(row):
            continue
        if row.shape[1:] != shape:
            raise ValueError(f"Shape of sample {row.shape[1:]} of sequence at position {i} is different from {shape}")
        kept = row[len(row) - width if len(row) > width else 0 :] if truncating == "pre" else row[:width]
        if padding == "pre":
            result[i, width - len(kept) :] = kept
        else:
            result[i, : len(kept)] = kept
    return result
