# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s --compilers %host_cc,gcc %t
"""T59: the headers of models are free of warnings in every standard of C and C++, and
all their numbers can be compared by the preprocessor."""

import argparse
import os
import re
import shutil
import subprocess
from typing import List

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
ROOT = os.path.join(INPUTS, "..", "..", "..")
INCLUDE = os.path.join(ROOT, "include")
DIGITS = os.path.join(ROOT, "examples", "digits", "digits.mlir")
# Sources and options of flywheel-compile. A model without variables, one of more than
# 4 GiB, one with a team, a profile, strings.
MODELS = {
    "counted": ("counted.mlir", ["--max-batch=8"]),
    "large": (DIGITS, ["--max-batch=16777216"]),
    "numerics": ("counted.mlir", ["--check-numerics", "--profile"]),
    "team": ("counted.mlir", ["--threads=2", "--profile"]),
    "names": ("names.mlir", []),
    "tagger": ("tagger.mlir", []),
    "differences": ("differences.mlir", []),
    "int": ("counted.mlir", []),
}
C = ["c89", "c99", "c11", "c17"]
CXX = ["c++98", "c++11", "c++14", "c++17", "c++20"]
WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]


def compile_model(name: str, source: str, options: List[str], folder: str) -> str:
    path = os.path.join(INPUTS, source)
    command = ["flywheel-compile", path, "-o", os.path.join(folder, name + ".o"), "--model-name=" + name, *options]
    subprocess.run(command, check=True)
    with open(os.path.join(folder, name + ".h"), encoding="utf-8") as file:
        return file.read()


def write_sources(name: str, header: str, folder: str) -> None:
    """A source that includes the header, and the one of the library before, and has each
    number in a condition."""
    numbers = re.findall(r"^#define (\w+) [\d(U][^\"\n]*$", header, re.MULTILINE)
    assert any(number.endswith("_STATE_BYTES") for number in numbers) and len(numbers) >= 3, numbers
    assert not any(number.startswith("_") for number in numbers), numbers
    lines = [f"#if {macro} < 0 || {macro} + 1 == 0\n#error \"{macro}\"\n#endif\n" for macro in numbers]
    for suffix in ("c", "cpp"):
        for prefix, first in (("plain", ""), ("runtime", "#include <flywheel/flywheel.h>\n")):
            with open(os.path.join(folder, f"{name}-{prefix}.{suffix}"), "w", encoding="utf-8") as file:
                file.write(f'{first}#include "{name}.h"\n{"".join(lines)}')
                file.write("int main(void);\nint main(void) { return 0; }\n")


def check(compiler: str, folder: str) -> int:
    failures = 0
    for standard in C + CXX:
        suffix = "cpp" if "++" in standard else "c"
        names = [f"{name}-{prefix}.{suffix}" for name in MODELS for prefix in ("plain", "runtime")]
        sources = [os.path.join(folder, name) for name in names]
        command = [compiler, "-std=" + standard, *WARNINGS, "-fsyntax-only", "-I" + folder, "-I" + INCLUDE, *sources]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            print(f"{compiler}, {standard}:\n{result.stderr[:4000]}")
            failures += 1
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compilers", required=True)
    parser.add_argument("folder")
    options = parser.parse_args()
    for name, (source, arguments) in MODELS.items():
        write_sources(name, compile_model(name, source, arguments, options.folder), options.folder)
    compilers = [one for one in options.compilers.split(",") if shutil.which(one)]
    assert compilers, "no compiler"
    failures = sum(check(one, options.folder) for one in compilers)
    if failures:
        raise SystemExit(f"{failures} modes failed")


main()
