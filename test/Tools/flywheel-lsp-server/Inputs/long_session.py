# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a session of long documents: each message, and what the server says of each, is more than a pipe holds."""

import json
from typing import Any


def say(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), end="\n// -----\n")


say(id=0, method="initialize", params={"processId": 1, "rootPath": "mlir", "capabilities": {}, "trace": "off"})
# Each module has an error of its own.
module = "func.func @f() {\n  %0 = train.read @" + "w" * 500 + " : tensor<f32>\n  return\n}\n"
text = "// -----\n".join([module] * 400)
for number in range(4):
    document = {"uri": f"test:///{number}.mlir", "languageId": "mlir", "version": 1, "text": text}
    say(method="textDocument/didOpen", params={"textDocument": document})
say(id=1, method="shutdown")
print(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
