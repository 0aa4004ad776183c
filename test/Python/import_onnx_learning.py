# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python, onnx, onnxruntime
# RUN: env FLYWHEEL_CACHE= %peers_python %s
"""Ops of ai.onnx.ml, of which scikit-learn's pipelines are made, have ONNX Runtime's results: preparation of data,
linear models, and ensembles of random trees with every comparison, aggregate and kind of class (B1)."""

import warnings
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import flywheel as fw
import flywheel.onnx

DOMAIN = "ai.onnx.ml"
RNG = np.random.default_rng(7)
X = RNG.normal(size=(9, 4)).astype(np.float32)
# Attributes with base values of no class, of one, and of two.
BASES: List[Dict[str, Any]] = [{}, {"base_values": [0.25]}, {"base_values": [0.25, 0.5]}]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def model(kind: str, inputs: Sequence[Any], outputs: int, attributes: Dict[str, Any], version: int = 3) -> Any:
    names = [f"x{place}" for place in range(len(inputs))]
    results = [f"y{place}" for place in range(outputs)]
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for name, x in zip(names, inputs)]  # fmt: skip
    node = helper.make_node(kind, names, results, domain=DOMAIN, **attributes)
    graph = helper.make_graph([node], "g", infos, [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results])  # fmt: skip
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, version)]
    proto = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    # ONNX infers no types of some results.
    kinds = {"LinearClassifier": TensorProto.INT64, "TreeEnsembleClassifier": TensorProto.INT64,
             "LabelEncoder": helper.np_dtype_to_tensor_dtype(np.dtype(
                 np.int64 if "values_int64s" in attributes else np.float32)),
             "Binarizer": infos[0].type.tensor_type.elem_type, "Imputer": infos[0].type.tensor_type.elem_type,
             "ArrayFeatureExtractor": infos[0].type.tensor_type.elem_type}  # fmt: skip
    proto.graph.output[0].type.tensor_type.elem_type = kinds.get(kind, TensorProto.FLOAT)
    return proto


def check(
    kind: str, inputs: Sequence[Any], outputs: int = 1, version: int = 3, reference: bool = False, **attributes: Any
) -> None:
    """Compares a node with ONNX Runtime, or with ONNX's reference."""
    proto, what = model(kind, inputs, outputs, attributes, version), f"{kind} {list(attributes.items())[-3:]}"
    other = ReferenceEvaluator(proto) if reference else onnxruntime.InferenceSession(proto.SerializeToString())
    wanted = other.run(None, {f"x{place}": x for place, x in enumerate(inputs)})
    with fw.Namespace(), fw.Store():
        found = flywheel.onnx.load(proto)(*inputs)
    for own, one in zip(found if isinstance(found, tuple) else (found,), wanted):
        result = np.asarray(own)
        assert result.dtype == one.dtype and result.shape == one.shape, (what, result.dtype, result.shape, one.shape)
        np.testing.assert_allclose(result, one, 1e-5, 1e-6, err_msg=what)


def check_refused(word: str, kind: str, inputs: Sequence[Any], outputs: int = 1, **attributes: Any) -> None:
    try:
        flywheel.onnx.load(model(kind, inputs, outputs, attributes))
        raise AssertionError(f"{kind} with {word} is to be refused")
    except fw.onnx.UnsupportedOpError as error:
        assert word in str(error), error


def check_data() -> None:
    offset, scale = RNG.normal(size=4).tolist(), RNG.uniform(1, 2, 4).tolist()
    whole = np.array([[1, 5, 7, 2], [3, 3, 9, 5]], np.int64)
    for x in (X, X.astype(np.float64), whole):
        check("Scaler", [x], offset=offset, scale=scale)
    rows = X.copy()
    rows[3] = 0
    for norm in ("MAX", "L1", "L2"):
        check("Normalizer", [np.abs(rows) if norm == "MAX" else rows], norm=norm)
    holes = X.copy()
    holes[::2, 1] = np.nan
    check("Imputer", [holes], imputed_value_floats=offset, replaced_value_float=float("nan"))
    check("Imputer", [holes], imputed_value_floats=[0.25], replaced_value_float=float("nan"))
    check("Imputer", [whole], imputed_value_int64s=[8, 9, 10, 11], replaced_value_int64=3)
    check("Binarizer", [X], threshold=0.2)
    check("ArrayFeatureExtractor", [X, np.array([3, 0, 3], np.int64)])
    check("ArrayFeatureExtractor", [X[0], np.array([2, 1], np.int64)])
    check("FeatureVectorizer", [X, X[:, :2]], inputdimensions=[4, 2])
    check("OneHotEncoder", [whole[:, :1]], cats_int64s=[1, 2, 3], zeros=1)
    check("LabelEncoder", [whole], version=2, keys_int64s=[1, 5, 9], values_floats=[0.5, 2.5, 3.5], default_float=7.0)
    check("LabelEncoder", [whole], version=2, keys_int64s=[1, 5, 9], values_int64s=[10, 20, 30])
    for version in (2, 4):
        keys = [float("nan"), float(X[1, 1])]
        check("LabelEncoder", [holes], version=version, keys_floats=keys, values_int64s=[10, 20])
    check_refused("cats_strings", "OneHotEncoder", [whole[:, :1]], cats_strings=["a"])
    check_refused("zeros", "OneHotEncoder", [whole[:, :1]], cats_int64s=[1], zeros=0)


