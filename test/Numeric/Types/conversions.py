# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X18: conversions of numbers to integers have one result, at every place of an array of every length, of
constants and of feeds, in every configuration and for every CPU: out of range the nearest integer, 0 for a NaN."""

import math
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import Model, SessionModel, configurations, dtype_of, run_tests

Array = NDArray[Any]

FLOATS = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
# The op, the bits of the integers and whether these have a sign.
TARGETS = [(op, bits) for op in ("arith.fptosi", "arith.fptoui") for bits in (1, 8, 16, 32, 64)]
WIDTHS = (1, 8, 16, 32, 64)


def limits(op: str, bits: int) -> Tuple[int, int]:
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if op == "arith.fptosi" else (0, 2**bits - 1)


def saturated(x: float, op: str, bits: int) -> int:
    """The integer that is nearest to the integer part of `x`."""
    lowest, highest = limits(op, bits)
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return highest if x > 0 else lowest
    return min(max(math.trunc(x), lowest), highest)


def stored(numbers: List[int], bits: int) -> Array:
    """The integers as results have them: without a sign in the type."""
    kind = np.dtype(bool) if bits == 1 else np.dtype(f"int{bits}")
    return np.array([n % 2**bits for n in numbers], f"uint{max(bits, 8)}").view(kind)


def samples(element: str) -> Array:
    """Numbers inside, at, next to and far beyond the bounds of every integer type."""
    kind = dtype_of(FLOATS[element])
    found = [0.0, -0.0, 0.5, -0.5, 0.99, 1.5, 2.5, -1.5, 300.0, -300.0, 1e-30, 3e4, -3e4, 1e9, 1e19, -1e19, 3e38, -3e38,
             math.inf, -math.inf, math.nan, -math.nan]  # fmt: skip
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        for sign in (1, -1):
            with np.errstate(over="ignore"):
                power = np.array(sign * 2.0**bits).astype(kind)
            found += [float(power), float(power) - sign * 0.5, float(power) + sign * 0.5, float(power) - 1,
                      float(power) + 1, float(power) * 1.5]  # fmt: skip
            with np.errstate(over="ignore"):
                near = np.float64 if kind == np.float64 else np.float32
                found += [float(np.nextafter(near(power), near(side * np.inf))) for side in (1, -1)]
    with np.errstate(over="ignore"):
        return np.array(found, np.float64).astype(kind)


def written(x: Array) -> str:
    """The elements of a constant, by their bits."""
    return ", ".join(f"0x{int(n):0{2 * x.dtype.itemsize}X}" for n in x.view(f"uint{8 * x.dtype.itemsize}"))


def module() -> str:
    text = ""
    for element in FLOATS:
        numbers = samples(element)
        for op, bits in TARGETS:
            name = f"{op[6:]}_{element}_{bits}"
            text += f"""
func.func @{name}(%x: tensor<?x{element}>) -> tensor<?xi{bits}> {{
  %y = {op} %x : tensor<?x{element}> to tensor<?xi{bits}>
  return %y : tensor<?xi{bits}>
}}
func.func @{name}_folded() -> tensor<{len(numbers)}xi{bits}> {{
  %x = arith.constant dense<[{written(numbers)}]> : tensor<{len(numbers)}x{element}>
  %y = {op} %x : tensor<{len(numbers)}x{element}> to tensor<{len(numbers)}xi{bits}>
  return %y : tensor<{len(numbers)}xi{bits}>
}}
"""
    return text


def models(text: str) -> Iterator[Tuple[str, Model]]:
    yield from configurations(text)
    # CPUs without any vector extension, and without those of 2017.
    for cpu in ("x86-64", "x86-64-v2", "x86-64-v3"):
        yield cpu, SessionModel(text, "optimized", cpu, (), None, None, 1024)
    yield "x86-64, reference", SessionModel(text, "reference", "x86-64", (), None, None, 1024)


def test_out_of_range() -> None:
    failures: Dict[str, int] = {}
    for configuration, model in models(module()):
        for element in FLOATS:
            numbers = samples(element)
            for op, bits in TARGETS:
                name = f"{op[6:]}_{element}_{bits}"
                expected = stored([saturated(float(x), op, bits) for x in numbers], bits)

                def compare(what: str, x: Array, found: Array, wanted: Array) -> None:
                    assert found.dtype == wanted.dtype and found.shape == wanted.shape
                    for place in np.flatnonzero(found != wanted)[:1]:
                        failures.setdefault(f"{configuration} {name}{what} of {x[place]}: expected {wanted[place]}, "
                                            f"found {found[place]}", 0)  # fmt: skip

                compare(" of a constant", numbers, model.run(name + "_folded"), expected)
                # Every number at every place of a vector, and in the rest of an array after its vectors.
                for count in (*range(1, 71), 3 * len(numbers) + 1):
                    order = (np.arange(count) + 7 * count) % len(numbers)
                    x = np.ascontiguousarray(numbers[order])
                    compare(f" of {count} elements", x, model.run(name, x), expected[order])
    assert not failures, "\n".join(list(failures)[:20]) + f"\n{len(failures)} wrong"


def test_integers_wrap() -> None:
    """To fewer bits the lowest bits are kept; to numbers they are rounded once; zero and one are 0 and 1."""
    pairs = [(a, b) for a in WIDTHS for b in WIDTHS if a > b]
    text = "".join(f"""
