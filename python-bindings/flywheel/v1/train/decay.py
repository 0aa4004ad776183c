# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates that change with the global step."""

from typing import Any

from ... import _dtypes
from ..ops import TABLE, cast


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: Any = None
) -> Any:
    """learning_rate decay_rate^(global_step / decay_steps)."""
    share = cast(global_step, _dtypes.float32) / float(decay_steps)
    return TABLE["pow"](float(decay_rate), TABLE["floor"](share) if staircase else share) * learning_rate
