# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the blocks of Python of a page, as a reader would who types them one after the other.

usage: execute_page.py PAGE --folder FOLDER [--prelude FILE] [--under HEADING]

The blocks share their names, and are executed in FOLDER, which is made anew and has `examples` of the repository.
`--prelude` is a program that makes what a page takes for granted, such as a session; it is executed first, and may
define a function `check` that is called at the end. With `--under`, only the blocks below headings of that text are
executed. Errors have the lines of the page. It is an error that there is no block.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parent.parent.parent


def blocks_of(text: str, under: str) -> List[Tuple[int, str]]:
    """Yields blocks of Python, with the number of the line before each."""
    blocks = []
    lines = text.split("\n")
    inside = not under
    start = -1
    fence = ""
    for number, line in enumerate(lines):
        if fence:
            if line == "```":
                if fence == "```python" and inside:
                    blocks.append((start, "\n".join(lines[start:number])))
                fence = ""
        elif line.startswith("```"):
            fence, start = line, number + 1
        elif under and re.match(r"#+ ", line):
            inside = line.lstrip("# ") == under
    return blocks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--prelude", type=Path)
    parser.add_argument("--under", default="")
    options = parser.parse_args()

    blocks = blocks_of(options.page.read_text(encoding="utf-8"), options.under)
    if not blocks:
        sys.exit(f"{options.page}: no blocks of Python" + (f" under '{options.under}'" if options.under else ""))
    prelude = options.prelude.read_text(encoding="utf-8") if options.prelude else ""
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    (options.folder / "examples").symlink_to(ROOT / "examples")
    os.chdir(options.folder)
    names: Dict[str, Any] = {"__name__": "__main__"}
    exec(compile(prelude, str(options.prelude), "exec"), names)
    for start, block in blocks:
        exec(compile("\n" * start + block, str(options.page), "exec"), names)
    if "check" in names:
        names["check"]()


if __name__ == "__main__":
    main()
