// RUN: flywheel-opt %s --split-input-file --verify-diagnostics | not grep module

// expected-error @below {{expected a power of two of at least 64 vector bits and at least 4 vector registers, found 100 and 32}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 100, vector_registers = 32, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of at least 64 vector bits and at least 4 vector registers, found 32 and 32}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 32, vector_registers = 32, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of at least 64 vector bits and at least 4 vector registers, found 128 and 3}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 3, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a cache of at least 1024 bytes and a second one that is not smaller, found 1023 and 2048}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 1023, l2_bytes = 2048, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a cache of at least 1024 bytes and a second one that is not smaller, found 4096 and 4095}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4095, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected at least one core, found none}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = 0, features = []>} {
}

// -----

// expected-error @below {{expected names of features, found 1 : i64}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = 1, features = ["sse2", 1]>} {
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected tiles of 0 to 16777216 iterations, found array<i64: 0, -1, 0>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 32, 0], [0, -1, 0]], rows = [0], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected a number of rows and one of columns in registers, found array<i64: 8>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected a number of rows and one of columns in registers, found array<i64: 8, 32, 1>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32, 1]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected a number of rows and one of columns in registers, found array<i64: 0, 32>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [0, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected a number of rows and one of columns in registers, found array<i64: 8, 0>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 0]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected at most 4096 elements in registers, found array<i64: 64, 65>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [64, 65]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

// Nor where the product of both overflows.
func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected at most 4096 elements in registers, found array<i64: 4294967296, 4294967296>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [4294967296, 4294967296]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected each loop in one role, found loop 1 in two}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [1], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected each loop in one role, found loop 0 in two}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0, 0], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected each loop in one role, found loop 1 in two}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], passes = [1]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected each loop in one role, found loop 0 in two}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], passes = [2, 0]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected two levels of tiles to pack a panel that the inner one reads, found 1}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[8, 32, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected at least one worker, found none}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], workers = 0>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a tile size for each of 3 loops, found array<i64: 0, 32>}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 32]], rows = [0], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a parallel loop as tiled, found loop 2}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 32, 0], [8, 0, 4]], rows = [0], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected one of 3 loops as rows, found 3}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [3], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected one of 3 loops as rows, found -1}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [-1], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a parallel loop as rows, found loop 2}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0, 2], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a reduction loop as passes, found loop 0}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 1, registers = [8, 32], passes = [0]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected one of 3 loops as passes, found 7}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], passes = [2, 7]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected a parallel loop as columns, found loop 2}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 2, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected one of 3 loops as columns, found 3}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 3, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected a power of two of up to 256 lanes, found 0}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 0>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected a power of two of up to 256 lanes, found -4}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = -4>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected a power of two of up to 256 lanes, found 3}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 3>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected a power of two of up to 256 lanes, found 512}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 512>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected another loop to transpose than that along the lanes, found 1}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 4, transpose = 1>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected one of 2 loops in #codegen.vector<along = 2, lanes = 4>, found 2}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 2, lanes = 4>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected one of 2 loops in #codegen.vector<along = 1, lanes = 4, transpose = 5>, found 5}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 4, transpose = 5>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected a schedule such as #codegen.fma<...> as 'codegen.schedule', found 1 : i64}}
  linalg.exp {codegen.schedule = 1} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

// expected-error @below {{'func.func' op expected a structured op for the schedule #codegen.loops}}
func.func @no_structured_op() attributes {codegen.schedule = #codegen.loops} {
  return
}

// -----

// expected-error @below {{'func.func' op expected a structured op for the schedule #codegen.vector<along = 0, lanes = 4>}}
func.func @no_structured_op() attributes {codegen.schedule = #codegen.vector<along = 0, lanes = 4>} {
  return
}

// -----

// expected-error @below {{'func.func' op expected a structured op for the schedule #codegen.fma<tiles = [], rows = [], columns = 0, registers = [1, 4]>}}
func.func @no_structured_op() attributes {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 0, registers = [1, 4]>} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'codegen.target' on a module}}
func.func @no_module() attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = 1, features = []>} {
  return
}

// -----

// expected-error @below {{'builtin.module' op expected a target such as #codegen.cpu<...> as 'codegen.target', found "x86"}}
module attributes {codegen.target = "x86"} {
}

// -----

// expected-error @below {{'builtin.module' op expected 'codegen.target', 'codegen.schedule', 'codegen.workers' or 'codegen.private', found 'codegen.tiles'}}
module attributes {codegen.tiles = 1} {
}

// -----

// expected-error @below {{expected no 'codegen.schedule' on argument 0}}
func.func @argument(%x: tensor<2xf32> {codegen.schedule = #codegen.loops}) {
  return
}

// -----

// expected-error @below {{expected no 'codegen.target' on result 0}}
func.func @result(%x: tensor<2xf32>) -> (tensor<2xf32> {codegen.target = 1 : i32}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op expected 1 to 256, an i64, as 'codegen.workers' of a function, found 0 : i64}}
func.func @no_workers() attributes {codegen.workers = 0} {
  return
}

// -----

// expected-error @below {{'builtin.module' op expected 1 to 256, an i64, as 'codegen.workers' of a function, found 2 : i64}}
module attributes {codegen.workers = 2} {
}

// -----

// expected-error @below {{'func.func' op expected 'codegen.private', without a value, on 'memref.alloc', found unit}}
func.func @private_function() attributes {codegen.private} {
  return
}

// -----

// Attributes are verified before the op: one that is malformed has no loops.
func.func @malformed(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'linalg.generic' op requires attribute 'indexing_maps'}}
  "linalg.generic"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }) {codegen.schedule = #codegen.vector<along = 0, lanes = 4>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
