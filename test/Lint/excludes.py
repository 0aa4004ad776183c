# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Every .py, .test and .mlir file of test/ is a test that lit finds, except for those in folders of helpers and inputs.

lit leaves out each file and folder with a name in `config.excludes`, wherever it is: the name of a helper there would
leave out a new test of that name without a word.
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SUFFIXES = (".mlir", ".test", ".py")


def excluded_names(text: str) -> "list[str]":
    """Returns the names in `config.excludes`. Raises ValueError if this list, or `config.suffixes`, is not set once."""
    lists = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("config.excludes", "config.suffixes"):
            if ast.unparse(node.targets[0]) in lists:
                raise ValueError(f"line {node.lineno}: expected a list that is set once")
            lists[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    uses = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
    uses = [node for node in uses if ast.unparse(node) in ("config.excludes", "config.suffixes")]
    if len(uses) != len(lists):
        raise ValueError(f"line {uses[-1].lineno}: expected a list that is set once")
    return list(lists.get("config.excludes", []))


def wrong_names(names: "list[str]", tests: Path) -> "list[str]":
    """Returns the names that are not those of folders alone."""
    found = {name: [path for path in tests.rglob(name) if path != tests / "lit.cfg.py"] for name in names}
    return [name for name, paths in found.items() if name != "lit.cfg.py" and (
        not paths or not all(path.is_dir() for path in paths))]  # fmt: skip


names = excluded_names((TESTS / "lit.cfg.py").read_text(encoding="utf-8"))
wrong = wrong_names(names, TESTS)
assert not wrong, f"test/lit.cfg.py: config.excludes has {wrong}: expected folders, such as test/Support for helpers"
assert wrong_names([*names, "cases.py"], TESTS) == ["cases.py"]
for path in TESTS.rglob("lit.local.cfg"):
    assert not wrong_names(excluded_names(path.read_text(encoding="utf-8")), TESTS), path
for text in ("config.excludes = []\nconfig.excludes += ['a.py']\n", "config.excludes = [*config.excludes, 'a.py']\n",
             "config.excludes = []\nconfig.excludes.append('a.py')\n", "config.excludes = names()\n"):  # fmt: skip
    try:
        excluded_names(text)
    except ValueError:
        continue
    raise AssertionError(text)

# A folder that lit leaves out has no tests, and the others have nothing else.
for path in TESTS.rglob("*"):
    if path.suffix not in SUFFIXES or path == TESTS / "lit.cfg.py" or not path.is_file():
        continue
    helper = any(part in names for part in path.relative_to(TESTS).parts)
    is_test = re.search(r"^\W*RU[N]:", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE) is not None
    where = path.relative_to(TESTS.parent)
    assert helper or is_test, f"{where} has no RUN line: expected helpers in test/Support, and files to read in Inputs"
    assert not helper or not is_test, f"{where} has a RUN line in a folder without tests"
