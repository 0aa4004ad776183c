#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/Specification.md against the tests, both ways.

usage: scripts/check_specification.py [ROOT]

The page has a table row for each behaviour: its ID (`A5`), what holds, and links
to the tests that show it. Each of these must be a file under test/ that cites the
ID; and each ID that a source cites must have a row. A citation is a list of IDs
(`A5, A10`, also `G1 to G4` or `S1-S5`) that is either

* the beginning of a comment or docstring, followed by a colon or a full stop:
  `// A5: a read is a snapshot`, or
* alone in parentheses, after a space: `# what is read before is kept (A5, A10)`.

So `%A1`, `F32`, `(F32, I64)` in code and `C99 and C++` are none. Prints `file:line: error: ...`
for each that is wrong; exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

PAGE = "docs/Specification.md"
FOLDERS = ("benchmarks", "docs", "examples", "include", "lib", "python-bindings", "test", "tools")
# The prose of a file: comments, docstrings, pages.
SLASHES = r"//.*|/\*(?:.|\n)*?\*/"
PROSE = {
    ".c": SLASHES, ".cpp": SLASHES, ".h": SLASHES, ".mlir": SLASHES, ".td": SLASHES,
    ".md": r"(?:.|\n)*", ".py": r"\#.*|\"\"\"(?:.|\n)*?\"\"\"", ".test": r"^\#.*",
}

ID = r"[A-Z]\d{1,2}(?:\.\d)?"
SEPARATOR = r"(?:,(?:\s|//)+|(?:\s|//)+to(?:\s|//)+|-)"
LIST = rf"{ID}(?:{SEPARATOR}{ID})*"
COMMENT = r"(?://+|\#|/?\*|\"\"\")"
CITATION = re.compile(
    rf"(?:^|(?<=\s)){COMMENT}[ ]({LIST})[:.](?=\s|\"|$)"  # at the beginning, after a space
    rf"|\"\"\"({LIST})[:.](?=\s|\"|$)"  # of a docstring
    rf"|(?<=\s)\(({LIST})\)",
    re.MULTILINE,
)
ROW = re.compile(r"\| (\S+) \| (.+) \| (.+) \|$")
LINK = re.compile(r"\]\(\.\./([^)\s]+)\)")


def expand(citation: str) -> Iterator[str]:
    """The IDs of a list; those of a range, too."""
    last = ""
    for separator, name in re.findall(rf"({SEPARATOR}|^)({ID})", citation):
        name = name.partition(".")[0]
        if last and not separator.startswith(",") and last[0] == name[0]:
            yield from (f"{name[0]}{number}" for number in range(int(last[1:]) + 1, int(name[1:])))
        yield name
        last = name


def prose(file: Path) -> str:
    """The text of a file, with blanks in place of code."""
    text = file.read_text(encoding="utf-8", errors="replace")
    result, end = "", 0
    for match in re.finditer(PROSE[file.suffix], text, re.MULTILINE):
        result += re.sub(r"[^\n]", " ", text[end : match.start()]) + match.group()
        end = match.end()
    return result


def citations(text: str) -> Iterator[Tuple[int, str]]:
    """Lines, and an ID that is cited there, of a text without code."""
    for match in CITATION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        for name in expand(match.group(1) or match.group(2) or match.group(3)):
            yield line, name


def rows(page: Path) -> Iterator[Tuple[int, str, List[str]]]:
    """Lines, IDs and the paths of tests."""
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1):
        row = ROW.match(line)
        if row and re.fullmatch(ID, row.group(1)):
            yield number, row.group(1), LINK.findall(row.group(3))


def sources(root: Path) -> Iterator[Path]:
    """The files that may cite."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in PROSE and file.is_file() and file != root / PAGE:
                yield file


def check(root: Path) -> List[str]:
    """Returns the errors, one line each."""
    errors: List[str] = []
    known: Set[str] = set()
    cited: Dict[str, Set[str]] = {}
    where: List[Tuple[str, int, str]] = []
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        for line, name in citations(prose(file)):
            cited.setdefault(path, set()).add(name)
            where.append((path, line, name))
    for line, name, tests in rows(root / PAGE):
        if name in known:
            errors.append(f"{PAGE}:{line}: error: {name} has another row")
        known.add(name)
        if not tests:
            errors.append(f"{PAGE}:{line}: error: {name} names no test")
        for test in tests:
            if not test.startswith("test/") or not (root / test).is_file():
                errors.append(f"{PAGE}:{line}: error: {name}: no test '{test}'")
            elif name not in cited.get(test, set()):
                errors.append(f"{PAGE}:{line}: error: {name} is not cited in '{test}'")
    errors += [f"{path}:{line}: error: {name} is not in {PAGE}" for path, line, name in where if name not in known]
    return errors


def main() -> int:
    if set(sys.argv) & {"--help", "-h"}:
        print((__doc__ or "").strip())
        return 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = check(root)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
