#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums JUnit results and prints `N passed, N failed` as the last line.

Exits with 1 if a test failed or did not end, or if a file is missing, unreadable
or empty.
"""

import sys
import xml.etree.ElementTree as ET
from typing import NamedTuple


class Count(NamedTuple):
    """Tests by how they ended."""

    passed: int
    failed: int
    skipped: int


def count(path: str) -> Count:
    """Counts the test cases of one JUnit file."""
    passed = failed = skipped = 0
    for case in ET.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif (skip := case.find("skipped")) is not None and skip.get("message") == "User interrupt":
            # Lit's message for a test whose time was up.
            print(f"{path}: {case.get('classname')}.{case.get('name')} did not end", file=sys.stderr)
            failed += 1
        elif skip is not None or case.get("status") == "disabled":
            skipped += 1
        else:
            passed += 1
    return Count(passed, failed, skipped)


def main(paths: list[str]) -> int:
    """Prints a line for each file and the sum."""
    total = Count(0, 0, 0)
    for path in paths:
        try:
            found = count(path)
        except (OSError, ET.ParseError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            found = Count(0, 1, 0)
        if sum(found) == 0:
            print(f"{path}: no tests ran", file=sys.stderr)
            found = Count(0, 1, 0)
        print(f"{path}: {found.passed} passed, {found.failed} failed, {found.skipped} skipped")
        total = Count(*(a + b for a, b in zip(total, found, strict=True)))
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
