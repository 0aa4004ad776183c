// RUN: flywheel-opt %s '--train-print-cost=whole-graph' -o /dev/null 2>&1 | FileCheck %s
// RUN: flywheel-opt %s --train-print-cost -o /dev/null 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: flywheel-opt %s '--train-print-cost=whole-graph json' -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON

// F4: what nothing uses, and initial values: a product and a sum a draw.
train.variable @a : tensor<25x16xf32> = #train.random_normal<stddev = 0.1>
train.variable @b : tensor<16x9xf32> = #train.random_normal<stddev = 0.1>
train.variable @c : tensor<9xf32> = #train.zeros

// CHECK:      initial values
// CHECK-NEXT:   forward   {{.*}}whole-graph.mlir:6:1: @a: 800 FLOP
// CHECK-NEXT:   forward   {{.*}}whole-graph.mlir:7:1: @b: 288 FLOP
// CHECK-NEXT:   total     1088 FLOP
// CHECK-NEXT: whole graph
// CHECK-NEXT:   @product  8288 FLOP
// CHECK-NEXT:   @unused  8300 FLOP
// REACHED:      @product
// REACHED-NEXT:   forward   7200 FLOP
// REACHED:      @unused
// REACHED-NEXT:   forward   7203 FLOP
// REACHED-NOT:  initial values
// JSON:        "initial_values": {
// JSON-NEXT:     "bytes": 0,
// JSON-NEXT:     "flops": 1088
func.func @product() -> tensor<25x9xf32> {
  %a = train.read @a : tensor<25x16xf32>
  %b = train.read @b : tensor<16x9xf32>
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  return %y : tensor<25x9xf32>
}

func.func @unused(%x: tensor<3xf32>, %z: tensor<9xf32>) -> (tensor<25x9xf32>, tensor<3xf32>) {
  %a = train.read @a : tensor<25x16xf32>
  %b = train.read @b : tensor<16x9xf32>
  %y = nn.matmul %a, %b : (tensor<25x16xf32>, tensor<16x9xf32>) -> tensor<25x9xf32>
  %s = arith.addf %x, %x : tensor<3xf32>
  %d = arith.mulf %z, %z : tensor<9xf32>
  return %y, %s : tensor<25x9xf32>, tensor<3xf32>
}
