# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The part of their cases that tests take has what it says: each pair of values, and each configuration. With
FLYWHEEL_TEST_ALL, as every night, tests take all of them."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Sequence, Set, Tuple

import selection
from cases import Cases
from configurations import ALL, run_tests, share_out

ROOT = Path(__file__).resolve().parents[2]
PARAMETERS: Tuple[List[Any], ...] = (["f32", "f64", "i32"], [(1, 2), (3,), (), (5, 5)], [True, False], [-1, 0, 1, 7, 9])
EVERY = list(itertools.product(*PARAMETERS))


def pairs(cases: Sequence[Tuple[Any, ...]]) -> Set[Any]:
    return {pair for case in cases for pair in itertools.combinations(enumerate(case), 2)}


def set_environment(name: str, value: str) -> None:
    os.environ[name] = value
    selection.read_seed.cache_clear()


def test_pairs() -> None:
    """Every pair of values of two parameters occurs, whatever the seed, in few cases; a seed takes the same ones."""
    for seed in ("1", "2", "77"):
        set_environment("FLYWHEEL_TEST_SEED", seed)
        taken = selection.product("example", *PARAMETERS)
        assert pairs(taken) == pairs(EVERY)
        # The least that there can be is 20, the number of pairs of the two longest parameters.
        assert 20 <= len(taken) <= 26, (len(taken), len(EVERY))
        assert taken == selection.product("example", *PARAMETERS)
        assert taken == sorted(taken, key=EVERY.index)
    first = selection.product("example", *PARAMETERS)
    assert first != selection.product("another", *PARAMETERS)
    set_environment("FLYWHEEL_TEST_SEED", "1")
    assert first != selection.product("example", *PARAMETERS)


def test_what_is_not_allowed() -> None:
    """A list has every pair that it had; a key says what the parameters are. One parameter has all of its values."""
    allowed = [case for case in EVERY if case[0] == "i32" or case[3] > 0]
    taken = selection.cover("allowed", allowed)
    assert set(taken) <= set(allowed) and pairs(taken) == pairs(allowed) and len(taken) < len(allowed) / 2
    records = [{"case": case} for case in allowed]
    assert [record["case"] for record in selection.cover("allowed", records, lambda record: record["case"])] == taken
    assert selection.product("one", "abc") == [("a",), ("b",), ("c",)]
    empty: List[Tuple[int, int]] = []
    assert selection.cover("nothing", empty) == empty and selection.product("empty", "ab", []) == []


def make_cases() -> Cases:
    cases = Cases("example")
    for key in EVERY:
        cases.add("keyed", (), "tensor<f32>", "", key)
    for _ in range(7):
        cases.add("plain", (), "tensor<f32>", "")
    return cases


def test_functions() -> None:
    """Functions in the optimized configuration have every pair, those of each other one every value, and a function
    without a key is in two configurations."""
    shared: Dict[str, List[Tuple[Any, ...]]] = {
        name: [added.key for added in functions] for name, functions in make_cases().share_out(ALL).items()}
    assert set(shared) == set(ALL)
    assert pairs([key for key in shared["optimized"] if key]) == pairs(EVERY)
    for name, keys in shared.items():
        for place, values in enumerate(PARAMETERS):
            assert {key[place] for key in keys if key} == {*values}, name
    elsewhere = [key for name, keys in shared.items() if name != "optimized" for key in keys if key]
    assert pairs(elsewhere) == pairs(EVERY) and len(elsewhere) < 40, len(elsewhere)
    assert shared["optimized"].count(()) == 7
    assert sum(keys.count(()) for keys in shared.values()) == 14
    assert list(make_cases().share_out(["reference"])) == ["reference"]


def test_configurations() -> None:
    """A model has two configurations and one of the others; each of these has its part of many models."""
    taken = [selection.choose_configurations(f"model {number}", ALL) for number in range(200)]
    assert all(names[:2] == ["reference", "optimized"] and len(names) == 3 for names in taken)
    for name in ALL[2:]:
        assert 25 <= sum(name in names for names in taken) <= 75, name
    assert selection.choose_configurations("model", ("optimized", "threads")) == ["optimized", "threads"]
    assert selection.choose_configurations("model", ("object",)) == ["object"]


def test_variants() -> None:
    """Each group has a case in one of the variants; each function is in the optimized configuration and in another."""
    cases = [(group, number) for group in range(40) for number in range(5)]

    def taken(variant: str) -> List[Tuple[int, int]]:
        return selection.choose_for(variant, ("a", "b"), "variants", cases, 0.02, group=lambda case: case[0])

    first, second = taken("a"), taken("b")
    assert {group for group, _ in first + second} == set(range(40)) and 40 <= len(first + second) < 80
    assert 10 < len(first) < 60 and first == taken("a") and first != second
    shared = share_out(11, ALL)
    assert shared["optimized"] == list(range(11))
    assert sorted(sum((shared[name] for name in ALL if name != "optimized"), [])) == list(range(11))
    os.environ["FLYWHEEL_TEST_ALL"] = "1"
    try:
        assert taken("a") == taken("b") == cases
    finally:
        del os.environ["FLYWHEEL_TEST_ALL"]


def test_all() -> None:
    """If all cases are taken, none is left out."""
    assert selection.count(3, 50) == 3
    set_environment("FLYWHEEL_TEST_ALL", "1")
    try:
        assert selection.product("example", *PARAMETERS) == EVERY
        assert selection.cover("allowed", EVERY[5:]) == EVERY[5:]
        assert selection.choose("example", EVERY, 0.1) == EVERY
        assert selection.choose_configurations("model", ALL) == list(ALL)
        assert selection.count(3, 50) == 50
    finally:
        del os.environ["FLYWHEEL_TEST_ALL"]


def test_nightly() -> None:
    """The workflow of every night builds the target that takes all cases, and tests get that variable."""
    assert re.search(r"(?m)^ *- run: scripts/build check-all$", (ROOT / ".github/workflows/nightly.yml").read_text())
    target = (ROOT / "test/Fuzz/CMakeLists.txt").read_text().split("add_custom_target(check-all")[1]
    assert "FLYWHEEL_TEST_ALL=1" in target.split("add_custom_target")[0]
    program = "import selection; print(selection.takes_all(), len(selection.product('n', 'abc', 'abc', 'abc')) == 27)"
    for value, expected in (("", "False False"), ("1", "True True")):
        environment = {**os.environ, "FLYWHEEL_TEST_ALL": value}
        command = [sys.executable, "-c", program]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.splitlines()[-1] == expected, run.stdout


set_environment("FLYWHEEL_TEST_SEED", "1")
os.environ.pop("FLYWHEEL_TEST_ALL", None)
run_tests([test_pairs, test_what_is_not_allowed, test_functions, test_configurations, test_variants, test_all,
           test_nightly])
