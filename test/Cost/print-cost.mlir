// RUN: flywheel-opt %s --train-print-cost -o /dev/null 2>&1 | FileCheck %s
// RUN: flywheel-opt %s '--train-print-cost=bind=batch=32 entries=mlp' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: flywheel-opt %s '--train-print-cost=bind=batch=32 entries=mlp json' -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: flywheel-opt %s '--train-print-cost=fetches=loss entries=fetches' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FETCH
// RUN: flywheel-opt %s '--train-print-cost=entries=large json' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: flywheel-opt %s '--train-print-cost=entries=mean bind=batch=0' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: flywheel-opt %s '--train-print-cost=entries=mean bind=batch=4611686018427387904,arg0_dim1=4611686018427387904,arg0_dim2=4611686018427387904' -o /dev/null 2>&1 | FileCheck %s --check-prefix=HUGE

// F1: 2 m k n of a matrix product.
// CHECK-LABEL: @product
// CHECK-NEXT:  forward   7200 FLOP, 3076 bytes
// CHECK-NEXT:  backward  0 FLOP, 0 bytes
// CHECK-NEXT:  update    0 FLOP, 0 bytes
// CHECK-NEXT:  total     7200 FLOP, 3076 bytes
// CHECK:       by op:
// CHECK-NEXT:  forward   {{.*}}print-cost.mlir:[[@LINE+2]]:8: nn.matmul: 7200 FLOP, 3076 bytes
func.func @product(%a: tensor<25x16xf32>, %b: tensor<16x9xf32>) -> tensor<25x9xf32> {
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  return %y : tensor<25x9xf32>
}

// F2: with both gradients, and with one. The seed costs nothing.
// CHECK-LABEL: @both
// CHECK-NEXT:  forward   7200 FLOP
// CHECK-NEXT:  backward  14400 FLOP
// CHECK-NEXT:  update    0 FLOP
// CHECK-NEXT:  total     21600 FLOP
func.func @both(%a: tensor<25x16xf32>, %b: tensor<16x9xf32>) -> (tensor<25x9xf32>, tensor<25x16xf32>, tensor<16x9xf32>) {
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  %da, %db = train.gradient %y wrt %a, %b : (tensor<25x9xf32>, tensor<25x16xf32>, tensor<16x9xf32>) -> (tensor<25x16xf32>, tensor<16x9xf32>)
  return %y, %da, %db : tensor<25x9xf32>, tensor<25x16xf32>, tensor<16x9xf32>
}

// CHECK-LABEL: @one
// CHECK-NEXT:  forward   7200 FLOP
// CHECK-NEXT:  backward  7200 FLOP
func.func @one(%a: tensor<25x16xf32>, %b: tensor<16x9xf32>) -> (tensor<25x9xf32>, tensor<25x16xf32>) {
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  %da = train.gradient %y wrt %a : (tensor<25x9xf32>, tensor<25x16xf32>) -> tensor<25x16xf32>
  return %y, %da : tensor<25x9xf32>, tensor<25x16xf32>
}

// F2: each gradient of a convolution costs what the convolution costs.
// CHECK-LABEL: @conv
// CHECK-NEXT:  forward   640000 FLOP
// CHECK-NEXT:  backward  1280000 FLOP
func.func @conv(%x: tensor<1x10x10x32xf32>, %w: tensor<5x5x32x16xf32>) -> (tensor<1x10x10x32xf32>, tensor<5x5x32x16xf32>) {
  %y = nn.conv2d %x, %w strides [2, 2] padding same : (tensor<1x10x10x32xf32>, tensor<5x5x32x16xf32>) -> tensor<1x5x5x16xf32>
  %dx, %dw = train.gradient %y wrt %x, %w : (tensor<1x5x5x16xf32>, tensor<1x10x10x32xf32>, tensor<5x5x32x16xf32>) -> (tensor<1x10x10x32xf32>, tensor<5x5x32x16xf32>)
  return %dx, %dw : tensor<1x10x10x32xf32>, tensor<5x5x32x16xf32>
}

