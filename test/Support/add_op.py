# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what a page (docs/HowTo/AddOp.md) does, and tests the op that comes out.

usage: add_op.py PAGE --build BUILD --folder FOLDER

The blocks of the page go into copies of the files that it names, in FOLDER, which is made anew. TableGen reads the op,
the C++ compiler what it is made of, and `scripts/generate-python` writes its function. With FLYWHEEL_TEST_ALL=1 a
compiler is linked that has the op, of BUILD's objects but for those of the dialect, and the op is tested: its syntax,
its values, its derivative, and its errors.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Dict, List

from how_to import ROOT, Compiler, blocks_of, generate, run

OPS = "include/flywheel/Dialect/NN/NNActivations.td"
RULE = "lib/Dialect/NN/Ops/Activations.cpp"
SYNTAX = "test/Dialect/NN/basic.mlir"
SAMPLES = "test/Support/samples/activations.py"
VALUES = "test/Python/networks.py"
EMPTY = "test/Support/every_function.py"
# As many as an op that is made of others may take.
MOST_FILES = 8
# The sources that know all ops of the dialect.
DIALECT = ("IR/NNDialect.cpp", "IR/NNOps.cpp")


def write_tree(tree: Path, blocks: Dict[str, str]) -> None:
    """Makes copies of the files that the page changes, with its blocks."""
    shutil.rmtree(tree, ignore_errors=True)
    for folder in ("include", "python-bindings/flywheel", "python-bindings/src", "scripts", "lib/Dialect/NN",
                   "test/Support/samples"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    ops = (ROOT / OPS).read_text(encoding="utf-8")
    end = ops.rindex("#endif")
    (tree / OPS).write_text(ops[:end] + blocks[OPS] + "\n" + ops[end:], encoding="utf-8")
    for path in (RULE, SAMPLES):
        (tree / path).write_text((ROOT / path).read_text(encoding="utf-8") + "\n" + blocks[path], encoding="utf-8")


def find_sources(compiler: Compiler, tree: Path) -> List[str]:
    """Returns the sources to compile anew, with the changed file in place of the one of the tree."""
    found = sorted({compiler.find(name) for name in (*DIALECT, RULE.removeprefix("lib/Dialect/NN/"))})
    sources = []
    for number, source in enumerate(found):
        text = Path(source).read_text(encoding="utf-8")
        if not source.startswith(str(ROOT / "lib")):
            # Several sources that are compiled as one.
            text = text.replace(str(ROOT / "lib/Dialect/NN"), str(tree / "lib/Dialect/NN"))
            path = tree / f"sources_{number}.cpp"
            path.write_text(text, encoding="utf-8")
            sources.append(str(path))
        else:
            sources.append(source.replace(str(ROOT), str(tree)))
    return [f"{like}={source}" for like, source in zip(found, sources)]


def build_package(compiler: Compiler, tree: Path) -> Path:
    """A copy of the Python package with a compiler that has the op."""
    objects = []
    for number, pair in enumerate(find_sources(compiler, tree)):
        like, source = pair.split("=")
        objects.append(str(tree / f"{number}.o"))
        run(compiler.command(like, source, ["-o", objects[-1]]), compiler.build)
    return compiler.link_package(tree, "libFlywheelNN.a", objects, "_ops/nn_ops.py")


TESTS = """
import sys
import numpy as np
import flywheel as fw
from flywheel import nn
rng = np.random.default_rng(0)
x, y = (rng.normal(size=(3, 4)).astype(np.float32) for _ in range(2))
cases = eval("{" + sys.argv[1] + "}")
(function, theirs, operands), = cases.values()
np.testing.assert_allclose(fw.function(function)(*operands), theirs(*operands), 1e-6, 1e-6)
wide = [operand.astype(np.float64) for operand in operands]
for place in range(len(wide)):
    found = fw.function(fw.grad(lambda *a: fw.sum(function(*a)), place))(*wide)
    near = [[operand + sign * 1e-6 * (i == place) for i, operand in enumerate(wide)] for sign in (1, -1)]
    np.testing.assert_allclose(found, (theirs(*near[0]) - theirs(*near[1])) / 2e-6, 1e-6, 1e-6)
entries = []
exec(sys.argv[2], {"_add": lambda *entry: entries.append(entry), "nn": nn, "np": np, "fw": fw})
assert fw.function(entries[0][1])(x[:0], y[:0]).shape == (0, 4)
try:
    fw.function(function)(x, y[:2])
except fw.CompileError as error:
    assert "expected equal sizes of dimension 0 of gate and dimension 0 of x, found 3 and 2" in str(error), error
else:
    raise AssertionError("expected an error")
print(fw.parse(sys.argv[3]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()

    blocks = blocks_of(options.page.read_text(encoding="utf-8"))
    expected = [OPS, RULE, SYNTAX, SAMPLES, VALUES, EMPTY, "docs/Ops.md", "CHANGELOG.md"]
    assert list(blocks) == expected and len(blocks) <= MOST_FILES, list(blocks)
    tree = options.folder.resolve()
    write_tree(tree, blocks)
    generate(tree, tree / "generated", "NN", "NNOps")
    run([sys.executable, "scripts/generate-python"], tree)
    assert "def swiglu(gate: TensorLike, x: TensorLike)" in (
        tree / "python-bindings/flywheel/_ops/nn_ops.py").read_text(encoding="utf-8")
    samples = run([sys.executable, "-m", "samples"], tree / "test/Support")
    assert "nn.swiglu" in samples.split(), samples
    compiler = Compiler(options.build.resolve(), tree, tree / "generated", "FlywheelNN")
    like = compiler.find("Ops/Activations.cpp")
    checks = ["-fsyntax-only", "-Werror", "-Wno-unused-command-line-argument"]
    run(compiler.command(like, str(tree / RULE), checks), compiler.build)
    print(f"TableGen and the C++ compiler accept the op of the page, of {len(blocks)} files")
    if not os.environ.get("FLYWHEEL_TEST_ALL"):
        return

    package = build_package(compiler, tree)
    syntax = "\n".join(line for line in blocks[SYNTAX].splitlines() if not line.lstrip().startswith("//"))
    said = run([sys.executable, "-c", TESTS, blocks[VALUES], blocks[EMPTY], syntax], tree,
               PYTHONPATH=str(package), FLYWHEEL_CACHE="")
    shown = re.findall(r"// CHECK: nn\.swiglu .* : (.*)", blocks[SYNTAX])[0]
    assert f": {shown}" in said, said
    print("the op of the page passes its tests")


if __name__ == "__main__":
    main()
