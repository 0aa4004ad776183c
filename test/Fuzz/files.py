# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s --compiler %host_cc
"""Damaged files: checkpoints, state files, datasets and bytecode.

The runtime reads them in a program of its own, which is built with sanitizers
where the build has them (the target `sanitized-runtime`); the compiler and a
session read them in this process. A file is read or refused; what an error left
must be as before.
"""

import argparse
import copy
import json
import os
import shutil
import struct
import subprocess
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import harness
from harness import FOLDER, ROOT, Case, Failure, Fuzzer, Outcome, Report, Rng, choose, clean_refusal

NUMBERS: List[Any] = [
    0,
    -1,
    1,
    2,
    7,
    1 << 31,
    1 << 32,
    1 << 53,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
    1 << 64,
    -(1 << 63),
    1e300,
    -0.0,
    0.5,
    10**40,
]
VALUES: List[Any] = [
    None,
    True,
    "",
    "F32",
    "\x00",
    "\ud800",
    "é" * 50,
    [],
    {},
    [[]],
    [0] * 300,
    {"dtype": "F32"},
    *NUMBERS,
]
DTYPES = ["F32", "F64", "I64", "U8", "BOOL", "BF16", "F16", "F8_E4M3", "C64", "f32", ""]
STATE = """model_checkpoint_path: "model-2"
all_model_checkpoint_paths: "model-1"
all_model_checkpoint_paths: "model-2"
all_model_checkpoint_timestamps: 1700000000.5
all_model_checkpoint_timestamps: 1700000009.25
last_preserved_timestamp: 1700000000.25
"""
MODEL = """train.variable @w : tensor<3x4xf32> = #train.ones
train.variable @"scope/step" : tensor<i64> = #train.zeros
train.variable @mask : tensor<5xi1> = #train.zeros
train.variable @half : tensor<7xbf16> = #train.zeros
train.variable @names : tensor<2x!train.string> = #train.zeros
func.func @predict(%x: tensor<?x3xf32>) -> tensor<?x4xf32> {
  %w = train.read @w : tensor<3x4xf32>
  %y = nn.matmul %x, %w : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @count() -> tensor<i64> {
  %n = train.read @"scope/step" : tensor<i64>
  return %n : tensor<i64>
}
"""


