# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages of variables."""

from typing import Any, Dict, List, Optional

import numpy as np

from ..elementwise import TABLE
from ..graph import GraphKeys, get_default_graph
from ..operation import Operation, Tensor
from ..ops import cast, group
from ..variables import Variable, trainable_variables


class ExponentialMovingAverage:
    """Averages of variables: average -= (1 - decay) (average - variable), where `decay` is at most
    (1 + n) / (10 + n) of the step `num_updates`. They are named `<variable>/ExponentialMovingAverage`, and start with
    the initial value of the variable."""

    def __init__(
        self, decay: float, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ):
        self._zero_debias = zero_debias
        self._decay, self._steps, self.name = decay, num_updates, name
        self._averages: Dict[Any, Variable] = {}

    def apply(self, var_list: Optional[List[Any]] = None) -> Operation:
        """The op that moves the averages, of by default all trainable variables; those of tensors start with 0. It sees
        the values that variables have when the run starts, or, with control dependencies on updates, those after
        them."""
        moved = []
        graph = get_default_graph()
        known = graph.get_collection_ref(GraphKeys.MOVING_AVERAGE_VARIABLES)
        for x in trainable_variables() if var_list is None else list(var_list):
            if not isinstance(x, (Variable, Tensor)):
                raise TypeError(f"averages are of variables and tensors, found {type(x).__name__}")
            if not x.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {x.name}")
            if x in self._averages:
                raise ValueError(f"Moving average already computed for: {x.name}")
            is_variable = isinstance(x, Variable)
            starts_with_zero = self._zero_debias and not is_variable
            self._averages[x] = self._create(x)
            if is_variable and x not in known:
                known.append(x)
            value = x.read_value() if isinstance(x, Variable) else x
            moved.append(self._moved(x, value, self._weight(x.dtype), starts_with_zero))
        return group(*moved, name=self.name)

    def _weight(self, dtype: Any) -> Any:
        """Returns 1 - decay, which is computed in float32, as in TensorFlow, unless the average is of float64: that of
        0.9999 is 0.00010001659."""
        kind = "float64" if dtype == "float64" else "float32"
        if self._steps is None and not isinstance(self._decay, (Tensor, Variable)):
            return float(1 - np.asarray(self._decay, kind))
        decay: Any = self._decay
        if self._steps is not None:
            steps = self._steps.read_value() if isinstance(self._steps, Variable) else self._steps
            n = cast(steps, kind)
            decay = TABLE["minimum"](decay, (1.0 + n) / (10.0 + n))
        return cast(1.0 - decay, dtype)

    def _create(self, x: Any, name: str = "") -> Variable:
        shape = x.shape.as_list() if x.static_shape is not None else None
        if shape is None or None in shape:
            raise ValueError(f"an average is of a tensor of known shape, found {x.name} of shape {x.shape}")
        with get_default_graph().control_dependencies(None):
            start = x.initialized_value() if isinstance(x, Variable) else np.zeros(shape, x.dtype)
            return Variable(start, trainable=False, name=f"{x.op.name}/{self.name}{name}")

    def _moved(self, x: Any, value: Any, weight: Any, starts_with_zero: bool) -> Any:
        average = self._averages[x]
        if not starts_with_zero:
            return average.assign_sub((average.read_value() - value) * weight)
        # The sum of the weights of an average that starts with 0 is 1 - (1 - weight)^n.
        biased, share = self._create(x, "/biased"), self._create(x, "/share")
        new = biased.assign_sub((biased.read_value() - value) * weight)
        weights = share.assign_sub((share.read_value() - 1.0) * weight)
        return average.assign(new / weights)

    def average(self, var: Any) -> Optional[Variable]:
        """The average of a variable, or None."""
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """The name that the average of a variable has."""
        found = self._averages.get(var)
        return f"{var.op.name}/{self.name}" if found is None else str(found.op.name)

    def variables_to_restore(self, moving_avg_variables: Optional[List[Variable]] = None) -> Dict[str, Variable]:
        """Returns a dict with which a saver restores averages into the variables."""
        from ..variables import global_variables

        moving = get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
        chosen = [*dict.fromkeys([*trainable_variables(), *moving])] if moving_avg_variables is None else (
            moving_avg_variables)  # fmt: skip
        known = {average for average in self._averages.values()}
        names = {self.average_name(variable): variable for variable in chosen}
        names.update({v.op.name: v for v in global_variables() if v not in known and v not in set(chosen)})
        return names
