# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.test`: tests of programs, by Python's unittest."""

import os
import tempfile
import unittest
from typing import Any, Optional
from unittest import mock as mock

import numpy as np

from .. import _flywheel
from .._errors.messages import about
from .derivatives import gradients
from .graph import Graph
from .session import Session, default_session


class TestCase(unittest.TestCase):
    """A case with a graph of its own for each test, and comparisons of arrays."""

    def setUp(self) -> None:
        self._graph = Graph().as_default()
        self._graph.__enter__()

    def tearDown(self) -> None:
        self._graph.__exit__(None, None, None)

    def get_temp_dir(self) -> str:
        """A folder for the files of the test."""
        return tempfile.mkdtemp()

    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False) -> Session:
        """A session of the graph. `use_gpu` and `force_gpu` have no effect: `tf.device` chooses."""
        return Session(graph=graph, config=config)

    test_session = cached_session = session

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors in the default session."""
        return default_session(None, "evaluate tensors").run(tensors)

    def _array(self, value: Any) -> Any:
        return self.evaluate(value) if hasattr(value, "op") else value

    def assertAllEqual(self, a: Any, b: Any, msg: Optional[str] = None) -> None:  # noqa: N802
        np.testing.assert_array_equal(self._array(a), self._array(b), err_msg=msg or "")

    def assertAllClose(  # noqa: N802
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Optional[str] = None
    ) -> None:
        """|a - b| <= atol + rtol |b|, also of lists, tuples and dicts."""
        if isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
        elif isinstance(a, (list, tuple)) and any(hasattr(x, "shape") for x in a):
            self.assertEqual(len(a), len(b), msg)
            for one, other in zip(a, b):
                self.assertAllClose(one, other, rtol, atol, msg)
        else:
            np.testing.assert_allclose(self._array(a), self._array(b), rtol, atol, err_msg=msg or "")

    def assertNear(self, f1: float, f2: float, err: float, msg: Optional[str] = None) -> None:  # noqa: N802
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, msg or f"{f1} != {f2} +/- {err}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Optional[str] = None) -> None:  # noqa: N802
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2):
            self.assertNear(float(one), float(other), err, msg)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Optional[str] = None) -> None:  # noqa: N802
        self.assertEqual(list(np_array.shape), tf_tensor.shape.as_list(), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:  # noqa: N802
        self.assertEqual(
            np.dtype(self._array(target).dtype), np.dtype(getattr(expected_dtype, "dtype", expected_dtype))
        )


def main(argv: Any = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A folder for the files of tests."""
    return tempfile.mkdtemp()


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file beside the program."""
    return os.path.join(os.getcwd(), relative_path)


def gpu_device_name() -> str:
    """The name of the GPU, an empty text if there is none."""
    return "/device:GPU:0" if _flywheel._has_gpu() else ""


def is_built_with_cuda() -> bool:
    return bool(gpu_device_name())


def is_built_with_gpu_support() -> bool:
    return is_built_with_cuda()


def is_built_with_rocm() -> bool:
    return False


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Returns true if there is a GPU. `cuda_only` and `min_cuda_compute_capability` have no effect."""
    return bool(gpu_device_name())


def assert_equal_graph_def(actual: Any, expected: Any, checkpoint_v2: bool = False) -> None:
    raise about("flywheel.v1.test.assert_equal_graph_def", NotImplementedError(
        "graphs are not written as protocol buffers"))  # fmt: skip


def _derivatives(x: Any, x_shape: Any, y: Any, y_shape: Any, delta: float, start: Any, feed: Any) -> Any:
    session = default_session(None, "compute gradients")
    value = np.asarray(session.run(x) if start is None else start, np.float64).reshape(x_shape)
    kind = x.dtype.dtype
    size = int(np.prod(y_shape))
    theory, numbers = np.zeros((value.size, size)), np.zeros((value.size, size))
    for place in range(size):
        seed = np.zeros(size)
        seed[place] = 1
        slope = gradients(y, x, grad_ys=seed.reshape(y_shape).astype(y.dtype.dtype))[0]
        theory[:, place] = session.run(slope, {**feed, x: value.astype(kind)}).reshape(-1)
    for place in range(value.size):
        sides = []
        for sign in (1, -1):
            moved = value.copy().reshape(-1)
            moved[place] += sign * delta
            sides.append(session.run(y, {**feed, x: moved.reshape(x_shape).astype(kind)}).reshape(-1))
        numbers[place] = (sides[0].astype(np.float64) - sides[1]) / (2 * delta)
    return theory, numbers


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """The derivatives [elements of x, elements of y] by the graph, and by differences; for lists of x, lists."""
    if isinstance(x, (list, tuple)):
        starts = x_init_value or [None] * len(x)
        return [
            compute_gradient(one, form, y, y_shape, start, delta, init_targets, extra_feed_dict)
            for one, form, start in zip(x, x_shape, starts)
        ]
    if init_targets is not None:
        default_session(None, "initialize").run(init_targets)
    return _derivatives(x, x_shape, y, y_shape, delta, x_init_value, dict(extra_feed_dict or {}))


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """The largest difference between the derivatives by the graph and those by differences."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.abs(a - b).max()) for a, b in pairs if a.size), default=0.0)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"test.{name}")
