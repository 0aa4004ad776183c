// RUN: flywheel-opt %s --nn-raise-linalg --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// X14.
func.func @guarded(%t: tensor<10xf32>, %i: tensor<4xindex>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %c10 = arith.constant 10 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%o : tensor<4xf32>) {
  ^bb0(%n: index, %out: f32):
    %in = arith.cmpi ult, %n, %c10 : index
    %v = scf.if %in -> f32 {
      // expected-error @+1 {{expected to be outside of control flow in the body of 'linalg.generic', found it in 'scf.if'}}
      %e = tensor.extract %t[%n] : tensor<10xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @chained(%t: tensor<10xindex>, %x: tensor<4xf32>, %o: tensor<index>) -> tensor<index> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%o : tensor<index>) {
  ^bb0(%u: f32, %at: index):
    // expected-error @+1 {{expected indices that do not depend on a running sum}}
    %next = tensor.extract %t[%at] : tensor<10xindex>
    linalg.yield %next : index
  } -> tensor<index>
  return %y : tensor<index>
}

// -----

// Both iterations of a pair write one element.
func.func @pairs(%x: tensor<6xf32>, %o: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'linalg.generic' op expected a body that reads the old value of result #0, or a map of it by which each iteration writes one element of a slice, found affine_map<(d0) -> (d0 floordiv 2)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i floordiv 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%o : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Without columns, nothing is written to the result.
func.func @last_column(%x: tensor<6x?xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{expected a body that reads the old value of result #0, or a map of it by which each iteration writes one element of a slice, found affine_map<(d0, d1) -> (d0)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x?xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @softmax_of_integers(%x: tensor<2x4xi32>, %out: tensor<2x4xi32>) -> tensor<2x4xi32> {
  // expected-error @+1 {{'linalg.softmax' op expected floating-point elements, found 'i32'; 'arith.sitofp' makes them}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<2x4xi32>) outs(%out : tensor<2x4xi32>) -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}

// -----

func.func @unsigned(%x: tensor<3xui8>, %at: index) -> tensor<5xui8> {
  %y = tensor.generate {
  ^bb0(%i: index):
    // expected-error @+1 {{'tensor.extract' op is not supported for elements of type 'ui8' in the body of another op: 'tensor.bitcast' makes signless integers}}
    %e = tensor.extract %x[%at] : tensor<3xui8>
    tensor.yield %e : ui8
  } : tensor<5xui8>
  return %y : tensor<5xui8>
}

// -----

// The number of iterations decides where a reversal begins.
func.func @unknown_reversal(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a body that reads the old value of result #0, or a map of it by which each iteration writes one element of a slice, found affine_map<(d0) -> (-d0 + 3)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (3 - i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Two iterations may write one element, or one before the result.
#id = affine_map<(i) -> (i)>
#twice = affine_map<(i) -> (i, i)>
func.func @diagonal(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@below {{expected a body that reads the old value of result #0, or a map of it by which each iteration writes one element of a slice}}
  %0 = linalg.generic {indexing_maps = [#id, #twice], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// The nn op has no schedule, and the linalg ops that it becomes may have other loops.
func.func @scheduled_convolution(%x: tensor<1x34x34x4xf32>, %f: tensor<3x3x4x16xf32>, %y: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32> {
  // expected-error @below {{'linalg.conv_2d_nhwc_hwcf' op expected no schedule where nn-raise-linalg replaces the op, but behind flywheel-linalg; found #codegen.fma<tiles = [[1, 1, 7, 0, 0, 0, 0]], rows = [2], columns = 3, registers = [6, 16]>}}
  %r = linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [[1, 1, 7, 0, 0, 0, 0]], rows = [2], columns = 3, registers = [6, 16]>} ins(%x, %f : tensor<1x34x34x4xf32>, tensor<3x3x4x16xf32>) outs(%y : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %r : tensor<1x32x32x16xf32>
}

// -----

// Nor has what a product over a dimension becomes.
func.func @scheduled_product(%x: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'linalg.generic' op expected no schedule where nn-raise-linalg replaces the op, but behind flywheel-linalg; found #codegen.loops}}
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"], codegen.schedule = #codegen.loops} ins(%x : tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Nor a result that is written in part, and becomes a tensor of its own.
func.func @scheduled_write(%x: tensor<4xf32>, %o: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error @below {{'linalg.generic' op expected no schedule where nn-raise-linalg replaces the op, but behind flywheel-linalg; found #codegen.vector<along = 0, lanes = 4>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (2 * i)>],
      iterator_types = ["parallel"], codegen.schedule = #codegen.vector<along = 0, lanes = 4>} ins(%x : tensor<4xf32>) outs(%o : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<7xf32>
  return %y : tensor<7xf32>
}
