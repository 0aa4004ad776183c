# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the device code of models: assemble.py PTXAS PEERS MODEL... prints, for each model, a
file or a row of the benchmarks in the folder PEERS, and each chip, what each kernel uses, and how
many kernels there are. None may spill, nor use more registers than leave room for two blocks."""

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
    # The part of the text that is of a kernel begins with its name.
    table = {}
    for name, text in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", said, re.S):
        found = [re.search(pattern, text) for pattern in (
            r"Used (\d+) registers", r"(\d+) bytes spill stores", r"(\d+) bytes smem")]  # fmt: skip
        table[name] = [int(number[1]) if number else 0 for number in found]
    assert table, said
    for name, (count, spills, bytes_shared) in table.items():
        print(f"  {name:44} {count:4} registers {spills:4} bytes spilled {bytes_shared:6} bytes of workgroup memory")
    registers, spilled, shared = (list(column) for column in zip(*table.values()))
    # 65536 registers of a multiprocessor are 128 for each thread of two blocks; 48 KB are what every chip has.
    assert max(registers) <= 128 and sum(spilled) == 0 and max(shared) <= 48 * 1024, table
    spilled = sum(spilled)
    return (f"{len(registers)} kernels, {spilled} bytes spilled, at most {max(registers)} registers "
            f"and {max(shared)} bytes of workgroup memory")  # fmt: skip


sys.path.insert(0, sys.argv[2])
for model in sys.argv[3:]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(model)
        if not path.exists():
            import ours  # type: ignore[import-not-found]
            import rows  # type: ignore[import-not-found]

            path = Path(folder) / f"{model}.mlir"
            path.write_text(ours.module_text(getattr(rows, model)()))
        for chip in ("sm_80", "sm_90a"):
            print(f"{path.name} {chip}: {assemble(sys.argv[1], str(path), chip)}", flush=True)
