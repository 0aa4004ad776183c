# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Convolutions by Winograd's method (T34): within the bound of docs/Precision.md of the sum in f64, in
tiles of both sizes, at every border, for batches of any size, with an epilogue, as gradients of the input, and with the
same bits from any number of threads. Other convolutions have the bits of the direct kernel."""

import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import run_tests

Array = NDArray[Any]
POINTS = {2: (0.0, 1.0, -1.0), 4: (0.0, 0.625, -0.625, 1.5, -1.5)}
# The root of the mean square of errors, in that of the direct kernel. In f64 what they are compared with has them too.
MEAN = {2: 1.0, 4: 3.0}
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
DTYPES: Dict[str, "np.dtype[Any]"] = {"f32": np.dtype("float32"), "f64": np.dtype("float64")}


def matrices(m: int) -> Tuple[Array, Array, Array]:
    """B^T, G and A^T: see lib/Codegen/CPU/WinogradEmitter.h."""
    points = POINTS[m]
    powers = np.array([[p**k for k in range(max(m, 3))] for p in points])
    b, g, a = np.zeros((m + 2, m + 2)), np.zeros((m + 2, 3)), np.zeros((m, m + 2))
    for i, p in enumerate(points):
        others = np.poly([q for q in points if q != p])[::-1]
        b[i, : m + 1] = others
        g[i] = powers[i, :3] / np.polyval(others[::-1], p)
        a[:, i] = powers[i, :m]
    b[-1], g[-1, 2], a[-1, -1] = np.poly(points)[::-1], 1, 1
    return b, g, a


class Case(NamedTuple):
    """A convolution, and the outputs of its tiles: those of the gradient by its input too."""

    images: int
    height: int
    width: int
    channels: int
    outputs: int
    tile: int
    padding: Tuple[Tuple[int, int], Tuple[int, int]] = ((1, 1), (1, 1))
    element: str = "f32"

    @property
    def image(self) -> Tuple[int, int, int, int]:
        return self.images, self.height, self.width, self.channels

    @property
    def output(self) -> Tuple[int, int, int, int]:
        (top, bottom), (left, right) = self.padding
        return self.images, self.height + top + bottom - 2, self.width + left + right - 2, self.outputs

    def text(self) -> str:
        """The convolution, then with a bias and relu, then its gradient by the input."""

        def type_of(*shape: int) -> str:
            return f"tensor<{'x'.join(map(str, shape))}x{self.element}>"

        x, w, b = type_of(*self.image), type_of(3, 3, self.channels, self.outputs), type_of(self.outputs)
        y = type_of(*self.output)
        padding = f"padding explicit {[list(pair) for pair in self.padding]}"
        return f"""
            func.func @forward(%x: {x}, %w: {w}) -> {y} {{
              %y = nn.conv2d %x, %w {padding} : ({x}, {w}) -> {y}
              return %y : {y}
            }}
            func.func @layer(%x: {x}, %w: {w}, %b: {b}) -> {y} {{
              %c = nn.conv2d %x, %w {padding} : ({x}, {w}) -> {y}
              %e = nn.broadcast %b dims [3] : ({b}) -> {y}
              %z = arith.addf %c, %e : {y}
              %y = nn.relu %z : {y}
              return %y : {y}
            }}
            func.func @input(%y: {y}, %w: {w}) -> {x} {{
              %x = nn.conv2d_transpose %y, %w {padding} : ({y}, {w}) -> {x}
              return %x : {x}
            }}"""


CASES = (
    # Whole tiles; then blocks of rows and of images.
    Case(6, 16, 16, 16, 16, 4),
    Case(3, 32, 32, 32, 32, 4),
    Case(9, 8, 8, 32, 48, 4),
    # Rests of height, of width and of vectors; images that are not square.
    Case(8, 13, 14, 47, 40, 4),
    Case(4, 23, 11, 49, 47, 4),
    Case(5, 13, 29, 48, 65, 4, ((0, 0), (0, 0))),
    Case(4, 8, 11, 48, 32, 4, ((0, 1), (2, 1))),
    # A few outputs.
    Case(16, 6, 6, 64, 64, 2),
    Case(11, 2, 10, 64, 80, 2),
    Case(3, 16, 12, 16, 24, 4, element="f64"),
    Case(8, 6, 6, 64, 64, 2, element="f64"),
)


def convolve(image: Array, filters: Array) -> Array:
    """The sum over each window, of f64."""
    height, width = image.shape[1] - 2, image.shape[2] - 2
    return sum((image[:, p : p + height, q : q + width] @ filters[p, q] for p in range(3) for q in range(3)),
               np.zeros(()))  # fmt: skip


def bound(image: Array, filters: Array, m: int, unit: float) -> Array:
    """The bound of docs/Precision.md for `image`, which has its border."""
    b, g, a = (np.abs(matrix) for matrix in matrices(m))
    images, height, width, channels = image.shape
    tall, wide = -(-(height - 2) // m), -(-(width - 2) // m)
    padded = np.zeros((images, tall * m + 2, wide * m + 2, channels))
    padded[:, :height, :width] = np.abs(image)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (m + 2, m + 2), axis=(1, 2))[:, ::m, ::m]
    inputs = np.einsum("ai,bj,nrscij->abnrsc", b, b, windows, optimize=True)
    weights = np.einsum("ap,bq,pqco->abco", g, g, np.abs(filters), optimize=True)
    sums = np.einsum("abnrsc,abco->abnrso", inputs, weights, optimize=True)
    outputs = np.einsum("ia,jb,abnrso->nrisjo", a, a, sums, optimize=True)
    whole = outputs.reshape(images, tall * m, wide * m, -1)[:, : height - 2, : width - 2]
    # The error of the sum in f64 that this is compared with, too.
    own = (9 * channels + 1) * 2.0**-53 * convolve(np.abs(image), np.abs(filters))
    return np.asarray((channels + 40) * unit * whole + own)


def pad(image: Array, amounts: Tuple[Tuple[int, int], Tuple[int, int]]) -> Array:
    return np.pad(image.astype(np.float64), ((0, 0), *amounts, (0, 0)))


def compare(what: str, found: Array, exact: Array, allowed: Array, shows: Optional[List[float]] = None) -> None:
    assert found.shape == exact.shape, f"{what}: found {found.shape}, expected {exact.shape}"
    worst = float(np.max(np.abs(found.astype(np.float64) - exact) / allowed))
    assert worst <= 1, f"{what}: an error of {worst:.3g} times the bound"
    if shows is not None:
        shows.append(worst)


def compile_both(text: str, **options: Any) -> Tuple[Any, Any]:
    sessions = []
    for winograd in (True, False):
        sessions.append(flywheel.Session(flywheel.compile(text, winograd=winograd, **options)))
        sessions[-1].initialize(1)
    return sessions[0], sessions[1]


def test_cases() -> None:
    """T34: each case within its bound; not the bits of the direct kernel."""
    rng = np.random.default_rng(3)
    for case in CASES:
        dtype, unit = DTYPES[case.element], UNITS[case.element]
        x, y = (rng.standard_normal(shape).astype(dtype) for shape in (case.image, case.output))
        w = rng.standard_normal((3, 3, case.channels, case.outputs)).astype(dtype)
        b = rng.standard_normal(case.outputs).astype(dtype)
        session, direct = compile_both(case.text())
        padded, wide = pad(x, case.padding), w.astype(np.float64)
        exact, allowed = convolve(padded, wide), bound(padded, wide, case.tile, unit)
        worst: List[float] = []
        found = np.asarray(session.run("forward", x, w))
        compare(f"{case} forward", found, exact, allowed, worst)
        assert not np.array_equal(found, np.asarray(direct.run("forward", x, w))), f"{case}: the direct kernel"
        layer = exact + b.astype(np.float64)
        compare(f"{case} layer", np.asarray(session.run("layer", x, w, b)), np.maximum(layer, 0),
                allowed + 2 * unit * np.abs(layer), worst)  # fmt: skip
        # A convolution with the filter turned around, and what the padding leaves.
        back = pad(y, ((2 - case.padding[0][0], 2 - case.padding[0][1]),
                       (2 - case.padding[1][0], 2 - case.padding[1][1])))  # fmt: skip
        turned = wide[::-1, ::-1].transpose(0, 1, 3, 2)
        found = np.asarray(session.run("input", y, w))
        compare(f"{case} input", found, convolve(back, turned), bound(back, turned, case.tile, unit), worst)
        assert not np.array_equal(found, np.asarray(direct.run("input", y, w))), f"{case}: the direct kernel"
        rms, other = (np.sqrt(np.mean((np.asarray(one.run("forward", x, w)) - exact) ** 2))
                      for one in (session, direct))  # fmt: skip
        assert case.element == "f64" or rms <= MEAN[case.tile] * other, f"{case}: {rms / other:.3g} times the error"
        if "--print" in sys.argv:
            print(case, "parts of the bound", [f"{part:.4f}" for part in worst], f"of the direct {rms / other:.2f}")


def step_text(batch: str) -> str:
    image, outputs = f"tensor<{batch}x8x8x16xf32>", f"tensor<{batch}x8x8x32xf32>"
    return f"""
        train.variable @w : tensor<3x3x16x32xf32> = #train.glorot_uniform
        train.variable @v : tensor<3x3x32x32xf32> = #train.glorot_uniform
        func.func @step(%x: {image}, %t: {outputs}) -> tensor<f32> {{
          %w = train.read @w : tensor<3x3x16x32xf32>
          %v = train.read @v : tensor<3x3x32x32xf32>
          %a = nn.conv2d %x, %w padding same : ({image}, tensor<3x3x16x32xf32>) -> {outputs}
          %r = nn.relu %a : {outputs}
          %y = nn.conv2d %r, %v padding same : ({outputs}, tensor<3x3x32x32xf32>) -> {outputs}
          %d = arith.subf %y, %t : {outputs}
          %s = arith.mulf %d, %d : {outputs}
          %loss = nn.reduce mean %s axes [0, 1, 2, 3] : {outputs} -> tensor<f32>
          train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.5>
          return %loss : tensor<f32>
        }}"""


def test_steps() -> None:
    """T34: a step with a batch of any size is that of the direct kernels; threads do not change a bit."""
    rng = np.random.default_rng(4)
    session, direct = compile_both(step_text("?"))
    threads = flywheel.Session(flywheel.compile(step_text("?"), winograd=True, threads=3, min_shared_work=0))
    threads.initialize(1)
    for images in (1, 2, 5, 16):
        x = rng.standard_normal((images, 8, 8, 16)).astype(np.float32)
        t = rng.standard_normal((images, 8, 8, 32)).astype(np.float32)
        losses = [one.run("step", x, t) for one in (session, direct, threads)]
        np.testing.assert_allclose(losses[0], losses[1], rtol=2e-5)
        assert losses[0] == losses[2], f"{images} images: {losses[0]} with one thread, {losses[2]} with three"
    for name in ("w", "v"):
        found, other = np.asarray(session[name]), np.asarray(direct[name])
        np.testing.assert_allclose(found, other, atol=2e-5)
        assert not np.array_equal(found, other), f"{name}: the direct kernels"
        np.testing.assert_array_equal(found, np.asarray(threads[name]))


def test_others() -> None:
    """T34: other strides, dilations, groups, sizes and types, and heights that are not known."""
    kinds = (
        ("strides [2, 2] padding valid", "4x17x17x32xf32", "3x3x32x32xf32", "4x8x8x32xf32"),
        ("padding valid dilations [2, 2]", "4x16x16x32xf32", "3x3x32x32xf32", "4x12x12x32xf32"),
        ("padding same", "4x16x16x32xf32", "3x3x16x32xf32", "4x16x16x32xf32"),
        ("padding same", "4x16x16x32xf32", "3x3x1x32xf32", "4x16x16x32xf32"),
        ("padding same", "4x16x16x32xf32", "5x5x32x32xf32", "4x16x16x32xf32"),
        ("padding same", "4x16x16x32xf32", "3x1x32x32xf32", "4x16x16x32xf32"),
        ("padding same", "4x16x16x32xf16", "3x3x32x32xf16", "4x16x16x32xf16"),
        ("padding same", "4x?x?x32xf32", "3x3x32x32xf32", "4x?x?x32xf32"),
        # It would not pay.
        ("padding same", "4x16x16x3xf32", "3x3x3x32xf32", "4x16x16x32xf32"),
    )
    rng = np.random.default_rng(5)
    for attributes, *types in kinds:
        x, w, y = (f"tensor<{one}>" for one in types)
        text = (f"func.func @f(%x: {x}, %w: {w}) -> {y} {{\n  %y = nn.conv2d %x, %w {attributes} : ({x}, {w}) -> {y}\n"
                f"  return %y : {y}\n}}\n")  # fmt: skip
        dtype = np.dtype("float16" if "f16" in x else "float32")
        operands = [rng.standard_normal([int(size) for size in one.replace("?", "16").split("x")[:-1]]).astype(dtype)
                    for one in types[:2]]  # fmt: skip
        session, direct = compile_both(text)
        np.testing.assert_array_equal(session.run("f", *operands), direct.run("f", *operands), err_msg=str(types))


def test_not_finite() -> None:
    """T34: an infinity or a NaN is in each output that it is a term of, and in no tile that does not read it."""
    case = Case(3, 15, 13, 48, 48, 4)
    rng = np.random.default_rng(7)
    w = rng.standard_normal((3, 3, case.channels, case.outputs)).astype(np.float32)
    session, _ = compile_both(case.text())
    m = case.tile
    for wrong in (np.inf, -np.inf, np.nan):
        for row, column in ((0, 0), (4, 7), (14, 12)):
            x = rng.standard_normal(case.image).astype(np.float32)
            exact, allowed = (f(pad(x, case.padding), w.astype(np.float64)) for f in (
                convolve, lambda image, filters: bound(image, filters, m, UNITS["f32"])))  # fmt: skip
            x[1, row, column, 5] = wrong
            found = np.asarray(session.run("forward", x, w)).astype(np.float64)
            terms = np.zeros(exact.shape, bool)
            terms[1, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = True
            assert not np.isfinite(found[terms]).any(), f"{wrong} at {row}, {column} is lost"
            # With its border, what a tile reads is m + 2 long.
            reads = [[place // m for place in range(size) if -1 <= at - place // m * m <= m]
                     for at, size in ((row, case.height), (column, case.width))]  # fmt: skip
            tiles = np.zeros(exact.shape, bool)
            for i in set(reads[0]):
                for j in set(reads[1]):
                    tiles[1, i * m : i * m + m, j * m : j * m + m] = True
            assert tiles.sum() < exact.size // 6, tiles.sum()
            error = np.abs(np.where(tiles, exact, found) - exact)
            assert (error <= allowed).all(), f"{wrong} at {row}, {column} spreads"


def test_functions() -> None:
    """T34: a traced function has a program of its own with `winograd`."""

    def convolve_it(x: Any, w: Any) -> Any:
        return flywheel.nn.conv2d(x, w, padding="same")

    rng = np.random.default_rng(6)
    x = rng.standard_normal((4, 16, 16, 32)).astype(np.float32)
    w = rng.standard_normal((3, 3, 32, 32)).astype(np.float32)
    direct, other = (np.asarray(flywheel.function(convolve_it, winograd=on)(x, w)) for on in (False, True))
    assert not np.array_equal(direct, other), "expected another program"
    np.testing.assert_allclose(direct, other, atol=2e-3)


run_tests([test_cases, test_steps, test_others, test_not_finite, test_functions])
