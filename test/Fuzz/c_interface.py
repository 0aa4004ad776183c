# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s --compiler %host_cc
"""C programs that misuse the functions of a model: in any order, on blocks that
were never initialised, with null pointers, misaligned blocks, sizes below and above
the bounds, unknown names, numbers that are none, damaged paths, and from threads.

Inputs/misuse.h judges each call: a status that is an error where the interface says
so, and nothing changed by it.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from typing import Callable, List, Union

import harness
from harness import FOLDER, ROOT, Case, Fuzzer, Outcome, Report, Rng, choose

BATCHES: List[Union[int, str]] = [-1, 0, 1, 3, 8, 9, "INT64_MIN", "INT64_MAX", 1 << 32]
NAMES = ['"w"', '"w"', '"n"', '"name"', '"Adam/lr"', '"nothing"', '""', "NULL", '"W"']
SEEDS = ["0", "1", "UINT64_MAX"]
PATHS = ['"ckpt"', '"ckpt"', "NULL", '""', '"missing/ckpt"', '"."']


class Program:
    """Lines of a main function."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.lines: List[str] = []

    def block(self) -> str:
        """Mostly a block, sometimes none or one in a wrong place."""
        return choose(
            self.rng, ["blocks[0]"] * 6 + ["blocks[1]"] * 3 + ["NULL", "(misuse_state *)((char *)blocks[2] + 8)"]
        )

    def expect(self, block: str, condition: str) -> str:
        """1 where the condition holds and the block is one, 0 otherwise."""
        return f"({condition})" if block.startswith("blocks") else "0"

    def maybe_null(self, name: str) -> str:
        return name if self.rng.integers(15) else "NULL"

    def attempt(self, block: str, expected: str, call: str) -> None:
        self.lines.append(f"TRY({block}, {expected}, {call});")

    def init(self) -> None:
        s = self.block()
        self.attempt(s, self.expect(s, "1"), f"misuse_init({s}, {choose(self.rng, SEEDS)})")

    def init_some(self) -> None:
        s, which = self.block(), self.maybe_null("select")
        self.lines.append(f"memset(select, 0, sizeof(select)); select[{int(self.rng.integers(9))}] = 1;")
        self.attempt(
            s,
            "0" if which == "NULL" else self.expect(s, "-1"),
            f"misuse_init_some({s}, {choose(self.rng, SEEDS)}, {which})",
        )

    def init_variable(self) -> None:
        s, name = self.block(), choose(self.rng, NAMES)
        self.attempt(
            s, self.expect(s, f"misuse_find_variable({name}) < 0 ? 0 : -1"), f"misuse_init_variable({s}, 1, {name})"
        )

    def init_collection(self) -> None:
        s = self.block()
        name = choose(self.rng, ['"GLOBAL"', '"TRAINABLE"', '"nothing"', '""'])
        self.attempt(s, self.expect(s, "-1"), f"misuse_init_collection({s}, 1, {name})")

    def step(self) -> None:
        s, batch = self.block(), choose(self.rng, BATCHES)
        fine = isinstance(batch, int) and 1 <= batch <= 8
        bad_label = self.rng.integers(5) == 0
        index, value = int(self.rng.integers(8)), choose(self.rng, [-1, 4, "INT32_MAX", "INT32_MIN"])
        self.lines.append(f"memset(label, 0, sizeof(label)); label[{index}] = {value if bad_label else 3};")
        self.lines.append(
            f"x[{int(self.rng.integers(64))}] = {choose(self.rng, ['NAN', 'INFINITY', '1e30f', '0.5f', '-1.0f'])};"
        )
        arguments = [self.maybe_null(name) for name in ("x", "label", "&rate", "&loss", "y")]
        wrong = not fine or "NULL" in arguments or (bad_label and isinstance(batch, int) and index < batch)
        expected = "-1" if batch == 0 else "0" if wrong else "trainable(blocks[0])".replace("blocks[0]", s)
        self.attempt(
            s, self.expect(s, expected), f"misuse_step({s}, {arguments[0]}, {batch}, {', '.join(arguments[1:])})"
        )

    def predict(self) -> None:
        s, batch = self.block(), choose(self.rng, BATCHES)
        source, target = self.maybe_null("x"), self.maybe_null("y")
        fine = isinstance(batch, int) and 1 <= batch <= 8 and "NULL" not in (source, target)
        expected = "-1" if batch == 0 else f'ready({s}, "w")' if fine else "0"
        self.attempt(s, self.expect(s, expected), f"misuse_predict({s}, {source}, {batch}, {target})")

    def say(self) -> None:
        s, source, target = self.block(), self.maybe_null("&text"), self.maybe_null("&text")
        self.lines.append(f"text = {choose(self.rng, ['0', '1', '-1', 'INT64_MAX', '77'])};")
        expected = "0" if "NULL" in (source, target) else f'ready({s}, "name") ? -1 : 0'
        self.attempt(s, self.expect(s, expected), f"misuse_say({s}, {source}, {target})")

    def set_variable(self) -> None:
        s, name, data = self.block(), choose(self.rng, NAMES), self.maybe_null("x")
        size = choose(self.rng, ["48", "48", "8", "4", "0", "SIZE_MAX"])
        found = f"misuse_find_variable({name})"
        fits = f"{found} >= 0 && misuse_variables()[{found}].bytes == {size} && {data} != NULL && misuse_is_valid({s})"
        if s.startswith("(") or name == '"name"':  # Documented: any content.
            return
        self.attempt(s, self.expect(s, fits), f"misuse_set_variable({s}, {name}, {data}, {size})")

    def get_variable(self) -> None:
        s, name, data = self.block(), choose(self.rng, NAMES), self.maybe_null("y")
        size = choose(self.rng, ["48", "48", "8", "4", "0", "SIZE_MAX"])
        found = f"misuse_find_variable({name})"
        fits = f"{found} >= 0 && misuse_variables()[{found}].bytes == {size} && {data} != NULL && ready({s}, {name})"
        if not s.startswith("("):
            self.attempt(s, self.expect(s, fits), f"misuse_get_variable({s}, {name}, {data}, {size})")

    def look(self) -> None:
        s, name = self.block(), choose(self.rng, NAMES)
        if s.startswith("("):
            return
        self.lines.append(
            choose(
                self.rng,
                [
                    f'printf("%s\\n", misuse_last_error({s}));',
                    f"misuse_is_initialized({s}, {name});",
                    f"misuse_report_uninitialized({s}, NULL, 0);",
                    f"misuse_find_variable({name});",
                    f"misuse_string({choose(self.rng, ['0', '1', '-1', 'INT64_MAX'])}, NULL);",
                    f"misuse_is_valid({s});",
                ],
            )
        )

    def reset(self) -> None:
        s = choose(self.rng, ["blocks[0]", "blocks[1]", "NULL"])
        self.lines.append(f"misuse_reset({s});")

    def copy(self) -> None:
        """A block that was another, or was damaged."""
        self.lines.append(
            choose(
                self.rng,
                [
                    "memcpy(blocks[1], blocks[0], MISUSE_STATE_BYTES);",
                    "memset(blocks[1], 0xff, MISUSE_STATE_BYTES);",
                    "memset(blocks[0], 0, 8);",
                ],
            )
        )

    def save(self) -> None:
        s, path = self.block(), choose(self.rng, PATHS)
        if not s.startswith("("):
            known = "-1" if path == '"ckpt"' else "0"
            self.attempt(s, self.expect(s, known), f"misuse_save({s}, {path})")

    def restore(self) -> None:
        s, path = self.block(), choose(self.rng, PATHS)
        if not s.startswith("("):
            known = "-1" if path == '"ckpt"' else "0"
            self.attempt(s, self.expect(s, known), f"misuse_restore({s}, {path})")

    def intern(self) -> None:
        s = choose(self.rng, ["blocks[0]", "blocks[1]"])
        count = choose(self.rng, ["0", "3"])
        self.lines.append(
            f"flywheel_intern(misuse_model(), {s}, {choose(self.rng, [chr(34) + 'Fig' + chr(34), 'NULL'])}, "
            f"{count}, {self.maybe_null('&text')});"
            if count == "0"
            else f'flywheel_intern(misuse_model(), {s}, "Fig", 3, {self.maybe_null("&text")});'
        )
        self.lines.append(
            f"flywheel_text(misuse_model(), {s}, {choose(self.rng, ['text', '-5', 'INT64_MAX', '1'])}, NULL);"
        )


