# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A terminal is told of compiling that takes long, and nothing else is."""

import os
import pty
import subprocess
import sys

PROGRAM = """
import sys, time
import numpy as np
import flywheel as fw
from flywheel._programs import _progress, compilation
assert _progress._PATIENCE == 2.0
_progress._PATIENCE = 0.05
compile_traced = compilation._flywheel._compile_traced

def slowly(*args, **options):
    time.sleep(float(sys.argv[1]))
    return compile_traced(*args, **options)

compilation._flywheel._compile_traced = slowly
print(fw.function(lambda x: x + 1.0, name="step")(np.ones(1, np.float32)))
"""


def run(seconds: float, is_terminal: bool, progress: str = "on") -> str:
    """Returns what the program writes to stderr."""
    environment = {**os.environ, "FLYWHEEL_CACHE": "", "FLYWHEEL_PROGRESS": progress}
    own, other = pty.openpty() if is_terminal else os.pipe()
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(seconds)], stdout=subprocess.PIPE, stderr=other,
                          env=environment) as child:  # fmt: skip
        os.close(other)
        assert child.stdout is not None and child.stdout.read() == b"[2.]\n"
    found = b""
    while True:
        try:
            part = os.read(own, 4096)
        except OSError:
            # The end of a terminal.
            part = b""
        if not part:
            os.close(own)
            return found.decode().replace("\r\n", "\n")
        found += part


if __name__ == "__main__":
    lines = run(1.0, is_terminal=True).splitlines()
    assert len(lines) == 2, lines
    assert lines[0] == "flywheel: compiling 'step' ... (FLYWHEEL_PROGRESS=off: no such lines)", lines
    assert lines[1].startswith("flywheel: compiled 'step' in ") and lines[1].endswith(" s"), lines
    assert run(1.0, is_terminal=False) == ""
    for off in ("", "0", "off"):
        assert run(1.0, is_terminal=True, progress=off) == ""
