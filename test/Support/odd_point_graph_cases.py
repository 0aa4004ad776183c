# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public functions of `flywheel.v1` and `flywheel.keras` as functions of a [4, 4] tensor `x`: what
`odd_points_graphs.py` differentiates. odd_point_graph_cases.txt has most of them.

`m` is a constant [4, 4] matrix of numbers above 0, `eye` the identity, `p` is 0.3 m, `im` is `x` as an image
[1, 4, 4, 1], `seq` as a sequence [2, 4, 2], and `spd` is x xᵀ + 4 I.
"""

import os
from typing import Dict, List

# Element by element, and of the reductions along the last dimension and of all.
_UNARY = ("abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc exp expm1 floor lgamma log log1p "
          "log_sigmoid negative reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan "
          "tanh").split()  # fmt: skip
_BINARY = ("add atan2 div_no_nan divide floordiv floormod maximum minimum mod multiply pow squared_difference subtract "
           "truediv div realdiv").split()  # fmt: skip
_REDUCTIONS = ("reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std "
               "reduce_sum reduce_variance").split()  # fmt: skip
_SEGMENTS = "max mean min prod sum".split()

_ACTIVATIONS = ("elu exponential gelu hard_sigmoid hard_silu hard_swish leaky_relu linear log_softmax mish relu relu6 "
                "selu sigmoid silu softmax softplus softsign swish tanh").split()  # fmt: skip
_KERAS_LOSSES = ("KLD MAE MAPE MSE MSLE categorical_hinge cosine cosine_proximity cosine_similarity hinge huber "
                 "kl_divergence kld kullback_leibler_divergence log_cosh logcosh mae mape mean_absolute_error "
                 "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse msle poisson "
                 "squared_hinge").split()  # fmt: skip


def _read() -> Dict[str, List[str]]:
    """The cases of the file, by their group and name."""
    found: Dict[str, List[str]] = {}
    group = ""
    with open(os.path.join(os.path.dirname(__file__), "odd_point_graph_cases.txt")) as file:
        for line in file:
            if line.startswith("["):
                group = line.strip("[]\n")
            elif line.strip() and not line.startswith("#"):
                name, *forms = line.strip().split(" | ")
                found[f"{group}.{name}"] = forms
    return found


def _same(group: str, names: List[str], *forms: str) -> Dict[str, List[str]]:
    return {f"{group}.{name}": [form.replace("NAME", name) for form in forms] for name in names}


CASES: Dict[str, List[str]] = {
    **_same("math", _UNARY, "tf.math.NAME(x)"),
    **_same("tf", ["reciprocal", "log_sigmoid"], "tf.NAME(x)"),
    **_same("math", [name for name in _BINARY if name not in ("div", "realdiv")], "tf.math.NAME(x, m)",
            "tf.math.NAME(m, x)", "tf.math.NAME(x, tf.reverse(x, [1]))"),
    **_same("tf", ["div", "realdiv"], "tf.NAME(x, m)", "tf.NAME(m, x)"),
    **_same("math", _REDUCTIONS, "tf.math.NAME(x)", "tf.math.NAME(x, 1)", "tf.math.NAME(x, 0)"),
    **_same("math", [f"segment_{kind}" for kind in _SEGMENTS], "tf.math.NAME(x, [0, 0, 1, 3])"),
    **_same("math", [f"unsorted_segment_{kind}" for kind in _SEGMENTS], "tf.math.NAME(x, [0, 2, 0, 1], 4)"),
    **_read(),
    **_same("activations", _ACTIVATIONS, "keras.activations.NAME(x)"),
    **_same("keras.losses", _KERAS_LOSSES, "keras.losses.NAME(m, x)", "keras.losses.NAME(m * 0, x)"),
    "keras.losses.binary_crossentropy": ["keras.losses.binary_crossentropy(eye, x)",
                                         "keras.losses.binary_crossentropy(eye, tf.sigmoid(x))"],
    "keras.losses.categorical_crossentropy": ["keras.losses.categorical_crossentropy(eye, tf.nn.softmax(x))"],
    "keras.losses.sparse_categorical_crossentropy": [
        "keras.losses.sparse_categorical_crossentropy(np.array([[0], [1], [3], [3]]), tf.nn.softmax(x))"],
}  # fmt: skip
CASES["math.pow"] += [f"tf.pow(x, {power})" for power in ("0.0", "1.0", "2.0", "3.0", "0.5", "m * 0 + 2")]
CASES["math.maximum"] += ["tf.maximum(x, 0.0)", "tf.maximum(0.0, x)"]
CASES["math.minimum"] += ["tf.minimum(x, 1.0)"]
# Functions that take elements by their order.
SELECTS = ("crf_decode reduce_max reduce_min max min sort top_k nth_element max_pool max_pool3d pool pool2d inf "
           "Masking "
           "categorical_hinge GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D MaxPooling1D MaxPooling2D "
           "MaxPooling3D Minimum dilation2d erosion2d max_pool1d max_pool2d max_pool_with_argmax minimum segment_max "
           "segment_min unsorted_segment_max "
           "unsorted_segment_min").split()  # fmt: skip
# Functions of integers and of truth, of no tensors, with draws, of sessions, graphs and variables; and those without a
# gradient. They have no case.
NOT_DIFFERENTIATED: Dict[str, str] = {
    "tf": """assert_integer assert_near assert_proper_iterable assert_rank_in assert_same_float_dtype
        assert_variables_initialized bincount bitcast broadcast_dynamic_shape broadcast_static_shape count_up_to
        get_logger get_static_value histogram_fixed_width_bins is_non_decreasing is_numeric_tensor
        is_strictly_increasing py_function required_space_to_batch_paddings saturate_cast searchsorted shape_n test
        to_bfloat16 unravel_index floor_div
        UnconnectedGradients VariableAggregation VariableSynchronization control_flow_v2_enabled
        convert_to_tensor_or_indexed_slices dimension_at_index get_local_variable initialize_local_variables
        initialize_variables print random_gamma random_poisson resource_variables_enabled
        AggregationMethod dimension_value disable_control_flow_v2 disable_eager_execution
        disable_resource_variables disable_tensor_equality disable_v2_behavior disable_v2_tensorshape
        enable_control_flow_v2
        enable_resource_variables executing_eagerly initialize_all_tables is_tensor no_regularizer tables_initializer
        Assert ConfigProto DType Dimension GPUOptions GradientTape Graph GraphKeys GraphOptions InteractiveSession
        Operation OptimizerOptions OutOfRangeError RunMetadata RunOptions Session Tensor TensorArray TensorShape
        Variable VariableScope add_to_collection add_to_collections all_variables app arg_max arg_min argmax argmin
        argsort as_dtype assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_negative
        assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank assert_rank_at_least
        assert_scalar assert_type assign assign_add assign_sub confusion_matrix constant constant_initializer
        control_dependencies count_nonzero device equal errors eye flags get_collection get_collection_ref
        get_default_graph get_default_session get_seed get_variable get_variable_scope gfile global_variables
        global_variables_initializer glorot_normal_initializer glorot_uniform_initializer greater greater_equal group
        histogram_fixed_width identity_initializer initialize_all_variables invert_permutation is_finite is_inf is_nan
        is_variable_initialized less less_equal local_variables local_variables_initializer logging logical_and
        logical_not logical_or logical_xor make_template model_variables moving_average_variables multinomial
        name_scope no_op not_equal numpy_function one_hot ones ones_initializer ones_like op_scope
        orthogonal_initializer placeholder py_func qr random_crop random_normal random_normal_initializer random_shuffle
        random_uniform random_uniform_initializer range rank reduce_all reduce_any report_uninitialized_variables
        reset_default_graph scatter_add scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update
        self_adjoint_eig self_adjoint_eigvals sequence_mask set_random_seed setdiff1d shape size stop_gradient svd
        to_int32 to_int64 trainable_variables truncatediv truncatemod truncated_normal truncated_normal_initializer
        uniform_unit_scaling_initializer unique unique_with_counts variable_op_scope variable_scope
        variables_initializer variance_scaling_initializer zeros zeros_initializer zeros_like""",
    "crf": "CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell viterbi_decode",
    "nn": """collapse_repeated compute_accidental_hits ctc_beam_search_decoder ctc_beam_search_decoder_v2
        ctc_greedy_decoder
        fixed_unigram_candidate_sampler in_top_k log_uniform_candidate_sampler transposed
        uniform_candidate_sampler zero_fraction""",
    "math": "bincount in_top_k zero_fraction truncatediv truncatemod",
    "losses": """Reduction add_loss as_tensor get_losses get_regularization_loss get_regularization_losses
        get_total_loss make add_n cast""",
    "linalg": "eigh eigvalsh matrix_rank Slogdet",
    "image": """draw_bounding_boxes non_max_suppression non_max_suppression_overlaps non_max_suppression_padded
        non_max_suppression_with_scores random_crop random_hue random_saturation
        ResizeMethod as_tensor box_of make random_brightness random_contrast random_flip_left_right
        random_flip_up_down wrapping_cast resize where""",
    "K": """ctc_decode ctc_label_dense_to_sparse to_dense image_dim_ordering set_image_dim_ordering
        Function all any arange backend batch_get_value batch_set_value cast_to_floatx clear_session count_params
        dtype epsilon eval floatx function get_session get_uid get_value get_variable_shape image_data_format in_top_k
        initialize int_shape is_keras_tensor is_placeholder is_sparse is_tensor learning_phase
        manual_variable_initialization moving_average_update ndim print_tensor random_binomial random_normal_variable
        random_uniform_variable reset_uids set_epsilon set_floatx set_image_data_format set_learning_phase set_session
        set_value update update_add update_sub variable""",
    "activations": "Configured Missing as_tensor deserialize find get make serialize serializers",
    # The classes are the functions, with a mean.
    "keras.losses": """BinaryCrossentropy CategoricalCrossentropy CategoricalHinge Configured CosineSimilarity Hinge
        Huber KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError
        MeanSquaredLogarithmicError Missing OfFunction Poisson SparseCategoricalCrossentropy SquaredHinge as_tensor
        build class_of deserialize find get is_like is_of_program make of_same_rank serialize serializers""",
    # An embedding has integers, a stack of cells those of an RNN, and two functions return other layers.
    "layers": """AtrousConvolution1D AtrousConvolution2D Embedding Input InputLayer InputSpec Layer RNN StackedRNNCells
        deserialize serialize""",
    "constraints": "Configured Constraint build deserialize find get norm rounds_once serialize serializers",
    "regularizers": """Configured L1L2 Regularizer build deserialize find get public_form rounds_once serialize
        serializers""",
}
# Functions whose values jump where they are of interest, whose derivatives at a tie need not be between those beside
# it, or whose derivative TensorFlow defines otherwise: that of x log(y) at x = 0 is 0.
NOT_CONTINUOUS = ["Masking", "floordiv", "floormod", "mod", "sort", "top_k", "nth_element", "xdivy", "xlogy",
                  "rgb_to_hsv", "adjust_hue", "adjust_saturation"]  # fmt: skip
# Functions of functions, whose arguments are rounded, and one that takes f32 and f64 alone.
COMPOSED = ["matrix_solve_ls", "matvec", "Dense", "SimpleRNN", "LSTM", "GRU", "Bidirectional", "rnn",
            "MultiHeadAttention", "crf_decode", "crf_log_likelihood", "crf_log_norm",
            "crf_multitag_sequence_score"]  # fmt: skip
