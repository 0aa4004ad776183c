# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how the block of a manifest with named bounds compares with another's."""

import json
import sys
from pathlib import Path

one, other = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:])
entry = next(entry for entry in one["entries"] if entry["name"] == "step")
print("bounds", ", ".join(str(bound) for bound in entry["max_dim_sizes"]))
if one["c_state_bytes"] * 16 < other["c_state_bytes"]:
    print("less than a sixteenth")
else:
    print(one["c_state_bytes"], "and", other["c_state_bytes"])
