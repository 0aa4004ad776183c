// RUN: flywheel-compile --cost --entries=lazy,exact %s | FileCheck %s
// RUN: flywheel-compile --cost=json %s -o %t.json && FileCheck %s --check-prefix=FILE < %t.json

// FILE: "title": "after optimization"

// F1: what a table takes whose gradient is rows: the rule for each element of the rows, with
// `all` of the table, and the sum of rows of one index, less one row.
train.variable @table : tensor<100000x64xf32> = #train.random_normal

// CHECK:       cost before optimization
// CHECK:       cost after optimization
// CHECK-NEXT:  @lazy
// CHECK-NEXT:  forward
// CHECK-NEXT:  backward  {{[0-9]+}} FLOP
// Gradient descent takes a product and a difference of 1024 * 64 elements; indices and
// their order are read, the gradient is, and the rows of the table are read and written:
// 1024 * (4 + 8) + 3 * 262144.
// CHECK-NEXT:  update    131072 FLOP, 798720 bytes
// CHECK:       update    {{.*}}rows.mlir:[[#@LINE+10]]:3: train.minimize: 131072 FLOP, 798720 bytes
// CHECK-NOT:   counted 0
// CHECK:       @exact
func.func @lazy(%ids: tensor<1024xi32>) -> tensor<f32> {

  %t = train.read @table : tensor<100000x64xf32>
  %e = nn.gather %t, %ids axis 0 : (tensor<100000x64xf32>, tensor<1024xi32>) -> tensor<1024x64xf32>
  %s = arith.mulf %e, %e : tensor<1024x64xf32>
  %l = nn.reduce sum %s axes [0, 1] : tensor<1024x64xf32> -> tensor<f32>

  train.minimize %l : tensor<f32> with #train.gradient_descent<lr = 0.1>
  return %l : tensor<f32>
}

// A momentum moves all rows: 6400000 elements.
// CHECK-NEXT:  forward
// CHECK-NEXT:  backward
// CHECK-NEXT:  update    {{25600000|19200000|32000000}} FLOP
func.func @exact(%ids: tensor<1024xi32>) -> tensor<f32> {
  %t = train.read @table : tensor<100000x64xf32>
  %e = nn.gather %t, %ids axis 0 : (tensor<100000x64xf32>, tensor<1024xi32>) -> tensor<1024x64xf32>
  %s = arith.mulf %e, %e : tensor<1024x64xf32>
  %l = nn.reduce sum %s axes [0, 1] : tensor<1024x64xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
  return %l : tensor<f32>
}
