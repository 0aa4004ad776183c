# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Selection of the cases of a long test that a run takes: a few, the same ones each time.

A test declares all of its cases, and takes

* `product`, of the values of several parameters: each pair of values of two of them occurs,
* `cover`, of a list of such tuples: each pair that occurs in the list,
* `choose`, of a list of any things: a share of them; `choose_for`, if the test has variants,
* `count`, of cases that are drawn: a number.

FLYWHEEL_TEST_SEED chooses others, "random" other ones each time; FLYWHEEL_TEST_ALL=1
takes all, as `ninja check-all` does.
"""

import functools
import heapq
import itertools
import os
import random
import time
from typing import Any, Callable, Dict, Hashable, List, Optional, Sequence, Tuple, TypeVar

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


def choose_configurations(model: str, names: Sequence[str]) -> List[str]:
    """The configurations of a model: `reference`, `optimized` and one of the others, which depends on the text."""
    others = [name for name in names if name not in ("reference", "optimized")]
    if takes_all() or len(others) < 2:
        return list(names)
    taken = random.Random(f"configurations {get_seed()} {model}").choice(others)
    return [name for name in names if name == taken or name not in others]


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


def choose_for(variant: str, variants: Sequence[str], name: str, cases: Sequence[Case], share: float,
               group: Callable[[Case], Hashable]) -> List[Case]:
    """That share of the cases in one of the variants in which a test runs, as `choose` has it: each group has a case in
    one of the variants, most of them in another one for another group."""
    rows = [(case, each) for case in cases for each in variants]
    chosen = choose(name, rows, share, group=lambda row: group(row[0]))
    return [case for case, each in chosen if each == variant]


def count(few: int, many: int) -> int:
    """Returns the number of cases that a test draws: `many` where all cases are taken."""
    return many if takes_all() else few


def pairs_of(key: Sequence[Hashable]) -> List[Hashable]:
    """Returns the pairs of values of two parameters that a case has, or its only value."""
    places = list(enumerate(key))
    return [*itertools.combinations(places, 2)] if len(places) > 1 else [*places]


def cover(name: str, cases: Sequence[Case], key: Optional[Callable[[Case], Sequence[Hashable]]] = None) -> List[Case]:
    """A part of the cases, in their order, in which each pair of values of two parameters occurs that occurs in all
    of them: most errors need one value or two. `key` returns the values of the parameters; by default a case is a
    tuple of them. A test leaves combinations that are not allowed out of `cases`."""
    if takes_all():
        return list(cases)
    order = list(range(len(cases)))
    random.Random(f"{name} {get_seed()}").shuffle(order)
    pairs = [pairs_of(key(case) if key else case) for case in cases]  # type: ignore[arg-type]
    missing = set(itertools.chain.from_iterable(pairs))
    # The case with the most new pairs comes next. A number is computed again when it is the largest: it only shrinks.
    heap = [(-len(pairs[number]), place, number) for place, number in enumerate(order)]
    heapq.heapify(heap)
    taken = []
    while missing:
        least, place, number = heapq.heappop(heap)
        new = missing.intersection(pairs[number])
        if len(new) == -least:
            missing -= new
            taken.append(number)
        elif new:
            heapq.heappush(heap, (-len(new), place, number))
    print(f"FLYWHEEL_TEST_SEED={get_seed()}: {len(taken)} of {len(cases)} cases of {name}", flush=True)
    return [cases[number] for number in sorted(taken)]


def product(name: str, *parameters: Sequence[Any]) -> List[Tuple[Any, ...]]:
    """Tuples with a value of each parameter, in the order of `itertools.product`: all of them, or a part in which each
    pair of values of two parameters occurs."""
    places = list(itertools.product(*(range(len(values)) for values in parameters)))
    return [tuple(values[place] for values, place in zip(parameters, case)) for case in cover(name, places)]
