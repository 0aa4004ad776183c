// RUN: flywheel-opt %s --flywheel-hoist-scalars | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
#none = affine_map<() -> ()>

// CHECK-LABEL: func.func @hoist(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[LR:[^:]*]]: tensor<f32>
// CHECK: %[[RATE:.*]] = tensor.extract %[[LR]][]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<4xf32>) outs(%[[X]] : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[IN]], %[[RATE]]
// EXAMPLE: --flywheel-hoist-scalars
func.func @hoist(%x: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#scalar, #id, #id], iterator_types = ["parallel"]}
      ins(%lr, %x : tensor<f32>, tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%rate: f32, %in: f32, %out: f32):
    %1 = arith.mulf %in, %rate : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An op without loops reads its scalars once anyway.
// CHECK-LABEL: func.func @rank0(
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>)
func.func @rank0(%lr: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%lr : tensor<f32>) outs(%lr : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// The loops are the same, and so is the schedule.
// CHECK-LABEL: func.func @scheduled(
// CHECK: tensor.extract
// CHECK: linalg.generic {{.*}}codegen.schedule = #codegen.loops
func.func @scheduled(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"], codegen.schedule = #codegen.loops}
      ins(%x, %s : tensor<8xf32>, tensor<f32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
