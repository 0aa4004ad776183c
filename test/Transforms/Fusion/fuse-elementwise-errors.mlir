// RUN: flywheel-opt %s --flywheel-fuse-elementwise --verify-diagnostics | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A fused op loses its schedule, which is reported to the user.
// CHECK-LABEL: func.func @fused(
// CHECK: linalg.generic
// CHECK-NOT: codegen.schedule
// CHECK: return
func.func @fused(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-warning @below {{fusion replaces 'linalg.generic' by another op, to which a schedule can be given behind flywheel-bufferize; it drops #codegen.loops}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], codegen.schedule = #codegen.loops}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  // expected-warning @below {{it drops #codegen.vector<along = 0, lanes = 4>}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], codegen.schedule = #codegen.vector<along = 0, lanes = 4>}
      ins(%0 : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.sin %a : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// An op that only loses an operand keeps its schedule.
// CHECK-LABEL: func.func @unused_operand(
// CHECK: linalg.generic {{.*}}ins(%{{.*}} : tensor<8xf32>) outs{{.*}}codegen.schedule = #codegen.loops
func.func @unused_operand(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"], codegen.schedule = #codegen.loops}
      ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
