// RUN: flywheel-opt %s --flywheel-unify-symbolic-dims --split-input-file | FileCheck %s

// Both feeds and the result have the batch; a dimension size of its own gets a name.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32> {train.dim_sizes = array<i64: 0, -1>}
// CHECK-SAME: %[[Y:[^:]*]]: tensor<?x4xf32> {train.dim_sizes = array<i64: 0, -1>}
// CHECK-SAME: %{{[^:]*}}: tensor<?xf32> {train.dim_sizes = array<i64: 1>, train.name = "mask"}
// CHECK-SAME: %{{[^:]*}}: tensor<?x4xf32> {train.dim_sizes = array<i64: 0, -1>, train.result = 0 : i64}
// CHECK-SAME: train.symbols = ["batch", "mask_dim0"]
// CHECK: %[[BATCH:.*]] = tensor.dim %[[X]]
// CHECK-NOT: tensor.dim
// CHECK: tensor.empty(%[[BATCH]])
// EXAMPLE: --flywheel-unify-symbolic-dims
func.func @batch(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %mask: tensor<?xf32> {train.name = "mask"},
                 %r: tensor<?x4xf32> {train.result = 0 : i64}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %0 = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg_ext.store %0 in %r : tensor<?x4xf32> in tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// A dimension size that the ops force to a constant is checked (R4).
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[FOUND:.*]] = tensor.dim %[[X]]
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[FOUND]], %c8
// CHECK: linalg_ext.check sizes %[[OK]], "Cannot feed value of shape: expected dimension size 8 in dimension 0 of 'x', found \01"
func.func @constant(%x: tensor<?xf32> {train.name = "x"}, %y: tensor<8xf32>,
                    %r: tensor<8xf32> {train.result = 0 : i64}) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<8xf32>) outs(%r : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Through loops, branches, and ops that take their sizes.
// CHECK-LABEL: func.func @through(
// CHECK: %[[BATCH:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x8xf32>
// CHECK-NOT: tensor.dim
func.func @through(%x: tensor<?x8xf32>, %flag: tensor<i1>, %count: tensor<index>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = tensor.extract %flag[] : tensor<i1>
  %n = tensor.extract %count[] : tensor<index>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x8xf32> {
    %d = tensor.dim %a, %c0 : tensor<?x8xf32>
    %e = tensor.empty(%d) : tensor<?x8xf32>
    %s = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %s : tensor<?x8xf32>
  }
  %q = scf.if %p -> tensor<?x8xf32> {
    scf.yield %r : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  %d1 = tensor.dim %q, %c0 : tensor<?x8xf32>
  %e1 = tensor.empty(%d1) : tensor<?x8xf32>
  %0 = linalg.exp ins(%q : tensor<?x8xf32>) outs(%e1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A check of two products of the same dimension sizes compares the same number.
// CHECK-LABEL: func.func @products(
// CHECK: %[[P:.*]] = affine.apply #{{.*}}()[%[[BATCH:.*]]]
// CHECK: %[[Q:.*]] = affine.apply #{{.*}}()[%[[BATCH]]]
// CHECK: arith.cmpi eq, %[[P]], %[[Q]]
func.func @products(%x: tensor<?x3xf32>, %r: tensor<?x3xf32> {train.result = 0 : i64}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%d) : tensor<?x3xf32>
  %0 = linalg.exp ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %b = tensor.collapse_shape %0 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %n, %m : index
  linalg_ext.check data %ok, "equal"
  %1 = linalg_ext.store %0 in %r : tensor<?x3xf32> in tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// -----

// Dimension sizes of one name are one number. The others have other names: a default one
// is never that of another dimension size.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %{{[^:]*}}: tensor<?x?xf32> {train.dim_sizes = array<i64: 0, 1>, train.dims = ["time", "batch"]
// CHECK-SAME: %{{[^:]*}}: tensor<?xf32> {train.dim_sizes = array<i64: 1>, train.dims = ["batch"]
// CHECK-SAME: %{{[^:]*}}: tensor<?x?xf32> {train.dim_sizes = array<i64: 2, 3>, train.dims = ["", ""]
// CHECK-SAME: train.symbols = ["time", "batch", "z_dim0", "z_dim1"]
func.func @named(%x: tensor<?x?xf32> {train.dims = ["time", "batch"], train.name = "x"},
                 %y: tensor<?xf32> {train.dims = ["batch"], train.name = "y"},
                 %z: tensor<?x?xf32> {train.dims = ["", ""], train.name = "z"}) {
  return
}

// -----

// A requirement of an op decides no check; equal feeds, which callers compare, do.
// CHECK-LABEL: func.func @required(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x2xf32>
// CHECK-SAME: %[[Z:[^:]*]]: tensor<?xf32>
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[SIZE:.*]] = tensor.dim %[[Z]]
// CHECK-DAG: %[[FLAT:.*]] = affine.apply
// CHECK: %[[OK:.*]] = linalg_ext.compare_sizes eq %[[FLAT]], %[[SIZE]]
// CHECK: linalg_ext.check data %[[OK]], "equal"
func.func @required(%x: tensor<?x2xf32>, %z: tensor<?xf32>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %z, %c0 : tensor<?xf32>
  %ok = linalg_ext.compare_sizes eq %n, %m
  linalg_ext.check data %ok, "equal"
  %0 = linalg.add ins(%a, %z : tensor<?xf32>, tensor<?xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// An op in a branch may not run: what it requires says nothing outside.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x2xf32>
// CHECK: %[[FLAT:.*]] = tensor.dim %collapsed{{.*}} : tensor<?xf32>
// CHECK: tensor.empty(%[[FLAT]])
func.func @branch(%x: tensor<?x2xf32>, %z: tensor<?xf32>, %p: tensor<i1>, %r: tensor<f32> {train.result = 0 : i64}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = tensor.extract %p[] : tensor<i1>
  %s = scf.if %c -> tensor<f32> {
    %0 = linalg.dot ins(%f, %z : tensor<?xf32>, tensor<?xf32>) outs(%r : tensor<f32>) -> tensor<f32>
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %r : tensor<f32>
  }
  return %s : tensor<f32>
}

// -----

// No dimension of that number: left alone.
// CHECK-LABEL: func.func @dimensions(
// CHECK-COUNT-2: tensor.dim %{{.*}}, %c{{-1|5}}
func.func @dimensions(%x: tensor<?x8xf32>, %r: tensor<?x8xf32> {train.result = 0 : i64}) -> tensor<?x8xf32> {
  %low = arith.constant -1 : index
  %high = arith.constant 5 : index
  %d = tensor.dim %x, %low : tensor<?x8xf32>
  %e = tensor.dim %x, %high : tensor<?x8xf32>
  %s = tensor.empty(%d, %e) : tensor<?x?xf32>
  %0 = linalg_ext.store %x in %r : tensor<?x8xf32> in tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A product of a size that is read elsewhere: each read is looked at once.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4x?xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0{{.*}} : tensor<?x4x?xf32>
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c2{{.*}} : tensor<?x4x?xf32>
// CHECK: tensor.extract_slice %[[X]][0, 0, 0] [%[[N]], 2, %[[M]]]
// CHECK: %[[PRODUCT:.*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK: arith.cmpi sge, %[[PRODUCT]], %c8{{.*}} : index
// CHECK-NOT: tensor.dim
func.func @product(%x: tensor<?x4x?xf32>, %r: tensor<?x4x?xf32> {train.result = 0 : i64}) -> tensor<?x4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %m = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [%n, 2, %m] [1, 1, 1] : tensor<?x4x?xf32> to tensor<?x2x?xf32>
  %v = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x2x?xf32> into tensor<?x?xf32>
  %p = tensor.dim %v, %c1 : tensor<?x?xf32>
  %ok = arith.cmpi sge, %p, %c8 : index
  linalg_ext.check data %ok, "too few"
  %0 = linalg_ext.store %x in %r : tensor<?x4x?xf32> in tensor<?x4x?xf32>
  return %0 : tensor<?x4x?xf32>
}

// -----

// A dimension that is collapsed from the dimensions that a feed was expanded to
// has the size of the feed; other groups of two dimensions do not.
// CHECK-LABEL: func.func @expanded_and_collapsed(
// CHECK-SAME: %{{[^:]*}}: tensor<?xf32> {train.dim_sizes = array<i64: 0>}
// CHECK-SAME: %{{[^:]*}}: tensor<?xf32> {train.dim_sizes = array<i64: 0>, train.result = 0 : i64}
// CHECK-SAME: train.symbols = ["batch"]
func.func @expanded_and_collapsed(%x: tensor<?xf32>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.floordivsi %d, %c5 : index
  %v = tensor.expand_shape %x [[0, 1]] output_shape [%q, 5] : tensor<?xf32> into tensor<?x5xf32>
  %e = math.exp %v : tensor<?x5xf32>
  %y = tensor.collapse_shape %e [[0, 1]] : tensor<?x5xf32> into tensor<?xf32>
  %1 = linalg_ext.store %y in %r : tensor<?xf32> in tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A result of a branch has the sizes of what the other branch yields, also for
// a check: a check of its own says that those of the first are the same.
// CHECK-LABEL: func.func @result_of_branch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: scf.if
// CHECK-NOT: tensor.dim
// CHECK: arith.cmpi sge, %[[N]], %c8
// CHECK: tensor.empty(%[[N]])
func.func @result_of_branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: tensor<i1>, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %c = tensor.extract %p[] : tensor<i1>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %same = linalg_ext.compare_sizes eq %n, %m
  %not = arith.xori %c, %true : i1
  %either = arith.ori %not, %same : i1
  linalg_ext.check sizes %either, "expected equal sizes"
  %s = scf.if %c -> tensor<?xf32> {
    scf.yield %y : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  %ok = arith.cmpi sge, %d, %c8 : index
  linalg_ext.check data %ok, "too few"
  %e = tensor.empty(%d) : tensor<?xf32>
  %z = linalg.exp ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg_ext.store %z in %r : tensor<?xf32> in tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Sizes that a branch forwards may differ where it does not run: neither is the
// other one, or a constant, outside of it.
// CHECK-LABEL: func.func @untaken_constant(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: tensor.empty(%[[N]])
// CHECK-NOT: linalg_ext.check
func.func @untaken_constant(%x: tensor<?xf32>, %z: tensor<8xf32>, %p: i1, %q: i1, %r: tensor<?xf32> {train.result = 0 : i64}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  scf.if %p {
    %s = scf.if %q -> tensor<?xf32> {
      %w = tensor.cast %z : tensor<8xf32> to tensor<?xf32>
      scf.yield %w : tensor<?xf32>
    } else {
      scf.yield %x : tensor<?xf32>
    }
    %m = tensor.dim %s, %c0 : tensor<?xf32>
    scf.for %i = %c0 to %m step %m {
    }
  }
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg_ext.store %f in %r : tensor<?xf32> in tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @untaken_size(
// CHECK: %[[TWICE:.*]] = tensor.concat
// CHECK: scf.if
// CHECK: %[[N:.*]] = tensor.dim %[[TWICE]], %c0
// CHECK: tensor.empty(%[[N]])
func.func @untaken_size(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1, %q: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %x2 = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  scf.if %p {
    %s = scf.if %q -> tensor<?xf32> {
      scf.yield %y : tensor<?xf32>
    } else {
      scf.yield %x2 : tensor<?xf32>
    }
    %m = tensor.dim %s, %c0 : tensor<?xf32>
    scf.for %i = %c0 to %m step %m {
    }
  }
  %n = tensor.dim %x2, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
