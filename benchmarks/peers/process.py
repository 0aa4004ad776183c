# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both ends of a worker, a process in which one peer runs: a command is a line of JSON on its standard input, the
answer a line on its standard output. `worker.py` of a benchmark says which commands it takes; `{"run": n}` is one of
them, n steps."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")


class Peer:
    """A process of the program `worker`. `package` is the folder of the `flywheel` package, if it is not that of this
    process; `environment` is added to that of this process."""

    def __init__(
        self, name: str, python: str, threads: int, target: str, errors: Any, package: str = "",
        worker: str = WORKER, environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        command = [python, worker, "--peer", name, "--threads", str(threads), "--target", target]
        variables = {**os.environ, **(environment or {}), **({"PYTHONPATH": package} if package else {})}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=variables
        )

    def ask(self, **command: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        try:
            print(json.dumps(command), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            return {"error": f"the process ended with status {self.process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure(peers: Mapping[Any, Peer], rounds: int, seconds: float) -> dict[Any, list[float]]:
    """Seconds of a step of each peer, in each round."""
    counts = {}
    for name, peer in peers.items():
        peer.ask(run=2)
        # A short run may be mostly what a run costs besides its steps.
        guess = max(1, int(3 * seconds / peer.ask(run=3)["seconds"]))
        counts[name] = max(1, int(guess * seconds / peer.ask(run=guess)["seconds"]))
    times: dict[Any, list[float]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, peer in peers.items():
            times[name].append(peer.ask(run=counts[name])["seconds"] / counts[name])
    return times


def restrict(threads: int, target: str) -> None:
    """Before a peer is imported: they read the environment once."""
    if target != "cpu":
        return
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    if len(cores) < threads:
        raise RuntimeError(f"expected {threads} cores, found {len(cores)}")
    os.sched_setaffinity(0, cores)
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"):
        os.environ[variable] = str(threads)
    os.environ |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    os.environ["TF_NUM_INTEROP_THREADS"] = "1"
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answers the commands of standard input, each with the memory that the process has taken at most besides. An
    exception is an answer, too: "missing" for a module that is not installed, else "error"."""
    # Output of a framework goes to standard error; answers go to the original standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            found = answer(json.loads(line))
            found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        except ModuleNotFoundError as error:
            found = {"missing": str(error)}
        except Exception as error:  # Reported by the other process, which goes on.
            traceback.print_exc()
            found = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        print(json.dumps(found), file=answers, flush=True)
