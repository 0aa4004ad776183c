// RUN: flywheel-compile --cost %s | FileCheck %s
// RUN: flywheel-opt %s --train-print-cost='entries=swap' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SWAP

// F1, F3: averages of weights cost what they are made of, also in an entry that has no gradient, and are of the update:
// 1 - decay, and for each of 10 elements a difference, a product and a sum; a swap reads and writes both variables.
train.variable @w : tensor<10xf32> = #train.zeros

// CHECK:      cost before optimization
// CHECK:      @step
// CHECK:        update {{.*}}: train.average_variables (7 ops): 31 FLOP, 520 bytes
// CHECK:      @average
// CHECK-NEXT:   forward   0 FLOP, 0 bytes
// CHECK-NEXT:   backward  0 FLOP, 0 bytes
// CHECK-NEXT:   update    31 FLOP, 520 bytes
// CHECK:      @swap
// CHECK-NEXT:   forward   0 FLOP, 0 bytes
// CHECK-NEXT:   backward  0 FLOP, 0 bytes
// CHECK-NEXT:   update    0 FLOP, 160 bytes
// CHECK:      cost after optimization
// CHECK:      @average
// CHECK-NEXT:   forward   0 FLOP, 0 bytes
// CHECK-NEXT:   backward  0 FLOP, 0 bytes
// CHECK-NEXT:   update    30 FLOP, 120 bytes
// CHECK:      @swap
// CHECK-NEXT:   forward   0 FLOP, 0 bytes
// CHECK-NEXT:   backward  0 FLOP, 0 bytes
// CHECK-NEXT:   update    0 FLOP, 160 bytes
// SWAP:       @swap
// SWAP:         update    0 FLOP, 160 bytes
func.func @step() {
  %w = train.read @w : tensor<10xf32>
  %square = arith.mulf %w, %w : tensor<10xf32>
  train.minimize %square : tensor<10xf32> with #train.gradient_descent<lr = 0.1>
  train.average_variables decay 0.999
  return
}

func.func @average() {
  train.average_variables decay 0.99 name "slow"
  return
}

func.func @swap() {
  train.swap_averages
  return
}
