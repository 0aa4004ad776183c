# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages of variables."""

from typing import Any, Dict, List, Optional

from ..graph import GraphKeys, get_default_graph
from ..operation import Operation
from ..ops import TABLE, cast, group
from ..variables import Variable, trainable_variables


class ExponentialMovingAverage:
    """Averages of variables: average -= (1 - decay) (average - variable), where `decay` is at most
    (1 + n) / (10 + n) of the step `num_updates`. They are named `<variable>/ExponentialMovingAverage`, and start with
    the initial value of the variable."""

    def __init__(
        self, decay: float, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ):
        if zero_debias:
            raise NotImplementedError("flywheel.v1.train.ExponentialMovingAverage: zero_debias")
        self._decay, self._steps, self.name = decay, num_updates, name
        self._averages: Dict[Variable, Variable] = {}

    def apply(self, var_list: Optional[List[Variable]] = None) -> Operation:
        """The op that moves the averages, of by default all trainable variables. It sees the values that these have
        when the run starts, or, with control dependencies on updates, those after them."""
        moved = []
        variables = trainable_variables() if var_list is None else list(var_list)
        for variable in variables:
            if not isinstance(variable, Variable):
                raise NotImplementedError("flywheel.v1.train.ExponentialMovingAverage: of what is no variable")
            if variable in self._averages:
                raise ValueError(f"Moving average already computed for: {variable.name}")
            graph = get_default_graph()
            with graph.control_dependencies(None):
                self._averages[variable] = Variable(
                    variable.initialized_value(), trainable=False, name=f"{variable.op.name}/{self.name}",
                    collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES])  # fmt: skip
            average = self._averages[variable]
            decay: Any = self._decay
            if self._steps is not None:
                n = cast(self._steps, variable.dtype)
                decay = TABLE["minimum"](decay, (1.0 + n) / (10.0 + n))
            moved.append(average.assign_sub((average.read_value() - variable.read_value()) * (1.0 - decay)))
        return group(*moved, name=self.name)

    def average(self, var: Variable) -> Optional[Variable]:
        """The average of a variable, or None."""
        return self._averages.get(var)

    def average_name(self, var: Variable) -> str:
        """The name that the average of a variable has."""
        found = self._averages.get(var)
        return f"{var.op.name}/{self.name}" if found is None else str(found.op.name)

    def variables_to_restore(self, moving_avg_variables: Optional[List[Variable]] = None) -> Dict[str, Variable]:
        """What a saver reads to have averages in place of the variables."""
        from ..variables import global_variables

        chosen = trainable_variables() if moving_avg_variables is None else moving_avg_variables
        known = {average for average in self._averages.values()}
        names = {self.average_name(variable): variable for variable in chosen}
        names.update({v.op.name: v for v in global_variables() if v not in known and v not in set(chosen)})
        return names
