// RUN: flywheel-compile --cost %s | FileCheck %s
// RUN: flywheel-compile --cost --bind=batch=100 %s | FileCheck %s --check-prefix=BOUND

// F5, F1: least squares costs what it is made of, in a loop: in an iteration its residuals
// at x (with the gradient) and at the candidate, J^T J (2 * 100 * 10 * 10), J^T r (2 * 100 * 10),
// a factor (333) and two solutions (100 each).
train.variable @a : tensor<10xf64> = #train.ones

// CHECK:       cost before optimization
// CHECK-NEXT:  @step
// CHECK-NEXT:  forward   2499 FLOP
// CHECK-NEXT:  backward  6200 FLOP
// CHECK-NEXT:  update    25156 FLOP
// CHECK-NEXT:  total     33855 FLOP
// CHECK-NEXT:  warning: {{.*}}least-squares.mlir:[[#@LINE+22]]:8: train.least_squares: the body of this loop is counted once; it runs 7 times
// CHECK-NEXT:  with the iterations of loops that are known:
// CHECK-NEXT:  forward   2499 FLOP
// CHECK-NEXT:  backward  43400 FLOP
// CHECK-NEXT:  update    176092 FLOP
// CHECK-NEXT:  total     221991 FLOP
// CHECK:       by op:
// CHECK:       forward   {{.*}}: nn.matmul: 2000 FLOP
// CHECK:       forward   {{.*}}: train.least_squares: 299 FLOP
// CHECK:       update    {{.*}}: train.least_squares ({{.*}} ops): 22956 FLOP
// CHECK:       update    {{.*}}: nn.matmul: 2000 FLOP
// CHECK:       backward  {{.*}}: nn.matmul ({{.*}} ops): 5000 FLOP
// CHECK-NOT:   counted 0
// CHECK:       @dynamic
// CHECK:       cost after optimization
// CHECK-NEXT:  @step
// CHECK:       train.least_squares: the body of this loop is counted once; it runs 7 times
// CHECK:       with the iterations of loops that are known:
// CHECK:       total     2{{[0-9]+}} FLOP
func.func @step(%t: tensor<100xf64>, %j: tensor<100x10xf64>) -> tensor<f64> {


  %o = train.least_squares over [@a] max_iterations 7 regularizer 0.1 : () -> tensor<f64> {
    %a = train.read @a : tensor<10xf64>
    %e = tensor.expand_shape %a [[0, 1]] output_shape [10, 1] : tensor<10xf64> into tensor<10x1xf64>
    %p = nn.matmul %j, %e : (tensor<100x10xf64>, tensor<10x1xf64>) -> tensor<100x1xf64>
    %c = tensor.collapse_shape %p [[0, 1]] : tensor<100x1xf64> into tensor<100xf64>
    %q = math.exp %c : tensor<100xf64>
    %s = arith.subf %q, %t : tensor<100xf64>
    train.residuals %s : tensor<100xf64>
  }
  return %o : tensor<f64>
}

// F6: the number of residuals may be a symbol. Forward: residuals, 101 each, for the
// objective at x and for the system, and the objective, 299.
// CHECK:       @dynamic
// BOUND:       @dynamic
// BOUND-NEXT:  forward   501 FLOP
func.func @dynamic(%t: tensor<?xf64>, %x: tensor<2xf64>) -> tensor<f64> {
  %o, %v = train.least_squares %x max_iterations 1 : (tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  ^bb0(%y: tensor<2xf64>):
    %s = nn.reduce sum %y axes [0] : tensor<2xf64> -> tensor<f64>
    %r = nn.mul %t, %s : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
    train.residuals %r : tensor<?xf64>
  }
  return %o : tensor<f64>
}
