# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The graph of docs/Guides/CostAndProfile.md.
import numpy as np

import flywheel.v1

v = flywheel.v1.Variable(np.ones((16, 16), np.float32))
train_op = flywheel.v1.assign(v, flywheel.v1.matmul(v, v))
feed_dict, sess = None, flywheel.v1.Session()
sess.run(flywheel.v1.global_variables_initializer())


def check():
    assert any("MatMul" in node.timeline_label for node in metadata.step_stats.dev_stats[0].node_stats)
    assert profile.kernels[0].seconds > 0 and set(profile.entries[0].phases) == {
        "forward", "backward", "update", "other"}  # fmt: skip
