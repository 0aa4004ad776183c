# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Object files for one worker and for several (T12): each call has the same bits in the object that is compiled for
one, and in another one with one worker and with teams of up to 4, which run in any order up to each barrier.

The programs are those of steps.py, with larger arrays, and the random graphs. Other tests check that the numbers are
right.
"""

from typing import Any, Dict, List, Tuple

import numpy as np

import harness
from configurations import Array, Failure, ObjectModel, dtype_of
from graphs import generate
from guarded import draw, shape_of
from harness import Case, Fuzzer, Outcome, Report, Rng, choose
from step_programs import new_program
from teams import Team, load_library

# Some have dimensions that workers share, some are for the first worker.
SHAPES: List[Tuple[int, ...]] = [(3,), (17,), (70,), (300,), (2, 4), (20, 5), (18, 40), (37, 3), (5, 6, 16),
                                 (2000,), (4, 9000), (3, 3, 40), (40, 257), (7, 129)]  # fmt: skip
BATCHES = [1, 5, 16, 33, 64]


class Workers(Fuzzer):
    """One worker against several."""

    name = "workers"
    seconds = 120.0
    megabytes = 0
    can_minimize = False

    def prepare(self) -> None:
        """Imports once, for all children."""
        import flywheel  # noqa: F401

        load_library()

    def make(self, rng: Rng) -> Case:
        seed = int(rng.integers(1 << 30))
        if rng.integers(2):
            text = new_program(np.random.default_rng(seed), 8, choose(rng, SHAPES)).module()
        else:
            text = generate(seed, 10).module()
        return Case(text, str(seed))

    def check(self, case: Case, report: Report) -> Outcome:
        seed = int(case.detail)
        report("compile")
        try:
            alone = ObjectModel(case.text, max(BATCHES))
            most = choose(np.random.default_rng(seed), (2, 4, 16))
            model = ObjectModel(case.text, max(BATCHES), threads=most)
        except Exception as error:  # steps.py and random_graphs.py judge refusals.
            return Outcome("refused", f"{type(error).__name__}: {error}")
        for one in (alone, model):
            one.initialize(1)
        initial = model.snapshot()  # Draws without a seed begin anywhere.
        expected = self.run_all(alone, initial, seed, report)
        shared = [name for name, entry in model.entries.items() if entry.get("workers", 1) > 1]
        for workers in range(1, min(most, 4) + 1):
            model.team = Team(workers, seed)
            for (what, value), (_, wanted) in zip(self.run_all(model, initial, seed, report), expected):
                if value != wanted:
                    raise harness.Failure(f"{what}: {workers} workers compute other bits")
        return Outcome("passed" if shared else "serial")

    def run_all(
        self, model: ObjectModel, initial: Dict[str, Array], seed: int, report: Report
    ) -> List[Tuple[str, bytes]]:
        """The bytes of every result and variable, with what to call them."""
        rng = np.random.default_rng(seed)
        for name, value in initial.items():
            model[name] = value
        found: List[Tuple[str, bytes]] = []
        for call in range(4):
            for name, entry in model.entries.items():
                if name == "init":  # Takes a seed, and no team.
                    continue
                report(f"call {call} of {name}")
                feeds = self.draw_feeds(rng, entry)
                try:
                    results = model.run(name, *feeds)
                except Failure as failure:  # An index out of range.
                    results = np.frombuffer(str(failure).encode(), np.uint8)
                results = results if isinstance(results, tuple) else () if results is None else (results,)
                found += [(f"call {call} of {name}: result {i}", result.tobytes()) for i, result in enumerate(results)]
            found += [(f"call {call}: variable {name}", value.tobytes()) for name, value in model.snapshot().items()]
        return found

    def draw_feeds(self, rng: Rng, entry: Dict[str, Any]) -> List[Array]:
        batch = choose(rng, BATCHES)
        dim_sizes: Dict[str, int] = {
            dim_size: batch for feed in entry["feeds"] for dim_size in feed["shape"] if isinstance(dim_size, str)
        }
        return [draw(rng, shape_of(feed["shape"], dim_sizes), dtype_of(feed["dtype"])) for feed in entry["feeds"]]


if __name__ == "__main__":
    harness.main(Workers(), cases=60)
