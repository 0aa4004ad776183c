# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One small program for each op of upstream's dialects and each element type.

A sample says what the program must compute, by NumPy or by Python's integers.
Element types that no program may have are samples too: they must be refused.
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Element:
    """An element type. `dtype` stands in for what NumPy lacks; `kind` is one of
    `b` (i1), `i`, `u`, `x` (index), `f`, and `-` for what is refused always."""

    name: str
    dtype: Any
    kind: str

    @property
    def is_float(self) -> bool:
        return np.dtype(self.dtype).kind not in "biu"

    @property
    def bits(self) -> int:
        return 1 if self.kind == "b" else 8 * np.dtype(self.dtype).itemsize

    def tensor(self, *shape: Any) -> str:
        return f"tensor<{''.join(f'{size}x' for size in shape)}{self.name}>"

    def zero(self) -> str:
        if self.name.startswith("complex"):
            return "(0.0, 0.0)"
        return "0.0" if self.is_float else "false" if self.kind == "b" else "0"


def _elements() -> Dict[str, Element]:
    found = [Element("i1", np.bool_, "b"), Element("index", np.int64, "x")]
    for bits in (8, 16, 32, 64):
        found.append(Element(f"i{bits}", np.dtype(f"int{bits}"), "i"))
        found.append(Element(f"ui{bits}", np.dtype(f"uint{bits}"), "u"))
    found += [Element("f16", np.float16, "f"), Element("bf16", ml_dtypes.bfloat16, "f"),
              Element("f32", np.float32, "f"), Element("f64", np.float64, "f")]
    found += [Element(name, np.float32, "-") for name in ("f8E4M3FN", "f8E5M2", "tf32", "f80", "f128")]
    found += [Element(name, np.int8, "-") for name in ("i4", "i24", "i128", "si8")]
    found.append(Element("complex<f32>", np.float32, "-"))
    return {element.name: element for element in found}


ELEMENTS = _elements()
FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass
class Sample:
    """Feeds by type, ops that make `%y` (`%y0`, `%y1`, ... of several results),
    and the results by type. `ulps` is the error that is allowed, in units of the
    last place of the largest result."""

    args: List[Tuple[str, Array]]
    body: str
    results: List[Tuple[str, Array]]
    ulps: float = 2.0
    head: str = ""

    def function(self, name: str) -> str:
        """Tensors of index, which are neither feeds nor results, are of i64 outside."""
        def outside(kind: str) -> str:
            return kind.replace("xindex>", "xi64>").replace("tensor<index>", "tensor<i64>")

        lines, feeds, values, kinds = [], [], [], []
        for i, (kind, _) in enumerate(self.args):
            feeds.append(f"%f{i}: {outside(kind)}" if outside(kind) != kind else f"%a{i}: {kind}")
            if outside(kind) != kind:
                lines.append(f"%a{i} = arith.index_cast %f{i} : {outside(kind)} to {kind}")
        lines += self.body.strip().split("\n")
        many = len(self.results) > 1
        for i, (kind, _) in enumerate(self.results):
            value = f"%y{i}" if many else "%y"
            if outside(kind) != kind:
                lines.append(f"{value}_o = arith.index_cast {value} : {kind} to {outside(kind)}")
                value += "_o"
            values.append(value)
            kinds.append(outside(kind))
        text = "\n  ".join(line.strip() for line in lines)
        return (f"{self.head}func.func @{name}({', '.join(feeds)}) -> ({', '.join(kinds)}) {{\n  {text}\n"
                f"  return {', '.join(values)} : {', '.join(kinds)}\n}}\n")


Builder = Callable[[Element], Optional[Sample]]
AnyBuilder = TypeVar("AnyBuilder", bound=Builder)
SAMPLES: Dict[str, Builder] = {}


def sample(op: str) -> Callable[[AnyBuilder], AnyBuilder]:
    def add(builder: AnyBuilder) -> AnyBuilder:
        assert op not in SAMPLES, op
        SAMPLES[op] = builder
        return builder
    return add


def values(t: Element, *shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Array:
    """Numbers in [low, high]; integers over all of their range with no bounds."""
    rng = np.random.default_rng([seed, len(shape), *shape, t.bits])
    if t.kind == "b":
        return np.asarray(rng.integers(0, 2, shape).astype(np.bool_))
    if t.is_float:
        return np.asarray(rng.uniform(low, high, shape).astype(t.dtype))
    least = 0 if t.kind == "u" else int(low)
    high = max(high, least)
    return np.asarray(rng.integers(least, int(high) + 1, shape).astype(t.dtype))


def whole(t: Element, *shape: int, seed: int = 0) -> Array:
    """Integers over the whole range of the type, with its ends."""
    if t.is_float or t.kind == "b":
        return values(t, *shape, seed=seed)
    info = np.iinfo(t.dtype)
    rng = np.random.default_rng([seed, t.bits])
    found = rng.integers(info.min, info.max, shape, t.dtype, endpoint=True)
    flat = found.reshape(-1)
    for i, number in enumerate((info.min, info.max, 0, 1)[:max(0, flat.size - 1)]):
        flat[(i * 3 + seed) % flat.size] = number
    return np.asarray(found)


def wide(x: Array) -> Array:
    """Floating-point numbers in f64."""
    return np.asarray(x, np.float64) if np.asarray(x).dtype.kind not in "biu" else np.asarray(x)


def integers(fn: Callable[..., int], bits: int, dtype: Any, *args: Array, unsigned: bool = False) -> Array:
    """Applies fn to Python's integers, modulo 2^bits. Integers of i1 are 0 and -1."""
    mask = (1 << bits) - 1

    def one(*xs: Any) -> int:
        numbers = [int(x) & ((1 << n) - 1) for x, n in zip(xs, widths)]
        if not unsigned:
            numbers = [x - (1 << n) if x >> (n - 1) else x for x, n in zip(numbers, widths)]
        return int(fn(*numbers)) & mask

    arrays = [np.asarray(a) for a in args]
    widths = [1 if a.dtype == np.bool_ else 8 * a.dtype.itemsize for a in arrays]
    flat = [one(*xs) for xs in zip(*(a.reshape(-1) for a in arrays))]
    if bits == 1:
        return np.array(flat, np.bool_).reshape(arrays[0].shape)
    numbers: Array = np.array(flat, np.uint64).astype(f"uint{bits}").view(dtype)
    return numbers.reshape(arrays[0].shape)


def compare(text: str, found: Sequence[Array], expected: Sample) -> None:
    """Raises where results are not those of the sample."""
    assert len(found) == len(expected.results), text
    for one, (_, want) in zip(found, expected.results):
        assert one.shape == want.shape, f"{text}: expected shape {want.shape}, found {one.shape}"
        if want.dtype.kind in "biu":
            np.testing.assert_array_equal(one, want, err_msg=text)
            continue
        digits = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[str(one.dtype)]
        with np.errstate(all="ignore"):
            exact = want.astype(one.dtype).astype(np.float64)
        finite = exact[np.isfinite(exact)]
        # A number that underflows is zero in a step.
        scale = np.abs(finite).max(initial=1e-4)
        np.testing.assert_allclose(one.astype(np.float64), exact, rtol=expected.ulps * 2.0**-digits,
                                   atol=expected.ulps * 2.0**-digits * scale, err_msg=text)


@dataclass
class Listing:
    """A table of ops and the element types that they are supported for."""

    rows: Dict[str, List[str]] = field(default_factory=dict)
    notes: Dict[str, str] = field(default_factory=dict)
