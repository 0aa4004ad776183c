# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A model and batches for the section on ONNX of docs/Guides/BringYourModel.md.
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(0)
images = helper.make_tensor_value_info("images", TensorProto.FLOAT, ["batch", 64])
logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 10])
weights = [numpy_helper.from_array(rng.normal(0, 0.1, (64, 10)).astype(np.float32), "weight"),
           numpy_helper.from_array(np.zeros(10, np.float32), "bias")]  # fmt: skip
node = helper.make_node("Gemm", ["images", "weight", "bias"], ["logits"])
graph = helper.make_graph([node], "digits", [images], [logits], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), "digits.onnx")
batches = [(rng.normal(size=(32, 64)).astype(np.float32), rng.integers(0, 10, 32)) for _ in range(3)]


def check():
    # The file that is written has the weights that training ended with.
    image, _ = batches[0]
    paths = ("trained.onnx", "digits.onnx")
    found, before = (ReferenceEvaluator(path).run(None, {"images": image})[0] for path in paths)
    np.testing.assert_allclose(np.asarray(model(image)), found, rtol=1e-4, atol=1e-5)
    assert not np.allclose(found, before, rtol=1e-4)
