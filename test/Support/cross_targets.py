# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Inputs/cross.mlir on another machine and compares its numbers with this one's.

usage: cross_targets.py TARGET FOLDER

The program in C is written from the manifest: it feeds the same bits on every target and
prints the bits of the results. Nothing but libc and libm is linked, and for a target
without libraries (wasm32) what node itself has.
"""

import json
import math
import os
import random
import struct
import subprocess
import sys
from typing import Any, Dict, List, Set, Tuple

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Integration/Inputs")
ROWS = 37
# Newlib, but with Linux below it: what runs is QEMU in user mode.
CORTEX_M4 = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "--specs=nosys.specs"]
CORTEX_M4 += ["-nostartfiles", "-Wl,-e,start", "-Wl,-Ttext=0x100000"]

# The triple and options of flywheel-compile, the C compiler, what runs a program.
TARGETS: Dict[str, Tuple[List[str], List[str], List[str]]] = {
    "host": ([], ["cc"], []),
    "x86_64": (["--target-triple=x86_64-linux-gnu"], ["cc"], []),
    "aarch64": (["--target-triple=aarch64-linux-gnu"], ["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"]),
    "riscv64": (["--target-triple=riscv64-linux-gnu"], ["riscv64-linux-gnu-gcc", "-static"], ["qemu-riscv64"]),
    "armv7": (["--target-triple=armv7-linux-gnueabihf"], ["arm-linux-gnueabihf-gcc", "-static"], ["qemu-arm"]),
    "arm": (["--target-triple=arm-linux-gnueabihf"], ["arm-linux-gnueabihf-gcc", "-static"], ["qemu-arm"]),
    "thumbv7em": (
        ["--target-triple=thumbv7em-none-eabihf"],
        ["arm-none-eabi-gcc", *CORTEX_M4],
        ["qemu-arm", "-cpu", "max"],
    ),
    "wasm32": (["--target-triple=wasm32-unknown-unknown"], [], ["node"]),
}
# NumPy's names of element types: a format of struct, and an integer in C.
FORMATS = {
    "float32": ("f", 4),
    "float64": ("d", 8),
    "float16": ("e", 2),
    "bfloat16": ("H", 2),
    "int32": ("i", 4),
    "int64": ("q", 8),
}
# Results that functions of math may change; everything else is the same, bit for bit.
CLOSE = {"exp", "tanh", "log", "erf", "root", "sin", "sum", "fma", "loss", "largest"}


def run(command: List[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nreturned {result.returncode}\n{result.stderr}")
    return result.stdout


def make_values(dtype: str, count: int) -> List[Any]:
    rng = random.Random(dtype)
    if dtype.startswith("int"):
        return [rng.randrange(5) if dtype == "int32" else rng.randrange(-1000, 1000) for _ in range(count)]
    special = [0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, 1.5, 2.5, -2.5, 6e-8, 65504.0, 1.0, 65519.0, 65520.0]
    if dtype == "float16":
        special = special[:-2]
    values = [rng.choice(special) if rng.random() < 0.3 else rng.gauss(0.0, 3.0) for _ in range(count)]
    return values


def get_bits(dtype: str, values: List[Any]) -> List[int]:
    if dtype == "bfloat16":
        return [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
    code, size = FORMATS[dtype]
    return [int.from_bytes(struct.pack("<" + code, value), "little") for value in values]


def get_count(argument: Dict[str, Any]) -> int:
    return math.prod(ROWS if isinstance(dim_size, str) else dim_size for dim_size in argument["shape"])


# Without the start files of a C library: system calls of Linux.
BARE = """
static int call(int number, int a, int b, int c) {
  register int r7 __asm__("r7") = number, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
  __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
  return r0;
}
static void put(int byte) {
  const char *digits = "0123456789abcdef";
  char text[2];
  text[0] = digits[byte >> 4 & 15], text[1] = digits[byte & 15];
  call(4, 1, (int)text, 2);
}
int main(void);
void start(void) { call(1, main(), 0, 0); }
"""


def write_program(manifest: Dict[str, Any], target: str) -> str:
    lines = ['#include "cross.h"', ""]
    if target == "thumbv7em":
        lines.append(BARE)
    elif target != "wasm32":
        lines += ["#include <stdio.h>", 'static void put(int byte) { printf("%02x", byte); }']
    else:
        lines.append("extern void put(int byte);")
    lines += [
        "static unsigned char memory[CROSS_STATE_BYTES + CROSS_STATE_ALIGN];",
        "static void print(const void *data, int bytes) {",
        "  int i;",
        "  for (i = 0; i < bytes; ++i) put(((const unsigned char *)data)[i]);",
        "}",
        "int main(void) {",
        "  uintptr_t address = (uintptr_t)memory;",
        "  cross_state *s = (cross_state *)(memory + (64 - address % 64) % 64);",
        "  if (cross_init(s, 7)) return 1;",
    ]
    for entry in manifest["entries"]:
        if entry["name"] == "init":
            continue
        name = entry["name"]
        arguments: List[str] = ["s"]
        seen: Set[str] = set()
        lines.append("  {")
        for feed in entry["feeds"]:
            finite = feed["name"] == "x" and name in ("train", "reduced")
            values = make_values(feed["dtype"], get_count(feed))
            if finite:
                values = [value if math.isfinite(value) and abs(value) < 100 else 0.25 for value in values]
            bits = ", ".join(f"{value}u" + ("ll" if value >> 32 else "") for value in get_bits(feed["dtype"], values))
            size = FORMATS[feed["dtype"]][1]
            lines.append(f"    static const uint{8 * size}_t feed_{feed['name']}[] = {{{bits}}};")
            arguments.append(f"(const void *)feed_{feed['name']}")
            new = [dim_size for dim_size in feed["shape"] if isinstance(dim_size, str) and dim_size not in seen]
            seen.update(new)
            arguments += [str(ROWS)] * len(new)
        for result in entry["results"]:
            bytes_ = get_count(result) * FORMATS[result["dtype"]][1]
            lines.append(f"    static double result_{result['name']}[{(bytes_ + 7) // 8}];")
            arguments.append(f"(void *)result_{result['name']}")
        # Many targets fault on such an access: it is not made.
        wide = [feed for feed in entry["feeds"] if FORMATS[feed["dtype"]][1] > 1]
        for feed in wide:
            pointer = f"(const void *)feed_{feed['name']}"
            odd = [f"(const void *)((const char *)feed_{feed['name']} + 1)" if a == pointer else a for a in arguments]
            lines.append(f"    if (cross_{name}({', '.join(odd)}) != CROSS_E_UNALIGNED_ARGUMENT) return 3;")
        for _ in range(3 if name == "train" else 1):
            lines.append(f"    if (cross_{name}({', '.join(arguments)})) return 2;")
        for result in entry["results"]:
            lines.append(f"    print(result_{result['name']}, {get_count(result) * FORMATS[result['dtype']][1]});")
        lines.append("  }")
    lines += ["  return 0;", "}", ""]
    return "\n".join(lines)


WASM_PROGRAM = """
const fs = require('fs'), m = Math, f = Math.fround;
let text = '';
const env = {put: (byte) => { text += (byte & 255).toString(16).padStart(2, '0'); }};
// Abramowitz and Stegun, 7.1.26.
const erf = (x) => {
  const t = 1 / (1 + 0.3275911 * m.abs(x));
  const p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return m.sign(x) * (1 - p * m.exp(-x * x));
};
const functions = {erf, exp: m.exp, tanh: m.tanh, log: m.log, sin: m.sin, cos: m.cos, pow: m.pow};
for (const name in functions) {
  env[name] = functions[name];
  env[name + 'f'] = (...x) => f(functions[name](...x));
}
// Exact in f64, but for the last rounding.
env.fmaf = (x, y, z) => f(x * y + z);
let memory;
env.memset = (to, byte, size) => { new Uint8Array(memory.buffer).fill(byte, to, to + size); return to; };
env.memcpy = (to, from, size) => { new Uint8Array(memory.buffer).copyWithin(to, from, from + size); return to; };
env.memmove = env.memcpy;
const code = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
for (const need of WebAssembly.Module.imports(code))
  if (!(need.name in env)) { console.error('needs ' + need.name); process.exit(1); }
