# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Modules of our dialects' ops that are made from ODS (ods.py), through flywheel-opt: the verifiers, printing and
parsing, passes, and all stages.

Starting flywheel-opt takes longer than a module does: many go through one process. A batch that crashes, hangs, says
internal words or has an error without a location is halved until the module is alone.
"""

import argparse
import bisect
import itertools
import os
import re
import shlex
import subprocess
import tempfile
from typing import List, Tuple

from passes import OPT, PIPELINES, SEPARATOR, judge

import corpus
import harness
from harness import Case, Fuzzer, Outcome, Report, Rng, choose, limit
from ods import Writer, find_attributes, load_ops

BATCH = 400
ALL = "--flywheel-expand --flywheel-autodiff --flywheel-functionalize --flywheel-linalg"
LOOPS = f"{ALL} --flywheel-fuse --flywheel-bufferize --flywheel-loops"
PASSES = ["--verify-roundtrip", "--verify-roundtrip", *PIPELINES, LOOPS, f"{LOOPS} --flywheel-llvm"]


class Grammar(Fuzzer):
    """Modules that are made from ODS."""

    name = "grammar"
    seconds = 60.0

    def prepare(self) -> None:
        self.ops = load_ops()
        self.attributes = sorted(set().union(*(find_attributes(chunk.text) for chunk in corpus.load())))
        names = {re.sub(r"[<].*", "", text) for text in self.attributes}
        self.attributes += sorted(name + "<" + "lr = 0.1>" for name in names if name.startswith("#train."))

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--op", help="make modules of ops whose names have this only")

    def take_options(self, options: argparse.Namespace) -> None:
        self.only = options.op or ""

    def make(self, rng: Rng) -> Case:
        ops = [op for op in self.ops if self.only in op.name]
        texts = [Writer(rng, ops, self.attributes).module() for _ in range(BATCH)]
        return Case(SEPARATOR.join(texts), f"{OPT} {choose(rng, PASSES)}")

    def count_inputs(self, case: Case) -> int:
        return case.text.count(SEPARATOR) + 1

    def check(self, case: Case, report: Report) -> Outcome:
        """In the child: first all modules are verified, and those that want another type of a result get it; then
        those that are valid go through the passes."""
        texts, command = case.text.split(SEPARATOR), case.detail
        for _ in range(3):
            report("verify")
            outcome, errors = self.call(texts, OPT)
            if outcome.kind == "failed":
                return outcome
            texts = [repaired for text, error in zip(texts, errors) if (repaired := repair(text, error))]
            if not any(errors):
                break
        if not texts:
            return Outcome("refused", "no module is valid")
        report(command)
        outcome, errors = self.call(texts, command)
        if outcome.kind == "refused" and "roundtrip" in command:
            return Outcome("failed", next(filter(None, errors), outcome.message))
        outcome.message = f"{len(texts)} valid" if outcome.kind == "passed" else outcome.message
        return outcome

    def call(self, texts: List[str], command: str) -> Tuple[Outcome, List[str]]:
        """Runs the tool; the first error of each module."""
        words = shlex.split(command)
        os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "module.mlir")
            with open(path, "w") as file:
                file.write(SEPARATOR.join(texts))
            result = subprocess.run([words[0], path, *words[1:], "-o", os.devnull], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
                                    preexec_fn=lambda: limit(30, 4096))  # fmt: skip
        said = result.stderr.decode(errors="replace")
        outcome = judge(SEPARATOR.join(texts), result.returncode, said)
        errors = [""] * len(texts)
        ends = list(itertools.accumulate(text.count("\n") + 1 for text in texts))
        for line in said.splitlines():
            if "error:" not in line:
                continue
            place = re.match(r"\S+?:(\d+):\d+: error: (.*)", line)
            if place is None and not line.startswith("loc("):
                return Outcome("failed", f"an error without a location: {line}\n{said[:2000]}"), errors
            if place:
                index = min(bisect.bisect_left(ends, int(place[1])), len(texts) - 1)
                errors[index] = errors[index] or place[2]
            else:
                errors = [error or line for error in errors]
        return outcome, errors

    def run(self, case: Case) -> Outcome:
        """A failure is that of one module, which the case is then reduced to."""
        outcome = super().run(case)
        texts = case.text.split(SEPARATOR)
        while outcome.kind == "failed" and len(texts) > 1:
            half = len(texts) // 2
            for part in (texts[:half], texts[half:]):
                found = super().run(Case(SEPARATOR.join(part), case.detail))
                if found.kind == "failed":
                    texts, outcome = part, found
                    break
            else:
                break
        if outcome.kind == "failed":
            case.text = SEPARATOR.join(texts)
        return outcome


def repair(text: str, error: str) -> str:
    """The module if it is valid, or with the type that an error asks for; nothing for other errors."""
    if not error:
        return text
    wanted = re.search(r"expected (?:a result of type )?'(tensor<[^']*)', found '(tensor<[^']*)'", error)
    if wanted is None or text.count(wanted[2]) > 8:
        return ""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        name = re.match(r"  (%r\d+) = .*-> \(" + re.escape(wanted[2]) + r"\)$", line)
        if name:
            lines[i] = line[: line.rindex("(")] + f"({wanted[1]})"
            changed = "\n".join(lines).replace(f"return {name[1]} : {wanted[2]}", f"return {name[1]} : {wanted[1]}")
            return changed.replace(f"-> ({wanted[2]}) {{\n", f"-> ({wanted[1]}) {{\n")
    return ""


if __name__ == "__main__":
    harness.main(Grammar(), cases=10)
