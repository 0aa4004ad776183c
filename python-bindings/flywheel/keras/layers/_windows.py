# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of windows and of what they give."""

from typing import Any, List, Optional


def pair(value: Any) -> List[int]:
    return [value, value] if isinstance(value, int) else [int(v) for v in value]


def channels_last(data_format: Any) -> str:
    """The order of dimensions. Raises NotImplementedError for another one."""
    if data_format not in (None, "channels_last"):
        raise NotImplementedError(f"flywheel.keras: data_format='{data_format}', expected 'channels_last'")
    return "channels_last"


def padding_of(padding: str) -> str:
    """ "valid" or "same". Raises ValueError for another one."""
    if str(padding).lower() not in ("valid", "same"):
        raise ValueError(f"expected the padding 'valid' or 'same', found {padding!r}")
    return padding.lower()


def output_size(size: Optional[int], window: int, stride: int, padding: str) -> Optional[int]:
    if size is None:
        return None
    return -(-(size if padding == "same" else size - window + 1) // stride)


def single(value: Any) -> List[int]:
    """The size of a window along time, as a list of one."""
    return [value] if isinstance(value, int) else [int(v) for v in value]