def check_linear() -> None:
    for targets in (1, 3):
        check("LinearRegressor", [X], coefficients=RNG.normal(size=4 * targets).tolist(),
              intercepts=RNG.normal(size=targets).tolist(), targets=targets)  # fmt: skip
    for classes in (2, 3):
        for how in ("NONE", "LOGISTIC", "SOFTMAX"):
            check("LinearClassifier", [X], 2, coefficients=RNG.normal(size=4 * classes).tolist(),
                  intercepts=RNG.normal(size=classes).tolist(), classlabels_ints=[4, 7, 9][:classes],
                  post_transform=how)  # fmt: skip
    check_refused("SOFTMAX_ZERO", "LinearClassifier", [X], 2, coefficients=[1.0] * 8, intercepts=[0.0, 0.5],
                  classlabels_ints=[0, 1], post_transform="SOFTMAX_ZERO")  # fmt: skip


def grow(tree: int, depth: int, modes: Sequence[str], nodes: List[Tuple[Any, ...]]) -> None:
    """Adds the nodes of a random tree: tree, number, feature, split, mode, both children, if missing goes first."""
    numbers = [0]

    def node(level: int) -> int:
        own = numbers[0]
        numbers[0] += 1
        place = len(nodes)
        nodes.append(())
        if level == depth or level and RNG.random() < 0.25:
            nodes[place] = (tree, own, 0, 0.0, "LEAF", 0, 0, 0)
            return own
        mode = modes[int(RNG.integers(len(modes)))]
        feature = int(RNG.integers(4))
        split = float(X[RNG.integers(9), feature])
        first, second = node(level + 1), node(level + 1)
        nodes[place] = (tree, own, feature, split, mode, first, second, int(RNG.integers(2)))
        return own

    node(0)


def forest(modes: Sequence[str], trees: int = 3) -> Tuple[Dict[str, Any], List[Tuple[int, int]]]:
    """The attributes of nodes, and the tree and number of each leaf."""
    nodes: List[Tuple[Any, ...]] = []
    for tree in range(trees):
        grow(tree, 4, modes, nodes)
    names = ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
             "missing_value_tracks_true")  # fmt: skip
    attributes = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*nodes))}
    return attributes, [(one[0], one[1]) for one in nodes if one[4] == "LEAF"]


def weights(kind: str, leaves: Sequence[Tuple[int, int]], targets: Sequence[int], low: float) -> Dict[str, Any]:
    rows = [(tree, node, target) for tree, node in leaves for target in targets]
    return {f"{kind}_treeids": [row[0] for row in rows], f"{kind}_nodeids": [row[1] for row in rows],
            f"{kind}_ids": [row[2] for row in rows],
            f"{kind}_weights": RNG.uniform(low, 1, len(rows)).tolist()}  # fmt: skip


def check_trees() -> None:
    holes = X.copy()
    holes[::3, 2] = np.nan
    for modes in (MODES[:1], MODES):
        for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
            nodes, leaves = forest(modes)
            for x in (X, holes):
                check("TreeEnsembleRegressor", [x], **nodes, **weights("target", leaves, [0], -1), n_targets=1,
                      aggregate_function=aggregate, base_values=[0.5])  # fmt: skip
        nodes, leaves = forest(modes)
        check("TreeEnsembleRegressor", [X], **nodes, **weights("target", leaves, [0, 1], -1), n_targets=2)
        for how in ("NONE", "LOGISTIC", "SOFTMAX"):
            check("TreeEnsembleClassifier", [X], 2, **nodes, **weights("class", leaves, [0, 1, 2], 0),
                  classlabels_int64s=[3, 5, 8], post_transform=how)  # fmt: skip
        for low, how in ((0, "NONE"), (0, "LOGISTIC"), (-1, "NONE"), (-1, "LOGISTIC")):
            for base in (BASES[0], BASES[1]):
                check("TreeEnsembleClassifier", [X], 2, **nodes, **weights("class", leaves, [0], low),
                      classlabels_int64s=[3, 5], post_transform=how, **base)  # fmt: skip
        # ONNX Runtime has labels here that the model does not: 0 and 1.
        check("TreeEnsembleClassifier", [X], 2, reference=True, **nodes, **weights("class", leaves, [0, 1], 0),
              classlabels_int64s=[3, 5])  # fmt: skip
        for one, base in ((1, BASES[0]), (0, BASES[2])):
            own = weights("class", leaves, [one], 0)
            check_refused("two classes", "TreeEnsembleClassifier", [X], 2, **nodes, **own, classlabels_int64s=[3, 5],
                          **base)  # fmt: skip
    check_refused("classlabels_strings", "TreeEnsembleClassifier", [X], 2, **nodes,
                  **weights("class", leaves, [0, 1], 0), classlabels_strings=["a", "b"])  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(3)
    check_data()
    check_linear()
    check_trees()
    print("ops of ai.onnx.ml have ONNX Runtime's results")
