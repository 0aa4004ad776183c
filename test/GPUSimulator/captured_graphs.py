# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each launch of a graph does the recorded work of a stream, and a capture refuses work that it cannot hold.

RUN: env FLYWHEEL_SIM_COUNTERS=1 %python %s 2>&1 | FileCheck %s
"""

import ctypes
import threading

import numpy as np

import simulator
from simulator import expect_error

device = simulator.Device()
steps = device.load("steps.c")
add, scale = steps.add, steps.scale


def handle(function, *arguments):
    """The object that a function of the driver makes."""
    made = ctypes.c_void_p()
    device.call(function, ctypes.byref(made), *arguments)
    return made


def end_capture(stream):
    """The graph that a stream has recorded."""
    graph = ctypes.c_void_p()
    device.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return graph


def number(value):
    """A scalar of f32."""
    return np.float32(value)


def address(buffer, offset=0):
    """A place on the device."""
    return ctypes.c_uint64(buffer.address + offset)


x = device.buffer(np.zeros(32, np.float32))
y = device.buffer(np.zeros(32, np.float32))
stream, other = handle("cuStreamCreate", 1), handle("cuStreamCreate", 1)
event = handle("cuEventCreate", 0)

# Two streams, the second of which waits for the first, and the first for the second.
host = np.full(32, 7, np.float32)
back = np.zeros(32, np.float32)
device.call("cuStreamBeginCapture_v2", stream, 0)
add(1, 32, x, number(1), stream=stream)
device.call("cuEventRecord", event, stream)
device.call("cuStreamWaitEvent", other, event, 0)
scale(1, 32, x, number(3), stream=other)
device.call("cuMemcpyHtoDAsync_v2", address(y), ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(64), other)
device.call("cuMemsetD32Async", address(y, 64), 0x40000000, ctypes.c_size_t(8), other)
device.call("cuMemcpyAsync", address(y, 96), address(x), ctypes.c_size_t(32), other)
device.call("cuEventRecord", event, other)
device.call("cuStreamWaitEvent", stream, event, 0)
device.call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(back.ctypes.data), address(x), ctypes.c_size_t(128), stream)
status = ctypes.c_int()
device.call("cuStreamIsCapturing", other, ctypes.byref(status))
graph = end_capture(stream)
print("CAPTURED", status.value, back[0])
executable = handle("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
device.call("cuGraphDestroy", graph)
for _ in range(3):
    device.call("cuGraphLaunch", executable, stream)
device.call("cuStreamSynchronize", stream)
print("REPLAYED", back[0], x.read()[31], y.read()[[0, 15, 16, 23, 24, 31]])
# Nothing is done while it is recorded. ((0 + 1) 3 + 1) 3 + 1) 3 = 39.
# CHECK: CAPTURED 1 0.0
# CHECK: REPLAYED 39.0 39.0 [ 7. 7. 2. 2. 39. 39.]

# A graph within another one.
device.call("cuStreamBeginCapture_v2", stream, 0)
device.call("cuGraphLaunch", executable, stream)
add(1, 32, x, number(1), stream=stream)
outer = handle("cuGraphInstantiate_v2", end_capture(stream), None, None, ctypes.c_size_t(0))
x.write(np.zeros(32, np.float32))
device.call("cuGraphLaunch", outer, stream)
print("NESTED", x.read()[0])
# CHECK: NESTED 4.0


class Counters(ctypes.Structure):
    """The counters of the simulator."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in "launches kernels graphs synchronizations allocations to_device to_host on_device".split()
    ]


counters = Counters()
device.library.flywheelSimulatorCounters(ctypes.byref(counters))
print("COUNTERS", {name: getattr(counters, name) for name, _ in Counters._fields_})
# CHECK: COUNTERS {'launches': 0, 'kernels': 9, 'graphs': 4, 'synchronizations': 7, 'allocations': 2,
# CHECK-SAME: 'to_device': 640, 'to_host': 896, 'on_device': 256}


def capture(name, function, *arguments, **options):
    """Has a capture refuse a call, which is its end."""
    device.call("cuStreamBeginCapture_v2", stream, 0)
    expect_error(name, function, *arguments, **options)
    expect_error("THEN", end_capture, stream)


