# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared parts of the generators of this folder: seeds, time, children and reports.

A generator is a `Fuzzer`: `make` draws a case, `check` tries it in a child
process, in which it may crash, hang or eat memory as it likes. `main` runs as
many cases as the time allows, tells failures apart by their signatures, makes
the first of each smaller and prints it with the command that reproduces it.
"""

import argparse
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from typing import Callable, Dict, List, Sequence, Tuple, TypeVar

import numpy as np

from selection import read_seed

Rng = np.random.Generator
T = TypeVar("T")
# Says which phase the child is in, which a crash or a hang is reported with.
Report = Callable[[str], None]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "test", "Fuzz")

# Words that only the compiler's authors understand.
INTERNAL_WORDS = re.compile(
    r"failed to legalize|unrealized_conversion_cast|was not bufferized|Failed to materialize symbols"
    r"|PLEASE submit a bug report|malformed 'train\.manifest'|builtin\.unrealized|LLVM ERROR|Assertion .* failed"
    r"|std::bad_alloc|runtime error: |AddressSanitizer|UndefinedBehaviorSanitizer"
)
# Refusals for order, aliasing or bufferization: none is the program's fault.
ORDER_WORDS = re.compile(r"cannot avoid RaW conflict|this step copies|bufferiz|read before it is overwritten")
LOCATION = re.compile(r"\S+:\d+:\d+|loc\(")
NAMED_LOCATION = re.compile(r"^'([^']+)': error: ", re.M)


@dataclass
class Outcome:
    """The outcome of a case: "passed", "refused" (an error that says what is wrong), "order" (one for order or
    aliasing) or "failed"."""

    kind: str
    message: str = ""
    phase: str = ""

    @property
    def signature(self) -> str:
        """The same for failures that are likely the same defect."""
        return signature_of(self.message)


class Failure(Exception):
    """A wrong result, an error that is not a clean one, and the like."""


@dataclass
class Case:
    """An input. `text` is all of it, where it can be made smaller."""

    text: str
    # Other inputs of `check`, such as the passes to run.
    detail: str = ""


def signature_of(message: str) -> str:
    """A message without what differs from program to program."""
    frames = re.findall(r"(?m)^ *#?\d+ +(?:\S+ +)?0x[0-9a-f]+ ([\w:~]+)", message)
    own = [
        frame
        for frame in frames
        if not re.match(r"llvm::sys|__restore|SignalHandler|abort|raise|__libc|gsignal", frame)
    ]
    first = message.split("\n", 1)[0]
    internal = INTERNAL_WORDS.search(message)
    if internal and not first.startswith("killed"):
        lines = [line for line in message.splitlines() if INTERNAL_WORDS.search(line)]
        first = lines[0]
    first = re.sub(r"\S*:\d+:\d+: ?", "", first)
    first = re.sub(r"/\S+/", "", first)
    first = re.sub(r"(tensor|memref|vector)<[^>]*>+", r"\1", first)
    first = re.sub(r"[%@][\w.$#/-]+", "%", first)
    first = re.sub(r"-?\b\d[\w.+-]*", "N", first)
    return (first[:160] + (" | " + " < ".join(own[:3]) if own else "")).strip()


def find_internal_lines(said: str, program: str) -> List[str]:
    """The lines with words that only the compiler's authors understand. A tool may
    repeat those of its input, and a manifest that is in there is the user's."""
    own = ["malformed 'train.manifest'"] if "train.manifest" in program else []
    return [
        line
        for line in said.splitlines()
        if any(word not in program and word not in own for word in INTERNAL_WORDS.findall(line))
    ]


def clean_refusal(text: str, program: str = "") -> Outcome:
    """Judges the text of an error: it must have a location, and words that a user understands."""
    if find_internal_lines(text, program):
        return Outcome("failed", "internal words: " + text)
    # A program may say itself that an op is at a name, loc("first"), and no line.
    named = NAMED_LOCATION.search(text)
    if not LOCATION.search(text) and not (named and f'loc("{named[1]}")' in program):
        return Outcome("failed", "an error without a location: " + text)
    errors = [line for line in text.splitlines() if "error:" in line]
    return Outcome("order" if any(ORDER_WORDS.search(line) for line in errors) else "refused", text)


