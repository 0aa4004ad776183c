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