func.func @trunc_{a}_{b}(%x: tensor<?xi{a}>) -> tensor<?xi{b}> {{
  %y = arith.trunci %x : tensor<?xi{a}> to tensor<?xi{b}>
  return %y : tensor<?xi{b}>
}}
""" for a, b in pairs)
    for element in FLOATS:
        for op in ("sitofp", "uitofp"):
            for bits in WIDTHS[1:]:
                text += f"""
func.func @{op}_{bits}_{element}(%x: tensor<?xi{bits}>) -> tensor<?x{element}> {{
  %y = arith.{op} %x : tensor<?xi{bits}> to tensor<?x{element}>
  return %y : tensor<?x{element}>
}}
"""
    rng = np.random.default_rng(1)
    for configuration, model in models(text):
        for a, b in pairs:
            x = integers(rng, a)
            expected = stored([int(n) for n in x], b)
            for count in (1, 7, 33, len(x)):
                found = model.run(f"trunc_{a}_{b}", np.ascontiguousarray(x[:count]))
                assert np.array_equal(found, expected[:count]), f"{configuration}: i{a} to i{b}: {x}, {found}"
        for element, kind in FLOATS.items():
            for op in ("sitofp", "uitofp"):
                for bits in WIDTHS[1:]:
                    x = integers(rng, bits)
                    whole = [int(n) if op == "sitofp" else int(n) % 2**bits for n in x]
                    nearest = np.array([rounded(n, element) for n in whole]).astype(dtype_of(kind))
                    for count in (1, 7, 33, len(x)):
                        found = model.run(f"{op}_{bits}_{element}", np.ascontiguousarray(x[:count]))
                        wrong = np.flatnonzero(found != nearest[:count])
                        assert not wrong.size, (f"{configuration}: {op} of i{bits} to {element}: {whole[wrong[0]]} is "
                                                f"{found[wrong[0]]}, expected {nearest[wrong[0]]}")  # fmt: skip


def integers(rng: np.random.Generator, bits: int) -> Array:
    """Some of every size, and those that are half-way between two numbers of few bits."""
    sizes = [2**k + d for k in range(bits) for d in (-1, 0, 1)]
    sizes += [(2 * m + 1) * 2**k + d for m in (128, 255, 1024, 2047, 2**23, 2**24 - 1) for k in range(40)
              for d in (-1, 0, 1)]  # fmt: skip
    sizes += [int(n) >> int(s) for n, s in zip(rng.integers(0, 2**63, 64), rng.integers(0, 63, 64))]
    numbers = sorted({sign * n for n in sizes for sign in (1, -1) if -(2 ** (bits - 1)) <= sign * n < 2 ** (bits - 1)})
    # As many as a call of an object file takes.
    return stored([numbers[i] for i in sorted(rng.permutation(len(numbers))[:1000].tolist())], bits)


def rounded(n: int, element: str) -> float:
    """The number of the type that is nearest to `n`, the even one of two."""
    digits, top = {"f16": (11, 65520), "bf16": (8, None), "f32": (24, None), "f64": (53, None)}[element]
    size = abs(n)
    if top is not None and size >= top:
        return math.copysign(math.inf, n)
    shift = max(size.bit_length() - digits, 0)
    whole, rest = size >> shift, size & ((1 << shift) - 1)
    half = 1 << shift >> 1
    whole += shift > 0 and (rest > half or (rest == half and whole & 1))
    return math.copysign(float(whole << shift), n)


if __name__ == "__main__":
    run_tests([test_out_of_range, test_integers_wrap])
