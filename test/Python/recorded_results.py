# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Recorded results of other frameworks (test/Support/recordings.py) are read as they were written, and a comparison
with another number, shape, dtype, word or program fails."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Tuple

import numpy as np

import recordings
from recordings import FOLDER, MOST, Sample, compare, decode, encode

LARGEST_FILE = 50 * 1024
LARGEST_FOLDER = 2 * 1024 * 1024


def fails(action: Callable[[], Any], what: str) -> None:
    try:
        action()
    except AssertionError:
        return
    raise AssertionError(f"{what} is not found")


LEAVES = [
    np.float32(0.1), np.float64(1) / 3, np.array([1.5, -0.0, np.inf, -np.inf]), np.array([[1, 2], [3, 4]], np.int8),
    np.array([True, False]), np.complex64(1 + 2j), np.array([1 + 2j, 3 - 1j], np.complex128),
    np.zeros((0, 3), np.float32), np.float16(0.1),
    np.arange(1000.0).reshape(10, 100), np.array([[np.nan, 2.0]], np.float32),
    np.array(["a", b"b"], object), None, "a word", b"\xff", True,
]  # fmt: skip


def test_leaves() -> None:
    for leaf in LEAVES:
        read = decode(json.loads(json.dumps(encode(leaf))))
        compare(leaf, read, repr(leaf), rtol=1e-11, atol=0)


def test_samples() -> None:
    whole = np.arange(1000.0).reshape(10, 100)
    read = decode(encode(whole))
    assert isinstance(read, Sample) and read.values.size == MOST and len(set(read.values)) == MOST
    other = whole.copy()
    other.reshape(-1)[int(read.values[3])] += 1e-3
    fails(lambda: compare(other, read, "", 1e-9, 1e-9), "another element")


def test_differences() -> None:
    read = decode(encode(np.array([1.0, 2.0], np.float32)))
    compare(np.array([1.0, 2.0], np.float32), read, "", 1e-6, 1e-6)
    for own in (np.array([1.0, 2.001], np.float32), np.array([1.0, 2.0]), np.array([[1.0, 2.0]], np.float32)):
        fails(lambda own=own: compare(own, read, "", 1e-6, 1e-6), str(own))  # type: ignore[misc]
    fails(lambda: compare("b", "a", "", 0, 0), "another word")
    kinds: List[Tuple[Any, Any]] = [(np.ones((1,), np.int64), True), (1.0, True), (np.array(["a"]), "a"), (0, None)]
    for one, other in kinds:
        fails(lambda one=one, other=other: compare(one, other, "", 0, 0), f"{one!r} for {other!r}")  # type: ignore[misc]
    fails(lambda: compare(np.array([b"a"], object), [b"b"], "", 0, 0), "another object")


def test_altered_files() -> None:
    """A recorded array is not equal to one with another first number."""
    for file in sorted(FOLDER.glob("*.json")):
        programs = json.loads(file.read_text(encoding="utf-8"))["programs"]
        for program, leaves in programs.items():
            for place, leaf in enumerate(leaves):
                name = next(iter(leaf), "") if isinstance(leaf, dict) else ""
                if not name.startswith(("float", "int")) or leaf[name] == []:
                    continue
                check_altered(leaf, name, f"{file.name}, {program}, {place}")


def check_altered(leaf: Any, name: str, what: str) -> None:
    other = copy.deepcopy(leaf)
    first = np.atleast_1d(np.asarray(leaf[name], float))
    if not np.isfinite(first[0]):
        return
    first[0] += 1 + abs(first[0])
    other[name] = first.tolist() if isinstance(leaf[name], list) else first[0]
    a, b = decode(leaf), decode(other)
    own = np.resize(a.values, a.shape).astype(a.dtype)
    if np.array_equal(recordings.sampled(own, b.values.size), a.values, equal_nan=True):
        compare(own, a, what, rtol=2e-3, atol=2e-4)
    fails(lambda: compare(own, b, what, rtol=2e-3, atol=2e-4), what)


def test_recording() -> None:
    """A file that is recorded is read again; a program that it lacks is an error that says what to run."""
    with tempfile.TemporaryDirectory() as folder:
        made = recordings.Recordings("made", "json")
        made._folder = folder
        assert made.is_live
        versions, recordings.versions_of = recordings.versions_of, lambda *_: {}
        try:
            made.expect("one", lambda: [np.float32(0.5), "a"])
        finally:
            recordings.versions_of = versions
        known, recordings.FOLDER = recordings.FOLDER, Path(folder)
        try:
            read = recordings.Recordings("made", "no_such_package")
        finally:
            recordings.FOLDER = known
        assert "one" in read and "other" not in read
        number, word = read.expect("one", lambda: [])
        assert number.values.tolist() == [0.5] and word == "a"
        fails(lambda: read.expect("other", lambda: []), "a program that is not recorded")


def test_sizes() -> None:
    files = [file for file in FOLDER.rglob("*") if file.is_file()]
    assert all(file.stat().st_size <= LARGEST_FILE for file in files), max(files, key=lambda file: file.stat().st_size)
    assert sum(file.stat().st_size for file in files) <= LARGEST_FOLDER


if __name__ == "__main__":
    test_leaves()
    test_samples()
    test_differences()
    test_altered_files()
    test_recording()
    test_sizes()
