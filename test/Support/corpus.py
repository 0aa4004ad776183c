# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of the tests and examples, which mutations start from."""

import glob
import os
import re
import shlex
from dataclasses import dataclass
from typing import List

from harness import ROOT

MAX_CHARACTERS = 6000


@dataclass(frozen=True)
class Chunk:
    """A module, and the flags that its test gives to flywheel-opt."""

    path: str
    text: str
    flags: str


def flags_of(text: str) -> str:
    """The passes of the first flywheel-opt of a RUN line."""
    text = re.sub(r"\\\n\s*// RUN:", " ", text)
    for line in re.findall(r"// RUN:(.*)", text):
        command = re.search(r"flywheel-opt ([^|>&]*)", line)
        if command is None or "%t" in command.group(1):
            continue
        try:
            words = shlex.split(command.group(1))
        except ValueError:
            continue
        passes = [
            word
            for word in words
            if word.startswith("--")
            and "split-input" not in word
            and "verify-diag" not in word
            and "emit-bytecode" not in word
            and "print" not in word
            and "allow-unregistered" not in word
        ]
        if passes:
            return shlex.join(passes)
    return ""


def strip(text: str) -> str:
    """Without comments and empty lines: what FileCheck reads is noise here."""
    lines = (re.sub(r"\s*//.*", "", line) for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip()) + "\n"


def load() -> List[Chunk]:
    """All modules of test/ and examples/, in a stable order."""
    chunks = []
    paths = glob.glob(os.path.join(ROOT, "test", "**", "*.mlir"), recursive=True)
    paths += glob.glob(os.path.join(ROOT, "examples", "**", "*.mlir"), recursive=True)
    for path in sorted(paths):
        with open(path) as file:
            text = file.read()
        flags = flags_of(text)
        for part in re.split(r"(?m)^// ?-----.*$|^//---.*$", text):
            part = strip(part)
            if 40 <= len(part) <= MAX_CHARACTERS:
                chunks.append(Chunk(os.path.relpath(path, ROOT), part, flags))
    return chunks
