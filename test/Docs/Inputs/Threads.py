# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model of docs/Threads.md.
import shutil

import flywheel

shutil.copy("examples/digits/digits.mlir", "model.mlir")


def check():
    assert program.threads == 4 and session.threads == 2
