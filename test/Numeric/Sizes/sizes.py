# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Sizes that overflow or that no memory holds, constants of one value, and
texts that MLIR's parser cannot take: an exception each, and a process that goes
on."""

from typing import Any, Callable

import numpy as np

import flywheel

LOWERINGS = ("optimized", "reference")


def fails(error: type[BaseException], words: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    try:
        call(*arguments, **named)
    except error as found:
        assert words in str(found), f"expected {words!r} in {found}"
        return
    raise AssertionError(f"expected an error with {words!r}")


def session(text: str, lowering: str) -> flywheel.Session:
    result = flywheel.Session(flywheel.compile(text, lowering=lowering))
    result.initialize(1)
    return result


def values(results: Any) -> list[Any]:
    return list(results.values()) if isinstance(results, dict) else list(results)


OUTER = """
  func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %na = tensor.dim %a, %c0 : tensor<?xf32>
    %nb = tensor.dim %b, %c0 : tensor<?xf32>
    %nc = tensor.dim %c, %c0 : tensor<?xf32>
    %nd = tensor.dim %d, %c0 : tensor<?xf32>
    %e = tensor.empty(%na, %nb, %nc, %nd) : tensor<?x?x?x?xf32>
    %p = linalg.generic {
        indexing_maps = [affine_map<(i, j, k, l) -> (i)>, affine_map<(i, j, k, l) -> (j)>,
                         affine_map<(i, j, k, l) -> (k)>, affine_map<(i, j, k, l) -> (l)>,
                         affine_map<(i, j, k, l) -> (i, j, k, l)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
        outs(%e : tensor<?x?x?x?xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32, %x: f32, %out: f32):
      %0 = arith.mulf %u, %v : f32
      %1 = arith.mulf %w, %x : f32
      %2 = arith.addf %0, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<?x?x?x?xf32>
    %q = nn.cumsum %p axis 0 : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
    %r = nn.reduce sum %q axes [0, 1, 2, 3] : tensor<?x?x?x?xf32> -> tensor<f32>
    return %r : tensor<f32>
  }"""


def check_run_time(lowering: str) -> None:
    """A call whose workspace has 2^66 bytes, 0 modulo 2^64, says so."""
    s = session(OUTER, lowering)
    small = np.ones(2, np.float32)
    expected = s.run("f", a=small, b=small, c=small, d=small)
    large = np.ones(65536, np.float32)
    fails(MemoryError, "a workspace of more than 2^56 bytes", s.run, "f", a=large, b=large, c=large, d=large)
    # A size, but one that nobody has.
    fails(MemoryError, "no memory for a workspace of ", s.run, "f", a=large, b=large, c=large, d=small)
    assert s.run("f", a=small, b=small, c=small, d=small) == expected


def check_description() -> None:
    program = flywheel.compile(OUTER)
    entry = program.entries[0]
    dim_sizes = {name: 65536 for name in entry.symbols}
    fails(ValueError, "more", entry.workspace_bytes, **dim_sizes)
    fails(ValueError, "at least 0", entry.workspace_bytes, **{**dim_sizes, entry.symbols[0]: -1})
    assert entry.workspace_bytes(**{name: 2 for name in entry.symbols}) >= 64
    fails(ValueError, "more", program.manifest, max_dim_size=2**40)


SPLATS = """
  train.variable @v : tensor<64x256xf32> = dense<1.0> : tensor<64x256xf32>
  func.func @carry(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %init = arith.constant dense<2.0> : tensor<64x256xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init) -> tensor<64x256xf32> {
      %s = arith.mulf %a, %x : tensor<64x256xf32>
      scf.yield %s : tensor<64x256xf32>
    }
    %y = arith.subf %r, %init : tensor<64x256xf32>
    return %y : tensor<64x256xf32>
  }
  func.func @results() -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<999xi8>) {
    %a = arith.constant dense<3.0> : tensor<64x256xf32>
    %b = arith.constant dense<-1> : tensor<999xi8>
    return %a, %a, %b : tensor<64x256xf32>, tensor<64x256xf32>, tensor<999xi8>
  }
  func.func @update() -> tensor<64x256xf32> {
    %old = train.read @v : tensor<64x256xf32>
    %a = arith.constant dense<4.0> : tensor<64x256xf32>
    train.assign @v, %a : tensor<64x256xf32>
    return %old : tensor<64x256xf32>
  }
  func.func @products(%x: tensor<256x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant dense<1.0> : tensor<64x256xf32>
    %y = nn.matmul %one, %x : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
    %z = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %y) -> tensor<64x256xf32> {
      %p = nn.matmul %one, %x : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
      %s = arith.addf %a, %p : tensor<64x256xf32>
      scf.yield %s : tensor<64x256xf32>
    }
    return %y, %z : tensor<64x256xf32>, tensor<64x256xf32>
  }
  func.func @parts(%x: tensor<4x256xf32>, %c: tensor<i1>)
      -> (tensor<64x256xf32>, tensor<68x256xf32>, tensor<64x256xf32>) {
    %a = arith.constant dense<2.0> : tensor<64x256xf32>
    %b = arith.constant dense<3.0> : tensor<64x256xf32>
    %y = tensor.insert_slice %x into %a[0, 0] [4, 256] [1, 1] : tensor<4x256xf32> into tensor<64x256xf32>
    %z = tensor.concat dim(0) %x, %a : (tensor<4x256xf32>, tensor<64x256xf32>) -> tensor<68x256xf32>
    %t = tensor.extract %c[] : tensor<i1>
    %w = scf.if %t -> tensor<64x256xf32> {
      scf.yield %a : tensor<64x256xf32>
    } else {
      scf.yield %b : tensor<64x256xf32>
    }
    return %y, %z, %w : tensor<64x256xf32>, tensor<68x256xf32>, tensor<64x256xf32>
  }"""


def check_splats(lowering: str) -> None:
    s = session(SPLATS, lowering)
    x = np.random.default_rng(1).standard_normal((256, 256)).astype(np.float32)
    top = x[:64]
    np.testing.assert_allclose(s.run("carry", x=top), 2 * top * top * top - 2, rtol=1e-5, atol=1e-5)
    one, other, bytes_ = values(s.run("results"))
    assert (one == 3).all() and (other == 3).all() and (bytes_ == -1).all()
    assert (s.run("update") == 1).all()
    assert (s["v"] == 4).all()
    assert (s.run("update") == 4).all()
    y, z = values(s.run("products", x=x))
    expected = np.ones((64, 256), np.float32) @ x
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(z, 3 * expected, rtol=1e-3, atol=1e-3)
    for condition in (True, False):
        y, z, w = values(s.run("parts", x=x[:4], c=np.array(condition)))
        assert (y[:4] == x[:4]).all() and (y[4:] == 2).all()
        assert (z[:4] == x[:4]).all() and (z[4:] == 2).all()
        assert (w == (2 if condition else 3)).all()


def check_too_large(lowering: str) -> None:
    """Each of these ended the process, or said nothing of where."""
    static = """
      func.func @f() -> tensor<f32> {
        %b = arith.constant dense<1.0> : tensor<SIZExf32>
        %c = nn.cumsum %b axis 0 : tensor<SIZExf32> -> tensor<SIZExf32>
        %r = nn.reduce sum %c axes [0] : tensor<SIZExf32> -> tensor<f32>
        return %r : tensor<f32>
      }"""
    fails(
        flywheel.CompileError,
        "<string>:3:14: error: 'arith.constant' op has a result that is too large",
        flywheel.compile,
        static.replace("SIZE", str(2**62)),
        lowering=lowering,
    )
    s = session(static.replace("SIZE", str(2**50)), lowering)
    fails(MemoryError, "no memory for a workspace of ", s.run, "f")
    variable = "train.variable @v : tensor<SIZExf32>\nfunc.func @f(%x: tensor<f32>) { return }"
    program = flywheel.compile(variable.replace("SIZE", str(2**50)), lowering=lowering)
    fails(MemoryError, "bytes of variables", flywheel.Session, program)
    fails(
        flywheel.CompileError,
        "expected a size of at most 2^56 bytes",
        flywheel.compile,
        variable.replace("SIZE", str(2**62)),
    )


def check_sources() -> None:
    module = "func.func @f() attributes {{a = {}}} {{ return }}\n"
    nested = "[" * 10000 + "]" * 10000
    fails(flywheel.CompileError, "<string>:1:", flywheel.parse, module.format(nested))
    fails(flywheel.CompileError, "1024 brackets nested", flywheel.compile, module.format(nested))
    fails(flywheel.CompileError, "1024 brackets nested", flywheel.parse, "(" * 1000000)
    transpose = """
      func.func @f(%x: tensor<2x3xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {{
        %r = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%o : tensor<3x2xf32>) permutation = {}
        return %r : tensor<3x2xf32>
      }}"""
    for given in ("[1, 0.0]", "[-inf]", "5", "[1,", "[1 0]", "[99999999999999999999, 0]", "@a", "array<i64: 1, 0>"):
        fails(flywheel.CompileError, "list of 64-bit integers", flywheel.parse, transpose.format(given))
    for given in ("[]", "[-1, 0]", "[true, true]"):
        fails(flywheel.CompileError, "permutation", flywheel.parse, transpose.format(given))
    flywheel.parse(transpose.format("[1, 0]"))


for each in LOWERINGS:
    check_run_time(each)
    check_splats(each)
    check_too_large(each)
check_description()
check_sources()
