# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of `tf.contrib` that programs of all kinds have."""

import importlib
from typing import Any, Callable, List, Optional

from ..._errors.contracts import explained as _explained
from ..._errors.messages import about
from .. import layers as _layers
from .. import nn as _nn
from ..conversion import as_tensor, make
from ..elementwise import TABLE
from ..graph import GraphKeys, get_default_graph
from ..namespaces import missing
from ..ops import identity, one_hot
from ..random_ops import (
    glorot_normal_initializer,
    glorot_uniform_initializer,
    ones_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from ..scopes import get_variable, variable_scope
from . import arg_scopes as _arg_scopes
from .arg_scopes import add_arg_scope


def _xavier(uniform: bool = True, seed: Any = None, dtype: Any = "float32") -> Any:
    return glorot_uniform_initializer(seed, dtype) if uniform else glorot_normal_initializer(seed, dtype)


def _variance_scaling(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: Any = None, dtype: Any = "float32"
) -> Any:
    """As tf.contrib has it, of other defaults."""
    return variance_scaling_initializer(factor, mode.lower(), "uniform" if uniform else "normal", seed, dtype)


def _regularizer(name: str, norm: Callable[[Any], Any]) -> Callable[..., Any]:
    def make(scale: float, scope: Optional[str] = None) -> Optional[Callable[[Any], Any]]:
        if isinstance(scale, int):
            raise ValueError(f"scale cannot be an integer: {scale}")
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
        return (lambda _: None) if scale == 0.0 else lambda weights: TABLE["multiply"](norm(weights), scale)

    make.__name__ = name
    return make


_l1 = _regularizer("l1_regularizer", lambda w: TABLE["reduce_sum"](TABLE["abs"](w)))
_l2 = _regularizer("l2_regularizer", lambda w: _nn.l2_loss(w))


def _l1_l2(scale_l1: float = 1.0, scale_l2: float = 1.0, scope: Optional[str] = None) -> Any:
    """The sum of both penalties. `scope` has no effect."""
    one, other = _l1(scale_l1), _l2(scale_l2)
    return lambda w: TABLE["add"](one(w), other(w))


def _apply_regularization(regularizer: Callable[[Any], Any], weights_list: Optional[List[Any]] = None) -> Any:
    """The sum of the penalties of weights, by default all of the collection WEIGHTS."""
    from ..ops import add_n

    graph = get_default_graph()
    chosen = graph.get_collection(GraphKeys.WEIGHTS) if weights_list is None else weights_list
    total = add_n([regularizer(w) for w in chosen])
    graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


_ZEROS = zeros_initializer()


def _collected(variable: Any, collections: Any, name: str) -> Any:
    """Adds a variable to those of the model and to these collections, or to those under its name in a dict; returns
    the variable."""
    graph = get_default_graph()
    chosen = collections.get(name) if isinstance(collections, dict) else collections
    for one in (GraphKeys.MODEL_VARIABLES, *([chosen] if isinstance(chosen, str) else chosen or ())):
        if not any(variable is other for other in graph.get_collection(one)):
            graph.add_to_collection(one, variable)
    return variable


def _output(y: Any, collections: Any) -> Any:
    """Adds a result to these collections, and returns it."""
    if collections:
        get_default_graph().add_to_collections(collections, y)
    return y


def _finished(
    y: Any, units: int, normalizer_fn: Any, normalizer_params: Any, biases_initializer: Any, biases_regularizer: Any,
    activation_fn: Any, trainable: bool, variables: Any, outputs: Any,
) -> Any:  # fmt: skip
    """Applies a normalization, or a bias, and the following functions; adds the bias and the result to collections."""
    if normalizer_fn is not None:
        y = normalizer_fn(y, **(normalizer_params or {}))
    elif biases_initializer is not None:
        biases = get_variable("biases", [units], y.dtype, biases_initializer, biases_regularizer, trainable)
        y = _nn.bias_add(y, _collected(biases, variables, "biases"))
    return _output(y if activation_fn is None else activation_fn(y), outputs)


@add_arg_scope
def _fully_connected(
    inputs: Any, num_outputs: int, activation_fn: Any = _nn.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = None, weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS, biases_regularizer: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """relu(inputs weights + biases), by default."""
    from ..ops import matmul

    x = as_tensor(inputs)
    with variable_scope(scope, default_name="fully_connected", reuse=reuse):
        w = get_variable("weights", [x.shape[-1].value, num_outputs], x.dtype, weights_initializer or _xavier(),
                         weights_regularizer, trainable)  # fmt: skip
        _collected(w, variables_collections, "weights")
        return _finished(matmul(x, w), num_outputs, normalizer_fn, normalizer_params, biases_initializer,
                         biases_regularizer, activation_fn, trainable, variables_collections,
                         outputs_collections)  # fmt: skip


def _pair(value: Any) -> List[int]:
    return [value, value] if isinstance(value, int) else list(value)


@add_arg_scope
def _conv2d(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: Any = None,
    rate: Any = 1, activation_fn: Any = _nn.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """relu(cross-correlation with weights + biases), by default."""
    if data_format not in (None, "NHWC"):
        raise about("flywheel.v1.contrib.layers.conv2d", NotImplementedError(f"data_format='{data_format}'"))
    x = as_tensor(inputs)
    with variable_scope(scope, default_name="Conv", reuse=reuse):
        w = get_variable("weights", [*_pair(kernel_size), x.shape[-1].value, num_outputs], x.dtype,
                         weights_initializer or _xavier(), weights_regularizer, trainable)  # fmt: skip
        _collected(w, variables_collections, "weights")
        y = _nn.conv2d(x, w, [1, *_pair(stride), 1], padding, dilations=[1, *_pair(rate), 1])
        return _finished(y, num_outputs, normalizer_fn, normalizer_params, biases_initializer, biases_regularizer,
                         activation_fn, trainable, variables_collections, outputs_collections)  # fmt: skip


@add_arg_scope
def _conv2d_transpose(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: Any = None,
    activation_fn: Any = _nn.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """relu(the transpose of a convolution + biases), by default."""
    _nn._nhwc(data_format)
    x = as_tensor(inputs)
    steps, sizes = _pair(stride), _pair(kernel_size)
    old = x.shape.as_list()[1:3]
    if None in old:
        raise about("flywheel.v1.contrib.layers.conv2d_transpose", NotImplementedError(
            "does not take images of a size that a run chooses"), " ")  # fmt: skip
    goal = [(n or 0) * s if padding.upper() == "SAME" else (n or 0) * s + max(k - s, 0)
            for n, s, k in zip(old, steps, sizes)]  # fmt: skip
    with variable_scope(scope, default_name="Conv2d_transpose", reuse=reuse):
        w = get_variable("weights", [*sizes, num_outputs, x.shape[-1].value], x.dtype,
                         weights_initializer or _xavier(), weights_regularizer, trainable)  # fmt: skip
        _collected(w, variables_collections, "weights")
        y = make("conv2d_transpose", lambda v, f: _nn.transposed(v, f, steps, goal, padding), x, w)
        return _finished(y, num_outputs, normalizer_fn, normalizer_params, biases_initializer, biases_regularizer,
                         activation_fn, trainable, variables_collections, outputs_collections)  # fmt: skip


@add_arg_scope
def _separable_conv2d(
    inputs: Any, num_outputs: Optional[int], kernel_size: Any, depth_multiplier: int = 1, stride: Any = 1,
    padding: str = "SAME", data_format: Any = None, rate: Any = 1, activation_fn: Any = _nn.relu,
    normalizer_fn: Any = None, normalizer_params: Any = None, weights_initializer: Any = None,
    pointwise_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """A convolution of each channel by itself, then one of 1x1 unless `num_outputs` is None, and relu, by default."""
    if data_format not in (None, "NHWC"):
        raise about("flywheel.v1.contrib.layers.separable_conv2d", NotImplementedError(f"data_format='{data_format}'"))
    x = as_tensor(inputs)
    channels, start = x.shape[-1].value, weights_initializer or _xavier()
    strides = [1, *_pair(stride), 1]
    with variable_scope(scope, default_name="SeparableConv2d", reuse=reuse):
        own = get_variable("depthwise_weights", [*_pair(kernel_size), channels, depth_multiplier], x.dtype, start,
                           weights_regularizer, trainable)  # fmt: skip
        _collected(own, variables_collections, "weights")
        units = channels * depth_multiplier if num_outputs is None else num_outputs
        if num_outputs is None:
            y = _nn.depthwise_conv2d(x, own, strides, padding, _pair(rate))
        else:
            across = get_variable("pointwise_weights", [1, 1, channels * depth_multiplier, units], x.dtype,
                                  pointwise_initializer or start, weights_regularizer, trainable)  # fmt: skip
            _collected(across, variables_collections, "weights")
            y = _nn.separable_conv2d(x, own, across, strides, padding, _pair(rate))
        return _finished(y, units, normalizer_fn, normalizer_params, biases_initializer, biases_regularizer,
                         activation_fn, trainable, variables_collections, outputs_collections)  # fmt: skip


@add_arg_scope
def _max_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: Any = None,
    outputs_collections: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """The largest elements of windows. `scope` has no effect."""
    _nn._nhwc(data_format)
    y = _nn.max_pool(inputs, [1, *_pair(kernel_size), 1], [1, *_pair(stride), 1], padding)
    return _output(y, outputs_collections)


@add_arg_scope
def _avg_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: Any = None,
    outputs_collections: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """The means of windows. `scope` has no effect."""
    _nn._nhwc(data_format)
    y = _nn.avg_pool(inputs, [1, *_pair(kernel_size), 1], [1, *_pair(stride), 1], padding)
    return _output(y, outputs_collections)


@add_arg_scope
def _flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Examples as vectors. `scope` has no effect."""
    return _output(_layers.flatten(inputs), outputs_collections)


@add_arg_scope
def _dropout(
    inputs: Any, keep_prob: float = 0.5, noise_shape: Any = None, is_training: Any = True,
    outputs_collections: Any = None, scope: Any = None, seed: Any = None,
) -> Any:  # fmt: skip
    """Drops elements while `is_training` is true. `scope` has no effect."""
    return _output(_layers.dropout(inputs, 1 - keep_prob, noise_shape, seed, is_training), outputs_collections)


@add_arg_scope
def _batch_norm(
    inputs: Any, decay: float = 0.999, center: bool = True, scale: bool = False, epsilon: float = 0.001,
    activation_fn: Any = None, param_initializers: Any = None, param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS, is_training: Any = True, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    batch_weights: Any = None, fused: Any = None, data_format: str = "NHWC", zero_debias_moving_mean: bool = False,
    scope: Any = None, renorm: bool = False,
) -> Any:  # fmt: skip
    """`tf.layers.batch_normalization` under the names of tf.contrib. With `updates_collections=None` the averages move
    where the result is computed."""
    if renorm or batch_weights is not None or data_format != "NHWC" or zero_debias_moving_mean:
        raise about("flywheel.v1.contrib.layers.batch_norm", NotImplementedError(
            "does not take renorm, batch_weights, NCHW and zero_debias"), " ")  # fmt: skip
    graph = get_default_graph()
    updates = graph.get_collection_ref(GraphKeys.UPDATE_OPS)
    count = len(updates)
    keys = [key for key, is_there in (("gamma", scale), ("beta", center), ("moving_mean", True),
                                      ("moving_variance", True)) if is_there]  # fmt: skip
    given = {f"{key}_initializer": value for key, value in (param_initializers or {}).items()}
    given.update({f"{key}_regularizer": value for key, value in (param_regularizers or {}).items()})
    own: Any
    with variable_scope(scope, default_name="BatchNorm", reuse=reuse) as own:
        y = _layers.batch_normalization(inputs, momentum=decay, epsilon=epsilon, center=center, scale=scale,
                                        training=is_training, trainable=trainable, fused=fused, name=own,
                                        **given)  # fmt: skip
    with variable_scope(own, reuse=True, auxiliary_name_scope=False):
        for key in keys:
            _collected(get_variable(key), variables_collections, key)
    if updates_collections != GraphKeys.UPDATE_OPS:
        moved = updates[count:]
        del updates[count:]
        if updates_collections is None:
            with graph.control_dependencies(moved):
                y = identity(y)
        else:
            for one in moved:
                graph.add_to_collections(updates_collections, one)
    return _output(y if activation_fn is None else activation_fn(y), outputs_collections)


@add_arg_scope
def _layer_norm(
    inputs: Any, center: bool = True, scale: bool = True, activation_fn: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    begin_norm_axis: int = 1, begin_params_axis: int = -1, scope: Any = None,
) -> Any:  # fmt: skip
    """Each example with mean 0 and variance 1, times gamma plus beta."""
    x = as_tensor(inputs)
    rank = len(x.shape)
    first = begin_params_axis + rank if begin_params_axis < 0 else begin_params_axis
    axes = list(range(begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis, rank))
    sizes = x.shape.as_list()[first:]
    if None in sizes:
        raise ValueError(f"Inputs {x.name}: shape {x.shape} is not fully defined from axis {begin_params_axis} on")
    with variable_scope(scope, default_name="LayerNorm", reuse=reuse):
        beta = get_variable("beta", sizes, x.dtype, zeros_initializer(), None, trainable) if center else None
        gamma = get_variable("gamma", sizes, x.dtype, ones_initializer(), None, trainable) if scale else None
        mean, variance = _nn.moments(x, axes, keep_dims=True)
        for key, variable in (("beta", beta), ("gamma", gamma)):
            if variable is not None:
                _collected(variable, variables_collections, key)
        y = _nn.batch_normalization(x, mean, variance, beta, gamma, 1e-12)
        return _output(y if activation_fn is None else activation_fn(y), outputs_collections)


@add_arg_scope
def _embed_sequence(
    ids: Any, vocab_size: Optional[int] = None, embed_dim: Optional[int] = None, unique: bool = False,
    initializer: Any = None, regularizer: Any = None, trainable: bool = True, scope: Any = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Rows of a table that is made for it. `unique` has no effect: it chooses how rows are gathered."""
    with variable_scope(scope, default_name="EmbedSequence", reuse=reuse):
        table = get_variable("embeddings", None if reuse else [vocab_size, embed_dim], None, initializer, regularizer,
                             trainable)  # fmt: skip
        _collected(table, None, "embeddings")
        return _nn.embedding_lookup(table, ids)


def _optimize_loss(
    loss: Any, global_step: Any, learning_rate: Any, optimizer: Any, gradient_noise_scale: Any = None,
    gradient_multipliers: Any = None, clip_gradients: Any = None, learning_rate_decay_fn: Any = None,
    update_ops: Any = None, variables: Any = None, name: Any = None, summaries: Any = None,
    colocate_gradients_with_ops: bool = False, increment_global_step: bool = True,
) -> Any:  # fmt: skip
    """The loss, once an optimizer, by its name, class or object, has updated the variables along its gradients.
    `summaries` are some of loss, learning_rate, gradients, gradient_norm and global_gradient_norm, by default the first
    two and the last."""
    from .. import summary, train
    from ..norms import clip_by_global_norm, global_norm
    from ..variables import trainable_variables

    if gradient_noise_scale is not None or gradient_multipliers is not None:
        raise about("flywheel.v1.contrib.layers.optimize_loss", NotImplementedError(
            "does not take noise and multipliers of gradients"), " ")  # fmt: skip
    known_summaries = ("learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm")
    wanted = ["loss", "learning_rate", "global_gradient_norm"] if summaries is None else list(summaries)
    for one in wanted:
        if one not in known_summaries:
            raise ValueError(f"Summaries should be one of [{', '.join(known_summaries)}], you provided {one}.")
    step = train.get_or_create_global_step() if global_step is None else global_step
    rate = learning_rate
    if learning_rate_decay_fn is not None:
        rate = learning_rate_decay_fn(rate, step)
    if "learning_rate" in wanted and rate is not None:
        summary.scalar("learning_rate", rate)
    known: Any = {"Adagrad": train.AdagradOptimizer, "Adam": train.AdamOptimizer, "Ftrl": train.FtrlOptimizer,
             "Momentum": lambda r: train.MomentumOptimizer(r, 0.9), "RMSProp": train.RMSPropOptimizer,
             "SGD": train.GradientDescentOptimizer}  # fmt: skip
    if isinstance(optimizer, str):
        if optimizer not in known:
            raise ValueError(f"Optimizer name should be one of [{', '.join(known)}], you provided {optimizer}.")
        opt: Any = known[optimizer](rate)
    else:
        opt = optimizer if isinstance(optimizer, train.Optimizer) else optimizer(rate)
    graph = get_default_graph()
    with graph.control_dependencies(graph.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops):
        pairs = opt.compute_gradients(loss, trainable_variables() if variables is None else variables)
    has_norm = "global_gradient_norm" in wanted or "gradient_norm" in wanted
    if has_norm:
        summary.scalar("global_norm/gradient_norm", global_norm([g for g, _ in pairs]))
    if clip_gradients is not None:
        if callable(clip_gradients):
            pairs = clip_gradients(pairs)
        else:
            clipped, _ = clip_by_global_norm([g for g, _ in pairs], clip_gradients)
            pairs = list(zip(clipped, [v for _, v in pairs]))
        if has_norm:
            summary.scalar("global_norm/clipped_gradient_norm", global_norm([g for g, _ in pairs]))
    if "loss" in wanted:
        summary.scalar("loss", loss)
    for gradient, v in pairs:
        if gradient is not None and "gradients" in wanted:
            summary.histogram(f"gradients/{v.name.replace(':', '_')}", gradient)
        if gradient is not None and "gradient_norm" in wanted:
            summary.scalar(f"gradient_norm/{v.name.replace(':', '_')}", global_norm([gradient]))
    with graph.control_dependencies([opt.apply_gradients(pairs, step if increment_global_step else None)]):
        return identity(loss, name="loss")


class layers:  # noqa: N801
    """Layers, initializers and regularizers."""

    xavier_initializer = staticmethod(_xavier)
    xavier_initializer_conv2d = staticmethod(_xavier)
    variance_scaling_initializer = staticmethod(_variance_scaling)
    l1_regularizer, l2_regularizer = staticmethod(_l1), staticmethod(_l2)
    l1_l2_regularizer = staticmethod(_l1_l2)
    apply_regularization = staticmethod(_apply_regularization)
    fully_connected = staticmethod(_fully_connected)
    conv2d = convolution2d = staticmethod(_conv2d)
    conv2d_transpose = convolution2d_transpose = staticmethod(_conv2d_transpose)
    separable_conv2d = separable_convolution2d = staticmethod(_separable_conv2d)
    max_pool2d, avg_pool2d = staticmethod(_max_pool2d), staticmethod(_avg_pool2d)
    flatten, dropout = staticmethod(_flatten), staticmethod(_dropout)
    batch_norm, layer_norm = staticmethod(_batch_norm), staticmethod(_layer_norm)
    embed_sequence, optimize_loss = staticmethod(_embed_sequence), staticmethod(_optimize_loss)

    @staticmethod
    def relu(inputs: Any, num_outputs: int, **kwargs: Any) -> Any:
        return _fully_connected(inputs, num_outputs, **kwargs)

    @staticmethod
    def linear(inputs: Any, num_outputs: int, **kwargs: Any) -> Any:
        return _fully_connected(inputs, num_outputs, activation_fn=None, **kwargs)

    @staticmethod
    def one_hot_encoding(
        labels: Any, num_classes: int, on_value: float = 1.0, off_value: float = 0.0, outputs_collections: Any = None,
        scope: Any = None,
    ) -> Any:  # fmt: skip
        """`scope` has no effect."""
        return _output(one_hot(labels, num_classes, on_value, off_value), outputs_collections)


for _name, _value in list(vars(layers).items()):
    if isinstance(_value, staticmethod):
        setattr(layers, _name, staticmethod(_explained(_value.__func__)))


class _Cells:
    """The names of `tf.nn.rnn_cell` and of its loops."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return getattr(_nn.rnn_cell, name)
        except AttributeError:
            if name.startswith("static_"):
                return getattr(_nn, name)
            if name in ("EmbeddingWrapper", "OutputProjectionWrapper"):
                return getattr(importlib.import_module(f"{__name__}.legacy_seq2seq"), name)
            raise missing(f"contrib.rnn.{name}") from None


rnn = _Cells()


class framework:  # noqa: N801
    """Variables, and defaults of arguments."""

    arg_scope, add_arg_scope = staticmethod(_arg_scopes.arg_scope), staticmethod(add_arg_scope)
    has_arg_scope = staticmethod(_arg_scopes.has_arg_scope)
    current_arg_scope = staticmethod(_arg_scopes.current_arg_scope)

    @staticmethod
    def get_or_create_global_step(graph: Any = None) -> Any:
        from ..train import get_or_create_global_step

        return get_or_create_global_step(graph)

    @staticmethod
    def get_variables(scope: Any = None, suffix: Any = None, collection: Any = GraphKeys.GLOBAL_VARIABLES) -> Any:
        found = get_default_graph().get_collection(collection, getattr(scope, "name", scope))
        return [v for v in found if suffix is None or v.op.name.endswith(suffix)]


def __getattr__(name: str) -> Any:
    if name in ("crf", "data", "legacy_seq2seq", "losses", "seq2seq", "slim"):
        # It is made of what is here.
        return importlib.import_module(f"{__name__}.{name}")
    raise missing(f"contrib.{name}")
