// RUN: flywheel-opt %s --flywheel-check-slices | FileCheck %s

// X7: an offset that is computed.
// CHECK-LABEL: func @slice
// CHECK-SAME: (%[[X:.*]]: tensor<9x7xf32>, %[[I:.*]]: index, %[[S:.*]]: tensor<3x7xf32>)
// CHECK: %[[BEGIN:.*]] = arith.cmpi ule, %[[I]], %{{.*}} : index
// CHECK: %[[COUNT:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : index
// CHECK: %[[OK:.*]] = arith.andi %[[BEGIN]], %[[COUNT]] : i1
// CHECK: cf.assert %[[OK]], "slice out of range of dimension 0 in 'tensor.extract_slice' at {{.*}}check-slices.mlir:[[#@LINE+5]]:8"
// CHECK: tensor.extract_slice
// CHECK: cf.assert %{{.*}}, "slice out of range of dimension 0 in 'tensor.insert_slice' at
// CHECK-NOT: cf.assert
func.func @slice(%x: tensor<9x7xf32>, %i: index, %s: tensor<3x7xf32>) -> (tensor<3x7xf32>, tensor<9x7xf32>) {
  %0 = tensor.extract_slice %x[%i, 0] [3, 7] [1, 1] : tensor<9x7xf32> to tensor<3x7xf32>
  %1 = tensor.insert_slice %s into %x[%i, 0] [3, 7] [1, 1] : tensor<3x7xf32> into tensor<9x7xf32>
  return %0, %1 : tensor<3x7xf32>, tensor<9x7xf32>
}

// Only the last of the rows that are taken has to be there; none may be.
// CHECK-LABEL: func @strided
// CHECK: %[[STEPS:.*]] = arith.subi %[[N:.*]], %c1
// CHECK: %[[LENGTH:.*]] = arith.muli %[[STEPS]], %c2
// CHECK: arith.addi %{{.*}}, %[[LENGTH]]
// CHECK: arith.cmpi ule, %[[N]], %c9
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[N]], %c0
// CHECK: arith.ori %[[NONE]],
// CHECK: cf.assert
func.func @strided(%x: tensor<9xf32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[1] [%n] [2] : tensor<9xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// An extent that is known only when the step runs; but all of it is there.
// CHECK-LABEL: func @extents
// CHECK: tensor.extract_slice %{{.*}}[0, 1]
// CHECK: cf.assert %{{.*}}, "slice out of range of dimension 0
// CHECK-NEXT: tensor.extract_slice %{{.*}}[1, 0]
func.func @extents(%x: tensor<?x7xf32>) -> (tensor<?x2xf32>, tensor<2x7xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %0 = tensor.extract_slice %x[0, 1] [%n, 2] [1, 1] : tensor<?x7xf32> to tensor<?x2xf32>
  %1 = tensor.extract_slice %x[1, 0] [2, 7] [1, 1] : tensor<?x7xf32> to tensor<2x7xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<2x7xf32>
}

// CHECK-LABEL: func @elements
// CHECK-SAME: (%{{.*}}: tensor<4x4xf32>, %[[I:.*]]: index)
// CHECK: arith.cmpi ult, %[[I]], %{{.*}} : index
// CHECK: cf.assert %{{.*}}, "index out of range of dimension 1 in 'tensor.extract' at
// CHECK: tensor.extract
// CHECK: cf.assert %{{.*}}, "index out of range of dimension 0 in 'tensor.insert' at
// CHECK: tensor.insert
func.func @elements(%x: tensor<4x4xf32>, %i: index) -> tensor<4x4xf32> {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %x[%c2, %i] : tensor<4x4xf32>
  %1 = tensor.insert %0 into %x[%i, %c2] : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// In a loop, what is out of range is taken from the start instead: the check is
// made behind the loop (S3).
// CHECK-LABEL: func @inside
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>,
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[OK:.*]] = arith.cmpi ule, %[[I]], %c3
// CHECK: cf.assert %[[OK]], "index out of range of dimension 0 in 'tensor.extract' at {{.*}}:[[#@LINE+8]]:10" {linalg_ext.safe}
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %[[I]], %c0{{.*}} : index
// CHECK: tensor.extract %[[X]][%[[AT]]]
// CHECK-NOT: cf.assert
func.func @inside(%x: tensor<4xf32>, %n: index, %s: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %s) -> f32 {
    %e = tensor.extract %x[%i] : tensor<4xf32>
    %z = arith.addf %e, %y : f32
    scf.yield %z : f32
  }
  return %r : f32
}

// CHECK-LABEL: func @branch
// CHECK: scf.if
// CHECK: %[[OK:.*]] = arith.cmpi ule, %[[J:.*]], %c5
// CHECK: cf.assert %[[OK]], "slice out of range of dimension 1 in 'tensor.insert_slice' at {{.*}}" {linalg_ext.safe}
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %[[J]], %c0{{.*}} : index
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[AT]]] [1, 2] [1, 1]
func.func @branch(%x: tensor<4x7xf32>, %s: tensor<1x2xf32>, %j: index, %c: i1) -> tensor<4x7xf32> {
  %r = scf.if %c -> tensor<4x7xf32> {
    %e = tensor.insert_slice %s into %x[0, %j] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<4x7xf32>
    scf.yield %e : tensor<4x7xf32>
  } else {
    scf.yield %x : tensor<4x7xf32>
  }
  return %r : tensor<4x7xf32>
}

// In range in every iteration; and where the extent is not known.
// CHECK-LABEL: func @known
// CHECK-NOT: cf.assert
func.func @known(%x: tensor<4x7xf32>, %d: tensor<?xf32>, %n: index, %s: tensor<7xf32>) -> tensor<7xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %s) -> tensor<7xf32> {
    %j = arith.subi %c3, %i : index
    %e = tensor.extract_slice %x[%j, 0] [1, 7] [1, 1] : tensor<4x7xf32> to tensor<7xf32>
    %f = tensor.extract %d[%n] : tensor<?xf32>
    %g = tensor.insert %f into %e[%c1] : tensor<7xf32>
    scf.yield %g : tensor<7xf32>
  }
  return %r : tensor<7xf32>
}
