# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Initial values (I1 to I7, I9), and the generator bit for bit."""

from typing import Any, Dict, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import ALL, configurations, expect_close, expect_equal, expect_error, make, run_tests

Array = NDArray[Any]

MASK = (1 << 64) - 1


# ---------------------------------------------------------------------------
# The generator as flywheel/Dialect/Train/RandomStream.h documents it
# ---------------------------------------------------------------------------

def philox(counter: Tuple[Array, Array, Array, Array], key: Tuple[int, int]) -> Tuple[Array, ...]:
    """Philox4x32-10 (Salmon et al., 2011) on arrays of counters of 32-bit words."""
    c = [np.asarray(word, np.uint64) for word in counter]
    k = list(key)
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), p1 & low,
             (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), p0 & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return tuple(c)


def mix64(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def stream_key(graph_seed: int, op_seed: int, run: int) -> int:
    return mix64(mix64(mix64(graph_seed) ^ op_seed) ^ run)


def name_seed(name: str) -> int:
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x100000001B3) & MASK
    return seed


def random_bits(graph_seed: int, op_seed: int, run: int, count: int) -> Array:
    """64 bits an element."""
    key = stream_key(graph_seed, op_seed, run)
    index = np.arange(count, dtype=np.uint64)
    zero = np.zeros_like(index)
    words = philox((index & np.uint64(0xFFFFFFFF), index >> np.uint64(32), zero, zero),
                   (key & 0xFFFFFFFF, key >> 32))
    return np.asarray((words[0] << np.uint64(32)) | words[1])


def uniform(graph_seed: int, op_seed: int, run: int, count: int) -> Array:
    bits = random_bits(graph_seed, op_seed, run, count)
    return np.asarray((bits >> np.uint64(11)).astype(np.float64) * 2.0 ** -53)


def test_known_answers() -> None:
    """The vectors of Random123 for Philox4x32-10."""
    full = 0xFFFFFFFF
    for counter, key, expected in (
            ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
            ((full,) * 4, (full, full), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
            ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
             (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))):
        words = philox(tuple(np.array([word]) for word in counter), key)  # type: ignore[arg-type]
        assert tuple(int(word[0]) for word in words) == expected, [hex(int(word[0])) for word in words]


UNIFORM = """
train.variable @own : tensor<7x11xf64> = #train.random_uniform
train.variable @"a/b" : tensor<130xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>
train.variable @seeded : tensor<9xf64> = #train.random_uniform<seed = 42>
train.variable @scalar : tensor<f64> = #train.random_uniform
"""


def test_stream() -> None:
    """I3, I7: the documented bits, for seeds, names, seeds of variables and runs."""
    for configuration, model in configurations(UNIFORM):
        for run in range(3):
            seed = 7
            model.initialize(seed)
            what = f"{configuration} run {run} "
            for name, op_seed in (("own", name_seed("own")), ("seeded", 42), ("scalar", name_seed("scalar"))):
                value = model[name]
                expect_equal(what + name, value, uniform(seed, op_seed, run, value.size).reshape(value.shape))
            expect_equal(what + "a/b", model["a/b"], -1.0 + uniform(seed, name_seed("a/b"), run, 130) * 2.0)
        model.initialize((1 << 64) - 1)
        expect_equal(f"{configuration} large seed", model["own"].ravel(),
                     uniform(MASK, name_seed("own"), 3, 77))


