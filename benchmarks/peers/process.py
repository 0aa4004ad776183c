# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers as the benchmarks see them; see `worker.py` for what they are asked."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


class Peer:
    """A worker's process. `package` is the folder of the `flywheel` package, if it is not that of this process."""

    def __init__(self, name: str, python: str, threads: int, target: str, errors: Any, package: str = "") -> None:
        self.name = name
        command = [python, os.path.join(HERE, "worker.py"), "--peer", name, "--threads", str(threads)]
        command += ["--target", target]
        environment = {**os.environ, "PYTHONPATH": package} if package else None
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
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
