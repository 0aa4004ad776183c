# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The model of docs/Guides/Threads.md.
import shutil

import flywheel

shutil.copy("examples/digits/digits.mlir", "model.mlir")


def check():
    assert program.threads == 4 and session.threads == 2
    assert step.trace().program.threads == 2
    # The result of one thread, to rounding.
    with fw.Store(seed=0):
        before = w.numpy()
        found = step(x)
    np.testing.assert_allclose(found, np.mean(np.tanh(x @ before) ** 2), rtol=1e-5)
