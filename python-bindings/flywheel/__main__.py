# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools by one name: `python -m flywheel run ARGUMENTS...` is `flywheel-run ARGUMENTS...`.

A build tree has the tools in `bin`, beside the folder `python` of the package. A package elsewhere, such as one
of a wheel, uses those on PATH: wheels do not contain them, as each has 13 MB.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import List, Optional

from . import __version__

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


def path_of(tool: str) -> Optional[str]:
    """Returns the path of a tool of the build tree that this package is in, or of the one on PATH."""
    built = Path(__file__).parent.parent.parent / "bin" / tool
    return str(built) if os.access(built, os.X_OK) else shutil.which(tool)


def main(arguments: List[str]) -> int:
    """Runs the tool that the first argument names; returns the exit status if there is nothing to run."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 1
    if arguments[0] == "--version":
        print(__version__)
        return 0
    if arguments[0] not in TOOLS:
        print(f"error: expected one of {', '.join(TOOLS)}, found '{arguments[0]}'; see --help", file=sys.stderr)
        return 1
    tool = f"flywheel-{arguments[0]}"
    path = path_of(tool)
    if path is None:
        print(f"error: {tool} is neither in the build tree of this package ({Path(__file__).parent}) nor on PATH; "
              f"wheels do not contain it: run `scripts/build {tool}` in a checkout, and add build/bin to PATH",
              file=sys.stderr)  # fmt: skip
        return 1
    sys.stdout.flush()
    # In place of this process: signals and the exit status are those of the tool.
    os.execv(path, [path, *arguments[1:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
