# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the compiler says what each launch moves: check_described.py MODEL... prints how many kernels a model has
that are of more than one thread, each of which a remark is to say at least one byte of."""

import re
import subprocess
import sys
from pathlib import Path

KERNEL = re.compile(r"gpu.launch_func\s+@kernels::@(\w+) .* threads in \(%c(\d+)[,_]")
REMARK = re.compile(r"kernel '(\w+)': .* bytes read (\d+), written (\d+),")
for model in sys.argv[1:]:
    command = ["flywheel-compile", model, "--target=cuda:sm_90a", "--emit=flywheel-loops", "--report", "-o", "-"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    said = {name: int(read) + int(written) for name, read, written in REMARK.findall(found.stderr)}
    kernels = [name for name, threads in KERNEL.findall(found.stdout) if threads != "1"]
    silent = [name for name in kernels if said.get(name, 0) == 0]
    if silent or not kernels:
        sys.exit(f"{Path(model).name}: expected remarks on {kernels}, found none on {silent}")
    print(f"{Path(model).name}: {len(kernels)} kernels, all of them with their bytes")
