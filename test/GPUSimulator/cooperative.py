# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that share workgroup memory and wait for each other compute what NumPy does, in any order.

RUN: %python %s
RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s
RUN: env FLYWHEEL_SIM_ORDER=shuffled:3 %python %s
RUN: env FLYWHEEL_SIM_RACES=1 %python %s
RUN: env FLYWHEEL_SIM_RACES=1 FLYWHEEL_SIM_ORDER=reversed %python %s
"""

import unittest

import numpy as np

import simulator


def fma_product(a, b):
    """The product with one rounding a step, in order: exact in f64, then rounded to f32.

    A product of two f32 is exact in f64. The sum is rounded twice, which differs from one rounding only where f64's
    result lies halfway between two f32: integers of few bits have none.
    """
    c = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        c = (np.outer(a[:, k].astype(np.float64), b[k].astype(np.float64)) + c).astype(np.float32)
    return c


class Cooperative(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = simulator.Device()
        cls.reduce = cls.device.load("reduce.c")
        cls.matmul = cls.device.load("matmul.c")
        cls.random = np.random.default_rng(1)

    def test_tree_sum(self):
        x = self.random.standard_normal((5, 1000)).astype(np.float32)
        out = self.device.buffer(np.zeros(5, np.float32))
        self.reduce.tree_sum(5, 256, self.device.buffer(x), out, 1000)
        np.testing.assert_allclose(out.read(), x.sum(1, dtype=np.float64), rtol=1e-5, atol=1e-4)

    def test_dynamic_sum(self):
        for threads in (32, 64, 1024):
            x = self.random.integers(-9, 9, (3, threads)).astype(np.float32)
            out = self.device.buffer(np.zeros(3, np.float32))
            self.reduce.dynamic_sum(3, threads, self.device.buffer(x), out, dynamic=4 * threads)
            np.testing.assert_array_equal(out.read(), x.sum(1))

    def test_warp_sum(self):
        x = self.random.integers(-9, 9, (20, 32)).astype(np.float32)
        out = self.device.buffer(np.zeros(20, np.float32))
        self.reduce.warp_sum(5, 128, self.device.buffer(x), out)
        np.testing.assert_array_equal(out.read(), x.sum(1))

    def test_softmax(self):
        x = self.random.standard_normal((4, 777)).astype(np.float32)
        out = self.device.buffer(np.zeros_like(x))
        self.reduce.softmax(4, 256, self.device.buffer(x), out, 777)
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        np.testing.assert_allclose(out.read(), e / e.sum(1, keepdims=True), rtol=1e-5)

    def test_matmul(self):
        for m, n, k in ((64, 64, 64), (1, 1, 1), (65, 130, 17), (130, 3, 70)):
            a = self.random.standard_normal((m, k)).astype(np.float16).astype(np.float32)
            b = self.random.standard_normal((k, n)).astype(np.float16).astype(np.float32)
            c = self.device.buffer(np.full((m, n), np.nan, np.float32))
            grid = (-(-n // 64), -(-m // 64))
            self.matmul.matmul(grid, (16, 16), self.device.buffer(a), self.device.buffer(b), c, m, n, k)
            np.testing.assert_array_equal(c.read(), fma_product(a, b))


if __name__ == "__main__":
    unittest.main()
