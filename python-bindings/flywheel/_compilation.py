# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling traced modules once: in this process, and on disk."""

import hashlib
import os
from pathlib import Path
from typing import Any, Dict, Optional

from . import _flywheel
from ._flywheel import Module, Program

# Programs of this process by their key, the last used one last.
_programs: Dict[str, Program] = {}
_MOST_PROGRAMS = 256


def cache_folder() -> Optional[Path]:
    """Where compiled programs are kept: FLYWHEEL_CACHE of the environment, or
    `flywheel` in the user's folder of caches; None where FLYWHEEL_CACHE is empty."""
    given = os.environ.get("FLYWHEEL_CACHE")
    if given is not None:
        return Path(given) if given else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "flywheel"
    except RuntimeError:
        return None


def _key(module: Module, threads: Optional[int]) -> str:
    workers = os.environ.get("FLYWHEEL_NUM_THREADS", "") if threads is None else str(threads)
    return hashlib.sha256("\0".join([workers, str(module)]).encode()).hexdigest()


def compile_module(module: Module, threads: Optional[int], check_numerics: bool = False) -> Program:
    """The program of a module: from this process, or the disk, or the compiler.

    A program with warnings is not kept on disk, so that they are heard each time. One that checks
    numbers has places of the source in its messages, and is not kept at all.
    """
    if check_numerics:
        return _flywheel._compile_traced(module, threads, "", True)
    key = _key(module, threads)
    found = _programs.pop(key, None)
    if found is None:
        folder = cache_folder()
        found = _flywheel._compile_traced(module, threads, "" if folder is None else str(folder), False)
    _programs[key] = found
    if len(_programs) > _MOST_PROGRAMS:
        del _programs[next(iter(_programs))]
    return found


def compile_graph(graph: Any, threads: Optional[int]) -> Program:
    """The program of a graph that is finished."""
    return compile_module(graph.finish(), threads)
