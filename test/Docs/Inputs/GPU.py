# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model that docs/Guides/GPU.md compiles: no GPU is needed.
import shutil

import flywheel

shutil.copy("examples/digits/digits.mlir", "digits.mlir")


def check():
    assert "train_step" in [entry.name for entry in program.entries]
