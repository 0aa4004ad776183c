# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that a step calls."""

from typing import Callable, List

from .annotations import Array

__all__ = ["HostFunctions"]


class HostFunctions:
    """The functions that the `train.host_call` ops of a module call, by their sites."""

    def __init__(self) -> None:
        self._functions: List[Callable[[List[Array]], List[Array]]] = []

    def __len__(self) -> int:
        return len(self._functions)

    def add(self, function: Callable[[List[Array]], List[Array]]) -> int:
        self._functions.append(function)
        return len(self._functions) - 1

    def __call__(self, site: int, arrays: List[Array]) -> List[Array]:
        return self._functions[site](arrays)
