# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators whose cases are several programs in one child, and one compilation where that is possible.

Starting a child and a compilation takes longer than a small program does. A case that fails is reduced to the first
program that fails alone.
"""

from typing import Any, List

from harness import Case, Fuzzer, Outcome, Rng


class Batches(Fuzzer):
    """Cases of `count` programs, which `self.programs` has while one is tried."""

    can_minimize = False
    count = 8

    def make_program(self, rng: Rng) -> Any:
        """A program, whose `str` shows it."""
        raise NotImplementedError

    def make(self, rng: Rng) -> Case:
        self.programs: List[Any] = [self.make_program(rng) for _ in range(self.count)]
        return self.show()

    def show(self) -> Case:
        return Case("\n".join(map(str, self.programs)))

    def count_inputs(self, case: Case) -> int:
        return len(self.programs)

    def run(self, case: Case) -> Outcome:
        outcome = super().run(case)
        whole = self.programs
        if outcome.kind == "failed" and len(whole) > 1:
            for program in whole:
                self.programs = [program]
                found = super().run(case)
                if found.kind == "failed":
                    case.text = self.show().text
                    self.programs = whole
                    return found
            self.programs = whole
        return outcome
