// RUN: flywheel-opt %s | flywheel-opt | FileCheck %s

// Attributes by which stages communicate round-trip through a file.
// CHECK: module attributes {train.compilation = {stage = "flywheel-linalg"}, train.constants = ["b"], train.strings = ["cat"]}
module attributes {train.compilation = {stage = "flywheel-linalg"}, train.constants = ["b"], train.strings = ["cat"]} {
  // CHECK: train.variable @w : tensor<f32> {train.initial_reads = [@v], train.initial_values = [@u], train.start = "restored"}
  train.variable @w : tensor<f32> {train.initial_reads = [@v], train.initial_values = [@u], train.start = "restored"}

  // CHECK: func.func private @step(
  // CHECK-SAME: tensor<?xui8> {train.dim_size_places = ["nn.add"], train.dim_sizes = array<i64: 0>, train.dims = ["batch"], train.name = "x"}
  // CHECK-SAME: tensor<f32> {train.initialized_value, train.reads, train.updated, train.variable = @w, train.writes}
  // CHECK-SAME: memref<i1> {train.is_initialized = @w}
  // CHECK-SAME: tensor<i8> {train.element_type = ui8, train.result = 0 : i64}
  // CHECK-SAME: memref<?xi8> {train.workspace}
  // CHECK-SAME: -> (tensor<i8> {train.element_type = ui8, train.name = "y"})
  // CHECK-SAME: attributes {train.entry = "step", train.initializer, train.symbols = ["batch"], train.workspace_slots = {{\[}}[#{{.*}}]]}
  func.func private @step(
      tensor<?xui8> {train.dim_size_places = ["nn.add"], train.dim_sizes = array<i64: 0>, train.dims = ["batch"], train.name = "x"},
      tensor<f32> {train.initialized_value, train.reads, train.updated, train.variable = @w, train.writes},
      memref<i1> {train.is_initialized = @w},
      tensor<i8> {train.element_type = ui8, train.result = 0 : i64},
      memref<?xi8> {train.workspace})
      -> (tensor<i8> {train.element_type = ui8, train.name = "y"})
      attributes {train.entry = "step", train.initializer, train.symbols = ["batch"],
                  train.workspace_slots = [[affine_map<()[s0] -> (s0)>]]}

  func.func @ops(%x: tensor<4xf32>, %n: index) -> tensor<2xf32> {
    %0 = arith.constant 0 : index
    // CHECK: tensor.extract_slice {{.*}} {train.in_range}
    %part = tensor.extract_slice %x[0] [2] [1] {train.in_range} : tensor<4xf32> to tensor<2xf32>
    // CHECK: {train.snapshot = @w}
    %copy = linalg.copy {train.snapshot = @w} ins(%part : tensor<2xf32>) outs(%part : tensor<2xf32>) -> tensor<2xf32>
    // CHECK: } {train.keeps_dim_sizes}
    scf.for %i = %0 to %n step %n {
    } {train.keeps_dim_sizes}
    return %copy : tensor<2xf32>
  }
}
