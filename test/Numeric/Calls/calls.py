# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Calls of a model, with variables that outlive them (S3 to S5, R2, R4, T36, V1, V12).

Includes that a step which fails changes nothing, and what the errors say.
"""

from typing import Any, cast

import numpy as np

import flywheel
from configurations import (
    IN_PROCESS,
    SessionModel,
    configurations,
    expect_close,
    expect_equal,
    expect_error,
    make,
    run_tests,
)


def test_uninitialized() -> None:
    """S1, S3, S4, S5: the text names the variable, and nothing changes."""
    text = """
train.variable @v : tensor<3xf32> = #train.ones
train.variable @w : tensor<3xf32> = #train.ones
func.func @sum() -> tensor<3xf32> {
  %v = train.read @v : tensor<3xf32>
  %w = train.read @w : tensor<3xf32>
  %y = arith.addf %v, %w : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @step() {
  %v = train.read @v : tensor<3xf32>
  train.assign_add @v, %v : tensor<3xf32>
  train.assign_add @w, %v : tensor<3xf32>
  return
}
func.func @set(%x: tensor<3xf32>) {
  train.assign @w, %x : tensor<3xf32>
  return
}
"""
    for configuration in IN_PROCESS:
        model = make(text, configuration)
        assert isinstance(model, SessionModel)
        session = model.session
        assert session.report_uninitialized() == ["v", "w"]
        expect_error("read", "Attempting to use uninitialized value v", lambda: session["v"],
                     flywheel.FailedPreconditionError)
        session["v"] = np.array([1, 2, 3], np.float32)
        assert session.is_initialized("v") and not session.is_initialized("w")
        for entry in ("sum", "step"):
            expect_error(entry, "Attempting to use uninitialized value w", lambda: session.run(entry),
                         flywheel.FailedPreconditionError)
            expect_equal("unchanged", session["v"], np.array([1, 2, 3], np.float32))
            assert session.report_uninitialized() == ["w"]
        session.run("set", np.zeros(3, np.float32))
        assert session.report_uninitialized() == []
        expect_equal("sum", session.run("sum"), np.array([1, 2, 3], np.float32))
    model = make(text, "object")
    expect_error("object", "uninitialized|init", lambda: model.run("sum"))
    model.initialize()
    expect_equal("object", model.run("sum"), np.full(3, 2, np.float32))


LABELS = """
train.variable @w : tensor<4x3xf32> = #train.glorot_uniform
train.variable @seen : tensor<i64> = #train.zeros
func.func @train_step(%image: tensor<?x4xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %one = arith.constant dense<1> : tensor<i64>
  train.assign_add @seen, %one : tensor<i64>
  %w = train.read @w : tensor<4x3xf32>
  %z = nn.matmul %image, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.1>
  return %loss : tensor<f32>
}
"""


def test_labels() -> None:
    """X5: a label out of range is an error of the step, which changes nothing."""
    image = np.ones((5, 4), np.float32)
    for configuration, model in configurations(LABELS):
        model.initialize()
        before = model.snapshot()
        for bad in (-1, 3, 2147483647, -2147483648):
            for row in range(5):
                label = np.array([0, 1, 2, 0, 1], np.int32)
                label[row] = bad
                expect_error(f"{configuration} label {bad}", "label out of range: expected 0 <= label < 3 in "
                             rf".*, found {bad}\b",
                             lambda: model.run("train_step", image, label), flywheel.InvalidArgumentError)
        for name, value in before.items():
            expect_equal(f"{configuration} {name}", model[name], value)
        model.run("train_step", image, np.array([0, 1, 2, 0, 1], np.int32))
        assert int(model["seen"]) == 1 and not np.array_equal(model["w"], before["w"])


def test_feeds() -> None:
    """R4, T9: missing feeds, other shapes and dtypes, by position and by name."""
    session = flywheel.Session(flywheel.compile(LABELS))
    session.initialize(1)
    image, label = np.ones((5, 4), np.float32), np.zeros(5, np.int32)
    step = session.entry("train_step")
    bad = flywheel.InvalidArgumentError
    for what, pattern, action, kind in (
            ("missing", "You must feed a value for placeholder 'label'", lambda: step(image), bad),
            ("missing by name", "You must feed a value for placeholder 'image'", lambda: step(label=label), bad),
            ("rank", r"Cannot feed value of shape \(5,\) for placeholder 'image', which has shape \(\?, 4\)",
             lambda: step(label.astype(np.float32), label), bad),
            ("dim_size", r"Cannot feed value of shape \(5, 3\)", lambda: step(np.ones((5, 3), np.float32), label), bad),
            ("batch", "feeds disagree", lambda: step(image, label[:3]), bad),
            ("dtype", "Cannot feed value of dtype float64 for placeholder 'image', which has dtype float32",
             lambda: step(image.astype(np.float64), label), bad),
            ("dtype", "dtype int64 for placeholder 'label'", lambda: step(image, label.astype(np.int64)), bad),
            ("mask", "placeholder 'image' takes no masked array", lambda: step(np.ma.masked_array(image), label),
             TypeError),
            ("list", r"shape \(1, 1\) for placeholder 'image'", lambda: step([[1.0]], label), bad),
            ("object", "takes a numpy array, found object", lambda: step(cast(Any, object()), label), TypeError),
            ("too many", "takes 2 feeds, found 3", lambda: step(image, label, label), TypeError),
            ("unknown", "has no placeholder 'imag'", lambda: step(imag=image, label=label), TypeError),
            ("twice", "fed twice", lambda: step(image, label, image=image), TypeError),
            ("entry", "train_step", lambda: session.entry("nope"), flywheel.NotFoundError),
            ("variable", "nope", lambda: session["nope"], flywheel.NotFoundError)):
        expect_error(what, pattern, action, kind)
    assert int(session["seen"]) == 0
    # Results into given buffers.
    loss = np.empty((), np.float32)
    assert step(label=label, image=image, out=loss) is loss
    for what, out, kind in (("dtype", np.empty((), np.float64), bad), ("shape", np.empty(1, np.float32), bad),
                            ("count", (loss, loss), TypeError), ("type", 1.0, TypeError)):
        expect_error(what, "result", lambda: step(image, label, out=cast(Any, out)), kind)
    one = np.empty(1, np.float32)
    one.setflags(write=False)
    expect_error("read-only", "writeable", lambda: step(image, label, out=one.reshape(())), bad)
    # Batches without rebuilding: none, one, any.
    for batch in (0, 1, 5, 17, 3):
        result = step(np.ones((batch, 4), np.float32), np.zeros(batch, np.int32))
        assert result.shape == () and (batch == 0 or np.isfinite(result)), (batch, result)


def test_batches() -> None:
    """R4, T5: an affine map of batches of 0, 1 and more rows; the state is shared."""
    text = """
train.variable @w : tensor<3x2xf32>
train.variable @b : tensor<2xf32>
func.func @affine(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %w = train.read @w : tensor<3x2xf32>
  %b = train.read @b : tensor<2xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        # X1: with the numbers of the example, before its activation.
        model["w"] = np.array([[1, -1], [.5, 2], [-1, 0]], np.float32)
        model["b"] = np.array([.1, -.2], np.float32)
        expect_close(configuration, model.run("affine", np.array([[1, 2, 3], [4, 5, 6]], np.float32)),
                     np.array([[-.9, 2.8], [.6, 5.8]]))
        for batch in (1, 5, 0, 64, 2):
            x = np.random.default_rng(batch).standard_normal((batch, 3)).astype(np.float32)
            expect_close(f"{configuration} batch {batch}", model.run("affine", x), x @ model["w"] + model["b"])


def test_set_get() -> None:
    """R9, A4: host access; equal shapes and dtypes only, literals where exact."""
    session = flywheel.Session(flywheel.compile("train.variable @v : tensor<2x3xf32>\n"
                                                "train.variable @n : tensor<i64>\ntrain.variable @x : tensor<f32>\n"))
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    session["v"] = value
    got = session["v"]
    got[:] = 0
    expect_equal("a copy", session["v"], value)
    session["v"] = np.arange(6, dtype=np.float32).reshape(3, 2).T
    expect_equal("strided", session["v"], np.arange(6, dtype=np.float32).reshape(3, 2).T)
    session["n"] = 7
    session["x"] = 0.5
    expect_equal("literal", session["n"], np.int64(7))
    expect_equal("literal", session["x"], np.float32(0.5))
    session["n"] = np.int64(8)
    session["x"] = np.float32(0.25)
    expect_equal("numpy scalar", session["n"], np.int64(8))
    expect_equal("numpy scalar", session["x"], np.float32(0.25))
    for what, name, bad, pattern, kind in (
            ("shape", "v", np.zeros((3, 2), np.float32), "shape", flywheel.InvalidArgumentError),
            ("no broadcast", "v", np.zeros((), np.float32), "shapes", flywheel.InvalidArgumentError),
            ("no broadcast", "v", 1.0, "shapes", flywheel.InvalidArgumentError),
            ("dtype", "v", value.astype(np.float64), "dtype float64", flywheel.InvalidArgumentError),
            ("numpy scalar", "n", np.float32(1.5), "Expected int64", TypeError),
            ("fraction", "n", 1.5, "Expected int64", TypeError), ("text", "v", "1", "Expected float32", TypeError),
            ("name", "w", value, "'w'", flywheel.NotFoundError)):
        expect_error(what, pattern, lambda: session.__setitem__(name, cast(Any, bad)), kind)
    assert "v" in session and "w" not in session


def test_sharing() -> None:
    """R2: sessions have variables of their own, unless they share."""
    program = flywheel.compile("train.variable @v : tensor<f32>\n")
    one, other = flywheel.Session(program), flywheel.Session(program)
    shared = flywheel.Session(program, share=one)
    one["v"] = 7.0
    assert float(shared["v"]) == 7.0 and not other.is_initialized("v")


def test_checkpoint() -> None:
    """P3, P4, P5, P10: a session goes on from a checkpoint bit for bit."""
    import os
    import tempfile

    program = flywheel.compile(LABELS)
    rng = np.random.default_rng(0)
    batches = [(rng.standard_normal((8, 4)).astype(np.float32), rng.integers(0, 3, 8).astype(np.int32))
               for _ in range(4)]
    one, two = flywheel.Session(program), flywheel.Session(program)
    one.initialize(3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        for batch in batches[:2]:
            one.run("train_step", *batch)
        one.save(path)
        two.restore(path)
        subset = flywheel.Session(program)
        subset.restore(path, ["w"])
        assert "w" not in subset.report_uninitialized() and "seen" in subset.report_uninitialized()
        expect_error("missing file", "checkpoint|No such file|not", lambda: two.restore(path + ".nope"))
        expect_error("unknown name", "nope", lambda: two.restore(path, ["nope"]), flywheel.NotFoundError)
        expect_error("no value", "uninitialized value", lambda: subset.save(path + "2"),
                     flywheel.FailedPreconditionError)
        assert not os.path.exists(path + "2")
    for batch in batches[2:]:
        expect_equal("loss", two.run("train_step", *batch), one.run("train_step", *batch))
    for name in one.variables:
        expect_equal(name, two[name], one[name])
    for name in one.variables:
        assert two.run_counter(name) == one.run_counter(name)
    assert two.seed == one.seed


def test_build_errors() -> None:
    """V12, A4, T2, X14: diagnostics with the place and both sides."""
    for what, text, pattern in (
            ("duplicate", "train.variable @v : tensor<f32>\ntrain.variable @v : tensor<f32>\n",
             "(?s)<string>:2:1.*redefinition of symbol"),
            ("unknown variable", "func.func @f() {\n  %v = train.read @v : tensor<f32>\n  return\n}\n",
             r"<string>:2:\d+: error:.*v"),
            ("shape", "train.variable @v : tensor<3xf32>\nfunc.func @f(%x: tensor<f32>) {\n"
             "  train.assign @v, %x : tensor<f32>\n  return\n}\n", "<string>:3:3: error:.*tensor<3xf32>"),
            ("boolean", "train.variable @v : tensor<i1>\nfunc.func @f(%x: tensor<i1>) {\n"
             "  train.assign_add @v, %x : tensor<i1>\n  return\n}\n", "<string>:3:3: error:"),
            ("syntax", "func.func @f() {\n  %v = nn.nope\n}\n", "<string>:2:8"),
            ("beta", "train.variable @v : tensor<f32>\nfunc.func @f() {\n  %v = train.read @v : tensor<f32>\n"
             "  train.minimize %v : tensor<f32> with #train.adam<beta_1 = 1.0>\n  return\n}\n", "beta_1")):
        expect_error(what, pattern, lambda: flywheel.compile(text), flywheel.CompileError)


def test_threads() -> None:
    """T9: the interpreter lock is free while a step runs; threads take turns."""
    import threading

    session = flywheel.Session(flywheel.compile(LABELS))
    session.initialize(1)
    step = session.entry("train_step")
    image, label = np.ones((64, 4), np.float32), np.zeros(64, np.int32)

    def work() -> None:
        for _ in range(200):
            step(image, label)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(session["seen"]) == 800, session["seen"]


run_tests([test_uninitialized, test_labels, test_feeds, test_batches, test_set_get, test_sharing,
           test_checkpoint, test_build_errors, test_threads])
