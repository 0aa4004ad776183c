# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches of TensorFlow between versions of itself: those of graphs are on here, and cannot be switched off."""

from typing import Any, Callable

from .operation import Operation, Tensor
from .ops import no_op
from .shapes import Dimension
from .variables import Variable


class AggregationMethod:
    """Ways to add gradients up. They give the same sums: the compiler chooses how."""

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients:
    """The gradient of an x that no y depends on: none, or zeros."""

    NONE, ZERO = "none", "zero"


class VariableSynchronization:
    """The times at which copies of a variable are compared. There is one copy."""

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation:
    """The ways to put copies of a variable together. There is one copy."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


def _stays(name: str, words: str) -> Callable[[], None]:
    def switch() -> None:
        pass

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = f"Does nothing: {words}."
    return switch


disable_eager_execution = _stays("disable_eager_execution", "there are graphs only")
disable_v2_behavior = _stays("disable_v2_behavior", "this is the vocabulary of TensorFlow 1")
disable_v2_tensorshape = _stays("disable_v2_tensorshape", "sizes are `Dimension` objects")
disable_tensor_equality = _stays("disable_tensor_equality", "tensors are equal if they are the same one")
enable_resource_variables = _stays("enable_resource_variables", "order of accesses is defined for all variables")
disable_resource_variables = _stays("disable_resource_variables", "variables are of one kind")
enable_control_flow_v2 = _stays("enable_control_flow_v2", "loops and branches are of one kind")
disable_control_flow_v2 = _stays("disable_control_flow_v2", "loops and branches are of one kind")


def executing_eagerly() -> bool:
    """False: there are graphs only."""
    return False


def control_flow_v2_enabled() -> bool:
    """False: the switch of TensorFlow is not on."""
    return False


def resource_variables_enabled() -> bool:
    """False: the switch of TensorFlow is not on."""
    return False


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The size of a dimension of a shape, unknown for one of unknown rank."""
    return Dimension(None) if shape.ndims is None else Dimension(shape.as_list()[index])


def is_tensor(x: Any) -> bool:
    """Returns true for a tensor or variable of a graph."""
    return isinstance(x, (Tensor, Variable))


def dimension_value(dimension: Any) -> Any:
    """The size that a `Dimension` or a number stands for, or None."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An op that does nothing: there are no tables."""
    return no_op(name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """See `tables_initializer`."""
    return tables_initializer(name)


def no_regularizer(_: Any) -> None:
    """A regularizer without a loss, for a variable of a scope that has one."""
    return None


__all__ = [
    "AggregationMethod", "UnconnectedGradients", "VariableAggregation", "VariableSynchronization",
    "control_flow_v2_enabled", "dimension_at_index", "dimension_value", "resource_variables_enabled",
    "disable_control_flow_v2", "disable_eager_execution",
    "disable_resource_variables", "disable_tensor_equality", "disable_v2_behavior", "disable_v2_tensorshape",
    "enable_control_flow_v2", "enable_resource_variables", "executing_eagerly", "initialize_all_tables", "is_tensor",
    "no_regularizer", "tables_initializer",
]  # fmt: skip
