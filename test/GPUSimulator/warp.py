# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the lanes of a warp follow the PTX ISA.

RUN: %python %s
RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s
"""

import unittest

import numpy as np

import simulator


def shuffle(kind, lane, distance, bounds):
    """The lane that is read, and whether the bounds allow it: the pseudocode of `shfl.sync`."""
    segment, clamp = bounds >> 8 & 31, bounds & 31
    most = (lane & segment) | (clamp & ~segment)
    least = lane & segment
    source = {
        "up": lane - distance,
        "down": lane + distance,
        "bfly": lane ^ distance,
        "idx": least | (distance & ~segment),
    }[kind]
    inside = source >= most if kind == "up" else source <= most
    return (source, 1) if inside else (lane, 0)


class Warp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = simulator.Device()
        cls.warp = cls.device.load("warp.c")
        cls.random = np.random.default_rng(2)

    def test_shuffles(self):
        x = self.random.integers(-1000, 1000, 64, np.int32)
        for distance in (0, 1, 5, 16, 31):
            for width in (32, 16, 4):
                bounds = (32 - width) << 8
                out = self.device.buffer(np.zeros((64, 4), np.int32))
                self.warp.shuffles(1, 64, self.device.buffer(x), out, distance, bounds)
                for number, kind in enumerate(("up", "down", "bfly", "idx")):
                    bound = bounds if kind == "up" else bounds | 31
                    sources = [i // 32 * 32 + shuffle(kind, i % 32, distance, bound)[0] for i in range(64)]
                    np.testing.assert_array_equal(out.read()[:, number], x[sources])

    def test_shuffles_with_predicates(self):
        kernels = self.device.load("shuffles.ll")
        x = self.random.integers(-1000, 1000, 32, np.int32)
        for kind, kernel, bound in (("down", kernels.down_i32p, 0x101F), ("up", kernels.up_f32p, 0x1800)):
            out = self.device.buffer(np.zeros((32, 2), np.int32))
            kernel(1, 32, self.device.buffer(x if kind == "down" else x.astype(np.float32)), out, 3, bound)
            expected = [shuffle(kind, i, 3, bound) for i in range(32)]
            values, inside = out.read()[:, 0], out.read()[:, 1]
            if kind == "up":
                values = values.view(np.float32)
            np.testing.assert_array_equal(values, [x[source] for source, _ in expected])
            np.testing.assert_array_equal(inside, [flag for _, flag in expected])

    def test_halves(self):
        out = self.device.buffer(np.zeros(32, np.int32))
        self.warp.halves(1, 32, out)
        np.testing.assert_array_equal(out.read(), [3] * 16 + [20] * 16)

    def test_votes(self):
        for x in (
            self.random.integers(-1000, 1000, 32, np.int32),
            np.zeros(32, np.int32),
            np.ones(32, np.int32),
            np.arange(32, dtype=np.int32),
        ):
            out = self.device.buffer(np.zeros((32, 12), np.uint32))
            self.warp.votes(1, 32, self.device.buffer(x), out)
            is_set, u = x != 0, x.view(np.uint32)
            expected = [is_set.all(), is_set.any(), is_set.all() or not is_set.any()]
            expected += [sum(1 << i for i in range(32) if is_set[i]), x.sum(), x.min(), x.max(), u.min(), u.max()]
            expected += [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)]
            expected = [int(number) % 2**32 for number in expected]
            np.testing.assert_array_equal(out.read(), [expected] * 32)

    def test_registers(self):
        out = self.device.buffer(np.zeros((96, 4), np.uint32))
        self.warp.registers(1, (12, 8), out)
        np.testing.assert_array_equal(out.read(), [[i % 32, i // 32, (1 << i % 32) - 1, 32] for i in range(96)])

    def test_active_lanes(self):
        out = self.device.buffer(np.zeros(32, np.uint32))
        self.warp.active(1, 32, out)
        third = sum(1 << i for i in range(0, 32, 3))
        np.testing.assert_array_equal(out.read(), [third if i % 3 == 0 else 0xFFFFFFFF ^ third for i in range(32)])

    def test_barriers_that_count(self):
        for x in (np.arange(96), np.zeros(96), np.ones(96)):
            out = self.device.buffer(np.zeros((96, 3), np.int32))
            self.warp.counts(1, 96, self.device.buffer(x.astype(np.int32)), out)
            odd = x % 2 == 1
            np.testing.assert_array_equal(out.read(), [[odd.sum(), odd.all(), odd.any()]] * 96)


if __name__ == "__main__":
    unittest.main()
