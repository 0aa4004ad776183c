// RUN: flywheel-opt %s --flywheel-plan-workspace="report=true dim-size=4" --split-input-file --verify-diagnostics -o /dev/null

// T10: the two small buffers are live at a time, and take the place of the large one.
// expected-remark @below {{the workspace of 'constant' is 1024 bytes, of which at most 1024 are live at a time}}
func.func @constant(%x: memref<256xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<120xf32>
  // expected-note @below {{1024 bytes of these are 'memref<256xf32>'}}
  linalg.fill ins(%zero : f32) outs(%a : memref<256xf32>)
  memref.copy %a, %x : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<128xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<120xf32>)
  memref.copy %b, %y : memref<128xf32> to memref<128xf32>
  %part = memref.subview %y[0] [120] [1] : memref<128xf32> to memref<120xf32>
  memref.copy %c, %part : memref<120xf32> to memref<120xf32>
  return
}

// -----

// In slots, as constant sizes and multiples of the batch are not packed together: the second half is beside the
// first, and what is live before and after them is where the first half is.
// expected-remark @below {{the workspace of 'batch' is 1536 bytes where every dimension size is 4, of which at most 1024 are live at a time}}
func.func @batch(%x: memref<?x64xf32> {train.dim_sizes = array<i64: 0, -1>}, %y: memref<256xf32>) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  %whole = memref.alloc(%n) : memref<?x64xf32>
  %first = memref.alloc(%n) : memref<?x32xf32>
  %second = memref.alloc(%n) : memref<?x32xf32>
  %constant = memref.alloc() : memref<256xf32>
  // expected-note @below {{1024 bytes of these are 'memref<?x64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%whole : memref<?x64xf32>)
  memref.copy %whole, %x : memref<?x64xf32> to memref<?x64xf32>
  linalg.fill ins(%zero : f32) outs(%first : memref<?x32xf32>)
  linalg.add ins(%first, %first : memref<?x32xf32>, memref<?x32xf32>) outs(%second : memref<?x32xf32>)
  linalg.fill ins(%zero : f32) outs(%constant : memref<256xf32>)
  memref.copy %constant, %y : memref<256xf32> to memref<256xf32>
  return
}

// -----

// There is nothing to say of no workspace.
func.func @nothing(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
  return
}

// -----

// Sums of sizes that are too large are not made.
// expected-remark @below {{the workspace of 'large' is more than 2^56 bytes where every dimension size is 4}}
func.func @large(%x: memref<?xi8> {train.dim_sizes = array<i64: 0>}) attributes {train.symbols = ["batch"]} {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %a = memref.alloc(%n) : memref<?x36028797018963968xi8>
  linalg.fill ins(%zero : i8) outs(%a : memref<?x36028797018963968xi8>)
  return
}

// -----

// Twelve buffers have a note of their own.
// expected-remark @below {{the workspace of 'many' is 3584 bytes, of which at most 3584 are live at a time}}
// expected-note @below {{512 bytes of these are 2 smaller buffers}}
func.func @many(%x: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = memref.alloc() : memref<64xf32>
  %1 = memref.alloc() : memref<64xf32>
  %2 = memref.alloc() : memref<64xf32>
  %3 = memref.alloc() : memref<64xf32>
  %4 = memref.alloc() : memref<64xf32>
  %5 = memref.alloc() : memref<64xf32>
  %6 = memref.alloc() : memref<64xf32>
  %7 = memref.alloc() : memref<64xf32>
  %8 = memref.alloc() : memref<64xf32>
  %9 = memref.alloc() : memref<64xf32>
  %10 = memref.alloc() : memref<64xf32>
  %11 = memref.alloc() : memref<64xf32>
  %12 = memref.alloc() : memref<64xf32>
  %13 = memref.alloc() : memref<64xf32>
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%0 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%1 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%2 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%3 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%4 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%5 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%6 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%7 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%8 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%9 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%10 : memref<64xf32>)
  // expected-note @below {{256 bytes of these are 'memref<64xf32>'}}
  linalg.fill ins(%zero : f32) outs(%11 : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%12 : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%13 : memref<64xf32>)
  memref.copy %0, %x : memref<64xf32> to memref<64xf32>
  memref.copy %1, %x : memref<64xf32> to memref<64xf32>
  memref.copy %2, %x : memref<64xf32> to memref<64xf32>
  memref.copy %3, %x : memref<64xf32> to memref<64xf32>
  memref.copy %4, %x : memref<64xf32> to memref<64xf32>
  memref.copy %5, %x : memref<64xf32> to memref<64xf32>
  memref.copy %6, %x : memref<64xf32> to memref<64xf32>
  memref.copy %7, %x : memref<64xf32> to memref<64xf32>
  memref.copy %8, %x : memref<64xf32> to memref<64xf32>
  memref.copy %9, %x : memref<64xf32> to memref<64xf32>
  memref.copy %10, %x : memref<64xf32> to memref<64xf32>
  memref.copy %11, %x : memref<64xf32> to memref<64xf32>
  memref.copy %12, %x : memref<64xf32> to memref<64xf32>
  memref.copy %13, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A buffer in a loop is live for all of it: the note is where it is made.
// expected-remark @below {{the workspace of 'loop' is 16384 bytes, of which at most 16384 are live at a time}}
func.func @loop(%x: memref<4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-note @below {{16384 bytes of these are 'memref<4096xf32>'}}
    %a = memref.alloc() : memref<4096xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<4096xf32>)
    memref.copy %a, %x : memref<4096xf32> to memref<4096xf32>
  }
  return
}