def change_bytes(data: bytes, rng: Rng) -> bytes:
    """Truncated, with flipped bits, bytes of other places, or longer."""
    action = int(rng.integers(6))
    if action == 0 or not data:
        return data[: int(rng.integers(len(data) + 1))]
    if action == 1:
        return data + rng.bytes(int(rng.integers(1, 200)))
    changed = bytearray(data)
    if action == 2:
        start, size = int(rng.integers(len(data))), int(rng.integers(1, 40))
        del changed[start : start + size]
    elif action == 3:
        start, source = (int(x) for x in rng.integers(len(data), size=2))
        changed[start : start + 8] = data[source : source + 8]
    else:
        for _ in range(int(rng.geometric(0.3))):
            changed[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def places(value: Any, path: Tuple[Any, ...] = ()) -> List[Tuple[Any, ...]]:
    """Paths of everything within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    return [path, *(inner for key, item in items for inner in places(item, (*path, key)))]


def change_json(value: Any, rng: Rng) -> Any:
    """Something within is another value, goes, or has another key."""
    path = choose(rng, places(value)[1:] or [()])
    if not path:
        return copy.deepcopy(choose(rng, VALUES))
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    old, action = holder[path[-1]], int(rng.integers(5))
    if action == 0:
        del holder[path[-1]]
    elif action == 1 and isinstance(holder, dict):
        # No value is part of itself.
        name = choose(rng, ["w", "names", "names:bytes", "__metadata__", "dtype", "", "a" * 3000])
        holder[name] = copy.deepcopy(old)
    elif action == 2 and isinstance(old, (int, float)):
        holder[path[-1]] = choose(rng, NUMBERS) if rng.integers(2) else old + int(rng.integers(-3, 4))
    elif action == 3 and isinstance(old, str):
        holder[path[-1]] = choose(rng, DTYPES)
    else:
        holder[path[-1]] = copy.deepcopy(choose(rng, VALUES))
    return value


def change_checkpoint(data: bytes, rng: Rng) -> bytes:
    """A header that is JSON of another meaning, of the right length or not; or
    other bytes."""
    if rng.integers(3) == 0:
        return change_bytes(data, rng)
    (size,) = struct.unpack("<Q", data[:8])
    value = json.loads(data[8 : 8 + size])
    for _ in range(int(min(4, rng.geometric(0.6)))):
        if isinstance(value, (dict, list)):
            value = change_json(value, rng)
    header = json.dumps(value, ensure_ascii=bool(rng.integers(2)))
    if rng.integers(40) == 0:
        depth = int(rng.choice([100, 20000]))
        header = header[:-1] + ', "deep": ' + choose(rng, ["[", '{"a":']) * depth
    if rng.integers(10) == 0:
        header = header.replace('"w"', choose(rng, ['"half"', '"\\u0000"', '"\\ud800"', "w"]))
    encoded = header.encode("utf-8", "surrogatepass")
    encoded += b" " * (-len(encoded) % 8 if rng.integers(4) else 0)
    length = len(encoded) if rng.integers(12) else abs(int(choose(rng, NUMBERS))) & ((1 << 64) - 1)
    return struct.pack("<Q", length) + encoded + data[8 + size :]


def change_state(data: bytes, rng: Rng) -> bytes:
    words = [
        b"",
        b'"',
        b"\\",
        b"\\x41",
        b"\\777",
        b"\n",
        b"{",
        b": ",
        b"1e400",
        b"nan",
        b"-",
        b"/etc/passwd",
        b"model-1",
        b'"model-2"',
        b"#",
        b"\x00",
        b"all_model_checkpoint_paths",
        b"9" * 400,
        b"unknown: 1\n",
    ]
    if rng.integers(3) == 0:
        return change_bytes(data, rng)
    for _ in range(int(rng.geometric(0.4))):
        start = int(rng.integers(len(data) + 1))
        data = data[:start] + choose(rng, words) + data[start + int(rng.integers(8)) :]
    return data


class Files(Fuzzer):
    """Damaged files."""

    name = "files"
    # A sanitizer reserves all addresses.
    megabytes = 0
    can_minimize = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--compiler", default="cc", help="C compiler, for a build without sanitizers")

    def take_options(self, options: argparse.Namespace) -> None:
        self.compiler = options.compiler

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel
        self.folder = tempfile.TemporaryDirectory()
        self.reader, self.tool = self.build(self.folder.name)
        base = os.path.join(self.folder.name, "base")
        subprocess.run([self.reader, "write", base], check=True)
        with open(base, "rb") as file:
            self.checkpoint = file.read()
        with open(base + ".mlir", "w") as text:
            text.write(MODEL)
        self.bytecode = subprocess.run(
            ["flywheel-opt", base + ".mlir", "--emit-bytecode"], check=True, stdout=subprocess.PIPE
        ).stdout
        # The program is made once and inherited by each child.
        self.program = flywheel.compile(MODEL, lowering="reference", opt_level=0)
        self.kinds: Dict[str, Callable[[str], Outcome]] = {
            "checkpoint": self.read_checkpoint,
            "state": self.read_state,
            "tool": self.show,
            "session": self.restore,
            "freeze": self.freeze,
            "bytecode": self.load,
        }

    def build(self, folder: str) -> Tuple[str, str]:
        """The reader and flywheel-checkpoint, with sanitizers where the build has
        them."""
        build = os.path.dirname(os.path.dirname(shutil.which("flywheel-opt") or ""))
        sanitized = os.path.join(build, "sanitized")
        flags, root, compiler = [], build, self.compiler
        # Written last.
        if os.path.exists(os.path.join(sanitized, "compiler")):
            with open(os.path.join(sanitized, "compiler")) as file:
                compiler = file.read().strip()
            flags, root = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"], sanitized
        print(f"files: the runtime of {os.path.relpath(root, ROOT)}")
        reader = os.path.join(folder, "read_files")
        subprocess.run(
            [
                compiler,
                "-std=c11",
                "-D_GNU_SOURCE",
                *flags,
                "-I" + os.path.join(ROOT, "include"),
                os.path.join(FOLDER, "Inputs", "read_files.c"),
                os.path.join(root, "lib", "libflywheel_runtime.a"),
                "-lstdc++",
                "-lm",
                "-o",
                reader,
            ],
            check=True,
        )
        return reader, os.path.join(root, "bin", "flywheel-checkpoint")

    def make(self, rng: Rng) -> Case:
        kind = choose(
            rng, ["checkpoint", "checkpoint", "checkpoint", "state", "state", "tool", "session", "freeze", "bytecode"]
        )
        if kind == "state":
            data = change_state(STATE.encode(), rng)
        elif kind == "bytecode":
            data = change_bytes(self.bytecode, rng)
        else:
            data = change_checkpoint(self.checkpoint, rng)
        return Case(data.hex(), kind)

    def check(self, case: Case, report: Report) -> Outcome:
        report(case.detail)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "checkpoint" if case.detail == "state" else "model-2")
            with open(path, "wb") as file:
                file.write(bytes.fromhex("".join(case.text.split())))
            return self.kinds[case.detail](path)

    def spawn(self, *command: str) -> Outcome:
        environment = {
            **os.environ,
            "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=4096",
        }
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        )
        said = result.stdout.decode(errors="replace")
        if result.returncode < 0:
            return Outcome("failed", harness.describe_end(-result.returncode, said) + "\n" + said)
        if "Sanitizer" in said or "runtime error" in said:
            return Outcome("failed", said)
        return Outcome("refused" if result.returncode else "passed", said)

    def read_checkpoint(self, path: str) -> Outcome:
        outcome = self.spawn(self.reader, "checkpoint", path)
        return outcome if outcome.kind == "passed" else Outcome("failed", outcome.message)

    def read_state(self, path: str) -> Outcome:
        folder = os.path.dirname(path)
        for name in ("model-1", "model-2"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(self.checkpoint)
        self.flywheel.get_checkpoint_state(folder)
        self.flywheel.latest_checkpoint(folder)
        self.spawn(self.tool, "--state", folder)
        outcome = self.spawn(self.reader, "state", folder)
        return outcome if outcome.kind == "passed" else Outcome("failed", outcome.message)

    def show(self, path: str) -> Outcome:
        return self.spawn(self.tool, path, "--values")

    def restore(self, path: str) -> Outcome:
        session = self.flywheel.Session(self.program)
        session.initialize(1)
        before = {name: session[name].copy() for name in session.variables}
        try:
            session.restore(path)
        except (
            self.flywheel.DataLossError,
            # A checkpoint of another version of the format.
            self.flywheel.FailedPreconditionError,
            self.flywheel.NotFoundError,
            self.flywheel.InvalidArgumentError,
        ) as error:
            if "model-2" not in str(error):
                raise Failure(f"an error without the file: {error}") from error
            for name, value in before.items():
                if not np.array_equal(value, session[name]):
                    raise Failure(f"an error has changed {name}: {error}") from error
            return Outcome("refused", str(error))
        session.run("predict", np.ones((2, 3), np.float32))
        return Outcome("passed")

    def freeze(self, path: str) -> Outcome:
        try:
            program = self.flywheel.compile(MODEL, lowering="reference", opt_level=0, freeze=path)
        except self.flywheel.CompileError as error:
            return clean_refusal(str(error))
        self.flywheel.Session(program).run("predict", np.ones((2, 3), np.float32))
        return Outcome("passed")

    def load(self, path: str) -> Outcome:
        try:
            module = self.flywheel.load(path)
            self.flywheel.compile(module, lowering="reference", opt_level=0)
        except self.flywheel.CompileError as error:
            text = str(error)
            return clean_refusal(text) if harness.INTERNAL_WORDS.search(text) else Outcome("refused", text)
        return Outcome("passed")


if __name__ == "__main__":
    harness.main(Files(), cases=900)
