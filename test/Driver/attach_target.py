# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Caches and cores are those of this machine for its own CPU, and of no machine for a CPU with a name."""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from typing import List, Tuple

DEFAULTS = (49152, 2097152, 1)
MODEL = """
func.func @products(%a: tensor<3x128x64xf32>, %b: tensor<3x64x100xf32>) -> tensor<3x128x100xf32> {
  %y = nn.matmul %a, %b : (tensor<3x128x64xf32>, tensor<3x64x100xf32>) -> tensor<3x128x100xf32>
  return %y : tensor<3x128x100xf32>
}
"""


def read_sizes(*options: str) -> Tuple[int, ...]:
    """Returns the sizes in the target of an empty module."""
    command = ["flywheel-opt", "-", f"--flywheel-attach-target={' '.join(options)}"]
    text = subprocess.run(command, input="module {}", check=True, capture_output=True, text=True).stdout
    match = re.search(r"l1_bytes = (\d+), l2_bytes = (\d+), cores = (\d+)", text)
    assert match, text
    return tuple(int(number) for number in match.groups())


def read_cache(name: str) -> int:
    """A size as the C library has it; 0 where it does not tell."""
    if not shutil.which("getconf"):
        return 0
    text = subprocess.run(["getconf", name], capture_output=True, text=True).stdout.strip()
    return int(text) if text.isdigit() else 0


def get_host_sizes() -> Tuple[int, ...]:
    """The same of the operating system, with the defaults where it does not tell."""
    l1, l2 = read_cache("LEVEL1_DCACHE_SIZE"), read_cache("LEVEL2_CACHE_SIZE")
    caches = (l1, l2) if 4096 <= l1 <= l2 else DEFAULTS[:2]
    return (*caches, len(os.sched_getaffinity(0)))


def compile_object(options: List[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "model.mlir"), os.path.join(folder, "model.o")
        with open(source, "w") as file:
            file.write(MODEL)
        subprocess.run(["flywheel-compile", source, "-o", target, *options], check=True)
        with open(target, "rb") as object_file:
            return object_file.read()


def expect_equal(what: str, found: object, expected: object) -> None:
    assert found == expected, f"{what}: expected {expected!r}, found {found!r}"


expect_equal("the default", read_sizes(), get_host_sizes())
expect_equal("cpu=host", read_sizes("cpu=host"), get_host_sizes())
expect_equal("another machine", read_sizes("triple=riscv64-unknown-linux-gnu"), DEFAULTS)
expect_equal("given", read_sizes("l1-bytes=8192", "l2-bytes=65536", "cores=7"), (8192, 65536, 7))
if platform.machine() == "x86_64":
    expect_equal("a CPU with a name", read_sizes("cpu=x86-64-v3"), DEFAULTS)
    named = compile_object(["--cpu=x86-64-v3"])
    given = ["--cpu=x86-64-v3", "--target-l1-bytes=49152", "--target-l2-bytes=2097152", "--target-cores=1"]
    assert compile_object(given) == named, "expected the object that the defaults give"
    small = compile_object(["--cpu=x86-64-v3", "--target-l1-bytes=16384", "--target-l2-bytes=131072"])
    assert small != named, "expected other tiles for small caches"
    affinity = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(affinity)})
    expect_equal("one core", read_sizes()[2], 1)
    assert compile_object(["--cpu=x86-64-v3"]) == named, "expected the same object on a machine with one core"
