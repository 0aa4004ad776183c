# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warning where arrays of float64, which is NumPy's default, make a step of float32 one of float64."""

from typing import Sequence

from .._flywheel import CompileWarning
from . import dtypes as _dtypes
from . import trace as _trace


def warn_of_widening(dtypes: Sequence[_dtypes.DType], result: _dtypes.DType) -> None:
    """Warns once a trace, at the line of the user, where operands of these dtypes are computed in float64 and all
    variables that were read so far are narrower. A float64 variable, or a signature with one, means what it says."""
    if result != _dtypes.float64:
        return
    trace = _trace.current()
    narrow = [dtype for dtype in dtypes if _dtypes.is_floating(dtype) and dtype != result]
    kinds = {v.dtype for v in trace.variables.values() if _dtypes.is_floating(v.dtype)}
    if not trace.warns_of_widening or not narrow or not kinds or result in kinds:
        return
    trace.warns_of_widening = False
    name = _dtypes.name_of(narrow[0])
    _trace.warn_user(
        f"float64 meets {name}: from here on '{trace.name}' computes in float64, which takes about twice the time and "
        f"the memory, though its variables are {name}. Feed x.astype('{name}') or use flywheel.cast(x, '{name}'); "
        "flywheel.spec(..., dtype='float64') in a signature says that float64 is meant, and "
        "warnings.filterwarnings('ignore', 'float64 meets') silences this", CompileWarning,
    )
