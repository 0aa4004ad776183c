# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Checkpoints (P1 to P10, P14), and files shared with the safetensors package."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import safetensors
import safetensors.numpy

import flywheel
from configurations import expect_close, expect_equal, expect_error, run_tests

PAIR = """
train.variable @v1 : tensor<3xf32>
train.variable @v2 : tensor<5xf32>
"""

# R5: momentum on x^2 / 2.
MOMENTUM = """
train.variable @x : tensor<f32> = #train.constant<dense<1.0> : tensor<f32>>
train.variable @noise : tensor<4xf32> = #train.random_normal {trainable = false}
func.func @step() {
  %x = train.read @x : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %square = arith.mulf %x, %x : tensor<f32>
  %loss = arith.mulf %square, %half : tensor<f32>
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
  return
}
"""


@contextmanager
def folder() -> Iterator[str]:
    """The working directory is a new one."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        try:
            yield path
        finally:
            os.chdir(before)


def make_pair(value1: float = 1, value2: float = -1) -> flywheel.Session:
    session = flywheel.Session(flywheel.compile(PAIR))
    session["v1"] = np.full(3, value1, np.float32)
    session["v2"] = np.full(5, value2, np.float32)
    return session


def test_save_restore() -> None:
    """P1, P3, P4."""
    with folder():
        make_pair().save("model")
        fresh = flywheel.Session(flywheel.compile(PAIR))
        fresh.restore("model")
        expect_equal("v1", fresh["v1"], np.ones(3, np.float32))
        expect_equal("v2", fresh["v2"], -np.ones(5, np.float32))
        other = flywheel.Session(flywheel.compile(PAIR))
        other.restore("model", ["v2"])
        assert other.report_uninitialized() == ["v1"]
        expect_error("no value", "Attempting to use uninitialized value v1", lambda: other.save("x"),
                     flywheel.FailedPreconditionError)
        other["v1"] = np.zeros(3, np.float32)
        other.restore("model", {"v2": "v2"})
        expect_equal("v1 stays", other["v1"], np.zeros(3, np.float32))
        assert not os.path.exists("x")


def test_selection() -> None:
    """P2: lists, dicts from keys to variables, nothing, duplicates."""
    session = make_pair()
    invalid = flywheel.InvalidArgumentError
    with folder():
        session.save("model", {"a/b": "v1"}, metadata={"epoch": "3"})
        with safetensors.safe_open("model", "np") as file:
            assert list(file.keys()) == ["a/b"] and file.metadata()["epoch"] == "3"
        fresh = flywheel.Session(flywheel.compile(PAIR))
        fresh.restore("model", {"a/b": "v1"})
        expect_equal("renamed", fresh["v1"], session["v1"])
        # An error of a renamed variable names it and its key, and what both are.
        expect_error("renamed shape", r"can't restore variable 'v2' from key 'a/b' of checkpoint 'model': "
                     r"the checkpoint's shape is \[3\], the variable's is \[5\]",
                     lambda: fresh.restore("model", {"a/b": "v2"}), invalid)
        expect_error("renamed elements", r"variable 'v2' from key 'a/b' .*\[3\].*\[5\], which has another number",
                     lambda: fresh.restore("model", {"a/b": "v2"}, reshape=True), invalid)
        expect_error("renamed key", "Key q not found in checkpoint 'model', which variable 'v2' is restored from",
                     lambda: fresh.restore("model", {"q": "v2"}), flywheel.NotFoundError)
        typed = flywheel.Session(flywheel.compile("train.variable @i : tensor<3xi32>\n"))
        expect_error("renamed dtype", "variable 'i' from key 'a/b' .*dtype is float32, the variable's is int32",
                     lambda: typed.restore("model", {"a/b": "i"}), invalid)
        expect_error("nothing", "No variables to save", lambda: session.save("m", []), invalid)
        expect_error("twice", "'v1' is given twice", lambda: session.save("m", ["v1", "v1"]), invalid)
        expect_error("one key", "duplicate key|given twice",
                     lambda: session.save("m", {"a": "v1", "b": "v1"}), invalid)
        expect_error("empty key", "the key of variable 'v1' is empty", lambda: session.save("m", {"": "v1"}), invalid)
        expect_error("a str", "expected a sequence", lambda: session.save("m", "v1"), invalid)
        expect_error("unknown", "no variable 'v3'", lambda: session.save("m", ["v3"]), flywheel.NotFoundError)
        empty = flywheel.Session(flywheel.compile("func.func @f() {\n  return\n}\n"))
        expect_error("no variables", "No variables to save", lambda: empty.save("m"), invalid)
        assert os.listdir() == ["model"]


def test_types() -> None:
    """An argument that is not a path, a name or a step is a TypeError; one of another type that can be one works."""
    session = make_pair()
    manager = flywheel.CheckpointManager()
    anything = cast(Any, session)
    with folder():
        for what, action in (
                ("path", lambda: anything.save(3)),
                ("name", lambda: anything.save("m", [3])),
                ("bytes", lambda: anything.save("m", b"v1")),
                ("names", lambda: anything.save("m", 3)),
                ("key", lambda: anything.save("m", {3: "v1"})),
                ("value", lambda: anything.save("m", {"v1": 3})),
                ("metadata", lambda: anything.save("m", metadata={"a": 3})),
                ("restore", lambda: anything.restore("m", [None])),
                ("step", lambda: manager.save(session, "m", cast(Any, "1"))),
                ("directory", lambda: flywheel.latest_checkpoint(cast(Any, 3))),
                ("file", lambda: flywheel.load(cast(Any, [])))):
            expect_error(what, "", action, TypeError)
        expect_error("what", "expected a str as a value of the metadata, found int",
                     lambda: anything.save("m", metadata={"a": 3}))
        expect_error("large", "too large|too big", lambda: manager.save(session, "m", 2**63), OverflowError)
        expect_error("null", "null byte", lambda: session.save("m\0n"), ValueError)
        expect_error("surrogate", "surrogates", lambda: session.save("m", ["\udcff"]), UnicodeEncodeError)
        assert os.listdir() == []
        for path in (b"bytes", Path("path"), os.fsdecode(b"\xff")):
            session.save(path)
            make_pair(2).restore(path)
        assert sorted(os.listdir(b".")) == [b"bytes", b"path", b"\xff"]


def test_path_bytes() -> None:
    """Paths that are not text, in results and in messages."""
    session = make_pair()
    manager = flywheel.CheckpointManager()
    name = os.fsdecode(b"\xff-1")
    with folder():
        assert manager.save(session, b"\xff", 1) == name
        assert flywheel.latest_checkpoint(".") == f"./{name}"
        state = flywheel.get_checkpoint_state(b".")
        assert state is not None and os.path.basename(state.model_checkpoint_path) == name
        assert state.all_model_checkpoint_paths == [state.model_checkpoint_path]
        assert session.restore_latest(".")
        os.remove(name)
        expect_error("gone", r"\./\\xff-1' is not a valid checkpoint", lambda: session.restore_latest("."),
                     flywheel.NotFoundError)


def test_errors() -> None:
    """P5: what differs is named, and nothing changes."""
    session = make_pair()
    invalid, missing = flywheel.InvalidArgumentError, flywheel.NotFoundError
    with folder():
        session.save("model")
        changed = flywheel.Session(flywheel.compile(
            "train.variable @v2 : tensor<5x1xf32>\ntrain.variable @v1 : tensor<3xf64>\n"
            "train.variable @v3 : tensor<f32>\n"))
        for what, pattern, action, error in (
                ("key", "Key v3 not found in checkpoint", lambda: changed.restore("model", ["v3"]), missing),
                ("shape", r"\[5\].*\[5,1\]", lambda: changed.restore("model", ["v2"]), invalid),
                ("dtype", "float32.*float64", lambda: changed.restore("model", ["v1"]), invalid),
                ("all", "can't restore v2|Key v3", lambda: changed.restore("model"), (invalid, missing)),
                ("no file", "not a valid checkpoint", lambda: changed.restore("none"), missing),
                ("None", "Can't load save_path when it is None", lambda: changed.restore(None), invalid),
                ("parent", "Parent directory of no/model doesn't exist, can't save",
                 lambda: session.save("no/model"), flywheel.FailedPreconditionError)):
            expect_error(what, pattern, action, cast(Any, error))
        assert len(changed.report_uninitialized()) == 3
        changed.restore("model", ["v2"], reshape=True)
        expect_equal("reshaped", changed["v2"], -np.ones((5, 1), np.float32))


def test_manager() -> None:
    """P6, P7, P8."""
    session = make_pair()
    with folder():
        manager = flywheel.CheckpointManager()
        assert flywheel.latest_checkpoint(".") is None and flywheel.get_checkpoint_state(".") is None
        for step in range(0, 10000, 1000):
            assert manager.save(session, "model", step) == f"model-{step}"
        kept = [f"model-{step}" for step in range(5000, 10000, 1000)]
        assert sorted(os.listdir()) == ["checkpoint", *kept]
        state = flywheel.get_checkpoint_state(os.getcwd())
        assert state is not None
        assert state.all_model_checkpoint_paths == [os.path.join(os.getcwd(), name) for name in kept]
        assert len(state.all_model_checkpoint_timestamps) == 5 and state.last_preserved_timestamp is not None
        assert flywheel.latest_checkpoint("") == "model-9000" == os.path.basename(state.model_checkpoint_path)
        # A step may be any integer; without one the prefix is the name.
        assert manager.save(session, "model", cast(Any, np.array(3, np.int64))) == "model-3"
        assert manager.save(session, "model") == "model"
        padded = flywheel.CheckpointManager(max_to_keep=None, pad_step_number=True, state_file="other")
        assert padded.save(session, "model", 42) == "model-00000042"
        assert flywheel.latest_checkpoint(".", "other") == "./model-00000042"
        expect_error("components", "must not contain path components",
                     lambda: flywheel.CheckpointManager(state_file="a/b"), flywheel.InvalidArgumentError)
        expect_error("collision", "the state file has that name", lambda: manager.save(session, "checkpoint"),
                     flywheel.InvalidArgumentError)
        expect_error("parent", "Parent directory of no/model doesn't exist, can't save",
                     lambda: manager.save(session, "no/model", 7), flywheel.FailedPreconditionError)


def test_load_or_init() -> None:
    """P9: also where the directory has moved to."""
    with folder():
        os.mkdir("old")
        session = flywheel.Session(flywheel.compile(MOMENTUM))
        session.initialize(1)
        assert not session.restore_latest("old")
        session.run("step")
        flywheel.CheckpointManager().save(session, "old/model", 1)
        shutil.move("old", "new")
        other = flywheel.Session(flywheel.compile(MOMENTUM))
        other.initialize(2)
        assert other.restore_latest("new") and not other.restore_latest("old")
        for name in session.variables:
            expect_equal(name, other[name], session[name])
        os.remove("new/model-1")
        expect_error("gone", "not a valid checkpoint", lambda: other.restore_latest("new"),
                     flywheel.NotFoundError)


def test_resume() -> None:
    """P10: step 3 after a restore is step 3; so is the next initialisation."""
    program = flywheel.compile(MOMENTUM)
    one, two = flywheel.Session(program), flywheel.Session(program)
    with folder():
        one.initialize(5)
        one.run("step")
        one.run("step")
        one.save("model")
        two.restore("model")
    for expected in (0.486, 0.2268):
        for session in (one, two):
            session.run("step")
            expect_close("x", session["x"], np.float32(expected))
        expect_equal("bits", two["x"], one["x"])
    for session in (one, two):
        session.initialize(5)
    for name in program.variables:
        expect_equal(name.name, two[name.name], one[name.name])


def test_inference() -> None:
    """P14: a program without the optimizer restores from a training checkpoint."""
    training = flywheel.Session(flywheel.compile(MOMENTUM))
    training.initialize(1)
    training.run("step")
    assert len(training.variables) > 2
    text = "train.variable @x : tensor<f32>\nfunc.func @get() -> tensor<f32> {\n" \
        "  %x = train.read @x : tensor<f32>\n  return %x : tensor<f32>\n}\n"
    inference = flywheel.Session(flywheel.compile(text))
    with folder():
        training.save("model")
        inference.restore("model")
    expect_equal("x", inference.run("get"), training["x"])


DTYPES = {"i1": bool, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
          "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def test_safetensors_package() -> None:
    """P11: the package reads our files, and we read its."""
    text = "".join(f"train.variable @v_{name} : tensor<2x3x{name}>\n" for name in DTYPES)
    session = flywheel.Session(flywheel.compile(text))
    values = {f"v_{name}": np.arange(6).reshape(2, 3).astype(dtype) for name, dtype in DTYPES.items()}
    for name, value in values.items():
        session[name] = value
    with folder():
        session.save("ours")
        with safetensors.safe_open("ours", "np") as file:
            assert file.metadata()["flywheel_format"] == "1"
            for name, value in values.items():
                # NumPy's own dtypes are all that the package returns.
                if value.dtype != ml_dtypes.bfloat16:
                    expect_equal(name, file.get_tensor(name), value)
        safetensors.numpy.save_file(values, "theirs")
        other = flywheel.Session(flywheel.compile(text))
        other.restore("theirs")
        for name, value in values.items():
            expect_equal(name, other[name], value)


run_tests([test_save_restore, test_selection, test_types, test_path_bytes, test_errors, test_manager,
           test_load_or_init, test_resume, test_inference, test_safetensors_package])
