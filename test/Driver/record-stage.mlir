// RUN: flywheel-opt %s "--flywheel-record-stage=stage=first settings=a=1:i64,b=true" \
// RUN:   "--flywheel-record-stage=stage=second settings=b=false,c=2:i64" | FileCheck %s
// RUN: not flywheel-opt %s "--flywheel-record-stage=stage=first settings=a=" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR

// The last stage, and the options of all: those of a later stage replace
// earlier ones of the same name.
// CHECK: module attributes {train.compilation = {a = 1 : i64, b = false, c = 2 : i64, stage = "second"}}
// ERROR: error: expected attributes as 'settings', found 'a='
module {}
