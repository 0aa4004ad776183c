# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %src_root/docs/OpSupport.md
"""Every op of arith, linalg, math, tensor and tosa, for every element type.

Pairs that docs/OpSupport.md lists compile and are right; others are refused, by
the op's name and at its location. By default a part of all pairs runs, chosen by
the day: see selection.py.

usage: op_support.py docs/OpSupport.md [--write] [--only=REGEX]

With --write the table is made from the pairs that compile and are right.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List, Optional, Set, Tuple

import numpy as np

import flywheel
from configurations import Failure, make
from selection import choose, get_seed, takes_all
from supported import ELEMENTS, SAMPLES, Sample, compare

Pair = Tuple[str, str]
SHARE = 0.12
BATCH = 48
INTERNAL = re.compile(r"failed to legalize|unrealized_conversion_cast|was not bufferized|Failed to materialize"
                      r"|see current operation|LLVM ERROR|explicitly marked illegal")
# Symbols of libc and libm, as the linker knows them.
LIBRARIES = ("libm.so.6", "libc.so.6")

NOTHING = re.compile("(?!)")
# Symbols that an object may need besides: wasm's linker defines some names, and each C compiler for CPUs of 32 bits has
# integers of 64 bits. Conversions of f16 and bf16 are in neither.
LINKED = {
    "--cpu=x86-64": NOTHING, "--cpu=x86-64-v3": NOTHING, "--cpu=x86-64-v4": NOTHING,
    "--target-triple=aarch64-linux-gnu": NOTHING, "--target-triple=riscv64-linux-gnu": NOTHING,
    "--target-triple=s390x-linux-gnu": NOTHING,
    "--target-triple=wasm32-unknown-unknown": re.compile(
        r"__(indirect_function_table|stack_pointer|linear_memory|memory_base)|__(mul|div|udiv|mod|umod)ti3"),
    "--target-triple=armv7-linux-gnueabihf": re.compile(
        r"__aeabi_u?(i|l)div(mod)?|__aeabi_(d|f)2u?lz|__aeabi_u?l2(d|f)"),
}
TARGETS = tuple(LINKED)

HEAD = """<!-- Written by test/Numeric/Ops/op_support.py --write: edit the sources instead. -->

# Supported ops

The ops of upstream's dialects and the element types that they compile for, on ranked tensors; bodies of `linalg`
ops take single elements of the same types. Each pair below is compared with NumPy, in both lowerings and as an
object file; anything else is refused at the op. `arith` and `math` are signless: `tensor.bitcast` makes
unsigned integers signless. There is no lowering for `vector`, `memref`, `complex` and other dialects.

| op | element types |
| --- | --- |
"""


def listed_ops() -> Dict[str, str]:
    """Every registered op, with what is expected in its place if it is refused."""
    tool = pathlib.Path(shutil.which("flywheel-opt") or "flywheel-opt").resolve()
    plugin = tool.parent.parent / "lib/libFlywheelTestPasses.so"
    command = [str(tool), f"--load-pass-plugin={plugin}", "--pass-pipeline=any(test-list-op-support)", "-o", os.devnull]
    text = subprocess.run(command, input="module {}", check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict((line.split("\t") + [""])[:2] for line in text.splitlines() if line)


def read_table(path: str) -> Dict[str, List[str]]:
    rows = {}
    with open(path, encoding="utf-8") as file:
        for found in re.finditer(r"^\| `([\w.]+)` \| (.*) \|$", file.read(), re.MULTILINE):
            rows[found[1]] = [] if found[2].startswith("refused") else found[2].split()
    return rows


def build(pair: Pair) -> Sample:
    made = SAMPLES[pair[0]](ELEMENTS[pair[1]])
    assert made is not None, pair
    return made


def refusal(pair: Pair, sample: Sample) -> str:
    """Returns the reason why the sample is refused, or '' if it is not. Raises if the refusal does not say it well."""
    source = sample.function("f")
    try:
        flywheel.compile(source)
    except flywheel.CompileError as error:
        text = str(error)
    else:
        return ""
    assert not INTERNAL.search(text), f"{pair}: internal words: {text}"
    # The first error names an op that is at its place: the one in question, or what an operand or a body needs.
    place = re.search(r"^<string>:(\d+):\d+: error: (.*)", text, re.MULTILINE)
    assert place, f"{pair}: expected a location in: {text}"
    line = source.split("\n")[int(place[1]) - 1]
    names = re.findall(r"'(\w+\.\w+)'", place[2])
    assert any(name in line for name in names), f"{pair}: expected the name of an op of '{line.strip()}' in: {text}"
    return text


def module(samples: Dict[str, Sample]) -> str:
    return "".join(sample.function(name) for name, sample in samples.items())


def library_symbols() -> Set[str]:
    found: Set[str] = set()
    for name in LIBRARIES:
        path = subprocess.run([os.environ.get("CC", "clang-22"), "-print-file-name=" + name], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
        listed = subprocess.run(["llvm-nm", "--dynamic", "--defined-only", path], check=True, stdout=subprocess.PIPE,
                                text=True).stdout
        found.update(line.split()[-1].split("@")[0] for line in listed.splitlines() if line)
    return found


def check_symbols(samples: Dict[str, Sample], known: Set[str], targets: Tuple[str, ...]) -> None:
    """An object needs libc and libm only, also for CPUs that lack everything."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "m.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(module(samples))
        for option in targets:
            target = os.path.join(folder, "m.o")
            subprocess.run(["flywheel-compile", source, "-o", target, option], check=True)
            listed = subprocess.run(["llvm-nm", "--undefined-only", target], check=True, stdout=subprocess.PIPE,
                                    text=True).stdout
            needed = {line.split()[-1] for line in listed.splitlines()}
            strange = sorted(name for name in needed - known if not LINKED[option].fullmatch(name))
            assert not strange, f"{option}: needs {strange} for {list(samples)}"


