# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices that a warp holds together are NumPy's, of operands as short as the device's.

RUN: %python %s
RUN: env FLYWHEEL_SIM_RACES=1 FLYWHEEL_SIM_ORDER=reversed %python %s
"""

import unittest

import numpy as np

import simulator


def truncate(x, bits):
    """f32 with the lower bits 0."""
    return (x.view(np.uint32) & np.uint32(-1 << bits & 0xFFFFFFFF)).view(np.float32)


def words_of(a, b, c, kind):
    """The words of each lane, [32, n]: of A and B in elements of `kind`, and of C, as the PTX ISA places them."""
    lane = np.arange(32)
    group, quarter = lane // 4, lane % 4
    in_word = 1 if kind == "tf32" else 2
    part, k = 4 * in_word, a.shape[1]

    def pack(elements):
        if kind == "tf32":
            return elements[0].astype(np.float32).view(np.uint32)
        if kind == "f16":
            halves = [e.astype(np.float16).view(np.uint16) for e in elements]
        else:
            halves = [(e.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for e in elements]
        return halves[0].astype(np.uint32) | halves[1].astype(np.uint32) << 16

    columns = []
    for begin in range(0, k, part):
        within = [begin + quarter * in_word + e for e in range(in_word)]
        columns += [pack([a[group, j] for j in within]), pack([a[group + 8, j] for j in within])]
    for begin in range(0, k, part):
        columns.append(pack([b[begin + quarter * in_word + e, group] for e in range(in_word)]))
    columns += [c[row, 2 * quarter + i].view(np.uint32) for row in (group, group + 8) for i in (0, 1)]
    return np.stack(columns, 1)


def place(words):
    """The matrix of the words that each lane has of a result."""
    result = np.empty((16, 8), np.float32)
    for lane in range(32):
        row, column = lane // 4, lane % 4 * 2
        result[row, column : column + 2] = words[lane, :2]
        result[row + 8, column : column + 2] = words[lane, 2:]
    return result


class Matrices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = simulator.Device()
        cls.random = np.random.default_rng(7)

    def draw(self, *shape):
        """Numbers with all bits of the fraction."""
        return self.random.standard_normal(shape).astype(np.float32)

    def test_products(self):
        products = self.device.load("products.ll")
        for kind, k in (("tf32", 4), ("tf32", 8), ("bf16", 8), ("bf16", 16), ("f16", 8), ("f16", 16)):
            with self.subTest(kind=kind, k=k):
                a, b, c = self.draw(16, k), self.draw(k, 8), self.draw(16, 8)
                out = self.device.buffer(np.zeros((32, 4), np.float32))
                words = self.device.buffer(words_of(a, b, c, kind))
                getattr(products, f"{kind}_{k}")(1, 32, words, out)
                if kind == "f16":
                    a, b = a.astype(np.float16), b.astype(np.float16)
                else:
                    a, b = (truncate(x, 13 if kind == "tf32" else 16) for x in (a, b))
                expected = a.astype(np.float64) @ b.astype(np.float64) + c
                np.testing.assert_array_equal(place(out.read()), expected.astype(np.float32))

    def test_f16_numbers(self):
        products = self.device.load("products.ll")
        # Zeros, numbers without a leading one, the largest ones; infinities alone, as sums of both are none.
        numbers = np.array([0.0, -0.0, 6e-8, -6e-5, 65504.0, -65504.0, 1.0, -1 / 3], np.float16)
        a = np.zeros((16, 8), np.float32)
        a[:8, 0] = a[8:, 3] = numbers
        b = np.zeros((8, 8), np.float32)
        b[0], b[3] = 1, 2
        a[7, 0] = np.inf
        c = np.zeros((16, 8), np.float32)
        out = self.device.buffer(np.zeros((32, 4), np.float32))
        products.f16_8(1, 32, self.device.buffer(words_of(a, b, c, "f16")), out)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(place(out.read()), a.astype(np.float16).astype(np.float32) @ b)

    def test_upstream_distributes_tf32(self):
        kernel = self.device.load("tf32.mlir").tf32
        a, b, c = truncate(self.draw(16, 8), 13), truncate(self.draw(8, 8), 13), self.draw(16, 8)
        out = self.device.buffer(c)
        kernel(1, 32, *descriptor(self.device.buffer(a)), *descriptor(self.device.buffer(b)), *descriptor(out))
        expected = a.astype(np.float64) @ b.astype(np.float64) + c
        np.testing.assert_array_equal(out.read(), expected.astype(np.float32))

    def test_matrices_are_loaded(self):
        kernel = self.device.load("f16.mlir").f16
        a, b = self.draw(16, 16).astype(np.float16), self.draw(16, 8).astype(np.float16)
        out = self.device.buffer(np.zeros((16, 8), np.float32))
        kernel(1, 32, *descriptor(self.device.buffer(a)), *descriptor(self.device.buffer(b)), *descriptor(out))
        expected = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_array_equal(out.read(), expected.astype(np.float32))

    def test_rounding_to_tf32(self):
        kernels = self.device.load("rounding.c")
        x = np.concatenate([self.draw(1000), np.float32([0, -0.0, 1, np.inf, -np.inf, 3e38, 1e-40])])
        # Halves between two numbers, above even and odd ones.
        x[:4] = np.array([0x3F801000, 0x3F803000, 0xBF801000, 0x3F800FFF], np.uint32).view(np.float32)
        bits = x.view(np.uint32).astype(np.uint64)
        finite = np.isfinite(x)
        expected = {
            "to_nearest_away": bits + 0x1000 & 0xFFFFE000,
            "to_nearest_even": bits + 0xFFF + (bits >> 13 & 1) & 0xFFFFE000,
            "to_zero": bits & 0xFFFFE000,
        }
        for name, rounded in expected.items():
            out = self.device.buffer(np.zeros(x.size, np.uint32))
            getattr(kernels, name)(1, x.size, self.device.buffer(x), out)
            np.testing.assert_array_equal(out.read(), np.where(finite, rounded, bits).astype(np.uint32))


def descriptor(buffer):
    """The arguments that a memref of rank 2 is."""
    rows, columns = (np.int64(size) for size in buffer.shape)
    return buffer, buffer, np.int64(0), rows, columns, columns, np.int64(1)


if __name__ == "__main__":
    unittest.main()
