# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %src_root
"""The module's description of a program (T1, T9, V15): modules, specs, stages."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any, cast

import numpy as np

import flywheel

FLOAT = np.dtype("float32")
path = os.path.join(sys.argv[1], "examples", "digits", "digits.mlir")

module = flywheel.load(path)
text = str(module)
assert "train.variable @hidden_w" in text and repr(module) == "<flywheel.ModuleOp @digits>"
# T1: what is printed parses to what is printed.
assert str(flywheel.parse(text)) == text

stages = [name for name, _ in flywheel.stages()]
assert stages[0] == "flywheel-expand" and stages[-1] == "flywheel-llvm"
expanded = str(flywheel.lower(module, stop_after="flywheel-expand"))
assert "train.minimize" in text and "train.minimize" not in expanded

# A module can be compiled again: compiling leaves it as it is.
for lowering in ("reference", "optimized"):
    program = flywheel.compile(module, lowering=lowering)
    assert str(module) == text
    assert program.name == "digits"
    assert [name for name, _ in program.stage_times][:len(stages)] == stages
    assert all(seconds >= 0 for _, seconds in program.stage_times)
assert flywheel.compile(path, model_name="other").name == "other"

variables = {variable.name: variable for variable in program.variables}
weight, slot = variables["hidden_w"], variables["hidden_w/SGD"]
assert (weight.shape, weight.dtype, weight.trainable, weight.slot_of) == ((64, 128), FLOAT, True, None)
assert (slot.shape, slot.slot_of, slot.nbytes) == ((64, 128), "hidden_w", 64 * 128 * 4)
assert weight.offset % 64 == 0 and program.state_bytes >= slot.offset + slot.nbytes

step = program.entries[0]
assert step.name == "train_step" and step.symbols == ["batch"]
assert [(feed.name, feed.dtype, feed.shape) for feed in step.feeds] == [
    ("image", FLOAT, ("batch", 64)), ("label", np.dtype("int32"), ("batch",))]
assert [(result.name, result.shape) for result in step.results] == [("loss", ())]
assert "hidden_w/SGD" in step.writes and "SGD/lr" in step.reads
assert step.workspace_bytes(batch=64) <= step.workspace_bytes(batch=1024)
manifest = json.loads(program.manifest(max_dim_size=64))
assert manifest["model"] == "digits" and manifest["max_dim_size"] == 64

# Several results; a session that outlives the names of what it was made from.
session = flywheel.Session(program)
assert list(session) == session.variables and len(session) == len(session.variables)
del program, module
session.initialize(1)
image, label = np.ones((3, 64), np.float32), np.array([1, 2, 3], np.int32)
loss, correct = session.run("eval", image=image, label=label)
assert loss.dtype == np.float32 and correct.dtype == np.int32 and correct.shape == ()
probabilities = session.entry("predict")(image)
assert probabilities.shape == (3, 10) and np.allclose(probabilities.sum(1), 1)
out = (np.empty((), np.float32), np.empty((), np.int32))
assert session.entry("eval")(image, label, out=out)[0] is out[0] and out[0] == loss
assert repr(session.entry("predict")).startswith("<flywheel.Entry predict(image: float32(?, 64))")

# An entry keeps its session; nothing is lost when names go away.
entry = flywheel.Session(flywheel.compile(path)).entry("predict")
try:
    entry(image)
except flywheel.FailedPreconditionError as error:
    assert "Attempting to use uninitialized value hidden_w" in str(error)
else:
    raise AssertionError("expected an error")

for source, kind, words in (
        (os.path.join(os.path.dirname(path), "nope.mlir"), FileNotFoundError, "nope.mlir"),
        ("module {\n", flywheel.CompileError, "<string>:1:9: error:")):
    try:
        flywheel.compile(source)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"expected {kind.__name__}")
try:
    flywheel.compile(path, lowering="fast")
except ValueError as error:
    assert "lowering: expected optimized or reference" in str(error)
assert "nn.matmul" in flywheel.derivative_rules()

# A model without a name has that of its file, in checkpoints too, whichever front end compiles it.
with tempfile.TemporaryDirectory() as folder:
    nameless, other = os.path.join(folder, "nameless.mlir"), os.path.join(os.fsencode(folder), b"\xff.mlir")
    for file in (nameless, other):
        with open(file, "w") as stream:
            stream.write("train.variable @x : tensor<f32> = dense<1.0> : tensor<f32>\n")
    assert flywheel.compile(nameless).name == flywheel.compile(flywheel.load(nameless)).name == "nameless"
    assert flywheel.compile(nameless, model_name="given").name == "given"
    with open(nameless) as stream:
        assert flywheel.compile(stream.read() + "\n").name == "model"
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
    session = flywheel.Session(flywheel.compile(nameless))
    session.initialize()
    session.save(ours)
    subprocess.run(["flywheel-run", nameless, f"--save={theirs}"], check=True)
    with open(ours, "rb") as one, open(theirs, "rb") as two:
        assert b'"model":"nameless"' in one.read() and b'"model":"nameless"' in two.read()
    # A path need not be text; a name is.
    assert flywheel.compile(other).name == "\N{REPLACEMENT CHARACTER}"

    # An argument that is empty is not one that was left out.
    for arguments in ({"freeze": ""}, {"freeze": b""}, {"model_name": ""}):
        try:
            flywheel.compile(nameless, **arguments)
        except ValueError as error:
            assert "found an empty one" in str(error), error
        else:
            raise AssertionError(f"expected an error for {arguments}")

# So are seeds, and none is negative.
for seed, text in ((-1, "found -1"), (2**64, f"found {2**64}"), ("1", "str")):
    for initialize in (session.initialize, session.initialize_missing):
        try:
            initialize(cast(Any, seed))
        except (TypeError, ValueError) as error:
            assert isinstance(error, TypeError) == isinstance(seed, str) and text in str(error), error
        else:
            raise AssertionError(f"expected an error for the seed {seed!r}")
session.initialize(np.uint64(2**64 - 1))

# Dimension sizes are integers.
for dim_size, expected in (("1", TypeError), (1.5, TypeError), (2**63, OverflowError)):
    try:
        step.workspace_bytes(batch=cast(Any, dim_size))
    except (TypeError, OverflowError) as error:
        assert type(error) is expected, error
        continue
    raise AssertionError(f"expected {expected.__name__}")
assert step.workspace_bytes(batch=np.int32(64)) == step.workspace_bytes(batch=64)
