// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=3 min-work=1 min-loop-work=1000}))' | FileCheck %s
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=1 min-work=1 min-loop-work=1000}))' | FileCheck %s --check-prefix=ONE
// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=3 min-work=100000000}))' | FileCheck %s --check-prefix=ONE

// RUN: flywheel-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(flywheel-distribute-step{workers=64 min-work=4000 min-loop-work=1000}))' | FileCheck %s --check-prefix=FEW

// ONE-NOT: codegen.

// Two ops that share rows in the same way do not wait for each other; one that
// reads the columns of what was computed in rows does.
// CHECK-DAG: #[[$BEGIN:.*]] = affine_map<()[s0, s1] -> (((s1 * 16) floordiv s0) * 4)>
// CHECK-DAG: #[[$NEXT:.*]] = affine_map<()[s0, s1] -> (((s1 * 16 + 16) floordiv s0) * 4)>
// CHECK-LABEL: func.func @rows_then_columns
// CHECK-SAME: codegen.workers = 3
// A worker for each 2000 operations, of about 98,000.
// FEW-LABEL: func.func @rows_then_columns
// FEW-SAME: codegen.workers = 49
func.func @rows_then_columns(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  // CHECK-DAG: %[[W:.*]] = codegen.worker : index
  // CHECK-DAG: %[[N:.*]] = codegen.num_workers : index
  // CHECK-DAG: %[[LOW:.*]] = affine.apply #[[$BEGIN]]()[%[[N]], %[[W]]]
  // CHECK-DAG: %[[HIGH:.*]] = affine.apply #[[$NEXT]]()[%[[N]], %[[W]]]
  // CHECK: %[[END:.*]] = arith.minsi %[[HIGH]], %{{.*}}
  // CHECK: scf.for %[[I:.*]] = %[[LOW]] to %[[END]] step %{{.*}} {
  // CHECK: memref.subview %{{.*}}[%[[I]], 0] [4, 64] [1, 1]
  // CHECK: math.exp
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  // CHECK-NOT: codegen.barrier
  // CHECK: scf.for
  // CHECK: math.sqrt
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<64x64xf32>) {
  ^bb0(%o: f32):
    %e = math.sqrt %o : f32
    linalg.yield %e : f32
  }
  // CHECK: codegen.barrier
  // CHECK: scf.for
  // CHECK: math.log
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : memref<64x64xf32>) outs(%z : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.log %a : f32
    linalg.yield %e : f32
  }
  // CHECK-NOT: codegen.barrier
  // CHECK: return
  return
}

// -----

// Small ops are for the first worker, which waits where it reads what others
// wrote. A number that all workers use is read by each of them, after a barrier.
// CHECK-LABEL: func.func @first
func.func @first(%x: memref<64x64xf32>, %s: memref<f32>, %t: memref<f32>) {
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: }
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %s[] : memref<f32>
  memref.copy %s, %t : memref<f32> to memref<f32>
  // CHECK-NEXT: codegen.barrier
  // CHECK-NEXT: %[[V:.*]] = memref.load
  %v = memref.load %t[] : memref<f32>
  // CHECK: scf.for
  // CHECK: arith.addf %{{.*}}, %[[V]]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<64x64xf32>) {
  ^bb0(%o: f32):
    %e = arith.addf %o, %v : f32
    linalg.yield %e : f32
  }
  // A reduction that is not a loop over blocks is left to the first worker.
  // CHECK: codegen.barrier
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: linalg.generic {{.*}} ins(%{{.*}}) outs(%{{.*}} : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : memref<64x64xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.addf %o, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// An iteration waits for the one before it, but not for what only it reads.
// CHECK-LABEL: func.func @recurrence
func.func @recurrence(%h: memref<64x64xf32>, %w: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<64x64xf32>
  // CHECK: scf.for %{{.*}} to %arg2 step
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: codegen.barrier
    // CHECK: linalg.matmul
    linalg.matmul ins(%w, %h : memref<64x64xf32>, memref<64x64xf32>) outs(%t : memref<64x64xf32>)
    // CHECK: codegen.barrier
    // CHECK: memref.copy
    memref.copy %t, %h : memref<64x64xf32> to memref<64x64xf32>
    // CHECK-NOT: codegen.barrier
  }
  // CHECK: return
  return
}

