# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.profiler`: the floating-point operations of a graph (F1, F2, F4), and the times of a run."""

from typing import Any, Dict, List, Optional

from .._core import dtypes as _dtypes
from .._programs.models import cost
from .graph import Graph, get_default_graph
from .programs import Counted

__all__ = ["ProfileOptionBuilder", "Profiler", "profile"]

# Quantities that options may select: the operations, the parameters, the times and the bytes.
_SELECTED = ("float_ops", "params", "micros", "bytes")


class ProfileOptionBuilder:
    """Options of `profile`. `float_operation()`, `trainable_variables_parameter()` and `time_and_memory()` are options;
    an object of this class changes a copy of some, which `build` gives."""

    def __init__(self, options: Optional[Dict[str, Any]] = None):
        self._options = dict(options or {"select": ["float_ops"], "output": "stdout"})

    @staticmethod
    def float_operation() -> Dict[str, Any]:
        return {"select": ["float_ops"], "output": "stdout"}

    @staticmethod
    def trainable_variables_parameter() -> Dict[str, Any]:
        return {"select": ["params"], "output": "stdout"}

    @staticmethod
    def time_and_memory(
        min_micros: int = 1, min_bytes: int = 1, min_accelerator_micros: int = 0, min_cpu_micros: int = 0,
        min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0,
    ) -> Dict[str, Any]:  # fmt: skip
        """Options for the times of a run: an op of less than `min_micros` is left out. `min_bytes`,
        `min_accelerator_micros`, `min_cpu_micros`, `min_peak_bytes`, `min_residual_bytes` and `min_output_bytes` have
        no effect."""
        return {"select": ["bytes", "micros"], "output": "stdout", "min_micros": min_micros}

    def select(self, attributes: List[str]) -> "ProfileOptionBuilder":
        return self._with(select=list(attributes))

    def order_by(self, attribute: str) -> "ProfileOptionBuilder":
        """`attribute` has no effect: ops are in the order of their times."""
        return self

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> "ProfileOptionBuilder":
        """Leaves out ops of less than `min_micros`. `min_accelerator_micros` and `min_cpu_micros` have no effect."""
        return self._with(min_micros=min_micros)

    def with_max_depth(self, max_depth: int) -> "ProfileOptionBuilder":
        """`max_depth` has no effect: there is one level of ops."""
        return self

    def with_empty_output(self) -> "ProfileOptionBuilder":
        return self._with(output="none")

    def with_stdout_output(self) -> "ProfileOptionBuilder":
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> "ProfileOptionBuilder":
        return self._with(output=f"file:outfile={outfile}")

    def build(self) -> Dict[str, Any]:
        return dict(self._options)

    def _with(self, **options: Any) -> "ProfileOptionBuilder":
        self._options.update(options)
        return self

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no flywheel.v1.profiler.ProfileOptionBuilder.{name}: the ops that a profile "
                             "selects, its smallest times and its output can be chosen")  # fmt: skip


class GraphNodeProto:
    """The sums of a graph: `total_float_ops`, `total_parameters` and `total_exec_micros`; `report`, what
    `flywheel.cost` gives, and `children`, one for each op, or for each type of ops, that a run spent time on, the
    longest first."""

    def __init__(self, name: str, total_float_ops: Any, total_parameters: int, report: Dict[str, Any], micros: float):
        self.name = name
        self.total_float_ops, self.total_parameters, self.report = total_float_ops, total_parameters, report
        self.total_exec_micros = self.total_cpu_exec_micros = self.exec_micros = micros
        self.children: List[GraphNodeProto] = []
        self.graph_nodes = self.children


def _times(graph: Graph, run_meta: Any, by_type: bool, least: float) -> List[GraphNodeProto]:
    """Returns the times of ops in a run, or of their types, the longest first. A call that computes several ops counts
    as the op with the most work."""
    spent: Dict[str, float] = {}
    for device in run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            op = graph._operations.get(node.node_name)
            name = node.node_name if op is None or not by_type else op.type
            spent[name] = spent.get(name, 0.0) + node.all_end_rel_nanos / 1000
    longest = sorted(spent.items(), key=lambda pair: -pair[1])
    return [GraphNodeProto(name, 0, 0, {}, micros) for name, micros in longest if micros >= least]


