# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values from outside that are others each time: random numbers, and items of iterators."""

import random
import sys
from typing import Any, Dict, Hashable, Iterable, Tuple

import numpy as np

from .._core.trace import warn_user
from .._flywheel import CompileWarning

GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)

States = Dict[int, Tuple[Any, str, Hashable]]


def states_of(generators: Iterable[Tuple[Any, str]]) -> States:
    """Returns the state of each generator of random numbers, with its label, and those of Python's and NumPy's own; of
    none beside other threads, any of which may draw from them."""
    if not is_alone():
        return {}
    own = [(random, "random"), (np.random, "numpy.random")]
    return {id(one): (one, label, _state_of(one)) for one, label in [*generators, *own]}


def is_alone() -> bool:
    """Returns true if no other thread executes Python."""
    return len(sys._current_frames()) == 1


def _state_of(generator: Any) -> Hashable:
    if generator is random or isinstance(generator, random.Random):
        # The generator of the system has no state.
        return None if isinstance(generator, random.SystemRandom) else generator.getstate()
    if isinstance(generator, np.random.Generator):
        return _frozen(generator.bit_generator.state)
    return _frozen(generator.get_state(legacy=False))


def _frozen(state: Any) -> Hashable:
    if isinstance(state, dict):
        return tuple((key, _frozen(one)) for key, one in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


def warn_of_draws(name: str, before: States) -> None:
    """Warns of the generators whose states are others than before the function was traced."""
    if not is_alone():
        return
    for generator, label, state in before.values():
        if _state_of(generator) != state:
            warn_user(f"'{name}' draws from '{label}' while it is traced, and every call has the numbers of the trace: "
                      "draw with flywheel.random, or give the numbers as an argument", CompileWarning)


def warn_of_iterators(name: str, labels: Iterable[str]) -> None:
    for label in labels:
        warn_user(f"'{name}' reads the iterator '{label}' while it is traced, and every call has the items of the "
                  "trace: give the items as arguments", CompileWarning)
