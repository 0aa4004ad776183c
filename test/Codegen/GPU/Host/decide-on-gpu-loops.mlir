// RUN: flywheel-compile %s --target=cuda:sm_90a --emit=flywheel-loops -o - | FileCheck %s

// D9: The iter_args by which a loop carries its checks are in slots of the device: launches of the loop
// compute them, and the host reads nothing in it. Both checks come after it, each with a message of its
// own.
// CHECK-LABEL: func.func @carried.kernel(
// CHECK-NOT: call @flywheel_gpu_read
// CHECK: scf.for %{{[a-z0-9]+}} = %c0 to %c5 step %c1 {
// CHECK-NOT: call @flywheel_gpu_read
// CHECK: %[[STATUS:.*]] = call @flywheel_gpu_await(%c1_i32) : (i32) -> i32
// CHECK-NOT: call @flywheel_gpu_await
// CHECK: call @flywheel_gpu_read(
// CHECK: cf.switch %[[STATUS]]
module @carrying {
func.func @carried(%x: tensor<4xf32>, %i: tensor<5xi32>, %j: tensor<5xi32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %k = %c0 to %c5 step %c1 iter_args(%y = %zero) -> (tensor<f32>) {
    %first = tensor.extract_slice %i[%k] [1] [1] : tensor<5xi32> to tensor<i32>
    %second = tensor.extract_slice %j[%k] [1] [1] : tensor<5xi32> to tensor<i32>
    %1 = nn.gather %x, %first axis 0 : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
    %2 = nn.gather %x, %second axis 0 : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
    %3 = arith.mulf %1, %2 : tensor<f32>
    %4 = arith.addf %y, %3 : tensor<f32>
    scf.yield %4 : tensor<f32>
  }
  return %0 : tensor<f32>
}
}
