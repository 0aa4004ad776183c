// RUN: flywheel-opt %s --train-autodiff --canonicalize --split-input-file | FileCheck %s

// G16: the reverse of a branch takes the same one; what a branch does not use
// has the gradient 0 there.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[D:.*]]:2 = scf.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-DAG: %[[DX:.*]] = arith.mulf %[[G]], %[[W]]
// CHECK-DAG: %[[DW:.*]] = arith.mulf %[[G]], %[[X]]
// CHECK: scf.yield %[[DX]], %[[DW]]
// CHECK: } else {
// CHECK: scf.yield %[[G]], %[[ZERO]]
// CHECK: return %[[D]]#0, %[[D]]#1
func.func @branch(%c: i1, %x: tensor<4xf32>, %w: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = scf.if %c -> tensor<4xf32> {
    %e = arith.mulf %x, %w : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %d:2 = train.gradient %y wrt %x, %w grad_ys %g
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %d#0, %d#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The loop keeps what its iterations start with, and its reverse goes
// backwards over it. There is one forward loop (G4).
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[W:.*]]: tensor<3xf32>, %[[G:.*]]: tensor<3xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<5x3xf32>
// CHECK: %[[F:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[A:.*]] = %[[X]], %[[S:.*]] = %[[EMPTY]])
// CHECK: %[[S1:.*]] = tensor.insert_slice %[[A]] into %[[S]][%[[I]], 0] [1, 3] [1, 1]
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[W]]
// CHECK: scf.yield %[[P]], %[[S1]]
// CHECK: %[[D:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[DA:.*]] = %[[G]], %[[DW:.*]] = %{{.*}})
// CHECK: %[[J:.*]] = arith.subi %{{.*}}, %[[K]] : index
// CHECK: %[[A1:.*]] = tensor.extract_slice %[[F]]#1[%[[J]], 0] [1, 3] [1, 1]
// CHECK-DAG: %[[DA1:.*]] = arith.mulf %[[DA]], %[[W]]
// CHECK-DAG: %[[T:.*]] = arith.mulf %[[DA]], %[[A1]]
// CHECK-DAG: %[[DW1:.*]] = arith.addf %[[DW]], %[[T]]
// CHECK: scf.yield %[[DA1]], %[[DW1]]
// CHECK-NOT: scf.for
// CHECK: return %[[F]]#0, %[[D]]#0, %[[D]]#1
func.func @loop(%x: tensor<3xf32>, %w: tensor<3xf32>, %g: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %p = arith.mulf %a, %w : tensor<3xf32>
    scf.yield %p : tensor<3xf32>
  }
  %d:2 = train.gradient %y wrt %x, %w grad_ys %g
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %y, %d#0, %d#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// A sum needs nothing kept.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3xf32>, %[[W:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %{{.*}} = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[X]]) -> (tensor<3xf32>) {
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ITER_2]], %[[W]] : tensor<3xf32>
// CHECK-NEXT: scf.yield %[[ADDF]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %{{.*}} = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[ITER_4:.*]] = %[[CST]]) -> (tensor<3xf32>) {
// CHECK-NEXT: %[[ADDF_2:.*]] = arith.addf %[[ITER_4]], %[[G]] : tensor<3xf32>
// CHECK-NEXT: scf.yield %[[ADDF_2]] : tensor<3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]], %[[G]], %[[FOR_2]] : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @sum(%x: tensor<3xf32>, %w: tensor<3xf32>, %g: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %p = arith.addf %a, %w : tensor<3xf32>
    scf.yield %p : tensor<3xf32>
  }
  %d:2 = train.gradient %y wrt %x, %w grad_ys %g
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %y, %d#0, %d#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// A trip count that is known when it runs: room for as many as there can be.
// CHECK-LABEL: func @bounded
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%{{.*}}] {train.in_range} : tensor<4xf32>
// CHECK: tensor.extract %{{.*}}[%{{.*}}] {train.in_range} : tensor<4xf32>
func.func @bounded(%x: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %m = arith.minsi %n, %c8 : index
  %s = tensor.extract %x[] : tensor<f32>
  %r = scf.for %i = %c0 to %m step %c2 iter_args(%a = %s) -> f32 {
    %p = arith.mulf %a, %a : f32
    scf.yield %p : f32
  }
  %y = tensor.from_elements %r : tensor<f32>
  %d = train.gradient %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// A while loop that counts is a loop with a trip count.
// CHECK-LABEL: func @counted
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK: tensor.empty() : tensor<4x3xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.while
func.func @counted(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<3xf32>) -> (index, tensor<3xf32>) {
    %go = arith.cmpi slt, %i, %c4 : index
    scf.condition(%go) %i, %a : index, tensor<3xf32>
  } do {
  ^bb0(%i: index, %a: tensor<3xf32>):
    %e = math.sin %a : tensor<3xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %e : index, tensor<3xf32>
  }
  %d = train.gradient %r#1 wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// G16: of a tensor that iterations write in part the loop keeps the element that each of
// them reads, and the reverse updates the cotangent of the tensor in its place.
// CHECK-LABEL: func @written
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<8xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<7xf32>
// CHECK: %[[F:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %[[X]], %[[S:.*]] = %[[EMPTY]]) -> (tensor<8xf32>, tensor<7xf32>)
// CHECK: %[[BEFORE:.*]] = tensor.extract %[[P]]
// CHECK: tensor.insert %[[BEFORE]] into %[[S]]
// CHECK: scf.for {{.*}} iter_args(%[[DP:.*]] = %[[G]]) -> (tensor<8xf32>)
// CHECK: %[[KEPT:.*]] = tensor.extract %[[F]]#1
// CHECK: %[[DV:.*]] = tensor.extract %[[DP]][%[[I:.*]]]
// CHECK: %[[D1:.*]] = tensor.insert %{{.*}} into %[[DP]][%[[I]]]
// CHECK: %[[COS:.*]] = math.cos %[[KEPT]]
// CHECK: %[[DB:.*]] = arith.mulf %[[DV]], %[[COS]]
// CHECK: %[[OLD:.*]] = tensor.extract %[[D1]][%[[J:.*]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[DB]] : f32
// CHECK: %[[D2:.*]] = tensor.insert %[[SUM]] into %[[D1]][%[[J]]]
// CHECK: scf.yield %[[D2]] : tensor<8xf32>
// CHECK-NOT: arith.addf {{.*}} : tensor
func.func @written(%x: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c1 to %c8 step %c1 iter_args(%p = %x) -> tensor<8xf32> {
    %j = arith.subi %i, %c1 : index
    %before = tensor.extract %p[%j] : tensor<8xf32>
    %s = math.sin %before : f32
    %q = tensor.insert %s into %p[%i] : tensor<8xf32>
    scf.yield %q : tensor<8xf32>
  }
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// A branch returns the values that it reads, for the loop around it to keep.
// CHECK-LABEL: func @read_in_branch
// CHECK: %[[F:.*]]:2 = scf.for {{.*}} -> (tensor<8xf32>, tensor<7xf32>)
// CHECK: %[[R:.*]]:2 = scf.if {{.*}} -> (tensor<8xf32>, f32)
// CHECK: tensor.insert %[[R]]#1 into
// CHECK: scf.for {{.*}} -> (tensor<8xf32>)
// CHECK-NOT: tensor.extract_slice
// CHECK: scf.if
// CHECK: return
func.func @read_in_branch(%x: tensor<8xf32>, %flags: tensor<8xi1>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c1 to %c8 step %c1 iter_args(%p = %x) -> tensor<8xf32> {
    %flag = tensor.extract %flags[%i] : tensor<8xi1>
    %n = scf.if %flag -> tensor<8xf32> {
      %j = arith.subi %i, %c1 : index
      %before = tensor.extract %p[%j] : tensor<8xf32>
      %s = math.sin %before : f32
      %q = tensor.insert %s into %p[%i] : tensor<8xf32>
      scf.yield %q : tensor<8xf32>
    } else {
      scf.yield %p : tensor<8xf32>
    }
    scf.yield %n : tensor<8xf32>
  }
  %d = train.gradient %y wrt %x grad_ys %g : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// The reverse of a loop inside adds to the sum of the loop around it.
// CHECK-LABEL: func @sum_inside
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[DX:[^ ]*]] = %{{[^ ]*}}) -> (f32, tensor<64xf32>)
// CHECK: scf.for {{.*}} iter_args({{.*}} = %[[DX]]) -> (f32, tensor<64xf32>)
// CHECK-NOT: arith.addf {{.*}} : tensor<64xf32>
// CHECK: return
func.func @sum_inside(%x: tensor<64xf32>, %h: f32, %g: tensor<f32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %h) -> f32 {
    %first = arith.muli %i, %c8 : index
    %n = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %a) -> f32 {
      %at = arith.addi %first, %k : index
      %e = tensor.extract %x[%at] : tensor<64xf32>
      %p = arith.mulf %b, %e : f32
      scf.yield %p : f32
    }
    scf.yield %n : f32
  }
  %z = tensor.from_elements %y : tensor<f32>
  %d = train.gradient %z wrt %x grad_ys %g : (tensor<f32>, tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

// The reverse of a loop does not repeat the loop's checks.
// CHECK-LABEL: func @checked
// CHECK: scf.for
// CHECK: linalg_ext.check
// CHECK-NOT: linalg_ext.check
// CHECK: scf.for
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @checked(%x: tensor<4xf32>, %n: tensor<8xi1>, %k: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %ok = tensor.extract %n[%i] : tensor<8xi1>
    %s = scf.if %ok -> tensor<4xf32> {
      linalg_ext.check data %k, "checked"
      %m = math.sin %a : tensor<4xf32>
      scf.yield %m : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  %g = train.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
