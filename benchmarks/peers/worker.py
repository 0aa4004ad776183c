# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One peer in a process of its own. Reads commands from standard input, a line of JSON
each, and answers each with a line on standard output:

  {"make": row, "sizes": {}, "still": true, "folder": path}   prepares a row's step
  {"run": n}                                                   runs n steps: seconds, the last loss

Flywheel comes first: it writes its initial values, which the others start from, to
the folder.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from process import restrict, serve

PEERS = ("flywheel", "jax", "torch", "torch-compile", "tf", "tf-xla")
# Flywheel with convolutions by Winograd's method: only where it is named.
WINOGRAD = "flywheel-winograd"


def make_feeds(row: Any) -> list[Any]:
    import numpy as np

    rng = np.random.default_rng(1)
    feeds = []
    for feed in row.feeds.values():
        if feed.bound is None:
            feeds.append(rng.standard_normal(feed.shape, np.float32))
        else:
            feeds.append(rng.integers(0, feed.bound, feed.shape).astype(feed.dtype))
    return feeds


class StoredValues(Mapping):
    """The variables `names` of the checkpoint in `path`, each read when it is asked for: all of them at once would
    count as a peer's memory, as would a mapped file."""

    def __init__(self, path: str, names: list[str]) -> None:
        self.path, self.names = path, names
        with open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            self.header = json.loads(file.read(size))
        self.start = 8 + size

    def __getitem__(self, name: str) -> Any:
        import numpy as np

        begin, end = self.header[name]["data_offsets"]
        flat = np.fromfile(self.path, np.float32, (end - begin) // 4, offset=self.start + begin)
        return flat.reshape(self.header[name]["shape"])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def make(peer: str, threads: int, target: str, command: dict[str, Any]) -> Any:
    from drawn import make_row

    row = make_row(command["make"], command["sizes"])
    feeds = make_feeds(row)
    path = os.path.join(command["folder"], "values.safetensors")
    still = command["still"]
    if peer in ("flywheel", WINOGRAD):
        from ours import Flywheel

        ours = Flywheel(row, {}, feeds, still, threads, target, winograd=peer == WINOGRAD)
        if still and peer == "flywheel":
            ours.session.save(path)
            with open(path + ".json", "w", encoding="utf-8") as file:
                json.dump({"weights": ours.weights(), "trained": ours.trained(row.trained)}, file)
        return ours
    with open(path + ".json", encoding="utf-8") as file:
        names = json.load(file)
    values, trained = StoredValues(path, names["weights"]), names["trained"]
    if peer == "jax":
        from jax_peer import Jax

        return Jax(row, values, trained, feeds, still)
    if peer.startswith("torch"):
        import torch
        from torch_peer import Torch

        torch.set_num_threads(threads)
        if target != "cpu":
            torch.set_default_device("cuda")
        return Torch(row, values, trained, feeds, still, peer == "torch-compile")
    from tensorflow_peer import TensorFlow

    return TensorFlow(row, values, trained, feeds, still, peer == "tf-xla")


def run(step: Any, count: int) -> dict[str, Any]:
    start = time.perf_counter()
    for _ in range(count):
        loss = step.step()
    if hasattr(step, "wait"):
        step.wait()
    value = float(loss)
    return {"seconds": time.perf_counter() - start, "loss": value}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", choices=[*PEERS, WINOGRAD], required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--target", default="cpu")
    arguments = parser.parse_args()
    restrict(arguments.threads, arguments.target)
    step: Any = None

    def answer(command: dict[str, Any]) -> dict[str, Any]:
        nonlocal step
        if "run" in command:
            return run(step, command["run"])
        step = None
        gc.collect()
        step = make(arguments.peer, arguments.threads, arguments.target, command)
        return {"compile": step.compile_seconds, "workspace": step.workspace_bytes}

    serve(answer)


if __name__ == "__main__":
    main()
