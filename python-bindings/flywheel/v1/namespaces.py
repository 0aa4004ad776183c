# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of TensorFlow 1 that are in modules of their own there, `tf.math.log` for one, and replacements for names that
this package does not have."""

import sys
from types import SimpleNamespace
from typing import Any, Dict

from .._errors.contracts import explain_all
from .._errors.hints import attribute_error, nearest

# Replacements for parts of TensorFlow that this package does not have.
INSTEAD: Dict[str, str] = {
    "FIFOQueue": "feed batches: flywheel.data.Batches",
    "FixedLenFeature": "read the data in Python, and feed it",
    "GraphDef": "build the graph with this package",
    "IndexedSlices": "gradients are dense tensors here",
    "RaggedTensor": "dense tensors and tf.sequence_mask",
    "RandomShuffleQueue": "feed batches: flywheel.data.Batches",
    "TFRecordReader": "read the data in Python, and feed it",
    "TextLineReader": "read the data in Python, and feed it",
    "WholeFileReader": "read the data in Python, and feed it",
    "compat.v2": "flywheel itself",
    "contrib.distributions": "the density by tf.exp and tf.log",
    "contrib.learn": "write the loop with a Session, or use flywheel.keras",
    "contrib.slim.evaluation": "write the loop with a Session and tf.metrics",
    "contrib.slim.nets": "a model of tf.contrib.slim's layers",
    "decode_csv": "read the data in Python, and feed it",
    "decode_raw": "numpy.frombuffer, and feed the array",
    "enable_eager_execution": "trace functions with flywheel.function",
    "estimator": "write the loop with a Session, or use flywheel.keras",
    "feature_column": "make arrays of the features with NumPy",
    "fixed_size_partitioner": "variables have no parts: leave the partitioner out",
    "graph_util": "flywheel.compile(freeze=...)",
    "import_graph_def": "build the graph with this package",
    "load_op_library": "flywheel.custom_vjp in a traced function",
    "lookup": "a dict in Python",
    "nn.quantized_conv2d": "tf.nn.conv2d",
    "parse_single_example": "read the data in Python, and feed it",
    "python_io": "read the data in Python, and feed it",
    "deserialize_many_sparse": "read the data in Python, and feed it",
    "ragged": "dense tensors and tf.sequence_mask",
    "random_gamma": "numpy.random in tf.py_func",
    "random_poisson": "numpy.random in tf.py_func",
    "read_file": "read the file in Python, and feed it",
    "saved_model": "Saver, or flywheel.export for C programs",
    "sparse_mask": "gradients are dense tensors here",
    "sparse_merge": "tf.SparseTensor of the indices and values",
    "string_split": "text in Python",
    "string_to_number": "numbers in Python",
    "strings": "text in Python",
    "summary.audio": "tf.summary.scalar or histogram",
    "summary.text": "tf.summary.scalar or histogram",
    "train.Server": "there is one process; placements are recorded",
    "train.Supervisor": "use tf.train.MonitoredTrainingSession, or a Session and a Saver",
    "train.SyncReplicasOptimizer": "there is one process: use the optimizer itself",
    "train.batch": "feed batches: flywheel.data.Batches",
    "train.export_meta_graph": "checkpoints have no graph: build it again, then Saver().restore(...)",
    "train.import_meta_graph": "checkpoints have no graph: build it again, then Saver().restore(...)",
    "train.shuffle_batch": "feed batches: flywheel.data.Batches",
    "train.slice_input_producer": "feed batches: flywheel.data.Batches",
    "train.string_input_producer": "feed batches: flywheel.data.Batches",
    "variable_axis_size_partitioner": "variables have no parts: leave the partitioner out",
}  # fmt: skip


def missing(name: str) -> AttributeError:
    """The error for a name, without `tf.`, that is not there."""
    instead = next((INSTEAD[key] for key in (name, name.rpartition(".")[0]) if key in INSTEAD), None)
    hint = f"; instead: {instead}" if instead else _find_nearest(name)
    return attribute_error(f"there is no flywheel.v1.{name}{hint}; see docs/Guides/v1.md", name, hint)


def _find_nearest(name: str) -> str:
    """Returns the name of the same module that is most like it."""
    group, _, last = name.rpartition(".")
    module: Any = sys.modules["flywheel.v1"]
    for part in group.split(".") if group else ():
        module = vars(module).get(part) if module is not None else None
    return nearest(last, [one for one in vars(module) if not one.startswith("_")] if module is not None else [])


class Names(SimpleNamespace):
    """A module of names that are elsewhere, too. Its functions say what they expect, as those of modules do."""

    def __init__(self, _name: str, **names: Any):
        explain_all(names, list(names))
        super().__init__(**names)
        self._name = _name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(f"{self._name}.{name}")

    def __repr__(self) -> str:
        return f"<flywheel.v1.{self._name}>"


_MATH = (
    "abs accumulate_n acos acosh add add_n angle argmax argmin asin asinh atan atan2 atanh ceil confusion_matrix conj "
    "cos cosh count_nonzero cumprod cumsum digamma div_no_nan divide equal erf erfc exp expm1 floor floordiv floormod "
    "greater greater_equal igamma igammac imag real "
    "invert_permutation is_finite is_inf is_nan less less_equal lgamma log log1p log_sigmoid logical_and "
    "logical_not logical_or logical_xor maximum minimum mod multiply negative not_equal pow reciprocal reduce_all "
    "reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std "
    "reduce_sum reduce_variance rint round rsqrt segment_max segment_mean segment_min segment_prod segment_sum sigmoid "
    "sign sin sinh sqrt square squared_difference subtract tan tanh truediv truncatediv truncatemod "
    "unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
    "unsorted_segment_sum bincount is_non_decreasing is_strictly_increasing lbeta polygamma scalar_mul "
    "zeta").split()  # fmt: skip
_DEBUGGING = (
    "Assert assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_negative "
    "assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank assert_rank_at_least "
    "assert_scalar assert_type check_numerics is_finite is_inf is_nan assert_integer assert_near "
    "assert_proper_iterable assert_rank_in assert_same_float_dtype is_non_decreasing is_numeric_tensor "
    "is_strictly_increasing").split()  # fmt: skip


_SPARSE = (
    "add concat fill_empty_rows maximum minimum placeholder reduce_max reduce_max_sparse reduce_sum reduce_sum_sparse "
    "reorder reset_shape reshape retain segment_mean segment_sqrt_n segment_sum slice softmax split to_indicator "
    "transpose").split()  # fmt: skip


def build(tf: Any, nn: Any, others: Dict[str, Dict[str, Any]]) -> Dict[str, Names]:
    """`tf.math` and others, of the names of `tf`."""

    from . import assertions, matrix_factors, sparse_shapes, special

    def of(*names: str) -> Dict[str, Any]:
        return {name: tf[name] for name in names}

    math = {**of(*_MATH), "softplus": nn.softplus, "softsign": nn.softsign, "top_k": nn.top_k, "in_top_k": nn.in_top_k,
            "l2_normalize": nn.l2_normalize, "log_softmax": nn.log_softmax, "softmax": nn.softmax,
            "zero_fraction": nn.zero_fraction, "divide_no_nan": tf["div_no_nan"],
            **{name: getattr(special, name) for name in special.MATH}}  # fmt: skip
    linalg = {
        **of("cholesky", "cholesky_solve", "cross", "einsum", "eye", "matmul", "norm", "qr", "svd", "tensordot",
             "trace"),
        "band_part": tf["matrix_band_part"], "det": tf["matrix_determinant"], "diag": tf["matrix_diag"],
        "diag_part": tf["matrix_diag_part"], "inv": tf["matrix_inverse"], "lstsq": tf["matrix_solve_ls"],
        "set_diag": tf["matrix_set_diag"], "solve": tf["matrix_solve"], "tensor_diag": tf["diag"],
        "transpose": tf["matrix_transpose"], "triangular_solve": tf["matrix_triangular_solve"],
        "l2_normalize": nn.l2_normalize, "eigh": tf["self_adjoint_eig"], "eigvalsh": tf["self_adjoint_eigvals"],
        "global_norm": tf["global_norm"], "matrix_transpose": tf["matrix_transpose"], "tensor_diag_part":
        tf["diag_part"], **matrix_factors.LINALG}  # fmt: skip
    made = {
        "math": math, "linalg": linalg, "bitwise": special.BITWISE,
        "debugging": {**of(*_DEBUGGING), "assert_all_finite": tf["verify_tensor_all_finite"],
                      "assert_shapes": assertions.assert_shapes},
        "manip": of("gather_nd", "reshape", "reverse", "roll", "scatter_nd", "tile", "batch_to_space_nd",
                    "space_to_batch_nd"),
        "dtypes": of("DType", "as_dtype", "cast", "saturate_cast", "double", "float16", "half", "float32", "float64",
                     "complex", "complex64", "complex128",
                     "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bfloat16", "bool",
                     "string"),
        "sparse": {**{name: tf[f"sparse_{name}"] for name in _SPARSE}, **sparse_shapes.SPARSE,
                   "SparseTensor": tf["SparseTensor"], "matmul": tf["sparse_tensor_dense_matmul"],
                   "sparse_dense_matmul": tf["sparse_tensor_dense_matmul"], "to_dense": tf["sparse_tensor_to_dense"]},
        "sets": {}, "quantization": {}, **others,
    }  # fmt: skip
    return {name: Names(name, **names) for name, names in made.items()}
