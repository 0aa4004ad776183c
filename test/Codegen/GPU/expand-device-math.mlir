// RUN: flywheel-opt %s --flywheel-expand-device-math | FileCheck %s

// In launches only: the host has a library.
// CHECK-LABEL: func.func @f(
// CHECK: gpu.launch
// CHECK-NOT: math.powf
// CHECK-NOT: math.rsqrt
// CHECK-NOT: math.log1p
// CHECK: math.log %{{.*}} : f64
// CHECK: math.exp %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: gpu.terminator
// CHECK: math.powf
func.func @f(%x: memref<2xf32>, %y: memref<2xf64>, %a: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    %0 = memref.load %x[%c0] : memref<2xf32>
    %1 = math.powf %0, %0 : f32
    %2 = math.rsqrt %1 : f32
    memref.store %2, %x[%c0] : memref<2xf32>
    %3 = memref.load %y[%c0] : memref<2xf64>
    %4 = math.log1p %3 : f64
    memref.store %4, %y[%c0] : memref<2xf64>
    gpu.terminator
  }
  %z = math.powf %a, %a : f32
  return %z : f32
}
