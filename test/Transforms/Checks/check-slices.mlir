// RUN: flywheel-opt %s --flywheel-check-slices | FileCheck %s

// X7: an offset that is computed.
// CHECK-LABEL: func @slice
// CHECK-SAME: (%[[X:.*]]: tensor<9x7xf32>, %[[I:.*]]: index, %[[S:.*]]: tensor<3x7xf32>)
// CHECK: %[[BEGIN:.*]] = arith.cmpi ule, %[[I]], %{{.*}} : index
// CHECK: %[[COUNT:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : index
// CHECK: %[[OK:.*]] = arith.andi %[[BEGIN]], %[[COUNT]] : i1
// CHECK-NEXT: linalg_ext.check sizes %[[OK]], "slice out of range of dimension 0" in "tensor.extract_slice", ", found offset \01, size 3, stride 1 and dimension size 9"(%[[I]])
// CHECK: tensor.extract_slice
// CHECK: linalg_ext.check sizes %{{.*}}, "slice out of range of dimension 0" in "tensor.insert_slice", ", found offset \01, size 3, stride 1 and dimension size 9"
// CHECK-NOT: linalg_ext.check
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
// CHECK-NEXT: linalg_ext.check {{.*}}, found offset 1, size \01, stride 2 and dimension size 9"
func.func @strided(%x: tensor<9xf32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[1] [%n] [2] : tensor<9xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A dimension size that is known only when the step runs; but the slice takes all of it.
// CHECK-LABEL: func @dim_sizes
// CHECK: tensor.extract_slice %{{.*}}[0, 1]
// CHECK: %[[OK:.*]] = arith.andi
// CHECK: %[[D:.*]] = tensor.dim %[[X:.*]], %c0
// CHECK-NEXT: linalg_ext.check sizes %{{.*}}, "slice out of range of dimension 0" in {{.*}}, ", found offset 1, size 2, stride 1 and dimension size \01"(%[[D]])
// CHECK-NEXT: tensor.extract_slice %[[X]][1, 0]
func.func @dim_sizes(%x: tensor<?x7xf32>) -> (tensor<?x2xf32>, tensor<2x7xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %0 = tensor.extract_slice %x[0, 1] [%n, 2] [1, 1] : tensor<?x7xf32> to tensor<?x2xf32>
  %1 = tensor.extract_slice %x[1, 0] [2, 7] [1, 1] : tensor<?x7xf32> to tensor<2x7xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<2x7xf32>
}

// CHECK-LABEL: func @elements
// CHECK-SAME: (%{{.*}}: tensor<4x4xf32>, %[[I:.*]]: index)
// CHECK: arith.cmpi ult, %[[I]], %{{.*}} : index
// CHECK: linalg_ext.check sizes %{{.*}}, "index out of range of dimension 1" in "tensor.extract", ", found index \01 and dimension size 4"
// CHECK: tensor.extract
// CHECK: linalg_ext.check sizes %{{.*}}, "index out of range of dimension 0" in "tensor.insert", ", found index \01 and dimension size 4"
// CHECK: tensor.insert
// EXAMPLE: --flywheel-check-slices
func.func @elements(%x: tensor<4x4xf32>, %i: index) -> tensor<4x4xf32> {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %x[%c2, %i] : tensor<4x4xf32>
  %1 = tensor.insert %0 into %x[%i, %c2] : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// In a loop, what fails takes the start of the dimension; where that may be out
// of range as well, it is not done.
// CHECK-LABEL: func @loop
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<9xf32>, %[[K:[^:]*]]: index
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %[[Y]])
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[K]], %c9
// CHECK: linalg_ext.check safe sizes %[[OK]], "index out of range of dimension 0" in "tensor.insert", ", found index \01 and dimension size 9"(%[[K]])
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %[[K]], %c0
// CHECK: tensor.insert %{{.*}} into %[[A]][%[[AT]]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[K]], %{{.*}}
// CHECK: %[[D:.*]] = tensor.dim %[[X]], %c0
// CHECK: linalg_ext.check safe sizes %[[INSIDE]], "index out of range of dimension 0" in "tensor.extract", ", found index \01 and dimension size \02"(%[[K]], %[[D]])
// CHECK-NEXT: scf.if %[[INSIDE]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[K]]]
// CHECK: } else {
// CHECK: scf.yield %cst
func.func @loop(%x: tensor<?xf32>, %y: tensor<9xf32>, %k: index, %n: index) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> tensor<9xf32> {
    %b = tensor.insert %one into %a[%k] : tensor<9xf32>
    %e = tensor.extract %x[%k] : tensor<?xf32>
    %c = tensor.insert %e into %b[%c0] : tensor<9xf32>
    scf.yield %c : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

// The bounds of a loop say that it stays in range; and what the compiler made is.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<9x4xf32>, %[[K:[^:]*]]: index) -> (f32, tensor<9x4xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[DIM:.*]] = tensor.dim %[[X]], %[[C0]] : tensor<?xf32>
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[DIM]] step %[[C1]] iter_args(%[[ITER_2:.*]] = %[[CST]]) -> (f32) {
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[X]][%[[ITER]]] : tensor<?xf32>
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[ITER_2]], %[[EXTRACT]] : f32
// CHECK-NEXT: scf.yield %[[ADDF]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[FOR_2:.*]] = scf.for %[[ITER_3:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ITER_4:.*]] = %[[Y]]) -> (tensor<9x4xf32>) {
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[ITER_3]], %[[C4]] : index
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[ITER_4]][%[[ADDI]], 0] [2, 4] [1, 1] : tensor<9x4xf32> to tensor<2x4xf32>
// CHECK-NEXT: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[EXTRACT_SLICE]] into %[[ITER_4]][%[[ITER_3]], 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<9x4xf32>
// CHECK-NEXT: %[[INSERT:.*]] = tensor.insert %[[CST]] into %[[INSERT_SLICE]][%[[K]], %[[C0]]] {train.in_range} : tensor<9x4xf32>
// CHECK-NEXT: scf.yield %[[INSERT]] : tensor<9x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]], %[[FOR_2]] : f32, tensor<9x4xf32>
func.func @bounded(%x: tensor<?xf32>, %y: tensor<9x4xf32>, %k: index) -> (f32, tensor<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %e = tensor.extract %x[%i] : tensor<?xf32>
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %y) -> tensor<9x4xf32> {
    %j = arith.addi %i, %c4 : index
    %row = tensor.extract_slice %a[%j, 0] [2, 4] [1, 1] : tensor<9x4xf32> to tensor<2x4xf32>
    %b = tensor.insert_slice %row into %a[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<9x4xf32>
    %c = tensor.insert %zero into %b[%k, %c0] {train.in_range} : tensor<9x4xf32>
    scf.yield %c : tensor<9x4xf32>
  }
  return %s, %r : f32, tensor<9x4xf32>
}

