// RUN: flywheel-opt %s --flywheel-rematerialize='memory-budget=256' --split-input-file --verify-diagnostics | FileCheck %s

// Every buffer has 64 bytes, so four fit, and five are live where the first
// product is made. The first value of the chain is recomputed when the backward
// part needs it.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]*]]: memref<16xf32>, %[[R:[^:]*]]: memref<16xf32>
// CHECK: linalg.exp ins(%[[X]] {{.*}} outs(%[[A:.*]] : memref<16xf32>)
// CHECK: linalg.exp ins(%[[A]] {{.*}} outs(%[[B:.*]] : memref<16xf32>)
// CHECK: linalg.exp ins(%[[B]] {{.*}} outs(%[[C:.*]] : memref<16xf32>)
// CHECK: linalg.exp ins(%[[C]] {{.*}} outs(%[[D:.*]] : memref<16xf32>)
// CHECK: linalg.mul ins(%[[D]], %[[C]] {{.*}} outs(%[[E:.*]] : memref<16xf32>)
// CHECK: linalg.mul ins(%[[E]], %[[B]] {{.*}} outs(%[[F:.*]] : memref<16xf32>)
// CHECK: linalg.exp ins(%[[X]] {{.*}} outs(%[[A1:.*]] : memref<16xf32>)
// CHECK: linalg.mul ins(%[[F]], %[[A1]] {{.*}} outs(%[[R]]
// CHECK-NEXT: return
// expected-remark@below {{'chain' recomputes 1 value, for about 24 % more arithmetic: its workspace is 256 bytes instead of 320}}
func.func @chain(%x: memref<16xf32>, %r: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  %d = memref.alloc() : memref<16xf32>
  linalg.exp ins(%c : memref<16xf32>) outs(%d : memref<16xf32>)
  %e = memref.alloc() : memref<16xf32>
  linalg.mul ins(%d, %c : memref<16xf32>, memref<16xf32>) outs(%e : memref<16xf32>)
  %f = memref.alloc() : memref<16xf32>
  linalg.mul ins(%e, %b : memref<16xf32>, memref<16xf32>) outs(%f : memref<16xf32>)
  linalg.mul ins(%f, %a : memref<16xf32>, memref<16xf32>) outs(%r : memref<16xf32>)
  return
}

// -----

// A value that was computed from the variable before it was overwritten is not
// recomputed after that: the other value is, though it costs more.
// CHECK-LABEL: func.func @overwritten(
// CHECK-SAME: %[[X:[^:]*]]: memref<32xf32>, %[[V:[^:]*]]: memref<32xf32>
// CHECK: linalg.abs ins(%[[V]] {{.*}} outs(%[[OLD:.*]] : memref<32xf32>)
// CHECK: linalg.exp ins(%[[X]]
// CHECK: linalg.copy {{.*}} outs(%[[V]]
// CHECK-NOT: linalg.abs
// CHECK: linalg.exp ins(%[[X]] {{.*}} outs(%[[NEW:.*]] : memref<32xf32>)
// CHECK-NEXT: linalg.mul ins(%[[OLD]], %[[NEW]]
// EXAMPLE: --flywheel-rematerialize=memory-budget=256
// expected-remark@below {{'overwritten' recomputes 1 value}}
func.func @overwritten(%x: memref<32xf32>, %v: memref<32xf32>) {
  %a = memref.alloc() : memref<32xf32>
  linalg.abs ins(%v : memref<32xf32>) outs(%a : memref<32xf32>)
  %b = memref.alloc() : memref<32xf32>
  linalg.exp ins(%x : memref<32xf32>) outs(%b : memref<32xf32>)
  linalg.copy ins(%b : memref<32xf32>) outs(%v : memref<32xf32>)
  %c = memref.alloc() : memref<32xf32>
  linalg.negf ins(%x : memref<32xf32>) outs(%c : memref<32xf32>)
  linalg.add ins(%c, %v : memref<32xf32>, memref<32xf32>) outs(%v : memref<32xf32>)
  linalg.mul ins(%a, %b : memref<32xf32>, memref<32xf32>) outs(%v : memref<32xf32>)
  return
}

// -----

// A buffer is recomputed by all that writes it, and read through the views that
// it was read through, also inside a loop.
// CHECK-LABEL: func.func @parts(
// CHECK: linalg.fill
// CHECK: linalg.exp
// CHECK: linalg.negf
// CHECK: linalg.add
// CHECK: %[[AGAIN:.*]] = memref.alloc() : memref<32xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[AGAIN]]
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[AGAIN]][0] [16] [1]
// CHECK-NEXT: linalg.exp {{.*}} outs(%[[PART]]
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.load %[[AGAIN]][%[[I]]]
// CHECK: return
// expected-remark@below {{'parts' recomputes 1 value}}
func.func @parts(%x: memref<16xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<32xf32>)
  %part = memref.subview %a[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  linalg.exp ins(%x : memref<16xf32>) outs(%part : memref<16xf32, strided<[1]>>)
  linalg.copy ins(%a : memref<32xf32>) outs(%y : memref<32xf32>)
  %b = memref.alloc() : memref<48xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<48xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.negf ins(%x : memref<16xf32>) outs(%c : memref<16xf32>)
  %d = memref.subview %b[0] [16] [1] : memref<48xf32> to memref<16xf32, strided<[1]>>
  %e = memref.subview %y[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  linalg.add ins(%c, %d : memref<16xf32>, memref<16xf32, strided<[1]>>) outs(%e : memref<16xf32, strided<[1]>>)
  scf.for %i = %c0 to %c32 step %c1 {
    %0 = memref.load %a[%i] : memref<32xf32>
    memref.store %0, %y[%i] : memref<32xf32>
  }
  return
}

// -----

// The budget is meant for a dimension size of 64: 256 bytes are just enough.
// CHECK-LABEL: func.func @fits(
// CHECK-COUNT-1: linalg.abs
// CHECK-NOT: linalg.abs
// CHECK: return
func.func @fits(%x: memref<?xf32> {train.dim_sizes = array<i64: 0>})
    attributes {train.symbols = ["batch"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.abs ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.negf ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
