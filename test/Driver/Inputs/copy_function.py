# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a file with COUNT copies of its function `f`, under other names.

usage: copy_function.py FILE COUNT
"""

import re
import sys
from pathlib import Path

text = re.sub(r"^// .*\n", "", Path(sys.argv[1]).read_text(), flags=re.MULTILINE)
head, function = text.split("func.func @f(")
print(head + "\n".join(f"func.func @f{i}({function}" for i in range(int(sys.argv[2]))))
