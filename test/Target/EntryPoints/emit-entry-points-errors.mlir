// RUN: flywheel-opt %s --flywheel-emit-entry-points --split-input-file --verify-diagnostics \
// RUN:   | not grep module

// expected-error@below {{expected a dictionary 'train.manifest' on the module, which the lowering of state attaches}}
module {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: expected an integer 'state_bytes', found none}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, variables = [], entries = [], messages = []}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: expected 'state_bytes' to cover the header, 576 bytes, found 8}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 8 : i64, variables = [], entries = [], messages = []}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: variable 'w' is outside the state block}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 640 : i64,
  variables = [{name = "w", type = tensor<4xf32>, offset = 640 : i64, bytes = 16 : i64, trainable = true}],
  entries = [], messages = []}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: a symbol that does not fit the type of 'x' of entry 'f'}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [{name = "x", type = tensor<?xf32>, symbols = array<i64: -1>}],
              results = [], symbols = [], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: no feed of entry 'f' has the dimension size 'batch'}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [], results = [], symbols = ["batch"], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

// expected-error@below {{expected a function 'f.kernel' for entry 'f', found none}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [{name = "x", type = tensor<2xf32>, symbols = array<i64: -1>}],
              results = [], symbols = [], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = []}} {
  // expected-error@below {{expected 3 arguments, the state, the workspace, and the feeds and results of entry 'f', found 1}}
  func.func @f.kernel(%a: memref<?xi8>) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// -----

module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [{name = "x", type = tensor<2xf32>, symbols = array<i64: -1>}],
              results = [], symbols = [], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = []}} {
  // expected-error@below {{expected a memref of rank 1 and no layout as argument 2, found '!llvm.ptr'}}
  func.func @f.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>, %x: !llvm.ptr) -> i32 {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// -----

module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}],
  messages = []}} {
  // expected-error@below {{expected an i32 status as result, found '(memref<?xi8>, memref<?xi8>) -> i64'}}
  func.func @f.kernel(%state: memref<?xi8>, %workspace: memref<?xi8>) -> i64 {
    %ok = arith.constant 0 : i64
    return %ok : i64
  }
}

// -----

// expected-error@below {{entry 'last_error' would be called 'm_last_error' in C, a name that the interface of every model has; rename the entry}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "last_error", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

// expected-error@below {{'x' of entry 'f' has elements of type 'i7', which no C type can hold}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "f", feeds = [{name = "x", type = tensor<2xi7>, symbols = array<i64: -1>}],
              results = [], symbols = [], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

// expected-error@below {{expected entry 'init' to take 'seed', a tensor<i64>, 'runs', a tensor<0xi64>, and 'select', a tensor<0xi1>, and to have no results}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 576 : i64, variables = [],
  entries = [{name = "init", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}],
  messages = []}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: expected 1 to 256 as 'threads', found 0}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 640 : i64, variables = [], entries = [], messages = [], threads = 0 : i64}} {}

// -----

// expected-error@below {{malformed 'train.manifest' attribute: expected 1 to 2 workers of entry 'f', found 3}}
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 640 : i64, variables = [], messages = [], threads = 2 : i64,
  entries = [{name = "f", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>, workers = 3 : i64}]}} {}

// -----

// Nothing has lowered the ops of workers.
module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 640 : i64, variables = [], messages = [],
  entries = [{name = "f", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}]}} {
  // expected-error@below {{expected 4 arguments, the state, the workspace, and the feeds and results of entry 'f', and the worker and its team, found 2}}
  func.func @f.kernel(%s: memref<?xi8>, %w: memref<?xi8>) -> i32 attributes {codegen.workers = 2 : i64} {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}

// -----

module attributes {train.manifest = {
  model = "m", layout_hash = 1 : i64, state_bytes = 640 : i64, variables = [], messages = [],
  entries = [{name = "f", feeds = [], results = [], symbols = [], reads = array<i64>, writes = array<i64>,
              workspace = [], checks = array<i64>}]}} {
  // expected-error@below {{expected an index and a pointer, the worker and its team, as the last arguments, found 'i32' and 'index'}}
  func.func @f.kernel(%s: memref<?xi8>, %w: memref<?xi8>, %a: i32, %b: index) -> i32 attributes {codegen.workers = 2 : i64} {
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
