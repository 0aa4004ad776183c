# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A session that docs/Guides/Checkpoints.md takes for granted.
import os
import warnings

import flywheel

session = flywheel.Session(
    flywheel.compile("""
train.variable @w : tensor<2x2xf32> = dense<1.0> : tensor<2x2xf32>
train.variable @b : tensor<2xf32> = #train.zeros
train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
func.func @value() -> tensor<2x2xf32> {
  %w = train.read @w : tensor<2x2xf32>
  return %w : tensor<2x2xf32>
}
""")
)
session.initialize(seed=1)
os.mkdir("run")


def check():
    assert flywheel.latest_checkpoint("run") == "run/model-9000"
    kept = flywheel.get_checkpoint_state("run").all_model_checkpoint_paths
    assert kept == [f"run/model-{n}" for n in range(5000, 10000, 1000)], kept
