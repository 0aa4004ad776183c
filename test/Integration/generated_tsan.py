# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, tsan
# RUN: %python %s %src_root %t %src_root/examples/lenet/lenet.mlir
"""T12: ThreadSanitizer finds no race in the code of steps that three workers execute.

The machine code is made from what --emit=llvm-ir prints, with calls of the sanitizer
at each access. Models: random graphs and programs of loops, or those that are given.

usage: generated_tsan.py ROOT FOLDER [MODEL...]
"""

import json
import os
import re
import subprocess
import sys
from typing import Any, Dict, List

from graphs import generate

BATCH = 33
RUNTIME = ("Processors.cpp", "WorkerTeam.cpp", "WorkerThreads.cpp")
# A recurrence, and a table that is read by columns.
LOOPS = """
module @loops {
  train.variable @w : tensor<64x64xf32> = #train.glorot_uniform
  func.func @step(%x: tensor<?x64xf32>) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = train.read @w : tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %t = linalg.transpose ins(%w : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
    %c3 = arith.constant 3 : index
    %h = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?x64xf32> {
      %p = nn.matmul %a, %t : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
      %r = math.tanh %p : tensor<?x64xf32>
      scf.yield %r : tensor<?x64xf32>
    }
    %l = nn.reduce sum %h axes [0, 1] : tensor<?x64xf32> -> tensor<f32>
    train.minimize %l : tensor<f32> with #train.adam<lr = 0.01>
    return %l : tensor<f32>
  }
}
"""
MAIN = """
#include "{stem}.h"
#include <stdio.h>
#include <stdlib.h>
#include <flywheel/flywheel.h>
static void *make(size_t bytes, int kind) {{
  char *data = aligned_alloc(64, (bytes + 127) / 64 * 64);
  for (size_t i = 0; i < (bytes + 127) / 64 * 64; ++i) data[i] = 0;
  if (kind == 'f') for (size_t i = 0; i < bytes / 4; ++i) ((float *)data)[i] = (float)(i % 17) / 16 - 0.5f;
  if (kind == 'd') for (size_t i = 0; i < bytes / 8; ++i) ((double *)data)[i] = (double)(i % 17) / 16 - 0.5;
  if (kind == 'i') *(long long *)data = 3 * (bytes == 8);
  return data;
}}
int main(void) {{
  flywheel_set_max_workers(3);
  flywheel_team *team = flywheel_team_create(3);
  void *s = make({prefix}_STATE_BYTES, 0);
  if ({name}_init(s, 1)) return puts({name}_last_error(s)), 1;
{calls}
  puts("no race");
  return 0;
}}
"""


def count_bytes(info: Dict[str, Any]) -> str:
    size = {"float64": 8, "int64": 8, "float32": 4, "int32": 4}.get(info["dtype"], 1)
    for dim_size in info["shape"]:
        size *= BATCH if isinstance(dim_size, str) else dim_size
    kinds = {"float64": "'d'", "float32": "'f'", "int64": "'i'"}
    return f"{size}, {kinds.get(info['dtype'], '0')}"


def call(entry: Dict[str, Any], name: str) -> str:
    arguments, symbols = ["s", "team"], set()
    for feed in entry["feeds"]:
        arguments.append(f"make({count_bytes(feed)})")
        for dim_size in feed["shape"]:
            if isinstance(dim_size, str) and dim_size not in symbols:
                symbols.add(dim_size)
                arguments.append(str(BATCH))
    arguments += [f"make({count_bytes(result)})" for result in entry["results"]]
    return (
        f"  for (int i = 0; i < 2; ++i)\n    if ({entry['symbol']}({', '.join(arguments)}))"
        f" return puts({name}_last_error(s)), 1;"
    )


def check(root: str, folder: str, stem: str, text: str) -> None:
    path = os.path.join(folder, stem)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    # The sanitizer knows accesses of 16 bytes at most.
    options = ["--threads=3", "--min-shared-work=0", "--cpu=x86-64", "--max-batch=64"]
    command = ["flywheel-compile", path + ".mlir", *options]
    subprocess.run([*command, "-o", path + ".o"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([*command, "--emit=llvm-ir", "-o", path + ".ll"], check=True, stderr=subprocess.DEVNULL)
    with open(path + ".ll") as file:
        code = re.sub(r"(?m)^(define [^\n]*\))([^\n]*\{)$", r"\1 sanitize_thread\2", file.read())
    with open(path + ".ll", "w") as file:
        file.write(code)
    with open(path + ".json") as file:
        manifest = json.load(file)
    name = manifest["model"]
    shared = [entry for entry in manifest["entries"] if entry.get("workers", 1) > 1]
    assert shared, f"{stem}: no entry is shared"
    calls = "\n".join(call(entry, name) for entry in shared)
    with open(path + ".main.c", "w") as file:
        file.write(MAIN.format(stem=stem, prefix=name.upper(), name=name, calls=calls))
    includes = ["-I", f"{root}/include", "-I", folder, "-Wno-unused-command-line-argument"]
    tsan = ["-g", "-O1", "-fsanitize=thread", *includes]
    subprocess.run(["clang", "-std=gnu11", *tsan, "-c", path + ".main.c", "-o", path + ".main.o"], check=True)
    subprocess.run(["clang", "-Wno-override-module", *tsan, "-c", path + ".ll", "-o", path + ".o"], check=True)
    sources = [os.path.join(root, "lib", "Runtime", source) for source in RUNTIME]
    subprocess.run(
        ["clang++", "-std=c++17", *tsan, *sources, path + ".main.o", path + ".o", "-lm", "-o", path], check=True
    )
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1")
    found = subprocess.run([path], check=False, capture_output=True, env=environment, text=True)
    assert found.returncode == 0 and "no race" in found.stdout, f"{stem}: {found.stdout}{found.stderr[:3000]}"


def main(root: str, folder: str, paths: List[str]) -> None:
    os.makedirs(folder, exist_ok=True)
    for path in paths:
        with open(path) as file:
            check(root, folder, os.path.basename(path).split(".")[0].replace("-", "_"), file.read())
    check(root, folder, "loops", LOOPS)
    for seed in (3, 7):
        check(root, folder, f"graph{seed}", generate(seed, 10).module())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
