// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step `mirror` of two workers as it is after `flywheel-loops`: each doubles its
// half of x, and reads what the other has doubled: y[i] = 2 x[7 - i] + count. The
// second half of `twice` is the workspace's. `alone` has no ops of workers.
module attributes {
  train.compilation = {stage = "flywheel-loops", cpu, features, target_triple, lowering = "optimized"},
  train.manifest = {
  model = "team", layout_hash = 4711 : i64, state_bytes = 704 : i64,
  variables = [{name = "count", type = tensor<f32>, offset = 640 : i64, bytes = 4 : i64, trainable = false}],
  entries = [
    {name = "init",
     feeds = [{name = "seed", type = tensor<i64>, symbols = array<i64>},
              {name = "runs", type = tensor<1xi64>, symbols = array<i64: -1>},
              {name = "select", type = tensor<1xi1>, symbols = array<i64: -1>}],
     results = [], symbols = [], reads = array<i64>, writes = array<i64: 0>,
     workspace = [], checks = array<i64>},
    {name = "mirror",
     feeds = [{name = "x", type = tensor<8xf32>, symbols = array<i64: -1>}],
     results = [{name = "y", type = tensor<8xf32>, symbols = array<i64: -1>}],
     symbols = [], reads = array<i64: 0>, writes = array<i64: 0>,
     workspace = [[affine_map<() -> (32)>]], checks = array<i64: 0>},
    {name = "alone",
     feeds = [{name = "x", type = tensor<8xf32>, symbols = array<i64: -1>}],
     results = [{name = "y", type = tensor<f32>, symbols = array<i64>}],
     symbols = [], reads = array<i64>, writes = array<i64>, workspace = [], checks = array<i64>}],
  messages = [{kind = "check", text = "x[0] must not be negative"}]
}} {
  // The initializer is for one worker, whatever it is made of.
  func.func @init.kernel(%state: memref<?xi8>, %ws: memref<?xi8>, %seed: memref<i64>, %runs: memref<1xi64>,
                         %select: memref<1xi1>) -> i32 attributes {codegen.workers = 2} {
    %offset = arith.constant 640 : index
    %ok = arith.constant 0 : i32
    %count = memref.view %state[%offset][] : memref<?xi8> to memref<f32>
    %worker = codegen.worker : index
    %workers = codegen.num_workers : index
    codegen.barrier
    %sum = arith.addi %worker, %workers : index
    %integer = arith.index_cast %sum : index to i32
    %value = arith.sitofp %integer : i32 to f32
    memref.store %value, %count[] : memref<f32>
    return %ok : i32
  }

  func.func @mirror.kernel(%state: memref<?xi8>, %ws: memref<?xi8>, %x: memref<8xf32>, %y: memref<8xf32>) -> i32
      attributes {codegen.workers = 2} {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %7 = arith.constant 7 : index
    %8 = arith.constant 8 : index
    %640 = arith.constant 640 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ok = arith.constant 0 : i32
    %bad = arith.constant 1 : i32
    %first = memref.load %x[%0] : memref<8xf32>
    %isBad = arith.cmpf olt, %first, %zero : f32
    cf.cond_br %isBad, ^fail, ^go
  ^fail:
    return %bad : i32
  ^go:
    %twice = memref.view %ws[%0][] : memref<?xi8> to memref<8xf32>
    %count = memref.view %state[%640][] : memref<?xi8> to memref<f32>
    %worker = codegen.worker : index
    %workers = codegen.num_workers : index
    %next = arith.addi %worker, %1 : index
    %scaledBegin = arith.muli %worker, %8 : index
    %scaledEnd = arith.muli %next, %8 : index
    %begin = arith.divui %scaledBegin, %workers : index
    %end = arith.divui %scaledEnd, %workers : index
    func.call @mirror.twice(%x, %twice, %begin, %end) : (memref<8xf32>, memref<8xf32>, index, index) -> ()
    %old = memref.load %count[] : memref<f32>
    codegen.barrier
    scf.for %i = %begin to %end step %1 {
      %j = arith.subi %7, %i : index
      %a = memref.load %twice[%j] : memref<8xf32>
      %b = arith.addf %a, %old : f32
      memref.store %b, %y[%i] : memref<8xf32>
    }
    %isFirst = arith.cmpi eq, %worker, %0 : index
    scf.if %isFirst {
      %new = arith.addf %old, %one : f32
      memref.store %new, %count[] : memref<f32>
    }
    func.call @mirror.end() : () -> ()
    return %ok : i32
  }

  func.func private @mirror.twice(%x: memref<8xf32>, %twice: memref<8xf32>, %begin: index, %end: index) {
    %1 = arith.constant 1 : index
    %two = arith.constant 2.0 : f32
    scf.for %i = %begin to %end step %1 {
      %a = memref.load %x[%i] : memref<8xf32>
      %b = arith.mulf %a, %two : f32
      memref.store %b, %twice[%i] : memref<8xf32>
    }
    return
  }

  // A function that outlining could make.
  func.func private @mirror.end() {
    codegen.barrier
    return
  }

  func.func @alone.kernel(%state: memref<?xi8>, %ws: memref<?xi8>, %x: memref<8xf32>, %y: memref<f32>) -> i32
      attributes {codegen.workers = 2} {
    %0 = arith.constant 0 : index
    %ok = arith.constant 0 : i32
    %a = memref.load %x[%0] : memref<8xf32>
    memref.store %a, %y[] : memref<f32>
    return %ok : i32
  }
}
