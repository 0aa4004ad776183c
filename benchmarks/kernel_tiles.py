#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the kernels of flywheel-vectorize-kernels, one thread, f32.

Each case is a loop nest as tile-and-fuse makes it, with every choice open: the
tile, whether panels of B are copied, how K is split, and the epilogue. Prints
GFLOP/s and the share of the FMA peak, which is measured in the same run: the
cases take turns, so that a busy machine slows all of them. These are the numbers
in include/flywheel/Codegen/CPU/ContractionTile.h.

usage: kernel_tiles.py [--set forward|gradient|digits|split|plain]
                       [--rounds N] [--bin DIR]... (searched before PATH)
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

LOWERING = """canonicalize cse flywheel-attach-target flywheel-choose-schedules flywheel-vectorize-kernels canonicalize cse
loop-invariant-code-motion expand-strided-metadata lower-affine
convert-scf-to-cf canonicalize cse convert-vector-to-llvm
finalize-memref-to-llvm convert-arith-to-llvm convert-index-to-llvm
convert-cf-to-llvm convert-func-to-llvm reconcile-unrealized-casts""".split()

EPILOGUES = {
    "relu": ("%c, %bias_j", "(m, n) -> (m, n)|(m, n) -> (n)", "%C_t", """
      ^bb0(%x: f32, %y: f32, %o: f32):
        %t = arith.addf %x, %y : f32
        %u = arith.maximumf %t, %zero : f32
        linalg.yield %u : f32"""),
    "momentum": ("%c", "(m, n) -> (m, n)", "%V_t, %C_t", """
      ^bb0(%g: f32, %v: f32, %w: f32):
        %t = arith.mulf %v, %mu : f32
        %u = arith.addf %t, %g : f32
        %s = arith.mulf %u, %rate : f32
        %x = arith.subf %w, %s : f32
        linalg.yield %u, %x : f32, f32"""),
}


