// RUN: flywheel-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the slices and dimension 0 of the indices, found 2 and 3}}
  %0 = linalg_ext.gather ins(%x, %i : tensor<4x5xf32>, tensor<3xi64>) outs(%y : tensor<2x5xf32>) axis 0 -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %y: tensor<3x5xf32>) {
  // expected-error @+1 {{expected axis within [0, 2), found 2}}
  %0 = linalg_ext.gather ins(%x, %i : tensor<4x5xf32>, tensor<3xi64>) outs(%y : tensor<3x5xf32>) axis 2 -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the slices and dimension 0 of the indices, found 2 and 3}}
  %0 = linalg_ext.scatter add ins(%i, %y : tensor<3xi64>, tensor<2x5xf32>) outs(%x : tensor<4x5xf32>) axis 0 -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x2xi64>, %y: tensor<3x2x5xf32>, %order: tensor<5xi64>) {
  // expected-error @+1 {{expected an order with the shape of 'tensor<6xi64>', found 'tensor<5xi64>'}}
  %0 = linalg_ext.scatter add ins(%i, %y : tensor<3x2xi64>, tensor<3x2x5xf32>) outs(%x : tensor<4x5xf32>) axis 0 order %order : tensor<5xi64> -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: memref<4xf32>, %y: memref<4xf64>) {
  // expected-error @+1 {{expected one element type, found 'f32' and 'f64'}}
  linalg_ext.scan ins(%x : memref<4xf32>) outs(%y : memref<4xf64>) axis 0
  return
}

// -----

func.func @f(%x: memref<4xf32>, %y: memref<5xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of x and the destination, found 4 and 5}}
  linalg_ext.scan ins(%x : memref<4xf32>) outs(%y : memref<5xf32>) axis 0
  return
}

// -----

func.func @f(%x: memref<4xi32>, %y: memref<4xi32>) {
  // expected-error @+1 {{'linalg_ext.scan' op expected floats for logaddexp, found 'i32'}}
  linalg_ext.scan logaddexp ins(%x : memref<4xi32>) outs(%y : memref<4xi32>) axis 0
  return
}

// -----

func.func @f(%a: memref<4xf32>, %ok: memref<i1>) {
  // expected-error @+1 {{expected matrices of rank at least 2, found rank 1}}
  linalg_ext.cholesky outs(%a, %ok : memref<4xf32>, memref<i1>)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %ok: memref<4xi1>) {
  // expected-error @+1 {{expected a flag of rank 0, found rank 1}}
  linalg_ext.cholesky outs(%a, %ok : memref<4x4xf32>, memref<4xi1>)
  return
}

// -----

func.func @f(%a: memref<4x4xf32>, %b: memref<5x2xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the triangles and dimension 0 of the right-hand sides, found 4 and 5}}
  linalg_ext.triangular_solve ins(%a : memref<4x4xf32>) outs(%b : memref<5x2xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected}}
  %0 = linalg_ext.scan ins(%x : tensor<4xf32>) outs(%y : memref<4xf32>) axis 0 -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected all tensors or all buffers, found 'tensor<4xf32>' and 'memref<4xf32>'}}
  linalg_ext.scan ins(%x : tensor<4xf32>) outs(%y : memref<4xf32>) axis 0
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %ok: memref<i1>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected all tensors or all buffers, found 'tensor<4x4xf32>' and 'memref<i1>'}}
  %0 = linalg_ext.cholesky outs(%a, %ok : tensor<4x4xf32>, memref<i1>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<*xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of floating-point or signless integer values or memref of floating-point or signless integer values, but got 'tensor<*xf32>'}}
  %0 = linalg_ext.scan ins(%x : tensor<*xf32>) outs(%y : tensor<4xf32>) axis 0 -> tensor<4xf32>
  return
}

// -----

func.func @f(%ok: i1, %n: index) {
  // expected-error @+1 {{expected byte 2 in a text to stand for a number, found 1 numbers}}
  linalg_ext.check sizes %ok, "expected less" in "nn.gather", ", found \01 and \02"(%n)
  return
}

// -----

func.func @f(%ok: i1, %n: index) {
  // expected-error @+1 {{expected at most 4 numbers, found 5}}
  linalg_ext.check sizes %ok, "\01"(%n, %n, %n, %n, %n)
  return
}

// -----

