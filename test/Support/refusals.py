# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of tests of errors."""

from typing import Any, Callable, Type

__all__ = ["refuses"]


def refuses(kind: Type[Exception], text: str, action: Callable[[], Any]) -> None:
    """Raises AssertionError unless the action raises an error of this class whose text has `text`."""
    try:
        action()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"expected a {kind.__name__}: {text}")
