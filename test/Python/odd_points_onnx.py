# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""G20: derivatives of models of ONNX at ties, bounds and zeros, which have PyTorch's conventions."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import flywheel as fw
import flywheel.onnx

ODD = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0]

# An op, the constants after its first operand, its attributes; the points of its derivative, and that derivative.
Case = Tuple[str, Sequence[Any], Dict[str, Any], Any, Any]
CASES: List[Case] = [
    ("Max", [0.0], {}, ODD, [0.5, 0.5, 1, 0, 1, 1]),
    ("Min", [1.0], {}, ODD, [1, 1, 0.5, 1, 1, 0]),
    ("Max", [ODD], {}, ODD, [0.5] * 6),
    ("Min", [ODD], {}, ODD, [0.5] * 6),
    ("Clip", [0.0, 1.0], {}, ODD, [0, 0, 0, 0, 1, 0]),
    ("Clip", [-1.0, 2.0], {}, ODD, [1, 1, 1, 0, 1, 0]),
    ("HardSigmoid", [], {"alpha": 0.5, "beta": 0.5}, ODD, [0.5, 0.5, 0, 0, 0.5, 0]),
    ("Relu", [], {}, ODD, [0, 0, 1, 0, 1, 1]),
    ("Abs", [], {}, ODD, [0, 0, 1, -1, 1, 1]),
    ("Pow", [0.0], {}, ODD, [0] * 6),
    ("Pow", [3.0], {}, [0.0, -1.0, 2.0], [0, 3, 12]),
    ("ReduceL2", [], {}, [0.0, 0.0, 0.0], [0, 0, 0]),
    ("ReduceL2", [], {}, [3.0, 4.0, 0.0], [0.6, 0.8, 0]),
    ("ReduceL1", [], {}, [0.0, -2.0, 1.0], [0, -1, 1]),
    ("ReduceMax", [], {}, [1.0, 1.0, 0.0], [0.5, 0.5, 0]),
    ("LpNormalization", [], {"axis": 0, "p": 2}, [0.0, 0.0, 0.0], [0, 0, 0]),
    ("LpNormalization", [], {"axis": 0, "p": 1}, [0.0, 0.0, 0.0], [0, 0, 0]),
    ("MeanVarianceNormalization", [], {"axes": [0]}, [0.75, 0.75], [0, 0]),
    ("Softplus", [], {}, [0.0, -100.0, 100.0], [0.5, 0, 1]),
    ("Celu", [], {"alpha": 2.0}, [0.0, -100.0, 1000.0], [1, 0, 1]),
]


def model_of(op: str, constants: Sequence[Any], attributes: Dict[str, Any], x: Any) -> Any:
    names = [f"c{i}" for i in range(len(constants))]
    node = helper.make_node(op, ["x", *names], ["y"], **attributes)
    initializers = [numpy_helper.from_array(np.float32(c), name) for name, c in zip(names, constants)]
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], initializers)  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def main() -> None:
    wrong = []
    for op, constants, attributes, point, expected in CASES:
        x = np.array(point, np.float32)
        with fw.Namespace(), fw.Store():
            model = flywheel.onnx.load(model_of(op, constants, attributes, x))

            def loss(x: Any) -> Any:
                return fw.sum(model(x))

            def both(x: Any) -> Any:
                # Along each element in turn, by forward mode.
                return fw.grad(loss)(x), fw.jacobian(loss, mode="forward")(x)

            for mode, found in zip(("reverse", "forward"), fw.function(both)(x)):
                if not np.allclose(np.asarray(found), np.reshape(expected, x.shape), rtol=1e-6, atol=1e-7):
                    wrong.append(f"{op} {constants} {attributes} at {point}, {mode}: {found}, expected {expected}")
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    main()
