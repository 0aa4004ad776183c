# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Teams for object files, whose workers run one after the other up to each barrier
(interleaved_team.c): a barrier that is missing is a wrong number, each time."""

import ctypes
import functools
import os
import subprocess
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(None)
def load_library() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "team.so")
        source = os.path.join(FOLDER, "interleaved_team.c")
        compiler = os.environ.get("CC", "clang-22")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", source, "-o", path], check=True)
        library = ctypes.CDLL(path)
    library.interleaved_team_create.restype = ctypes.c_void_p
    library.interleaved_team_create.argtypes = [ctypes.c_int32, ctypes.c_uint64]
    library.interleaved_team_destroy.restype = None
    library.interleaved_team_destroy.argtypes = [ctypes.c_void_p]
    library.interleaved_team_count_barriers.restype = ctypes.c_int64
    library.interleaved_team_count_barriers.argtypes = [ctypes.c_void_p]
    return library


class Team:
    """So many workers; `seed` chooses their order."""

    def __init__(self, workers: int, seed: int) -> None:
        self.library = load_library()
        self.pointer: int = self.library.interleaved_team_create(workers, seed)
        if not self.pointer:
            raise MemoryError(f"a team of {workers} workers")

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.library.interleaved_team_destroy(self.pointer)

    @property
    def barriers(self) -> int:
        """The number of barriers that were passed."""
        count: int = self.library.interleaved_team_count_barriers(self.pointer)
        return count