class CInterface(Fuzzer):
    """Misuses of the C interface."""

    name = "c_interface"
    seconds = 20.0
    megabytes = 0

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--compiler", default="cc", help="C compiler")

    def take_options(self, options: argparse.Namespace) -> None:
        self.compiler = options.compiler

    def prepare(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        where = self.folder.name
        subprocess.run(
            [
                "flywheel-compile",
                os.path.join(FOLDER, "Inputs", "misuse.mlir"),
                "-o",
                os.path.join(where, "misuse.o"),
                "--max-batch=8",
            ],
            check=True,
        )
        # Two headers of one name: ours includes the model's.
        os.rename(os.path.join(where, "misuse.h"), os.path.join(where, "misuse.h.model"))
        build = os.path.dirname(os.path.dirname(shutil.which("flywheel-compile") or ""))
        self.library = os.path.join(build, "lib", "libflywheel_runtime.a")

    def make(self, rng: Rng) -> Case:
        program = Program(rng)
        makers: List[Callable[[], None]] = [
            program.init,
            program.init,
            program.init_some,
            program.init_variable,
            program.init_collection,
            program.step,
            program.step,
            program.step,
            program.predict,
            program.say,
            program.set_variable,
            program.get_variable,
            program.look,
            program.reset,
            program.copy,
            program.save,
            program.restore,
            program.intern,
        ]
        for _ in range(40):
            choose(rng, makers)()
        body = "".join(f"  {line}\n" for line in program.lines)
        return Case(f'#include "misuse.h"\nint main(void) {{\n  prepare();\n{body}  checkThreads();\n  return 0;\n}}\n')

    def check(self, case: Case, report: Report) -> Outcome:
        report("run")
        with tempfile.TemporaryDirectory() as folder:
            source, binary = os.path.join(folder, "program.c"), os.path.join(folder, "program")
            with open(source, "w") as file:
                file.write(case.text)
            where = self.folder.name
            built = subprocess.run(
                [
                    self.compiler,
                    "-std=c11",
                    "-O0",
                    "-w",
                    "-I" + os.path.join(FOLDER, "Inputs"),
                    "-I" + where,
                    "-I" + os.path.join(ROOT, "include"),
                    source,
                    os.path.join(where, "misuse.o"),
                    self.library,
                    "-lstdc++",
                    "-lm",
                    "-lpthread",
                    "-o",
                    binary,
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            if built.returncode:
                return Outcome("passed" if "error" not in built.stdout.decode() else "refused", built.stdout.decode())
            result = subprocess.run([binary], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = result.stdout.decode(errors="replace")
        if result.returncode == 0:
            return Outcome("passed")
        last = [line for line in said.splitlines() if line.startswith("WRONG")] or [
            harness.describe_end(-result.returncode if result.returncode < 0 else result.returncode << 8, said)
        ]
        return Outcome("failed", last[0] + "\n" + said[-3000:])


if __name__ == "__main__":
    harness.main(CInterface(), cases=50)
