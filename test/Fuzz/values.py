# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Random functions of arith, math, tensor, linalg, nn and scf ops, against NumPy.

Integers and booleans are compared exactly; floating-point numbers by how much they move where each op's result is moved
by a few roundings, so that a sum that cancels and a comparison of equal numbers do not fail. Both lowerings run each
function at several sizes, beside guard pages; feeds of sizes that do not agree must be refused, or computed without
touching other memory.
"""

import argparse
from typing import Any, Dict, List, Sequence

import numpy as np

import harness
from guarded import copy_guarded, draw_dim_sizes, guarded, run_entries, shape_of
from harness import Case, Failure, Fuzzer, Outcome, Report, Rng, clean_refusal
from tensor_functions import DTYPES, OPS, Function, epsilon_of, new_function


def evaluate(function: Function, feeds: Sequence[Any], rng: Rng, amount: float) -> Dict[str, Any]:
    """All values, each result moved by up to `amount` roundings."""
    values = {node.name: value for node, value in zip(function.graph.feeds, feeds)}
    with np.errstate(all="ignore"):
        for step in function.graph.steps:
            dtype = DTYPES[step.result.element]
            result = np.asarray(step.function(np, *(values[node.name] for node in step.operands))).astype(dtype)
            if amount and epsilon_of(dtype):
                noise = rng.uniform(-1, 1, result.shape) * amount * epsilon_of(dtype)
                result = (result.astype(np.float64) * (1 + noise)).astype(dtype)
            values[step.result.name] = result
    return values


def find_difference(name: str, found: Any, clean: Any, moved: List[Any]) -> str:
    """Returns the error of a result, or nothing."""
    if found.shape != clean.shape or found.dtype != clean.dtype:
        return f"{name}: expected {clean.dtype}{clean.shape}, found {found.dtype}{found.shape}"
    if not epsilon_of(clean.dtype):
        wrong = (found != clean) & np.logical_and.reduce([other == clean for other in moved])
    else:
        exact = clean.astype(np.float64)
        with np.errstate(all="ignore"):
            spread = np.max([np.abs(other.astype(np.float64) - exact) for other in moved], axis=0)
            scale = np.max(np.abs(exact), initial=1.0, where=np.isfinite(exact))
            bound = 100 * spread + 60 * epsilon_of(clean.dtype) * scale
            wrong = ~(np.abs(found.astype(np.float64) - exact) <= bound)
        # Overflow and what comes of it differ with the order of a sum.
        wrong &= np.isfinite(exact) & np.isfinite(spread) & (np.abs(exact) < 1e4)
    if not np.any(wrong):
        return ""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{name} at {where} of {found.shape}: expected {clean[where]}, found {found[where]}; "
        f"{int(np.sum(wrong))} of {wrong.size} differ"
    )


class Values(Fuzzer):
    """Random functions against NumPy."""

    name = "values"
    seconds = 60.0
    can_minimize = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--size", type=int, default=10, help="ops of a function, at most")
        parser.add_argument("--op", action="append", choices=list(OPS), help="make functions of these only")

    def take_options(self, options: argparse.Namespace) -> None:
        self.size, self.ops = options.size, options.op or list(OPS)

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel

    def make(self, rng: Rng) -> Case:
        self.seed = int(rng.integers(1 << 62))
        self.function = new_function(np.random.default_rng(self.seed), self.size, self.ops)
        return Case(self.function.module(), ", ".join(step.op for step in self.function.graph.steps))

    def run(self, case: Case) -> Outcome:
        """A wrong number comes with the smallest function of the same numbers that has
        it: one of fewer ops."""
        outcome = super().run(case)
        if outcome.kind == "failed":
            whole = self.function
            for step in range(1, len(whole.graph.steps)):
                self.function = whole.up_to(step)
                shorter = super().run(Case(self.function.module(), case.detail))
                if shorter.kind == "failed" and shorter.signature == outcome.signature:
                    case.text, outcome = self.function.module(), shorter
                    break
        return outcome

    def check(self, case: Case, report: Report) -> Outcome:
        flywheel, function = self.flywheel, self.function
        for lowering in ("optimized", "reference"):
            report(f"compile {lowering}")
            try:
                program = flywheel.compile(case.text, lowering=lowering, opt_level=1)
            except flywheel.CompileError as error:
                return clean_refusal(str(error))
            session = flywheel.Session(program)
            rng = np.random.default_rng(self.seed + 1)
            for below in (False, True, False):
                report(f"run {lowering}")
                self.compare(function, session, rng, below, lowering)
            report(f"run {lowering} on sizes that do not agree")
            run_entries(session, program, rng, 1)
        return Outcome("passed")

    def compare(self, function: Function, session: Any, rng: Rng, below: bool, lowering: str) -> None:
        dim_sizes = {symbol: max(1, dim_size) for symbol, dim_size in draw_dim_sizes(rng, "BC").items()}
        feeds = [function.draw(rng, node, shape_of(node.shape, dim_sizes)) for node in function.graph.feeds]
        clean = evaluate(function, feeds, rng, 0)
        moved = [evaluate(function, feeds, np.random.default_rng(i), 8) for i in range(3)]
        out = tuple(guarded(clean[node.name].shape, clean[node.name].dtype, below) for node in function.results)
        session.run("f", *[copy_guarded(feed, below) for feed in feeds], out=out if len(out) > 1 else out[0])
        for node, found in zip(function.results, out):
            value = clean[node.name]
            if message := find_difference(node.name, found, value, [other[node.name] for other in moved]):
                ops = {step.result.name: step.op for step in function.graph.steps}
                raise Failure(
                    f"wrong number of {ops.get(node.name, 'a feed')} on {node.element}, {lowering}: {message} "
                    f"({dim_sizes}, of {', '.join(ops.values())})"
                )


if __name__ == "__main__":
    harness.main(Values(), cases=80)
