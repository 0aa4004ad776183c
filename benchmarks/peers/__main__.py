#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole train steps, side by side: Flywheel, JAX (jit, donated state), PyTorch (eager and
torch.compile) and TensorFlow (tf.function, with and without XLA).

Each peer is in a process of its own, on the same cores, and one runs at a time: round by
round, in turn. Before anything is timed, three steps from the same values have to give the
same losses to 1e-3, with whatever is drawn at random held still. A figure is the median
over rounds; a ratio is the median of those of each round, so that what slows the machine
down cancels out: above 1, Flywheel is faster. `first call` is the time of tracing and
compiling, `memory` the most that the process has taken, `workspace` what the step takes
beside variables and feeds, where the peer says it.

usage: PYTHONPATH=build/python python benchmarks/peers [--threads N] [--rows NAME...]
           [--set ROW.SIZE=N[,N...]...] [--drawn N [--seed S]] [--json FILE]

With several sizes (`--set mlp-deep.layers=10,50,200`) the row is measured with each: how
steps, compile times and memory grow. `--drawn 100 --seed 7` measures 100 steps of sizes that are drawn at random in
place of the rows (`drawn.py`), and prints the distribution of the ratios to the best peer, with the worst ten.

Flywheel's process is run by this Python; the peers' by --peers-python, whose default is the
same. Peers that are not installed (requirements.txt lists them) are left out. `--peers flywheel
flywheel-winograd` compares steps with convolutions by Winograd's method.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from drawn import draw, make_row  # noqa: E402
from process import Peer, measure  # noqa: E402
from rows import ROWS  # noqa: E402
from worker import PEERS, WINOGRAD  # noqa: E402

VERSIONS = """
import importlib.metadata
for name in ("jax", "torch", "tensorflow-cpu"):
    try:
        print(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        pass
"""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="cores to use (1)")
    parser.add_argument("--target", default="cpu", help="what steps run on: cpu, or a GPU for all, cuda:sm_90a (cpu)")
    parser.add_argument("--rounds", type=int, default=11, help="rounds (11)")
    parser.add_argument("--seconds", type=float, default=0.2, help="length of a round and peer (0.2)")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS), metavar="ROW")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=[*PEERS, WINOGRAD], metavar="PEER")
    parser.add_argument("--peers-python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--set", nargs="+", default=[], metavar="ROW.SIZE=N[,N...]", help="sizes of rows")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="N steps drawn at random, in place of rows")
    parser.add_argument("--seed", type=int, default=0, help="what --drawn draws (0)")
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--errors", default=os.devnull, help="file of what the peers print (none)")
    arguments = parser.parse_args()
    sizes: dict[str, dict[str, list[int]]] = {row: {} for row in ROWS}
    for setting in arguments.set:
        try:
            path, values = setting.split("=")
            row, size = path.split(".")
            sizes[row][size] = [int(value) for value in values.split(",")]
            make_row(row, {size: sizes[row][size][0]})
        except KeyError as error:
            parser.error(f"--set {setting}: there is no row {error}")
        except ValueError as error:
            parser.error(f"--set {setting}: expected ROW.SIZE=N[,N...]: {error}")
    arguments.variants = [
        (row, dict(zip(sizes[row], values, strict=True)))
        for row in arguments.rows
        for values in itertools.product(*sizes[row].values())
    ]
    if arguments.drawn:
        arguments.variants = [("drawn", {"seed": arguments.seed, "number": i}) for i in range(arguments.drawn)]
    return arguments


def check_losses(peers: dict[str, Peer]) -> dict[str, str]:
    """Three steps of each; why a peer is left out."""
    wrong = {}
    expected: list[float] = []
    for name, peer in peers.items():
        answers = [peer.ask(run=1) for _ in range(3)]
        if "error" in answers[-1]:
            wrong[name] = answers[-1]["error"]
            continue
        losses = [answer["loss"] for answer in answers]
        expected = expected or losses
        if any(not abs(a - b) <= 1e-3 * abs(b) + 1e-12 for a, b in zip(losses, expected, strict=True)):
            wrong[name] = f"expected losses {expected}, found {losses}"
    return wrong


def compare(
    row: str, sizes: dict[str, int], arguments: argparse.Namespace, peers: dict[str, Peer]
) -> dict[str, dict[str, Any]]:
    """Figures of each peer that can run the row."""
    figures: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for still in (True, False):
            if not still and not make_row(row, sizes).file:
                break  # Nothing is drawn at random.
            for name in list(figures) or list(peers):
                answer = peers[name].ask(make=row, sizes=sizes, still=still, folder=folder)
                if "missing" in answer or "error" in answer:
                    print(f"note: {row}: without {name}: {answer.get('missing') or answer['error']}", file=sys.stderr)
                    figures.pop(name, None)
                    if name == "flywheel":
                        return {}
                else:
                    figures[name] = answer
            if still:
                for name, why in check_losses({name: peers[name] for name in figures}).items():
                    print(f"note: {row}: without {name}: {why}", file=sys.stderr)
                    del figures[name]
    times = measure({name: peers[name] for name in figures}, arguments.rounds, arguments.seconds)
    for name, samples in times.items():
        figures[name]["median"] = statistics.median(samples)
        figures[name]["minimum"] = min(samples)
        pairs = zip(samples, times["flywheel"], strict=True)
        figures[name]["ratio"] = statistics.median(peer / ours for peer, ours in pairs)
        figures[name]["memory"] = peers[name].ask(run=1)["memory"]
    return figures


