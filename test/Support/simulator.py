# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in C on the simulator of a GPU, through the functions of the driver.

Tests of the simulator share this module. Arrays are NumPy's.
"""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

INPUTS = Path(__file__).resolve().parents[1] / "GPUSimulator/Inputs"

# Messages of the simulator and of a test come in the order in which they are written.
sys.stdout.reconfigure(line_buffering=True)


class DriverError(Exception):
    """A call of the driver that returned a status other than 0."""

    def __init__(self, call, status, name):
        super().__init__(f"{call}: {name}")
        self.status = status


def translate(source):
    """LLVM IR of device code in a file of MLIR: products distributed over lanes by upstream, lowered as steps are."""
    distributed = source.read_text()
    if "vector.contract" in distributed:
        distributed = run_tool(
            "mlir-opt",
            "--pass-pipeline=builtin.module(gpu.module(convert-vector-to-gpu{use-nvgpu=true}))",
            text=distributed,
        )
    # F32 is multiplied as TF32 where the op says so.
    distributed = distributed.replace("{mmaShape = [16, 8, 8]}", "{mmaShape = [16, 8, 8], tf32Enabled}")
    expanded = run_tool(
        "mlir-opt",
        "--pass-pipeline=builtin.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine)",
        text=distributed,
    )
    lowered = run_tool(
        "flywheel-opt",
        "--pass-pipeline=builtin.module(gpu.module("
        "flywheel-lower-gpu-kernels,canonicalize,reconcile-unrealized-casts))",
        text=expanded,
    )
    # The module of device code is in another module, which nothing is translated of.
    inner = lowered[lowered.index("{", lowered.index("gpu.module @")) : lowered.rindex("}")]
    return run_tool("mlir-translate", "--mlir-to-llvmir", text="module " + inner)


def run_tool(*command, text):
    """Returns the output of a tool that reads `text`."""
    return subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, text=True).stdout


def compile_device(source, defines=()):
    """The image of a file in Inputs: the size, and the bitcode that clang writes for a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        source = INPUTS / source
        if source.suffix == ".mlir":
            llvm_ir = Path(folder) / "kernels.ll"
            llvm_ir.write_text(translate(source))
            source = llvm_ir
        path = Path(folder) / "kernels.bc"
        flags = ["--target=nvptx64-nvidia-cuda", "-march=sm_90", "-Xclang", "-target-feature", "-Xclang", "+ptx80"]
        flags += ["-O1", "-ffp-contract=off", "-emit-llvm", "-c", *("-D" + name for name in defines)]
        subprocess.run(["clang", *flags, str(source), "-o", str(path)], check=True)
        bitcode = path.read_bytes()
    return struct.pack("<Q", len(bitcode)) + bitcode


class Buffer:
    """Memory of the device; freed with the device."""

    def __init__(self, device, array):
        self.device, self.shape, self.dtype = device, array.shape, array.dtype
        self.bytes = array.nbytes
        address = ctypes.c_uint64()
        device.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.bytes))
        self.address = address.value
        self.write(array)

    def write(self, array):
        """Copies an array of the buffer's size to the device."""
        data = np.ascontiguousarray(array)
        self.device.call(
            "cuMemcpyHtoD_v2",
            ctypes.c_uint64(self.address),
            ctypes.c_void_p(data.ctypes.data),
            ctypes.c_size_t(self.bytes),
        )

    def read(self):
        """The buffer's elements, on the host."""
        array = np.empty(self.shape, self.dtype)
        self.device.call(
            "cuMemcpyDtoH_v2",
            ctypes.c_void_p(array.ctypes.data),
            ctypes.c_uint64(self.address),
            ctypes.c_size_t(self.bytes),
        )
        return array


class Device:
    """The driver that FLYWHEEL_LIBCUDA names, and its kernels."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["FLYWHEEL_LIBCUDA"])
        self.images = []
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        """Calls a function of the driver; a status other than 0 is an exception."""
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise DriverError(name, status, text.value.decode())

    def buffer(self, array):
        """A copy of an array on the device."""
        return Buffer(self, np.ascontiguousarray(array))

    def load(self, source, *defines):
        """The module of a file in Inputs."""
        self.images.append(compile_device(source, defines))
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), self.images[-1])
        return Module(self, module)

    def reset(self):
        """Makes a device that failed a new one; buffers and streams are gone."""
        self.call("cuDevicePrimaryCtxReset_v2", 0)


class Module:
    """Kernels by name."""

    def __init__(self, device, module):
        self.device, self.module = device, module

    def __getattr__(self, name):
        function = ctypes.c_void_p()
        self.device.call("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        return Kernel(self.device, function)


def dims(size):
    """Three numbers of one, two or three."""
    size = tuple(np.atleast_1d(size))
    return [ctypes.c_uint(int(number)) for number in size + (1,) * (3 - len(size))]


class Kernel:
    """A function of the device: `kernel(grid, block, arguments...)`."""

    def __init__(self, device, function):
        self.device, self.function = device, function

    def __call__(self, grid, block, *arguments, dynamic=0, stream=None):
        """Launches it. Buffers are passed as addresses, integers as i32, NumPy's scalars as they are."""
        values = []
        for argument in arguments:
            if isinstance(argument, Buffer):
                values.append(ctypes.c_uint64(argument.address))
            elif isinstance(argument, np.generic):
                values.append(np.ctypeslib.as_ctypes_type(argument.dtype)(argument.item()))
            else:
                values.append(ctypes.c_int32(argument))
        places = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        self.device.call("cuLaunchKernel", self.function, *dims(grid), *dims(block), dynamic, stream, places, None)

    def set(self, attribute, value):
        """cuFuncSetAttribute."""
        self.device.call("cuFuncSetAttribute", self.function, attribute, value)


def expect_error(name, function, *arguments, **options):
    """Prints `name`, and the error with which a call has to fail."""
    print(f"-- {name}")
    try:
        function(*arguments, **options)
    except DriverError as error:
        print(error)
    else:
        print("no error")