// A loop whose last slice ends after the tensor has a check, and the slice
// starts at 0 where it fails.
// CHECK-LABEL: func.func @overlapping(
// CHECK-SAME: %[[X:[^:]*]]: tensor<9xf32>, %[[Y:[^:]*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C9:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[C9]] step %[[C1]] iter_args(%{{.*}} = %[[Y]]) -> (tensor<2xf32>) {
// CHECK-NEXT: %[[C9_2:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[C9_2]], %[[ITER]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ule, %[[ITER]], %[[C9_2]] : index
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi ule, %[[C2]], %[[SUBI]] : index
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI_2]] : i1
// CHECK-NEXT: linalg_ext.check safe sizes %[[ANDI]], "slice out of range of dimension 0" in "tensor.extract_slice", ", found offset \01, size 2, stride 1 and dimension size 9"(%[[ITER]])
// CHECK-NEXT: %[[C0_2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[ANDI]], %[[ITER]], %[[C0_2]] : index
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[X]][%[[SELECT]]] [2] [1] : tensor<9xf32> to tensor<2xf32>
// CHECK-NEXT: scf.yield %[[EXTRACT_SLICE]] : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<2xf32>
func.func @overlapping(%x: tensor<9xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %y) -> tensor<2xf32> {
    %s = tensor.extract_slice %x[%i] [2] [1] : tensor<9xf32> to tensor<2xf32>
    scf.yield %s : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// A slice that is too long wherever it starts does not run at all.
// CHECK-LABEL: func.func @too_long(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<5xf32>, %[[N:[^:]*]]: index) -> tensor<5xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[FOR:.*]] = scf.for %[[ITER:.*]] = %[[C0]] to %[[N]] step %[[C1]] iter_args(%{{.*}} = %[[Y]]) -> (tensor<5xf32>) {
// CHECK-NEXT: %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[SUBI:.*]] = arith.subi %[[C4]], %[[ITER]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ule, %[[ITER]], %[[C4]] : index
// CHECK-NEXT: %[[CMPI_2:.*]] = arith.cmpi ule, %[[C5]], %[[SUBI]] : index
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[CMPI]], %[[CMPI_2]] : i1
// CHECK-NEXT: linalg_ext.check safe sizes %[[ANDI]], "slice out of range of dimension 0" in "tensor.extract_slice", ", found offset \01, size 5, stride 1 and dimension size 4"(%[[ITER]])
// CHECK-NEXT: %[[IF:.*]] = scf.if %[[ANDI]] -> (tensor<5xf32>) {
// CHECK-NEXT: %[[EXTRACT_SLICE:.*]] = tensor.extract_slice %[[X]][%[[ITER]]] [5] [1] : tensor<4xf32> to tensor<5xf32>
// CHECK-NEXT: scf.yield %[[EXTRACT_SLICE]] : tensor<5xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<5xf32>
// CHECK-NEXT: %[[FILL:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[EMPTY]] : tensor<5xf32>) -> tensor<5xf32>
// CHECK-NEXT: scf.yield %[[FILL]] : tensor<5xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[IF]] : tensor<5xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[FOR]] : tensor<5xf32>
func.func @too_long(%x: tensor<4xf32>, %y: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> tensor<5xf32> {
    %s = tensor.extract_slice %x[%i] [5] [1] : tensor<4xf32> to tensor<5xf32>
    scf.yield %s : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// A single position has no stride.
// CHECK-LABEL: func @single
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?xf32>, %[[N:[^:]*]]: index,
// CHECK: %[[D:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[OK:.*]] = arith.cmpi ult, %c0{{.*}}, %[[D]] : index
// CHECK: linalg_ext.check sizes %[[OK]], "slice out of range of dimension 0" in {{.*}}, ", found offset 0, size 1, stride 2 and dimension size \01"(%{{.*}})
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[N]], %c1{{.*}} : index
// CHECK: %[[MOVED:.*]] = arith.addi %c9{{.*}}, %[[D2:.*]] : index
// CHECK: %[[TWICE:.*]] = arith.addi %[[D2]], %[[D2]] : index
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[MOVED]], %[[TWICE]] : index
// CHECK: arith.ori %[[ONE]], %[[FITS]] : i1
// CHECK: linalg_ext.check
// Constants that are in range, backwards.
// CHECK: tensor.extract_slice %{{.*}}[7] [3] [-1]
// CHECK-NOT: linalg_ext.check
func.func @single(%x: tensor<?xf32>, %n: index, %y: tensor<8xf32>) -> (tensor<1xf32>, tensor<?xf32>, tensor<3xf32>) {
  %0 = tensor.extract_slice %x[0] [1] [2] : tensor<?xf32> to tensor<1xf32>
  %1 = tensor.extract_slice %x[1] [%n] [9] : tensor<?xf32> to tensor<?xf32>
  %2 = tensor.extract_slice %y[7] [3] [-1] : tensor<8xf32> to tensor<3xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<?xf32>, tensor<3xf32>
}

