# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools by one name: `python -m flywheel run ARGUMENTS...` is `flywheel-run ARGUMENTS...`.

The compiled part of the package contains the tools, so a wheel needs no other file to run them. A tool has this process
to itself, with the signals of a program that was started by itself: an interrupt ends it at once.
"""

import functools
import os
import signal
import sys
from typing import List, Optional

from . import __version__
from ._flywheel import _run_tool

TOOLS = {
    "run": "compiles a model and runs it: training on a file, evaluation, or any entry",
    "compile": "writes an object file, a C header and a manifest, or the module after a stage",
    "opt": "runs single passes and stages",
    "checkpoint": "lists and verifies the tensors of a checkpoint",
    "lsp-server": "serves an editor of .mlir files",
}


def usage() -> str:
    """Returns the text of --help."""
    lines = [f"  {name:<11} {does}" for name, does in TOOLS.items()]
    return "\n".join(["usage: python -m flywheel TOOL [ARGUMENTS...]", "       python -m flywheel --version", "",
                      "Runs flywheel-TOOL:", *lines, "",
                      "`python -m flywheel TOOL --help` lists the arguments of a tool."])  # fmt: skip


def run_tool(name: str, arguments: Optional[List[str]] = None) -> int:
    """Runs `flywheel-NAME` with the arguments, by default those of the process; returns its exit status, or ends the
    process with it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python's handler would wait until the tool has returned.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python ignores these, which a program that is started by itself does not.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    if sys.stdout is not None:  # None if the process began without one.
        sys.stdout.flush()
    command = [f"flywheel-{name}", *(sys.argv[1:] if arguments is None else arguments)]
    return _run_tool([os.fsencode(text) for text in command])


def main(arguments: List[str]) -> int:
    """Runs the tool that the first argument names; returns the exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 1
    if arguments[0] == "--version":
        print(__version__)
        return 0
    if arguments[0] not in TOOLS:
        print(f"error: expected one of {', '.join(TOOLS)}, found '{arguments[0]}'; see --help", file=sys.stderr)
        return 1
    return run_tool(arguments[0], arguments[1:])


# The programs that an installation of the package makes, such as `flywheel-run`.
run = functools.partial(run_tool, "run")
compile_ = functools.partial(run_tool, "compile")
opt = functools.partial(run_tool, "opt")
checkpoint = functools.partial(run_tool, "checkpoint")
lsp_server = functools.partial(run_tool, "lsp-server")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
