// RUN: flywheel-opt %s --flywheel-lift-checks --split-input-file --verify-diagnostics \
// RUN:   | not grep module

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @running(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%e: f32, %sum: f32):
    %ok = arith.cmpf ogt, %sum, %zero : f32
    // expected-error @+1 {{expected a condition of inputs and indices of 'linalg.generic', found one of what it has computed before}}
    linalg_ext.check data %ok, "sum"
    %s = arith.addf %sum, %e : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @pad(%x: tensor<4xf32>, %ok: i1) -> tensor<5xf32> {
  %r = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{expected it in a function, a branch, a loop or the body of a 'linalg' op, found it in 'tensor.pad'}}
    linalg_ext.check data %ok, "no"
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// Also where an op inside of a branch of the body reads it.
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @branch(%x: tensor<4xf32>, %init: tensor<f32>, %c: i1) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%init : tensor<f32>) {
  ^bb0(%e: f32, %sum: f32):
    %ok = scf.if %c -> i1 {
      %positive = arith.cmpf ogt, %sum, %zero : f32
      scf.yield %positive : i1
    } else {
      scf.yield %true : i1
    }
    // expected-error @+1 {{expected a condition of inputs and indices of 'linalg.generic', found one of what it has computed before}}
    linalg_ext.check data %ok, "sum"
    %s = arith.addf %sum, %e : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%e: f32, %o: f32):
    %ok = arith.cmpf ogt, %e, %zero : f32
    // expected-error @+1 {{expected 'linalg.generic' around it to be of tensors}}
    linalg_ext.check data %ok, "positive"
    linalg.yield %e : f32
  }
  return
}
