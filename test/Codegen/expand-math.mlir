// RUN: flywheel-opt %s --flywheel-expand-math | FileCheck %s

// CHECK-LABEL: func.func @f32(
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK: return
func.func @f32(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.tanh %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK: math.exp %{{.*}} : vector<8xf64>
func.func @f64(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// Sines of arguments that cannot be reduced in f32 are computed in f64.
// CHECK-LABEL: func.func @sine(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK: %[[NEAR:.*]] = arith.cmpf ole, %[[SIZE]]
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[NEAR]]
// CHECK: scf.if %[[ALL]]
// CHECK: math.roundeven
// CHECK-NOT: math.sin
// CHECK: } else {
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : vector<16xf32> to vector<16xf64>
// CHECK: math.sin %[[WIDE]] : vector<16xf64>
func.func @sine(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sin %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Those whose polynomials are wrong at zeros or infinities are kept.
// CHECK-LABEL: func.func @kept(
// CHECK: math.cbrt %{{.*}} : vector<16xf32>
// CHECK: math.atan2 %{{.*}}, %{{.*}} : vector<16xf32>
func.func @kept(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.cbrt %x : vector<16xf32>
  %1 = math.atan2 %0, %x : vector<16xf32>
  return %1 : vector<16xf32>
}

// No polynomial is computed in 16 bits.
// CHECK-LABEL: func.func @halves(
// CHECK: arith.extf
// CHECK-NOT: arith.mulf %{{.*}} : vector<16xf16>
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
func.func @halves(%x: vector<16xf16>) -> vector<16xf16> {
  %0 = math.asin %x : vector<16xf16>
  return %0 : vector<16xf16>
}
