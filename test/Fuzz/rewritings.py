# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Programs and the same programs rewritten (rewriting_rules): identities, split and joined, unrolled and scanned,
called and in line, a batch and its parts, convolutions as products, attention by hand.

Elementwise functions precede and follow the pair, so that each form is fused with others than itself. Values and
gradients are compared, in f64 tightly and in the other types by their precision, in a lowering that is drawn, for a CPU
that this one executes.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

import ml_dtypes
import numpy as np
from targets import CPUS, find_cpus

import harness
from batches import Batches
from harness import Failure, Outcome, Report, Rng, choose

DTYPES = {"float64": np.dtype(np.float64), "float32": np.dtype(np.float32), "float16": np.dtype(np.float16),
          "bfloat16": np.dtype(ml_dtypes.bfloat16)}  # fmt: skip
# Relative to the largest number of a result, or of a gradient.
TOLERANCES = {"float64": 1e-9, "float32": 1e-3, "float16": 0.08, "bfloat16": 0.4}
BEFORE = ("x", "x", "x", "x * 0.5 + x", "-x", "x + 0.0 * sin(x)")
AFTER = ("y", "y", "tanh(y)", "y * y", "y + 1.0", "sin(y) * 0.5")


@dataclass
class Rewriting:
    """A pair of a rule."""

    rule: str
    seed: int
    dtype: str
    before: str
    after: str
    pair: Any

    def __str__(self) -> str:
        shapes = ", ".join(str(list(array.shape)) for array in self.pair.arrays)
        return f"{self.rule}, seed {self.seed}, of {self.dtype} {shapes}, behind {self.before}, {self.after} behind it"


class Rewritings(Batches):
    """Programs against their rewritings."""

    name = "rewritings"
    seconds = 120.0
    count = 10

    def prepare(self) -> None:
        import flywheel as fw
        from rewriting_rules import RULES

        self.fw: Any = fw
        self.rules = RULES
        self.cpus = find_cpus()

    def add_options(self, parser: Any) -> None:
        parser.add_argument("--rule", help="pairs of the rules whose names begin so only")

    def take_options(self, options: Any) -> None:
        self.only = options.rule or ""

    def make(self, rng: Rng) -> harness.Case:
        cpu = choose(rng, ["", "", *self.cpus])
        self.options: Dict[str, Any] = {"lowering": choose(rng, ["optimized"] * 3 + ["reference"]), "cpu": cpu or None,
                                        "features": CPUS.get(cpu, ("", ""))[1] or None,
                                        "opt_level": int(choose(rng, [0, 1, 1, 2, 3]))}  # fmt: skip
        case = super().make(rng)
        case.detail = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return case

    def make_program(self, rng: Rng) -> Rewriting:
        name = choose(rng, [name for name in self.rules if name.startswith(self.only)])
        seed = int(rng.integers(1 << 30))
        dtype = choose(rng, ["float64"] * 5 + ["float32"] * 3 + ["float16", "bfloat16"])
        pair = self.rules[name](np.random.default_rng(seed))
        before = "x" if pair.is_fixed else choose(rng, BEFORE)
        return Rewriting(name, seed, dtype, before, choose(rng, AFTER), pair)

    def both(self, program: Rewriting, args: Any) -> List[Any]:
        """Value and gradients of each form."""
        fw = self.fw
        names = {"sin": fw.sin, "tanh": fw.tanh}
        before = eval(f"lambda x: {program.before}", names)
        after = eval(f"lambda y: {program.after}", names)
        found: List[Any] = []
        for function in (program.pair.left, program.pair.right):
            def whole(*given: Any, function: Any = function) -> Tuple[Any, Any]:
                y = fw.as_tensor(after(function(*map(before, given))))
                rng = np.random.default_rng(program.seed)
                weights = fw.constant(rng.uniform(0.5, 1.5, y.shape), y.dtype)
                return fw.sum(y * weights), y

            def loss(*given: Any, whole: Any = whole) -> Any:
                return whole(*given)[0]

            found.append((whole(*args)[1], *fw.grad(loss, tuple(range(len(args))))(*args)))
        return found

    def check(self, case: harness.Case, report: Report) -> Outcome:
        fw, programs = self.fw, self.programs
        arrays = [tuple(array.astype(DTYPES[program.dtype]) for array in program.pair.arrays) for program in programs]
        report("compile")
        flat = [array for own in arrays for array in own]
        ends = np.cumsum([0, *map(len, arrays)])
        counts: List[int] = []

        def all_of(*args: Any) -> Any:
            found = [self.both(program, args[start:end]) for program, start, end in zip(programs, ends, ends[1:])]
            counts[:] = [len(forms[0]) for forms in found]
            return [one for forms in found for form in forms for one in form]

        specs = [fw.spec(*array.shape, dtype=array.dtype) for array in flat]
        module = fw.module_of([fw.function(all_of, name="all_of", signature=specs)])
        compiled = fw.compile(module, **self.options)
        report("run")
        results = iter(fw.Session(compiled).run("all_of", *flat))
        for program, count in zip(programs, counts):
            left, right = ([next(results) for _ in range(count)] for _ in range(2))
            for place, (a, b) in enumerate(zip(left, right)):
                self.compare(program, place, np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64))
        return Outcome("passed")

    def compare(self, program: Rewriting, place: int, a: Any, b: Any) -> None:
        what = f"gradient {place - 1}" if place else "value"
        if a.shape != b.shape:
            raise Failure(f"{what} of {program.rule}: shapes {a.shape} and {b.shape}: {program}")
        with np.errstate(all="ignore"):
            scale = 1 + np.max(np.abs(b), initial=0, where=np.isfinite(b))
            wrong = ~((np.abs(a - b) <= TOLERANCES[program.dtype] * scale) | (a == b) | (np.isnan(a) & np.isnan(b)))
        if program.dtype in ("float16", "bfloat16"):
            wrong &= np.isfinite(a) & np.isfinite(b)
        if np.any(wrong):
            where = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise Failure(f"{what} of {program.rule}: at {where} {a[where]} and {b[where]}: {program}")


if __name__ == "__main__":
    harness.main(Rewritings(), cases=12)
