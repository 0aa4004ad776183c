# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of arguments."""

import os
from typing import Any, Union

from numpy.typing import NDArray

Array = NDArray[Any]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

