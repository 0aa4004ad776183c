// RUN: flywheel-opt %s --flywheel-flush-arguments | FileCheck %s

// CHECK-LABEL: func @function
// CHECK-SAME: (%[[X:.*]]: f32
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}} : f32
// CHECK: %[[ZERO:.*]] = math.copysign %{{.*}}, %[[X]]
// CHECK: %[[FLUSHED:.*]] = arith.select %[[SMALL]], %[[ZERO]], %[[X]]
// CHECK: math.cbrt %[[FLUSHED]]
// EXAMPLE: --flywheel-flush-arguments
func.func @function(%x: f32) -> f32 {
  %0 = math.cbrt %x : f32
  return %0 : f32
}

// Functions that no library computes, and numbers of f16, which f32 has.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:[^:]*]]: f32, %[[H:[^:]*]]: f16) -> (f32, f16)
// CHECK-NEXT: %[[FLOOR:.*]] = math.floor %[[X]] : f32
// CHECK-NEXT: %[[LOG:.*]] = math.log %[[H]] : f16
// CHECK-NEXT: return %[[FLOOR]], %[[LOG]] : f32, f16
func.func @others(%x: f32, %h: f16) -> (f32, f16) {
  %0 = math.floor %x : f32
  %1 = math.log %h : f16
  return %0, %1 : f32, f16
}
