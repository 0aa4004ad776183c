# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The global step."""

from typing import Any, Optional

from ..._core import dtypes as _dtypes
from ..graph import GraphKeys, get_default_graph
from ..random_ops import zeros_initializer
from ..scopes import get_by_full_name
from ..variables import Variable


def create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps (V14). Raises ValueError where there is one."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    names = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
    with graph.as_default():
        return get_by_full_name("global_step", [], _dtypes.int64, zeros_initializer(), None, False, names)


def get_global_step(graph: Any = None) -> Optional[Variable]:
    """The variable that counts steps, None if the graph has none."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def get_or_create_global_step(graph: Any = None) -> Variable:
    return get_global_step(graph) or create_global_step(graph)


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError for a step that is not one integer."""
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.ndims not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session."""
    return int(sess.run(global_step_tensor))
