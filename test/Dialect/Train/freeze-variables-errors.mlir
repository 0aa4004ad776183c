// REQUIRES: python
// RUN: %python %S/Inputs/write_checkpoint.py %t.safetensors
// RUN: split-file %s %t
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors variables=missing" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors variables=w" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors variables=mask" 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors variables=typo" 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not flywheel-opt %t/reads.mlir "--train-freeze-variables=checkpoint=%t.safetensors variables=counter" 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: not flywheel-opt %t/reads.mlir --train-freeze-variables 2>&1 | FileCheck %s --check-prefix=NO-PATH
// RUN: not flywheel-opt %t/reads.mlir --train-freeze-variables=checkpoint=%t.none 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not flywheel-opt %t/minimize.mlir --train-freeze-variables=checkpoint=%t.safetensors 2>&1 | FileCheck %s --check-prefix=MINIMIZE

// P14:
// MISSING: reads.mlir:2:1: error: cannot freeze variables: {{.*}}Key missing not found in checkpoint
// SHAPE: reads.mlir:1:1: error: cannot freeze variables: can't restore w from checkpoint '{{.*}}': the checkpoint's shape is [2], the variable's is [3]
// DTYPE: reads.mlir:3:1: error: cannot freeze variables: can't restore mask from checkpoint '{{.*}}': the checkpoint's dtype is bool, the variable's is int8
// TYPO: error: expected variables of the module to freeze, found 'typo'
// WRITTEN: reads.mlir:4:1: error: cannot freeze variable 'counter': expected that entries only read it
// WRITTEN: reads.mlir:13:3: note: found 'train.assign_add'
// NO-PATH: error: expected the path of a checkpoint to freeze variables from, found none
// NO-FILE: error: cannot freeze variables: {{.*}}.none
// MINIMIZE: error: 'train.minimize' op expected to be expanded before variables are frozen

//--- reads.mlir
train.variable @w : tensor<3xf32>
train.variable @missing : tensor<f32>
train.variable @mask : tensor<3xi8>
train.variable @counter : tensor<i32>
func.func @f() -> (tensor<3xf32>, tensor<f32>, tensor<3xi8>) {
  %w = train.read @w : tensor<3xf32>
  %missing = train.read @missing : tensor<f32>
  %mask = train.read @mask : tensor<3xi8>
  return %w, %missing, %mask : tensor<3xf32>, tensor<f32>, tensor<3xi8>
}
func.func @count() {
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @counter, %one : tensor<i32>
  return
}

//--- minimize.mlir
train.variable @w : tensor<2xf32>
func.func @f() {
  %w = train.read @w : tensor<2xf32>
  train.minimize %w : tensor<2xf32> with #train.sgd
  return
}
