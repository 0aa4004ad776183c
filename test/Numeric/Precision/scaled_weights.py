# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Weights of few bits with a scale, and a zero, by which they become f32 (V16).

A product decodes the part that it reads: the whole table is never stored as f32. Factors are
whole numbers and scales powers of two, so that sums of f32 are exact in any order.
"""

import os
import tempfile
import warnings
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

import flywheel
from cases import tensor
from configurations import ALL, configurations, dtype_of, run_tests
from narrow import TYPES, Array, compile_object, values
from selection import cover

Shape = Tuple[int, ...]
# Rows of the product: fewer than, as many as and more than those of a tile.
ROWS = (1, 2, 3, 4, 5, 8, 17, 32)
# For weights of k rows and n columns: the shape of the scale, and that of the zero or None.
DECODINGS: Dict[str, Callable[[int, int], Tuple[Shape, Optional[Shape]]]] = {
    "scale": lambda k, n: ((), None),
    "column": lambda k, n: ((n,), None),
    "row": lambda k, n: ((k, 1), None),
    "zero": lambda k, n: ((n,), (n,)),
}
# Decodings whose scale is one number for each group of rows, or of rows and of columns. The scale is
# either a dimension beside that of the group, or repeated for its rows.
GROUPED = ("group", "block", "repeated")
# Terms and columns of weights: of several tiles, of one, and of parts that sizes do not divide into.
SIZES = ((256, 128), (33, 70), (130, 65), (127, 10), (8, 8))
# An object for a machine with vectors, and one without.
TARGETS: Dict[str, List[str]] = {"host": [], "thumb": ["--target-triple=thumbv7em-none-eabihf"]}


def group_of(size: int) -> int:
    """The largest part of `size`, up to 32, that divides it; all of a prime number: a scale for
    each number would be larger than the weights."""
    part = max(part for part in range(1, 33) if size % part == 0)
    return part if part > 1 else size


class Product:
    """`x ((w - zero) scale)`, or with the weights in front of x."""

    def __init__(self, name: str, element: str, m: Optional[int], k: int, n: int, decoding: str, is_left: bool = False):
        self.name, self.element, self.is_left = name, element, is_left
        self.w = (k, n)
        self.decoding = decoding
        self.split = (k // group_of(k), group_of(k), n // group_of(n), group_of(n))
        if decoding in GROUPED:
            columns = (self.split[2], 1) if decoding == "block" else (n,)
            self.scale, self.zero = (self.split[0], 1, *columns), None
        else:
            self.scale, self.zero = DECODINGS[decoding](k, n)
        self.m = m
        # The other factor and the result.
        self.x = (n, m) if is_left else (m, k)
        self.y = (k, m) if is_left else (m, n)

    def text(self) -> str:
        name, w = self.name, tensor(self.w, "f32")
        x, y = (tensor(tuple("?" if size is None else size for size in shape), "f32") for shape in (self.x, self.y))
        scale = tensor(self.scale, "f32")
        minus = ""
        if self.zero is not None:
            minus = f"""
  %z = train.read @{name}_z : {tensor(self.zero, "f32")}
  %from = nn.sub %wide, %z : ({w}, {tensor(self.zero, "f32")}) -> {w}"""
        scaled = f"""
  %q = nn.mul %{"from" if minus else "wide"}, %s : ({w}, {scale}) -> {w}"""
        if self.decoding in GROUPED:
            scaled = self.scale_groups(w, scale)
        pair, types = ("%q, %x", f"{w}, {x}") if self.is_left else ("%x, %q", f"{x}, {w}")
        return f"""
