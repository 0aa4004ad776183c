# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what a page (docs/HowTo/AddOptimizer.md) does, and tests the optimizer that comes out.

usage: add_optimizer.py PAGE --build BUILD --folder FOLDER

The blocks of the page go into copies of the files that it names, in FOLDER, which is made anew. TableGen reads the
attribute, the C++ compiler the rule, and `scripts/generate-python` writes the class and the function that builds its
attribute. With FLYWHEEL_TEST_ALL=1 a compiler is linked that has the optimizer, of BUILD's objects but for those of the
dialect and of that function, and the tests of every optimizer run on it, and on the page's formula in NumPy.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from how_to import ROOT, Compiler, blocks_of, generate, run

ATTRIBUTES = "include/flywheel/Dialect/Train/TrainModernOptimizers.td"
RULE = "lib/Dialect/Train/Optimizers/Yogi.cpp"
BINDINGS = "python-bindings/src/StructAttributes.cpp"
FORMULA = "test/Support/optimizer_rules.py"


def build_package(compiler: Compiler, tree: Path) -> Path:
    """A copy of the Python package with a compiler that has the optimizer."""
    dialect, rule, bindings = (str(tree / f"{name}.o") for name in ("dialect", "rule", "bindings"))
    like = compiler.find("IR/TrainDialect.cpp")
    run(compiler.command(like, like, ["-o", dialect]), compiler.build)
    run(compiler.command(like, str(tree / RULE), ["-o", rule]), compiler.build)
    like = next(source for source in compiler.sources if source.endswith(BINDINGS))
    run(compiler.command(like, str(tree / BINDINGS), ["-o", bindings]), compiler.build)
    return compiler.link_package(tree, "libFlywheelTrain.a", [rule, dialect], "optimizers.py",
                                 {Path(BINDINGS).name: bindings})


TESTS = """
import sys
from configurations import IN_PROCESS
names = {}
source = open(sys.argv[1], encoding="utf-8").read()
# Its functions, without the call that runs them.
exec(compile(source[:source.rindex("run_tests(")], sys.argv[1], "exec"), names)
names["test_registered"]()
rule = names["RULES"]["yogi"]
names["RULES"].clear()
names["RULES"]["yogi"] = rule
# flywheel-compile is not built with the optimizer.
names["ALL"] = IN_PROCESS
for name in ("test_formulas", "test_same_bits", "test_step_has_no_copies", "test_no_elements"):
    names[name]()
import flywheel
print(flywheel.optimizers.Yogi(lr=0.5))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()

    blocks = blocks_of(options.page.read_text(encoding="utf-8"))
    expected = [ATTRIBUTES, Path(RULE).name, FORMULA, "test/Dialect/Train/optimizers.mlir", "optimizers-errors.mlir"]
    assert list(blocks) == expected, list(blocks)
    tree = options.folder.resolve()
    shutil.rmtree(tree, ignore_errors=True)
    for folder in ("include", "python-bindings/flywheel", "python-bindings/src", "scripts"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    attributes = tree / ATTRIBUTES
    text = attributes.read_text(encoding="utf-8")
    end = text.rindex("#endif")
    attributes.write_text(text[:end] + blocks[ATTRIBUTES] + "\n" + text[end:], encoding="utf-8")
    (tree / RULE).parent.mkdir(parents=True)
    (tree / RULE).write_text(blocks[Path(RULE).name], encoding="utf-8")
    for header in (ROOT / RULE).parent.glob("*.h"):
        shutil.copy(header, tree / Path(RULE).parent)
    (tree / "Support").mkdir()
    formulas = (ROOT / FORMULA).read_text(encoding="utf-8")
    before, after = formulas.split("\n\ndef spell(", 1)
    (tree / "Support/optimizer_rules.py").write_text(
        f"{before}\n\n{blocks[FORMULA]}\n\ndef spell({after}", encoding="utf-8")

    generate(tree, tree / "generated", "Train", "TrainAttributes")
    run([sys.executable, "scripts/generate-python"], tree)
    assert "class Yogi(" in (tree / "python-bindings/flywheel/optimizers.py").read_text(encoding="utf-8")
    compiler = Compiler(options.build.resolve(), tree, tree / "generated", "FlywheelTrain")
    like = compiler.find("IR/TrainDialect.cpp")
    checks = ["-fsyntax-only", "-Werror", "-Wno-unused-command-line-argument"]
    run(compiler.command(like, str(tree / RULE), checks), compiler.build)
    # A step by hand: m' / (1 - 0.9) is nearly g, v' / (1 - 0.999) nearly g^2.
    code = "from optimizer_rules import RULES; r = RULES['yogi']([1.0, 1.0]); r.step([1.0, -2.0]); print(*r.p)"
    found = [float(word) for word in run([sys.executable, "-c", code], tree / "Support").split()]
    assert all(abs(x - y) < 1e-8 for x, y in zip(found, (0.990014886, 1.009993709))), found
    print("TableGen and the C++ compiler accept the optimizer of the page")
    if not os.environ.get("FLYWHEEL_TEST_ALL"):
        return

    package = build_package(compiler, tree)
    path = os.pathsep.join([str(tree / "Support"), str(package), str(ROOT / "test/Support")])
    tests = ROOT / "test/Numeric/Optimizers/every_optimizer.py"
    print(run([sys.executable, "-c", TESTS, str(tests)], tree, PYTHONPATH=path, FLYWHEEL_CACHE=""))
    syntax = ("train.variable @w : tensor<2xf32>\nfunc.func @f(%g: tensor<2xf32>) {\n" + blocks[expected[3]] +
              "  return\n}\n")
    for text, error in ((syntax, ""), (blocks[expected[4]], re.findall(r"{{(.*?)}}", blocks[expected[4]])[0])):
        code = ("import sys, flywheel\ntry:\n  print(flywheel.parse(sys.argv[1]))\n"
                "except flywheel.CompileError as error:\n  print('refused:', error)\n")
        said = run([sys.executable, "-c", code, text], tree, PYTHONPATH=path)
        assert ("refused:" in said) == bool(error) and error in said, said
        if not error:
            assert "with #train.yogi\n" in said, said
    print("the optimizer of the page passes the tests of every optimizer")


if __name__ == "__main__":
    main()