def describe_conditions(arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns the conditions of the figures: the machine, the day, the versions of the peers and the command."""
    found = subprocess.run([arguments.peers_python, "-c", VERSIONS], capture_output=True, text=True, check=False)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpus = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    command = ["python benchmarks/peers", f"--threads {arguments.threads}", f"--rounds {arguments.rounds}",
               f"--seconds {arguments.seconds:g}"]  # fmt: skip
    if arguments.drawn:
        command.append(f"--drawn {arguments.drawn} --seed {arguments.seed}")
    elif arguments.rows != list(ROWS):
        command.append("--rows " + " ".join(arguments.rows))
    return {
        "threads": arguments.threads,
        "machine": f"{len(cpus)} processors of {cpus[0] if cpus else 'an unknown CPU'}",
        "date": datetime.date.today().isoformat(),
        "versions": found.stdout.splitlines(),
        "command": " ".join(command),
    }


def print_row(row: str, figures: dict[str, dict[str, Any]]) -> None:
    for name, figure in figures.items():
        workspace = f"{figure['workspace'] / 1e6:9.2f}" if figure["workspace"] is not None else ""
        title = row if name == "flywheel" else ""
        print(
            f"{title:26} {name:17} {figure['median'] * 1e3:10.3f} {figure['minimum'] * 1e3:10.3f} "
            f"{figure['ratio']:8.2f} {figure['compile']:8.2f} {figure['memory'] / 1e6:8.0f} {workspace:>9}",
            flush=True,
        )


def print_distribution(best: dict[str, tuple[float, str]]) -> None:
    """Prints how the ratios to the best peer are distributed, of all steps and of each kind, and the worst ten."""
    kinds: dict[str, list[float]] = {"all": [ratio for ratio, _ in best.values()]}
    for row, (ratio, _) in best.items():
        kinds.setdefault(row.split()[1], []).append(ratio)
    for kind, ratios in kinds.items():
        ratios.sort()
        tenth, median = ratios[len(ratios) // 10], statistics.median(ratios)
        print(f"{kind:12} of {len(ratios):3}: least {ratios[0]:.2f}, tenth percentile {tenth:.2f}, median {median:.2f}")
    for row, (ratio, peer) in sorted(best.items(), key=lambda entry: entry[1])[:10]:
        print(f"{ratio:6.2f} {peer:14} {row}")


def main() -> None:
    arguments = parse_arguments()
    results: dict[str, dict[str, dict[str, Any]]] = {}
    print(
        f"{'row':26} {'peer':17} {'median ms':>10} {'min ms':>10} {'ratio':>8} {'first s':>8} "
        f"{'MB':>8} {'workspace':>9}"
    )
    with open(arguments.errors, "w", encoding="utf-8") as errors:
        for row, sizes in arguments.variants:
            # Fresh processes, so that `memory` is the row's.
            peers = {
                name: Peer(name, sys.executable if name in ("flywheel", WINOGRAD) else arguments.peers_python,
                           arguments.threads, arguments.target, errors)
                for name in ("flywheel", *(peer for peer in arguments.peers if peer != "flywheel"))
            }  # fmt: skip
            title = " ".join([row, *(f"{size}={value}" for size, value in sizes.items())])
            if arguments.drawn:
                title = f"{sizes['number']}: {draw(**sizes)[1]}"
            results[title] = compare(row, sizes, arguments, peers)
            for peer in peers.values():
                peer.close()
            print_row(title, results[title])
    for name in arguments.peers:
        ratios = [figures[name]["ratio"] for figures in results.values() if name in figures]
        if ratios and name != "flywheel":
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"{name}: geometric mean of {len(ratios)} ratios {mean:.2f}, least {min(ratios):.2f}")
    best = {
        row: min((figure["ratio"], name) for name, figure in figures.items() if name not in ("flywheel", WINOGRAD))
        for row, figures in results.items()
        if not figures.keys() <= {"flywheel", WINOGRAD}
    }
    if best:
        ratios = sorted(ratio for ratio, _ in best.values())
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"best peer of each row: geometric mean {mean:.2f}, least {ratios[0]:.2f}")
    if best and arguments.drawn:
        print_distribution(best)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({**describe_conditions(arguments), "rows": results}, file, indent=2)


if __name__ == "__main__":
    main()
