# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sizes that a run is compiled for: open ones first, so that one program serves all, and then those that it has.

A size of 1 that only the run knows repeats, or is squeezed, in the program for that size; and what needs a size to be
known, such as the weights of an interpolation, has it there.
"""

from typing import Any, Iterator, List, Sequence, Tuple

from .._flywheel import CompileError, InvalidArgumentError
from .operation import Tensor

# Errors that the sizes or the branches of a run may be the reason for. They have changed nothing.
RETRIED = (CompileError, InvalidArgumentError, IndexError, NotImplementedError, TypeError, ValueError)

# The last attempt: the program of the branches that a run takes.
_DECIDED = 3


def attempts(feeds: Sequence[Tuple[Tensor, Any]], first: int = 0) -> Iterator[Tuple[int, List[Any], bool]]:
    """Yields numbers from `first` on, shapes of the feeds, and whether branches are chosen before."""
    known = [array.shape if x.static_shape is None else x.static_shape for x, array in feeds]
    if not first:
        yield 0, known, False
    ones = [tuple(1 if n == 1 else m for m, n in zip(shape, array.shape)) for shape, (_, array) in zip(known, feeds)]
    own = [array.shape for _, array in feeds]
    if first <= 1 and ones != known:
        yield 1, ones, False
    if first <= 2 and own not in (known, ones):
        yield 2, own, False
    yield _DECIDED, own, True
