# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warnings about assignments of one run of which a later one replaces what an earlier one has computed."""

from typing import Dict, List, Sequence

from .._core.trace import warn_user
from .emission import ancestors
from .operation import Operation


def warn_of_lost_updates(needed: Sequence[Operation]) -> None:
    """Warns of each variable that two ops of a run assign, the second from the value at the start of the run: what the
    first has assigned is lost. TensorFlow leaves that order open, and updates of optimizers add up there."""
    writes: Dict[str, List[Operation]] = {}
    for op in sorted(needed, key=lambda op: op.id):
        if op.type != "Initialize" and op.context is None:
            for variable in op.fields.writes:
                writes.setdefault(variable.op_name, []).append(op)
    for name, ops in writes.items():
        for before, op in zip(ops, ops[1:]):
            if op.type != "Assign":
                continue
            sources = ancestors([op], by_data=True)
            reads = [a.type for a in sources if a.fields.variable is not None and a.fields.variable.op_name == name]
            if before not in sources and "VariableV2" in reads and "ReadValue" not in reads:
                warn_user(
                    f"'{op.name}' computes '{name}' from its value at the start of the run, and replaces what "
                    f"'{before.name}' assigns to it in the same run: run them one after the other, or read by "
                    f"read_value() in a block that waits for '{before.name}'", UserWarning)  # fmt: skip
