#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten small programs that train, each as users of Flywheel, PyTorch, JAX (flax.nnx and optax) and Keras 3 (on JAX)
write it: lines of code, steps a second with one thread and with two, seconds of the first call.

The forms are in `forms`; a form makes its model and optimizer, and has a function `train(batches)`, an epoch. All are
given the same weights and batches (`programs.py`), and their losses are compared first, with dropout at a rate of
0: a form whose losses differ fails the run by name. Then each form has a process for each number of threads, with
nothing that was compiled before, and all of them train in turn, round by round. A figure is the median of the rounds.

Lines are those with code: without blank ones, comments and docstrings. PyTorch's two columns are one form, which
decorates what it compiles: the eager column ignores these decorators, and has a line less for each.

usage: PYTHONPATH=build/python python benchmarks/programs [--peers-python PYTHON] [--only PROGRAM...] [--check]
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "peers")]

from process import Peer, measure  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from worker import PEERS, form_path  # noqa: E402

TOLERANCE = 1e-3


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS), metavar="PEER")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="(1 2)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds (7)")
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a round of a form (0.3)")
    parser.add_argument("--peers-python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--check", action="store_true", help="compare losses, and measure nothing")
    parser.add_argument("--errors", default=os.devnull, help="file of what the peers print (none)")
    return parser.parse_args()


def count_lines(path: str) -> int:
    """Lines on which code begins, continues or ends."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree = ast.parse(text)
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, False) is not None:
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        1 for number, line in lines if line.strip() and line.strip()[0] != "#" and number not in docstrings
    )


def count_peer_lines(peer: str, program: str) -> int:
    path = form_path(PEERS[peer], program)
    lines = count_lines(path)
    if peer == "torch":
        with open(path, encoding="utf-8") as file:
            lines -= sum(line.strip() == "@torch.compile" for line in file)
    return lines


def open_peer(peer: str, threads: int, arguments: argparse.Namespace, errors: Any) -> Peer:
    python = sys.executable if peer == "flywheel" else arguments.peers_python
    return Peer(peer, python, threads, "cpu", errors, worker=os.path.join(HERE, "worker.py"))


def why_not(answer: dict[str, Any]) -> str | None:
    """The reason where a peer could not do what it was asked."""
    return answer.get("missing") or answer.get("error")


def train_and_compare(program: str, peers: dict[str, Peer]) -> tuple[dict[str, str], list[str]]:
    """Prints the losses of the first peer. Returns why peers cannot train a program, and which ones have other losses
    than the first."""
    reasons: dict[str, str] = {}
    wrong: list[str] = []
    expected: list[float] = []
    for name, peer in peers.items():
        answers = [peer.ask(make=program, still=True)]
        # Epochs of a step, and one of several: a form may do something every few steps.
        for count in (1, 1, PROGRAMS[program].steps - 2):
            if not why_not(answers[-1]):
                answers.append(peer.ask(run=count))
        reason = why_not(answers[-1])
        if reason:
            reasons[name] = reason
            continue
        losses = [answer["loss"] for answer in answers[1:]]
        expected = expected or losses
        if any(not abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(losses, expected)):
            wrong.append(f"{program}: {name}: expected losses {expected}, found {losses}")
    print(f"{program}: losses", *(f"{loss:.4f}" for loss in expected), "of", *(x for x in peers if x not in reasons))
    return reasons, wrong


def check(arguments: argparse.Namespace, errors: Any) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Trains all programs, those of a peer in one process. Returns the reasons for what is missing, and what is
    wrong."""
    peers = {name: open_peer(name, arguments.threads[0], arguments, errors) for name in arguments.peers}
    reasons: dict[tuple[str, str], str] = {}
    wrong: list[str] = []
    for program in arguments.only:
        found, others = train_and_compare(program, peers)
        reasons |= {(program, name): reason for name, reason in found.items()}
        wrong += others
    for peer in peers.values():
        peer.close()
    return reasons, wrong


def time_program(
    program: str, names: list[str], arguments: argparse.Namespace, errors: Any
) -> dict[tuple[str, int], tuple[float, float]]:
    """Steps a second and seconds of the first call, of each peer with each number of threads."""
    first: dict[tuple[str, int], float] = {}
    peers = {}
    for threads in arguments.threads:
        for name in names:
            peers[name, threads] = peer = open_peer(name, threads, arguments, errors)
            peer.ask(make=program, still=False)
            first[name, threads] = peer.ask(run=1)["seconds"]
    times = measure(peers, arguments.rounds, arguments.seconds)
    for peer in peers.values():
        peer.close()
    return {key: (1 / statistics.median(times[key]), first[key]) for key in peers}


def print_program(
    program: str, figures: dict[tuple[str, int], tuple[float, float]], arguments: argparse.Namespace
) -> None:
    for name in arguments.peers:
        cells = [program, name, str(count_peer_lines(name, program))]
        for part, form in ((0, ".0f"), (1, ".2f")):
            for threads in arguments.threads:
                figure = figures.get((name, threads))
                cells.append("-" if figure is None else format(figure[part], form))
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    arguments = parse_arguments()
    with open(arguments.errors, "w", encoding="utf-8") as errors:
        reasons, wrong = check(arguments, errors)
        for (program, name), reason in reasons.items():
            print(f"note: {program}: - for {name}: {reason}", file=sys.stderr)
        if wrong or ("flywheel" in arguments.peers and any(name == "flywheel" for _, name in reasons)):
            raise SystemExit("\n".join(["losses differ, or Flywheel's form fails", *wrong]))
        if arguments.check:
            return
        counts = [f"{n} thread{'s' * (n > 1)}" for n in arguments.threads]
        steps, calls = ([f"{what}, {count}" for count in counts] for what in ("steps/s", "first call s"))
        header = ["program", "form", "lines", *steps, *calls]
        print("| " + " | ".join(header) + " |\n" + "| --- " * len(header) + "|", flush=True)
        for program in arguments.only:
            names = [name for name in arguments.peers if (program, name) not in reasons]
            print_program(program, time_program(program, names, arguments, errors), arguments)


if __name__ == "__main__":
    main()
