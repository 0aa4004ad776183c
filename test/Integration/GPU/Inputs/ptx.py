# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device code of models, and what ptxas says of it."""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, NamedTuple


class Use(NamedTuple):
    """The resources of a kernel: registers of a thread, bytes that it spills, and bytes of workgroup memory."""

    registers: int
    spilled: int
    shared: int


def device_code(module: str) -> str:
    """The PTX in the constant of a lowered module."""
    found = re.search(r'@flywheel\.gpu\.image\("(.*?)"\)', module, re.S)
    assert found, "expected an image of device code"
    plain = {"\\\\": "\\", "\\n": "\n", "\\t": "\t", '\\"': '"'}
    text = re.sub(r'\\([0-9A-F]{2}|[\\nt"])', lambda m: plain.get(m[0]) or chr(int(m[1], 16)), found[1])
    return text.rstrip("\0")


def assemble(ptxas: str, model: str, chip: str, level: str) -> Dict[str, Use]:
    """Returns the resources of each kernel of the file `model` on `chip`, at that level of optimization."""
    command = ["flywheel-compile", model, f"--target=cuda:{chip}", "--emit=flywheel-llvm", "-o", "-"]
    ptx = device_code(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert ".extern .func" not in ptx, "a call of a library"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.ptx"
        path.write_text(ptx)
        said = subprocess.run(
            [ptxas, f"-arch={chip}", "-v", level, str(path), "-o", str(path.with_suffix(".cubin"))],
            check=True, capture_output=True, text=True).stderr  # fmt: skip
    # The part of the text that is of a kernel begins with its name.
    table = {}
    for name, text in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", said, re.S):
        found = [re.search(pattern, text) for pattern in (
            r"Used (\d+) registers", r"(\d+) bytes spill stores", r"(\d+) bytes smem")]  # fmt: skip
        table[name] = Use(*(int(number[1]) if number else 0 for number in found))
    assert table, said
    return table