class Case:
    """C[m, n] = A * B, A being [k, m] if `ta` and B being [n, k] if `tb`."""

    def __init__(self, name, m, n, k, ta=False, tb=False):
        self.name, self.m, self.n, self.k = name, m, n, k
        self.a = (k, m) if ta else (m, k)
        self.b = (n, k) if tb else (k, n)
        self.maps = ("(k, m)" if ta else "(m, k)", "(n, k)" if tb else "(k, n)", "(m, n)")
        self.ta = ta

    def shape(self, dims):
        return f"memref<{dims[0]}x{dims[1]}xf32>"

    def contraction(self, a, at, b, bt, c, ct):
        maps = ", ".join(f"affine_map<(m, n, k) -> {m}>" for m in self.maps)
        return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins({a}, {b} : {at}, {bt}) outs({c} : {ct}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        %t = arith.mulf %x, %y : f32
        %u = arith.addf %o, %t : f32
        linalg.yield %u : f32
      }}"""

    def function(self, body):
        c = self.shape((self.m, self.n))
        return f"""func.func @{self.name}(%A: {self.shape(self.a)}, %B: {self.shape(self.b)}, %C: {c}, %bias: memref<{self.n}xf32>, %V: {c}) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %mu = arith.constant 0.9 : f32
  %rate = arith.constant 0.001 : f32
  %M = arith.constant {self.m} : index
  %N = arith.constant {self.n} : index
  %K = arith.constant {self.k} : index
{body}
  return
}}
"""

    def plain(self):
        """The op itself."""
        c = self.shape((self.m, self.n))
        op = self.contraction("%A", self.shape(self.a), "%B", self.shape(self.b), "%C", c)
        self.text = self.function(f"  linalg.fill ins(%zero : f32) outs(%C : {c})\n  {op}")
        return self

    def view(self, name, source, shape, offsets, sizes):
        """A tile; sizes are constants or (value, bound is exact) names."""
        static = [s if isinstance(s, int) else "?" for s in sizes]
        kind = f"memref<{static[0]}x{static[1]}xf32, strided<[{shape[1]}, 1], offset: ?>>"
        return f"{name} = memref.subview {source}[{offsets[0]}, {offsets[1]}] [{sizes[0]}, {sizes[1]}] [1, 1] : {self.shape(shape)} to {kind}", kind

    def tiled(self, mr, nr, pack, epilogue):
        """The whole of K in each tile, whose epilogue reads it from the stack."""
        rows = mr if self.m % mr == 0 else "%rows"
        columns = nr if self.n % nr == 0 else "%columns"
        c_shape = (self.m, self.n)
        b, bt = self.view("%B_j", "%B", self.b, ("0", "%j"), (self.k, columns))
        panel = ""
        b_name, b_type = "%B_j", bt
        if pack:
            panel, b_type = self.view("%panel_j", "%panel", (self.k, nr), ("%c0", "%c0"), (self.k, columns))
            panel += f"\n    linalg.copy ins(%B_j : {bt}) outs(%panel_j : {b_type})"
            b_name = "%panel_j"
        if self.ta:
            a, at = self.view("%A_i", "%A", self.a, ("0", "%i"), (self.k, rows))
        else:
            a, at = self.view("%A_i", "%A", self.a, ("%i", "0"), (rows, self.k))
        c, ct = self.view("%c", "%tile", (mr, nr), ("%c0", "%c0"), (rows, columns))
        cv, cvt = self.view("%C_t", "%C", c_shape, ("%i", "%j"), (rows, columns))
        vv, vvt = self.view("%V_t", "%V", c_shape, ("%i", "%j"), (rows, columns))
        shown = columns if isinstance(columns, int) else "?"
        bias = f"memref<{shown}xf32, strided<[1], offset: ?>>"
        kinds = {"%c": ct, "%bias_j": bias, "%C_t": cvt, "%V_t": vvt}
        ins, in_maps, outs, body = EPILOGUES[epilogue]
        maps = in_maps.split("|") + ["(m, n) -> (m, n)"] * len(outs.split(", "))
        maps = ", ".join(f"affine_map<{m}>" for m in maps)

        def types(names):
            return ", ".join(kinds[x] for x in names.split(", "))
        self.text = self.function(f"""
  %mr = arith.constant {mr} : index
  %nr = arith.constant {nr} : index
  %panel = memref.alloca() {{alignment = 64 : i64}} : memref<{self.k}x{nr}xf32>
  %tile = memref.alloca() {{alignment = 64 : i64}} : memref<{mr}x{nr}xf32>
  scf.for %j = %c0 to %N step %nr {{
    %columns = affine.min affine_map<(d0) -> ({self.n} - d0, {nr})>(%j)
    {b}
    {panel}
    scf.for %i = %c0 to %M step %mr {{
      %rows = affine.min affine_map<(d0) -> ({self.m} - d0, {mr})>(%i)
      {a}
      {c}
      linalg.fill ins(%zero : f32) outs(%c : {ct})
      {self.contraction("%A_i", at, b_name, b_type, "%c", ct)}
      {cv}
      {vv}
      %bias_j = memref.subview %bias[%j] [{columns}] [1] : memref<{self.n}xf32> to {bias}
      linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({ins} : {types(ins)}) outs({outs} : {types(outs)}) {{{body}
      }}
    }}
  }}""")
        return self

    def split(self, mr, nr, kc):
        """K in blocks of `kc`, which must divide it, accumulating in C."""
        b, bt = self.view("%B_t", "%B", self.b, ("%k", "%j"), (kc, nr))
        a, at = self.view("%A_t", "%A", self.a, ("%i", "%k"), (mr, kc))
        c, ct = self.view("%C_t", "%C", (self.m, self.n), ("%i", "%j"), (mr, nr))
        self.text = self.function(f"""
  %mr = arith.constant {mr} : index
  %nr = arith.constant {nr} : index
  %kc = arith.constant {kc} : index
  linalg.fill ins(%zero : f32) outs(%C : {self.shape((self.m, self.n))})
  scf.for %j = %c0 to %N step %nr {{
    scf.for %k = %c0 to %K step %kc {{
      {b}
      scf.for %i = %c0 to %M step %mr {{
        {a}
        {c}
        {self.contraction("%A_t", at, "%B_t", bt, "%C_t", ct)}
      }}
    }}
  }}""")
        return self


def make_cases(which):
    cases = []
    if which == "forward":
        for pack in (0, 1):
            for mr, nr in ((8, 32), (12, 32), (14, 32), (16, 32), (6, 64), (8, 48)):
                cases.append(Case(f"forward_{mr}x{nr}{'_packed' * pack}", 128, 256, 784).tiled(mr, nr, pack, "relu"))
    if which == "gradient":
        for epilogue in EPILOGUES:
            for mr in (8, 12, 14):
                cases.append(Case(f"gradient_{epilogue}_{mr}x32", 784, 256, 128, ta=True).tiled(mr, 32, False, epilogue))
    if which == "digits":
        for mr in (8, 12, 14):
            cases.append(Case(f"hidden_{mr}x32", 64, 128, 64).tiled(mr, 32, False, "relu"))
        for mr in (8, 16):
            cases.append(Case(f"output_{mr}x10", 64, 10, 128).tiled(mr, 10, False, "relu"))
            cases.append(Case(f"output_gradient_{mr}x10", 128, 10, 64, ta=True).tiled(mr, 10, False, "momentum"))
        cases.append(Case("input_gradient", 64, 128, 10, tb=True).plain())
    if which == "split":
        for kc in (112, 196, 392, 784):
            cases.append(Case(f"split_{kc}", 128, 256, 784).split(8, 32, kc))
    if which == "plain":
        cases.append(Case("nn", 128, 256, 784).plain())
        cases.append(Case("tn", 784, 256, 128, ta=True).plain())
        cases.append(Case("nt", 128, 784, 256, tb=True).plain())
    return cases


def driver(cases, rounds):
    """A C++ program that times the cases in turns."""
    matrix = "float *, float *, int64_t, int64_t, int64_t, int64_t, int64_t"
    vector = "float *, float *, int64_t, int64_t, int64_t"
    text = """#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
