// RUN: not flywheel-opt %s --train-select-entries=entries=predict,typo 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not flywheel-opt %s --train-select-entries=entries=helper 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: not flywheel-opt %s --train-select-entries=entries=external 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not flywheel-opt %s --train-select-entries=entries=v 2>&1 | FileCheck %s --check-prefix=VARIABLE

// T11, T3:
// TYPO: error: expected entries of the module, found 'typo'; its entries are: predict, other
// PRIVATE: error: expected entries of the module, found 'helper'
// EXTERNAL: error: expected entries of the module, found 'external'
// VARIABLE: error: expected entries of the module, found 'v'
train.variable @v : tensor<f32>
func.func private @helper() {
  return
}
func.func private @external()
func.func @predict() {
  return
}
func.func @other() {
  return
}