// -----

// If each worker needs its own rows only, no iteration waits.
// CHECK-LABEL: func.func @own_rows
func.func @own_rows(%h: memref<64x64xf32>, %w: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<64x64xf32>
  // CHECK-NOT: codegen.barrier
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%h, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%t : memref<64x64xf32>)
    memref.copy %t, %h : memref<64x64xf32> to memref<64x64xf32>
  }
  // CHECK: return
  return
}

// -----

// A loop over tiles is shared as it is. Each worker has its own copy of the
// loop's allocations. The last worker has the rest, without a barrier.
// CHECK-LABEL: func.func @group
func.func @group(%x: memref<?x64xf32>, %w: memref<64x64xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %dim = memref.dim %x, %c0 : memref<?x64xf32>
  %full = affine.apply affine_map<()[s0] -> ((s0 floordiv 8) * 8)>()[%dim]
  // CHECK: %[[LAST:.*]] = arith.cmpi eq
  // CHECK: scf.for
  scf.for %i = %c0 to %full step %c8 {
    // CHECK: memref.alloc() {codegen.private}
    %t = memref.alloc() : memref<8x64xf32>
    %a = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<?x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [8, 64] [1, 1] : memref<?x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%a, %w : memref<8x64xf32, strided<[64, 1], offset: ?>>, memref<64x64xf32>) outs(%t : memref<8x64xf32>)
    memref.copy %t, %b : memref<8x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
  }
  // CHECK: }
  // CHECK-NOT: codegen.barrier
  // CHECK: scf.if
  // CHECK-NEXT: scf.for
  scf.for %i = %full to %dim step %c8 {
    %rest = affine.apply affine_map<(d0)[s0] -> (-d0 + s0)>(%i)[%dim]
    %a = memref.subview %x[%i, 0] [%rest, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [%rest, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%a, %w : memref<?x64xf32, strided<[64, 1], offset: ?>>, memref<64x64xf32>) outs(%b : memref<?x64xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

// -----

// An iteration that reads what another one writes: these are in order.
// CHECK-LABEL: func.func @dependent
func.func @dependent(%x: memref<65x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: scf.for
  scf.for %i = %c0 to %c64 step %c1 {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<65x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    %b = memref.subview %x[%j, 0] [1, 64] [1, 1] : memref<65x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %a, %b : memref<1x64xf32, strided<[64, 1], offset: ?>> to memref<1x64xf32, strided<[64, 1], offset: ?>>
  }
  return
}

// -----

// Upstream would tile a reversed operand wrongly.
// CHECK-LABEL: func.func @reversed
func.func @reversed(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  // CHECK: scf.if
  // CHECK-NEXT: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (-i + 63, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// A loop ends after its condition: ops there are not after the barriers
// of its body.
// CHECK-LABEL: func.func @while
func.func @while(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>, %more: memref<i1>) {
  // CHECK: scf.while
  scf.while : () -> () {
    // CHECK: codegen.barrier
    // CHECK: linalg.fill
    %one = arith.constant 1.0 : f32
    linalg.fill ins(%one : f32) outs(%x : memref<64x64xf32>)
    %m = memref.load %more[] : memref<i1>
    scf.condition(%m)
  } do {
    // CHECK: codegen.barrier
    // CHECK: linalg.transpose
    linalg.transpose ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) permutation = [1, 0]
    scf.yield
  }
  // CHECK: scf.yield
  // CHECK: codegen.barrier
  // CHECK: linalg.transpose
  linalg.transpose ins(%x : memref<64x64xf32>) outs(%z : memref<64x64xf32>) permutation = [1, 0]
  return
}

// -----

// The element with the number of a block is not the first one of the block.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%x: memref<64x256xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.if
  // CHECK-NEXT: scf.for
  scf.for %i = %c0 to %c64 step %c4 {
    %number = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
    %a = memref.subview %x[%i, 0] [1, 256] [1, 1] : memref<64x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>>
    %b = memref.subview %x[%number, 0] [1, 256] [1, 1] : memref<64x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>>
    memref.copy %a, %b : memref<1x256xf32, strided<[256, 1], offset: ?>> to memref<1x256xf32, strided<[256, 1], offset: ?>>
  }
  return
}

// -----

// A buffer that a loop passes on may be any of those that it is given.
// CHECK-LABEL: func.func @passed_on
func.func @passed_on(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK: scf.for {{.*}} iter_args
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (memref<64x64xf32>, memref<64x64xf32>) {
    // CHECK: codegen.barrier
    // CHECK: linalg.fill
    linalg.fill ins(%one : f32) outs(%p : memref<64x64xf32>)
    // CHECK: codegen.barrier
    // CHECK: linalg.transpose
    linalg.transpose ins(%p : memref<64x64xf32>) outs(%z : memref<64x64xf32>) permutation = [1, 0]
    scf.yield %q, %p : memref<64x64xf32>, memref<64x64xf32>
  }
  // CHECK: scf.yield
  // CHECK: codegen.barrier
  // CHECK: linalg.fill
  linalg.fill ins(%one : f32) outs(%y : memref<64x64xf32>)
  return
}

// -----

// The rows of one iteration's window are not those of the next one's.
// CHECK-LABEL: func.func @windows
func.func @windows(%x: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %c64 step %c1 {
    %window = memref.subview %x[%i, 0] [64, 64] [1, 1] : memref<128x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    // CHECK: codegen.barrier
    // CHECK: math.exp
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%window : memref<64x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%o: f32):
      %e = math.exp %o : f32
      linalg.yield %e : f32
    }
  }
  return
}

