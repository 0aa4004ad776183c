// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt --train-order-host-calls --split-input-file --verify-diagnostics %s
// RUN: not flywheel-opt --train-order-host-calls=for-object %S/Inputs/host-call.mlir 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not flywheel-opt --train-order-host-calls=device=cuda %S/Inputs/host-call.mlir 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not flywheel-compile %S/Inputs/host-call.mlir -o %t.o 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not flywheel-run %S/Inputs/host-call.mlir --entry step --feed x=1,2 2>&1 | FileCheck %s --check-prefix=NONE

// OBJECT: host-call.mlir:5:3: error: 'train.host_call' op of kind 'print' is not supported in an object file, which has no functions of the host: expected a step without it
// DEVICE: host-call.mlir:5:3: error: 'train.host_call' op of kind 'print' is not supported on the device 'cuda': expected the target cpu
// NONE: expected a function of the host that returns: it has failed, or the program that runs the step has none

func.func @strings(%x: tensor<2x!train.string>) {
  // expected-error@+1 {{'train.host_call' op expected tensors of integers or floating-point numbers, found 'tensor<2x!train.string>'}}
  train.host_call "print" 0(%x) : (tensor<2x!train.string>) -> ()
  return
}

// -----

train.variable @w : tensor<2xf32> init {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error@+1 {{'train.host_call' op expected an initial value to be computed without effects, found one that may have some}}
  train.host_call "print" 0(%x) : (tensor<2xf32>) -> ()
  train.yield %x : tensor<2xf32>
}

// -----

func.func @body(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %empty = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{'train.host_call' op is not supported inside of 'linalg.generic': expected branches and loops of scf around it}}
    train.host_call "print" 0(%y) : (tensor<f32>) -> ()
    linalg.yield %a : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @blocks(%x: tensor<2xf32>) {
  // expected-error@+1 {{'train.host_call' op expected a function of one block: use structured control flow}}
  train.host_call "print" 0(%x) : (tensor<2xf32>) -> ()
  cf.br ^next
^next:
  return
}
