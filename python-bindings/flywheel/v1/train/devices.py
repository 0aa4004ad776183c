# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Placement of variables on several machines, which is recorded only."""

from typing import Any, Dict, List, Mapping, Sequence, Union

from ..operation import Operation

Tasks = Union[Sequence[str], Mapping[int, str], int]


class ClusterSpec:
    """Jobs of a cluster, each with the addresses of its tasks: a list, a dict from their numbers, or how many.

    Raises TypeError for a cluster of another form. The addresses are recorded; one process stands for all.
    """

    def __init__(self, cluster: Union["ClusterSpec", Mapping[str, Tasks]]):
        self._jobs: Dict[str, Dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
            return
        if not isinstance(cluster, Mapping):
            raise TypeError(f"expected a cluster that is a dict from jobs to tasks, found {cluster!r}")
        for job, tasks in cluster.items():
            if isinstance(tasks, int):
                self._jobs[job] = {task: "" for task in range(tasks)}
            elif isinstance(tasks, Mapping):
                self._jobs[job] = {int(task): str(tasks[task]) for task in sorted(tasks)}
            elif isinstance(tasks, (list, tuple)):
                self._jobs[job] = dict(enumerate(map(str, tasks)))
            else:
                raise TypeError(f"expected the tasks of job '{job}' to be a list or a dict, found {tasks!r}")

    @property
    def jobs(self) -> List[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Returns the number of tasks of a job. Raises ValueError for an unknown job."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> List[int]:
        """Returns the numbers of the tasks of a job. Raises ValueError for an unknown job."""
        return list(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task. Raises ValueError for a job or task that is not there."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index} in job {job_name!r}: it has {sorted(tasks)}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> List[str]:
        """The addresses of the tasks of a job. Raises ValueError for a job that is not there."""
        return list(self._tasks(job_name).values())

    def as_dict(self) -> Dict[str, List[str]]:
        """The addresses of all tasks, by job."""
        return {job: list(tasks.values()) for job, tasks in self._jobs.items()}

    def _tasks(self, job: str) -> Dict[int, str]:
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}; it has {self.jobs}")
        return self._jobs[job]


def replica_device_setter(
    ps_tasks: int = 0, ps_device: str = "/job:ps", worker_device: str = "/job:worker", merge_devices: bool = True,
    cluster: Any = None, ps_ops: Any = None, ps_strategy: Any = None,
) -> Any:  # fmt: skip
    """A device function: variables go to the ps tasks in turn, or where `ps_strategy` says, all else to
    workers (D4). `cluster`, a ClusterSpec or what makes one, says how many tasks there are."""
    if cluster is not None:
        job = ps_device.partition("/job:")[2].partition("/")[0]
        ps_tasks = len(ClusterSpec(cluster).as_dict().get(job, []))
    if ps_tasks == 0:
        return None
    kinds = ps_ops or ("VariableV2",)
    count = [0]

    def device(op: Operation) -> str:
        if op.device and not merge_devices:
            return op.device
        if op.type not in kinds or not op.fields.is_ref:
            return worker_device
        if "/job:" in op.device and ps_device not in op.device:
            return op.device
        task = ps_strategy(op) if ps_strategy is not None else count[0] % ps_tasks
        count[0] += 1
        return f"{ps_device}/task:{task}"

    return device
