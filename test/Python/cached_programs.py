# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE=%t %python %s %t
"""Entries of the program cache that are damaged, or another program's: the program is compiled again, and never another
one runs (T22)."""

import os
import resource
import signal
import stat
import sys
from typing import Callable, Dict

import numpy as np

import flywheel as fw
from flywheel._programs import compilation

FOLDER = sys.argv[1]
X = np.arange(3, dtype=np.float32)


def run(factor: float) -> None:
    """Compiles x * factor, or takes it from the cache, and runs it."""
    # The programs of this process.
    compilation._programs.clear()
    found = np.asarray(fw.function(lambda x: x * factor)(X))
    assert np.array_equal(found, X * factor), f"x * {factor} is {found / np.maximum(X, 1)} times x"


def entries() -> Dict[str, int]:
    """The files of the cache, and which ones they are."""
    paths = [os.path.join(FOLDER, name) for name in os.listdir(FOLDER)]
    return {path: os.lstat(path).st_ino for path in paths}


run(2.0)
((DOUBLE, FIRST),) = entries().items()
with open(DOUBLE, "rb") as file:
    BYTES = file.read()
run(3.0)
(TRIPLE,) = set(entries()) - {DOUBLE}
with open(TRIPLE, "rb") as file:
    OTHER = file.read()


def write(data: bytes) -> Callable[[], None]:
    def action() -> None:
        with open(DOUBLE, "wb") as file:
            file.write(data)

    return action


def flipped(place: int) -> bytes:
    changed = bytearray(BYTES)
    changed[place] ^= 16
    return bytes(changed)


def sparse() -> None:
    with open(DOUBLE, "wb") as file:
        file.write(BYTES)
        file.truncate(1 << 42)


def own_by_another() -> None:
    write(BYTES)()
    os.chown(DOUBLE, 54321, -1)


def hide() -> None:
    write(BYTES)()
    os.chmod(DOUBLE, 0)


OLD = b"flywheel program 2\n" + BYTES[BYTES.index(b"\n") + 1 :]
ODD: Dict[str, Callable[[], None]] = {
    "another program's content": write(OTHER),
    "a link to another program": lambda: os.symlink(TRIPLE, DOUBLE),
    "a hard link to another program": lambda: os.link(TRIPLE, DOUBLE),
    "an empty file": write(b""),
    "a version that is no more": write(OLD),
    "zeros": write(bytes(len(BYTES))),
    "a longer file": write(BYTES + b"x"),
    "two files": write(BYTES + OTHER),
    "a pipe": lambda: os.mkfifo(DOUBLE),
    "a link to zeros without an end": lambda: os.symlink("/dev/zero", DOUBLE),
    "a link to nothing": lambda: os.symlink("nothing", DOUBLE),
    "a link to itself": lambda: os.symlink(os.path.basename(DOUBLE), DOUBLE),
    "a socket or device": lambda: os.mknod(DOUBLE, stat.S_IFSOCK | 0o600),
    "a file of 4 TiB": sparse,
    **{f"the first {count} bytes": write(BYTES[:count])
       for count in (1, 18, 19, 20, 51, 83, 84, 200, len(BYTES) // 2, len(BYTES) - 1)},
    **{f"byte {place} changed": write(flipped(place))
       for place in (0, 18, 19, 50, 51, 60, 67, 82, 83, 90, 150, len(BYTES) // 2, len(BYTES) - 1)},
}  # fmt: skip
if os.geteuid() == 0:
    ODD["a file of another user"] = own_by_another
else:
    ODD["a file that cannot be read"] = hide


def check() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.alarm(120)
    for what, action in ODD.items():
        print(what, flush=True)
        os.remove(DOUBLE)
        action()
        before = os.lstat(DOUBLE)
        run(2.0)
        # It is kept again, in place of what was there.
        with open(DOUBLE, "rb") as file:
            after = os.fstat(file.fileno())
            assert stat.S_ISREG(os.lstat(DOUBLE).st_mode), what
            # The number of a pipe or a link that was removed may be given again.
            assert after.st_ino != before.st_ino or not stat.S_ISREG(before.st_mode), f"{what}: the entry was used"
            assert file.read() == BYTES, what
        with open(TRIPLE, "rb") as file:
            assert file.read() == OTHER, f"{what}: the other program was changed"
    # A folder can only stay.
    os.remove(DOUBLE)
    os.mkdir(DOUBLE)
    run(2.0)
    os.rmdir(DOUBLE)
    # The last entry is used as it is.
    run(2.0)
    kept = entries()
    run(2.0)
    run(3.0)
    assert entries() == kept


check()
