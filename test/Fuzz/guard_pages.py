# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Object files whose block of state, feeds and results each lie beside a page that
may not be touched: in front of it, and in a second run behind it.

The models are the examples and random programs, with any batch that they are made
for. Numbers are not looked at: values.py and steps.py do that.
"""

import argparse
import contextlib
import glob
import os
from typing import Any, Dict, List

import numpy as np

import harness
from configurations import Array, Failure, ObjectModel, dtype_of
from graphs import generate
from guarded import copy_guarded, draw, guarded, guarded_bytes, shape_of
from harness import ROOT, Case, Fuzzer, Outcome, Report, Rng, choose
from step_programs import new_program
from tensor_functions import OPS, new_function

BATCHES = [1, 2, 3, 4, 5, 7, 8, 13, 16, 17]
# An example's largest file: others take minutes to compile.
QUICK = 6000


class GuardedModel(ObjectModel):
    """An object file whose arguments are followed, or preceded, by a guard page."""

    below = False

    def allocate_block(self, size: int) -> Array:
        return guarded_bytes(-(-size // 64) * 64, self.below)

    def allocate(self, shape: Any, dtype: "np.dtype[Any]") -> Array:
        return guarded(shape, dtype, self.below)


class GuardPages(Fuzzer):
    """Object files beside guard pages."""

    name = "guard_pages"
    seconds = 120.0
    megabytes = 0
    can_minimize = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--examples", action="store_true", help="examples alone, also those that take long")

    def take_options(self, options: argparse.Namespace) -> None:
        paths = sorted(glob.glob(os.path.join(ROOT, "examples", "*", "*.mlir")))
        self.only_examples = options.examples
        self.texts: List[str] = []
        for path in paths:
            with open(path) as file:
                self.texts.append(file.read())

    def prepare(self) -> None:
        """Imports once, for all children."""
        import flywheel  # noqa: F401

    def make(self, rng: Rng) -> Case:
        if self.only_examples or rng.integers(12) == 0:
            texts = self.texts if self.only_examples else [text for text in self.texts if len(text) < QUICK]
            text = choose(rng, texts)
        else:
            kind, seed = int(rng.integers(3)), np.random.default_rng(int(rng.integers(1 << 62)))
            if kind == 0:
                text = new_program(seed, 6).module()
            elif kind == 1:
                text = new_function(seed, 8, list(OPS)).module()
            else:
                text = generate(int(rng.integers(1 << 30)), 8).module()
        return Case(text, f"{choose(rng, ['optimized', 'reference'])} {choose(rng, BATCHES)} {rng.integers(1000)}")

    def check(self, case: Case, report: Report) -> Outcome:
        lowering, most, number = case.detail.split()
        rng = np.random.default_rng(int(number))
        for below in (False, True):
            GuardedModel.below = below
            report("compile")
            try:
                model = GuardedModel(case.text, max_dim_size=int(most), lowering=lowering)
            except Exception as error:
                return Outcome("refused", f"{type(error).__name__}: {error}")
            report("initialize")
            model.initialize(1)
            for batch in range(1, int(most) + 1):
                self.run_all(model, rng, batch, below, report)
        return Outcome("passed")

    def run_all(self, model: GuardedModel, rng: Rng, batch: int, below: bool, report: Report) -> None:
        for name, entry in model.entries.items():
            if any(info["dtype"] == "string" for info in [*entry["feeds"], *entry["results"]]):
                continue
            report(f"run {name} of batch {batch}, {'behind' if below else 'before'} a page")
            dim_sizes: Dict[str, int] = {
                dim_size: batch for feed in entry["feeds"] for dim_size in feed["shape"] if isinstance(dim_size, str)
            }
            feeds = [
                copy_guarded(draw(rng, shape_of(feed["shape"], dim_sizes), dtype_of(feed["dtype"])), below)
                for feed in entry["feeds"]
            ]
            with contextlib.suppress(Failure):  # A label or an index out of range.
                model.run(name, *feeds)


if __name__ == "__main__":
    harness.main(GuardPages(), cases=50)