def profile(
    graph: Optional[Graph] = None, run_meta: Any = None, op_log: Any = None, cmd: str = "scope",
    options: Optional[Dict[str, Any]] = None,
) -> GraphNodeProto:  # fmt: skip
    """Counts what the ops of a graph compute, each once: those that make initial values, and those that nothing uses,
    too (docs/Guides/CostAndProfile.md has the numbers of each op). If a size is open, `total_float_ops` is a formula, a
    string.

    With options of `time_and_memory`, it is the time of each op in the run of `run_meta`, or with `cmd="op"` of each
    type of ops; bytes are not measured. Otherwise `cmd` chooses how TensorFlow groups the ops, of which this gives the
    sums. Raises NotImplementedError for `op_log`, and for other options than those of `ProfileOptionBuilder`, and
    ValueError for an unknown `cmd`, and for times without a run that was traced.
    """
    if op_log is not None:
        raise NotImplementedError("flywheel.v1.profiler.profile: op_log; the operations of ops are counted")
    if cmd not in ("scope", "graph", "op", "code"):
        raise ValueError(f"flywheel.v1.profiler.profile: expected cmd 'scope', 'graph', 'op' or 'code', found {cmd!r}")
    graph = get_default_graph() if graph is None else graph
    chosen = options or ProfileOptionBuilder.float_operation()
    wanted = list(chosen.get("select", []))
    if not set(wanted) <= set(_SELECTED):
        raise NotImplementedError(f"flywheel.v1.profiler.profile: select={wanted}; {', '.join(_SELECTED)}")
    times: List[GraphNodeProto] = []
    if "micros" in wanted:
        if run_meta is None or not run_meta.step_stats.dev_stats:
            raise ValueError("flywheel.v1.profiler.profile: times are those of a run: give the run_meta of one with "
                             "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)")  # fmt: skip
        times = _times(graph, run_meta, cmd == "op", chosen.get("min_micros", 0))
    with graph.as_default():
        parameters = sum(int(v.shape.num_elements() or 0) for v in graph.get_collection("trainable_variables"))
        tensors: List[Any] = []
        for op in graph.get_operations():
            skipped = op.context is not None or op.emit is None or op.fields.host is not None or op.fields.writes
            tensors += [] if skipped else [x for x in op.outputs if x.dtype != _dtypes.string]
        report = cost(Counted(tensors).module) if tensors and "float_ops" in wanted else {}
    total = report["before"]["entries"][0]["once"]["total"]["flops"] if report else 0
    made = GraphNodeProto("_TFProfRoot", total, parameters, report, sum(one.total_exec_micros for one in times))
    made.children += times
    _show(made, wanted, chosen.get("output", "none"))
    return made


def _show(root: GraphNodeProto, wanted: List[str], output: str) -> None:
    """Prints a profile, or writes it to a file."""
    if "micros" in wanted:
        lines = ["node name | execution time in us", f"_TFProfRoot ({root.total_exec_micros:.1f})"]
        lines += [f"  {one.name} ({one.total_exec_micros:.1f})" for one in root.children]
    else:
        what = ("float_ops", root.total_float_ops) if "float_ops" in wanted else ("parameters", root.total_parameters)
        lines = [f"node name | # {what[0]}", f"_TFProfRoot ({what[1]})"]
    text = "\n".join(["Profile:", *lines])
    if output.startswith("file:outfile="):
        with open(output.partition("=")[2], "w", encoding="utf-8") as file:
            file.write(text + "\n")
    elif output == "stdout":
        print(text)


class Profiler:
    """Profiles of a graph, with the times of the runs that `add_step` is given."""

    def __init__(self, graph: Optional[Graph] = None, op_log: Any = None):
        self._graph, self._op_log = graph or get_default_graph(), op_log
        self._runs: Dict[int, Any] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds the metadata of a run; a profile is of the last step."""
        self._runs[step] = run_meta

    def profile_operations(self, options: Dict[str, Any]) -> GraphNodeProto:
        """The profile by the types of ops."""
        return self._profile("op", options)

    def profile_name_scope(self, options: Dict[str, Any]) -> GraphNodeProto:
        return self._profile("scope", options)

    def profile_graph(self, options: Dict[str, Any]) -> GraphNodeProto:
        return self._profile("graph", options)

    def advise(self, options: Any = None) -> Any:
        raise NotImplementedError("flywheel.v1.profiler.Profiler.advise: there are profiles of operations, and of the "
                                  "time of each")  # fmt: skip

    def _profile(self, cmd: str, options: Dict[str, Any]) -> GraphNodeProto:
        run = self._runs[max(self._runs)] if self._runs else None
        return profile(self._graph, run, self._op_log, cmd, options)
