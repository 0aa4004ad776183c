# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx, onnxruntime, torch
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""B3, B4: branches and loops of ONNX whose conditions and trip counts a step computes, beside onnxruntime, with
derivatives beside PyTorch."""

from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

import flywheel as fw
import flywheel.onnx

F32 = np.float32
random = np.random.default_rng(11)


def weight(*shape: int, scale: float = 1.0) -> Any:
    return (scale * random.normal(size=shape)).astype(F32)


def info(name: str, shape: Optional[Sequence[Any]] = None, element: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, element, shape)


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """A node; `-` is an operand that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), **attributes)


def graph(nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], constants: Any = None) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    return helper.make_graph(list(nodes), "g", list(inputs), list(outputs), tensors)


def model(nodes: Sequence[Any], inputs: Sequence[Any], outputs: str, constants: Optional[Dict[str, Any]] = None) -> Any:
    made = graph(nodes, inputs, [info(name) for name in outputs.split()], constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def same(made: Any, *calls: Sequence[Any]) -> Any:
    """Imports the model once, and compares what calls give."""
    with fw.Namespace(), fw.Store():
        ours = flywheel.onnx.load(made)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(made.SerializeToString(), options)
        for feeds in calls:
            wanted = session.run(None, {name: np.asarray(x) for name, x in zip(ours.input_names, feeds)})
            found = ours(*feeds)
            for own, array in zip(found if isinstance(found, tuple) else (found,), wanted):
                assert own.shape == array.shape and own.dtype == array.dtype, (own.shape, array.shape)
                np.testing.assert_allclose(own, array, rtol=1e-5, atol=1e-6)
        return ours


def refused(made: Any, *parts: str) -> None:
    with fw.Namespace(), fw.Store():
        try:
            flywheel.onnx.load(made)
        except NotImplementedError as error:
            for part in parts:
                assert part in str(error), f"{part!r} is not in: {error}"
            return
    raise AssertionError(f"nothing was refused: {parts}")


#
# Branches
#

THEN = graph([node("MatMul", "x w", "t")], [], [info("t", ["n", 3])])
ELSE = graph([node("Neg", "h", "e0"), node("Add", "e0 x", "e1"), node("Mul", "e1 v", "e")], [], [info("e", ["n", 3])])
BRANCH = [node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s zero", "c"), node("Relu", "x", "h")]
SIGNS = (np.abs(weight(2, 3)), -np.abs(weight(4, 3)), weight(1, 3))


def branching() -> Any:
    nodes = [*BRANCH, node("If", "c", "y", then_branch=THEN, else_branch=ELSE)]
    return model(nodes, [info("x", ["n", 3])], "y", {"w": weight(3, 3), "v": weight(3), "zero": F32(0)})


def test_branches() -> None:
    same(branching(), *[(x,) for x in SIGNS])
    # One in another, and a result of two; a condition of shape [1].
    inner = graph([node("If", "d", "p", then_branch=THEN, else_branch=ELSE), node("Exp", "p", "q")], [],
                  [info("p"), info("q")])  # fmt: skip
    other = graph([node("Identity", "x", "a"), node("Tanh", "x", "b")], [], [info("a"), info("b")])
    nodes = [*BRANCH, node("ReduceMax", "x", "m", keepdims=0), node("Less", "m one", "d0"),
             node("Unsqueeze", "d0 first", "d"),
             node("If", "c", "y z", then_branch=inner, else_branch=other)]  # fmt: skip
    made = model(nodes, [info("x", ["n", 3])], "y z", {
        "w": weight(3, 3), "v": weight(3), "zero": F32(0), "one": F32(1), "first": np.array([0])})  # fmt: skip
    same(made, *[(x,) for x in SIGNS], (SIGNS[0] * 5,))


def test_gradients_of_branches() -> None:
    """The branch that is taken has the gradient, as in PyTorch."""
    made = branching()
    with fw.Namespace(), fw.Store():
        ours = flywheel.onnx.load(made, loss="mean_squared_error", optimizer=fw.optimizers.SGD(lr=0.1))
        w, v = (torch.tensor(ours.state_dict()[name], requires_grad=True) for name in ("w", "v"))
        optimizer = torch.optim.SGD([w, v], lr=0.1)
        for x in SIGNS * 3:
            target = np.ones_like(x)
            inputs = torch.tensor(x)
            output = inputs @ w if float(x.sum()) > 0 else (inputs - torch.relu(inputs)) * v
            loss = torch.mean((output - torch.tensor(target)) ** 2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            np.testing.assert_allclose(ours.step(x, target), loss.item(), rtol=1e-5)
        for name, tensor in (("w", w), ("v", v)):
            np.testing.assert_allclose(ours.state_dict()[name], tensor.detach().numpy(), rtol=1e-4, atol=1e-5)


#
# Loops
#


def loop_body(rows: Any, collects: bool = True, stops: bool = False) -> Any:
    """tanh(h w), and h times the number of the iteration; ends where the sum is small."""
    nodes = [node("MatMul", "h w", "p"), node("Tanh", "p", "h2"), node("Identity", "go", "more")]
    if stops:
        nodes[2:] = [node("ReduceSum", "h2", "s", keepdims=0), node("Abs", "s", "abs"),
                     node("Greater", "abs least", "more")]  # fmt: skip
    outputs = [info("more", [], TensorProto.BOOL), info("h2", [rows, 3])]
    if collects:
        nodes += [node("Cast", "i", "fi", to=TensorProto.FLOAT), node("Mul", "h2 fi", "out")]
        outputs.append(info("out", [rows, 3]))
    inputs = [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("h", [rows, 3])]
    return graph(nodes, inputs, outputs)


# Its norm is below 1: an iteration makes values smaller.
CONSTANTS = {"w": (0.5 * np.linalg.qr(weight(3, 3))[0]).astype(F32), "M": np.int64(4), "yes": np.bool_(True),
             "no": np.bool_(False), "least": F32(0.05)}  # fmt: skip


def looping(operands: str, outputs: str, body: Any, *inputs: Any, rows: Any = 2) -> Any:
    return model([node("Loop", operands, outputs, body=body)], [info("x", [rows, 3]), *inputs], outputs, CONSTANTS)


def test_counted_loops() -> None:
    x = weight(2, 3)
    same(looping("M - x", "y ys", loop_body(2)), (x,))
    same(looping("M yes x", "y ys", loop_body(2)), (x,))
    # A count that is an input, and rows that the call chooses.
    count = info("n", [], TensorProto.INT64)
    calls = [(x, np.int64(n)) for n in (1, 5, 2)]
    plain = looping("n - x", "y", loop_body("rows", collects=False), count, rows="rows")
    same(plain, *calls, (weight(7, 3), np.int64(3)), (x, np.int64(0)))


def test_conditional_loops() -> None:
    body = loop_body("rows", collects=False, stops=True)
    calls = [(weight(rows, 3),) for rows in (2, 2, 5)]
    for operands in ("- - x", "M - x", "- yes x", "M yes x", "M no x"):
        same(looping(operands, "y", body, rows="rows"), *calls)
    go, count = info("c", [], TensorProto.BOOL), info("n", [], TensorProto.INT64)
    for c in (True, False):
        same(looping("n c x", "y", body, go, count, rows="rows"), *[(x, np.bool_(c), np.int64(2)) for (x,) in calls])


def test_gradients_of_loops() -> None:
    """A loop that a condition ends, with a limit, trains as PyTorch's does; so does one that is counted, and whose
    weights nothing else reads."""
    for stops, operands in ((True, "M - x"), (False, "M - x")):
        made = looping(operands, "y", loop_body("rows", collects=False, stops=stops), rows="rows")
        with fw.Namespace(), fw.Store():
            ours = flywheel.onnx.load(made, loss="mean_squared_error", optimizer=fw.optimizers.SGD(lr=0.3))
            w = torch.tensor(ours.state_dict()["w"], requires_grad=True)
            start = w.detach().clone()
            optimizer = torch.optim.SGD([w], lr=0.3)
            counts = []
            for i in range(6):
                x = weight(1 + i % 3, 3)
                h, count = torch.tensor(x), 0
                while count < 4:
                    h, count = torch.tanh(h @ w), count + 1
                    if stops and abs(h.sum().item()) <= 0.05:
                        break
                counts.append(count)
                loss = torch.mean((h - 0.5) ** 2)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                np.testing.assert_allclose(ours.step(x, np.full_like(x, 0.5)), loss.item(), rtol=1e-5)
            assert not torch.equal(w, start)
            np.testing.assert_allclose(ours.state_dict()["w"], w.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_scans() -> None:
    nodes = [node("MatMul", "h w", "p"), node("Add", "p xt", "q"), node("Tanh", "q", "h2"),
             node("Identity", "h2", "o1"), node("Mul", "xt xt", "o2")]  # fmt: skip
    for rows in (2, "rows"):
        # If the call chooses the rows, only the state is collected.
        names = ["hn", "o1s", "o2s"][: 3 if rows == 2 else 2]
        body = graph(nodes, [info("h", [rows, 3]), info("xt", [rows, 3])],
                     [info(name, [rows, 3]) for name in ["h2", "o1", "o2"][: len(names)]])  # fmt: skip
        count = len(names) - 1
        for axis, direction, places, order in ((0, 0, (0, 0), (0, 0)), (1, 0, (1, 0), (0, 1)), (0, 1, (-1, 1), (1, 0))):
            scan = node("Scan", "h0 x", " ".join(names), body=body, num_scan_inputs=1, scan_input_axes=[axis],
                        scan_input_directions=[direction], scan_output_axes=places[:count],
                        scan_output_directions=order[:count])  # fmt: skip
            shape: List[Any] = [rows, 5, 3] if axis else [5, rows, 3]
            made = model([scan], [info("h0", [rows, 3]), info("x", shape)], " ".join(names), {"w": weight(3, 3)})
            same(made, *[(weight(n, 3), weight(*([n, 5, 3] if axis else [5, n, 3])))
                         for n in ((2,) if rows == 2 else (2, 4))])  # fmt: skip


def test_refused() -> None:
    """An op without a translation is named, whatever else the graph in it has."""
    refused(looping("M - x", "y ys", loop_body(2, stops=True)), "Loop that collects values", "by a condition")
    # With more elements than a shape has, no program for each value is made.
    count = info("n", [1, 1], TensorProto.INT64)
    refused(looping("n - x", "y ys", loop_body(2), count), "Loop that collects values", "how often the step computes")
    grows = graph([node("Concat", "h h", "h2", axis=0), node("Identity", "go", "more")],
                  [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("h", [2, 3])],
                  [info("more", [], TensorProto.BOOL), info("h2")])  # fmt: skip
    refused(looping("M - x", "y", grows), "Loop where a loop keeps the types of its state", "(4, 3)")
    bad = graph([node("Unique", "x", "u")], [], [info("u")])
    short = graph([node("NonZero", "x", "e")], [], [info("e")])
    made = model([*BRANCH, node("If", "c", "y", then_branch=bad, else_branch=short)], [info("x", [3, 3])], "y",
                 {"zero": F32(0)})  # fmt: skip
    refused(made, "Unique", "NonZero")
    other = graph([node("ReduceSum", "x", "e", keepdims=0)], [], [info("e")])
    made = model([*BRANCH, node("If", "c", "y", then_branch=THEN, else_branch=other)], [info("x", ["n", 3])], "y",
                 {"zero": F32(0), "w": weight(3, 3)})  # fmt: skip
    refused(made, "If where both branches must return one type")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name)
