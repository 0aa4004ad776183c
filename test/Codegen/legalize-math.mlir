// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s --flywheel-legalize-math | FileCheck %s

// CHECK-LABEL: func.func @clamp(
// CHECK-SAME: %[[X:.*]]: f32, %[[LOW:.*]]: f32, %[[HIGH:.*]]: f32
// CHECK: %[[Y:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK: arith.minimumf %[[Y]], %[[HIGH]]
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 {
  %0 = math.clampf %x to [%low, %high] : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @power(
// CHECK-SAME: %[[X:.*]]: f64, %[[N:.*]]: i32
// CHECK: %[[P:.*]] = arith.sitofp %[[N]] : i32 to f64
// CHECK: math.powf %[[X]], %[[P]] : f64
func.func @power(%x: f64, %n: i32) -> f64 {
  %0 = math.fpowi %x, %n : f64, i32
  return %0 : f64
}

// An exponent that f32 would round: its parity must survive.
// CHECK-LABEL: func.func @wide_exponent(
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: math.powf %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @wide_exponent(%x: f32, %n: i32) -> f32 {
  %0 = math.fpowi %x, %n : f32, i32
  return %0 : f32
}
