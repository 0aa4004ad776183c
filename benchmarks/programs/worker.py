# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of one framework in a process of its own; see `../peers/process.py`. Commands are

  {"make": program, "still": true}   executes a form and gives it the initial weights; `still`: without dropout
  {"run": n}                         trains n batches: seconds, the last loss
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "peers"))

from process import restrict, serve  # noqa: E402
from programs import PROGRAMS  # noqa: E402

# The framework of each peer, whose forms are in a folder of this name.
PEERS = {"flywheel": "flywheel", "torch": "torch", "torch-compile": "torch", "jax": "jax", "keras": "keras"}
BATCHES = 7


def form_path(framework: str, program: str) -> str:
    return os.path.join(HERE, "forms", framework, program + ".py")


def load(framework: str, program: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"form_{program}", form_path(framework, program))
    assert spec and spec.loader
    form = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(form)
    return form


class Training:
    """A form with its initial weights, and the batches that it is given in turn."""

    def __init__(self, framework: str, program: str, still: bool) -> None:
        if framework == "torch":
            import torch

            torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        adapter = importlib.import_module(framework + "_adapter")
        description = PROGRAMS[program]
        self.batches = [adapter.adopt(batch) for batch in description.make_batches(BATCHES)]
        self.form = load(framework, program)
        adapter.place(self.form, description.make_weights(), still)
        self.taken = 0

    def take(self, count: int) -> Iterator[tuple[Any, ...]]:
        for _ in range(count):
            yield self.batches[self.taken % BATCHES]
            self.taken += 1

    def run(self, count: int) -> dict[str, Any]:
        """An epoch of `count` batches."""
        start = time.perf_counter()
        loss = float(self.form.train(self.take(count)))
        return {"seconds": time.perf_counter() - start, "loss": loss}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", choices=PEERS, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--target", choices=["cpu"], default="cpu")
    arguments = parser.parse_args()
    restrict(arguments.threads, arguments.target)
    # Nothing is found that another process has compiled. Read when a framework is imported.
    os.environ |= {"FLYWHEEL_CACHE": "", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "KERAS_BACKEND": "jax"}
    os.environ["FLYWHEEL_NUM_THREADS"] = str(arguments.threads)
    if arguments.peer == "torch":
        os.environ["TORCHDYNAMO_DISABLE"] = "1"
    training: Any = None

    def answer(command: dict[str, Any]) -> dict[str, Any]:
        nonlocal training
        if "run" in command:
            found: dict[str, Any] = training.run(command["run"])
            return found
        training = None
        training = Training(PEERS[arguments.peer], command["make"], command["still"])
        return {}

    serve(answer)


if __name__ == "__main__":
    main()
