// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// M6: calls of the host.
// RUN: flywheel-opt --flywheel-lower-host-calls %s | FileCheck %s

// The table has the site, the numbers of inputs and outputs, and of each buffer
// its element type, rank, address, sizes, and strides in bytes.

// CHECK: func.func private @flywheel_host_call(i64, i32) -> i32
// CHECK-LABEL: func.func @call(
// CHECK-SAME: %[[X:.*]]: memref<?x2xf32, strided<[4, 1], offset: ?>>, %[[STATUS:.*]]: memref<i32>, %[[OUT:.*]]: memref<3xi16>
// CHECK: %[[TABLE:.*]] = memref.alloca() : memref<15xi64>
// CHECK: scf.for
// CHECK: %[[SITE:.*]] = arith.constant 7 : i64
// CHECK: memref.store %[[SITE]], %[[TABLE]][%c0{{.*}}]
// CHECK: memref.extract_strided_metadata %[[X]]
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: memref.extract_strided_metadata %[[OUT]]
// CHECK: %[[OLD:.*]] = memref.load %[[STATUS]][]
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[TABLE]]
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[NEW:.*]] = func.call @flywheel_host_call(%[[ADDRESS]], %[[OLD]])
// CHECK: memref.store %[[NEW]], %[[STATUS]][]
// CHECK-NOT: linalg_ext.host_call
func.func @call(%x: memref<?x2xf32, strided<[4, 1], offset: ?>>, %status: memref<i32>, %out: memref<3xi16>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    linalg_ext.host_call "callback" 7 ins(%x : memref<?x2xf32, strided<[4, 1], offset: ?>>) outs(%status, %out : memref<i32>, memref<3xi16>) {number = 0 : i64}
  }
  return
}