func.func @f(%i: tensor<2x2xi32>, %o: tensor<4xi64>, %c: tensor<2048xi64>, %n: index) {
  // expected-error @+1 {{expected indices of rank 1, found rank 2}}
  %0:3 = linalg_ext.argsort ins(%i : tensor<2x2xi32>) below %n outs(%o, %o, %c : tensor<4xi64>, tensor<4xi64>, tensor<2048xi64>)
      -> tensor<4xi64>, tensor<4xi64>, tensor<2048xi64>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %c: tensor<16xi64>, %n: index) {
  // expected-error @+1 {{expected room for 2048 counts, found 'tensor<16xi64>'}}
  %0:3 = linalg_ext.argsort ins(%i : tensor<4xi32>) below %n outs(%o, %o, %c : tensor<4xi64>, tensor<4xi64>, tensor<16xi64>)
      -> tensor<4xi64>, tensor<4xi64>, tensor<16xi64>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<5xi64>, %x: tensor<4x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the order and the indices, found 5 and 4}}
  %0 = linalg_ext.combine_rows ins(%i, %o : tensor<4xi32>, tensor<5xi64>) outs(%x : tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %x: tensor<6x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the rows and dimension 0 of the indices, found 6 and 4}}
  %0 = linalg_ext.combine_rows ins(%i, %o : tensor<4xi32>, tensor<4xi64>) outs(%x : tensor<6x3xf32>) -> tensor<6x3xf32>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %x: tensor<4x2xf32>, %p: tensor<8x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1 of the rows and dimension 1 of the tables, found 2 and 3}}
  %0 = linalg_ext.update_rows ins(%i, %o, %x : tensor<4xi32>, tensor<4xi64>, tensor<4x2xf32>) outs(%p : tensor<8x3xf32>) {
  ^bb0(%g: f32, %e: f32):
    linalg_ext.yield %g : f32
  } -> tensor<8x3xf32>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %x: tensor<4x3xf32>, %p: tensor<8x3xf64>) {
  // expected-error @+1 {{expected a region of an element of a row and of each table, of types 'f32', 'f64', found 'f32', 'f32'}}
  %0 = linalg_ext.update_rows ins(%i, %o, %x : tensor<4xi32>, tensor<4xi64>, tensor<4x3xf32>) outs(%p : tensor<8x3xf64>) {
  ^bb0(%g: f32, %e: f32):
    linalg_ext.yield %g : f32
  } -> tensor<8x3xf64>
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %x: tensor<4x3xf32>, %p: tensor<8x3xf32>) {
  // expected-error @+1 {{expected a new element of each table, of types 'f32', found 'f32', 'f32'}}
  %0 = linalg_ext.update_rows ins(%i, %o, %x : tensor<4xi32>, tensor<4xi64>, tensor<4x3xf32>) outs(%p : tensor<8x3xf32>) {
  ^bb0(%g: f32, %e: f32):
    linalg_ext.yield %g, %e : f32, f32
  } -> tensor<8x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %z: tensor<2x8xf32>) {
  // expected-error @+1 {{expected 4 offsets, sizes and strides, found 2}}
  %0 = linalg_ext.insert_slices ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%z : tensor<2x8xf32>) at [0, 0] sizes [2, 3] strides [1, 1]
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %z: tensor<2x8xf32>) {
  // expected-error @+1 {{expected a source of type 'tensor<2x4xf32>' or without dimensions of size 1, found 'tensor<2x3xf32>'}}
  %0 = linalg_ext.insert_slices ins(%x : tensor<2x3xf32>) outs(%z : tensor<2x8xf32>) at [0, 0] sizes [2, 4] strides [1, 1]
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %status: tensor<2xi32>) {
  // expected-error @+1 {{expected a status of rank 0, found rank 1}}
  %0 = linalg_ext.host_call "print" 0 ins(%x : tensor<2xf32>) outs(%status : tensor<2xi32>) {number = 0 : i64} -> tensor<2xi32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %status: memref<i32>) {
  // expected-error @+1 {{expected all tensors or all buffers, found 'tensor<2xf32>' and 'memref<i32>'}}
  linalg_ext.host_call "print" 0 ins(%x : tensor<2xf32>) outs(%status : memref<i32>) {number = 0 : i64}
  return
}

// -----

func.func @f(%a: memref<4x5xf32>, %ok: memref<i1>) {
  // expected-error @+1 {{expected equal sizes of dimension 0 of the matrices and dimension 1 of them, found 4 and 5}}
  linalg_ext.cholesky outs(%a, %ok : memref<4x5xf32>, memref<i1>)
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %y: tensor<3xf32>) {
  // expected-error @+1 {{expected a destination of rank 2, found rank 1}}
  %0 = linalg_ext.gather ins(%x, %i : tensor<4x5xf32>, tensor<3xi64>) outs(%y : tensor<3xf32>) axis 0 -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: memref<2x4x4xf32>, %b: memref<4x2xf32>) {
  // expected-error @+1 {{expected right-hand sides of rank 3, found rank 2}}
  linalg_ext.triangular_solve ins(%a : memref<2x4x4xf32>) outs(%b : memref<4x2xf32>)
  return
}

// -----

func.func @f(%i: tensor<4xi32>, %o: tensor<4xi64>, %x: tensor<4x3xf32>, %p: tensor<8x3xf32>, %q: tensor<8xf32>) {
  // expected-error @+1 {{expected a table of rank 2, found rank 1}}
  %0:2 = linalg_ext.update_rows ins(%i, %o, %x : tensor<4xi32>, tensor<4xi64>, tensor<4x3xf32>) outs(%p, %q : tensor<8x3xf32>, tensor<8xf32>) {
  ^bb0(%g: f32, %e: f32, %d: f32):
    linalg_ext.yield %g, %g : f32, f32
  } -> tensor<8x3xf32>, tensor<8xf32>
  return
}
