// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s --flywheel-legalize-conversions | FileCheck %s

// X18. Both bounds are numbers of f32.
// CHECK-LABEL: func.func @short(
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK: %[[LOW:.*]] = arith.constant dense<-1.280000e+02>
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]]
// CHECK: %[[A:.*]] = arith.select %[[ABOVE]], %[[X]], %[[LOW]]
// CHECK: %[[HIGH:.*]] = arith.constant dense<1.270000e+02>
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[A]], %[[HIGH]]
// CHECK: %[[B:.*]] = arith.select %[[BELOW]], %[[A]], %[[HIGH]]
// CHECK: %[[I:.*]] = arith.fptosi %[[B]] : vector<8xf32> to vector<8xi8>
// CHECK: %[[IS_NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK: arith.select %[[IS_NAN]], %{{.*}}, %[[I]]
// EXAMPLE: --flywheel-legalize-conversions
func.func @short(%x: vector<8xf32>) -> vector<8xi8> {
  %0 = arith.fptosi %x : vector<8xf32> to vector<8xi8>
  return %0 : vector<8xi8>
}

// f32 does not have the highest integer; a NaN becomes 0, as do lower numbers.
// CHECK-LABEL: func.func @long(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[A:.*]] = arith.select %{{.*}}, %[[X]], %[[ZERO:.*]] : f32
// CHECK: %[[IS_ABOVE:.*]] = arith.cmpf oge, %[[X]], %{{.*}}
// CHECK: %[[INSIDE:.*]] = arith.select %[[IS_ABOVE]], %[[ZERO]], %[[A]]
// CHECK: %[[I:.*]] = arith.fptoui %[[INSIDE]] : f32 to i32
// CHECK: %[[MOST:.*]] = arith.constant -1 : i32
// CHECK: %[[Y:.*]] = arith.select %[[IS_ABOVE]], %[[MOST]], %[[I]]
// CHECK: return %[[Y]]
func.func @long(%x: f32) -> i32 {
  %0 = arith.fptoui %x : f32 to i32
  return %0 : i32
}

// CHECK-LABEL: func.func @half(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptosi %{{.*}} : f32 to i64
func.func @half(%x: f16) -> i64 {
  %0 = arith.fptosi %x : f16 to i64
  return %0 : i64
}

// Rounded once: f64 has all bits of an i32, and f32 one for those that it lacks.
// CHECK-LABEL: func.func @to_bf16(
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : i32 to f64
// CHECK: %[[BITS:.*]] = arith.bitcast %[[WIDE]] : f64 to i64
// CHECK: arith.ori
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : i64 to f64
// CHECK: arith.truncf %[[ODD]] : f64 to bf16
// CHECK: arith.uitofp %{{.*}} : i16 to bf16
func.func @to_bf16(%x: i32, %y: i16) -> (bf16, bf16) {
  %0 = arith.sitofp %x : i32 to bf16
  %1 = arith.uitofp %y : i16 to bf16
  return %0, %1 : bf16, bf16
}

// The bits that f64 cannot hold become one sticky bit.
// CHECK-LABEL: func.func @long_to_bf16(
// CHECK-SAME: %[[X:.*]]: i64
// CHECK: %[[LOST:.*]] = arith.andi %[[X]], %{{.*}} : i64
// CHECK: arith.cmpi eq, %[[LOST]], %{{.*}} : i64
// CHECK: %[[KEPT_BITS:.*]] = arith.andi %[[X]], %{{.*}} : i64
// CHECK: %[[ODD:.*]] = arith.ori %[[KEPT_BITS]], %{{.*}} : i64
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %[[X]], %[[ODD]]
// CHECK: %[[WIDE:.*]] = arith.sitofp %[[KEPT]] : i64 to f64
// CHECK: arith.bitcast %[[WIDE]] : f64 to i64
// CHECK: arith.truncf %{{.*}} : f64 to bf16
func.func @long_to_bf16(%x: i64) -> bf16 {
  %0 = arith.sitofp %x : i64 to bf16
  return %0 : bf16
}