// Each number of a slice may be known only when the step runs.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[O:[^:]*]]: index, %[[N:[^:]*]]: index, %[[S:[^:]*]]: index)
// CHECK: %[[D:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?xf32>
// CHECK: %[[STEPS:.*]] = arith.subi %[[N]], %[[ONE:.*]] : index
// CHECK-NEXT: %[[LENGTH:.*]] = arith.muli %[[STEPS]], %[[S]] : index
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[O]], %[[LENGTH]] : index
// CHECK-DAG: %[[BEGINS:.*]] = arith.cmpi ult, %[[O]], %[[D]] : index
// CHECK-DAG: %[[ENDS:.*]] = arith.cmpi ult, %[[LAST]], %[[D]] : index
// CHECK: %[[INSIDE:.*]] = arith.andi %[[BEGINS]], %[[ENDS]] : i1
// CHECK-NEXT: %[[SINGLE:.*]] = arith.cmpi eq, %[[N]], %[[ONE]] : index
// CHECK-NEXT: %[[MOVED:.*]] = arith.addi %[[S]], %[[D]] : index
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[D]], %[[D]] : index
// CHECK-NEXT: %[[NEAR:.*]] = arith.cmpi ule, %[[MOVED]], %[[TWICE]] : index
// CHECK-NEXT: %[[SHORT:.*]] = arith.ori %[[SINGLE]], %[[NEAR]] : i1
// CHECK-NEXT: %[[FEW:.*]] = arith.cmpi ule, %[[N]], %[[D]] : index
// CHECK-NEXT: %[[SMALL:.*]] = arith.andi %[[FEW]], %[[SHORT]] : i1
// CHECK-NEXT: %[[NONE:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[SMALL]] : i1
// CHECK-NEXT: %[[OK:.*]] = arith.ori %[[NONE]], %[[BOTH]] : i1
// CHECK: linalg_ext.check
func.func @dynamic(%x: tensor<?xf32>, %o: index, %n: index, %s: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[%o] [%n] [%s] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The dimension size of another tensor, or of another dimension, says nothing.
// CHECK-LABEL: func.func @others(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>
// CHECK-COUNT-2: linalg_ext.check
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @others(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %0 = tensor.extract_slice %x[0, 0] [%n, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.extract_slice %x[0, 0] [%w, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// A slice that ends in range may begin before it, or have a negative size.
// CHECK-LABEL: func.func @negative(
// CHECK: linalg_ext.check sizes %{{.*}}, "slice out of range of dimension 0" in {{.*}}, ", found offset \01, size 2, stride 1 and dimension size 9"
// CHECK: linalg_ext.check sizes %{{.*}}, "slice out of range of dimension 0" in {{.*}}, ", found offset 0, size \01, stride 1 and dimension size 9"
func.func @negative(%x: tensor<9xf32>, %n: index) -> (tensor<2xf32>, tensor<?xf32>) {
  %m = affine.min affine_map<()[s0] -> (s0, 4)>()[%n]
  %0 = tensor.extract_slice %x[%m] [2] [1] : tensor<9xf32> to tensor<2xf32>
  %1 = tensor.extract_slice %x[0] [%m] [1] : tensor<9xf32> to tensor<?xf32>
  return %0, %1 : tensor<2xf32>, tensor<?xf32>
}

// Backwards, it is the first position that may be after the tensor, and the start
// of the dimension is no better.
// CHECK-LABEL: func.func @down(
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args
// CHECK: linalg_ext.check safe sizes %{{.*}}, "slice out of range of dimension 0" in {{.*}}, ", found offset \01, size 3, stride -1 and dimension size 9"
// CHECK-NEXT: scf.if
// CHECK-NEXT: tensor.extract_slice %{{.*}}[%[[I]]] [3] [-1]
func.func @down(%x: tensor<9xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c11 = arith.constant 11 : index
  %r = scf.for %i = %c2 to %c11 step %c1 iter_args(%a = %y) -> tensor<3xf32> {
    %s = tensor.extract_slice %x[%i] [3] [-1] : tensor<9xf32> to tensor<3xf32>
    scf.yield %s : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// A branch that is out of range may never be taken. A slice that stands for a
// row has no dimension of 1; an element needs each of its indices.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: linalg_ext.check safe sizes %{{.*}}, "slice out of range of dimension 0" in {{.*}}, ", found offset 0, size 3, stride -1 and dimension size 8"
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %[[K:.*]], %{{.*}} : index
// CHECK: linalg_ext.check safe sizes %{{.*}}, "slice out of range of dimension 0"
// CHECK-NEXT: scf.if %[[ROW]] -> (tensor<7xf32>)
// CHECK: } else {
// CHECK: tensor.empty() : tensor<7xf32>
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[K]], %{{.*}} : index
// CHECK: linalg_ext.check safe sizes %{{.*}}, "index out of range of dimension 0"
// CHECK: %[[SECOND:.*]] = arith.cmpi ult, %[[J:.*]], %{{.*}} : index
// CHECK: linalg_ext.check safe sizes %{{.*}}, "index out of range of dimension 1"
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[FIRST]], %[[SECOND]] : i1
// CHECK-NEXT: scf.if %[[BOTH]] -> (f32)
func.func @branch(%c: i1, %x: tensor<8xf32>, %y: tensor<?x7xf32>, %z: tensor<?x?xf32>, %k: index, %j: index)
    -> (tensor<3xf32>, tensor<7xf32>, f32) {
  %d3 = arith.constant dense<0.0> : tensor<3xf32>
  %d7 = arith.constant dense<0.0> : tensor<7xf32>
  %d = arith.constant 0.0 : f32
  %0:3 = scf.if %c -> (tensor<3xf32>, tensor<7xf32>, f32) {
    %s = tensor.extract_slice %x[0] [3] [-1] : tensor<8xf32> to tensor<3xf32>
    %row = tensor.extract_slice %y[%k, 0] [1, 7] [1, 1] : tensor<?x7xf32> to tensor<7xf32>
    %e = tensor.extract %z[%k, %j] : tensor<?x?xf32>
    scf.yield %s, %row, %e : tensor<3xf32>, tensor<7xf32>, f32
  } else {
    scf.yield %d3, %d7, %d : tensor<3xf32>, tensor<7xf32>, f32
  }
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<7xf32>, f32
}

// The size of a guarded slice is known after the guard.
// CHECK-LABEL: func.func @guarded_size(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: scf.for %[[Q:[^ ]*]] =
// CHECK: %[[GUARDED:.*]] = scf.if %{{.*}} -> (tensor<?xf32>) {
// CHECK-NEXT: tensor.extract_slice %[[X]][0] [%[[Q]]] [1]
// CHECK: %[[WHOLE:.*]] = tensor.extract_slice %[[GUARDED]][0] [%[[Q]]] [1] {train.in_range}
// CHECK-NEXT: tensor.insert_slice %[[WHOLE]]
func.func @guarded_size(%x: tensor<?xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %q = %c0 to %c9 step %c1 iter_args(%a = %y) -> tensor<9xf32> {
    %s = tensor.extract_slice %x[0] [%q] [1] : tensor<?xf32> to tensor<?xf32>
    %t = tensor.insert_slice %s into %a[0] [%q] [1] : tensor<?xf32> into tensor<9xf32>
    scf.yield %t : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}
