# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: tests of sparse tensors ask Theano's backend, which is not there, if it has sparse tensors,
too."""

from types import SimpleNamespace
from typing import Any, List


def pytest_collection_modifyitems(items: List[Any]) -> None:
    for module in {item.module for item in items if hasattr(item, "module")}:
        if getattr(module, "KTH", 0) is None:
            module.KTH = SimpleNamespace(th_sparse_module=None)
