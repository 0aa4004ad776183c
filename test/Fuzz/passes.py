# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, fuzz
# RUN: %python %s
"""Mutants of the modules of all tests through flywheel-opt, with the passes of
their tests or those of another, and through the other tools.

Starting flywheel-opt takes longer than a mutant does: a batch of mutants goes
through one process, `--split-input-file`. A batch that crashes, hangs or says
internal words is halved until the mutant is alone.
"""

import os
import re
import shlex
import subprocess
import tempfile
from typing import List

import corpus
import harness
from harness import Case, Fuzzer, Outcome, Report, Rng, choose, limit
from mutate import mutate

SEPARATOR = "// -----\n"
BATCH = 40
# The flags that users run rather than tests.
PIPELINES = [
    "--canonicalize",
    "--cse",
    "--inline",
    "--emit-bytecode",
    "--mlir-print-op-generic",
    "--flywheel-expand --flywheel-autodiff --flywheel-functionalize",
    "--flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg --flywheel-fuse",
    "--flywheel-expand --flywheel-autodiff --flywheel-functionalize "
    "--flywheel-linalg=lowering=reference --flywheel-fuse=lowering=reference --flywheel-bufferize=lowering=reference",
]
# An error is read without the ops that it is about.
OPT = "flywheel-opt --mlir-disable-threading --mlir-print-op-on-diagnostic=false --split-input-file"
TOOLS = [
    "flywheel-compile -o /dev/null",
    "flywheel-compile --lowering=reference --opt-level=0 -o /dev/null",
    "flywheel-compile --max-batch=2097152 -o /dev/null",
    "flywheel-compile --memory-budget=100 -o /dev/null",
    "flywheel-compile --emit=flywheel-linalg",
    "flywheel-run --list",
]


class Passes(Fuzzer):
    """Mutants through the tools."""

    name = "passes"
    seconds = 60.0

    def prepare(self) -> None:
        self.chunks = corpus.load()
        self.lines: List[str] = [line for chunk in self.chunks for line in chunk.text.splitlines()]
        flags = sorted({chunk.flags for chunk in self.chunks if chunk.flags})
        self.by_flags = {text: [chunk for chunk in self.chunks if chunk.flags == text] for text in flags}
        # Passes that test harmless things only, by their own word.
        self.flags = [text for text in flags if "--test-" not in text]

    def make(self, rng: Rng) -> Case:
        kind = int(rng.integers(10))
        if kind == 0:
            return Case(mutate(choose(rng, self.chunks).text, rng, self.lines), choose(rng, TOOLS))
        flags = choose(rng, PIPELINES) if kind < 3 else choose(rng, self.flags)
        own = self.by_flags.get(flags, self.chunks)
        chunks = [choose(rng, own if rng.integers(5) else self.chunks) for _ in range(BATCH)]
        texts = [mutate(chunk.text, rng, self.lines) for chunk in chunks]
        return Case(SEPARATOR.join(texts), f"{OPT} {flags} -o /dev/null")

    def check(self, case: Case, report: Report) -> Outcome:
        """In the child: runs the tool."""
        report(case.detail)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mutant.mlir")
            with open(path, "w") as file:
                file.write(case.text)
            command = shlex.split(case.detail)
            os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"
            result = subprocess.run(
                [command[0], path, *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=folder,
                preexec_fn=lambda: limit(20, 4096),
            )
        return judge(case.text, result.returncode, result.stderr.decode(errors="replace"))

    def run(self, case: Case) -> Outcome:
        """A failure is that of one mutant, which the case is then reduced to."""
        outcome = super().run(case)
        texts = case.text.split(SEPARATOR)
        while outcome.kind == "failed" and len(texts) > 1:
            half = len(texts) // 2
            for part in (texts[:half], texts[half:]):
                found = super().run(Case(SEPARATOR.join(part), case.detail))
                if found.kind == "failed":
                    texts, outcome = part, found
                    break
            else:  # It takes several: report them all.
                break
        if outcome.kind == "failed":
            case.text = SEPARATOR.join(texts)
        return outcome


def judge(text: str, status: int, said: str) -> Outcome:
    """Judges the exit status and the output of a tool."""
    if status < 0 or status > 1:
        return Outcome(
            "failed", harness.describe_end(-status if status < 0 else status << 8, said) + "\n" + said[-6000:]
        )
    if lines := harness.find_internal_lines(said, text):
        return Outcome("failed", f"internal words: {lines[0]}\n{said[:6000]}")
    if status and not re.search(r"error:", said):
        return Outcome("failed", f"status {status} without an error\n{said[:2000]}")
    return Outcome("refused" if status else "passed", said[:2000])


if __name__ == "__main__":
    harness.main(Passes(), cases=15)
