# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and sizes of convolutions, as in `keras.utils.conv_utils`."""

import operator
from typing import Any, Optional, Tuple

import numpy as np

from ..backend.settings import normalize_data_format

__all__ = [
    "conv_input_length", "conv_output_length", "convert_kernel", "deconv_length", "normalize_data_format",
    "normalize_padding", "normalize_tuple",
]  # fmt: skip


def normalize_tuple(value: Any, n: int, name: str) -> Tuple[int, ...]:
    """Returns `n` integers of one integer or of `n` of them. Raises ValueError for anything else."""
    if isinstance(value, (int, np.integer)):
        return (int(value),) * n
    try:
        listed = tuple(operator.index(one) for one in value)
    except TypeError:
        listed = ()
    if len(listed) != n:
        raise ValueError(f"The `{name}` argument must be a tuple of {n} integers. Received: {value!r}")
    return listed


def normalize_padding(value: str) -> str:
    """Returns "valid", "same" or "causal" in lower case. Raises ValueError for another one."""
    found = value.lower()
    if found not in ("valid", "same", "causal"):
        raise ValueError('The `padding` argument must be one of "valid", "same" (or "causal" for Conv1D). Received: '
                         f"{found}")  # fmt: skip
    return found


def convert_kernel(kernel: Any) -> Any:
    """Returns a kernel of rank 3, 4 or 5 whose dimensions of space are reversed: a convolution of that is a
    cross-correlation of this. Raises ValueError for another rank."""
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError("Invalid kernel shape:", kernel.shape)
    return np.copy(kernel[(slice(None, None, -1),) * (kernel.ndim - 2)])


def conv_output_length(
    input_length: Optional[int], filter_size: int, padding: str, stride: int, dilation: int = 1
) -> Optional[int]:
    """Returns the size of a convolution's result along one dimension: ceil((input + pad - (filter - 1) dilation) /
    stride); None of None."""
    if input_length is None:
        return None
    if padding not in ("same", "valid", "full", "causal"):
        raise AssertionError(f"expected a padding of 'same', 'valid', 'full' or 'causal', found {padding!r}")
    reach = (filter_size - 1) * dilation
    length = {"same": input_length, "causal": input_length, "valid": input_length - reach,
              "full": input_length + reach}[padding]  # fmt: skip
    return (length + stride - 1) // stride


def conv_input_length(output_length: Optional[int], filter_size: int, padding: str, stride: int) -> Optional[int]:
    """Returns the least size of an input whose convolution has the size `output_length`; None of None."""
    if output_length is None:
        return None
    if padding not in ("same", "valid", "full"):
        raise AssertionError(f"expected a padding of 'same', 'valid' or 'full', found {padding!r}")
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_length(
    dim_size: Optional[int], stride_size: int, kernel_size: int, padding: str
) -> Optional[int]:
    """Returns the size of a transposed convolution's result along one dimension; None of None."""
    if dim_size is None:
        return None
    if padding == "valid":
        return dim_size * stride_size + max(kernel_size - stride_size, 0)
    if padding == "full":
        return dim_size * stride_size - (stride_size + kernel_size - 2)
    return dim_size * stride_size
