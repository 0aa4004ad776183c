# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.profiler`: the floating-point operations of a graph (F1, F2, F4)."""

from typing import Any, Dict, List, Optional

from .. import _dtypes
from .._errors import about
from .._models import cost
from .graph import Graph, get_default_graph
from .programs import Counted

__all__ = ["ProfileOptionBuilder", "profile"]


class ProfileOptionBuilder:
    """Options of `profile`: `float_operation()` and `trainable_variables_parameter()`."""

    @staticmethod
    def float_operation() -> Dict[str, Any]:
        return {"select": ["float_ops"], "output": "stdout"}

    @staticmethod
    def trainable_variables_parameter() -> Dict[str, Any]:
        return {"select": ["params"], "output": "stdout"}


class GraphNodeProto:
    """The sums of a graph: `total_float_ops` and `total_parameters`, and `report`, what `flywheel.cost` gives."""

    name = "_TFProfRoot"

    def __init__(self, total_float_ops: Any, total_parameters: int, report: Dict[str, Any]):
        self.total_float_ops, self.total_parameters, self.report = total_float_ops, total_parameters, report


def profile(
    graph: Optional[Graph] = None, run_meta: Any = None, op_log: Any = None, cmd: str = "scope",
    options: Optional[Dict[str, Any]] = None,
) -> GraphNodeProto:  # fmt: skip
    """Counts what the ops of a graph compute, each once: those that make initial values, and those that nothing uses,
    too (docs/Cost.md has the numbers of each op). If a size is open, `total_float_ops` is a formula, a string.

    `run_meta` has no effect on these numbers; its `profiles` are the measured times. `cmd` chooses how TensorFlow
    groups the ops, of which this gives the sums. Raises NotImplementedError for `op_log`, and for other options than
    those of `ProfileOptionBuilder`, and ValueError for an unknown `cmd`.
    """
    if op_log is not None:
        raise about("flywheel.v1.profiler.profile", NotImplementedError("op_log; the operations of ops are counted"))
    if cmd not in ("scope", "graph", "op", "code"):
        raise about("flywheel.v1.profiler.profile", ValueError("expected cmd 'scope', 'graph', 'op' or 'code', found "
                                                               f"{cmd!r}"))  # fmt: skip
    graph = get_default_graph() if graph is None else graph
    wanted = list((options or ProfileOptionBuilder.float_operation()).get("select", []))
    if not set(wanted) <= {"float_ops", "params"}:
        raise about("flywheel.v1.profiler.profile", NotImplementedError(f"select={wanted}; float_ops and params"))
    with graph.as_default():
        parameters = sum(int(v.shape.num_elements() or 0) for v in graph.get_collection("trainable_variables"))
        tensors: List[Any] = []
        for op in graph.get_operations():
            skipped = op.context is not None or op.emit is None or op.fields.host is not None or op.fields.writes
            tensors += [] if skipped else [x for x in op.outputs if x.dtype != _dtypes.string]
        report = cost(Counted(tensors).module) if tensors and "float_ops" in wanted else {}
    total = report["before"]["entries"][0]["once"]["total"]["flops"] if report else 0
    if (options or {}).get("output") == "stdout":
        print(f"Profile:\nnode name | # {'float_ops' if 'float_ops' in wanted else 'parameters'}\n_TFProfRoot "
              f"({total if 'float_ops' in wanted else parameters})")  # fmt: skip
    return GraphNodeProto(total, parameters, report)