# ---------------------------------------------------------------------------
# Children
# ---------------------------------------------------------------------------


def limit(seconds: float, megabytes: int) -> None:
    """Bounds this process; the CPU's time counts, as machines may be busy."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    # The address sanitizer reserves more addresses than any machine has memory.
    if megabytes and "ASAN_OPTIONS" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def run_child(action: Callable[[Report], Outcome], seconds: float, megabytes: int) -> Outcome:
    """`action` in a fork of this process."""
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.close(reader)
            run_in_child(action, seconds, megabytes, writer, output.fileno())
        os.close(writer)
        text, status = wait_for(child, reader, 10 * seconds + 20)
        output.seek(0)
        said = output.read(200_000).decode(errors="replace")
    lines = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
    phase = next((line["phase"] for line in reversed(lines) if "phase" in line), "")
    ended = next((line for line in reversed(lines) if "kind" in line), None)
    if ended is not None and os.WIFEXITED(status):
        if (found := INTERNAL_WORDS.search(said)) and ended["kind"] != "failed":
            return Outcome(
                "failed", f"internal words on standard error in phase {phase}: {found.group()}\n{said}", phase
            )
        return Outcome(ended["kind"], ended["message"], phase)
    return Outcome("failed", describe_end(status, said) + f" in phase {phase}\n{said}", phase)


def describe_end(status: int, said: str) -> str:
    if not os.WIFSIGNALED(status):
        return f"killed by exit({os.WEXITSTATUS(status)})"
    number = os.WTERMSIG(status)
    if number in (signal.SIGXCPU, signal.SIGKILL):
        return "killed for a hang"
    kind = "std::bad_alloc" if "bad_alloc" in said else ""
    return f"killed by {signal.Signals(number).name} {kind}".strip()


def run_in_child(action: Callable[[Report], Outcome], seconds: float, megabytes: int, writer: int, output: int) -> None:
    """Never returns."""
    try:
        os.setsid()
        for stream in (1, 2):
            os.dup2(output, stream)
        print_stacks()
        limit(seconds, megabytes)

        def say(**line: str) -> None:
            os.write(writer, (json.dumps(line) + "\n").encode())

        try:
            outcome = action(lambda phase: say(phase=phase))
        except Failure as failure:
            outcome = Outcome("failed", str(failure))
        except MemoryError as error:
            outcome = Outcome("refused", f"MemoryError: {error}")
        except BaseException:
            outcome = Outcome("failed", f"unexpected exception: {sys.exc_info()[0]}\n{traceback.format_exc()}")
        say(kind=outcome.kind, message=outcome.message[:60_000])
    finally:
        os._exit(0)


def print_stacks() -> None:
    """Has LLVM print the stack of a crash, without its slow symbolizer."""
    import ctypes

    os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"
    try:
        function = ctypes.CDLL(None)["_ZN4llvm3sys28PrintStackTraceOnErrorSignalENS_9StringRefEb"]
    except AttributeError:
        return
    function(ctypes.c_char_p(b"fuzz"), ctypes.c_size_t(4), ctypes.c_bool(False))


def wait_for(child: int, reader: int, seconds: float) -> Tuple[str, int]:
    """Returns the output and the status of the child, which is killed with its own children when time is up."""
    deadline, chunks = time.monotonic() + seconds, []
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            os.killpg(child, signal.SIGKILL)
            break
        chunk = os.read(reader, 65536)
        if not chunk:
            break
        chunks.append(chunk)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return b"".join(chunks).decode(errors="replace"), status


# ---------------------------------------------------------------------------
# Minimization
# ---------------------------------------------------------------------------


def minimize(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """Drops lines, fewer at a time, and then pairs of braces with all between them
    kept, as long as it fails in the same way."""
    deadline = time.monotonic() + seconds
    lines = text.splitlines()
    size = max(1, len(lines) // 2)
    while size >= 1:
        index, dropped = 0, False
        while index < len(lines):
            if time.monotonic() > deadline:
                return "\n".join(lines) + "\n"
            shorter = lines[:index] + lines[index + size :]
            if shorter and fails("\n".join(shorter) + "\n"):
                lines, dropped = shorter, True
            else:
                index += size
        if size == 1 and not dropped:
            break
        size = size if size == 1 else size // 2
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------
# Generators
# ---------------------------------------------------------------------------


class Fuzzer:
    """Makes and checks cases."""

    # The file of this generator, for the commands that are printed.
    name = ""
    # The limits of CPU time and memory for one case; 0 megabytes for no limit.
    seconds = 20.0
    megabytes = 8192
    # True if a case is still one when lines are removed.
    can_minimize = True

    def prepare(self) -> None:
        """Runs once, before the first fork."""

    def make(self, rng: Rng) -> Case:
        raise NotImplementedError

    def check(self, case: Case, report: Report) -> Outcome:
        """Runs in the child."""
        raise NotImplementedError

    def count_inputs(self, case: Case) -> int:
        """Returns the number of programs, files or calls of a case."""
        return 1

    def run(self, case: Case) -> Outcome:
        return run_child(lambda report: self.check(case, report), self.seconds, self.megabytes)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Options of this generator alone."""

    def take_options(self, options: argparse.Namespace) -> None:
        """Reads them."""