const instance = new WebAssembly.Instance(code, {env});
memory = instance.exports.memory;
if (instance.exports.main() !== 0) { console.error('failed'); process.exit(1); }
console.log(text);
"""


def link_wasm(folder: str) -> List[str]:
    # The header includes headers that every libc has; here there is no libc.
    for name in ("string.h",):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(
                "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\n"
                "void *memmove(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n"
                "int strcmp(const char *, const char *);\nsize_t strlen(const char *);\n"
            )
    program, script = os.path.join(folder, "main.wasm"), os.path.join(folder, "run.cjs")
    run(
        [
            "clang",
            "--target=wasm32",
            "-O1",
            "-nostdlib",
            "-ffreestanding",
            "-I" + folder,
            "-c",
            os.path.join(folder, "main.c"),
            "-o",
            os.path.join(folder, "main.o"),
        ]
    )
    run(
        [
            "wasm-ld",
            "--no-entry",
            "--export=main",
            "--allow-undefined",
            os.path.join(folder, "main.o"),
            os.path.join(folder, "cross.o"),
            "-o",
            program,
        ]
    )
    with open(script, "w", encoding="utf-8") as file:
        file.write(WASM_PROGRAM)
    return ["node", script, program]


def get_results(target: str, lowering: str, folder: str) -> Tuple[Dict[str, Any], bytes]:
    options, compiler, runner = TARGETS[target]
    folder = os.path.join(folder, f"{target}-{lowering}")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "cross.o")
    run(
        [
            "flywheel-compile",
            os.path.join(INPUTS, "cross.mlir"),
            "-o",
            path,
            f"--max-batch={ROWS}",
            f"--lowering={lowering}",
            *options,
        ]
    )
    with open(os.path.join(folder, "cross.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    program = os.path.join(folder, "main.c")
    with open(program, "w", encoding="utf-8") as file:
        file.write(write_program(manifest, target))
    if compiler:
        executable = os.path.join(folder, "main")
        run([*compiler, "-O1", "-I" + folder, program, path, "-lm", "-o", executable])
        command = [*runner, executable]
    else:
        command = link_wasm(folder)
    return manifest, bytes.fromhex(run(command).strip())


def unpack(dtype: str, data: bytes) -> List[Any]:
    code, size = FORMATS[dtype]
    if dtype == "bfloat16":
        return [
            struct.unpack("<f", struct.pack("<I", value << 16))[0]
            for value in struct.unpack(f"<{len(data) // 2}H", data)
        ]
    return list(struct.unpack(f"<{len(data) // size}{code}", data))


def is_same(name: str, dtype: str, found: Any, expected: Any) -> bool:
    if isinstance(expected, int):
        # The conversion of a number that has no whole number is undefined.
        return bool(found == expected) or (name == "whole" and expected == -(1 << 31))
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if name in CLOSE:
        relative = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-5, "float64": 1e-12}[dtype]
        return math.isclose(found, expected, rel_tol=relative, abs_tol=1e-6)
    return bool(found == expected) and math.copysign(1.0, found) == math.copysign(1.0, expected)


def main() -> None:
    target, folder = sys.argv[1], sys.argv[2]
    failures = 0
    for lowering in ("optimized", "reference"):
        manifest, expected = get_results("host", lowering, folder)
        _, found = get_results(target, lowering, folder)
        if len(expected) != len(found):
            sys.exit(f"{target}, {lowering}: expected {len(expected)} bytes, found {len(found)}")
        offset = 0
        for entry in manifest["entries"]:
            for result in entry["results"]:
                dtype, size = result["dtype"], get_count(result) * FORMATS[result["dtype"]][1]
                pair = [unpack(dtype, data[offset : offset + size]) for data in (found, expected)]
                offset += size
                for index, (one, other) in enumerate(zip(*pair)):
                    if not is_same(result["name"], dtype, one, other):
                        print(
                            f"{target}, {lowering}, {entry['name']}, {result['name']}[{index}], {dtype}: "
                            f"expected {other}, found {one}"
                        )
                        failures += 1
        assert offset == len(expected)
    if failures:
        sys.exit(f"{failures} numbers differ")
    print(f"{target}: same numbers")


main()