// F6: unknown sizes are symbols, unless they are bound.
// CHECK-LABEL: @mlp
// CHECK-NEXT:  forward   159010*batch FLOP
// CHECK-NEXT:  backward  161010*batch - 110 FLOP
// CHECK:       batch: dimension 0 of 'arg0'
// BOUND:       @mlp
// BOUND-NEXT:  forward   5088320 FLOP
// BOUND-NEXT:  backward  5152210 FLOP
// BOUND-NEXT:  update    0 FLOP, 0 bytes
// BOUND-NEXT:  total     10240530 FLOP
// BOUND:       peak memory of its tensors: {{[0-9]+}} bytes
// BOUND:       by op:
// BOUND:       forward   {{.*}}: nn.dense: 5020800 FLOP
// BOUND:       forward   {{.*}}: nn.relu: 3200 FLOP, 25600 bytes
// BOUND:       forward   {{.*}}: nn.dense: 64320 FLOP
// BOUND:       backward  {{.*}}: nn.dense ({{.*}} ops): 128310 FLOP
// BOUND:       backward  {{.*}}: nn.relu ({{.*}} ops): 3200 FLOP
// BOUND:       backward  {{.*}}: nn.dense ({{.*}} ops): 5020700 FLOP
// JSON:      "entries": [
// JSON:        "name": "mlp",
// JSON:        "once": {
// JSON-NEXT:     "backward": {
// JSON-NEXT:       "bytes": {{[0-9]+}},
// JSON-NEXT:       "flops": 5152210
// JSON:          "forward": {
// JSON:            "flops": 5088320
// JSON:        "op": "nn.dense",
// JSON-NEXT:   "phase": "forward",
func.func @mlp(%x: tensor<?x784xf32>, %w1: tensor<784x100xf32>, %b1: tensor<100xf32>, %w2: tensor<100x10xf32>, %b2: tensor<10xf32>, %dscore: tensor<?x10xf32>)
    -> (tensor<784x100xf32>, tensor<100xf32>, tensor<100x10xf32>, tensor<10xf32>) {
  %h = nn.dense %x, %w1, %b1 : (tensor<?x784xf32>, tensor<784x100xf32>, tensor<100xf32>) -> tensor<?x100xf32>
  %r = nn.relu %h : tensor<?x100xf32>
  %score = nn.dense %r, %w2, %b2 : (tensor<?x100xf32>, tensor<100x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %dw1, %db1, %dw2, %db2 = train.gradient %score wrt %w1, %b1, %w2, %b2 grad_ys %dscore
      : (tensor<?x10xf32>, tensor<784x100xf32>, tensor<100xf32>, tensor<100x10xf32>, tensor<10xf32>, tensor<?x10xf32>) -> (tensor<784x100xf32>, tensor<100xf32>, tensor<100x10xf32>, tensor<10xf32>)
  return %dw1, %db1, %dw2, %db2 : tensor<784x100xf32>, tensor<100xf32>, tensor<100x10xf32>, tensor<10xf32>
}

// F1: composite ops cost what the table says, the others what they are made of.
// A cast and a reshape cost nothing.
// CHECK-LABEL: @table
// CHECK-NEXT:  forward   2993 FLOP
// CHECK:       by op:
// CHECK:       : nn.softmax: 120 FLOP
// CHECK:       : nn.gelu: 24 FLOP
// CHECK:       : nn.l2_loss: 71 FLOP
// CHECK:       : nn.reduce: 20 FLOP
// CHECK:       : nn.reduce: 24 FLOP
// CHECK:       : nn.argmax: 20 FLOP
// CHECK:       : math.rsqrt: 48 FLOP
// CHECK:       : arith.truncf: 0 FLOP
// CHECK:       : nn.max_pool2d: 2304 FLOP
// CHECK:       : nn.cholesky: 170 FLOP
// CHECK:       : nn.triangular_solve: 192 FLOP
// CHECK:       : nn.triangle: 0 FLOP
func.func @table(%x: tensor<4x6xf32>, %i: tensor<1x24x24x4xf32>, %a: tensor<8x8xf32>, %b: tensor<8x3xf32>, %c: tensor<7x7xf32>)
    -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<24xf16>, tensor<1x12x12x4xf32>, tensor<8x3xf32>, tensor<7x7xf32>) {
  %s = nn.softmax %x : tensor<4x6xf32>
  %g = nn.gelu %s : tensor<4x6xf32>
  %l = nn.l2_loss %g : tensor<4x6xf32> -> tensor<f32>
  %sum = nn.reduce sum %x axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  %mean = nn.reduce mean %x axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  %max = nn.argmax %x axis 1 : tensor<4x6xf32> -> tensor<4xi64>
  %r = math.rsqrt %x : tensor<4x6xf32>
  %flat = tensor.collapse_shape %r [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %half = arith.truncf %flat : tensor<24xf32> to tensor<24xf16>
  %p = nn.max_pool2d %i window [2, 2] : (tensor<1x24x24x4xf32>) -> tensor<1x12x12x4xf32>
  %k = nn.cholesky %a : tensor<8x8xf32>
  %y = nn.triangular_solve lower %k, %b : (tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %t = nn.triangle lower %c : tensor<7x7xf32>
  return %l, %sum, %mean, %max, %half, %p, %y, %t : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<24xf16>, tensor<1x12x12x4xf32>, tensor<8x3xf32>, tensor<7x7xf32>
}

// F4: what no fetch depends on is not counted.
// FETCH:       @fetches
// FETCH-NEXT:  forward   7200 FLOP
// FETCH-NEXT:  backward  0 FLOP
func.func @fetches(%a: tensor<25x16xf32>, %b: tensor<16x9xf32>) -> (tensor<25x9xf32> {train.name = "loss"}, tensor<25x16xf32> {train.name = "slope"}) {
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  %da = train.gradient %y wrt %a : (tensor<25x9xf32>, tensor<25x16xf32>) -> tensor<25x16xf32>
  return %y, %da : tensor<25x9xf32>, tensor<25x16xf32>
}

// F5: a body counts once; where the number of iterations is known, there is a
// second total.
// CHECK-LABEL: @loop
// CHECK-NEXT:  forward   7200 FLOP
// CHECK:       warning: {{.*}}print-cost.mlir:[[@LINE+10]]:8: scf.for: the body of this loop is counted once; it runs 5 times
// CHECK-NEXT:  with the iterations of loops that are known:
// CHECK-NEXT:  forward   36000 FLOP
func.func @loop(%a: tensor<25x16xf32>, %b: tensor<16x9xf32>, %s: tensor<25x9xf32>) -> tensor<25x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index

  // Nothing but indices is computed in the other one.

  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%y = %s) -> tensor<25x9xf32> {
    %z = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
    scf.yield %z : tensor<25x9xf32>
  }
  return %r : tensor<25x9xf32>
}