@dataclass
class Found:
    """The first failure of a signature."""

    index: int
    case: Case
    outcome: Outcome


def read_known() -> List[Tuple[str, "re.Pattern[str]"]]:
    """The failures of known.txt: each line has a generator and a regular expression
    of the message."""
    known = []
    with open(os.path.join(FOLDER, "known.txt")) as file:
        for line in file:
            line = line.strip()
            if line and not line.startswith("#"):
                generator, pattern = line.split(None, 1)
                known.append((generator, re.compile(pattern)))
    return known


def main(fuzzer: Fuzzer, cases: int) -> None:
    """Runs the first `cases` cases of a seed, or those that the options and the
    environment ask for; exits with 1 after a failure that is not known."""
    parser = argparse.ArgumentParser(description=fuzzer.__doc__)
    parser.add_argument("--seed", type=int, help="default: FLYWHEEL_FUZZ_SEED, which may be random, or 1")
    parser.add_argument("--seconds", type=float, help="default: FLYWHEEL_FUZZ_SECONDS")
    parser.add_argument("--count", type=int, help=f"default: {cases}, however long they take")
    parser.add_argument("--case", type=int, help="run this case of the seed alone, and print it")
    parser.add_argument("--replay", metavar="FILE", help="run the case in a file")
    parser.add_argument("--detail", default="", help="with --replay: what was printed with the case")
    parser.add_argument("--minimize", type=float, default=0, metavar="SECONDS", help="make each failure smaller")
    parser.add_argument("--save", metavar="FOLDER", help="keep each distinct failure in a file")
    parser.add_argument("--strict", action="store_true", help="a refusal for order or aliasing is a failure")
    parser.add_argument("--show-refusals", action="store_true", help="count the distinct errors")
    fuzzer.add_options(parser)
    options = parser.parse_args()
    fuzzer.take_options(options)
    seed = read_seed("FLYWHEEL_FUZZ_SEED") if options.seed is None else options.seed
    if options.seconds is None and options.count is None:
        options.seconds = float(os.environ.get("FLYWHEEL_FUZZ_SECONDS") or 0)
        options.count = 0 if options.seconds else cases
    fuzzer.prepare()
    if options.replay or options.case is not None:
        sys.exit(run_one(fuzzer, seed, options))
    sys.exit(run_many(fuzzer, seed, options))


