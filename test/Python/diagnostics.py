# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The texts of CompileErrors and of Python warnings (T3, T9)."""

import warnings

import flywheel
from configurations import run_tests

# Everything that follows is in one function, so that a dump of it would be long.
BAD_CONVOLUTION = """train.variable @f : tensor<3x3x4x8xf32>
func.func @step(%x: tensor<?x8x8x4xf32>) -> tensor<f32> {
  %f = train.read @f : tensor<3x3x4x8xf32>
  %y = nn.conv2d %x, %f strides [2, 2] padding same : (tensor<?x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<?x4x5x8xf32>
""" + "".join(f"  %r{i} = nn.relu %y : tensor<?x4x5x8xf32>\n" for i in range(120)) + """
  %loss = nn.reduce mean %r0 axes [0, 1, 2, 3] : tensor<?x4x5x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
"""
INLINED = """func.func private @loop(%x: tensor<f32>) -> tensor<f32> {
  %y = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %l = arith.constant 100.0 : f32
    %e = tensor.extract %a[] : tensor<f32>
    %c = arith.cmpf olt, %e, %l : f32
    scf.condition(%c) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %b = arith.addf %a, %a : tensor<f32>
    scf.yield %b : tensor<f32>
  }
  return %y : tensor<f32>
}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @loop(%x) : (tensor<f32>) -> tensor<f32>
  %g = train.gradient %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
"""
ROTATE = """train.variable @a : tensor<64xf32> = dense<1.0> : tensor<64xf32>
train.variable @b : tensor<64xf32> = dense<2.0> : tensor<64xf32>
train.variable @c : tensor<64xf32> = dense<3.0> : tensor<64xf32>
func.func @rotate() {
  %a = train.read @a : tensor<64xf32>
  %b = train.read @b : tensor<64xf32>
  %c = train.read @c : tensor<64xf32>
  train.assign @a, %b : tensor<64xf32>
  train.assign @b, %c : tensor<64xf32>
  train.assign @c, %a : tensor<64xf32>
  return
}
"""


def get_error(text: str) -> str:
    try:
        flywheel.compile(flywheel.parse(text, name="model.mlir"))
    except flywheel.CompileError as error:
        return str(error)
    raise AssertionError("expected a CompileError")


def test_verifier() -> None:
    """An error of a verifier: where it is, the line, and no module."""
    error = get_error(BAD_CONVOLUTION)
    lines = error.split("\n")
    assert lines[0].startswith("model.mlir:4:8: error: 'nn.conv2d' op expected"), error
    assert lines[1].lstrip().startswith("%y = nn.conv2d") and lines[2] == " " * 7 + "^" and len(lines) == 3, error


def test_inlined() -> None:
    """An error in an inlined function: called from where."""
    error = get_error(INLINED)
    assert error.startswith("model.mlir:2:8: error: no derivative rule for 'scf.while'"), error
    assert "model.mlir:15:8: note: called from here" in error, error
    assert "note: add a bound: carry an integer" in error and "loc(" not in error and "callsite" not in error, error
    assert error.count("called from here") == 1 and len(error.split("\n")) == 10, error


def test_places() -> None:
    """A name in place of a file, and several places."""
    for location, start in (('"layer"', "'layer': error: "),
                            ('fused["a.mlir":7:3, "b.mlir":9:1]', "a.mlir:7:3: error: "),
                            ('"layer"("c.mlir":5:2)', "c.mlir:5:2: error: "), ("unknown", "error: "),
                            ('callsite("d.mlir":1:2 at "e.mlir":3:4)', "d.mlir:1:2: error: ")):
        text = f"func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {{\n" \
               f"  %y = nn.reduce sum %x axes [1] : tensor<2xf32> -> tensor<3xf32> loc({location})\n" \
               f"  return %y : tensor<3xf32>\n}}\n"
        error = get_error(text)
        assert error.startswith(start) and "loc(" not in error, error
        assert ("e.mlir:3:4: note: called from here" in error) == ("callsite" in location), error


def test_without_place() -> None:
    """An op without a place is looked at as well."""
    error = get_error("func.func @f(%x: tensor<2xindex>) -> tensor<2xindex> {\n"
                      "  %y, %c = arith.addui_extended %x, %x : tensor<2xindex>, tensor<2xi1> loc(unknown)\n"
                      "  return %y : tensor<2xindex>\n}\n")
    assert error.startswith("error: 'arith.addui_extended' op is not supported for index"), error


def test_long_texts() -> None:
    """Long types and attributes are cut."""
    many = ", ".join(["tensor<1x2x3x4x5x6x7x8xf32>"] * 200)
    error = get_error(f"func.func private @g() -> ({many})\n"
                      "func.func @f() {\n  %y = func.call @g() : () -> f32\n  return\n}\n")
    assert max(map(len, error.split("\n"))) < 1000, error
    elements = ", ".join(["1.0"] * 5000)
    error = get_error(f"train.variable @v : tensor<3xf32> = dense<[{elements}]> : tensor<5000xf32>\n")
    assert len(error) < 2000, error


def test_remarks() -> None:
    """Remarks and warnings are Python warnings, of the caller's line, which filters silence."""
    for action in (lambda: flywheel.compile(ROTATE), lambda: flywheel.compile(flywheel.parse(ROTATE)),
                   lambda: flywheel.lower(flywheel.parse(ROTATE), stop_after="flywheel-bufferize")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            action()
        assert caught and all(one.category is flywheel.CompileRemark for one in caught), caught
        assert caught[0].filename == __file__, caught[0].filename
        assert "remark: " in str(caught[0].message) and "<string>:" in str(caught[0].message), caught[0].message
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", flywheel.CompileWarning)
            action()
        assert not caught
        with warnings.catch_warnings():
            warnings.simplefilter("error", flywheel.CompileRemark)
            try:
                action()
            except flywheel.CompileRemark:
                pass
            else:
                raise AssertionError("expected the remark as an error")


def test_error_after_remarks() -> None:
    """An error is an error, whatever was remarked before."""
    failing = ROTATE.replace("return\n}", "return\n}\n" + INLINED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert get_error(failing).startswith("model.mlir:"), get_error(failing)


if __name__ == "__main__":
    run_tests([test_verifier, test_inlined, test_places, test_without_place, test_long_texts, test_remarks,
               test_error_after_remarks])
