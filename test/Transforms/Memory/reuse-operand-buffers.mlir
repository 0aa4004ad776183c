// RUN: flywheel-opt %s --flywheel-reuse-operand-buffers --split-input-file | FileCheck %s
// RUN: flywheel-opt %s --flywheel-reuse-operand-buffers=min-bytes=1024 --split-input-file | FileCheck %s --check-prefix=SMALL

#id = affine_map<(d0, d1) -> (d0, d1)>

// T32: an elementwise op, and one after it: one buffer for all three.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]*]]: memref<512x512xf32>, %[[R:[^:]*]]: memref<512x512xf32>
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%[[X]] {{.*}} outs(%[[A]]
// CHECK: linalg.generic {{.*}} ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK: linalg.generic {{.*}} ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK: linalg.copy ins(%[[A]]
func.func @chain(%x: memref<512x512xf32>, %r: memref<512x512xf32>) {
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  %b = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<512x512xf32>) outs(%b : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<512x512xf32>) outs(%c : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%c : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A buffer that is read once more, an argument, a buffer that is read in
// another order, and small buffers stay.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-5: memref.alloc()
// CHECK: return
func.func @apart(%x: memref<512x512xf32>, %s: memref<8x8xf32>, %r: memref<512x512xf32>, %t: memref<8x8xf32>) {
  // Reads an argument.
  %a = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  // Reads `a`, which is read once more.
  %b = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<512x512xf32>) outs(%b : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.add ins(%a, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  // Reads `b`, in another order.
  %c = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<512x512xf32>) outs(%c : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%c : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  // Small ones.
  %d = memref.alloc() : memref<8x8xf32>
  linalg.copy ins(%s : memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  %f = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%d : memref<8x8xf32>) outs(%f : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%f : memref<8x8xf32>) outs(%t : memref<8x8xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Tiles after a product: each part is read, then written.
// CHECK-LABEL: func.func @tiles(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[IN:.*]] = memref.subview %[[A]]
// CHECK: %[[OUT:.*]] = memref.subview %[[A]]
// CHECK: linalg.generic {{.*}} ins(%[[IN]] {{.*}} outs(%[[OUT]]
func.func @tiles(%x: memref<512x516xf32>, %r: memref<512x516xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %c516 = arith.constant 516 : index
  %a = memref.alloc() : memref<512x516xf32>
  linalg.copy ins(%x : memref<512x516xf32>) outs(%a : memref<512x516xf32>)
  %b = memref.alloc() : memref<512x516xf32>
  scf.for %j = %c0 to %c516 step %c32 {
    %n = affine.min affine_map<(d0) -> (-d0 + 516, 32)>(%j)
    scf.for %i = %c0 to %c512 step %c8 {
      %from = memref.subview %a[%i, %j] [8, %n] [1, 1] : memref<512x516xf32> to memref<8x?xf32, strided<[516, 1], offset: ?>>
      %to = memref.subview %b[%i, %j] [8, %n] [1, 1] : memref<512x516xf32> to memref<8x?xf32, strided<[516, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x?xf32, strided<[516, 1], offset: ?>>) outs(%to : memref<8x?xf32, strided<[516, 1], offset: ?>>) {
      ^bb0(%in: f32, %out: f32):
        %e = math.exp %in : f32
        linalg.yield %e : f32
      }
    }
  }
  linalg.copy ins(%b : memref<512x516xf32>) outs(%r : memref<512x516xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Tiles that overlap, tiles that a loop visits again, and other parts.
// CHECK-LABEL: func.func @not_these(
// CHECK-COUNT-4: memref.alloc()
// CHECK: return
func.func @not_these(%x: memref<512x512xf32>, %r: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c504 = arith.constant 504 : index
  %c512 = arith.constant 512 : index
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  %b = memref.alloc() : memref<512x512xf32>
  scf.for %i = %c0 to %c504 step %c4 {
    %from = memref.subview %a[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    %to = memref.subview %b[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x512xf32, strided<[512, 1], offset: ?>>) outs(%to : memref<8x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    }
  }
  %c = memref.alloc() : memref<512x512xf32>
  scf.for %k = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %c512 step %c8 {
      %from = memref.subview %b[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
      %to = memref.subview %c[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x512xf32, strided<[512, 1], offset: ?>>) outs(%to : memref<8x512xf32, strided<[512, 1], offset: ?>>) {
      ^bb0(%in: f32, %out: f32):
        %e = math.exp %in : f32
        linalg.yield %e : f32
      }
    }
  }
  %d = memref.alloc() : memref<512x512xf32>
  scf.for %i = %c0 to %c512 step %c8 {
    %at = arith.subi %c504, %i : index
    %from = memref.subview %c[%at, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    %to = memref.subview %d[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x512xf32, strided<[512, 1], offset: ?>>) outs(%to : memref<8x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    }
  }
  linalg.copy ins(%d : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A part that a branch yields is read after it.
// CHECK-LABEL: func.func @yielded_part(
// CHECK-COUNT-2: memref.alloc()
// CHECK: return
func.func @yielded_part(%x: memref<512x512xf32>, %r: memref<512x512xf32>, %q: memref<8x512xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  %s = scf.if %p -> memref<8x512xf32, strided<[512, 1], offset: ?>> {
    %v = memref.subview %a[%c0, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    scf.yield %v : memref<8x512xf32, strided<[512, 1], offset: ?>>
  } else {
    %c8 = arith.constant 8 : index
    %v = memref.subview %x[%c8, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    scf.yield %v : memref<8x512xf32, strided<[512, 1], offset: ?>>
  }
  %b = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<512x512xf32>) outs(%b : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%s : memref<8x512xf32, strided<[512, 1], offset: ?>>) outs(%q : memref<8x512xf32>)
  linalg.copy ins(%b : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// A view of the result comes before the operand.
// CHECK-LABEL: func.func @view_in_front(
// CHECK-COUNT-2: memref.alloc()
// CHECK: return
// EXAMPLE: --flywheel-reuse-operand-buffers
func.func @view_in_front(%x: memref<262144xf32>, %r: memref<512x512xf32>) {
  %b = memref.alloc() : memref<512x512xf32>
  %bv = memref.collapse_shape %b [[0, 1]] : memref<512x512xf32> into memref<262144xf32>
  %a = memref.alloc() : memref<512x512xf32>
  %av = memref.collapse_shape %a [[0, 1]] : memref<512x512xf32> into memref<262144xf32>
  linalg.copy ins(%x : memref<262144xf32>) outs(%av : memref<262144xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%av : memref<262144xf32>) outs(%bv : memref<262144xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%b : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// The op reads elements again when results are in their places, whichever it
// reads first.
// CHECK-LABEL: func.func @read_twice(
// CHECK-COUNT-3: memref.alloc()
// CHECK: return
func.func @read_twice(%x: memref<512x512xf32>, %r: memref<512x512xf32>) {
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  %b = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %a : memref<512x512xf32>, memref<512x512xf32>) outs(%b : memref<512x512xf32>) {
  ^bb0(%in: f32, %again: f32, %out: f32):
    %e = arith.addf %in, %again : f32
    linalg.yield %e : f32
  }
  %c = memref.alloc() : memref<512x512xf32>
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %b : memref<512x512xf32>, memref<512x512xf32>) outs(%c : memref<512x512xf32>) {
  ^bb0(%again: f32, %in: f32, %out: f32):
    %e = arith.addf %in, %again : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%c : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Parts at other places, and of other sizes, are not the same elements.
// CHECK-LABEL: func.func @other_parts(
// CHECK-COUNT-3: memref.alloc()
// CHECK: return
func.func @other_parts(%x: memref<512x512xf32>, %r: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c504 = arith.constant 504 : index
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  %b = memref.alloc() : memref<512x512xf32>
  scf.for %i = %c0 to %c504 step %c8 {
    %from = memref.subview %a[%i, 0] [8, 256] [1, 1] : memref<512x512xf32> to memref<8x256xf32, strided<[512, 1], offset: ?>>
    %to = memref.subview %b[%i, 256] [8, 256] [1, 1] : memref<512x512xf32> to memref<8x256xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x256xf32, strided<[512, 1], offset: ?>>) outs(%to : memref<8x256xf32, strided<[512, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    }
  }
  %c = memref.alloc() : memref<512x512xf32>
  scf.for %i = %c0 to %c504 step %c8 {
    %next = affine.apply affine_map<(d0) -> (d0 + 8)>(%i)
    %from = memref.subview %b[%next, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    %to = memref.subview %c[%i, 0] [8, 512] [1, 1] : memref<512x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%from : memref<8x512xf32, strided<[512, 1], offset: ?>>) outs(%to : memref<8x512xf32, strided<[512, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    }
  }
  linalg.copy ins(%c : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// T32: parts that are written, or read, one after the other, as the borders of a convolution. A part that the elementwise op
// itself reads as another operand does not count.
// SMALL-LABEL: func.func @parts(
// SMALL: %[[A:.*]] = memref.alloc()
// SMALL-NOT: memref.alloc
// SMALL: linalg.generic {{.*}} ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK-LABEL: func.func @parts(
// CHECK-COUNT-2: memref.alloc()
func.func @parts(%x: memref<16x32xf32>, %r: memref<32x32xf32>) {
  %a = memref.alloc() : memref<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  %above = memref.subview %a[0, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1]>>
  linalg.copy ins(%x : memref<16x32xf32>) outs(%above : memref<16x32xf32, strided<[32, 1]>>)
  %below = memref.subview %a[16, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1], offset: 512>>
  linalg.copy ins(%x : memref<16x32xf32>) outs(%below : memref<16x32xf32, strided<[32, 1], offset: 512>>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<32x32xf32>) outs(%b : memref<32x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.absf %in : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%b : memref<32x32xf32>) outs(%r : memref<32x32xf32>)
  return
}

// SMALL-LABEL: func.func @both(
// SMALL-COUNT-2: memref.alloc()
func.func @both(%x: memref<32x32xf32>, %r: memref<32x32xf32>) {
  %a = memref.alloc() : memref<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  linalg.copy ins(%x : memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  %first = memref.subview %a[0, 0] [1, 32] [1, 1] : memref<32x32xf32> to memref<32xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %first : memref<32x32xf32>, memref<32xf32, strided<[1]>>) outs(%b : memref<32x32xf32>) {
  ^bb0(%in: f32, %row: f32, %out: f32):
    %e = arith.addf %in, %row : f32
    linalg.yield %e : f32
  }
  linalg.copy ins(%b : memref<32x32xf32>) outs(%r : memref<32x32xf32>)
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// T63: the result of a step: the operand is computed there, unless a check follows.
// CHECK-LABEL: func.func @result(
// CHECK-SAME: %[[X:[^:]*]]: memref<512x?xf32>, %[[R:[^:]*]]: memref<512x?xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%[[X]] {{.*}} outs(%[[R]]
// CHECK: linalg.generic {{.*}} ins(%[[R]] {{.*}} outs(%[[R]]
// CHECK-LABEL: func.func @checked_result(
// CHECK: memref.alloc
func.func @result(%x: memref<512x?xf32>, %r: memref<512x?xf32> {train.result = 0 : i64}, %n: index) {
  %a = memref.alloc(%n) : memref<512x?xf32>
  linalg.copy ins(%x : memref<512x?xf32>) outs(%a : memref<512x?xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<512x?xf32>) outs(%r : memref<512x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}
func.func @checked_result(%x: memref<512x512xf32>, %r: memref<512x512xf32> {train.result = 0 : i64}, %c: i1) {
  %a = memref.alloc() : memref<512x512xf32>
  linalg.copy ins(%x : memref<512x512xf32>) outs(%a : memref<512x512xf32>)
  linalg_ext.check data %c, "checked"
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<512x512xf32>) outs(%r : memref<512x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}
