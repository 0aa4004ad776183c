# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of the text of a module, from single tokens to nested regions.

Most programs should still parse, and some compile: many mutators change a whole
module in the same way, or a line whose types they can read.
"""

import re
from typing import Callable, List, Optional, Sequence

from harness import Rng, choose

# Takes and returns the text; `others` are lines of other modules.
Mutator = Callable[[str, Rng, Sequence[str]], Optional[str]]

NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "64",
    "1000003",
    "2147483647",
    "2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "0.0",
    "-0.0",
    "1.0e39",
    "-1.0e400",
    "0x7FC00000",
    "0x7F800000",
]
DIM_SIZES = ["0", "1", "2", "3", "5", "?", "?", "?", "4611686018427387904", "9223372036854775807", "4294967297"]
DTYPES = [
    "f16",
    "bf16",
    "f32",
    "f64",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "ui8",
    "si32",
    "i4",
    "f80",
    "f128",
    "complex<f32>",
    "f8E4M3FN",
    "tf32",
    "i65",
    "!train.string",
    "vector<4xf32>",
]
TOKEN = re.compile(r"[%@#!^]?[\w.$]+(?:-\w+)*|\"[^\"\n]*\"|->|\S")
NUMBER = re.compile(r"(?<![\w.%@#^$])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
DIM_SIZE = re.compile(r"(?<=[<x])(?:\d+|\?)(?=x)")
DTYPE = re.compile(r"\b(?:bf16|f16|f32|f64|i1|i8|i16|i32|i64|index)\b")
TENSOR = re.compile(r"tensor<[^<>]*>")
VALUE = re.compile(r"%[\w$.#-]+(?::\d+)?")
OP = re.compile(r"\b(?:arith|math|tensor|linalg|nn|train|scf|memref|vector|func|cf)\.[a-z_0-9.]+")
ATTRIBUTES = re.compile(r"\{[^{}\n]*\}")
LISTED = re.compile(r"\[[^\[\]\n]*\]")


def replace_one(pattern: "re.Pattern[str]", news: Sequence[str]) -> Mutator:
    """One occurrence becomes another text."""

    def mutate(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
        found = list(pattern.finditer(text))
        if not found:
            return None
        match = choose(rng, found)
        return text[: match.start()] + choose(rng, news) + text[match.end() :]

    return mutate


def replace_all(pattern: "re.Pattern[str]", news: Sequence[str]) -> Mutator:
    """Every occurrence of one of the matches, in the whole module or a function."""

    def mutate(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
        found = [match.group() for match in pattern.finditer(text)]
        if not found:
            return None
        old, new = choose(rng, found), choose(rng, news)
        return pattern.sub(lambda match: new if match.group() == old else match.group(), text)

    return mutate


def replace_by_own(pattern: "re.Pattern[str]") -> Mutator:
    """One match becomes a copy of another: operands, types, ops, attributes."""

    def mutate(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
        found = list(pattern.finditer(text))
        if len(found) < 2:
            return None
        match = choose(rng, found)
        return text[: match.start()] + choose(rng, found).group() + text[match.end() :]

    return mutate


def rename_op(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """An op becomes another of its dialect."""
    found = list(OP.finditer(text))
    if not found:
        return None
    match = choose(rng, found)
    dialect = match.group().split(".")[0] + "."
    names = [name for line in rng.choice(others, 200) for name in OP.findall(str(line)) if name.startswith(dialect)]
    return text[: match.start()] + choose(rng, names) + text[match.end() :] if names else None


def change_dims(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A tensor gains or loses a dimension, everywhere."""
    found = TENSOR.findall(text)
    if not found:
        return None
    old = choose(rng, found)
    parts = old[len("tensor<") : -1].split("x")
    if len(parts) > 1 and rng.integers(2):
        del parts[int(rng.integers(len(parts) - 1))]
    else:
        parts.insert(int(rng.integers(len(parts))), choose(rng, ["?", "1", "2", "4"]))
    return text.replace(old, "tensor<" + "x".join(parts) + ">")


