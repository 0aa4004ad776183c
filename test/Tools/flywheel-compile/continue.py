# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %src_root %t
"""Every stage's output can be given back, and gives the object that one run does (T3, T4)."""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import List

import flywheel
from selection import choose

ROOT, SCRATCH = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
STAGES = [name for name, _ in flywheel.stages()]


def run(*arguments: str) -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def chain(model: pathlib.Path, options: List[str]) -> bytes:
    """The object made in nine runs, each of one stage."""
    path = model
    for stage in STAGES:
        after = SCRATCH / f"{stage}.mlir"
        run("flywheel-compile", str(path), f"--emit={stage}", "--mlir-print-debuginfo", "-o", str(after), *options)
        path = after
        options = [option for option in options if not option.startswith("--model-name")]
    run("flywheel-compile", str(path), "-o", str(SCRATCH / "chain.o"))
    return (SCRATCH / "chain.o").read_bytes()


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
examples = sorted((ROOT / "examples").glob("*/*.mlir"))
assert len(examples) >= 6, examples
for example in choose("continue", examples, 0.35):
    options = ["--lowering=reference"] if example.stem in ("resnet", "transformer") else []
    run("flywheel-compile", str(example), "-o", str(SCRATCH / "direct.o"), *options)
    assert chain(example, options) == (SCRATCH / "direct.o").read_bytes(), example
    for extension in ("h", "json"):
        direct, chained = SCRATCH / f"direct.{extension}", SCRATCH / f"chain.{extension}"
        assert direct.read_text() == chained.read_text(), (example, extension)

# Options of a stage hold for the rest.
digits = ROOT / "examples" / "digits" / "digits.mlir"
options = ["--entries=train_step,predict", "--max-batch=48", "--memory-budget=1MiB", "--cpu=x86-64-v3",
           "--target-triple=x86_64-linux-gnu", "--model-name=other", "--lowering=reference"]
run("flywheel-compile", str(digits), "-o", str(SCRATCH / "direct.o"), *options)
assert chain(digits, options) == (SCRATCH / "direct.o").read_bytes()
assert (SCRATCH / "direct.h").read_text() == (SCRATCH / "chain.h").read_text()

# Elements that are a resource of the module go with it.
resource = SCRATCH / "resource.mlir"
resource.write_text('''func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense_resource<w> : tensor<4xf32>
  %y = arith.addf %x, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F000000400000404000008040" } } #-}
''')
run("flywheel-compile", str(resource), "-o", str(SCRATCH / "direct.o"))
assert chain(resource, []) == (SCRATCH / "direct.o").read_bytes()
for stage in STAGES:
    text = str(flywheel.lower(flywheel.load(resource), stop_after=stage))
    found = flywheel.Session(flywheel.compile(flywheel.parse(text))).run("f", [0, 0, 0, 0])
    assert found.tolist() == [1, 2, 3, 4], (stage, found)

# Without locations the messages name the printed module, and the numbers are the same; Python goes on too.
arguments = ["--entry=predict", "--feed", "image=random:3x64"]
predicted = run("flywheel-run", str(digits), *arguments)
for stage in STAGES:
    after = SCRATCH / "plain.mlir"
    run("flywheel-compile", str(digits), f"--emit={stage}", "-o", str(after))
    assert run("flywheel-run", str(after), *arguments) == predicted, stage
    assert flywheel.compile(after).name == "digits"
    lowered = flywheel.lower(flywheel.load(digits), stop_after=stage)
    program = flywheel.compile(lowered)
    assert program.name == "digits" and len(program.stage_times) < len(STAGES) + 5
    assert str(flywheel.lower(lowered, stop_after=stage)) == str(lowered), stage
