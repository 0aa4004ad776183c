# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays beside a page that may not be touched: what reads or writes out of them
dies of SIGSEGV."""

import ctypes
import itertools
import mmap
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from harness import Rng, choose

Array = NDArray[Any]

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = mmap.PAGESIZE
MAX_BYTES = 1 << 26


def guarded_bytes(size: int, below: bool) -> Array:
    """`size` bytes of 0xA5 that end where a guard page begins, or begin where one
    ends (`below`)."""
    pages = -(-size // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    whole = np.frombuffer(memory, np.uint8)
    start = whole.ctypes.data
    offset = PAGE if below else (pages + 1) * PAGE - size
    found = whole[offset : offset + size]
    found[:] = 0xA5
    for page in (start, start + (pages + 1) * PAGE):
        if LIBC.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    return found


def guarded(shape: Sequence[int], dtype: "np.dtype[Any]", below: bool) -> Array:
    """An array beside a guard page. An array without elements is in one."""
    size = int(np.prod(shape, dtype=int)) * dtype.itemsize
    if size > MAX_BYTES:
        raise MemoryError(f"{size} bytes for one array")
    return guarded_bytes(size, below).view(dtype).reshape(shape)


def copy_guarded(value: Array, below: bool) -> Array:
    result = guarded(value.shape, value.dtype, below)
    result[...] = value
    return result


def draw(rng: Rng, shape: Sequence[int], dtype: "np.dtype[Any]") -> Array:
    """Numbers that are valid as labels or indices, mostly."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0, choose(rng, [2, 2, 3, 8]), shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def draw_dim_sizes(rng: Rng, symbols: Sequence[str]) -> Dict[str, int]:
    """Sizes around those of vectors and tiles, the same for all or not."""
    sizes = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 33, 65]
    same = choose(rng, sizes)
    return {symbol: same if rng.integers(2) else choose(rng, sizes) for symbol in symbols}


def shape_of(shape: Sequence[Any], dim_sizes: Dict[str, int]) -> Tuple[int, ...]:
    return tuple(dim_sizes[dim_size] if isinstance(dim_size, str) else int(dim_size) for dim_size in shape)


def run_entry(session: Any, info: Any, rng: Rng, dim_sizes: Dict[str, int], below: bool) -> List[Array]:
    """One call with every feed and result beside a guard page. Raises what the call
    raises."""
    feeds = [
        copy_guarded(draw(rng, shape_of(feed.shape, dim_sizes), np.dtype(feed.dtype)), below) for feed in info.feeds
    ]
    results = [guarded(shape_of(result.shape, dim_sizes), np.dtype(result.dtype), below) for result in info.results]
    out = None if not results else results[0] if len(results) == 1 else tuple(results)
    session.entry(info.name)(*feeds, out=out)
    return results


def run_entries(session: Any, program: Any, rng: Rng, rounds: int) -> List[str]:
    """Every entry with other sizes in each round; what the calls raised."""
    errors = []
    for below, info in itertools.product([False, True] * rounds, program.entries):
        if any(str(feed.dtype).startswith(("string", "object", "<U")) for feed in [*info.feeds, *info.results]):
            continue
        symbols = sorted({dim_size for feed in info.feeds for dim_size in feed.shape if isinstance(dim_size, str)})
        try:
            run_entry(session, info, rng, draw_dim_sizes(rng, symbols), below)
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
    return errors
