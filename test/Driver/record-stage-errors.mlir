// RUN: flywheel-opt %s --split-input-file --verify-diagnostics --flywheel-record-stage=stage=flywheel-fuse
// RUN: not flywheel-opt %s "--flywheel-record-stage=stage=flywheel-expand settings=a=" 2>&1 | FileCheck %s --check-prefix=SETTINGS
// RUN: not flywheel-opt %s --flywheel-record-stage=stage=nope 2>&1 | FileCheck %s --check-prefix=NAME
// SETTINGS: error: expected attributes as 'settings', found 'a='
// NAME: error: expected the name of a stage as 'stage', found 'nope'; the stages are flywheel-expand, {{.*}}flywheel-llvm

// T3: any module that does not say what it has been through.
module {}

// -----

module attributes {train.compilation = {stage = "flywheel-linalg"}} {}

// -----

// expected-error @below {{stage 'flywheel-fuse': expected a module after stage 'flywheel-linalg', found a module after stage 'flywheel-functionalize'}}
module attributes {train.compilation = {stage = "flywheel-functionalize"}} {}

// -----

// expected-error @below {{stage 'flywheel-fuse': expected a module after stage 'flywheel-linalg', found a module after stage 'flywheel-fuse'}}
module attributes {train.compilation = {stage = "flywheel-fuse"}} {}

// -----

// expected-error @below {{stage 'flywheel-fuse': expected a module after stage 'flywheel-linalg', found a source}}
module {
  train.variable @w : tensor<2xf32> = #train.zeros
  func.func @f() -> tensor<2xf32> {
    %0 = train.read @w : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