// -----

// Each worker has its rows in every step of time.
// CHECK-LABEL: func.func @times
func.func @times(%x: memref<16x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  // CHECK-NOT: codegen.barrier
  scf.for %i = %c0 to %c15 step %c1 {
    %next = arith.addi %i, %c1 : index
    %before = memref.subview %x[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<16x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %after = memref.subview %x[%next, 0, 0] [1, 64, 64] [1, 1, 1] : memref<16x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    linalg.exp ins(%before : memref<64x64xf32, strided<[64, 1], offset: ?>>) outs(%after : memref<64x64xf32, strided<[64, 1], offset: ?>>)
  }
  // CHECK: return
  return
}

// -----

// Every worker takes a loop with a check inside.
// CHECK-LABEL: func.func @checks
func.func @checks(%x: memref<64x64xf32>, %s: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: linalg_ext.check
    %good = arith.cmpi ult, %i, %c1 : index
    linalg_ext.check data %good, "too many"
    // CHECK: scf.if
    // CHECK-NEXT: linalg.generic
    linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%s : memref<f32>) {
    ^bb0(%o: f32):
      %e = math.exp %o : f32
      linalg.yield %e : f32
    }
  }
  // CHECK: linalg.exp
  linalg.exp ins(%x : memref<64x64xf32>) outs(%x : memref<64x64xf32>)
  return
}

// -----

// A last block that starts within the one before, to end with the loop, is of the worker
// that has the one before too: of 97 rows three workers have 28, 28 and 41. The loops
// after and before share rows in the same way.
#start = affine_map<(i) -> (i, 83)>
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @overlapping
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: codegen.barrier
// CHECK: scf.for
// CHECK: math.sqrt
// CHECK-NOT: codegen.barrier
// CHECK: return
func.func @overlapping(%x: memref<97x64xf32>, %y: memref<97x64xf32>) {
  %c0 = arith.constant 0 : index
  %c14 = arith.constant 14 : index
  %c97 = arith.constant 97 : index
  scf.for %i = %c0 to %c97 step %c14 {
    %s = affine.min #start(%i)
    %p = memref.subview %x[%s, 0] [14, 64] [1, 1] : memref<97x64xf32> to memref<14x64xf32, strided<[64, 1], offset: ?>>
    %q = memref.subview %y[%s, 0] [14, 64] [1, 1] : memref<97x64xf32> to memref<14x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : memref<14x64xf32, strided<[64, 1], offset: ?>>) outs(%q : memref<14x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %e = math.exp %a : f32
      linalg.yield %e : f32
    }
  }
  scf.for %i = %c0 to %c97 step %c14 {
    %s = affine.min #start(%i)
    %q = memref.subview %y[%s, 0] [14, 64] [1, 1] : memref<97x64xf32> to memref<14x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%q : memref<14x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%o: f32):
      %e = math.sqrt %o : f32
      linalg.yield %e : f32
    }
  }
  return
}

