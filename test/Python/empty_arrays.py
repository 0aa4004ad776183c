# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X16: every function of tensors with dimensions of 0 and of 1 gives NumPy's result, or refuses what NumPy refuses.

Each dimension is 0 and 1 by itself, and all of them are: sizes that are known, and ones that the call brings to one
program; derivatives, whose sum along a direction is NumPy's finite difference; and batches of 0, 1 and 2 by `vmap`.
"""

import contextlib
import itertools
import sys
import warnings
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

import flywheel as fw
from every_function import Call, calls
from selection import takes, takes_all

Sizes = Dict[str, int]
Array = Any
SIZES: Sizes = {"a": 3, "b": 4, "c": 2, "d": 5, "e": 6}

# Functions whose data NumPy looks at: weights whose sum is 0.
DATA = ("average", "nn.sparse_softmax_cross_entropy")
# Exceptions of ours where NumPy has one.
REFUSALS = (ValueError, IndexError, ZeroDivisionError, TypeError)
# If only the call knows the sizes, [1, 1] is not a scalar.
RANKS = ("cov", "corrcoef")
# Without derivatives that finite differences see.
JUMPS = ("round", "rint", "stop_gradient", "heaviside", "floor_divide", "divmod", "mod", "remainder", "fmod", "unstack",
         "linalg.cholesky", "linalg.lu_factor")  # fmt: skip


def letters_of(call: Call) -> List[str]:
    return [argument.split()[1] if " " in argument else "" for argument in call.arguments]


def shapes_of(call: Call, sizes: Sizes) -> List[Tuple[int, ...]]:
    return [tuple(sizes[x] if x in sizes else int(x) for x in one) for one in letters_of(call)]


def make(call: Call, sizes: Sizes) -> List[Array]:
    """Arguments of these sizes."""
    rng = np.random.default_rng(7)
    made = []
    for argument, shape in zip(call.arguments, shapes_of(call, sizes)):
        kind = argument[0]
        array: Array
        if kind == "x":
            array = rng.integers(0, max(sizes[argument[2]], 1), shape).astype(np.int32)
        elif kind == "i":
            array = rng.integers(-5, 5, shape).astype(np.int32)
        elif kind == "p":
            array = rng.random(shape) < 0.5
        else:
            array = rng.standard_normal(shape).astype(np.float32)
            if kind == "s":
                array = array @ np.swapaxes(array, -1, -2) + 2 * np.eye(shape[-1], dtype=np.float32)
        made.append(array)
    return made


def variants(call: Call) -> Iterator[Sizes]:
    letters = sorted({x for one in letters_of(call) for x in one if x in SIZES})
    yield SIZES
    for size in (0, 1):
        for letter in letters:
            yield {**SIZES, letter: size}
        if len(letters) > 1:
            yield {**SIZES, **{letter: size for letter in letters}}


def as_list(result: Any) -> List[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def expected(call: Call, arguments: List[Array]) -> Any:
    """Returns NumPy's result, or the exception that it raises; None if NumPy has no such function."""
    if call.theirs is None:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = call.theirs(*[array.copy() for array in arguments])
            return None if found is None else [np.asarray(one) for one in as_list(found)]
        except (*REFUSALS, np.linalg.LinAlgError) as error:
            return error


def compare(found: List[Array], wanted: Any) -> None:
    """Raises AssertionError where they differ."""
    assert not isinstance(wanted, Exception), f"NumPy refuses this: {wanted}"
    if wanted is None:
        return
    assert [a.shape for a in found] == [b.shape for b in wanted]
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), 2e-4, 2e-5, equal_nan=True)


def check(call: Call, wanted: Any, run: Callable[[], Any]) -> None:
    """Runs ours, which gives NumPy's result or refuses what NumPy refuses."""
    try:
        found = as_list(run())
    except REFUSALS:
        if isinstance(wanted, Exception):
            return
        raise
    compare([np.asarray(one) for one in found], wanted)


def calls_of(ours: Callable[..., Any], cases: Sequence[Sequence[Array]]) -> Iterator[Callable[[], Any]]:
    """Calls of `ours` with the arguments of each case. A program has several cases, as most of the time that it takes
    does not depend on their number; where one of them is refused, and with FLYWHEEL_TEST_ALL, each has its own."""
    some = 12
    for start in range(0, len(cases), some):
        part = cases[start:start + some]

        def together(*arguments: Any, part: Sequence[Sequence[Array]] = part) -> Any:
            rest = iter(arguments)
            return [as_list(ours(*itertools.islice(rest, len(case)))) for case in part]

        results: Optional[List[Any]] = None
        if len(part) > 1 and not takes_all():
            with contextlib.suppress(*REFUSALS):
                results = fw.function(together, dynamic=False)(*itertools.chain.from_iterable(part))
        for place, case in enumerate(part):
            if results is not None:
                yield partial(results.__getitem__, place)
            else:
                yield partial(fw.function(ours, dynamic=False), *case)


def check_static(name: str, call: Call) -> None:
    """Programs for known shapes; what NumPy refuses is a program of its own."""
    cases = [make(call, sizes) for sizes in variants(call)]
    wanted = [expected(call, arguments) for arguments in cases]
    taken = [place for place, one in enumerate(wanted) if not isinstance(one, Exception)]
    for place, run in zip(taken, calls_of(call.ours, [cases[place] for place in taken])):
        check(call, wanted[place], run)
    for arguments, one in zip(cases, wanted):
        if isinstance(one, Exception):
            check(call, one, partial(fw.function(call.ours, dynamic=False), *arguments))


