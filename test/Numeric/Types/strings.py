# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Variables of strings (V4, I1, I2, P3, P5, P11); training beside them is as without."""

import os
import tempfile
from typing import Any, List, Union

import numpy as np
import safetensors
from numpy.typing import NDArray

import flywheel
from configurations import (
    IN_PROCESS,
    SessionModel,
    configurations,
    expect_equal,
    expect_error,
    make,
    run_tests,
)

Array = NDArray[Any]

BAD = flywheel.InvalidArgumentError


def texts(*values: Any) -> Array:
    return np.array(values, object)


def expect_texts(what: str, found: Any, expected: Union[str, List[Any]]) -> None:
    assert isinstance(found, np.ndarray) and found.dtype == object, f"{what}: found {found!r}"
    assert found.tolist() == expected, f"{what}: expected {expected!r}, found {found!r}"


FRUIT = r"""
train.variable @fruit : tensor<!train.string> = #train.strings<["Orange"]>
train.variable @pair : tensor<2x!train.string> = #train.strings<["Fruit", "orange"]>
train.variable @filled : tensor<2x2x!train.string> = #train.strings<["a", "", "b\00c\FF"]>
train.variable @zeros : tensor<3x!train.string> = #train.zeros
train.variable @default : tensor<2x!train.string>
train.variable @none : tensor<0x!train.string>
func.func @kiwi() -> tensor<!train.string> {
  %old = train.read @fruit : tensor<!train.string>
  %kiwi = train.string_constant ["Kiwi"] : tensor<!train.string>
  train.assign @fruit, %kiwi : tensor<!train.string>
  return %old : tensor<!train.string>
}
func.func @set(%x: tensor<2x!train.string>) -> (tensor<2xi1>, tensor<2x!train.string>) {
  %old = train.read @pair : tensor<2x!train.string>
  %same = train.string_equal %old, %x : tensor<2x!train.string>
  %new = train.assign @pair, %x : tensor<2x!train.string>
  return %same, %new : tensor<2xi1>, tensor<2x!train.string>
}
func.func @echo(%x: tensor<?x!train.string>) -> (tensor<?x!train.string>, tensor<?xi1>) {
  %same = train.string_equal %x, %x : tensor<?x!train.string>
  return %x, %same : tensor<?x!train.string>, tensor<?xi1>
}
func.func @choose(%p: tensor<i1>, %x: tensor<!train.string>) -> tensor<!train.string> {
  %b = tensor.extract %p[] : tensor<i1>
  %fruit = train.read @fruit : tensor<!train.string>
  %0 = scf.if %b -> tensor<!train.string> {
    train.assign @fruit, %x : tensor<!train.string>
    scf.yield %x : tensor<!train.string>
  } else {
    scf.yield %fruit : tensor<!train.string>
  }
  return %0 : tensor<!train.string>
}
func.func @last(%x: tensor<4x!train.string>) -> tensor<2x1x!train.string> {
  %0 = tensor.extract_slice %x[2] [2] [1] : tensor<4x!train.string> to tensor<2x!train.string>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 1] : tensor<2x!train.string> into tensor<2x1x!train.string>
  return %1 : tensor<2x1x!train.string>
}
"""


def test_values() -> None:
    """V4, V9, I1, I2: initial values, reads, assignments, equality; case and length are kept."""
    for configuration, model in configurations(FRUIT, IN_PROCESS):
        model.initialize()
        expect_texts(configuration, model["fruit"], "Orange")
        expect_texts(configuration, model["pair"], ["Fruit", "orange"])
        expect_texts(configuration, model["filled"], [["a", ""], ["b\0c\udcff", "b\0c\udcff"]])
        expect_texts(configuration, model["zeros"], ["", "", ""])
        expect_texts(configuration, model["default"], ["", ""])
        expect_texts(configuration, model["none"], [])
        assert model.run("kiwi") == "Orange" and model.run("kiwi") == "Kiwi" and model["fruit"] == "Kiwi"
        same, new = model.run("set", texts("Fruit", "Orange"))
        expect_equal(configuration, same, np.array([True, False]))
        expect_texts(configuration, new, ["Fruit", "Orange"])
        expect_texts(configuration, model["pair"], ["Fruit", "Orange"])
        long = "x" * 100000
        same, _ = model.run("set", texts(long, "ü\n\"'"))
        expect_equal(configuration, same, np.array([False, False]))
        expect_texts(configuration, model["pair"], [long, "ü\n\"'"])
        # Equal bytes from another place are equal strings.
        same, _ = model.run("set", np.array([long.encode(), "ü\n\"'".encode()], object))
        expect_equal(configuration, same, np.array([True, True]))
        for count in (0, 1, 5):
            x = np.array([f"text {i % 3}" for i in range(count)], object)
            echo, same = model.run("echo", x)
            expect_texts(configuration, echo, x.tolist())
            expect_equal(configuration, same, np.ones(count, bool))
        plum: Any = "Plum"
        assert model.run("choose", np.array(False), plum) == "Kiwi" and model["fruit"] == "Kiwi"
        assert model.run("choose", np.array(True), plum) == "Plum" and model["fruit"] == "Plum"
        expect_texts(configuration, model.run("last", texts("a", "b", "c", "d")), [["c"], ["d"]])