// -----

// If there are five blocks, the last worker of three has two, but one of four or five
// would not: a loop with less than two blocks for each is not shared. Its rows are.
#start = affine_map<(i) -> (i, 51)>
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @few_overlapping
// CHECK: scf.for %{{.*}} = %{{c0.*}} to %c65 step %c14
// CHECK: codegen.barrier
// CHECK: scf.for %{{.*}} step %{{c1_.*}} {
// CHECK: math.exp
func.func @few_overlapping(%x: memref<65x64xf32>, %y: memref<65x64xf32>) {
  %c0 = arith.constant 0 : index
  %c14 = arith.constant 14 : index
  %c65 = arith.constant 65 : index
  scf.for %i = %c0 to %c65 step %c14 {
    %s = affine.min #start(%i)
    %p = memref.subview %x[%s, 0] [14, 64] [1, 1] : memref<65x64xf32> to memref<14x64xf32, strided<[64, 1], offset: ?>>
    %q = memref.subview %y[%s, 0] [14, 64] [1, 1] : memref<65x64xf32> to memref<14x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : memref<14x64xf32, strided<[64, 1], offset: ?>>) outs(%q : memref<14x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %e = math.exp %a : f32
      linalg.yield %e : f32
    }
  }
  return
}

// -----

// Blocks of rows of any size are in one loop with the last one: kernels gain
// nothing by knowing how many rows a block has.
// CHECK-DAG: #[[$REST:.*]] = affine_map<(d0)[s0] -> (16, -d0 + s0)>
// CHECK-LABEL: func.func @any_rows
func.func @any_rows(%x: memref<?x64x64xf32>, %y: memref<?x64x64xf32>) {
  // CHECK: %[[SIZE:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?x64x64xf32>
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[ROWS:.*]] = affine.min #[[$REST]](%[[I]])[%[[SIZE]]]
  // CHECK: memref.subview %{{.*}}[%[[I]], 0, 0] [%[[ROWS]], 64, 64] [1, 1, 1]
  // CHECK: linalg.exp
  // CHECK-NOT: scf.for
  // CHECK: return
  linalg.exp ins(%x : memref<?x64x64xf32>) outs(%y : memref<?x64x64xf32>)
  return
}

// -----

// Blocks of elements that lie side by side have a size that vectors divide; the
// last one has a loop of its own.
// CHECK-LABEL: func.func @any_elements
func.func @any_elements(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  // CHECK: scf.for
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [64] [1]
  // CHECK: scf.for
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [40] [1]
  // CHECK: return
  linalg.exp ins(%x : memref<1000xf32>) outs(%y : memref<1000xf32>)
  return
}

// -----

// The initial value of a sum of products is filled in the loop that computes it: there they are one
// kernel.
// CHECK-LABEL: func.func @filled_sum
// CHECK: scf.for
// CHECK-NOT: codegen.barrier
// CHECK: linalg.fill {{.*}} outs(%[[ROWS:.*]] : memref<4x64xf32
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[ROWS]] : memref<4x64xf32
// CHECK: }
// CHECK: codegen.barrier
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @filled_sum(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<64x64xf32>)
  linalg.matmul ins(%x, %y : memref<64x64xf32>, memref<64x64xf32>) outs(%z : memref<64x64xf32>)
  linalg.matmul ins(%y, %z : memref<64x64xf32>, memref<64x64xf32>) outs(%x : memref<64x64xf32>)
  return
}
