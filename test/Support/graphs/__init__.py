# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random training graphs: as modules of this compiler, and as PyTorch functions.

`generate(seed)` makes a graph; `graphs.ops` is the table of what it is made of.
"""

from graphs import layers
from graphs.generator import generate
from graphs.graph import Graph, Node

__all__ = ["Graph", "Node", "generate", "layers"]
