// RUN: flywheel-opt %s "--flywheel-record-stage=stage=flywheel-expand settings=check_numerics=true,cpu=\"haswell\"" \
// RUN:   "--flywheel-record-stage=stage=flywheel-autodiff settings=check_numerics=true,cpu,threads=2:i64" | FileCheck %s

// The last stage, and the options of all. No pass of the second one depends on
// the CPU: it does not need to know, and that of the first one stays.
// CHECK: module attributes {train.compilation = {check_numerics = true, cpu = "haswell", stage = "flywheel-autodiff", threads = 2 : i64}}
module {}
