// RUN: flywheel-opt %s --allow-unregistered-dialect --flywheel-check-slices | FileCheck %s

// Bounds of ops that would crash upstream's analysis, or for which its bounds
// would be wrong. See lib/Interfaces/ValueBounds.cpp.

// Integers on tensors: nothing is known of their dimensions.
// CHECK-LABEL: func @tensors
// CHECK-COUNT-4: linalg_ext.check {{.*}}, "slice out of range of dimension 0
// CHECK-NOT: linalg_ext.check
func.func @tensors(%x: tensor<?xi64>, %y: tensor<?xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %0 = arith.addi %x, %y : tensor<?xi64>
  %1 = tensor.extract_slice %0[0] [2] [1] : tensor<?xi64> to tensor<2xi64>
  %2 = arith.subi %x, %y : tensor<?xi64>
  %3 = tensor.extract_slice %2[0] [2] [1] : tensor<?xi64> to tensor<2xi64>
  %4 = arith.muli %x, %y : tensor<?xi64>
  %5 = tensor.extract_slice %4[0] [2] [1] : tensor<?xi64> to tensor<2xi64>
  %6 = arith.floordivsi %x, %y : tensor<?xi64>
  %7 = tensor.extract_slice %6[0] [2] [1] : tensor<?xi64> to tensor<2xi64>
  return %1, %3, %5, %7 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}

// A loop that does not run adds up nothing, and takes nothing off either.
// CHECK-LABEL: func @sum_of_no_iteration
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
func.func @sum_of_no_iteration(%x: tensor<3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %sum = scf.for %i = %c5 to %c2 step %c1 iter_args(%s = %c0) -> index {
    %next = arith.addi %s, %c1 : index
    scf.yield %next : index
  }
  %end = arith.addi %sum, %c5 : index
  %slice = tensor.extract_slice %x[0] [%end] [1] : tensor<3xf32> to tensor<?xf32>
  return %slice : tensor<?xf32>
}

