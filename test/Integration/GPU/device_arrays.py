# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Feeds that are on the device are not copied, and results stay there if `out` is on it: by `__cuda_array_interface__`,
by DLPack, and arrays of the package's own (D9)."""

import ctypes
import os
from typing import Any, Dict, List, Optional, Tuple, Type

import numpy as np

import flywheel
from simulator_counters import counted

simulator: Any = ctypes.CDLL(os.environ["FLYWHEEL_LIBCUDA"])


class Foreign:
    """Memory of the device that another library has, `offset` bytes after the start of a buffer."""

    def __init__(self, array: Any, offset: int = 0) -> None:
        self.array = np.array(array, order="C")
        address = ctypes.c_void_p()
        assert simulator.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(self.array.nbytes, 1) + offset)) == 0
        self.address: int = (address.value or 0) + offset
        assert simulator.cuMemcpyHtoD_v2(ctypes.c_void_p(self.address), ctypes.c_void_p(self.array.ctypes.data),
                                         ctypes.c_size_t(self.array.nbytes)) == 0

    def numpy(self) -> Any:
        found = np.empty_like(self.array)
        assert simulator.cuMemcpyDtoH_v2(ctypes.c_void_p(found.ctypes.data), ctypes.c_void_p(self.address),
                                         ctypes.c_size_t(found.nbytes)) == 0
        return found


class Interface(Foreign):
    """As numba, cupy and torch have it."""

    strides: Optional[Tuple[int, ...]] = None
    is_read_only = False

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return {"shape": self.array.shape, "typestr": self.array.dtype.str, "version": 3, "strides": self.strides,
                "data": (self.address, self.is_read_only), "stream": 1}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Packed(Foreign):
    """As jax has it."""

    streams: List[Any]

    def __dlpack_device__(self) -> Tuple[int, int]:
        return 2, 0

    def __dlpack__(self, stream: Any = None) -> Any:
        self.streams = [*getattr(self, "streams", []), stream]
        code, size = {"f": 2, "i": 0}[self.array.dtype.kind], self.array.dtype.itemsize
        self.shape = (ctypes.c_int64 * max(self.array.ndim, 1))(*self.array.shape)
        self.tensor = DLTensor(self.address, 2, 0, self.array.ndim, code, 8 * size, 1, self.shape, None, 0, None, None)
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


MODEL = """
train.variable @w : tensor<4x3xf32> = #train.glorot_uniform
func.func @step(%x: tensor<?x4xf32>, %label: tensor<?xi32>) -> (tensor<f32>, tensor<?x3xf32>) {
  %w = train.read @w : tensor<4x3xf32>
  %z = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss, %z : tensor<f32>, tensor<?x3xf32>
}
"""
program = flywheel.compile(MODEL, target="cuda:sm_90a:bitcode")
plain = flywheel.compile(MODEL)
rng = np.random.default_rng(0)
x = rng.standard_normal((5, 4)).astype(np.float32)
label = rng.integers(0, 3, 5).astype(np.int32)


def sessions() -> Tuple[Any, Any]:
    one, other = flywheel.Session(program), flywheel.Session(plain)
    one.initialize(1)
    other.initialize(1)
    return one, other


def expect_error(kind: Type[BaseException], text: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"expected an error: {text}")


def test_feeds_are_not_copied() -> None:
    for make in (Interface, Packed, of_ours):
        session, other = sessions()
        session.run("step", x, label)
        other.run("step", x, label)
        on_device, labels = make(x), make(label)
        for _ in range(3):
            (loss, z), counts = counted(lambda: session.run("step", on_device, labels))
            # Results come down, with the word of the checks.
            assert counts["up"] == 0 and counts["down"] == 4 + 4 + z.nbytes, (make, counts)
            expected = other.run("step", x, label)
            np.testing.assert_allclose(loss, expected[0], rtol=1e-5)
            np.testing.assert_allclose(z, expected[1], rtol=1e-5, atol=1e-6)
        # One on the device and one on the host.
        session.run("step", on_device, label)
        if isinstance(on_device, Packed):
            assert set(on_device.streams) == {1}, on_device.streams


