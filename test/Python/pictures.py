# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s %src_root
"""Pictures of programs have the ops, types and uses that MLIR prints in its generic form (T31)."""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from typing import Any, List, Tuple

import flywheel as fw
from configurations import run_tests
from flywheel.pictures import Node, Picture, picture

root = os.path.join(sys.argv[1], "examples")
SVG = "{http://www.w3.org/2000/svg}"


def generic_ops(text: str, entry: str) -> List[Tuple[str, str, int]]:
    """Names, types of results and numbers of results of a function's own ops, from the form that has all of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = ["flywheel-opt", file.name, "--mlir-print-op-generic"]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    start = next(i for i, line in enumerate(lines) if re.search(rf'"func.func".*sym_name = "{entry}"', line))
    indent = len(lines[start]) - len(lines[start].lstrip()) + 2
    found: List[Tuple[str, str, int]] = []
    for line in lines[start + 1 :]:
        depth = len(line) - len(line.lstrip())
        if depth < indent and line.lstrip().startswith("})"):
            break
        if depth != indent:
            continue
        if line.startswith("})", indent):
            # The end of an op with regions: its type is here.
            name, _, count = found.pop()
            found.append((name, line.rsplit(" -> ", 1)[1], count))
            continue
        match = re.match(r'\s*(?:(%\S+?)(?::(\d+))? = )?"([^"]+)"', line)
        if match:
            count = int(match.group(2) or 1) if match.group(1) else 0
            found.append((match.group(3), line.rsplit(" -> ", 1)[-1] if " -> " in line else "", count))
    return found


def compare(text: str, entry: str) -> int:
    ops = [op for op in generic_ops(text, entry) if op[0] not in ("arith.constant", "func.return")]
    nodes = [node for node in picture(text, entry).nodes if node.kind not in ("feed", "result")]
    short = [node.name.split(" ")[0] for node in nodes]
    assert short == [name if name != "func.call" else "call" for name, _, _ in ops], (entry, short, ops)
    known = 0
    for node, (name, type_, count) in zip(nodes, ops):
        assert not node.type or (count and node.type == type_), (node, name, type_)
        known += bool(node.type)
    return known


def check_drawing(drawn: Picture) -> None:
    """Boxes of a row are apart, every use has an arrow that leads downwards."""
    svg = ElementTree.fromstring(drawn.svg)
    boxes = [tuple(float(box.attrib[key]) for key in ("x", "y", "width", "height")) for box in svg.iter(f"{SVG}rect")]
    assert len(boxes) == len(drawn.nodes)
    rows = sorted((y, x, width) for x, y, width, _ in boxes)
    for (y1, x1, width), (y2, x2, _) in zip(rows, rows[1:]):
        assert y1 != y2 or x1 + width < x2, (drawn, y1, x1, width, x2)
    arrows = [path for path in svg.iter(f"{SVG}path") if path.attrib.get("marker-end")]
    assert len(arrows) == sum(len(node.inputs) for node in drawn.nodes)
    for number, node in enumerate(drawn.nodes):
        assert all(boxes[i][1] + boxes[i][3] < boxes[number][1] for i in node.inputs), (drawn, number)


w1, w2 = fw.Variable(shape=(64, 128), name="w1"), fw.Variable(shape=(128, 10), name="w2")
adam = fw.optimizers.Adam(lr=0.003)


@fw.function(signature=[fw.spec("batch", 64), fw.spec("batch", dtype="int32")], results=["loss"])
def step(image: Any, label: Any) -> Any:
    loss = fw.nn.sparse_softmax_cross_entropy(fw.nn.relu(image @ w1) @ w2, label)
    adam.minimize(loss)
    return loss


def test_traced_ops_word_by_word() -> None:
    # The traced ops, word by word.
    drawn = step.picture()
    assert drawn.name == "step" and repr(drawn) == "<flywheel.Picture of step: 10 nodes>"
    assert drawn.nodes == [
        Node("image", "feed", "tensor<?x64xf32>", ()),
        Node("label", "feed", "tensor<?xi32>", ()),
        Node("train.read w1", "variable", "tensor<64x128xf32>", ()),
        Node("nn.dense", "op", "tensor<?x128xf32>", (0, 2)),
        Node("nn.relu", "op", "tensor<?x128xf32>", (3,)),
        Node("train.read w2", "variable", "tensor<128x10xf32>", ()),
        Node("nn.dense", "op", "tensor<?x10xf32>", (4, 5)),
        Node("nn.sparse_softmax_cross_entropy", "op", "tensor<f32>", (6, 1)),
        Node("train.minimize adam", "update", "", (7,)),
        Node("result", "result", "tensor<f32>", (7,)),
    ], drawn.nodes
    check_drawing(drawn)
    assert drawn.table.count("<tr") == 11 and "tensor&lt;?x64xf32&gt;" in drawn.table
    with tempfile.TemporaryDirectory() as folder:
        drawn.save(os.path.join(folder, "step.svg"))
        with open(os.path.join(folder, "step.svg")) as file:
            assert file.read() == drawn.svg == drawn._repr_html_()


def test_later_stages() -> None:
    # Later stages: they contain the backward pass, and each variable is assigned.
    later = step.picture(stage="flywheel-autodiff")
    assert [node.name for node in later.nodes].count("nn.matmul") == 3
    assigned = {node.name for node in later.nodes if node.kind == "update" and node.inputs}
    assert assigned >= {"train.assign w1", "train.assign w2"}
    check_drawing(later)


# A branch is one node, with what its regions use of the outside.
@fw.function
def branch(x: Any, y: Any) -> Any:
    return fw.cond(fw.sum(x) > 0, lambda: x * y, lambda: x - y)


def test_branch_is_one_node() -> None:
    branches = [node for node in branch.picture(fw.spec(3), fw.spec(3)).nodes if node.name == "scf.if"]
    assert len(branches) == 1 and {0, 1} <= set(branches[0].inputs), branches


def test_every_op_of_the_examples() -> None:
    # Every op of the examples at every stage that has their functions.
    known = 0
    for name in ("digits/digits", "lenet/lenet", "gan/gan", "matrix-factorization/factorization",
                 "transformer/transformer",
                 "least-squares/curve", "resnet/resnet"):  # fmt: skip
        with open(os.path.join(root, f"{name}.mlir")) as file:
            module = fw.parse(file.read())
        entries = re.findall(r"func\.func @(\w+)", str(module))
        for stage in ("", "flywheel-expand", "flywheel-autodiff", "flywheel-functionalize"):
            text = str(fw.lower(module, stop_after=stage) if stage else module)
            for entry in entries:
                known += compare(text, entry)
                if len(picture(text, entry).nodes) <= 300:
                    check_drawing(picture(text, entry))
    assert known > 1000, known


BLOCKS = "module {\n  func.func @f() {\n    cf.br ^bb1\n  ^bb1:  // pred: ^bb0\n    return\n  }\n}\n"


def test_large_ones_are_tables() -> None:
    # Large ones are tables; names are not markup; an unknown name is an error.
    large = Picture("large", [Node("a < b", "op", "", ())] * 400)
    assert large._repr_html_() == large.table and "a &lt; b" in large.table
    assert "a &lt; b" in Picture("small", large.nodes[:1]).svg
    assert ElementTree.fromstring(Picture("empty", []).svg).tag == f"{SVG}svg"
    for text, entry, message in [
        (step.mlir(), "other", "a function other, found none"),
        (step.stage("flywheel-llvm"), "", "a public function, found none"),
        (BLOCKS, "", "several in 'f'"),
    ]:
        try:
            picture(text, entry)
        except ValueError as error:
            assert message in str(error), error
        else:
            raise AssertionError(f"expected an error: {message}")


run_tests([test_traced_ops_word_by_word, test_later_stages, test_branch_is_one_node,
           test_every_op_of_the_examples, test_large_ones_are_tables])  # fmt: skip
