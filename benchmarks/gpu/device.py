# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA device that benchmarks run on."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Union


@dataclass
class Device:
    """The first device of the driver. `target` is what Flywheel compiles for it."""

    name: str
    chip: str
    simulated: bool

    @property
    def target(self) -> str:
        return f"cuda:{self.chip}" + (":bitcode" if self.simulated else "")


def find_device() -> Union[Device, str]:
    """Returns the device, or the reason why there is none. FLYWHEEL_LIBCUDA may name another driver: that of the
    simulator."""
    path = os.environ.get("FLYWHEEL_LIBCUDA", "libcuda.so.1")
    # The runtime loads it: its copy of LLVM is not for this process to have first.
    if "gpu_simulator" in os.path.basename(path) and os.path.exists(path):
        return Device("simulator", "sm_90a", True)
    try:
        driver = ctypes.CDLL(path)
    except OSError as error:
        return f"no driver of a GPU: {error}"
    count = ctypes.c_int()
    if status := driver.cuInit(0):
        return f"no GPU: cuInit of {path} failed with {status}"
    if driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return f"no GPU: {path} has no device"
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    driver.cuDeviceGetName(name, len(name), device)
    # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
    driver.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
    driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
    chip = f"sm_{major.value}{minor.value}" + ("a" if major.value >= 9 else "")
    return Device(name.value.decode(), chip, False)