def run_one(fuzzer: Fuzzer, seed: int, options: argparse.Namespace) -> int:
    if options.replay:
        with open(options.replay) as file:
            case = Case(file.read(), options.detail)
    else:
        case = fuzzer.make(np.random.default_rng([seed, options.case]))
        print(f"{case.text}\n// detail: {case.detail}")
    outcome = fuzzer.run(case)
    if options.minimize and outcome.kind == "failed" and fuzzer.can_minimize:
        print(make_smaller(fuzzer, case, outcome, options.minimize).text)
    print(f"{outcome.kind}: {outcome.message}\nsignature: {outcome.signature}")
    return int(outcome.kind == "failed" or (options.strict and outcome.kind == "order"))


def make_smaller(fuzzer: Fuzzer, case: Case, outcome: Outcome, seconds: float) -> Case:
    def fails(text: str) -> bool:
        found = fuzzer.run(Case(text, case.detail))
        return found.kind == outcome.kind and found.signature == outcome.signature

    return Case(minimize(case.text, fails, seconds), case.detail)


def run_many(fuzzer: Fuzzer, seed: int, options: argparse.Namespace) -> int:
    print(f"{fuzzer.name}: FLYWHEEL_FUZZ_SEED={seed}", flush=True)
    known = [pattern for generator, pattern in read_known() if generator == fuzzer.name]
    kinds: Dict[str, int] = Counter()
    refusals: Dict[str, int] = Counter()
    times: Dict[str, int] = Counter()
    failures: Dict[str, Found] = {}
    start, index, inputs = time.monotonic(), 0, 0
    while index < options.count if options.count else time.monotonic() - start < options.seconds:
        case = fuzzer.make(np.random.default_rng([seed, index]))
        inputs += fuzzer.count_inputs(case)
        outcome = fuzzer.run(case)
        if outcome.kind == "order" and options.strict:
            outcome.kind = "failed"
        if outcome.kind == "failed" and any(pattern.search(outcome.message) for pattern in known):
            outcome.kind = "known"
        kinds[outcome.kind] += 1
        if outcome.kind in ("refused", "order", "known"):
            refusals[f"{outcome.kind}: {outcome.signature}"] += 1
        if outcome.kind == "failed":
            times[outcome.signature] += 1
            if outcome.signature not in failures:
                failures[outcome.signature] = Found(index, case, outcome)
                print_failure(fuzzer, seed, failures[outcome.signature], options)
        index += 1
    for text, number in sorted(refusals.items(), key=lambda item: -item[1]):
        if options.show_refusals or not text.startswith("refused"):
            print(f"{number:6} {text}")
    for signature, number in times.items():
        print(f"{number:6} failed: {signature}")
    counts = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    total = f"{index} cases" + (f" of {inputs} inputs" if inputs > index else "")
    print(f"{fuzzer.name}: {total} in {time.monotonic() - start:.0f} s: {counts}, {len(failures)} kinds of failures")
    return int(bool(failures))


def print_failure(fuzzer: Fuzzer, seed: int, found: Found, options: argparse.Namespace) -> None:
    case = found.case
    if options.minimize and fuzzer.can_minimize:
        case = make_smaller(fuzzer, case, found.outcome, options.minimize)
    message = found.outcome.message
    if len(message) > 4000:
        message = message[:3000] + "\n[...]\n" + message[-1000:]
    print(f"FAILURE {found.outcome.signature}")
    print(f"---- case {found.index}\n{case.text.rstrip()}\n---- detail: {case.detail}\n{message.rstrip()}")
    print(
        f"---- reproduce: FLYWHEEL_FUZZ_SEED={seed} python test/Fuzz/{fuzzer.name}.py --case {found.index}\n",
        flush=True,
    )
    if options.save:
        os.makedirs(options.save, exist_ok=True)
        stem = re.sub(r"[^A-Za-z0-9]+", "-", found.outcome.signature)[:80]
        with open(os.path.join(options.save, f"{fuzzer.name}-{stem}-{seed}-{found.index}.txt"), "w") as file:
            file.write(
                f"{case.text.rstrip()}\n\n// detail: {case.detail}\n// seed {seed} case {found.index}\n"
                + "".join(f"// {line}\n" for line in message.splitlines())
            )


def choose(rng: Rng, items: Sequence[T]) -> T:
    """One of some things, of any types."""
    return items[int(rng.integers(len(items)))]
