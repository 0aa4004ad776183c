# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Managers of checkpoints."""

from typing import Any, Optional

from .. import _flywheel
from .._core.argument_checks import flag, integer, number, text
from .._errors.hints import ConstructorSignature, check_keywords
from .._errors.messages import wrong

__all__ = ["CheckpointManager"]


class CheckpointManager(_flywheel.CheckpointManager):
    """Saves checkpoints of a session or a store by step, keeps the newest, and records them in the state file of their
    directory.

    `max_to_keep`: how many files stay; None or 0 keeps all and records the last alone. `keep_checkpoint_every_n_hours`:
    in each period of this many hours, one of the files that would be deleted is kept for good. `pad_step_number`: write
    steps with at least 8 digits. `state_file`: a name without path components. Raises TypeError and ValueError for
    other values.
    """

    __signature__ = ConstructorSignature()

    def __new__(cls, *given: Any, **named: Any) -> "CheckpointManager":
        check_keywords(cls.__init__, cls.__name__, named, skip=1)
        if given:
            raise wrong(TypeError, "arguments by keyword,", repr(given[0]), function=cls.__name__,
                        hint=f": write {cls.__name__}(max_to_keep={given[0]!r})")  # fmt: skip
        return super().__new__(cls)

    def __init__(
        self,
        *,
        max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        pad_step_number: bool = False,
        state_file: str = "checkpoint",
    ) -> None:
        count = None if max_to_keep is None else integer("max_to_keep", max_to_keep)
        if count is not None and count < 0:
            raise wrong(ValueError, "a number of files, 0 or more, or None", repr(max_to_keep), "max_to_keep")
        super().__init__(
            max_to_keep=count,
            keep_checkpoint_every_n_hours=number("keep_checkpoint_every_n_hours", keep_checkpoint_every_n_hours),
            pad_step_number=flag("pad_step_number", pad_step_number),
            state_file=text("state_file", state_file),
        )
