# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling traced modules once: in this process, and on disk."""

import functools
import hashlib
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, Optional, Type

from . import _flywheel
from ._flywheel import CompileRemark, CompileWarning, Module, Program

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


@functools.lru_cache(maxsize=1)
def _compiler() -> str:
    """What tells this compiler on this machine from others."""
    path = Path(_flywheel.__file__)
    status = path.stat()
    return f"{path} {status.st_size} {status.st_mtime_ns} {_flywheel._describe_host()}"


def _key(module: Module, threads: Optional[int]) -> str:
    workers = os.environ.get("FLYWHEEL_NUM_THREADS", "") if threads is None else str(threads)
    return hashlib.sha256("\0".join([_compiler(), workers, str(module)]).encode()).hexdigest()


def compile_module(module: Module, threads: Optional[int]) -> Program:
    """The program of a module: from this process, or the disk, or the compiler.

    A key is the text of the module, the compiler and the machine. A program with
    warnings is not kept on disk, so that they are heard each time.
    """
    key = _key(module, threads)
    found = _programs.pop(key, None)
    if found is None:
        found = _load(module, threads, key)
    _programs[key] = found
    if len(_programs) > _MOST_PROGRAMS:
        del _programs[next(iter(_programs))]
    return found


def _load(module: Module, threads: Optional[int], key: str) -> Program:
    folder = cache_folder()
    path = folder / f"{key}.program" if folder is not None else None
    if path is not None and path.is_file():
        try:
            return _flywheel._load_program(path.read_bytes())
        except (OSError, ValueError) as error:
            warnings.warn(f"a cached program cannot be used: {error}", RuntimeWarning, stacklevel=2)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        packed = _flywheel._save_program(module, threads)
    for warning in heard:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if path is not None and not any(_is_warning(warning.category) for warning in heard):
        _keep(path, packed)
    return _flywheel._load_program(packed)


def _is_warning(category: Type[Warning]) -> bool:
    """Whether it is the compiler's, and more than a remark."""
    return issubclass(category, CompileWarning) and not issubclass(category, CompileRemark)


def _keep(path: Path, packed: bytes) -> None:
    """Writes a file at once or not at all; a cache that cannot be written is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(packed)
        os.replace(name, path)
    except OSError:
        pass


def compile_graph(graph: Any, threads: Optional[int]) -> Program:
    """The program of a graph that is finished."""
    return compile_module(graph.finish(), threads)
