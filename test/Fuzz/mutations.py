# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Mutants of the modules of all tests through parser, stages, code generation and
the step itself.

A mutant is compiled in both lowerings; what compiles runs with feeds and results
beside guard pages. It must end with success or a clean error: no crash, no hang,
no word that only the compiler's authors know, and with a place in the source.
"""

from typing import Any, List

import numpy as np

import corpus
import harness
from guarded import run_entries
from harness import Case, Fuzzer, Outcome, Report, Rng, choose, clean_refusal
from mutate import mutate


class Mutations(Fuzzer):
    """Mutants through the compiler, in this process."""

    name = "mutations"
    seconds = 15.0
    megabytes = 4096

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel
        # Whatever is set up once is, before the forks.
        self.chunks = corpus.load()
        self.lines: List[str] = [line for chunk in self.chunks for line in chunk.text.splitlines()]

    def make(self, rng: Rng) -> Case:
        chunk = choose(rng, self.chunks)
        return Case(
            mutate(chunk.text, rng, self.lines), f"{choose(rng, ['optimized', 'reference'])} {rng.integers(1000)}"
        )

    def check(self, case: Case, report: Report) -> Outcome:
        flywheel = self.flywheel
        lowering, number = (case.detail or "optimized 0").split()
        report("parse")
        try:
            module = flywheel.parse(case.text, name="mutant.mlir")
            report(f"compile {lowering}")
            program = flywheel.compile(module, lowering=lowering, opt_level=int(number) % 4 // 3)
        except flywheel.CompileError as error:
            return clean_refusal(str(error), case.text)
        report("load")
        try:
            session = flywheel.Session(program, soft_placement=True)
        except Exception as error:
            return Outcome("refused", f"{type(error).__name__}: {error}")
        report("run")
        session.initialize(1)
        errors = run_entries(session, program, np.random.default_rng(int(number)), 2)
        return Outcome("passed", "\n".join(errors))

    def run(self, case: Case) -> Outcome:
        outcome = super().run(case)
        # A loop that the program does not leave is its own.
        if outcome.kind == "failed" and outcome.phase == "run" and "a hang" in outcome.message:
            return Outcome("passed", "endless loop")
        return outcome


if __name__ == "__main__":
    harness.main(Mutations(), cases=400)
