// RUN: flywheel-compile %S/Inputs/step.mlir --target=cuda:sm_90a --emit=flywheel-loops -o - | FileCheck %s
// RUN: flywheel-compile %s --target=cuda:sm_90a --emit=flywheel-loops -o - | FileCheck %s --check-prefix=LOOP

// D9: A check is a launch that writes its number to a word of the device; no element is copied
// to the host in the whole step, which waits once, at its end. The values that the message
// names are computed where the check is known to have failed.
// CHECK-LABEL: func.func @step.kernel(
// CHECK-NOT: call @flywheel_gpu_read
// CHECK: %[[BYTES:.*]] = call @flywheel_gpu_status() : () -> memref<?xi8>
// CHECK: %[[WORD:.*]] = memref.view %[[BYTES]][%c0{{.*}}][] : memref<?xi8> to memref<i32>
// CHECK-NOT: call @flywheel_gpu_read
// CHECK: gpu.launch_func @kernels::@[[CHECK:[a-z_0-9]+]] blocks in (%c1, %c1, %c1) threads in (%c{{[0-9]+}}, %c1, %c1) args({{.*}}%[[WORD]] : memref<i32>
// CHECK-NOT: call @flywheel_gpu_read
// CHECK-NOT: cf.cond_br
// CHECK: gpu.launch_func {{.*}}%[[WORD]]
// CHECK: %[[STATUS:.*]] = call @flywheel_gpu_await(%c1_i32) : (i32) -> i32
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[STATUS]], %c0_i32
// CHECK: cf.cond_br %[[OK]], ^[[END:.*]], ^[[FAILED:.*]]
// CHECK: ^[[FAILED]]
// CHECK: call @flywheel_gpu_read(
// CHECK: call @flywheel_gpu_finish(%{{.*}}, %{{.*}}, %c1_i32)

// One thread writes the status, once the labels are looked at, and what follows does nothing where
// the check has failed, in the same launch too.
// CHECK: gpu.func @[[CHECK]](
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<i32>
// CHECK: }
// CHECK: gpu.barrier
// CHECK: %[[NOW:.*]] = memref.load %{{.*}}[] : memref<i32>
// CHECK: %[[STILL:.*]] = arith.cmpi eq, %[[NOW]], %c0_i32
// CHECK: scf.if %[[STILL]] {
// CHECK: gpu.func
// CHECK: %[[FOUND:.*]] = memref.load %{{.*}}[] : memref<i32>
// CHECK: %[[GO:.*]] = arith.cmpi eq, %[[FOUND]], %c0_i32
// CHECK: scf.if %[[GO]] {

// A loop whose end the host decides has it wait before: first for what has failed.
// LOOP-LABEL: func.func @until.kernel(
// LOOP: gpu.launch_func
// LOOP: call @flywheel_gpu_await(%c0_i32) : (i32) -> i32
// LOOP: cf.cond_br
// LOOP: scf.while
// LOOP: call @flywheel_gpu_read(
// LOOP-NOT: call @flywheel_gpu_await
module @model {
func.func @until(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %first = nn.gather %x, %i axis 0 : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  %0 = scf.while (%y = %first) : (tensor<f32>) -> tensor<f32> {
    %1 = arith.cmpf ogt, %y, %one : tensor<f32>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %y : tensor<f32>
  } do {
  ^bb0(%y: tensor<f32>):
    %3 = arith.mulf %y, %half : tensor<f32>
    scf.yield %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// If several elements decide, a launch reduces them to one number, in each iteration and for a branch: the
// host reads no other, and reads a single element as it is. It stops if the device has failed.
// LOOP-LABEL: func.func @several.kernel(
// LOOP: scf.while
// LOOP: gpu.launch_func
// LOOP-NOT: scf.condition
// LOOP: call @flywheel_gpu_read(%{{.*}}, %{{.*}}, %c1) : (index, index, index) -> ()
// LOOP-NEXT: %[[GOES_ON:.*]] = memref.load %{{.*}}[] : memref<i1>
// LOOP-NEXT: %[[FAILED:.*]] = func.call @flywheel_gpu_has_failed() : () -> i32
// LOOP-NEXT: %[[WORKING:.*]] = arith.cmpi eq, %[[FAILED]], %c0_i32 : i32
// LOOP-NEXT: %[[BOTH:.*]] = arith.andi %[[GOES_ON]], %[[WORKING]] : i1
// LOOP-NEXT: scf.condition(%[[BOTH]])
// LOOP: call @flywheel_gpu_read(%{{.*}}, %{{.*}}, %c1) : (index, index, index) -> ()
// LOOP: scf.if
// LOOP-NOT: call @flywheel_gpu_read
func.func @several(%x: tensor<4xf32>, %least: tensor<f32>) -> tensor<4xf32> {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = scf.while (%y = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = nn.reduce max %y axes [0] : tensor<4xf32> -> tensor<f32>
    %2 = tensor.extract %1[] : tensor<f32>
    %3 = tensor.extract %least[] : tensor<f32>
    %4 = arith.cmpf ogt, %2, %3 : f32
    scf.condition(%4) %y : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    %1 = arith.mulf %y, %half : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.extract %0[%c0] : tensor<4xf32>
  %second = tensor.extract %0[%c1] : tensor<4xf32>
  %is = arith.cmpf ogt, %first, %second : f32
  %5 = scf.if %is -> tensor<4xf32> {
    %6 = math.exp %0 : tensor<4xf32>
    scf.yield %6 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %5 : tensor<4xf32>
}

// A loop whose bounds are known ends without asking; one of which a bound is of the device asks.
// LOOP-LABEL: func.func @known.kernel(
// LOOP-NOT: has_failed
// LOOP: scf.for %{{.*}} = %c0 to %c9 step %c1 {
// LOOP-NOT: has_failed
// LOOP-LABEL: func.func @unknown.kernel(
// LOOP: %[[FAILED:.*]] = call @flywheel_gpu_has_failed() : () -> i32
// LOOP: %[[WORKING:.*]] = arith.cmpi eq, %[[FAILED]], %c0_i32 : i32
// LOOP: %[[END:.*]] = arith.select %[[WORKING]], %{{.*}}, %c0 : index
// LOOP: scf.for %{{.*}} = %c0 to %[[END]] step
func.func @known(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%y = %x) -> (tensor<4x4xf32>) {
    %1 = nn.matmul %y, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
func.func @unknown(%x: tensor<4x4xf32>, %n: tensor<index>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tensor.extract %n[] : tensor<index>
  %0 = scf.for %i = %c0 to %end step %c1 iter_args(%y = %x) -> (tensor<4x4xf32>) {
    %1 = nn.matmul %y, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
}