// F1: what has no entry in the table is listed.
// CHECK-LABEL: @unknown
// CHECK:       counted 0, as their cost is unknown:
// CHECK-NEXT:    {{.*}}print-cost.mlir:[[@LINE+2]]:8: shape.value_as_shape
func.func @unknown(%s: tensor<2xindex>) -> tensor<2xindex> {
  %v = shape.value_as_shape %s : tensor<2xindex> -> tensor<2xindex>
  return %v : tensor<2xindex>
}

// F1: numbers of 2^63 and more are numbers, in JSON strings.
// CHECK-LABEL: @large
// CHECK-NEXT:  forward   128000000000000000000 FLOP
// LARGE:       "flops": "128000000000000000000"
func.func @large(%a: tensor<4000000x4000000xf32>) -> tensor<4000000x4000000xf32> {
  %y = nn.matmul %a, %a : (tensor<4000000x4000000xf32>, tensor<4000000x4000000xf32>) -> tensor<4000000x4000000xf32>
  return %y : tensor<4000000x4000000xf32>
}

// F6: a size of 0 costs nothing, not less. Sizes whose product no number of 128 bits is are said to be large.
// EMPTY:       @mean
// EMPTY-NEXT:  forward   0 FLOP
// HUGE:        @mean
// HUGE-NEXT:   forward   more than 2^126 FLOP
func.func @mean(%x: tensor<?x?x?xf32>) -> tensor<f32> {
  %y = nn.reduce sum %x axes [0, 1, 2] : tensor<?x?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// F1: a squared difference takes two operations an element, tanh and exp one.
// CHECK-LABEL: @squared
// CHECK-NEXT:  forward   96 FLOP
// CHECK:       : arith.subf: 24 FLOP
// CHECK:       : arith.mulf: 24 FLOP
// CHECK:       : math.tanh: 24 FLOP
// CHECK:       : math.exp: 24 FLOP
func.func @squared(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %d = arith.subf %x, %y : tensor<4x6xf32>
  %s = arith.mulf %d, %d : tensor<4x6xf32>
  %t = math.tanh %s : tensor<4x6xf32>
  %e = math.exp %s : tensor<4x6xf32>
  return %s, %t, %e : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
