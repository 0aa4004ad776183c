#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eleven small programs that train, each as users of Flywheel, PyTorch, JAX (flax.nnx and optax) and Keras 3 (on JAX)
write it: lines of code, steps a second with one thread and with two, seconds of the first call.

The forms are in `forms`; a form makes its model and optimizer, and has a function `train(batches)`, an epoch. All are
given the same weights and batches (`programs.py`), and their losses are compared first, with dropout at a rate of
0: a form whose losses differ fails the run by name. Then each form has a process for each number of threads, with
nothing that was compiled before, and all of them train in turn, round by round. A figure is the median of the rounds.

Lines are those with code: without blank ones, comments and docstrings. PyTorch's two columns are one form, which
decorates what it compiles: the eager column ignores these decorators, and has a line less for each.

With `--quick` a form has one process, the one that has compared its losses, with as many threads as the first of
`--threads`; `torch-compile` and first calls are left out. `--write` adds the table to the text that is printed, as
Markdown or, by the name of the file, JSON.

usage: PYTHONPATH=build/python python benchmarks/programs [--peers-python PYTHON] [--only PROGRAM...]
                                                          [--check | --quick] [--write FILE...]
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import sys
from collections.abc import Mapping
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "peers")]

from process import Peer, measure  # noqa: E402
from programs import PROGRAMS  # noqa: E402
from table import Table  # noqa: E402
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
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare losses, and measure nothing")
    mode.add_argument("--quick", action="store_true", help="compare and measure in one process for each form")
    parser.add_argument("--write", nargs="+", default=[], metavar="FILE", help="files for the table: .md, .json")
    parser.add_argument("--errors", default=os.devnull, help="file of what the peers print (none)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.threads = arguments.threads[:1]
        arguments.peers = [name for name in arguments.peers if name != "torch-compile"]
    return arguments


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


class Comparison:
    """The losses of the forms: why peers cannot train a program, and which ones have other losses than the first."""

    def __init__(self) -> None:
        self.losses: dict[str, list[float]] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self.wrong: list[str] = []

    def train(self, program: str, peers: Mapping[str, Peer]) -> None:
        """Trains a program in all forms, and prints the losses of the first one."""
        for name, peer in peers.items():
            answers = [peer.ask(make=program, still=True)]
            # Epochs of a step, and one of several: a form may do something every few steps.
            for count in (1, 1, PROGRAMS[program].steps - 2):
                if not why_not(answers[-1]):
                    answers.append(peer.ask(run=count))
            reason = why_not(answers[-1])
            if reason:
                self.reasons[program, name] = reason
                continue
            losses = [answer["loss"] for answer in answers[1:]]
            expected = self.losses.setdefault(program, losses)
            if any(not abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(losses, expected)):
                self.wrong.append(f"{program}: {name}: expected losses {expected}, found {losses}")

    def list_of(self, program: str, peers: Mapping[str, Peer]) -> list[str]:
        """The peers that train a program."""
        return [name for name in peers if (program, name) not in self.reasons]

    def finish(self) -> None:
        """Raises SystemExit if losses differ, or a form of Flywheel fails; notes what is missing."""
        for (program, name), reason in self.reasons.items():
            print(f"note: {program}: - for {name}: {reason}", file=sys.stderr)
        if self.wrong or any(name == "flywheel" for _, name in self.reasons):
            raise SystemExit("\n".join(["losses differ, or Flywheel's form fails", *self.wrong]))


def open_peers(arguments: argparse.Namespace, errors: Any) -> dict[str, Peer]:
    return {name: open_peer(name, arguments.threads[0], arguments, errors) for name in arguments.peers}


def close(peers: Mapping[Any, Peer]) -> None:
    for peer in peers.values():
        peer.close()


def check(arguments: argparse.Namespace, errors: Any) -> Comparison:
    """Trains all programs, those of a peer in one process."""
    comparison, peers = Comparison(), open_peers(arguments, errors)
    for program in arguments.only:
        comparison.train(program, peers)
        losses = (f"{loss:.4f}" for loss in comparison.losses.get(program, ()))
        print(f"{program}: losses", *losses, "of", *comparison.list_of(program, peers), flush=True)
    close(peers)
    comparison.finish()
    return comparison


Figures = dict[tuple[str, int], float]


def time_peers(
    program: str, peers: Mapping[tuple[str, int], Peer], arguments: argparse.Namespace
) -> tuple[Figures, Figures]:
    """Steps a second and seconds of the first call, of each peer with each number of threads."""
    first: Figures = {}
    for key, peer in peers.items():
        peer.ask(make=program, still=False)
        first[key] = peer.ask(run=1)["seconds"]
    times = measure(peers, arguments.rounds, arguments.seconds)
    return {key: 1 / statistics.median(times[key]) for key in peers}, first


def add_program(
    table: Table, program: str, comparison: Comparison, speed: Figures, first: Figures, arguments: argparse.Namespace
) -> None:
    table.add_losses(program, comparison.losses.get(program, []))
    for name in arguments.peers:
        own, calls = ({n: figures[name, n] for n in arguments.threads if (name, n) in figures}
                      for figures in (speed, first))  # fmt: skip
        lines = count_peer_lines(name, program)
        table.add(program, name, lines, own, calls, comparison.reasons.get((program, name)))


def measure_apart(arguments: argparse.Namespace, comparison: Comparison, errors: Any) -> Table:
    """Measures each program in processes of its own."""
    table = Table(arguments.threads, has_first_calls=True)
    for program in arguments.only:
        names = [name for name in arguments.peers if (program, name) not in comparison.reasons]
        peers = {(name, n): open_peer(name, n, arguments, errors) for n in arguments.threads for name in names}
        speed, first = time_peers(program, peers, arguments)
        close(peers)
        add_program(table, program, comparison, speed, first, arguments)
    return table


def measure_quickly(arguments: argparse.Namespace, errors: Any) -> Table:
    """Compares and measures all programs, those of a peer in one process."""
    comparison, peers = Comparison(), open_peers(arguments, errors)
    table = Table(arguments.threads, has_first_calls=False)
    for program in arguments.only:
        comparison.train(program, peers)
        able = {(name, arguments.threads[0]): peers[name] for name in comparison.list_of(program, peers)}
        speed, _ = time_peers(program, able, arguments)
        add_program(table, program, comparison, speed, {}, arguments)
    close(peers)
    comparison.finish()
    return table


def main() -> None:
    arguments = parse_arguments()
    with open(arguments.errors, "w", encoding="utf-8") as errors:
        if arguments.quick:
            table = measure_quickly(arguments, errors)
        else:
            comparison = check(arguments, errors)
            if arguments.check:
                return
            table = measure_apart(arguments, comparison, errors)
    table.summarize()
    for path in arguments.write:
        table.write(path)


if __name__ == "__main__":
    main()