train.variable @{name}_w : {tensor(self.w, self.element)} = #train.zeros {{trainable = false}}
train.variable @{name}_s : {scale} = #train.zeros {{trainable = false}}
train.variable @{name}_z : {tensor(self.zero or (1,), "f32")} = #train.zeros {{trainable = false}}
func.func @{name}(%x: {x}) -> {y} {{
  %w = train.read @{name}_w : {tensor(self.w, self.element)}
  %s = train.read @{name}_s : {scale}
  %wide = {TYPES[self.element][0]} %w : {tensor(self.w, self.element)} to {w}{minus}{scaled}
  %y = nn.matmul {pair} : ({types}) -> {y}
  return %y : {y}
}}"""

    def scale_groups(self, w: str, scale: str) -> str:
        """The text that scales groups of %wide by %s."""
        split = self.split if self.decoding == "block" else (*self.split[:2], self.w[1])
        groups, dims = tensor(split, "f32"), "[[0, 1], [2, 3]]" if self.decoding == "block" else "[[0, 1], [2]]"
        if self.decoding == "repeated":
            return f"""
  %each = nn.broadcast %s dims [0, 1, 2] : ({scale}) -> {groups}
  %rows = tensor.collapse_shape %each {dims} : {groups} into {w}
  %q = nn.mul %wide, %rows : ({w}, {w}) -> {w}"""
        return f"""
  %groups = tensor.expand_shape %wide {dims} output_shape {list(split)} : {w} into {groups}
  %scaled = nn.mul %groups, %s : ({groups}, {scale}) -> {groups}
  %q = tensor.collapse_shape %scaled {dims} : {groups} into {w}"""

    def numbers(self, rng: np.random.Generator) -> Dict[str, Array]:
        """Values of the variables."""
        _, dtype, low, high = TYPES[self.element]
        zero = self.zero or (1,)
        return {
            f"{self.name}_w": values(dtype, low, high, self.w),
            f"{self.name}_s": np.float32(2.0) ** rng.integers(-3, 3, self.scale).astype(np.float32),
            f"{self.name}_z": rng.integers(-5, 5, zero).astype(np.float32),
        }

    def expected(self, given: Dict[str, Array], x: Array) -> Array:
        zero = 0 if self.zero is None else given[f"{self.name}_z"]
        scale = given[f"{self.name}_s"]
        if self.decoding in GROUPED:
            scale = np.repeat(scale[:, 0], self.split[1], axis=0)
            if self.decoding == "block":
                scale = np.repeat(scale[:, :, 0], self.split[3], axis=1)
        weights = (given[f"{self.name}_w"].astype(np.float64) - zero) * scale
        return weights @ x if self.is_left else x @ weights


def test_numbers() -> None:
    """V16: each number of rows, size and decoding, on both sides, in every configuration."""
    rng = np.random.default_rng(7)
    kinds = [(element, m, decoding, SIZES[(place + number) % len(SIZES)], (place + 2 * number) % 3 == 0)
             for element in ("i8", "f16") for place, m in enumerate(ROWS)
             for number, decoding in enumerate((*DECODINGS, *GROUPED))]
    taken = cover("scaled weights", kinds)
    for element in ("i8", "f16"):
        products = [Product(f"f{m}{decoding}", element, m, k, n, decoding, is_left)
                    for kind, m, decoding, (k, n), is_left in taken if kind == element]
        products.append(Product("anygroup", element, None, 256, 128, "group"))
        products.append(Product("anyblock", element, None, 256, 128, "block", is_left=True))
        products.append(Product("any", element, None, 130, 65, "zero"))
        products.append(Product("anyleft", element, None, 130, 65, "zero", is_left=True))
        calls = []
        for product in products:
            rows = [product.m] if product.m else [1, 9]
            for m in rows:
                x = rng.integers(-9, 9, [m if size is None else size for size in product.x]).astype(np.float32)
                given = product.numbers(rng)
                calls.append((product, given, x, product.expected(given, x)))
        for configuration, model in configurations("".join(product.text() for product in products), ALL):
            model.initialize()
            for product, given, x, expected in calls:
                for variable, value in given.items():
                    model[variable] = value
                found = np.asarray(model.run(product.name, x))
                np.testing.assert_array_equal(found, expected, err_msg=f"{configuration} {element} {product.name}")


def test_memory() -> None:
    """V16: the workspace has a part of the decoded weights, and constants are the narrow ones."""
    rng = np.random.default_rng(8)
    kinds = [(element, m, [*DECODINGS, *GROUPED][(place + number) % 7])
             for place, m in enumerate((*ROWS, None)) for number, element in enumerate(TYPES)]
    for k, n in ((256, 128), (784, 10), (127, 70)):
        products = []
        for element, m, decoding in cover(f"memory {k} {n}", kinds):
            products.append(Product(f"{element}_{m or 'any'}", element, m, k, n, decoding, is_left=m == 5))
        text = "".join(product.text() for product in products)
        session = flywheel.Session(flywheel.compile(text))
        for product in products:
            for variable, value in product.numbers(rng).items():
                session[variable] = value
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = os.path.join(folder, "ckpt")
            session.save(checkpoint)
            for target, options in TARGETS.items():
                # The workspace is planned before LLVM, which optimizes where the size of the object is compared.
                for frozen in (["--opt-level=0"], ["--freeze=" + checkpoint]):
                    manifest, size = compile_object(text, ["--max-batch=8", *options, *frozen], folder)
                    for entry in manifest["entries"]:
                        found = entry["workspace_bytes"]
                        assert found <= k * n, f"{entry['name']} of {k} x {n}, {target}, {frozen}: {found} bytes"
                    if frozen != ["--opt-level=0"]:
                        narrow = sum(k * n * dtype_of(TYPES[product.element][1]).itemsize for product in products)
                        assert narrow < size < narrow + 12000 * len(products), f"{target}: the object has {size} bytes"


class Depthwise(NamedTuple):
    """A depthwise convolution whose filter is decoded, with a border and relu or not."""

    name: str
    images: Optional[int]
    image: Tuple[int, int, int]
    kernel: Tuple[int, int] = (3, 3)
    stride: int = 1
    dilation: int = 1
    pad: Tuple[int, int] = (0, 0)
    scale: str = "channel"
    relu: bool = False

    def y(self) -> Shape:
        spans = [(size - 1) * self.dilation + 1 for size in self.kernel]
        return tuple((size + 2 * pad - span) // self.stride + 1
                     for size, pad, span in zip(self.image, self.pad, spans))  # fmt: skip

    def w(self) -> Shape:
        return (*self.kernel, 1, self.image[2])

    def text(self, element: str) -> str:
        channels, name = self.image[2], self.name
        images = "?" if self.images is None else self.images
        x, y = tensor((images, *self.image), "f32"), tensor((images, *self.y(), channels), "f32")
        narrow, wide = tensor(self.w(), element), tensor(self.w(), "f32")
        scale = tensor((channels,) if self.scale == "channel" else (), "f32")
        pads = [[pad, pad] for pad in self.pad]
        relu = f"\n  %r = nn.relu %y : {y}" if self.relu else ""
        return f"""
