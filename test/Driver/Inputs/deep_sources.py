# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes modules that are nested deeply, or long, to a folder."""

import pathlib
import sys


def nested_branches(depth: int) -> str:
    return (
        "func.func @f(%n: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {\n"
        + "%c = tensor.extract %n[] : tensor<i1>\n"
        + "%y = "
        + "scf.if %c -> tensor<4xf32> {\n%y = " * (depth - 1)
        + "arith.addf %x, %x : tensor<4xf32>\n"
        + "scf.yield %y : tensor<4xf32> } else { scf.yield %x : tensor<4xf32> }\n" * (depth - 1)
        + "return %y : tensor<4xf32>\n}\n"
    )


def module_with(attribute: str, before: str = "") -> str:
    return f"{before}func.func @f() attributes {{a = {attribute}}} {{\n  return\n}}\n"


def chain(length: int) -> str:
    ops = "".join(f"  %{i + 1} = arith.addf %{i}, %x : tensor<4xf32>\n" for i in range(length))
    return (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = arith.addf %x, %x : tensor<4xf32>\n"
        + ops
        + f"  return %{length} : tensor<4xf32>\n}}\n"
    )


SOURCES = {
    "branches-900": nested_branches(900),
    "branches-5000": nested_branches(5000),
    "arrays-900": module_with("[" * 900 + "]" * 900),
    "arrays-10000": module_with("[" * 10000 + "]" * 10000),
    "dictionaries": module_with("{a = " * 100000 + "1" + "}" * 100000),
    "types": module_with("tuple<" * 5000 + "f32" + ">" * 5000),
    "unclosed": "(" * 1000000,
    "locations": "func.func @f() {\n  return loc(" + "callsite(" * 5000 + '"a"' + ' at "b")' * 5000 + ")\n}\n",
    "parentheses": module_with("affine_map<(d0) -> (" + "(" * 5000 + "d0" + ")" * 5000 + ")>"),
    "sum": module_with("affine_map<(d0) -> (" + " + ".join(["d0"] * 100000) + ")>"),
    "signs": module_with("affine_map<(d0) -> (" + "-" * 100000 + "d0)>"),
    "aliases": module_with("#a10000", "#a0 = [1]\n" + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(10000))),
    "doubling": module_with("#a60", "#a0 = [1]\n" + "".join(f"#a{i + 1} = [#a{i}, #a{i}]\n" for i in range(60))),
    # Nothing is nested here.
    "flat": "// ((((((((\n"
    + module_with('"' + "[" * 5000 + '\\"' + "(" * 5000 + '"')
    + "".join(f"func.func private @g{i}(tensor<4x?xf32>) -> (i32, i64)\n" for i in range(2000))
    + "func.func @h() {\n"
    + "".join(f"  %c{i} = arith.constant -1 : i32\n" for i in range(2000))
    + "  return\n}\n",
    "chain": chain(3000),
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in SOURCES.items():
        (folder / f"{name}.mlir").write_text(text)
