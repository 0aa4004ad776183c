# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches of ONNX whose conditions are known."""

from typing import Any, List

from ._graph import Call, op
from ._known import Known


@op("If", attributes="then_branch else_branch", known=(0,))
def _if(call: Call, condition: Known) -> List[Any]:
    branch = "then_branch" if bool(condition.array.reshape(-1)[0]) else "else_branch"
    return call.interpreter.run_inner(call.graph(branch))
