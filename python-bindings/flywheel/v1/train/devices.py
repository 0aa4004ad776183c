# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where variables of several machines are recorded to be."""

from typing import Any

from ..operation import Operation


def replica_device_setter(
    ps_tasks: int = 0, ps_device: str = "/job:ps", worker_device: str = "/job:worker", merge_devices: bool = True,
    cluster: Any = None, ps_ops: Any = None, ps_strategy: Any = None,
) -> Any:  # fmt: skip
    """A device function: variables go to the ps tasks in turn, all else to workers."""
    if cluster is not None:
        ps_tasks = len((cluster if isinstance(cluster, dict) else cluster.as_dict()).get("ps", []))
    if ps_tasks == 0:
        return None
    kinds = ps_ops or ("VariableV2",)
    count = [0]

    def device(op: Operation) -> str:
        if op.type not in kinds or not op.attrs.get("is_ref"):
            return worker_device
        if "/job:" in op.device and ps_device not in op.device:
            return op.device
        task = ps_strategy(op) if ps_strategy is not None else count[0] % ps_tasks
        count[0] += 1
        return f"{ps_device}/task:{task}"

    return device