// Conditions of branches, selects and loops are known inside of them, also
// where they follow each other or are nested.
// CHECK-LABEL: func @known
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @known(%x: tensor<?xf32>, %y: tensor<9xf32>, %n: index, %flag: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = scf.if %flag -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %inner = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<?xf32> {
      %next = scf.for %j = %c0 to %i step %c1 iter_args(%k = %h) -> tensor<?xf32> {
        %one = tensor.extract %y[%c4] : tensor<9xf32>
        %filled = linalg.fill ins(%one : f32) outs(%k : tensor<?xf32>) -> tensor<?xf32>
        scf.yield %filled : tensor<?xf32>
      }
      scf.yield %next : tensor<?xf32>
    }
    scf.yield %inner : tensor<?xf32>
  }
  %size = tensor.dim %a, %c0 : tensor<?xf32>
  %0 = tensor.extract_slice %x[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  %from = arith.select %flag, %c1, %c4 : index
  %more = scf.if %flag -> index {
    scf.yield %from : index
  } else {
    scf.yield %c4 : index
  }
  %1 = tensor.extract_slice %y[%from] [%more] [1] : tensor<9xf32> to tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// The last iteration of a loop whose step does not divide its trip count.
// CHECK-LABEL: func @steps
// CHECK-NOT: linalg_ext.check
// CHECK: scf.for
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
// CHECK-NOT: linalg_ext.check
func.func @steps(%x: tensor<10xf32>, %y: tensor<12xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = scf.for %i = %c0 to %c10 step %c3 iter_args(%sum = %zero) -> tensor<f32> {
    %1 = tensor.extract_slice %y[%i] [3] [1] : tensor<12xf32> to tensor<3xf32>
    %2 = nn.reduce sum %1 axes [0] : tensor<3xf32> -> tensor<f32>
    %3 = tensor.extract_slice %x[%i] [3] [1] : tensor<10xf32> to tensor<3xf32>
    %4 = nn.reduce sum %3 axes [0] : tensor<3xf32> -> tensor<f32>
    %5 = arith.addf %2, %4 : tensor<f32>
    scf.yield %5 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// Bounds that come from many others are given up rather than searched for.
// CHECK-LABEL: func @chain
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
func.func @chain(%x: tensor<?xf32>, %n: index, %flag: i1) -> tensor<?xf32> {
  %m0 = arith.minsi %n, %n : index
  %a0 = arith.select %flag, %m0, %n : index
  %m1 = arith.minsi %a0, %n : index
  %a1 = arith.select %flag, %m1, %a0 : index
  %m2 = arith.minsi %a1, %n : index
  %a2 = arith.select %flag, %m2, %a1 : index
  %m3 = arith.minsi %a2, %n : index
  %a3 = arith.select %flag, %m3, %a2 : index
  %m4 = arith.minsi %a3, %n : index
  %a4 = arith.select %flag, %m4, %a3 : index
  %m5 = arith.minsi %a4, %n : index
  %a5 = arith.select %flag, %m5, %a4 : index
  %m6 = arith.minsi %a5, %n : index
  %a6 = arith.select %flag, %m6, %a5 : index
  %m7 = arith.minsi %a6, %n : index
  %a7 = arith.select %flag, %m7, %a6 : index
  %m8 = arith.minsi %a7, %n : index
  %a8 = arith.select %flag, %m8, %a7 : index
  %m9 = arith.minsi %a8, %n : index
  %a9 = arith.select %flag, %m9, %a8 : index
  %m10 = arith.minsi %a9, %n : index
  %a10 = arith.select %flag, %m10, %a9 : index
  %m11 = arith.minsi %a10, %n : index
  %a11 = arith.select %flag, %m11, %a10 : index
  %m12 = arith.minsi %a11, %n : index
  %a12 = arith.select %flag, %m12, %a11 : index
  %m13 = arith.minsi %a12, %n : index
  %a13 = arith.select %flag, %m13, %a12 : index
  %m14 = arith.minsi %a13, %n : index
  %a14 = arith.select %flag, %m14, %a13 : index
  %m15 = arith.minsi %a14, %n : index
  %a15 = arith.select %flag, %m15, %a14 : index
  %m16 = arith.minsi %a15, %n : index
  %a16 = arith.select %flag, %m16, %a15 : index
  %m17 = arith.minsi %a16, %n : index
  %a17 = arith.select %flag, %m17, %a16 : index
  %m18 = arith.minsi %a17, %n : index
  %a18 = arith.select %flag, %m18, %a17 : index
  %m19 = arith.minsi %a18, %n : index
  %a19 = arith.select %flag, %m19, %a18 : index
  %m20 = arith.minsi %a19, %n : index
  %a20 = arith.select %flag, %m20, %a19 : index
  %m21 = arith.minsi %a20, %n : index
  %a21 = arith.select %flag, %m21, %a20 : index
  %m22 = arith.minsi %a21, %n : index
  %a22 = arith.select %flag, %m22, %a21 : index
  %m23 = arith.minsi %a22, %n : index
  %a23 = arith.select %flag, %m23, %a22 : index
  %m24 = arith.minsi %a23, %n : index
  %a24 = arith.select %flag, %m24, %a23 : index
  %m25 = arith.minsi %a24, %n : index
  %a25 = arith.select %flag, %m25, %a24 : index
  %m26 = arith.minsi %a25, %n : index
  %a26 = arith.select %flag, %m26, %a25 : index
  %m27 = arith.minsi %a26, %n : index
  %a27 = arith.select %flag, %m27, %a26 : index
  %m28 = arith.minsi %a27, %n : index
  %a28 = arith.select %flag, %m28, %a27 : index
  %m29 = arith.minsi %a28, %n : index
  %a29 = arith.select %flag, %m29, %a28 : index
  %m30 = arith.minsi %a29, %n : index
  %a30 = arith.select %flag, %m30, %a29 : index
  %m31 = arith.minsi %a30, %n : index
  %a31 = arith.select %flag, %m31, %a30 : index
  %m32 = arith.minsi %a31, %n : index
  %a32 = arith.select %flag, %m32, %a31 : index
  %m33 = arith.minsi %a32, %n : index
  %a33 = arith.select %flag, %m33, %a32 : index
  %m34 = arith.minsi %a33, %n : index
  %a34 = arith.select %flag, %m34, %a33 : index
  %m35 = arith.minsi %a34, %n : index
  %a35 = arith.select %flag, %m35, %a34 : index
  %m36 = arith.minsi %a35, %n : index
  %a36 = arith.select %flag, %m36, %a35 : index
  %m37 = arith.minsi %a36, %n : index
  %a37 = arith.select %flag, %m37, %a36 : index
  %m38 = arith.minsi %a37, %n : index
  %a38 = arith.select %flag, %m38, %a37 : index
  %m39 = arith.minsi %a38, %n : index
  %a39 = arith.select %flag, %m39, %a38 : index
  %slice = tensor.extract_slice %x[0] [%a39] [1] : tensor<?xf32> to tensor<?xf32>
  return %slice : tensor<?xf32>
}

// Quotients by constants, of sizes and of numbers that may be negative, towards
// zero; and remainders.
// CHECK-LABEL: func @divisions
// CHECK-NOT: linalg_ext.check
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK-NOT: linalg_ext.check
// CHECK: %[[MORE:.*]] = arith.addi %[[SUM]], %c2
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
// CHECK-NEXT: tensor.extract_slice %{{.*}}[0] [%[[MORE]]]
// CHECK: %[[LEAST:.*]] = arith.minsi
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
// CHECK-NEXT: tensor.extract_slice %{{.*}}[0] [%[[LEAST]]]
// CHECK-NOT: linalg_ext.check
// CHECK: return
func.func @divisions(%x: tensor<?xf32>, %k: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %half = arith.divui %n, %c2 : index
  %other = arith.divsi %n, %c2 : index
  %rest = arith.remui %n, %c2 : index
  %up = arith.ceildivui %n, %c2 : index
  %sum = arith.addi %half, %other : index
  %0 = tensor.extract_slice %x[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = tensor.extract_slice %x[%half] [%other] [1] : tensor<?xf32> to tensor<?xf32>
  %2 = tensor.extract_slice %x[0] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  %3 = tensor.extract_slice %x[0] [%up] [1] : tensor<?xf32> to tensor<?xf32>
  // One more than there are, and what may be negative.
  %more = arith.addi %sum, %c2 : index
  %4 = tensor.extract_slice %x[0] [%more] [1] : tensor<?xf32> to tensor<?xf32>
  %any = arith.divsi %k, %c2 : index
  %least = arith.minsi %any, %n : index
  %5 = tensor.extract_slice %x[0] [%least] [1] : tensor<?xf32> to tensor<?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The last part of a tensor is a smaller one.
// CHECK-LABEL: func @parts
// CHECK-NOT: linalg_ext.check
func.func @parts(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  scf.for %i = %c0 to %size step %c3 {
    %rest = arith.subi %size, %i : index
    %least = arith.minsi %rest, %c3 : index
    %part = tensor.extract_slice %x[%i] [%least] [1] : tensor<?xf32> to tensor<?xf32>
    %same = arith.minui %c3, %rest : index
    %again = tensor.extract_slice %x[%i] [%same] [1] : tensor<?xf32> to tensor<?xf32>
    "test.use"(%part, %again) : (tensor<?xf32>, tensor<?xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func @larger
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
// CHECK-NOT: linalg_ext.check
func.func @larger(%x: tensor<8xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %some = arith.maxsi %n, %c0 : index
  %least = arith.minsi %some, %c8 : index
  %in = tensor.extract_slice %x[0] [%least] [1] : tensor<8xf32> to tensor<?xf32>
  %most = arith.maxsi %n, %c2 : index
  %out = tensor.extract_slice %x[0] [%most] [1] : tensor<8xf32> to tensor<?xf32>
  return %in, %out : tensor<?xf32>, tensor<?xf32>
}

// A number that may be negative is not a size, whichever is smaller.
// CHECK-LABEL: func @negative
// CHECK: linalg_ext.check {{.*}}, "slice out of range of dimension 0
func.func @negative(%x: tensor<8xf32>, %n: index) -> tensor<?xf32> {
  %c8 = arith.constant 8 : index
  %least = arith.minsi %n, %c8 : index
  %part = tensor.extract_slice %x[0] [%least] [1] : tensor<8xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}

// Branches behind branches, each of which forwards one size from either side:
// as many steps as there are branches, not 2 to the power of that.
// CHECK-LABEL: func @branches
// CHECK-NOT: linalg_ext.check
func.func @branches(%x: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %last = scf.for %i = %c0 to %c4 step %c4 iter_args(%y = %x) -> tensor<?xf32> {
    %0 = scf.if %p -> tensor<?xf32> {
      %a = tensor.empty(%size) : tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    %1 = scf.if %p -> tensor<?xf32> {
      %n = tensor.dim %0, %c0 : tensor<?xf32>
      %a = tensor.empty(%n) : tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %0 : tensor<?xf32>
    }
    %2 = scf.if %p -> tensor<?xf32> {
      %n = tensor.dim %1, %c0 : tensor<?xf32>
      %a = tensor.empty(%n) : tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %1 : tensor<?xf32>
    }
    %3 = scf.if %p -> tensor<?xf32> {
      %n = tensor.dim %2, %c0 : tensor<?xf32>
      %a = tensor.empty(%n) : tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %2 : tensor<?xf32>
    }
    %4 = scf.if %p -> tensor<?xf32> {
      %n = tensor.dim %3, %c0 : tensor<?xf32>
      %a = tensor.empty(%n) : tensor<?xf32>
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %3 : tensor<?xf32>
    }
    scf.yield %4 : tensor<?xf32>
  }
  %part = tensor.extract_slice %last[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}
