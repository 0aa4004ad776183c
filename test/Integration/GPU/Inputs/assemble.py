# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the device code of models: assemble.py PTXAS MODEL... prints, for each model
and chip, how many kernels there are, and what they use."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def device_code(module: str) -> str:
    """The PTX in the constant of a lowered module."""
    found = re.search(r'@flywheel\.gpu\.image\("(.*?)"\)', module, re.S)
    assert found, "expected an image of device code"
    plain = {"\\\\": "\\", "\\n": "\n", "\\t": "\t", '\\"': '"'}
    text = re.sub(r'\\([0-9A-F]{2}|[\\nt"])', lambda m: plain.get(m[0]) or chr(int(m[1], 16)), found[1])
    return text.rstrip("\0")


def assemble(ptxas: str, model: str, chip: str) -> str:
    command = ["flywheel-compile", model, f"--target=cuda:{chip}", "--emit=flywheel-llvm", "-o", "-"]
    ptx = device_code(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert ".extern .func" not in ptx, "a call of a library"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.ptx"
        path.write_text(ptx)
        said = subprocess.run(
            [ptxas, f"-arch={chip}", "-v", "-O1", str(path), "-o", str(path.with_suffix(".cubin"))],
            check=True, capture_output=True, text=True).stderr  # fmt: skip
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", said)]
    spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", said))
    shared = [int(n) for n in re.findall(r"(\d+) bytes smem", said)]
    # A block of 256 threads fits with 255; what every chip has.
    assert max(registers) <= 224 and max(shared, default=0) <= 48 * 1024, said
    return (f"{len(registers)} kernels, {spilled} bytes spilled, at most {max(registers)} registers "
            f"and {max(shared, default=0)} bytes of workgroup memory")  # fmt: skip


for model in sys.argv[2:]:
    for chip in ("sm_80", "sm_90a"):
        print(f"{Path(model).name} {chip}: {assemble(sys.argv[1], model, chip)}", flush=True)
