# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.train`: optimizers, learning rates, the global step, and checkpoints."""

from typing import Any

from ..summary import summary_iterator
from .averages import ExponentialMovingAverage
from .coordination import Coordinator, start_queue_runners
from .decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    piecewise_constant,
    polynomial_decay,
)
from .devices import ClusterSpec, replica_device_setter
from .hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    FeedFnHook,
    FinalOpsHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProfilerHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
)
from .monitored import (
    ChiefSessionCreator,
    MonitoredSession,
    MonitoredTrainingSession,
    Scaffold,
    SingularMonitoredSession,
)
from .optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    Optimizer,
    RMSPropOptimizer,
)
from .proximal import AdagradDAOptimizer, ProximalAdagradOptimizer, ProximalGradientDescentOptimizer
from .saver import (
    CheckpointReader,
    NewCheckpointReader,
    Saver,
    checkpoint_exists,
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from .steps import assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step

piecewise_constant_decay = piecewise_constant

__all__ = [
    "assert_global_step", "piecewise_constant_decay",
    "AdadeltaOptimizer", "AdagradDAOptimizer", "AdagradOptimizer", "AdamOptimizer", "CheckpointReader",
    "CheckpointSaverHook", "CheckpointSaverListener", "ChiefSessionCreator", "ClusterSpec", "Coordinator",
    "ExponentialMovingAverage",
    "FeedFnHook", "FinalOpsHook", "FtrlOptimizer", "GradientDescentOptimizer", "LoggingTensorHook",
    "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession", "NanLossDuringTrainingError",
    "NanTensorHook", "NewCheckpointReader", "Optimizer", "ProfilerHook",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer", "RMSPropOptimizer", "Saver", "Scaffold", "SessionRunArgs",
    "SessionRunContext", "SessionRunHook", "SessionRunValues", "SingularMonitoredSession", "StepCounterHook",
    "StopAtStepHook", "SummarySaverHook", "checkpoint_exists", "cosine_decay", "cosine_decay_restarts",
    "create_global_step", "exponential_decay", "get_checkpoint_state", "get_global_step", "get_or_create_global_step",
    "global_step", "inverse_time_decay", "latest_checkpoint", "linear_cosine_decay", "list_variables",
    "load_checkpoint", "load_variable", "natural_exp_decay", "piecewise_constant", "polynomial_decay",
    "replica_device_setter", "start_queue_runners", "summary_iterator",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from ..namespaces import missing

    raise missing(f"train.{name}")
