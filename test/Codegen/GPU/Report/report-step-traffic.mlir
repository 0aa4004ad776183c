// RUN: flywheel-opt %s --pass-pipeline='builtin.module(func.func(flywheel-form-gpu-groups{report=true}))' -o /dev/null 2>&1 | FileCheck %s
// D9: what launches move, and have to.

// Both products read x, and neither needs the other: x, a, x and b are read, matrices of 1 MiB,
// and two are written, where three reads are enough.
// CHECK: remark: the launches of 'apart' move 6291456 bytes at least, 1.20 times those that their chains need, 1.20 times each buffer once
func.func @apart(%x: memref<512x512xf32>, %a: memref<512x512xf32>, %b: memref<512x512xf32>,
                 %y: memref<512x512xf32>, %z: memref<512x512xf32>) {
  linalg.matmul ins(%x, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
  linalg.matmul ins(%x, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%z : memref<512x512xf32>)
  return
}

// The second product needs the first one: each reads a for itself.
// CHECK: remark: the launches of 'chain' move 6291456 bytes at least, 1.00 times those that their chains need, 1.20 times each buffer once
func.func @chain(%x: memref<512x512xf32>, %a: memref<512x512xf32>,
                 %y: memref<512x512xf32>, %z: memref<512x512xf32>) {
  linalg.matmul ins(%x, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
  linalg.matmul ins(%y, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%z : memref<512x512xf32>)
  return
}

// The initial value of a sum is in registers: 512 * 512 * 4 * 3. Zeros that another op adds to later are
// written: 9000 * 64 * 4, and read and written there for the rows that are added.
// CHECK: remark: the launches of 'started' move 3145728 bytes at least
// CHECK: remark: the launches of 'filled' move 2460000 bytes at least
func.func @started(%x: memref<512x512xf32>, %a: memref<512x512xf32>, %y: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<512x512xf32>)
  linalg.matmul ins(%x, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%y : memref<512x512xf32>)
  return
}
func.func @filled(%i: memref<200xi32>, %order: memref<200xi64>, %u: memref<200x64xf32>, %y: memref<9000x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<9000x64xf32>)
  linalg_ext.scatter add ins(%i, %u : memref<200xi32>, memref<200x64xf32>) outs(%y : memref<9000x64xf32>) axis 0 order %order : memref<200xi64>
  return
}

// Ops that follow indices count as well: of a table the bytes of the slices that are looked up, the
// indices, and the result: 200 * (64 + 64 + 1) * 4.
// CHECK: remark: the launches of 'gather' move 103200 bytes at least, 1.00 times those that their chains need
func.func @gather(%x: memref<9000x64xf32>, %i: memref<200xi32>, %out: memref<200x64xf32>) {
  linalg_ext.gather ins(%x, %i : memref<9000x64xf32>, memref<200xi32>) outs(%out : memref<200x64xf32>) axis 0
  return
}

// Tiles are sorted; merging them goes there and back once, as 5000 are more than two tiles and no more
// than eight: 5000 * (4 + 8 + 2 * (4 + 8 + 8)).
// CHECK: remark: the launches of 'sort' move 260000 bytes at least
func.func @sort(%i: memref<5000xi32>, %order: memref<5000xi64>, %spare: memref<5000xi64>, %counts: memref<2048xi64>) {
  %limit = arith.constant 100 : index
  linalg_ext.argsort ins(%i : memref<5000xi32>) below %limit outs(%order, %spare, %counts : memref<5000xi64>, memref<5000xi64>, memref<2048xi64>)
  return
}

// The old elements and the added ones: 200 * (4 + 8 + 3 * 4 * 64).
// CHECK: remark: the launches of 'scatter' move 156000 bytes at least
func.func @scatter(%i: memref<200xi32>, %order: memref<200xi64>, %u: memref<200x64xf32>, %y: memref<9000x64xf32>) {
  linalg_ext.scatter add ins(%i, %u : memref<200xi32>, memref<200x64xf32>) outs(%y : memref<9000x64xf32>) axis 0 order %order : memref<200xi64>
  return
}

