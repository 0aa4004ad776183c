#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of the guarantee that a step which fails changes nothing.

Everything that can fail is checked before the first variable is written, so a
call that the last check refuses makes all the checks and nothing else. The cost
of the guarantee is the time of such a call over the time of a step: an upper
bound, as the refused call also stores its status. Both are calls of one object
file from C, in turn; the figures are medians over rounds. The models are rows
of peers; the last check is that of the last label.

usage: python benchmarks/all_or_nothing.py [--rounds N] [--json F]

flywheel-compile and clang-22 are on PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

from ours import module_text  # noqa: E402
from rows import Row, make_row  # noqa: E402

ROWS = ("digits", "mlp-small")

PROGRAM = r"""
#define _POSIX_C_SOURCE 200112L
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* argv: inputs, classes, batch, rounds. Prints both medians in nanoseconds. */
int main(int argc, char **argv) {
  int64_t inputs = atoi(argv[1]), classes = atoi(argv[2]), batch = atoi(argv[3]), rounds = atoi(argv[4]);
  bench_state *s = aligned_alloc(BENCH_STATE_ALIGN, (BENCH_STATE_BYTES + 63) / 64 * 64);
  float *x = malloc(inputs * batch * sizeof(float)), loss;
  int32_t *good = malloc(batch * sizeof(int32_t)), *bad = malloc(batch * sizeof(int32_t));
  double *step = malloc(rounds * sizeof(double)), *refused = malloc(rounds * sizeof(double));
  int64_t i, round;
  if (argc != 5 || bench_init(s, 1))
    return 1;
  for (i = 0; i < inputs * batch; ++i)
    x[i] = (float)(i % 17) / 17.0f;
  for (i = 0; i < batch; ++i)
    good[i] = bad[i] = (int32_t)(i % classes);
  bad[batch - 1] = (int32_t)classes;
  for (round = 0; round < rounds; ++round) {
    double begin = now();
    for (i = 0; i < 50; ++i)
      if (bench_train_step(s, x, good, &loss))
        return 2;
    step[round] = (now() - begin) / 50;
    begin = now();
    for (i = 0; i < 5000; ++i)
      if (!bench_train_step(s, x, bad, &loss))
        return 3;
    refused[round] = (now() - begin) / 5000;
  }
  qsort(step, rounds, sizeof(double), compare);
  qsort(refused, rounds, sizeof(double), compare);
  printf("%.1f %.1f\n", 1e9 * step[rounds / 2], 1e9 * refused[rounds / 2]);
  return 0;
}
"""


def measure(row: Row, rounds: int) -> dict[str, float]:
    """Medians of a step and of a refused call in nanoseconds, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, "model")
        for suffix, text in ((".mlir", module_text(row)), (".c", PROGRAM)):
            with open(stem + suffix, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run(["flywheel-compile", stem + ".mlir", "--model-name=bench", "-o", stem + ".o"], check=True)
        subprocess.run(["clang-22", "-O2", stem + ".c", stem + ".o", "-lm", "-o", stem], check=True)
        batch, inputs = row.feeds["x"].shape
        arguments = (inputs, row.feeds["label"].bound, batch, rounds)
        run = subprocess.run([stem, *map(str, arguments)], check=True, capture_output=True, text=True)
    step, checks = map(float, run.stdout.split())
    return {"step_ns": step, "checks_ns": checks, "ratio": checks / step}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=101, help="rounds (101)")
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    figures = {name: measure(make_row(name, {}), arguments.rounds) for name in ROWS}
    for name, figure in figures.items():
        print(
            f"{name:8} step {figure['step_ns'] / 1000:8.2f} us  all checks {figure['checks_ns']:6.1f} ns"
            f"  {100 * figure['ratio']:.3f} %"
        )
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=2)


if __name__ == "__main__":
    main()
