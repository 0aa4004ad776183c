// RUN: flywheel-opt %s --split-input-file --verify-diagnostics | not grep module

// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found 100 and 32}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 100, vector_registers = 32, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found 32 and 32}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 32, vector_registers = 32, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found 128 and 3}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 3, l1_bytes = 32768, l2_bytes = 1048576, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a cache of at least 1024 bytes and a second one that is not smaller, of at most 4294967296, found 1023 and 2048}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 1023, l2_bytes = 2048, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a cache of at least 1024 bytes and a second one that is not smaller, of at most 4294967296, found 4096 and 4095}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4095, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected at least one core, found 0}}
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
  // expected-error @below {{expected at least one worker, found 0}}
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
  // expected-error @below {{expected 1 to 32 vectors in 'interleave', found 0}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 4, interleave = 0>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{expected 1 to 32 vectors in 'interleave', found 33}}
  linalg.exp {codegen.schedule = #codegen.vector<along = 1, lanes = 4, interleave = 33>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
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

// expected-error @below {{'builtin.module' op expected 'codegen.target', 'codegen.schedule', 'codegen.workers', 'codegen.private', 'codegen.panel', 'codegen.overlap', 'codegen.work', 'codegen.work_table', 'codegen.contractions', 'codegen.along', 'codegen.set' or 'codegen.traffic', found 'codegen.tiles'}}
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

// -----

// Bytes in vectors of more bits would not be lanes of any schedule.
// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found 4096 and 16}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 4096, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found -1 and 16}}
module attributes {codegen.target = #codegen.cpu<vector_bits = -1, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a power of two of 64 to 2048 vector bits and at least 4 vector registers, found 128 and -16}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = -16, l1_bytes = 4096, l2_bytes = 4096, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected a cache of at least 1024 bytes and a second one that is not smaller, of at most 4294967296, found 4096 and 4294967297}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4294967297, cores = 1, features = []>} {
}

// -----

// expected-error @below {{expected at least one core, found -2}}
module attributes {codegen.target = #codegen.cpu<vector_bits = 128, vector_registers = 16, l1_bytes = 4096, l2_bytes = 4096, cores = -2, features = []>} {
}

// -----

// As deep as any machine has caches.
func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected at most 4 levels of tiles, found 5}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[4, 0, 0], [2, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], rows = [0], columns = 1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expected one of 3 loops as columns, found -1}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = -1, registers = [8, 32]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected at least one worker, found -3}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], workers = -3>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @elements(%x: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected one of 2 loops in #codegen.vector<along = -1, lanes = 4>, found -1}}
  linalg.exp {codegen.schedule = #codegen.vector<along = -1, lanes = 4>} ins(%x : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

// Each element of unrolled rows is an op of the kernel, beside those in registers at a time.
func.func @unrolled(%x: memref<1x18x18x4xf64>, %f: memref<3x3x4x5000xf64>, %y: memref<1x16x16x5000xf64>) {
  // expected-error @below {{'linalg.conv_2d_nhwc_hwcf' op expected at most 16384 elements in unrolled rows of several loops, found 256 rows of 65 columns}}
  linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [], rows = [1, 2], columns = 3, registers = [1, 65]>}
    ins(%x, %f : memref<1x18x18x4xf64>, memref<3x3x4x5000xf64>) outs(%y : memref<1x16x16x5000xf64>)
  return
}

// -----

// Tiles count: 17 rows of 16 iterations each.
func.func @unrolled_tile(%x: memref<1x34x34x4xf64>, %f: memref<3x3x4x5000xf64>, %y: memref<1x32x32x5000xf64>) {
  // expected-error @below {{found 272 rows of 64 columns}}
  linalg.conv_2d_nhwc_hwcf {codegen.schedule = #codegen.fma<tiles = [[1, 17, 20, 0, 0, 0, 0], [0, 0, 16, 0, 0, 0, 0]], rows = [1, 2], columns = 3, registers = [1, 64]>}
    ins(%x, %f : memref<1x34x34x4xf64>, memref<3x3x4x5000xf64>) outs(%y : memref<1x32x32x5000xf64>)
  return
}

// -----

// Nor where the number of rows overflows.
func.func @unrolled_overflow(%x: memref<8589934594x8589934594x4xf64>, %f: memref<3x3x4x8xf64>, %y: memref<8589934592x8589934592x8xf64>) {
  // expected-error @below {{found 9223372036854775807 rows of 8 columns}}
  linalg.generic {indexing_maps = [affine_map<(i, j, n, h, w, c) -> (i + h, j + w, c)>, affine_map<(i, j, n, h, w, c) -> (h, w, c, n)>, affine_map<(i, j, n, h, w, c) -> (i, j, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
      codegen.schedule = #codegen.fma<tiles = [], rows = [0, 1], columns = 2, registers = [1, 8]>}
      ins(%x, %f : memref<8589934594x8589934594x4xf64>, memref<3x3x4x8xf64>) outs(%y : memref<8589934592x8589934592x8xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %o, %p : f64
    linalg.yield %s : f64
  }
  return
}

// -----

func.func @panel_product(%a: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected 'codegen.panel', without a value, on 'linalg.copy', found unit}}
  linalg.exp {codegen.panel} ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}

// -----

func.func @overlap_product(%a: memref<4x4xf32>) {
  // expected-error @below {{'linalg.exp' op expected loops of an 'scf.forall', from 0 on, of static sizes that are above a tile and no multiple of it, as 'codegen.overlap', found array<i64: 0>}}
  linalg.exp {codegen.overlap = array<i64: 0>} ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}

// -----

func.func @overlap_loop() {
  // expected-error @below {{expected loops of an 'scf.forall', from 0 on, of static sizes that are above a tile and no multiple of it, as 'codegen.overlap', found array<i64: 1>}}
  scf.forall (%i) = (0) to (10) step (4) {
  } {codegen.overlap = array<i64: 1>}
  return
}

// -----

func.func @overlap_whole_tiles() {
  // expected-error @below {{as 'codegen.overlap', found array<i64: 0>}}
  scf.forall (%i) = (0) to (12) step (4) {
  } {codegen.overlap = array<i64: 0>}
  return
}

// -----

func.func @overlap_one_tile() {
  // expected-error @below {{as 'codegen.overlap', found array<i64: 0>}}
  scf.forall (%i) = (0) to (3) step (4) {
  } {codegen.overlap = array<i64: 0>}
  return
}

// -----

func.func @overlap_dynamic(%n: index) {
  // expected-error @below {{as 'codegen.overlap', found array<i64: 0>}}
  scf.forall (%i) = (0) to (%n) step (4) {
  } {codegen.overlap = array<i64: 0>}
  return
}

// -----

func.func @overlap_number() {
  // expected-error @below {{as 'codegen.overlap', found 0}}
  scf.forall (%i) = (0) to (10) step (4) {
  } {codegen.overlap = 0}
  return
}

// -----

func.func @panel_value(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-error @below {{'linalg.copy' op expected 'codegen.panel', without a value, on 'linalg.copy', found true}}
  linalg.copy {codegen.panel = true} ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}

// -----

func.func @malformed_broadcast() {
  // expected-error @below {{'linalg.broadcast' op}}
  "linalg.broadcast"() <{dimensions = array<i64: 0>}> ({
  }) {codegen.schedule = #codegen.vector<along = 0, lanes = 4>} : () -> ()
  return
}

// -----

func.func @malformed_transpose(%a: tensor<4x4xf32>) {
  // expected-error @below {{'linalg.transpose' op expected 2 operands, but found 1}}
  "linalg.transpose"(%a) <{permutation = array<i64: 1, 0>}> ({
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }) {codegen.schedule = #codegen.fma<tiles = [[4, 4]], rows = [0], columns = 1, registers = [4, 4]>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// expected-error @below {{'func.func' op expected an i64 of at least 0 as 'codegen.work', found -1 : i64}}
func.func private @work() attributes {codegen.work = -1 : i64}

// -----

// expected-error @below {{'func.func' op expected an i64 of at least 1 as 'codegen.contractions' of a function, found 0 : i64}}
func.func private @no_contraction() attributes {codegen.contractions = 0 : i64}

// -----

// expected-error @below {{'builtin.module' op expected an i64 of at least 1 as 'codegen.contractions' of a function, found 3 : i64}}
module attributes {codegen.contractions = 3 : i64} {}

// -----

// expected-error @below {{'func.func' op expected an array as 'codegen.work_table' of a function, found 1 : i64}}
func.func private @table() attributes {codegen.work_table = 1 : i64}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected each loop in one role, found loop 2 in two}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 8], along = 2, passes = [2]>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected a reduction loop as lanes, found loop 0}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [], columns = 1, registers = [1, 8], along = 0>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected no panel to pack where lanes are along a reduction, found one}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [[0, 4, 0], [4, 0, 0]], rows = [0], columns = 1, registers = [4, 4], along = 2, pack = true>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected blocks of 1 to 64 iterations of a reduction, found 65}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 32], block = 65>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @product(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error @below {{expected no blocks of a reduction where lanes are along one, found 8}}
  linalg.matmul {codegen.schedule = #codegen.fma<tiles = [], rows = [0], columns = 1, registers = [8, 8], along = 2, block = 8>}
    ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  return
}

// -----

func.func @unit(%a: memref<8x8xf32>) {
  // expected-error @below {{expected 'fma' or 'mma' as the unit, found 'wgmma'}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "wgmma", tile = [8, 8, 0], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @large_tile(%a: memref<8x8xf32>) {
  // expected-error @below {{expected a tile of 0 to 128 iterations of each loop, found array<i64: 256, 8, 0>}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [256, 8, 0], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @depth(%a: memref<8x8xf32>) {
  // expected-error @below {{expected a power of two of 8 to 128 terms as the depth, found 24}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [8, 8, 0], depth = 24, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @stages(%a: memref<8x8xf32>) {
  // expected-error @below {{expected 2 to 4 stages, found 1}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [8, 8, 0], depth = 16, stages = 1>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @short_tile(%a: memref<8x8xf32>) {
  // expected-error @below {{expected a tile size for each of 3 loops, found array<i64: 8, 8>}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [8, 8], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @tiled_reduction(%a: memref<8x8xf32>) {
  // expected-error @below {{expected a parallel loop as tiled, found loop 2}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "fma", tile = [8, 8, 8], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @no_contraction(%a: memref<8x8xf32>) {
  // expected-error @below {{expected C + A * B of floats for the schedule}}
  linalg.add {codegen.schedule = #codegen.block<unit = "fma", tile = [8, 8], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @wide_factors(%a: memref<8x8xf64>) {
  // expected-error @below {{expected factors of one of f16, bf16 and f32 and sums of f32 for tensor cores, found 'f64', 'f64' and 'f64'}}
  linalg.matmul {codegen.schedule = #codegen.block<unit = "mma", tile = [8, 8, 0], depth = 16, stages = 2>}
      ins(%a, %a : memref<8x8xf64>, memref<8x8xf64>) outs(%a : memref<8x8xf64>)
  return
}

// -----

// expected-error @below {{expected a map to an iteration of a structured op as 'codegen.along', found 1 : i64}}
func.func @along(%a: memref<8x8xf64>) attributes {codegen.along = 1} {
  return
}

// -----

func.func @short_along(%a: memref<8x8xf32>) {
  // expected-error @below {{expected a map to an iteration of a structured op as 'codegen.along', found affine_map<(d0, d1) -> (d0)>}}
  linalg.add {codegen.along = affine_map<(i, j) -> (i)>}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

// expected-error @below {{expected #codegen.traffic<...>, or a list of these, as 'codegen.traffic', found 1 : i64}}
func.func @traffic() attributes {codegen.traffic = 1} {
  return
}

// -----

// expected-error @below {{expected 1 to 65536 multiprocessors, found 0}}
module attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", multiprocessors = 0>} {
}

// -----

// expected-error @below {{expected no less than 0 bytes of cache, found -1}}
module attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", cache_bytes = -1>} {
}

// -----

// expected-error @below {{expected 32768 to 49152 bytes of workgroup memory, found 65536}}
module attributes {codegen.target = #codegen.gpu<chip = "sm_80", image = "ptx", workgroup_bytes = 65536>} {
}

// -----

// expected-error @below {{expected 32768 to 65536 bytes of workgroup memory, found 1024}}
module attributes {codegen.target = #codegen.gpu<chip = "gfx942", image = "hsaco", workgroup_bytes = 1024>} {
}