def check_open(name: str, call: Call) -> None:
    """One program for all shapes, whose first call is of nothing; not where the function needs to know sizes."""
    specs = [fw.spec(*[x if x in SIZES else int(x) for x in letters], dtype=array.dtype)
             for letters, array in zip(letters_of(call), make(call, SIZES))]  # fmt: skip
    total = fw.function(lambda *args: [fw.sum(fw.cast(x, "float32")) for x in as_list(call.ours(*args))],
                        signature=specs)  # fmt: skip
    try:
        total.trace().program  # noqa: B018
    except (ValueError, TypeError, IndexError):
        return
    for sizes in sorted(variants(call), key=lambda sizes: sum(sizes.values())):
        arguments = make(call, sizes)
        wanted = expected(call, arguments)
        if name.startswith(DATA) and isinstance(wanted, Exception):
            continue
        if isinstance(wanted, list):
            wanted = [np.asarray(np.sum(x.astype(np.float64))) for x in wanted]
        check(call, wanted, partial(total, *arguments))


def check_gradient(name: str, call: Call) -> None:
    """The sum of the derivatives times a direction is the difference that NumPy's function has along it."""
    cases = [make(call, sizes) for sizes in variants(call)]
    places = [i for i, array in enumerate(cases[0]) if array.dtype == np.float32]
    cases = [case for case in cases if not isinstance(expected(call, case), Exception)]
    if not places:
        return

    def total(*args: Any) -> Any:
        found = [fw.sum(x) for x in as_list(call.ours(*args)) if x.dtype == fw.float32]
        return sum(found, fw.sum(args[places[0]]) * 0.0)

    for case, run in zip(cases, calls_of(fw.grad(total, argnums=tuple(places)), cases)):
        gradients = as_list(run())
        assert [g.shape for g in gradients] == [case[i].shape for i in places]
        compare_gradients(name, call, case, dict(zip(places, gradients)))


def compare_gradients(name: str, call: Call, case: List[Array], gradients: Dict[int, Array]) -> None:
    wanted = expected(call, case)
    if wanted is None or name.startswith(JUMPS):
        return
    rng = np.random.default_rng(5)
    wide = [array.astype(np.float64) if array.dtype == np.float32 else array for array in case]
    directions = {i: rng.standard_normal(case[i].shape) for i in gradients}
    ends = []
    for step in (1e-6, -1e-6):
        moved = list(wide)
        for i, direction in directions.items():
            moved[i] = wide[i] + step * direction
        found = expected(call, moved)
        ends.append(sum(np.sum(x) for x, y in zip(found, wanted) if y.dtype.kind == "f"))
    slope = (ends[0] - ends[1]) / 2e-6
    if np.isfinite(slope):
        ours = sum(np.sum(gradient.astype(np.float64) * directions[i]) for i, gradient in gradients.items())
        np.testing.assert_allclose(ours, slope, 2e-2, 2e-2)


def check_vmap(name: str, call: Call) -> None:
    """Batches of calls, also of none."""
    batches: List[List[Array]] = []
    wholes: List[Any] = []
    for sizes in variants(call):
        arguments = make(call, sizes)
        wanted = expected(call, arguments)
        if isinstance(wanted, Exception):
            continue
        for count in (0, 1, 2):
            batches.append([np.zeros((count, *array.shape), array.dtype) + array for array in arguments])
            wholes.append(None if wanted is None else [np.broadcast_to(x, (count, *x.shape)) for x in wanted])
    for whole, run in zip(wholes, calls_of(fw.vmap(call.ours), batches)):
        check(call, whole, run)


CHECKS: Dict[str, Tuple[Callable[[str, Call], None], float]] = {
    "static": (check_static, 0.2), "open": (check_open, 0.2), "gradient": (check_gradient, 0.08),
    "vmap": (check_vmap, 0.05)}  # fmt: skip


def takes_check(kind: str, name: str) -> bool:
    """Returns true if a run has this check of a function; it has one or more of each."""
    if any(takes(f"empty arrays, {each}", name, share) for each, (_, share) in CHECKS.items()):
        return takes(f"empty arrays, {kind}", name, CHECKS[kind][1])
    return kind == ("static" if takes("empty arrays", name, 0.5) else "open")


def check_all(only: Optional[str] = None) -> List[str]:
    problems = []
    for kind, (test, _) in CHECKS.items():
        for name, call in calls.items():
            if only not in (None, kind) or not takes_check(kind, name):
                continue
            if kind == "open" and name.startswith(RANKS):
                continue
            try:
                test(name, call)
            except Exception as error:
                problems.append(f"{kind} {name}: {type(error).__name__}: {str(error)[:400]}")
    return problems


def check_that_all_are_there() -> None:
    """No public function without a call."""
    named = {name.split()[0] for name in calls}
    left_out = {"getitem", "as_tensor", "constant", "array", "asarray"}
    missing = set(fw._ops.__all__) - named - left_out
    # Functions of elements and of parts are above under other names.
    left_out = set("add argmax argmin argsort batch_norm cholesky cumprod cumsum div max min mul pow reduce scatter "
                   "scatter_add_along_axis sub take_along_axis tile triangular_solve try_cholesky".split())  # fmt: skip
    functions = {name for name in fw.nn.__all__ if not isinstance(getattr(fw.nn, name), type)}
    missing |= {f"nn.{name}" for name in functions - left_out} - named
    missing |= {f"linalg.{name}" for name in fw.linalg.__all__} - named
    assert not missing, sorted(missing)


if __name__ == "__main__":
    check_that_all_are_there()
    found = check_all(*sys.argv[1:2])
    assert not found, "\n".join(found)
