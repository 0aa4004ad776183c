// RUN: flywheel-opt %s --flywheel-call-libm | FileCheck %s

// log(1 + x) and exp(x) - 1 would lose every digit near 0.

// CHECK-DAG: func.func private @log1p(f64) -> f64
// CHECK-DAG: func.func private @expm1f(f32) -> f32
// CHECK-LABEL: @scalar
// CHECK-NOT: math.log1p
// CHECK: call @log1p
// CHECK: math.sqrt
func.func @scalar(%x: f64) -> f64 {
  %y = math.log1p %x : f64
  %z = math.sqrt %y : f64
  return %z : f64
}

// CHECK-LABEL: @vector
// CHECK-NOT: math.expm1
// CHECK-COUNT-2: call @expm1f
func.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.expm1 %x : vector<2xf32>
  return %y : vector<2xf32>
}