EVERY = """
train.variable @zeros : tensor<5x3xf32> = #train.zeros
train.variable @ones : tensor<3x2xf64> = #train.ones
train.variable @true : tensor<4xi1> = #train.ones
train.variable @false : tensor<4xi1> = #train.zeros
train.variable @int_ones : tensor<3xi16> = #train.ones
train.variable @default_int : tensor<5x5x3xi32>
train.variable @default_bool : tensor<3xi1>
train.variable @default_float : tensor<20x20xf32>
train.variable @fill : tensor<3x2xi32> = #train.constant<dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>>
train.variable @repeat : tensor<3x2xf32> = #train.constant<dense<[1.0, 2.0]> : tensor<2xf32>>
train.variable @dense : tensor<2x2xi64> = dense<[[2, 3], [4, 5]]> : tensor<2x2xi64>
train.variable @half : tensor<2xf16> = dense<[0.1, 3.23]> : tensor<2xf16>
train.variable @brain : tensor<2xbf16> = dense<[0.1, 3.23]> : tensor<2xbf16>
train.variable @unit : tensor<4x5xf32> = #train.random_uniform<minval = -1.0, maxval = 1.0>
train.variable @dice : tensor<6000xi32> = #train.random_uniform<minval = 1.0, maxval = 7.0>
train.variable @wide : tensor<1000xi64> = #train.random_uniform<minval = -4.5035996e15, maxval = 4.5035996e15>
train.variable @normal : tensor<100000xf32> = #train.random_normal
train.variable @normal64 : tensor<100000xf64> = #train.random_normal<mean = 3.0, stddev = 0.5>
train.variable @truncated : tensor<784x256xf32> = #train.truncated_normal<stddev = 0.0505076272>
train.variable @he : tensor<784x256xf32> = #train.he_normal
train.variable @glorot : tensor<784x256xf32> = #train.glorot_uniform
train.variable @half_normal : tensor<1000xf16> = #train.random_normal
train.variable @brain_uniform : tensor<1000xbf16> = #train.random_uniform
"""


def test_values() -> None:
    """I1 to I7, V9: every configuration has the same bits."""
    first: Dict[str, Array] = {}
    for configuration, model in configurations(EVERY):
        model.initialize(11)
        values = model.snapshot()
        for name, value in values.items():
            found = value.view(np.uint16) if value.dtype.itemsize == 2 else value
            expect_equal(f"{configuration} {name}", found, first.setdefault(name, found))
        expect_equal("zeros", values["zeros"], np.zeros((5, 3), np.float32))
        expect_equal("ones", values["ones"].sum(), np.float64(6))
        expect_equal("true", values["true"], np.ones(4, bool))
        expect_equal("false", values["false"], np.zeros(4, bool))
        expect_equal("int_ones", values["int_ones"], np.ones(3, np.int16))
        expect_equal("default_int", values["default_int"], np.zeros((5, 5, 3), np.int32))
        expect_equal("default_bool", values["default_bool"], np.zeros(3, bool))
        expect_equal("fill", values["fill"], np.array([[1, 2], [3, 4], [5, 6]], np.int32))
        expect_equal("repeat", values["repeat"], np.array([[1, 2], [2, 2], [2, 2]], np.float32))
        expect_equal("dense", values["dense"], np.array([[2, 3], [4, 5]]))
        # V3: the nearest numbers.
        expect_equal("half", values["half"].astype(np.float64), np.array([0.0999755859375, 3.23046875]))
        expect_equal("brain", values["brain"].astype(np.float64), np.array([0.10009765625, 3.234375]))
        assert np.all((values["unit"] >= -1) & (values["unit"] < 1))
        faces = np.bincount(values["dice"])
        assert len(faces) == 7 and faces[0] == 0 and np.all(np.abs(faces[1:] - 1000) < 150), faces
        assert np.abs(values["wide"]).max() > 1 << 50
        normal = values["normal"].astype(np.float64)
        assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
        assert np.abs(normal).max() > 3.5
        assert abs(values["normal64"].mean() - 3) < 0.01 and abs(values["normal64"].std() - 0.5) < 0.01
        for name in ("truncated", "he"):  # sqrt(2 / 784) both.
            assert np.abs(values[name]).max() <= 0.1010152545, np.abs(values[name]).max()
            expect_close(name, values[name].astype(np.float64).std(), 0.04443, 0.01)
        limit = 0.0759555
        assert 0.99 * limit < np.abs(values["glorot"]).max() <= limit * (1 + 1e-6)
        assert np.abs(values["default_float"]).max() <= 0.3872984
        assert np.all(values["brain_uniform"].astype(np.float64) < 1.0)


