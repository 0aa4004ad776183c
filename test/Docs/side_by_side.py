# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cp -r %src_root/examples %t/examples
# RUN: cd %t && env FLYWHEEL_CACHE= %python %s
"""The programs of examples/side-by-side have as many lines as their README says, and those of Flywheel run (T30)."""

import ast
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path("examples/side-by-side")


def count_lines(path: Path) -> int:
    """Lines of code: without blank ones, comments, and the docstring of the file."""
    text = path.read_text()
    first = ast.parse(text).body[0]
    lines = text.split("\n")
    lines[first.lineno - 1 : first.end_lineno] = []
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


cells = re.findall(r"\[(\d+)\]\((\w+\.py)\)", (FOLDER / "README.md").read_text())
assert sorted(name for _, name in cells) == sorted(path.name for path in FOLDER.glob("*.py"))
for number, name in cells:
    assert count_lines(FOLDER / name) == int(number), f"{name} has {count_lines(FOLDER / name)} lines"


def run(name: str) -> str:
    return subprocess.run([sys.executable, str(FOLDER / name)], check=True, capture_output=True, text=True).stdout


assert float(run("digits_flywheel.py")) > 0.95 and Path("digits.ckpt").exists()
assert float(run("images_flywheel.py")) > 0.7
loss, text = run("writer_flywheel.py").splitlines()
# A guess among all characters has ln 128 = 4.85.
assert float(loss) < 2.5 and len(ast.literal_eval(text)) == 50, (loss, text)
