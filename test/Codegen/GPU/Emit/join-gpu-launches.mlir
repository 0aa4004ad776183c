// RUN: flywheel-opt %s --flywheel-join-gpu-launches | FileCheck %s

// D9: Launches of one block that follow each other are one, with a barrier between; one
// thread does what a launch of one thread did, and threads that ask how many they are may
// be more.
// CHECK-LABEL: func.func @alone(
// CHECK: gpu.launch
// CHECK-SAME: in (%{{.*}} = %c128{{.*}}, %{{.*}} = %c1, %{{.*}} = %c1) {
// CHECK: gpu.block_dim
// CHECK: gpu.barrier
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK-NOT: gpu.barrier
// CHECK: gpu.launch
// CHECK-SAME: in (%{{.*}} = %c256, %{{.*}} = %c1, %{{.*}} = %c1) {
// CHECK-LABEL: func.func @grown(
// CHECK: gpu.launch
// CHECK-SAME: in (%{{.*}} = %c256{{.*}}, %{{.*}} = %c1, %{{.*}} = %c1) {
// CHECK: gpu.block_dim
// CHECK: gpu.barrier
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func.func @apart(
func.func @alone(%x: memref<64xf32>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c128, %s = %c1, %t = %c1) {
    %d = gpu.block_dim x
    %e = gpu.thread_id x
    scf.for %a = %e to %c64 step %d {
      memref.store %zero, %x[%a] : memref<64xf32>
    }
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    memref.store %zero, %y[] : memref<f32>
    gpu.terminator
  }
  // More threads than those that the joined launch may have.
  %view = memref.expand_shape %x [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c256, %s = %c1, %t = %c1) {
    memref.store %zero, %view[%c0, %o] : memref<8x8xf32>
    gpu.terminator
  }
  return
}

func.func @grown(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c128, %s = %c1, %t = %c1) {
    %d = gpu.block_dim x
    %e = gpu.thread_id x
    scf.for %a = %e to %c64 step %d {
      memref.store %zero, %x[%a] : memref<64xf32>
    }
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c256, %s = %c1, %t = %c1) {
    scf.for %a = %o to %c64 step %c256 {
      memref.store %zero, %y[%a] : memref<64xf32>
    }
    gpu.terminator
  }
  return
}

// Not joined: launches with more blocks, with reads of the host between, and with threads that
// count on their number.
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK: memref.load
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-NOT: gpu.launch
func.func @apart(%x: memref<64xf32>, %y: memref<f32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%i, %j, %k) in (%l = %c2, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    memref.store %zero, %x[%i] : memref<64xf32>
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    memref.store %zero, %y[] : memref<f32>
    gpu.terminator
  }
  %found = memref.load %y[] : memref<f32>
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c128, %s = %c1, %t = %c1) {
    gpu.barrier
    memref.store %zero, %x[%o] : memref<64xf32>
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c256, %s = %c1, %t = %c1) {
    memref.store %zero, %y[] : memref<f32>
    gpu.terminator
  }
  return %found : f32
}

// Launches of one thread need no barrier between: it would be waited for by one thread of
// the several that a later one has.
// CHECK-LABEL: func.func @threads(
// CHECK: gpu.launch
// CHECK-SAME: in (%{{.*}} = %c128{{.*}}, %{{.*}} = %c1, %{{.*}} = %c1) {
// CHECK: scf.if
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
func.func @threads(%x: memref<128xf32>, %y: memref<f32>, %z: memref<f32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    memref.store %zero, %y[] : memref<f32>
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    %found = memref.load %y[] : memref<f32>
    memref.store %found, %z[] : memref<f32>
    gpu.terminator
  }
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c128, %s = %c1, %t = %c1) {
    gpu.barrier
    memref.store %zero, %x[%o] : memref<128xf32>
    gpu.terminator
  }
  return
}
