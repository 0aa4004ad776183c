// RUN: flywheel-opt %s --flywheel-lower-switches | FileCheck %s

// CHECK-LABEL: func.func @cases(
// CHECK-SAME: %[[I:[^:]*]]: index, %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[IS2:.*]] = arith.cmpi eq, %[[I]], %[[C2]] : index
// CHECK: %[[R:.*]] = scf.if %[[IS2]] -> (tensor<4xf32>) {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT: scf.yield %[[E]]
// CHECK-NEXT: } else {
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[IS7:.*]] = arith.cmpi eq, %[[I]], %[[C7]] : index
// CHECK: %[[INNER:.*]] = scf.if %[[IS7]] -> (tensor<4xf32>) {
// CHECK-NEXT: scf.yield %[[Y]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[Y]]
// CHECK-NEXT: scf.yield %[[T]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[INNER]]
// CHECK: return %[[R]]
// EXAMPLE: --flywheel-lower-switches
func.func @cases(%i: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.index_switch %i -> tensor<4xf32>
  case 2 {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  case 7 {
    scf.yield %y : tensor<4xf32>
  }
  default {
    %t = math.tanh %y : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The default alone; and one inside of another.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: scf.index_switch
// CHECK: scf.if
// CHECK: return
func.func @nested(%i: index, %x: f32, %y: f32) -> f32 {
  %r = scf.index_switch %i -> f32
  default {
    %s = scf.index_switch %i -> f32
    case 0 {
      scf.yield %x : f32
    }
    default {
      scf.yield %y : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}