capture("SYNCHRONIZE", device.call, "cuCtxSynchronize")
# CHECK-LABEL: -- SYNCHRONIZE
# CHECK-NEXT: cuCtxSynchronize: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
# CHECK-NEXT: -- THEN
# CHECK-NEXT: cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
capture("STREAM", device.call, "cuStreamSynchronize", stream)
# CHECK-LABEL: -- STREAM
# CHECK-NEXT: cuStreamSynchronize: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
capture("ALLOCATE", device.buffer, np.zeros(1))
# CHECK-LABEL: -- ALLOCATE
# CHECK-NEXT: cuMemAlloc_v2: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
capture("COPY", x.read)
# CHECK-LABEL: -- COPY
# CHECK-NEXT: cuMemcpyDtoH_v2: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
expect_error("NULL", device.call, "cuStreamBeginCapture_v2", None, 0)
# CHECK-LABEL: -- NULL
# CHECK-NEXT: cuStreamBeginCapture_v2: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED

# The null stream is one that a stream that does not block goes along with, and no other.
device.call("cuStreamBeginCapture_v2", stream, 0)
add(1, 32, x, number(1))
device.call("cuGraphDestroy", end_capture(stream))
blocking = handle("cuStreamCreate", 0)
device.call("cuStreamBeginCapture_v2", blocking, 0)
expect_error("IMPLICIT", add, 1, 32, x, number(1))
expect_error("THEN", end_capture, blocking)
# CHECK-LABEL: -- IMPLICIT
# CHECK-NEXT: cuLaunchKernel: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
# CHECK-NEXT: -- THEN
# CHECK-NEXT: cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED


def in_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


# A capture of mode 1 allows what other threads do, but not that they use the null stream if its own waits for it.
device.call("cuStreamBeginCapture_v2", stream, 1)
in_thread(lambda: device.buffer(np.zeros(1)))
in_thread(x.read)
device.call("cuGraphDestroy", end_capture(stream))
device.call("cuStreamBeginCapture_v2", stream, 1)
expect_error("OWN", device.buffer, np.zeros(1))
expect_error("THEN", end_capture, stream)
device.call("cuStreamBeginCapture_v2", blocking, 1)
in_thread(lambda: expect_error("OTHER", x.read))
expect_error("THEN", end_capture, blocking)
device.call("cuStreamBeginCapture_v2", stream, 0)
in_thread(lambda: expect_error("GLOBAL", device.buffer, np.zeros(1)))
expect_error("THEN", end_capture, stream)
# CHECK-LABEL: -- OWN
# CHECK-NEXT: cuMemAlloc_v2: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
# CHECK-NEXT: -- THEN
# CHECK-NEXT: cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
# CHECK-LABEL: -- OTHER
# CHECK-NEXT: cuMemcpyDtoH_v2: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
# CHECK-NEXT: -- THEN
# CHECK-NEXT: cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
# CHECK-LABEL: -- GLOBAL
# CHECK-NEXT: cuMemAlloc_v2: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
# CHECK-NEXT: -- THEN
# CHECK-NEXT: cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED

device.call("cuStreamDestroy_v2", blocking)
expect_error("DESTROYED", device.call, "cuStreamSynchronize", blocking)
# CHECK-LABEL: -- DESTROYED
# CHECK-NEXT: cuStreamSynchronize: CUDA_ERROR_INVALID_HANDLE

# A graph fails as its kernels do.
device.call("cuStreamBeginCapture_v2", stream, 0)
steps.fail(1, 1, x, stream=stream)
broken = handle("cuGraphInstantiateWithFlags", end_capture(stream), ctypes.c_ulonglong(0))
expect_error("BROKEN", device.call, "cuGraphLaunch", broken, stream)
# CHECK-LABEL: -- BROKEN
# CHECK-NEXT: simulator: kernel 'fail', {{.*}} an access of memory that is not there
# CHECK-NEXT: cuGraphLaunch: CUDA_ERROR_LAUNCH_FAILED
expect_error("AFTER", x.read)
# CHECK-LABEL: -- AFTER
# CHECK-NEXT: cuMemcpyDtoH_v2: CUDA_ERROR_LAUNCH_FAILED
# CHECK: simulator: 1 launches, 5 launches of graphs, 11 kernels,
