# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.slim`: layers whose arguments scopes give defaults to, and the steps of training around them."""

import time
from types import SimpleNamespace
from typing import Any, Callable, List, Optional, Sequence

from ..._errors.messages import about
from .. import contrib as _contrib
from .. import nn
from .. import train as _train
from ..checks import check_numerics
from ..elementwise import TABLE
from ..graph import GraphKeys, get_default_graph
from ..namespaces import missing
from ..norms import clip_by_norm
from ..ops import identity
from ..platform import logging
from ..scopes import get_variable, get_variable_scope, variable_scope
from . import losses as losses
from .arg_scopes import add_arg_scope as add_arg_scope
from .arg_scopes import arg_scope as arg_scope
from .arg_scopes import current_arg_scope as current_arg_scope
from .arg_scopes import has_arg_scope as has_arg_scope

fully_connected, linear = _contrib.layers.fully_connected, _contrib.layers.linear
conv2d, conv2d_transpose = _contrib.layers.conv2d, _contrib.layers.conv2d_transpose
convolution2d, convolution2d_transpose = conv2d, conv2d_transpose
separable_conv2d = separable_convolution2d = _contrib.layers.separable_conv2d
max_pool2d, avg_pool2d = _contrib.layers.max_pool2d, _contrib.layers.avg_pool2d
batch_norm, layer_norm = _contrib.layers.batch_norm, _contrib.layers.layer_norm
dropout, flatten = _contrib.layers.dropout, _contrib.layers.flatten
embed_sequence, one_hot_encoding = _contrib.layers.embed_sequence, _contrib.layers.one_hot_encoding
l1_regularizer, l2_regularizer = _contrib.layers.l1_regularizer, _contrib.layers.l2_regularizer
l1_l2_regularizer = _contrib.layers.l1_l2_regularizer
xavier_initializer = _contrib.layers.xavier_initializer
variance_scaling_initializer = _contrib.layers.variance_scaling_initializer
get_variables = _contrib.framework.get_variables
get_or_create_global_step = _contrib.framework.get_or_create_global_step


@add_arg_scope
def softmax(logits: Any, scope: Optional[str] = None) -> Any:
    """The softmax of the last dimension. `scope` has no effect."""
    return nn.softmax(logits)


def get_model_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    """The variables that layers have made."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)  # type: ignore[no-any-return]


def get_trainable_variables(scope: Any = None, suffix: Optional[str] = None) -> List[Any]:
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)  # type: ignore[no-any-return]


@add_arg_scope
def variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: bool = True, collections: Any = None, device: Any = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """The variable of this name in the current scope, which is made unless it is there."""
    graph = get_default_graph()
    with graph.device(device), variable_scope(get_variable_scope(), reuse=reuse):
        found = get_variable(name, shape, dtype, initializer, regularizer, trainable)
    for one in collections or ():
        if not any(found is other for other in graph.get_collection(one)):
            graph.add_to_collection(one, found)
    return found


@add_arg_scope
def model_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: bool = True, collections: Any = None, device: Any = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """As `variable`, among those of `get_model_variables`."""
    every = [*(collections or ()), GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, every, device, reuse)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Applies `layer` to its own result `repetitions` times, in the scopes `scope`/`scope`_1, `scope`/`scope`_2 ..."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default_name="Repeat"):
        name = scope or getattr(layer, "__name__", "repeat").lstrip("_")
        for number in range(repetitions):
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{name}_{number + 1}"})
    return inputs


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """A layer for each element of `stack_args`, which is its second argument, or a tuple of the following ones."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default_name="Stack"):
        name = scope or getattr(layer, "__name__", "stack").lstrip("_")
        for number, given in enumerate(stack_args):
            more = given if isinstance(given, (list, tuple)) else [given]
            inputs = layer(inputs, *more, **{**kwargs, "scope": f"{name}_{number + 1}"})
    return inputs


def create_train_op(
    total_loss: Any, optimizer: Any, global_step: Any = "default", update_ops: Optional[Sequence[Any]] = None,
    variables_to_train: Optional[Sequence[Any]] = None, clip_gradient_norm: float = 0,
    summarize_gradients: bool = False, gate_gradients: Any = None, aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False, gradient_multipliers: Any = None, check_numerics: bool = True,
) -> Any:  # fmt: skip
    """The loss, once `update_ops` have run, by default those of the collection, and the optimizer has updated the
    variables. Each gradient is multiplied by its number in a dict of variables or names, then cut to a norm."""
    if summarize_gradients:
        raise about("flywheel.v1.contrib.slim.learning.create_train_op", NotImplementedError(
            "does not take summarize_gradients"), " ")  # fmt: skip
    graph = get_default_graph()
    step = get_or_create_global_step() if isinstance(global_step, str) else global_step
    updates = graph.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
    with graph.control_dependencies(updates):
        loss = identity(total_loss)
    pairs = optimizer.compute_gradients(loss, variables_to_train)
    for key, factor in (gradient_multipliers or {}).items():
        if not any(v is key or v.op.name == key for _, v in pairs):
            raise ValueError(f"expected variables that are trained in gradient_multipliers, found {key!r}")
        pairs = [(TABLE["multiply"](g, factor), v) if g is not None and (v is key or v.op.name == key) else (g, v)
                 for g, v in pairs]  # fmt: skip
    if clip_gradient_norm > 0:
        pairs = [(None if g is None else clip_by_norm(g, clip_gradient_norm), v) for g, v in pairs]
    update = optimizer.apply_gradients(pairs, step)
    if check_numerics:
        loss = _checked(loss)
    with graph.control_dependencies([update]):
        train_op = identity(loss, name="train_op")
    graph.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def _checked(loss: Any) -> Any:
    return check_numerics(loss, "LossTensor is inf or nan")


def train(
    train_op: Any, logdir: Optional[str], log_every_n_steps: int = 1, number_of_steps: Optional[int] = None,
    init_fn: Optional[Callable[[Any], None]] = None, save_summaries_secs: float = 600, save_interval_secs: float = 600,
    session_config: Any = None,
) -> Any:  # fmt: skip
    """Runs `train_op` up to a global step, for ever without one, with a checkpoint in `logdir` from which the next call
    goes on; returns its last value. `init_fn` is called with a session whose variables are not restored."""
    step = get_or_create_global_step()
    scaffold = _train.Scaffold(init_fn=None if init_fn is None else lambda _, session: init_fn(session))
    value = None
    with _train.MonitoredTrainingSession(
        checkpoint_dir=logdir, scaffold=scaffold, save_checkpoint_secs=save_interval_secs,
        save_summaries_secs=save_summaries_secs, save_summaries_steps=None, config=session_config,
        log_step_count_steps=None,
    ) as session:  # fmt: skip
        done = session.run(step)
        while number_of_steps is None or done < number_of_steps:
            begun = time.perf_counter()
            value, done = session.run([train_op, step])
            done = int(done)
            if log_every_n_steps and done % log_every_n_steps == 0:
                logging.info("global step %d: loss = %.4f (%.3f sec/step)", done, value, time.perf_counter() - begun)
    return value


learning = SimpleNamespace(create_train_op=create_train_op, train=train)


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.slim.{name}")
