#!/usr/bin/env python3
# RUN: %python %s --cases 40 --seed 1
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares flywheel-vectorize-kernels with scalar loops on random ops.

Each case is one linalg op on buffers of random shape and layout (contiguous,
strided rows, strided elements; static and dynamic), with the schedule that
flywheel-choose-schedules chooses or with a random one. A module of cases is
compiled twice, through the pass and through convert-linalg-to-loops, and both
run on the same data. All of each buffer is compared, gaps included, and each
buffer ends at an inaccessible page, so that stray writes and reads past the end
are found. Needs flywheel-opt, mlir-translate and clang, and nothing else.

usage: vectorize_kernels_numeric.py [--seed N] [--cases N]
                                    [--vector-bits 128|256|512]
                                    [--only SUBSTRING]
                                    [--bin DIR]... (searched before PATH)
"""

import argparse
import ctypes
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SIZES = [0, 1, 2, 3, 5, 7, 8, 9, 13, 14, 15, 16, 17, 28, 31, 32, 33, 48, 65]
LANES = {"f32": 16, "f64": 8}
VECTOR_BITS = 512
CPUS = {128: "x86-64", 256: "haswell", 512: "x86-64-v4"}
try:
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        HAS_PAIRS = "avx512_bf16" in stream.read()
except OSError:
    HAS_PAIRS = False
# bf16 are the upper halves of f32.
FORMATS = {"f32": "f", "f64": "d", "f16": "e", "bf16": "H", "i32": "i", "i64": "q", "i8": "b", "i1": "?", "index": "q"}

LOWERING = """expand-strided-metadata lower-affine convert-vector-to-scf
convert-scf-to-cf canonicalize cse arith-expand=include-bf16 convert-vector-to-llvm=enable-x86vector
convert-math-to-llvm convert-math-to-libm finalize-memref-to-llvm convert-arith-to-llvm
convert-index-to-llvm convert-cf-to-llvm convert-func-to-llvm
reconcile-unrealized-casts""".split()


class Buffer:
    """One operand: a memref type and the layout of its data."""

    def __init__(self, rng, shape, static, element, layouts="crs"):
        self.shape, self.element = shape, element
        layout = rng.choice(layouts) if shape else "c"
        inner = 2 if layout == "s" else 1
        gap = 3 if layout == "r" else 0
        strides = []
        step = inner
        for i, size in enumerate(reversed(shape)):
            strides.insert(0, step)
            step *= max(size, 1)
            step += gap if i == 0 else 0
        self.strides = strides
        self.offset = rng.choice([0, 5]) if layout != "c" else 0
        span = sum((n - 1) * s for n, s in zip(shape, strides)) + 1 if all(shape) else 0
        self.length = self.offset + span
        dims = "".join(f"{n if k else '?'}x" for n, k in zip(shape, static))
        suffix = ""
        if layout != "c":
            show = rng.random() < 0.5
            shown = [str(s) if show else "?" for s in strides]
            if layout == "r" and shown:
                shown[-1] = "1"
            suffix = f", strided<[{', '.join(shown)}], offset: ?>"
        self.type = f"memref<{dims}{element}{suffix}>"

    def data(self, rng):
        def one():
            if self.element == "i1":
                return rng.random() < 0.5
            if self.element == "bf16":
                return struct.unpack("<I", struct.pack("<f", rng.uniform(-2, 2)))[0] >> 16
            if self.element[0] == "f":
                return rng.uniform(-2, 2)
            return rng.choice([-7, -5, -3, -2, -1, 1, 2, 3, 4, 9])
        return [one() for _ in range(self.length)]


class Case:
    def __init__(self, text, buffers, name):
        self.text, self.buffers, self.name = text, buffers, name


def operands(buffers, start=0):
    names = ", ".join(f"%b{start + i}" for i in range(len(buffers)))
    types = ", ".join(b.type for b in buffers)
    return f"{names} : {types}"


def function(index, buffers, body, name):
    args = ", ".join(f"%b{i}: {b.type}" for i, b in enumerate(buffers))
    text = f"func.func @case{index}({args}) {{\n{body}\n  return\n}}\n"
    return Case(text, buffers, name)


def generic(ins, outs, maps, iterators, body, dims, schedule=""):
    def affine(results):
        return f"affine_map<({', '.join(dims)}) -> ({', '.join(results)})>"
    maps = ", ".join(affine(m) for m in maps)
    its = ", ".join(f'"{i}"' for i in iterators)
    insText = f"ins({operands(ins)}) " if ins else ""
    given = f", codegen.schedule = #codegen.{schedule}" if schedule else ""
    return (f"  linalg.generic {{indexing_maps = [{maps}], iterator_types = [{its}]{given}}} "
            f"{insText}outs({operands(outs, len(ins))}) {{\n{body}\n  }}")


def plain_schedule(rng, dims):
    """A random way to compute any op, or none: not every op can be vectorized
    along every loop, and the compiler chooses another one then."""
    if rng.random() < 0.5:
        return ""
    if not dims or rng.random() < 0.2:
        return "loops"
    along = rng.randrange(len(dims))
    transpose = rng.randrange(len(dims))
    other = f", transpose = {transpose}" if transpose != along and rng.random() < 0.3 else ""
    return f"vector<along = {along}, lanes = {rng.choice([1, 2, 4, 8, 16, 32, 64])}{other}>"


def fma_schedule(rng, dims, loops, maps, size, static, lanes, pairs):
    """Random roles of the loops of a contraction and a random tile in registers,
    or none. `maps` are the results of the maps of both inputs."""
    used = [{x for result in letters for x in re.findall(r"[a-z]", result)} for letters in maps]
    parallel = [d for d in dims if loops[d] == "parallel"]
    columns = [d for d in parallel if any(d not in letters for letters in used)]
    if not columns or rng.random() < 0.4:
        return ""
    n = rng.choice(columns)
    # The first input that is constant along the columns is broadcast.
    vectors = used[1] if n not in used[0] else used[0]
    rows = [d for d in parallel if d != n and d not in vectors]
    rng.shuffle(rows)
    rows = rows[:rng.choice([0, 1, 1, 1, 2, 3])]
    # All iterations of several loops are unrolled.
    if len(rows) > 1 and (not all(static[d] for d in rows) or math.prod(size[d] for d in rows) > 48):
        rows = rows[:1]
    reductions = [d for d in dims if loops[d] == "reduction"]
    shared = [d for d in reductions if d in used[0] and d in used[1]]
    along = rng.choice(shared) if shared and rng.random() < 0.4 else None
    passes = [d for d in reductions if d != along and rng.random() < 0.3]

    def numbers(letters):
        return f"[{', '.join(str(dims.index(d)) for d in letters)}]"
    registers = f"[{rng.randint(1, 16)}, {rng.choice([rng.randint(1, 3 * lanes), lanes, 2 * lanes, 3 * lanes])}]"
    extra = f", passes = {numbers(passes)}" if passes else ""
    if along:
        registers = f"[{rng.randint(1, 5)}, {rng.randint(1, 9)}]"
        extra += f", along = {dims.index(along)}"
    elif len(reductions) - len(passes) == 1 and rng.random() < 0.3:
        extra += f", block = {rng.randint(1, 9)}"
    if pairs and rng.random() < 0.7:
        extra += ", pairs = true"
    return f"fma<tiles = [], rows = {numbers(rows)}, columns = {dims.index(n)}, registers = {registers}{extra}>"


def contraction(rng, index):
    """Products over one or two reductions in every layout of the operands."""
    loops = {"m": "parallel", "n": "parallel", "k": "reduction"}
    a, b, c = ["m", "k"], ["k", "n"], ["m", "n"]
    if rng.random() < 0.3:
        loops["g"] = "parallel"
        for letters in (a, b, c) if rng.random() < 0.7 else (a, c):
            letters.insert(rng.randrange(len(letters)), "g")
    if rng.random() < 0.2:
        loops["q"] = "reduction"
        a.append("q"), b.append("q")
    drop = rng.random()
    if drop < 0.1:
        del loops["m"]
        a.remove("m"), c.remove("m")
    elif drop < 0.2:
        del loops["n"]
        b.remove("n"), c.remove("n")
    for letters in (a, b, c):
        if rng.random() < 0.4:
            rng.shuffle(letters)
    window = rng.random() < 0.15 and "m" in loops
    dims = list(loops)
    rng.shuffle(dims)
    size = {d: rng.choice(SIZES) for d in dims}
    if "g" in size:
        size["g"] = rng.choice([0, 1, 2, 3])
    if "q" in size:
        size["q"] = rng.choice([0, 1, 2, 3])
    if rng.random() < 0.08:
        # More than one packed panel deep.
        size["k"] = rng.choice([512, 513, 1030])
    if rng.random() < 0.5:
        a, b = b, a
    element, narrow = rng.choice([("f32", "f32")] * 4 + [("f64", "f64"), ("f32", "f16"), ("i32", "i32"), ("f16", "f16")] + [("f32", "bf16")] * 2)
    if element == "f16":
        # Sums of halves are compared with reordered sums of halves.
        size["k"] = min(size["k"], 16)
    elif rng.random() < 0.08:
        # More than one packed panel deep.
        size["k"] = rng.choice([512, 513, 1030])
    static = {d: rng.random() < 0.5 for d in dims}

    def shape(letters):
        return [size[x] for x in letters], [static[x] for x in letters]
    results = [list(a), list(b), list(c)]
    shapes = [shape(x) for x in (a, b, c)]
    if window:
        stride = rng.choice([1, 2])
        for i in (0, 1):
            if "m" in results[i]:
                at = results[i].index("m")
                results[i][at] = f"m * {stride} + k"
                shapes[i][0][at] = max(0, (size["m"] - 1) * stride + size["k"]) if size["m"] and size["k"] else 0
                shapes[i][1][at] = False
                if "k" in results[i]:
                    pos = results[i].index("k")
                    results[i].pop(pos), shapes[i][0].pop(pos), shapes[i][1].pop(pos)
    buffers = [Buffer(rng, *s, e) for s, e in zip(shapes, (narrow, narrow, element))]
    cast = "" if element == narrow else f"""
    %x = arith.extf %p : {narrow} to {element}
    %y = arith.extf %q : {narrow} to {element}"""
    x, y = ("%p", "%q") if element == narrow else ("%x", "%y")
    kind = "i" if element[0] == "i" else "f"
    body = f"""  ^bb0(%p: {narrow}, %q: {narrow}, %o: {element}):{cast}
    %t = arith.mul{kind} {x}, {y} : {element}
    %u = arith.add{kind} {rng.choice(['%o, %t', '%t, %o'])} : {element}
    linalg.yield %u : {element}"""
    # Windows need a shape that bounds every loop.
    if window and not all(any(d == r for m in results for r in m) for d in dims):
        return contraction(rng, index)
    schedule = plain_schedule(rng, dims) if rng.random() < 0.15 else ""
    if element in LANES and not schedule:
        schedule = fma_schedule(rng, dims, loops, results[:2], size, static, LANES[element],
                                pairs=narrow == "bf16" and HAS_PAIRS and VECTOR_BITS == 512)
    text = generic(buffers[:2], buffers[2:], results, [loops[d] for d in dims], body, dims, schedule)
    if rng.random() < 0.5:
        zero = rng.choice(["0", "2"]) + ("" if kind == "i" else ".0")
        text = (f"  %z = arith.constant {zero} : {element}\n"
                f"  linalg.fill ins(%z : {element}) outs({operands(buffers[2:], 2)})\n" + text)
    return function(index, buffers, text, f"contraction {results} {size} {element}")


def sliding(rng, index):
    """Windows of which neighbouring outputs share elements: by channel, or summed over channels along lanes."""
    by_channel = rng.random() < 0.5
    element, narrow = rng.choice([("f32", "f32")] * 3 + [("f64", "f64"), ("f32", "f16")])
    size = {"m": rng.choice(SIZES[1:]), "k": rng.randint(1, 9), "c": rng.choice([1, 2, 3, 4, 5, 17]), "f": rng.choice(SIZES[1:])}
    static = {d: rng.random() < (0.4 if d == "m" else 0.9) for d in size}
    stride, step = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 1, 2])
    loops = {"m": "parallel", "f": "parallel" if by_channel else "reduction", "k": "reduction"}
    results = [[f"m * {stride} + k * {step}", "f"], ["k", "f"], ["m", "f"]]
    shapes = [["w", "f"], ["k", "f"], ["m", "f"]]
    if not by_channel:
        loops["c"] = "parallel"
        results[1:] = [["k", "c", "f"], ["m", "c"]]
        shapes[1:] = results[1:]
    size["w"], static["w"] = (size["m"] - 1) * stride + (size["k"] - 1) * step + 1, False
    buffers = [Buffer(rng, [size[x] for x in letters], [static[x] for x in letters], kind, "cr")
               for letters, kind in zip(shapes, (narrow, narrow, element))]
    dims = list(loops)
    rng.shuffle(dims)
    schedule = ""
    if rng.random() < 0.5 and not by_channel:
        rows, columns = rng.choice(["mc", "cm"])
        schedule = (f"fma<tiles = [], rows = [{dims.index(rows)}], columns = {dims.index(columns)}, "
                    f"registers = [{rng.randint(1, 12)}, {rng.randint(1, 12)}], along = {dims.index('f')}>")
    elif rng.random() < 0.5 and by_channel:
        lanes = VECTOR_BITS // 8 // {"f32": 4, "f64": 8}[element]
        schedule = (f"fma<tiles = [], rows = [{dims.index('m')}], columns = {dims.index('f')}, "
                    f"registers = [{rng.randint(1, 14)}, {rng.choice([1, 2]) * lanes}]>")
    cast = "" if element == narrow else f"""
    %x = arith.extf %p : {narrow} to {element}
    %y = arith.extf %q : {narrow} to {element}"""
    x, y = ("%p", "%q") if element == narrow else ("%x", "%y")
    operation = rng.choice(["add", "add", "sub"])
    body = f"""  ^bb0(%p: {narrow}, %q: {narrow}, %o: {element}):{cast}
    %t = arith.mulf {x}, {y} : {element}
    %u = arith.{operation}f %o, %t : {element}
    linalg.yield %u : {element}"""
    text = generic(buffers[:2], buffers[2:], results, [loops[d] for d in dims], body, dims, schedule)
    return function(index, buffers, text, f"sliding {results} {size} {element}")


def elementwise(rng, index):
    """Broadcasts, transposes, conversions, several outputs, in place or not."""
    rank = rng.choice([0, 1, 2, 2, 2, 3])
    dims = ["i", "j", "k"][:rank]
    size = {d: rng.choice(SIZES if rank < 3 else SIZES[:10]) for d in dims}
    static = {d: rng.random() < 0.6 for d in dims}

    def buffer(letters, element):
        return Buffer(rng, [size[x] for x in letters], [static[x] for x in letters], element)

    def letters(full):
        order = list(dims)
        if rng.random() < 0.3:
            rng.shuffle(order)
        return order if full else [d for d in order if rng.random() < 0.6]
    kind = rng.choice(["float", "float", "f64", "momentum", "compare", "select", "index", "divide", "cast", "half", "inplace", "flow", "fill", "outer"])
    if kind == "float" or kind == "f64":
        t = "f32" if kind == "float" else "f64"
        spec, out = [t, t, t], [t]
        body = f"""    %c = arith.constant 0.5 : {t}
    %0 = arith.mulf %p0, %c : {t}
    %1 = arith.addf %0, %p1 : {t}
    %2 = arith.maximumf %1, %p2 : {t}
    %3 = arith.negf %2 : {t}
    linalg.yield %3 : {t}"""
    elif kind == "momentum":
        spec, out = ["f32", "f32"], ["f32", "f32"]
        body = """    %c = arith.constant 0.9 : f32
    %0 = arith.mulf %o0, %c : f32
    %1 = arith.addf %0, %p0 : f32
    %2 = arith.mulf %1, %p1 : f32
    %3 = arith.subf %o1, %2 : f32
    linalg.yield %1, %3 : f32, f32"""
    elif kind == "compare":
        spec, out = ["f32", "f32"], ["i1", "f64"]
        body = """    %0 = arith.cmpf ogt, %p0, %p1 : f32
    %1 = arith.extf %p0 : f32 to f64
    linalg.yield %0, %1 : i1, f64"""
    elif kind == "select":
        spec, out = ["i1", "f32", "f32"], ["f32"]
        body = """    %0 = arith.select %p0, %p1, %p2 : f32
    linalg.yield %0 : f32"""
    elif kind == "index":
        spec, out = ["i64"], ["i64", "index"]
        index_ops = "\n".join(
            f"    %d{i} = linalg.index {i} : index\n    %s{i + 1} = arith.addi %s{i}, %d{i} : index"
            for i in range(rank))
        body = f"""    %s0 = arith.constant 3 : index
{index_ops}
    %0 = arith.index_cast %s{rank} : index to i64
    %1 = arith.muli %0, %p0 : i64
    linalg.yield %1, %s{rank} : i64, index"""
    elif kind == "divide":
        spec, out = ["i32", "i32"], ["i32", "i32"]
        body = """    %0 = arith.divsi %p0, %p1 : i32
    %1 = arith.remsi %p0, %p1 : i32
    linalg.yield %0, %1 : i32, i32"""
    elif kind == "cast":
        spec, out = ["i8", "f32"], ["f32", "i32"]
        body = """    %0 = arith.sitofp %p0 : i8 to f32
    %1 = arith.addf %0, %p1 : f32
    %2 = arith.extsi %p0 : i8 to i32
    linalg.yield %1, %2 : f32, i32"""
    elif kind == "half":
        spec, out = ["f16", "f32"], ["f16"]
        body = """    %0 = arith.extf %p0 : f16 to f32
    %1 = arith.mulf %0, %p1 : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16"""
    elif kind == "inplace":
        spec, out = [], ["f32"]
        body = """    %0 = math.sqrt %o0 : f32
    %1 = math.absf %o0 : f32
    %2 = arith.addf %1, %o0 : f32
    linalg.yield %2 : f32"""
    elif kind == "flow":
        spec, out = ["f32", "i1"], ["f32"]
        body = """    %0 = scf.if %p1 -> f32 {
      scf.yield %p0 : f32
    } else {
      %1 = arith.negf %p0 : f32
      scf.yield %1 : f32
    }
    linalg.yield %0 : f32"""
    elif kind == "fill":
        spec, out = [], ["f32", "i1"]
        body = """    %0 = arith.constant 1.5 : f32
    %1 = arith.constant true
    linalg.yield %0, %1 : f32, i1"""
    else:
        spec, out = ["f32"], ["f32"]
        body = "    linalg.yield %p0 : f32"
    ins = [letters(rng.random() < 0.6) for _ in spec]
    outs = [letters(True) for _ in out]
    buffers = [buffer(x, t) for x, t in zip(ins + outs, spec + out)]
    args = [f"%p{i}: {t}" for i, t in enumerate(spec)] + [f"%o{i}: {t}" for i, t in enumerate(out)]
    body = f"  ^bb0({', '.join(args)}):\n{body}"
    text = generic(buffers[:len(ins)], buffers[len(ins):], ins + outs, ["parallel"] * rank, body, dims, plain_schedule(rng, dims))
    return function(index, buffers, text, f"elementwise {kind} {ins + outs} {size}")


def reduction(rng, index):
    """Inner, outer and full reductions, of several kinds, one or two outputs."""
    rank = rng.choice([1, 2, 2, 2, 3])
    dims = ["i", "j", "k"][:rank]
    size = {d: rng.choice((SIZES + [130]) if rank < 3 else SIZES[:10]) for d in dims}
    static = {d: rng.random() < 0.6 for d in dims}
    reduced = [d for d in dims if rng.random() < 0.5] or [rng.choice(dims)]
    keep = [d for d in dims if d not in reduced]
    if rng.random() < 0.3:
        rng.shuffle(keep)
    order = list(dims)
    if rng.random() < 0.3:
        rng.shuffle(order)
    kind = rng.choice(["addf", "mulf", "maximumf", "minimumf", "maxnumf", "addi", "xori", "maxsi", "minui", "two", "square", "argmax", "sub"])
    integer = kind[-1] == "i" and kind != "two"
    t = "i32" if integer else rng.choice(["f32", "f32", "f64"])
    outs = [t]
    if kind == "two":
        outs = [t, t]
        body = f"""    %0 = arith.addf %p, %o0 : {t}
    %1 = arith.maximumf %o1, %p : {t}
    linalg.yield %0, %1 : {t}, {t}"""
    elif kind == "square":
        body = f"""    %c = arith.constant 0.5 : {t}
    %0 = arith.mulf %p, %p : {t}
    %1 = arith.mulf %0, %c : {t}
    %2 = arith.addf %o0, %1 : {t}
    linalg.yield %2 : {t}"""
    elif kind == "argmax":
        outs = [t, "i32"]
        axis = dims.index(reduced[-1])
        body = f"""    %d = linalg.index {axis} : index
    %e = arith.index_cast %d : index to i32
    %g = arith.cmpf ogt, %p, %o0 : {t}
    %0 = arith.select %g, %p, %o0 : {t}
    %1 = arith.select %g, %e, %o1 : i32
    linalg.yield %0, %1 : {t}, i32"""
    elif kind == "sub":
        body = f"""    %0 = arith.subf %o0, %p : {t}
    linalg.yield %0 : {t}"""
    else:
        body = f"""    %0 = arith.{kind} %p, %o0 : {t}
    linalg.yield %0 : {t}"""
    layouts = "crs"
    buffers = [Buffer(rng, [size[x] for x in order], [static[x] for x in order], t, layouts)]
    buffers += [Buffer(rng, [size[x] for x in keep], [static[x] for x in keep], o, layouts) for o in outs]
    args = [f"%p: {t}"] + [f"%o{i}: {o}" for i, o in enumerate(outs)]
    body = f"  ^bb0({', '.join(args)}):\n{body}"
    iterators = ["reduction" if d in reduced else "parallel" for d in dims]
    text = generic(buffers[:1], buffers[1:], [order] + [keep] * len(outs), iterators, body, dims, plain_schedule(rng, dims))
    return function(index, buffers, text, f"reduction {kind} {order} -> {keep} {size}")


def tiled(rng, index):
    """A weight gradient and its momentum update in one tiled loop nest."""
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    mr, nr = rng.choice([6, 8, 12, 14]), rng.choice([16, 32])
    t = rng.choice(["f32", "f32", "f64"])
    buffers = [Buffer(rng, [k, m], [False, False], t, "cr"), Buffer(rng, [k, n], [False, False], t, "cr"),
               Buffer(rng, [m, n], [False, False], t, "cr"), Buffer(rng, [m, n], [False, False], t, "cr")]

    def view(name, source, offsets, sizes, rows, columns):
        result = f"memref<{rows}x{columns}x{t}, strided<[?, 1], offset: ?>>"
        cast = (f"memref.cast {source} : {buffers[int(source[2:])].type} to memref<?x?x{t}, strided<[?, 1], offset: ?>>")
        return (f"      {name}u = {cast}\n"
                f"      {name} = memref.subview {name}u[{offsets}] [{sizes}] [1, 1] : memref<?x?x{t}, strided<[?, 1], offset: ?>> to {result}\n"), result
    a, at = view("%a", "%b0", "0, %i", "%k, %rows", "?", "?")
    b, bt = view("%b", "%b1", "0, %j", "%k, %cols", "?", "?")
    v, vt = view("%v", "%b2", "%i, %j", "%rows, %cols", "?", "?")
    w, wt = view("%w", "%b3", "%i, %j", "%rows, %cols", "?", "?")
    ct = f"memref<?x?x{t}, strided<[{nr}, 1]>>"
    text = f"""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mr = arith.constant {mr} : index
  %nr = arith.constant {nr} : index
  %zero = arith.constant 0.0 : {t}
  %mu = arith.constant 0.9 : {t}
  %k = memref.dim %b0, %c0 : {buffers[0].type}
  %m = memref.dim %b0, %c1 : {buffers[0].type}
  %n = memref.dim %b1, %c1 : {buffers[1].type}
  %tile = memref.alloca() : memref<{mr}x{nr}x{t}>
  scf.for %j = %c0 to %n step %nr {{
    scf.for %i = %c0 to %m step %mr {{
      %rows = affine.min affine_map<(d0)[s0] -> (-d0 + s0, {mr})>(%i)[%m]
      %cols = affine.min affine_map<(d0)[s0] -> (-d0 + s0, {nr})>(%j)[%n]
{a}{b}      %c = memref.subview %tile[0, 0] [%rows, %cols] [1, 1] : memref<{mr}x{nr}x{t}> to {ct}
      linalg.fill ins(%zero : {t}) outs(%c : {ct})
      linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : {at}, {bt}) outs(%c : {ct}) {{
      ^bb0(%x: {t}, %y: {t}, %o: {t}):
        %p = arith.mulf %x, %y : {t}
        %s = arith.addf %o, %p : {t}
        linalg.yield %s : {t}
      }}
{v}{w}      linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}} ins(%c : {ct}) outs(%v, %w : {vt}, {wt}) {{
      ^bb0(%g: {t}, %x: {t}, %y: {t}):
        %p = arith.mulf %x, %mu : {t}
        %q = arith.addf %p, %g : {t}
        %r = arith.subf %y, %q : {t}
        linalg.yield %q, %r : {t}, {t}
      }}
    }}
  }}"""
    return function(index, buffers, text, f"tiled {m}x{n}x{k} by {mr}x{nr}")


def find(tool, dirs):
    for directory in dirs:
        path = os.path.join(directory, tool)
        if os.path.exists(path):
            return path
    path = shutil.which(tool)
    if not path:
        sys.exit(f"{tool} not found")
    return path


def compile_module(text, first, path, tools):
    flags = [f"--{p}" for p in LOWERING]
    lowered = subprocess.run([tools["flywheel-opt"], "-", *first, *flags], input=text, capture_output=True, text=True)
    if lowered.returncode:
        sys.exit(f"lowering failed: {lowered.stderr[:4000]}")
    ir = subprocess.run([tools["mlir-translate"], "--mlir-to-llvmir", "--allow-unregistered-dialect"], input=lowered.stdout, capture_output=True, text=True, check=True)
    subprocess.run([tools["clang"], "-x", "ir", "-", "-O2", "-march=native", "-Wno-override-module", "-shared", "-fPIC", "-o", path, "-lm"], input=ir.stdout, text=True, check=True)
    return ctypes.CDLL(path)


class Guarded:
    """Memory that ends where an inaccessible page begins."""

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

    def __init__(self, data):
        page = os.sysconf("SC_PAGESIZE")
        self.total = (len(data) + page - 1) // page * page + page
        self.base = self.libc.mmap(None, self.total, 3, 0x22, -1, 0)
        if self.libc.mprotect(self.base + self.total - page, page, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
        self.size = len(data)
        self.address = self.base + self.total - page - len(data)
        ctypes.memmove(self.address, data, len(data))

    def read(self):
        data = ctypes.string_at(self.address, self.size)
        self.libc.munmap(self.base, self.total)
        return data


def run(library, index, case, data):
    memory, args = [], []
    for buffer, values in zip(case.buffers, data):
        block = Guarded(struct.pack(f"{len(values)}{FORMATS[buffer.element]}", *values))
        memory.append(block)
        args += [ctypes.c_void_p(block.address)] * 2 + [ctypes.c_int64(x) for x in [buffer.offset, *buffer.shape, *buffer.strides]]
    getattr(library, f"case{index}")(*args)
    return [struct.unpack(f"{b.length}{FORMATS[b.element]}", m.read()) for b, m in zip(case.buffers, memory)]


def close(x, y, element):
    if element[0] != "f":
        return x == y
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    tolerance = {"f16": 2e-2, "f32": 2e-4, "f64": 1e-10}[element]
    return x == y or abs(x - y) <= tolerance * max(1, abs(x), abs(y))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--vector-bits", type=int, choices=sorted(CPUS), default=512)
    parser.add_argument("--only", default="")
    parser.add_argument("--bin", action="append", default=[])
    options = parser.parse_args()
    tools = {t: find(t, options.bin) for t in ("flywheel-opt", "mlir-translate", "clang")}
    global VECTOR_BITS
    VECTOR_BITS = options.vector_bits
    rng = random.Random(options.seed)
    makers = [m for m in (contraction, sliding, elementwise, reduction, tiled) if options.only in m.__name__]
    cases = [rng.choice(makers)(rng, i) for i in range(options.cases)]
    text = "".join(case.text for case in cases)
    features = " features=+avx512bf16" if HAS_PAIRS and options.vector_bits == 512 else ""
    kernels = [f"--flywheel-attach-target=triple=x86_64-unknown-linux-gnu cpu={CPUS[options.vector_bits]}" + features,
               "--flywheel-choose-schedules", "--flywheel-vectorize-kernels"]
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        actual = compile_module(text, kernels, f"{directory}/actual.so", tools)
        expected = compile_module(text, ["--convert-linalg-to-loops"], f"{directory}/expected.so", tools)
        for index, case in enumerate(cases):
            data = [b.data(rng) for b in case.buffers]
            want, got = run(expected, index, case, data), run(actual, index, case, data)
            same = all(close(x, y, b.element) for b, p, q in zip(case.buffers, want, got) for x, y in zip(p, q))
            if not same:
                failures += 1
                print(f"FAILED: {case.name}\n{case.text}")
    print(f"{len(cases) - failures} of {len(cases)} cases agree (seed {options.seed})")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