def test_python() -> None:
    """T9: what Python may pass, and what it gets."""
    session = flywheel.Session(flywheel.compile(FRUIT))
    expect_error("unset", "uninitialized value fruit", lambda: session["fruit"], flywheel.FailedPreconditionError)
    session["fruit"] = "Lime"
    assert session["fruit"].shape == () and session["fruit"] == "Lime"
    session["fruit"] = b"\xff\x00"
    assert session["fruit"].item() == "\udcff\0"
    session["fruit"] = session["fruit"]
    assert session["fruit"].item().encode("utf-8", "surrogateescape") == b"\xff\x00"
    session["pair"] = np.array(["a", "long text"])
    expect_texts("U", session["pair"], ["a", "long text"])
    session["pair"] = np.array([b"S", b""])
    expect_texts("S", session["pair"], ["S", ""])
    out = (np.empty(2, bool), np.full(2, None, object))
    assert session.run("set", x=texts("S", "T"), out=out) == out
    expect_texts("out", out[1], ["S", "T"])
    expect_equal("out", out[0], np.array([True, False]))
    # A result may be the next feed.
    expect_texts("again", session.run("echo", out[1])[0], ["S", "T"])
    numbers = np.zeros(2, np.int64)
    expect_error("dtype", "Cannot feed value of dtype int64 for placeholder 'x', which has dtype string",
                 lambda: session.run("set", numbers), BAD)
    expect_error("element", "placeholder 'x' takes a str, bytes", lambda: session.run("set", texts("a", None)),
                 TypeError)
    expect_error("shape", r"shape \(3,\) for placeholder 'x'", lambda: session.run("set", texts("a", "b", "c")), BAD)
    expect_error("absent", "must feed a value for placeholder 'x'", lambda: session.run("set"), BAD)
    expect_error("assigned dtype", "cannot assign a value of dtype int64 to variable 'pair' of dtype string",
                 lambda: session.__setitem__("pair", numbers), BAD)
    expect_error("assigned shape", "shape", lambda: session.__setitem__("pair", "one"), BAD)
    expect_error("assigned number", "takes a str, bytes", lambda: session.__setitem__("fruit", 3), TypeError)
    expect_error("result", "buffer of dtype string .* for result .new.*found dtype int64",
                 lambda: session.run("set", texts("a", "b"), out=(out[0], numbers)), BAD)
    expect_texts("unchanged", session["pair"], ["S", "T"])
    info = {variable.name: variable for variable in flywheel.compile(FRUIT).variables}
    assert info["pair"].dtype == np.dtype(object) and info["pair"].nbytes == 16


TRAINING = """
train.variable @w : tensor<4x3xf32> = #train.glorot_uniform
train.variable @tag : tensor<!train.string> = #train.strings<["new"]>
func.func @step(%x: tensor<?x4xf32>, %y: tensor<?xi32>, %name: tensor<!train.string>)
    -> (tensor<f32>, tensor<!train.string>) {
  %w = train.read @w : tensor<4x3xf32>
  %tag = train.read @tag : tensor<!train.string>
  %z = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %y : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1, momentum = 0.9>
  train.assign @tag, %name : tensor<!train.string>
  return %loss, %tag : tensor<f32>, tensor<!train.string>
}
"""


def test_training() -> None:
    """V4: a step that moves strings trains as one that does not; a failed one changes nothing."""
    plain = "\n".join(line for line in TRAINING.splitlines() if "tag" not in line or "return" in line)
    plain = plain.replace(", %name: tensor<!train.string>", "").replace("(tensor<f32>, tensor<!train.string>)",
                                                                        "tensor<f32>")
    plain = plain.replace("%loss, %tag : tensor<f32>, tensor<!train.string>", "%loss : tensor<f32>")
    for configuration in IN_PROCESS:
        mixed, alone = make(TRAINING, configuration), make(plain, configuration)
        mixed.initialize(3)
        alone.initialize(3)
        rng, previous = np.random.default_rng(0), "new"
        for step in range(10):
            x, y = rng.standard_normal((17, 4)).astype(np.float32), rng.integers(0, 3, 17).astype(np.int32)
            loss, tag = mixed.run("step", x, y, np.array(f"step {step}", object))
            expect_equal(configuration, loss, alone.run("step", x, y))
            assert tag == previous, tag
            previous = f"step {step}"
        expect_equal(configuration, mixed["w"], alone["w"])
        before = mixed["w"]
        y[0] = 7
        expect_error(configuration, "label", lambda: mixed.run("step", x, y, np.array("lost", object)))
        expect_equal(configuration, mixed["w"], before)
        assert mixed["tag"] == "step 9"