def test_integer_ranges() -> None:
    """I3: the whole range of every integer type, signed and unsigned, bit for bit."""
    ranges = [(f"{kind}{bits}", low, high) for bits in (8, 16, 32, 64) for kind, low, high in (
        ("i", -1 << (bits - 1), 1 << (bits - 1)), ("ui", 0, 1 << bits), ("ui", 3 << (bits - 2), 1 << bits),
        ("i", -3, 4))]
    text = "".join(f"train.variable @v{i} : tensor<200x{name}> = "
                   f"#train.random_uniform<minval = {low}.0, maxval = {high}.0>\n"
                   for i, (name, low, high) in enumerate(ranges))
    for configuration, model in configurations(text):
        model.initialize(5)
        for i, (name, low, high) in enumerate(ranges):
            bits = random_bits(5, name_seed(f"v{i}"), 0, 200)
            expected = [low + ((int(word) * (high - low)) >> 64) for word in bits]
            dtype = np.dtype(name.replace("ui", "uint") if name[0] == "u" else "int" + name[1:])
            expect_equal(f"{configuration} {name} [{low}, {high})", model[f"v{i}"], np.array(expected, dtype))


def test_glorot_limits() -> None:
    """I6: the limit of each rank, through many draws of small variables."""
    limits = {(): 1.7320508, (4,): 0.8660254, (1, 2, 3): 1.0954452, (5, 5, 3): 0.3872983, (20, 20): 0.3872983,
              (5, 5, 32, 16): 0.0707107}
    text = "".join(f"train.variable @v{i} : tensor<{''.join(f'{n}x' for n in shape)}f64> = #train.glorot_uniform\n"
                   for i, shape in enumerate(limits))
    model = make(text, "reference")
    largest = [0.0] * len(limits)
    for _ in range(300):
        model.initialize(3)
        largest = [max(m, float(np.abs(model[f"v{i}"]).max())) for i, m in enumerate(largest)]
    for limit, found in zip(limits.values(), largest):
        assert 0.98 * limit < found <= limit * (1 + 1e-6), (limit, found)


def test_seeds() -> None:
    """I7: a fresh container and a seed fix the values; another run continues."""
    for configuration in ALL:
        one, two = make(UNIFORM, configuration), make(UNIFORM, configuration)
        one.initialize(5)
        two.initialize(5)
        expect_equal(configuration, one["own"], two["own"])
        two.initialize(5)
        assert np.all(one["own"] != two["own"]), configuration
        one.initialize(5)
        expect_equal(configuration, one["own"], two["own"])
        one, two = make(UNIFORM, configuration), make(UNIFORM, configuration)
        one.initialize(1)
        two.initialize(2)
        assert np.all(one["own"] != two["own"]), configuration
        # Variables of the same shape and seed, but other names, differ.
        assert not np.array_equal(one["own"].ravel()[:9], one["a/b"][:9])


def test_requests() -> None:
    """I9, S1: declaring evaluates nothing; missing values only, on request."""
    session = flywheel.Session(flywheel.compile(UNIFORM))
    assert session.report_uninitialized() == ["own", "a/b", "seeded", "scalar"]
    session["seeded"] = np.zeros(9)
    session.initialize_missing(7)
    assert session.report_uninitialized() == []
    expect_equal("kept", session["seeded"], np.zeros(9))
    expect_equal("made", session["own"].ravel(), uniform(7, name_seed("own"), 0, 77))


def test_errors() -> None:
    """I2, I3, T2: what an initializer refuses."""
    for declaration, pattern in (
            ("tensor<3x2xi32> = #train.constant<dense<1> : tensor<7xi32>>",
             "Too many elements provided. Needed at most 6, but received 7"),
            ("tensor<3xi32> = #train.random_uniform", "Must specify maxval for integer dtype"),
            ("tensor<3xf32> = #train.random_uniform<minval = 1.0, maxval = 1.0>", "minval < maxval"),
            ("tensor<3xi32> = #train.random_normal", "random_normal"),
            ("tensor<3xf32> = dense<1.0> : tensor<4xf32>", "<string>:1:")):
        expect_error(declaration, pattern, lambda: flywheel.compile(f"train.variable @v : {declaration}\n"),
                     flywheel.CompileError)


run_tests([test_known_answers, test_stream, test_values, test_integer_ranges, test_glorot_limits, test_seeds,
           test_requests, test_errors])
