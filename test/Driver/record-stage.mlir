// RUN: flywheel-opt %s "--flywheel-record-stage=stage=flywheel-expand settings=a=1:i64,b=true" \
// RUN:   "--flywheel-record-stage=stage=flywheel-autodiff settings=b=false,c=2:i64" | FileCheck %s

// The last stage, and the options of all: those of a later stage replace
// earlier ones of the same name.
// CHECK: module attributes {train.compilation = {a = 1 : i64, b = false, c = 2 : i64, stage = "flywheel-autodiff"}}
module {}
