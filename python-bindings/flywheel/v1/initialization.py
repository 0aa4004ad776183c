# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that test if variables have a value, and ops that give them one."""

from typing import Any, Optional

import numpy as np

from .._core import dtypes as _dtypes
from .._core.argument_checks import elements, instance
from .graph import get_default_graph
from .operation import Fields, Operation, Tensor
from .ops import group
from .variables import Variable, global_variables, local_variables


def variables_initializer(var_list: Any, name: str = "init") -> Operation:
    """An op that gives variables their initial values (S2)."""
    given = [instance("an element of var_list", v, Variable, "a variable") for v in elements("var_list", var_list)]
    return group(*[v.initializer for v in given], name=name)


def global_variables_initializer() -> Operation:
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    return variables_initializer(local_variables(), "init_local")


initialize_all_variables = global_variables_initializer


def is_initialized_in(variable: Variable, session: Any) -> bool:
    """Returns true if a variable has a value in a session."""
    name = variable.op_name
    return name in session.store and bool(session.store.is_initialized(name))


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of variables that have no value (S4)."""
    listed = global_variables() + local_variables() if var_list is None else list(var_list)

    def host(session: Any) -> Any:
        return np.array([v.op_name.encode() for v in listed if not is_initialized_in(v, session)], dtype=object)

    types = [(_dtypes.string, (None,))]
    return get_default_graph().create("Report", [], None, types, name, Fields(host=host)).outputs[0]


def is_variable_initialized(ref: Variable, name: Optional[str] = None) -> Tensor:
    """True if a variable has a value (S5)."""

    def host(session: Any) -> Any:
        return np.array(is_initialized_in(ref, session))

    types = [(_dtypes.bool_, ())]
    return get_default_graph().create("IsVariableInitialized", [], None, types, name, Fields(host=host)).outputs[0]
