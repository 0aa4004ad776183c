# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Random train steps against an interpreter in NumPy.

A step reads and assigns variables in any order, swaps them, branches, loops, checks
an index, and updates variables by several optimizers, some with constraints. The
interpreter keeps the rules of variables: a read sees the writes before it, a call
that fails changes nothing. Both lowerings make several calls; results and variables
are compared after each, in f32 while they are small. No program is refused for order, aliasing or bufferization:
each has an order, with copies.
"""

import argparse
from typing import Any, Dict

import numpy as np

import harness
from guarded import copy_guarded, guarded
from harness import Case, Failure, Fuzzer, Outcome, Report, Rng, clean_refusal
from step_programs import Block, CheckFailed, Program, new_program

TOLERANCES = {"f64": 1e-8, "f32": 3e-4}
# Larger numbers of f32 that cancel leave rounding errors; the interpreter's gradients are f64.
LARGEST = {"f64": 1e4, "f32": 256.0}


class TooLarge(Exception):
    """The step has come to numbers whose rounding is seen in others."""


class Steps(Fuzzer):
    """Random train steps against NumPy."""

    name = "steps"
    seconds = 60.0
    can_minimize = False
    keep_whole = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--size", type=int, default=8, help="statements of a block, at most")
        parser.set_defaults(strict=True)
        parser.add_argument("--whole", action="store_true", help="print failures as they were made")

    def take_options(self, options: argparse.Namespace) -> None:
        self.size, self.keep_whole, self.strict = options.size, options.whole, options.strict

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel

    def make(self, rng: Rng) -> Case:
        self.seed = int(rng.integers(1 << 62))
        self.program = new_program(np.random.default_rng(self.seed), self.size)
        return Case(self.program.module())

    def run(self, case: Case) -> Outcome:
        """A failure is that of a program without the statements that it does not take."""
        outcome = super().run(case)
        if not self.keep_whole and (outcome.kind == "failed" or (outcome.kind == "order" and self.strict)):
            self.drop_statements(self.program.body, outcome)
            case.text = self.program.module()
        return outcome

    def drop_statements(self, block: Block, outcome: Outcome) -> None:
        for index in range(len(block) - 1, -1, -1):
            statement = block.pop(index)
            found = super().run(Case(self.program.module()))
            if found.kind != outcome.kind or found.signature != outcome.signature:
                block.insert(index, statement)
                for inner in statement.blocks:
                    self.drop_statements(inner, outcome)

    def check(self, case: Case, report: Report) -> Outcome:
        flywheel, program = self.flywheel, self.program
        for lowering in ("optimized", "reference"):
            report(f"compile {lowering}")
            try:
                compiled = flywheel.compile(case.text, lowering=lowering, opt_level=1)
            except flywheel.CompileError as error:
                return clean_refusal(str(error))
            session = flywheel.Session(compiled)
            session.initialize(1)
            state = program.initial_state()
            self.compare_state(program, session, state, f"{lowering}: before the first call")
            rng = np.random.default_rng(self.seed + 1)
            for call in range(4):
                report(f"run {lowering}")
                try:
                    self.compare_call(
                        session, state, program.draw_feeds(rng), f"{lowering}: call {call}", below=call % 2 == 0
                    )
                except TooLarge:
                    break
        return Outcome("passed")

    def compare_call(self, session: Any, state: Dict[str, Any], feeds: Dict[str, Any], what: str, below: bool) -> None:
        program = self.program
        before = {name: np.array(session[name]) for name in session.variables}
        arrays = [copy_guarded(feeds[name], below) for name, _ in program.feeds]
        out = tuple(guarded(program.shape, program.dtype, below) for _ in program.results)
        kept = program.copy_state(state)
        error = ""
        try:
            session.run("step", *arrays, out=out if len(out) > 1 else out[0])
        except self.flywheel.InvalidArgumentError as raised:
            error = str(raised)
        try:
            expected = program.call(state, feeds)
        except CheckFailed:
            state.clear()
            state.update(kept)
            if not error:
                raise Failure(f"{what}: expected an error for the index {feeds['%i']}, found none") from None
            for name, value in before.items():
                if not np.array_equal(value, session[name], equal_nan=value.dtype.kind == "f"):
                    raise Failure(f"{what}: the call failed ({error}), but variable {name} has changed") from None
            return
        if error:
            raise Failure(f"{what}: unexpected error: {error}")
        numbers = [*expected, *(value for value in state.values() if isinstance(value, np.ndarray))]
        if any(np.max(np.abs(value), initial=0.0) > LARGEST[program.element] for value in numbers):
            raise TooLarge
        for index, (found, wanted) in enumerate(zip(out, expected)):
            self.compare(f"{what}: wrong number in a result", f"result {index}", found, wanted)
        self.compare_state(program, session, state, what)

    def compare_state(self, program: Program, session: Any, state: Dict[str, Any], what: str) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                self.compare(f"{what}: wrong number in a variable", name, session[name], value)

    def compare(self, what: str, name: str, found: Any, expected: Any) -> None:
        if np.asarray(found).dtype.kind == "i":
            if not np.array_equal(found, expected):
                raise Failure(f"{what}, {name}: expected {expected}, found {found}")
            return
        tolerance = TOLERANCES[self.program.element]
        if found.size and not np.all(np.abs(found - expected) <= tolerance * max(1.0, float(np.max(np.abs(expected))))):
            raise Failure(f"{what}, {name}:\nexpected {expected.tolist()}\nfound    {found.tolist()}")


if __name__ == "__main__":
    harness.main(Steps(), cases=60)