// Rows that are looked up are read and written, all rows with `all`: 200 * (4 + 8 + 3 * 4 * 64), and
// 200 * (4 + 8 + 4 * 64) + 2 * 9000 * 4 * 64.
// CHECK: remark: the launches of 'some' move 156000 bytes at least
// CHECK: remark: the launches of 'every' move 4661600 bytes at least
func.func @some(%i: memref<200xi32>, %order: memref<200xi64>, %rows: memref<200x64xf32>, %table: memref<9000x64xf32>) {
  linalg_ext.update_rows ins(%i, %order, %rows : memref<200xi32>, memref<200xi64>, memref<200x64xf32>) outs(%table : memref<9000x64xf32>) {
  ^bb0(%g: f32, %p: f32):
    %next = arith.subf %p, %g : f32
    linalg_ext.yield %next : f32
  }
  return
}
func.func @every(%i: memref<200xi32>, %order: memref<200xi64>, %rows: memref<200x64xf32>, %table: memref<9000x64xf32>) {
  linalg_ext.update_rows all ins(%i, %order, %rows : memref<200xi32>, memref<200xi64>, memref<200x64xf32>) outs(%table : memref<9000x64xf32>) {
  ^bb0(%g: f32, %p: f32):
    %next = arith.subf %p, %g : f32
    linalg_ext.yield %next : f32
  }
  return
}

// A running sum, and one triangle of a matrix with what it is solved for, there and back:
// 2 * 3 * 1000 * 4, and 3 * (40 * 40 / 2 + 2 * 40 * 5) * 4.
// CHECK: remark: the launches of 'scan' move 24000 bytes at least
// CHECK: remark: the launches of 'solve' move 14400 bytes at least
func.func @scan(%x: memref<3x1000xf32>, %y: memref<3x1000xf32>) {
  linalg_ext.scan ins(%x : memref<3x1000xf32>) outs(%y : memref<3x1000xf32>) axis 1
  return
}
func.func @solve(%a: memref<3x40x40xf32>, %x: memref<3x40x5xf32>) {
  linalg_ext.triangular_solve ins(%a : memref<3x40x40xf32>) outs(%x : memref<3x40x5xf32>)
  return
}

// A dimension that is joined of others has the product of what they count as: 2 * 64 * 3 * 8 * 4.
// CHECK: remark: the launches of 'joined' move 12288 bytes at least
func.func @joined(%x: memref<?x3x8xf32>, %y: memref<?x3x8xf32>) {
  %from = memref.collapse_shape %x [[0, 1, 2]] : memref<?x3x8xf32> into memref<?xf32>
  %to = memref.collapse_shape %y [[0, 1, 2]] : memref<?x3x8xf32> into memref<?xf32>
  linalg_ext.scan ins(%from : memref<?xf32>) outs(%to : memref<?xf32>) axis 0
  return
}

// Sizes that the call chooses count as 64, or as the options say: those of x and of its result, of 32 bytes a row, and of what a
// block has of them at most.
// RUN: flywheel-compile %S/Inputs/negate.mlir --target=cuda:sm_90a --emit=flywheel-loops --report -o /dev/null 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: flywheel-compile %S/Inputs/negate.mlir --target=cuda:sm_90a --emit=flywheel-loops --report --max-batch=16 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: flywheel-compile %S/Inputs/negate.mlir --target=cuda:sm_90a --emit=flywheel-loops --report --max-dim-size=batch=256 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMED
// MOST: remark: the launches of 'negate' move 65536 bytes at least where every dimension size is 1024, 1.00 times
// MOST: remark: kernel 'negate_{{.*}}': blocks unknown, threads 256, bytes read 32768, written 32768
// BATCH: remark: the launches of 'negate' move 1024 bytes at least where every dimension size is 16, 1.00 times
// BATCH: bytes read 512, written 512, accessed 1024, flops 128,
// NAMED: remark: the launches of 'negate' move 16384 bytes at least where every dimension size is 256, 1.00 times
// NAMED: bytes read 8192, written 8192, accessed 16384, flops 2048,
