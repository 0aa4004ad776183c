# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counters of the simulator of a GPU in this process: launches, and kernels in graphs too; graphs; waits;
allocations; and bytes that were copied up, down and within the device."""

import ctypes
import os
from typing import Any, Dict, Tuple

FIELDS = ("launches", "kernels", "graphs", "synchronizations", "allocations", "up", "down", "within")


def counters() -> Dict[str, int]:
    found = (ctypes.c_uint64 * len(FIELDS))()
    ctypes.CDLL(os.environ["FLYWHEEL_LIBCUDA"]).flywheelSimulatorCounters(found)
    return dict(zip(FIELDS, found))


def counted(call: Any) -> Tuple[Any, Dict[str, int]]:
    """Returns the result of a call, and its additions to the counters."""
    before = counters()
    result = call()
    return result, {name: value - before[name] for name, value in counters().items()}