"""
    for case in cases:
        text += f'extern "C" void {case.name}({matrix}, {matrix}, {matrix}, {vector}, {matrix});\n'
    text += """typedef float Vec __attribute__((vector_size(64)));
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static float *make(size_t n) {
  float *p = static_cast<float *>(aligned_alloc(64, (n * 4 + 63) / 64 * 64));
  for (size_t i = 0; i < n; ++i) p[i] = (rand() % 100) / 1000.0f;
  return p;
}
static void peak() {
  Vec a[16] = {};
  Vec y = Vec{} + 0.5f;
  for (int i = 0; i < 20000; ++i)
    for (int k = 0; k < 16; ++k) { a[k] = a[k] * y + y; asm volatile("" : "+v"(a[k])); }
}
struct Timed { const char *name; double flops; std::function<void()> run; std::vector<double> times; };
int main() {
  std::vector<Timed> all{{"peak", 20000.0 * 16 * 32, peak, {}}};
"""
    for case in cases:
        def matrix_args(name, shape):
            return f"{name}, {name}, 0, {shape[0]}, {shape[1]}, {shape[1]}, 1"
        c = (case.m, case.n)
        text += f"""  {{ float *a = make({case.m * case.k}), *b = make({case.k * case.n}), *c = make({case.m * case.n}), *s = make({case.n}), *v = make({case.m * case.n});
    all.push_back({{"{case.name}", 2.0 * {case.m} * {case.n} * {case.k}, [=] {{ {case.name}({matrix_args('a', case.a)}, {matrix_args('b', case.b)}, {matrix_args('c', c)}, s, s, 0, {case.n}, 1, {matrix_args('v', c)}); }}, {{}}}}); }}
"""
    return text + f"""  for (int round = 0; round < {rounds}; ++round)
    for (Timed &t : all) {{
      int repeat = std::max(1, static_cast<int>(1.5e8 / t.flops));
      t.run();
      double start = now();
      for (int i = 0; i < repeat; ++i) t.run();
      t.times.push_back((now() - start) / repeat);
    }}
  double best = 0, median = 0;
  for (Timed &t : all) {{
    std::sort(t.times.begin(), t.times.end());
    double b = t.flops / t.times[0] / 1e9, m = t.flops / t.times[t.times.size() / 2] / 1e9;
    if (!best) best = b, median = m;
    printf("%-26s best %9.2f us %6.1f GFLOP/s %4.0f %% of peak   median %6.1f GFLOP/s %4.0f %%\\n", t.name, t.times[0] * 1e6, b, 100 * b / best, m, 100 * m / median);
  }}
}}
"""


def find(tool, dirs):
    for directory in dirs:
        path = os.path.join(directory, tool)
        if os.path.exists(path):
            return path
    path = shutil.which(tool)
    if not path:
        sys.exit(f"{tool} not found")
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", default="forward", choices=["forward", "gradient", "digits", "split", "plain"])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--bin", action="append", default=[])
    options = parser.parse_args()
    cases = make_cases(options.set)
    clang = [find("clang++", options.bin), "-O3", "-march=native", "-mprefer-vector-width=512"]
    with tempfile.TemporaryDirectory() as directory:
        lowered = subprocess.run([find("flywheel-opt", options.bin), "-", *(f"--{p}" for p in LOWERING)],
                                 input="".join(c.text for c in cases), stdout=subprocess.PIPE, text=True, check=True).stdout
        ir = subprocess.run([find("mlir-translate", options.bin), "--mlir-to-llvmir", "--allow-unregistered-dialect"], input=lowered, stdout=subprocess.PIPE, text=True, check=True).stdout
        subprocess.run([*clang, "-Wno-override-module", "-x", "ir", "-c", "-", "-o", f"{directory}/kernels.o"], input=ir, text=True, check=True)
        subprocess.run([*clang, "-ffp-contract=fast", "-x", "c++", "-", "-x", "none", f"{directory}/kernels.o", "-o", f"{directory}/run"],
                       input=driver(cases, options.rounds), text=True, check=True)
        subprocess.run([f"{directory}/run"], check=True)


if __name__ == "__main__":
    main()