def test_many() -> None:
    """V4: strings that nothing refers to are forgotten; the others keep their values."""
    session = flywheel.Session(flywheel.compile(FRUIT))
    other = flywheel.Session(flywheel.compile(FRUIT))
    session.initialize(1)
    other.initialize(1)
    session["fruit"] = "kept"
    for i in range(3000):
        echo, same = session.run("echo", texts(f"first {i}", f"second {i}", "kept"))
        expect_texts("echo", echo, [f"first {i}", f"second {i}", "kept"])
        assert same.all()
        session["pair"] = texts(f"p {i}", f"first {i}")
        assert session["fruit"] == "kept"
    expect_texts("pair", session["pair"], ["p 2999", "first 2999"])
    session.run("kiwi")
    assert session["fruit"] == "Kiwi" and other["fruit"] == "Orange"
    expect_texts("filled", session["filled"], [["a", ""], ["b\0c\udcff", "b\0c\udcff"]])


def test_sharing() -> None:
    """Sessions that share variables share their strings."""
    program = flywheel.compile(FRUIT)
    one = flywheel.Session(program)
    two = flywheel.Session(program, share=one)
    one["fruit"] = "Pear"
    assert two["fruit"] == "Pear"
    two["fruit"] = "Fig"
    assert one["fruit"] == "Fig"


def test_checkpoints() -> None:
    """P3, P5, P11: strings are saved and restored, among programs that number them otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fruit.safetensors")
        saved = flywheel.Session(flywheel.compile(FRUIT))
        saved.initialize(1)
        saved["pair"] = texts("", "wörd\0")
        saved["fruit"] = b"\xfe"
        saved.save(path)
        for configuration in IN_PROCESS:
            model = make("""
func.func @other() -> tensor<2x!train.string> {
  %0 = train.string_constant ["Other", "orange"] : tensor<2x!train.string>
  return %0 : tensor<2x!train.string>
}
""" + FRUIT, configuration)
            assert isinstance(model, SessionModel)
            model.session.restore(path)
            expect_texts(configuration, model["pair"], ["", "wörd\0"])
            expect_texts(configuration, model["filled"], [["a", ""], ["b\0c\udcff", "b\0c\udcff"]])
            expect_texts(configuration, model["zeros"], ["", "", ""])
            expect_texts(configuration, model["none"], [])
            assert model["fruit"].item() == "\udcfe"
        with safetensors.safe_open(path, "numpy") as file:
            expect_equal("bytes", file.get_tensor("pair:bytes"), np.frombuffer("wörd\0".encode(), np.uint8))
            expect_equal("lengths", file.get_tensor("pair:lengths"), np.array([0, 6]))
            assert file.get_tensor("fruit:lengths").shape == ()
        check_mismatches(path, saved)


def check_mismatches(path: str, saved: flywheel.Session) -> None:
    number = flywheel.Session(flywheel.compile("train.variable @pair : tensor<2xi64>\n"))
    expect_error("number", "checkpoint's dtype is string, the variable's is int64", lambda: number.restore(path), BAD)
    shape = flywheel.Session(flywheel.compile("train.variable @pair : tensor<3x!train.string>\n"))
    expect_error("shape", r"checkpoint's shape is \[2\], the variable's is \[3\]", lambda: shape.restore(path), BAD)
    key = flywheel.Session(flywheel.compile("train.variable @absent : tensor<3x!train.string>\n"))
    expect_error("key", "Key absent not found in checkpoint", lambda: key.restore(path), flywheel.NotFoundError)
    number["pair"] = np.zeros(2, np.int64)
    number.save(path)
    expect_error("string", "checkpoint's dtype is int64, the variable's is string",
                 lambda: saved.restore(path, ["pair"]), BAD)
    expect_texts("unchanged", saved["pair"], ["", "wörd\0"])
    import safetensors.numpy

    damaged = {"pair:bytes": np.zeros(3, np.uint8), "pair:lengths": np.array([2, 2])}
    safetensors.numpy.save_file(damaged, path)
    expect_error("short", "is not a valid checkpoint: pair has a string of length 2 where 1 bytes are left",
                 lambda: saved.restore(path, ["pair"]), flywheel.DataLossError)
    damaged["pair:lengths"] = np.array([1, 1])
    safetensors.numpy.save_file(damaged, path)
    expect_error("long", "1 bytes belong to no string", lambda: saved.restore(path, ["pair"]),
                 flywheel.DataLossError)
    expect_texts("unchanged", saved["pair"], ["", "wörd\0"])


def test_object_file() -> None:
    """V4, T6: a program in C sees the numbers of strings."""
    model = make(FRUIT, "object")
    model.initialize()
    strings = {entry["number"]: entry.get("text") for entry in model.manifest["strings"]}  # type: ignore[attr-defined]
    numbers = {text: number for number, text in strings.items()}
    assert strings[int(model["fruit"])] == "Orange"
    assert int(model.run("kiwi")) == numbers["Orange"] and int(model["fruit"]) == numbers["Kiwi"]
    same, _ = model.run("set", np.array([numbers["Fruit"], 1000]))
    expect_equal("same", same, np.array([True, False]))
    expect_equal("zeros", model["zeros"], np.zeros(3, np.int64))


run_tests([test_values, test_python, test_training, test_many, test_sharing, test_checkpoints, test_object_file])
