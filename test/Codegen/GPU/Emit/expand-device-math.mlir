// RUN: flywheel-opt %s --flywheel-expand-device-math --split-input-file | FileCheck %s

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

// -----

// A sine of f32 is computed in f32 where its argument is small, elsewhere in f64: up to 2^27
// by pi / 2 in three parts, beyond by the bits of 2 / pi that count, as integers.
// CHECK-LABEL: func.func @sine(
// CHECK-NOT: math.sin
// CHECK: %[[SMALL:.*]] = arith.cmpf ole, %{{.*}}, %{{.*}} : f32
// CHECK: scf.if %[[SMALL]] -> (f32)
// CHECK: else
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: scf.if %{{.*}} -> (i64, f64, f64)
// CHECK: else
// CHECK: arith.mului_extended %{{.*}} : i64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: gpu.terminator
func.func @sine(%x: memref<f32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    %0 = memref.load %x[] : memref<f32>
    %1 = math.sin %0 : f32
    memref.store %1, %x[] : memref<f32>
    gpu.terminator
  }
  return
}

// -----

// Functions for which flywheel-expand-math has a polynomial of f32 are left to it; 16 bits are f32.
// CHECK-LABEL: func.func @others(
// CHECK: math.tanh %{{.*}} : f32
// CHECK: math.erf %{{.*}} : f32
// CHECK: math.tanh %{{.*}} : f64
// CHECK-NOT: math.{{(sinh|acos|erf|atan2)}}
// CHECK: gpu.terminator
func.func @others(%x: memref<f32>, %y: memref<f64>, %z: memref<f16>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%i, %j, %k) in (%l = %c1, %m = %c1, %n = %c1) threads(%o, %p, %q) in (%r = %c1, %s = %c1, %t = %c1) {
    %0 = memref.load %x[] : memref<f32>
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    memref.store %2, %x[] : memref<f32>
    %3 = memref.load %y[] : memref<f64>
    %4 = math.tanh %3 : f64
    %5 = math.erf %4 : f64
    %6 = math.sinh %5 : f64
    %7 = math.acos %6 : f64
    %8 = math.atan2 %7, %3 : f64
    memref.store %8, %y[] : memref<f64>
    %9 = memref.load %z[] : memref<f16>
    %10 = math.sinh %9 : f16
    memref.store %10, %z[] : memref<f16>
    gpu.terminator
  }
  return
}
