# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Random functions in every lowering, for every CPU that this one executes, of several threads, against each other.

A module has several functions of `tensor_functions`, whose feeds have special values too: zeros of both signs,
infinities, NaN, numbers at the ends of their types. Threads make no difference to a bit, nor do CPUs to integers and
booleans; floating-point numbers differ by roundings, and by what the function makes of roundings: how NumPy's result
moves when each op's does says how much that is.
"""

import argparse
import platform
from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Set, Tuple

import ml_dtypes
import numpy as np
from values import evaluate

import harness
from batches import Batches
from guarded import draw_dim_sizes, shape_of
from harness import Failure, Outcome, Report, Rng, choose, clean_refusal
from tensor_functions import OPS, Function, epsilon_of, new_function

# A CPU, what it must be able to do in words of Linux, and what else LLVM takes it to do.
CPUS: Dict[str, Tuple[str, str]] = {
    "x86-64": ("", ""),
    "x86-64-v2": ("sse4_2 ssse3 popcnt", ""),
    "sandybridge": ("avx popcnt", ""),
    "ivybridge": ("avx f16c rdrand", ""),
    "x86-64-v3": ("avx2 bmi2 fma f16c", ""),
    "haswell": ("avx2 bmi2 fma f16c", ""),
    "znver2": ("avx2 bmi2 fma f16c clwb clzero sse4a", ""),
    "x86-64-v4": ("avx512f avx512bw avx512dq avx512vl avx512cd", ""),
    "skylake-avx512": ("avx512f avx512bw avx512dq avx512vl avx512cd clwb", ""),
    "cooperlake": ("avx512f avx512bw avx512vl avx512_vnni avx512_bf16", ""),
    "icelake-server": ("avx512f avx512vbmi avx512_vbmi2 avx512_bitalg gfni vaes", ""),
    "sapphirerapids": ("avx512f avx512vbmi avx512_vbmi2 avx512_bf16 avx_vnni gfni vaes",
                       "-avx512fp16,-amx-tile,-amx-bf16,-amx-int8"),
}  # fmt: skip
ODD_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, np.inf, -np.inf, np.nan)
# A function whose result another op, such as a comparison, makes of the last bits, moves; so do these by any rounding.
PROBES = 5


def find_cpus() -> List[str]:
    """Returns the CPUs whose instructions this machine executes."""
    if platform.machine() != "x86_64":
        return [""]
    try:
        with open("/proc/cpuinfo") as file:
            flags: Set[str] = set(next(line for line in file if line.startswith("flags")).split())
    except (OSError, StopIteration):
        return [""]
    return ["", *(name for name, (needed, _) in CPUS.items() if flags.issuperset(needed.split()))]


@dataclass
class Target:
    """The options with which a module is compiled, and the number of threads that run it."""

    lowering: str
    cpu: str
    opt_level: int
    threads: int

    def __str__(self) -> str:
        return f"{self.lowering} for {self.cpu or 'this CPU'} at -O{self.opt_level} by {self.threads} threads"


@dataclass
class Program:
    """A function, under a name, and the seed of its feeds."""

    function: Function
    name: str
    seed: int

    def text(self) -> str:
        return self.function.module().replace("@f(", f"@{self.name}(")

    def __str__(self) -> str:
        return self.text() + f"// feeds by seed {self.seed}\n"


def draw_feed(rng: Rng, function: Function, node: Any, shape: Sequence[int]) -> Any:
    """Usual numbers, with odd ones among them now and then."""
    value = function.draw(rng, node, shape)
    if not epsilon_of(value.dtype) or rng.random() < 0.5:
        if value.dtype.kind == "i" and node.name not in function.bounds and rng.random() < 0.3:
            ends = np.iinfo(value.dtype)
            odd = rng.choice(np.array([ends.min, ends.max, 0, -1, 1, ends.min + 1], value.dtype), value.shape)
            value = np.where(rng.random(value.shape) < 0.3, odd, value).astype(value.dtype)
        return value
    info = ml_dtypes.finfo(value.dtype)
    far = [float(info.max), -float(info.max), float(info.smallest_normal), float(info.smallest_subnormal) * 3]
    odd = rng.choice(np.array([*ODD_FLOATS, *far]), value.shape)
    return np.where(rng.random(value.shape) < rng.uniform(0.02, 0.5), odd, value.astype(np.float64)).astype(value.dtype)


class Targets(Batches):
    """Functions for several targets."""

    name = "targets"
    seconds = 240.0
    count = 6
    configurations = 4

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--size", type=int, default=8, help="ops of a function, at most")
        parser.add_argument("--op", action="append", choices=list(OPS), help="make functions of these only")

    def take_options(self, options: argparse.Namespace) -> None:
        self.size, self.ops = options.size, options.op or list(OPS)

    def prepare(self) -> None:
        import flywheel

        self.flywheel: Any = flywheel
        self.cpus = find_cpus()

    def make(self, rng: Rng) -> harness.Case:
        self.targets = [Target("reference", choose(rng, self.cpus), int(rng.integers(0, 4)), 1),
                        *(Target(choose(rng, ["optimized"] * 4 + ["reference"]), choose(rng, self.cpus),
                                 int(choose(rng, [0, 1, 1, 2, 3])), int(choose(rng, [1, 1, 2, 3])))
                          for _ in range(self.configurations))]  # fmt: skip
        case = super().make(rng)
        case.detail = "; ".join(map(str, self.targets))
        return case

    def make_program(self, rng: Rng) -> Program:
        self.number = getattr(self, "number", 0) + 1
        seed = int(rng.integers(1 << 62))
        return Program(new_function(np.random.default_rng(seed), self.size, self.ops), f"f{self.number}", seed)

    def count_inputs(self, case: harness.Case) -> int:
        return len(self.programs) * len(self.targets)

    def check(self, case: harness.Case, report: Report) -> Outcome:
        flywheel = self.flywheel
        text = "\n".join(program.text() for program in self.programs)
        sessions = []
        for target in self.targets:
            report(f"compile {target}")
            try:
                program = flywheel.compile(text, lowering=target.lowering, opt_level=target.opt_level,
                                           cpu=target.cpu or None, features=CPUS.get(target.cpu, ("", ""))[1] or None,
                                           threads=target.threads, min_shared_work=1)  # fmt: skip
            except flywheel.CompileError as error:
                return clean_refusal(str(error))
            sessions.append(flywheel.Session(program))
        for one in self.programs:
            for call in range(2):
                report(f"run {one.name}")
                self.compare_call(one, call, sessions)
        return Outcome("passed")

    def compare_call(self, program: Program, call: int, sessions: Sequence[Any]) -> None:
        function = program.function
        rng = np.random.default_rng([program.seed, call])
        dim_sizes = {symbol: max(1, dim_size) for symbol, dim_size in draw_dim_sizes(rng, "BC").items()}
        feeds = [draw_feed(rng, function, node, shape_of(node.shape, dim_sizes)) for node in function.graph.feeds]
        found: List[Any] = []
        for session in sessions:
            try:
                result = session.run(program.name, *feeds)
            except self.flywheel.InvalidArgumentError as error:
                found.append(str(error))
            else:
                found.append(result if isinstance(result, tuple) else (result,))
        refused = [one for one in found if isinstance(one, str)]
        if refused:
            if len(refused) < len(found):
                raise Failure(f"{refused[0]}, but not of every target: {program}")
            return
        moved: List[Dict[str, Any]] = []
        for target, results in zip(self.targets[1:], found[1:]):
            for node, a, b in zip(function.results, found[0], results):
                if np.asarray(a).tobytes() == np.asarray(b).tobytes():
                    continue
                if not moved:
                    moved = [evaluate(function, feeds, np.random.default_rng(i), 8 if i else 0) for i in range(PROBES)]
                if message := self.find_difference(a, b, [one[node.name] for one in moved]):
                    ops = {step.result.name: step.op for step in function.graph.steps}
                    raise Failure(f"{ops.get(node.name, 'a feed')} on {node.element} differs: {message}\n"
                                  f"{self.targets[0]}\n{target}\n{dim_sizes}, result {node.name}")  # fmt: skip
        self.compare_threads(program, found)

    def compare_threads(self, program: Program, found: Sequence[Any]) -> None:
        """Targets that differ by their threads alone have the same bits."""
        seen: Dict[Any, Tuple[Target, Any]] = {}
        for target, results in zip(self.targets, found):
            other, wanted = seen.setdefault((target.lowering, target.cpu, target.opt_level), (target, results))
            for node, a, b in zip(program.function.results, wanted, results):
                if np.asarray(a).tobytes() != np.asarray(b).tobytes():
                    raise Failure(f"{other} and {target.threads} threads differ in {node.name}")

    def find_difference(self, a: Any, b: Any, moved: Sequence[Any]) -> str:
        """Returns the difference, or nothing: numbers that differ more than roundings move NumPy's."""
        a, b = np.asarray(a), np.asarray(b)
        epsilon = epsilon_of(a.dtype)
        with np.errstate(all="ignore"):
            first = moved[0]
            stable = np.logical_and.reduce([(one == first) | ((one != one) & (first != first)) for one in moved])
            if not epsilon:
                wrong = (a != b) & stable
            else:
                x, y = a.astype(np.float64), b.astype(np.float64)
                wide = [one.astype(np.float64) for one in moved]
                is_same = (x == y) | (np.isnan(x) & np.isnan(y))
                is_finite = np.logical_and.reduce([np.isfinite(one) for one in wide]) & np.isfinite(x) & np.isfinite(y)
                spread = np.max([np.abs(one - wide[0]) for one in wide], axis=0)
                scale = np.max(np.abs(wide[0]), initial=1.0, where=np.isfinite(wide[0]))
                wrong = is_finite & ~is_same & ~(np.abs(x - y) <= 200 * spread + 100 * epsilon * min(scale, 1e4))
                # Infinities and NaN count if no rounding makes them.
                kinds = [np.where(np.isnan(one), 2, np.where(np.isinf(one), np.sign(one), 0)) for one in (x, y, *wide)]
                certain = np.logical_and.reduce([one == kinds[2] for one in kinds[3:]])
                wrong |= certain & (kinds[0] != kinds[1]) & (np.abs(np.nan_to_num(wide[0])) < 1e4)
        if not np.any(wrong):
            return ""
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        count = int(np.sum(wrong))
        return f"{a[where]} and {b[where]} at {where} of {a.shape}, {count} in all; NumPy has {moved[0][where]}"


if __name__ == "__main__":
    harness.main(Targets(), cases=15)