def lines_of(text: str) -> List[str]:
    return text.splitlines()


def joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def delete_line(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    lines = lines_of(text)
    del lines[int(rng.integers(len(lines)))]
    return joined(lines)


def duplicate_line(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A line twice; what it defines gets another name the second time."""
    lines = lines_of(text)
    index = int(rng.integers(len(lines)))
    copy = re.sub(r"^(\s*)%([\w$.-]+)", r"\1%\2_again", lines[index])
    lines.insert(int(rng.integers(index + 1, len(lines) + 1)) if rng.integers(2) else index + 1, copy)
    return joined(lines)


def swap_lines(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    lines = lines_of(text)
    i, j = (int(x) for x in rng.integers(len(lines), size=2))
    if rng.integers(2):
        j = min(i + 1, len(lines) - 1)
    lines[i], lines[j] = lines[j], lines[i]
    return joined(lines)


def insert_foreign_line(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A line of another module, on values of this one."""
    lines = lines_of(text)
    line = str(choose(rng, others))
    values = VALUE.findall(text)
    if values:
        head, equals, tail = line.partition(" = ")
        tail = VALUE.sub(lambda match: str(choose(rng, values)) if rng.integers(3) else match.group(), tail)
        line = head + equals + tail
    lines.insert(int(rng.integers(len(lines) + 1)), line)
    return joined(lines)


def chain(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A later line uses a value of the type that it had: data flows another way."""
    lines = lines_of(text)
    types = {}
    for number, line in enumerate(lines):
        result = re.match(r"\s*(%[\w$-]+) = .*?(tensor<[^<>]*>)\s*$", line)
        if result:
            types[result.group(1)] = (number, result.group(2))
    candidates = [(number, kind, name) for name, (number, kind) in types.items()]
    if not candidates:
        return None
    number, kind, name = choose(rng, candidates)
    users = [i for i in range(number + 1, len(lines)) if kind in lines[i] and "%" in lines[i]]
    if not users:
        return None
    user = choose(rng, users)
    head, equals, tail = lines[user].rpartition(" = ")
    operands = list(VALUE.finditer(tail))
    if not operands:
        return None
    match = choose(rng, operands)
    lines[user] = head + equals + tail[: match.start()] + name + tail[match.end() :]
    return joined(lines)


def nest(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """An op of one result moves into a region."""
    lines = lines_of(text)
    found = []
    for number, line in enumerate(lines):
        match = re.match(r"(\s*)(%[\w$-]+) = (.*?(?::|->) ?(tensor<[^<>]*>|index|[if]\d+))\s*$", line)
        if match:
            found.append((number, match))
    if not found:
        return None
    number, match = choose(rng, found)
    indent, name, body, kind = match.groups()
    inner, tag = f"{name}_in", f"%n{number}_{int(rng.integers(1000))}"
    condition = choose(rng, ["true", "false"])
    forms = [
        [
            f"{tag}c = arith.constant {condition}",
            f"{name} = scf.if {tag}c -> ({kind}) {{",
            f"  {inner} = {body}",
            f"  scf.yield {inner} : {kind}",
            "} else {",
            f"  {inner}2 = {body}",
            f"  scf.yield {inner}2 : {kind}",
            "}",
        ],
        [
            f"{tag}0 = arith.constant 0 : index",
            f"{tag}1 = arith.constant 1 : index",
            f"{tag}n = arith.constant {choose(rng, ['0', '1', '3'])} : index",
            f"{tag}b = {body}",
            f"{name} = scf.for {tag}i = {tag}0 to {tag}n step {tag}1 iter_args({tag}a = {tag}b) -> ({kind}) {{",
            f"  {inner} = {body}",
            f"  scf.yield {inner} : {kind}",
            "}",
        ],
        [f"{name} = scf.execute_region -> {kind} {{", f"  {inner} = {body}", f"  scf.yield {inner} : {kind}", "}"],
    ]
    lines[number : number + 1] = [indent + line for line in choose(rng, forms)]
    return joined(lines)


def delete_attributes(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """An attribute dictionary loses an entry, repeats one or goes."""
    found = list(ATTRIBUTES.finditer(text))
    if not found:
        return None
    match = choose(rng, found)
    entries = match.group()[1:-1].split(", ")
    index = int(rng.integers(len(entries)))
    if rng.integers(2):
        del entries[index]
    else:
        entries.append(entries[index])
    return text[: match.start()] + ("{" + ", ".join(entries) + "}" if entries else "") + text[match.end() :]


def change_list(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A list of numbers or operands loses, repeats, swaps or changes entries."""
    found = [match for match in LISTED.finditer(text) if len(match.group()) > 2]
    if not found:
        return None
    match = choose(rng, found)
    entries = match.group()[1:-1].split(", ")
    index = int(rng.integers(len(entries)))
    action = int(rng.integers(5))
    if action == 0:
        del entries[index]
    elif action == 1:
        entries.insert(index, entries[index])
    elif action == 2:
        entries.reverse()
    elif action == 3:
        entries[index] = choose(rng, NUMBERS)
    else:
        entries[index] = choose(rng, entries)
    return text[: match.start()] + "[" + ", ".join(entries) + "]" + text[match.end() :]


def change_tokens(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """A token goes, repeats or swaps with another."""
    found = list(TOKEN.finditer(text))
    if len(found) < 2:
        return None
    match, other = choose(rng, found), choose(rng, found)
    action = int(rng.integers(3))
    if action == 0:
        return text[: match.start()] + text[match.end() :]
    if action == 1:
        return text[: match.end()] + " " + match.group() + text[match.end() :]
    return text[: match.start()] + other.group() + text[match.end() :]


def change_bytes(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    index = int(rng.integers(len(text)))
    return text[:index] + chr(int(rng.choice([0, 9, 34, 37, 60, 62, 91, 123, 127, 233]))) + text[index + 1 :]


def deepen(text: str, rng: Rng, others: Sequence[str]) -> Optional[str]:
    """Deep nesting of attributes, types or regions."""
    depth = int(rng.choice([50, 600, 6000]))
    forms = [
        "module attributes {test.a = " + "[" * depth + "]" * depth + "} {\n}\n",
        "func.func @deep() {\n  %c = arith.constant true\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}\n",
        "func.func private @deep(" + "tuple<" * depth + "i1" + ">" * depth + ")\n",
        "module {\n" * depth + "}\n" * depth,
    ]
    return text + choose(rng, forms)


MUTATORS: List[Mutator] = [
    replace_one(NUMBER, NUMBERS),
    replace_all(NUMBER, NUMBERS),
    replace_by_own(NUMBER),
    replace_one(DIM_SIZE, DIM_SIZES),
    replace_all(DIM_SIZE, DIM_SIZES),
    replace_all(DIM_SIZE, ["?"]),
    replace_by_own(DIM_SIZE),
    replace_one(DTYPE, DTYPES),
    replace_all(DTYPE, DTYPES),
    replace_by_own(VALUE),
    replace_by_own(TENSOR),
    replace_by_own(OP),
    replace_by_own(ATTRIBUTES),
    replace_by_own(LISTED),
    rename_op,
    rename_op,
    change_dims,
    delete_line,
    duplicate_line,
    swap_lines,
    insert_foreign_line,
    insert_foreign_line,
    chain,
    chain,
    chain,
    nest,
    nest,
    delete_attributes,
    change_list,
    change_list,
    change_tokens,
]
RARE: List[Mutator] = [change_bytes, deepen]


def mutate(text: str, rng: Rng, others: Sequence[str]) -> str:
    """The text after one to five changes."""
    for _ in range(int(min(5, rng.geometric(0.5)))):
        mutator = choose(rng, RARE if rng.integers(150) == 0 else MUTATORS)
        text = mutator(text, rng, others) or text
    return text