def run(samples: Dict[str, Sample], labels: Dict[str, Pair], configuration: str) -> None:
    model = make(module(samples), configuration, max_dim_size=64)
    model.initialize()
    for name, sample in samples.items():
        feeds = [np.asarray(x, np.int64 if "index>" in kind else None, order="C") for kind, x in sample.args]
        found = model.run(name, *feeds)
        compare(f"{configuration} {labels[name]}", found if isinstance(found, tuple) else (found,), sample)


def check_batch(pairs: List[Pair], configurations: Tuple[str, ...], known: Optional[Set[str]],
                targets: Tuple[str, ...] = TARGETS) -> None:
    samples = {f"f{i}": build(pair) for i, pair in enumerate(pairs)}
    labels = {f"f{i}": pair for i, pair in enumerate(pairs)}
    for configuration in configurations:
        run(samples, labels, configuration)
    if known is not None:
        check_symbols(samples, known, targets)


def problem(pair: Pair, known: Optional[Set[str]]) -> str:
    """'' where a pair is right everywhere; else the error."""
    try:
        check_batch([pair], ("reference", "optimized"), known)
    except (AssertionError, Failure, ValueError, RuntimeError, subprocess.CalledProcessError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def write(path: str, ops: Dict[str, str], only: str) -> None:
    rows = read_table(path) if only and os.path.exists(path) else {}
    for op in sorted(ops):
        if not re.search(only, op):
            continue
        rows[op] = []
        if op not in SAMPLES:
            continue
        for element in ELEMENTS:
            if os.environ.get("FLYWHEEL_TEST_TRACE"):
                print(op, element, file=sys.stderr, flush=True)
            try:
                why = refusal((op, element), build((op, element)))
            except AssertionError as error:
                print(f"BAD {error}"[:600], flush=True)
                continue
            if why:
                continue
            text = problem((op, element), None)
            if text:
                print(f"WRONG {(op, element)} {text[:900]}", flush=True)
            else:
                rows[op].append(element)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for op in sorted(ops):
            if op in rows:
                what = " ".join(rows[op]) or "refused" + (": " + ops[op] if ops[op] else "")
                file.write(f"| `{op}` | {what} |\n")


def check(path: str, ops: Dict[str, str], only: str) -> None:
    rows = read_table(path)
    stale = set(ops) ^ set(rows)
    assert not stale, f"docs/OpSupport.md is stale: {sorted(stale)}; run op_support.py --write"
    missing = [op for op in ops if op not in SAMPLES and not ops[op]]
    assert not missing, f"no sample of {missing}"
    wrong = [op for op, reason in ops.items() if bool(reason) and rows[op]]
    assert not wrong, f"docs/OpSupport.md says that {wrong} compile, which are refused by name"
    pairs = [(op, element) for op in sorted(ops) if op in SAMPLES and re.search(only, op) for element in ELEMENTS]
    if not only:
        pairs = choose("op_support", pairs, SHARE)
    good = [pair for pair in pairs if pair[1] in rows[pair[0]]]
    known = library_symbols()
    failures = []
    for i in range(0, len(good), BATCH):
        batch = good[i:i + BATCH]
        # The CPU that lacks most, and one of the others for each batch.
        some = (TARGETS[0], TARGETS[1 + (get_seed() + i // BATCH) % (len(TARGETS) - 1)])
        try:
            check_batch(batch, ("reference", "optimized", "object"), known, TARGETS if takes_all() else some)
        except (AssertionError, Failure, ValueError, RuntimeError, subprocess.CalledProcessError):
            # One by one, to see which it is.
            found = [f"{pair}: {text}" for pair in batch for text in [problem(pair, known)] if text]
            failures += found or [f"only together: {batch}"]
    for pair in pairs:
        if pair in good:
            continue
        try:
            if not refusal(pair, build(pair)):
                failures.append(f"{pair}: compiles, but is not listed")
        except AssertionError as error:
            failures.append(str(error))
    print(f"{len(good)} pairs compared, {len(pairs) - len(good)} refusals")
    if failures:
        raise SystemExit("\n".join(failures) + f"\n{len(failures)} failures")


def main() -> None:
    path = sys.argv[1]
    only = "".join(a[len("--only="):] for a in sys.argv[2:] if a.startswith("--only="))
    if "--write" in sys.argv[2:]:
        write(path, listed_ops(), only)
    else:
        check(path, listed_ops(), only)


main()