train.variable @{name}_w : {narrow} = #train.zeros {{trainable = false}}
train.variable @{name}_s : {scale} = #train.zeros {{trainable = false}}
func.func @{name}(%x: {x}) -> {y} {{
  %w = train.read @{name}_w : {narrow}
  %s = train.read @{name}_s : {scale}
  %wide = {TYPES[element][0]} %w : {narrow} to {wide}
  %q = nn.mul %wide, %s : ({wide}, {scale}) -> {wide}
  %y = nn.conv2d %x, %q strides [{self.stride}, {self.stride}] padding explicit {pads}
      dilations [{self.dilation}, {self.dilation}] : ({x}, {wide}) -> {y}{relu}
  return %{"r" if relu else "y"} : {y}
}}"""

    def expected(self, x: Array, w: Array, scale: Array) -> Array:
        tall, wide = self.y()
        padded = np.pad(x.astype(np.float64), ((0, 0), *((pad, pad) for pad in self.pad), (0, 0)))
        result = np.zeros((len(x), tall, wide, self.image[2]))
        for p in range(self.kernel[0]):
            for q in range(self.kernel[1]):
                starts = (p * self.dilation, q * self.dilation)
                rows, columns = (slice(start, start + (count - 1) * self.stride + 1, self.stride)
                                 for start, count in zip(starts, (tall, wide)))  # fmt: skip
                result += padded[:, rows, columns] * (w[p, q, 0].astype(np.float64) * scale)
        return np.maximum(result, 0) if self.relu else result


DEPTHWISE = (
    Depthwise("plain", 1, (16, 16, 64)),
    Depthwise("border", 2, (9, 10, 64), pad=(1, 1), relu=True),
    Depthwise("strided", 1, (11, 13, 24), stride=2, pad=(1, 1), scale="all"),
    Depthwise("dilated", 2, (12, 9, 40), dilation=2, pad=(2, 2), relu=True),
    Depthwise("line", 1, (20, 1, 33), kernel=(3, 1), relu=True),
    Depthwise("any", None, (8, 7, 37), pad=(1, 1), relu=True),
    Depthwise("few", None, (8, 9, 6), pad=(1, 1), scale="all"),
    Depthwise("one", 1, (3, 3, 64)),
    # Filters that are decoded for parts of the image, for parts of the channels, which may leave a rest, and for
    # images.
    Depthwise("parts", 1, (17, 19, 64), pad=(1, 1)),
    Depthwise("bands", 2, (13, 24, 40), pad=(1, 1), relu=True),
    Depthwise("wide", 1, (6, 7, 208), pad=(1, 1), relu=True),
    Depthwise("rest", 1, (9, 8, 129), kernel=(4, 4), relu=True),
    Depthwise("five", 1, (14, 14, 81), kernel=(5, 5), pad=(2, 2), scale="all"),
    Depthwise("images", 9, (7, 7, 32), pad=(1, 1)),
    Depthwise("batch", None, (8, 8, 64), pad=(1, 1), relu=True),
)


def test_depthwise() -> None:
    """V16: filters of depthwise convolutions, in every configuration."""
    rng = np.random.default_rng(9)
    for element, (_, dtype, low, high) in TYPES.items():
        calls = []
        for case in DEPTHWISE:
            w = values(dtype, low, high, case.w())
            scale = np.float32(2.0) ** rng.integers(-3, 3, case.image[2] if case.scale == "channel" else ())
            for images in [case.images] if case.images else [1, 4]:
                x = rng.integers(-9, 9, (images, *case.image)).astype(np.float32)
                calls.append((case, w, scale.astype(np.float32), x, case.expected(x, w, scale)))
        text = "".join(case.text(element) for case in DEPTHWISE)
        with warnings.catch_warnings():
            # A schedule that is chosen on tensors fits their tiles.
            warnings.simplefilter("error", flywheel.CompileWarning)
            models = list(configurations(text, ALL))
        for configuration, model in models:
            model.initialize()
            for case, w, scale, x, expected in calls:
                model[f"{case.name}_w"], model[f"{case.name}_s"] = w, scale
                found = np.asarray(model.run(case.name, x))
                np.testing.assert_array_equal(found, expected, err_msg=f"{configuration} {element} {case.name}")


def test_depthwise_memory() -> None:
    """V16: a depthwise convolution decodes the filter for a few channels or outputs at a time:
    nothing of it is in the workspace, but the channels behind the last whole tile."""
    cases = {case.name: case for case in DEPTHWISE if case.name not in ("line", "any", "five")}
    for element in TYPES:
        text = "".join(case.text(element) for case in cases.values())
        for target, options in TARGETS.items():
            with tempfile.TemporaryDirectory() as folder:
                manifest, _ = compile_object(text, ["--max-batch=8", "--opt-level=0", *options], folder)
            for name, found in ((entry["name"], entry["workspace_bytes"]) for entry in manifest["entries"]):
                case = cases.get(name)
                if case is None:
                    continue
                most = 2 * int(np.prod(case.w())) if case.name in ("wide", "rest") else 0
                assert found <= most, f"{case.name} of {element}, {target}: {found} bytes, expected {most}"


run_tests([test_numbers, test_memory, test_depthwise, test_depthwise_memory])
