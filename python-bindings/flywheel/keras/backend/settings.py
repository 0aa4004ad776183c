# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of the backend, and numbers for names."""

from itertools import count
from typing import Any, Dict, Iterator, Optional

import numpy as np

_floatx = "float32"
_epsilon = 1e-7
_image_data_format = "channels_last"
_uids: Dict[str, Iterator[int]] = {}


def backend() -> str:
    return "tensorflow"


def floatx() -> str:
    """The dtype of floating-point variables and inputs."""
    return _floatx


def set_floatx(floatx: str) -> None:
    global _floatx
    if floatx not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {floatx}")
    _floatx = floatx


def epsilon() -> float:
    """The small number that is added to divisors."""
    return _epsilon


def set_epsilon(e: float) -> None:
    global _epsilon
    _epsilon = e


def cast_to_floatx(x: Any) -> Any:
    return np.asarray(x, dtype=_floatx)


def image_data_format() -> str:
    """The place of channels where an argument `data_format` does not say it."""
    return _image_data_format


def normalize_data_format(value: Optional[str]) -> str:
    """Returns "channels_first" or "channels_last"; None is the one of the backend. Raises ValueError for another."""
    found = _image_data_format if value is None else str(value).lower()
    if found not in ("channels_first", "channels_last"):
        raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". Received: '
                         f"{value}")  # fmt: skip
    return found


def get_uid(prefix: str = "") -> int:
    """1, 2, ... for each prefix."""
    # Threads get different ones: each of the two calls is one step.
    return next(_uids.setdefault(prefix, count(1)))


def reset_uids() -> None:
    _uids.clear()


def set_image_data_format(data_format: str) -> None:
    """Sets the place of channels: "channels_first" or "channels_last". Raises ValueError for another one."""
    global _image_data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    _image_data_format = data_format


def image_dim_ordering() -> str:
    """The place of channels in the words of Keras 1: "tf", the last dimension, or "th"."""
    return "th" if _image_data_format == "channels_first" else "tf"


def set_image_dim_ordering(dim_ordering: str) -> None:
    """Sets the place of channels in the words of Keras 1. Raises ValueError for other ones than "tf" and "th"."""
    if dim_ordering not in ("tf", "th"):
        raise ValueError(f"Unknown dim_ordering: {dim_ordering}")
    set_image_data_format("channels_first" if dim_ordering == "th" else "channels_last")
