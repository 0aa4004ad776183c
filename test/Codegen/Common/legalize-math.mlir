// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s --flywheel-legalize-math | FileCheck %s

// CHECK-LABEL: func.func @clamp(
// CHECK-SAME: %[[X:.*]]: f32, %[[LOW:.*]]: f32, %[[HIGH:.*]]: f32
// CHECK: %[[Y:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK: arith.minimumf %[[Y]], %[[HIGH]]
// EXAMPLE: --flywheel-legalize-math
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

// LLVM has intrinsics for two of these classes only.
// CHECK-LABEL: func.func @classes(
// CHECK: %[[SIZE:.*]] = math.absf
// CHECK: arith.cmpf oeq, %[[SIZE]], %{{.*}} : f32
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf oge
// CHECK: arith.andi
func.func @classes(%x: f32) -> (i1, i1) {
  %0 = math.isinf %x : f32
  %1 = math.isnormal %x : f32
  return %0, %1 : i1, i1
}

// Neither needs a function that C99 has not.
// CHECK-LABEL: func.func @not_a_number(
// CHECK-SAME: %[[X:.*]]: f16
// CHECK: %[[FLAG:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f16
// CHECK: return %[[FLAG]]
func.func @not_a_number(%x: f16) -> i1 {
  %0 = math.isnan %x : f16
  return %0 : i1
}

// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[SINE:.*]] = math.sin %[[X]]
// CHECK: %[[COSINE:.*]] = math.cos %[[X]]
// CHECK: return %[[SINE]], %[[COSINE]]
func.func @both(%x: f32) -> (f32, f32) {
  %0, %1 = math.sincos %x : f32
  return %0, %1 : f32, f32
}

// Rounded once.
// CHECK-LABEL: func.func @root(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[ROOT:.*]] = math.rsqrt %[[WIDE]] : f32
// CHECK: arith.truncf %[[ROOT]] : f32 to f16
func.func @root(%x: f16) -> f16 {
  %0 = math.rsqrt %x : f16
  return %0 : f16
}

// By squaring, as often as the exponent has bits.
// CHECK-LABEL: func.func @ipow(
// CHECK-COUNT-14: arith.muli
// CHECK-NOT: arith.muli
// CHECK: return
func.func @ipow(%x: i8, %n: i8) -> i8 {
  %0 = math.ipowi %x, %n : i8
  return %0 : i8
}

// CHECK-LABEL: func.func @cube(
// CHECK-SAME: %[[X:[^:]*]]: i32) -> i32
// CHECK-NEXT: %[[MULI:.*]] = arith.muli %[[X]], %[[X]] : i32
// CHECK-NEXT: %[[MULI_2:.*]] = arith.muli %[[X]], %[[MULI]] : i32
// CHECK-NEXT: return %[[MULI_2]] : i32
func.func @cube(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = math.ipowi %x, %c3 : i32
  return %0 : i32
}

// In f64, where the product is exact, and rounded once.
// CHECK-LABEL: func.func @fma(
// CHECK-SAME: %[[A:[^:]*]]: f16, %[[B:[^:]*]]: f16, %[[C:[^:]*]]: f16) -> f16
// CHECK-NEXT: %[[EXTF:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK-NEXT: %[[EXTF_2:.*]] = arith.extf %[[EXTF]] : f32 to f64
// CHECK-NEXT: %[[EXTF_3:.*]] = arith.extf %[[B]] : f16 to f32
// CHECK-NEXT: %[[EXTF_4:.*]] = arith.extf %[[EXTF_3]] : f32 to f64
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[EXTF_2]], %[[EXTF_4]] : f64
// CHECK-NEXT: %[[EXTF_5:.*]] = arith.extf %[[C]] : f16 to f32
// CHECK-NEXT: %[[EXTF_6:.*]] = arith.extf %[[EXTF_5]] : f32 to f64
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[MULF]], %[[EXTF_6]] : f64
// CHECK-NEXT: %[[SUBF:.*]] = arith.subf %[[ADDF]], %[[MULF]] : f64
// CHECK-NEXT: %[[SUBF_2:.*]] = arith.subf %[[ADDF]], %[[SUBF]] : f64
// CHECK-NEXT: %[[SUBF_3:.*]] = arith.subf %[[MULF]], %[[SUBF_2]] : f64
// CHECK-NEXT: %[[SUBF_4:.*]] = arith.subf %[[EXTF_6]], %[[SUBF]] : f64
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[SUBF_3]], %[[SUBF_4]] : f64
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[C1_I64:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[C_1_I64:.*]] = arith.constant -1 : i64
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf one, %[[ADDF_2]], %[[CST]] : f64
// CHECK-NEXT: %[[MULF_2:.*]] = arith.mulf %[[ADDF_2]], %[[ADDF]] : f64
// CHECK-NEXT: %[[CMPF_2:.*]] = arith.cmpf olt, %[[MULF_2]], %[[CST]] : f64
// CHECK-NEXT: %[[BITCAST:.*]] = arith.bitcast %[[ADDF]] : f64 to i64
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[BITCAST]], %[[C1_I64]] : i64
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[ANDI]], %[[C1_I64]] : i64
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF_2]], %[[C_1_I64]], %[[C1_I64]] : i64
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[BITCAST]], %[[SELECT]] : i64
// CHECK-NEXT: %[[ANDI_2:.*]] = arith.andi %[[CMPF]], %[[CMPI]] : i1
// CHECK-NEXT: %[[SELECT_2:.*]] = arith.select %[[ANDI_2]], %[[ADDI]], %[[BITCAST]] : i64
// CHECK-NEXT: %[[BITCAST_2:.*]] = arith.bitcast %[[SELECT_2]] : i64 to f64
// CHECK-NEXT: %[[TRUNCF:.*]] = arith.truncf %[[BITCAST_2]] : f64 to f16
// CHECK-NEXT: return %[[TRUNCF]] : f16
func.func @fma(%a: f16, %b: f16, %c: f16) -> f16 {
  %0 = math.fma %a, %b, %c : f16
  return %0 : f16
}
