# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a run: a row for each program and form, printed as it is measured, and written as Markdown and JSON."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Sequence
from typing import Any


class Table:
    def __init__(self, threads: Sequence[int], has_first_calls: bool) -> None:
        counts = [f"{n} thread{'s' * (n > 1)}" for n in threads]
        parts = ["steps/s", "first call s"] if has_first_calls else ["steps/s"]
        header = ["program", "form", "lines", *(f"{what}, {count}" for what in parts for count in counts)]
        self._threads, self._has_first_calls = threads, has_first_calls
        self._lines: list[str] = []
        self._programs: dict[str, dict[str, Any]] = {}
        self._print("| " + " | ".join(header) + " |")
        self._print("| --- " * len(header) + "|")

    def add_losses(self, program: str, losses: Sequence[float]) -> None:
        """The losses that all forms of a program have."""
        self._programs.setdefault(program, {})["losses"] = list(losses)

    def add(
        self, program: str, form: str, lines: int, speed: dict[int, float], first: dict[int, float], reason: str | None
    ) -> None:
        """A row: steps a second and seconds of the first call, by the number of threads; or the reason for none."""
        cells = [program, form, str(lines)]
        cells += [format(speed[n], ".0f") if n in speed else "-" for n in self._threads]
        if self._has_first_calls:
            cells += [format(first[n], ".2f") if n in first else "-" for n in self._threads]
        self._print("| " + " | ".join(cells) + " |")
        found: dict[str, Any] = {"lines": lines, "steps_per_second": speed, "first_call_seconds": first}
        forms = self._programs.setdefault(program, {}).setdefault("forms", {})
        forms[form] = found if reason is None else {"lines": lines, "missing": reason}

    def summarize(self) -> None:
        """Prints how many times as many steps the form of Flywheel takes as the best other one: the least, the most and
        the geometric mean over programs."""
        for n in self._threads:
            ratios = []
            for program in self._programs.values():
                speeds = {name: one.get("steps_per_second", {}).get(n) for name, one in program["forms"].items()}
                own, others = speeds.pop("flywheel", None), [speed for speed in speeds.values() if speed]
                if own and others:
                    ratios.append(own / max(others))
            if ratios:
                mean = statistics.geometric_mean(ratios)
                spread = f"{min(ratios):.1f} to {max(ratios):.1f} times the steps of the best peer"
                count = f"{n} thread{'s' * (n > 1)}, {len(ratios)} programs"
                self._print(f"\n{count}: {spread}, geometric mean {mean:.1f}")

    def write(self, path: str) -> None:
        """Writes Markdown, or JSON to a file whose name ends so."""
        is_json = os.path.splitext(path)[1] == ".json"
        text = json.dumps({"programs": self._programs}, indent=1) if is_json else "\n".join(self._lines)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def _print(self, line: str) -> None:
        self._lines.append(line)
        print(line, flush=True)
