# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model of docs/Cost.md, and what it costs there.
import shutil

import flywheel

shutil.copy("examples/digits/digits.mlir", "model.mlir")


def check():
    flops = cost["before"]["entries"][0]["once"]["backward"]["flops"]
    assert flops > 2 * 32 * 64 * 128, flops
