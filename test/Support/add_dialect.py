# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what a page (docs/HowTo/AddDialect.md) does: builds its project with an installed build, and trains its model.

usage: add_dialect.py PAGE --build BUILD --folder FOLDER --cc COMPILER --cxx COMPILER

FOLDER is made anew. The files of the page are those of test/Plugin, which others test. Prints what its commands and its
program in Python print.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from how_to import ROOT, run

SAME = {"Toy.td": "test/Plugin/Toy.td", "Toy.cpp": "test/Plugin/Toy.cpp", "toy.mlir": "test/Plugin/Inputs/toy.mlir"}


def without_licence(text: str) -> str:
    """Returns a source without the comment that it begins with."""
    return re.sub(r"\A// SPDX[^\n]*\n(//[^\n]*\n)*\n*", "", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()

    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    project, prefix = folder / "toy", folder / "prefix"
    project.mkdir(parents=True)
    run(["cmake", "--install", str(options.build), "--prefix", str(prefix)], folder)
    tools = {"PATH": f"{prefix / 'bin'}:/usr/bin:/bin", "CC": options.cc, "CXX": options.cxx, "FLYWHEEL_CACHE": ""}
    text = options.page.read_text(encoding="utf-8")
    written = set()
    for found in re.finditer(r"^```(\w+)\n(.*?\n)```$", text, re.DOTALL | re.MULTILINE):
        language, block = found.groups()
        if language == "sh":
            print(run(["bash", "-ec", re.sub(r"\bPREFIX\b", str(prefix), block)], project, **tools))
        elif language == "python":
            print(run([sys.executable, "-c", block], project, FLYWHEEL_CACHE=""))
        else:
            # The last paragraph before the block names the file.
            paragraph = text[: found.start()].rstrip().rpartition("\n\n")[2]
            name = re.findall(r"`(\w+\.\w+)`", paragraph)[0]
            (project / name).write_text(block, encoding="utf-8")
            written.add(name)
            if name in SAME:
                kept = (ROOT / SAME[name]).read_text(encoding="utf-8")
                assert without_licence(kept) == block, f"{name} of the page is not {SAME[name]}"
    assert written == {*SAME, "CMakeLists.txt"}, written


main()