def of_ours(array: Any) -> Any:
    made = flywheel.DeviceArray(array.shape, array.dtype)
    made.set(array)
    return made


def test_results_stay() -> None:
    for make in (Interface, of_ours):
        session, other = sessions()
        out = (make(np.zeros((), np.float32)), make(np.zeros((5, 3), np.float32)))
        feeds = (make(x), make(label))
        session.run("step", *feeds)
        other.run("step", x, label)
        found, counts = counted(lambda: session.entry("step")(*feeds, out=out))
        assert counts["up"] == 0 and counts["down"] == 4, counts
        assert found[0] is out[0] and found[1] is out[1]
        for result, expected in zip(out, other.run("step", x, label)):
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_slices() -> None:
    # Kernels load vectors from multiples of 64 bytes: what begins elsewhere is copied, on the device.
    for offset, copies in ((4, True), (60, True), (64, False)):
        session, other = sessions()
        feeds = (Interface(x, offset), Interface(label, offset))
        out = (Interface(np.zeros((), np.float32), offset), Interface(np.zeros((5, 3), np.float32), offset))
        for _ in range(3):
            _, counts = counted(lambda: session.entry("step")(*feeds, out=out))
            expected = other.run("step", x, label)
            for result, value in zip(out, expected):
                np.testing.assert_allclose(result.numpy(), value, rtol=1e-5, atol=1e-6)
        moved = x.nbytes + label.nbytes + 4 + 5 * 3 * 4
        assert counts["within"] == (moved if copies else 0), (offset, counts)
        assert counts["up"] == 0 and counts["down"] == 4, counts


def test_errors() -> None:
    session, other = sessions()
    on_device, labels = Interface(x), Interface(label)
    expect_error(flywheel.InvalidArgumentError, "is on a GPU, and the program is for the CPU",
                 lambda: other.run("step", on_device, labels))
    wide = Interface(x.astype(np.float64))
    expect_error(flywheel.InvalidArgumentError, "dtype float64", lambda: session.run("step", wide, labels))
    short = Interface(x[:, :3])
    expect_error(flywheel.InvalidArgumentError, "shape (5, 3)", lambda: session.run("step", short, labels))
    turned = Interface(x)
    turned.strides = (4, 20)
    expect_error(flywheel.InvalidArgumentError, "must be C-contiguous", lambda: session.run("step", turned, labels))
    wrong = Interface(np.full(5, 7, np.int32))
    before = session["w"].copy()
    expect_error(flywheel.InvalidArgumentError, "found 7", lambda: session.run("step", on_device, wrong))
    np.testing.assert_array_equal(session["w"], before)
    out = (Interface(np.zeros((), np.float32)), Interface(np.zeros((5, 3), np.float32)))
    out[0].is_read_only = True
    expect_error(flywheel.InvalidArgumentError, "must be writeable",
                 lambda: session.entry("step")(on_device, labels, out=out))
    expect_error(flywheel.InvalidArgumentError, "overlaps a feed",
                 lambda: session.entry("step")(on_device, labels, out=(of_ours(np.zeros((), np.float32)), on_device)))
    expect_error(TypeError, "takes a numpy array", lambda: session.run("step", object(), labels))


def test_arrays_of_ours() -> None:
    array = flywheel.DeviceArray((2, 3), "float16")
    assert array.shape == (2, 3) and array.dtype == np.float16
    array.set(np.arange(6, dtype=np.float16).reshape(2, 3))
    np.testing.assert_array_equal(array.numpy(), np.arange(6).reshape(2, 3))
    expect_error(ValueError, "shape", lambda: array.set(np.zeros(6, np.float16)))
    expect_error(ValueError, "at least 0", lambda: flywheel.DeviceArray((-1,), "float32"))
    expect_error(flywheel.InvalidArgumentError, "complex64", lambda: flywheel.DeviceArray((1,), "complex64"))
    assert flywheel.DeviceArray((0, 3)).numpy().shape == (0, 3)


for name, test in sorted(globals().copy().items()):
    if name.startswith("test_"):
        test()
        print("ok", name, flush=True)
