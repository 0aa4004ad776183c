// RUN: flywheel-opt %s --flywheel-check-sizes --split-input-file --verify-diagnostics

func.func @negative(%x: tensor<?x8xf32>) -> tensor<?x8x1xf32> {
  %c = arith.constant -1 : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 1 of 'tensor<?x8xf32>', found -1}}
  %d = tensor.dim %x, %c : tensor<?x8xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
  return %y : tensor<?x8x1xf32>
}

// -----

func.func @rank(%x: tensor<?x8xf32>) -> index {
  %one = arith.constant 1 : index
  %c = arith.addi %one, %one : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 1 of 'tensor<?x8xf32>', found 2}}
  %d = tensor.dim %x, %c : tensor<?x8xf32>
  return %d : index
}

// -----

// Also where nothing uses it.
func.func @dead(%x: tensor<8xf32>) {
  %c = arith.constant 1 : index
  // expected-error@below {{'tensor.dim' op expected a dimension from 0 to 0 of 'tensor<8xf32>', found 1}}
  %d = tensor.dim %x, %c : tensor<8xf32>
  return
}

// -----

func.func @body(%x: tensor<?xf32>, %sizes: tensor<?xindex>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = tensor.generate %n {
  ^bb0(%i: index):
    %k = tensor.extract %sizes[%i] : tensor<?xindex>
    // expected-error@below {{'tensor.empty' op expected sizes that are known in front of 'tensor.generate', found some that are computed inside of it}}
    %e = tensor.empty(%k) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %v = tensor.extract %f[%c0] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
