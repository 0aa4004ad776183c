// RUN: flywheel-opt %s --flywheel-outline-gpu-kernels | FileCheck %s

// Kernels are named by their ops; constants and sizes are not arguments.
// CHECK: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @step.kernel(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>)
// CHECK: gpu.launch_func @kernels::@step_relu_0 blocks in ({{.*}}) threads in ({{.*}}) args(%[[X]] : memref<?xf32>)
// CHECK: gpu.launch_func @kernels::@step_store_1 blocks
// CHECK: gpu.module @kernels
// CHECK: gpu.func @step_relu_0(%[[OWN:.*]]: memref<?xf32>) kernel
// CHECK-DAG: memref.dim %[[OWN]]
// CHECK-DAG: arith.constant 0.000000e+00 : f32
// CHECK: gpu.func @step_store_1(
func.func @step.kernel(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  gpu.launch blocks(%a, %b, %c) in (%g = %c1, %h = %c1, %i = %c1) threads(%d, %e, %f) in (%j = %c1, %k = %c1, %l = %c1) {
    scf.for %m = %c0 to %n step %c1 {
      memref.store %zero, %x[%m] : memref<?xf32>
    }
    gpu.terminator
  } loc(fused<"nn.relu">["model.mlir":3:8])
  gpu.launch blocks(%a, %b, %c) in (%g = %c1, %h = %c1, %i = %c1) threads(%d, %e, %f) in (%j = %c1, %k = %c1, %l = %c1) {
    memref.store %zero, %x[%c0] : memref<?xf32>
    gpu.terminator
  } loc(fused<"my.store">["model.mlir":4:8])
  return
}

// A kernel with much workgroup memory has as many registers as leave room for a
// second block: ptxas does not spill some for a third one.
// CHECK: gpu.func @large_store_0({{.*}}) workgroup({{.*}} : memref<36864xi8, #gpu.address_space<workgroup>>{{.*}}) kernel attributes {{{.*}}nvvm.minctasm = 2 : i32
// CHECK: gpu.func @large_store_1(
// CHECK-NOT: nvvm.minctasm
func.func @large.kernel(%x: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  gpu.launch blocks(%a, %b, %c) in (%g = %c1, %h = %c1, %i = %c1) threads(%d, %e, %f) in (%j = %c1, %k = %c1, %l = %c1)
      workgroup(%own : memref<36864xi8, #gpu.address_space<workgroup>>) {
    memref.store %zero, %own[%c0] : memref<36864xi8, #gpu.address_space<workgroup>>
    gpu.terminator
  } loc(fused<"my.store">["model.mlir":3:8])
  gpu.launch blocks(%a, %b, %c) in (%g = %c1, %h = %c1, %i = %c1) threads(%d, %e, %f) in (%j = %c1, %k = %c1, %l = %c1)
      workgroup(%own : memref<1024xi8, #gpu.address_space<workgroup>>) {
    memref.store %zero, %own[%c0] : memref<1024xi8, #gpu.address_space<workgroup>>
    gpu.terminator
  } loc(fused<"my.store">["model.mlir":4:8])
  return
}
