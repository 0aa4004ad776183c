# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selection of the cases of a long test that a run takes: a few, the same ones each time.

FLYWHEEL_TEST_SEED chooses others, "random" other ones each time; FLYWHEEL_TEST_ALL=1
takes all, as `ninja check-all` does.
"""

import functools
import os
import random
import time
from typing import Callable, Dict, Hashable, List, Optional, Sequence, TypeVar

Case = TypeVar("Case")


def takes_all() -> bool:
    return bool(os.environ.get("FLYWHEEL_TEST_ALL"))


@functools.lru_cache(None)
def read_seed(variable: str) -> int:
    """Returns the seed in an environment variable: a number, "random" for one that no run had,
    or by default 1, so that a commit passes or fails today as it did yesterday."""
    text = os.environ.get(variable) or "1"
    return time.time_ns() % 2**40 if text == "random" else int(text)


def get_seed() -> int:
    return read_seed("FLYWHEEL_TEST_SEED")


@functools.lru_cache(None)
def print_seed(name: str) -> None:
    print(f"FLYWHEEL_TEST_SEED={get_seed()}: some cases of {name}", flush=True)


def takes(name: str, case: str, share: float) -> bool:
    """Returns true if a case, which `case` tells from others, is in that share of them."""
    if takes_all():
        return True
    print_seed(name)
    return random.Random(f"{name} {get_seed()} {case}").random() < share


def choose(name: str, cases: Sequence[Case], share: float,
           group: Optional[Callable[[Case], Hashable]] = None) -> List[Case]:
    """That share of the cases, in their order, and at least one of each group; prints the
    seed that takes the same ones again. `name` keeps two tests from choosing alike."""
    if takes_all():
        return list(cases)
    seed = get_seed()
    rng = random.Random(f"{name} {seed}")
    groups: Dict[Hashable, List[int]] = {}
    for number, case in enumerate(cases):
        if group:
            groups.setdefault(group(case), []).append(number)
    taken = {number for number in range(len(cases)) if rng.random() < share}
    for numbers in groups.values():
        if taken.isdisjoint(numbers):
            taken.add(rng.choice(numbers))
    print(f"FLYWHEEL_TEST_SEED={seed}: {len(taken)} of {len(cases)} cases of {name}", flush=True)
    return [cases[number] for number in sorted(taken)]
