// RUN: flywheel-opt %s --flywheel-unify-symbolic-dims --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error@below {{expected the size of dimension 0 of result 0 to be a dimension size of a feed, by which the caller allocates it: the step computes another one.}}
func.func @free(%n: tensor<index>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %size = tensor.extract %n[] : tensor<index>
  %one = arith.constant 1.0 : f32
  %0 = tensor.splat %one[%size] : tensor<?xf32>
  %1 = linalg_ext.store %0 in %r : tensor<?xf32> in tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// expected-error@below {{expected the size of dimension 0 of result 0 to be static, as it is always 8}}
func.func @fixed(%x: tensor<8xf32>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %0 = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %1 = linalg_ext.store %0 in %r : tensor<?xf32> in tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A result that has a name.
// expected-error@below {{expected the size of dimension 0 of result 'both' to be a dimension size of a feed}}
func.func @named(%n: tensor<index>, %r: tensor<?xf32> {train.name = "both", train.result = 0 : i64}) -> tensor<?xf32> {
  %size = tensor.extract %n[] : tensor<index>
  %one = arith.constant 1.0 : f32
  %0 = tensor.splat %one[%size] : tensor<?xf32>
  %1 = linalg_ext.store %0 in %r : tensor<?xf32> in tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Another factor.
// expected-error @+1 {{expected the size of dimension 0 of result 0 to be a dimension size of a feed, by which the caller allocates it: the step computes another one.}}
func.func @other_factor(%x: tensor<?xf32>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.floordivsi %d, %c5 : index
  %v = tensor.expand_shape %x [[0, 1]] output_shape [%q, 5] : tensor<?xf32> into tensor<?x5xf32>
  %s = tensor.extract_slice %v[0, 0] [%q, 4] [1, 1] : tensor<?x5xf32> to tensor<?x4xf32>
  %y = tensor.collapse_shape %s [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = linalg_ext.store %y in %r : tensor<?xf32> in tensor<?xf32>
  return %1 : tensor<?xf32>
}
