// RUN: flywheel-opt %s --flywheel-call-libm | FileCheck %s
// RUN: flywheel-opt %s --flywheel-call-libm=all | FileCheck %s --check-prefix=ALL

// log(1 + x) and exp(x) - 1 would lose every digit near 0.

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[X:[^:]*]]: f64) -> f64
// CHECK-NEXT: %[[CALL:.*]] = call @log1p(%[[X]]) : (f64) -> f64
// CHECK-NEXT: %[[SQRT:.*]] = math.sqrt %[[CALL]] : f64
// CHECK-NEXT: return %[[SQRT]] : f64
// ALL-LABEL: func.func @scalar(
// ALL-NEXT: %[[LOG:.*]] = call @log1p(
// ALL-NEXT: %[[ROOT:.*]] = call @sqrt(%[[LOG]]) : (f64) -> f64
// ALL-NEXT: return %[[ROOT]] : f64
// EXAMPLE: --flywheel-call-libm
func.func @scalar(%x: f64) -> f64 {
  %y = math.log1p %x : f64
  %z = math.sqrt %y : f64
  return %z : f64
}

// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %[[X:[^:]*]]: vector<2xf32>) -> vector<2xf32>
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
// CHECK-NEXT: %[[EXTRACT:.*]] = vector.extract %[[X]][0] : f32 from vector<2xf32>
// CHECK-NEXT: %[[CALL:.*]] = call @expm1f(%[[EXTRACT]]) : (f32) -> f32
// CHECK-NEXT: %[[INSERT:.*]] = vector.insert %[[CALL]], %[[CST]] [0] : f32 into vector<2xf32>
// CHECK-NEXT: %[[EXTRACT_2:.*]] = vector.extract %[[X]][1] : f32 from vector<2xf32>
// CHECK-NEXT: %[[CALL_2:.*]] = call @expm1f(%[[EXTRACT_2]]) : (f32) -> f32
// CHECK-NEXT: %[[INSERT_2:.*]] = vector.insert %[[CALL_2]], %[[INSERT]] [1] : f32 into vector<2xf32>
// CHECK-NEXT: return %[[INSERT_2]] : vector<2xf32>
func.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.expm1 %x : vector<2xf32>
  return %y : vector<2xf32>
}
