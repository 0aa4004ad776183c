// Update rules on the acceptance problem: loss p^2/2 summed, so the gradient is
// p; p = [1, -2, 3], lr 0.1, three steps.
// RUN: flywheel-opt %s --convert-train-updates-to-linalg --convert-nn-to-linalg | %run_linalg | FileCheck %s

func.func private @printMemrefF64(tensor<*xf64>)

func.func @show(%x: tensor<3xf64>) {
  %u = tensor.cast %x : tensor<3xf64> to tensor<*xf64>
  call @printMemrefF64(%u) : (tensor<*xf64>) -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = arith.constant dense<[1., -2., 3.]> : tensor<3xf64>
  %z = arith.constant dense<0.> : tensor<3xf64>
  %lr = arith.constant dense<0.1> : tensor<f64>
  %mom = arith.constant dense<0.9> : tensor<f64>
  %b1 = arith.constant dense<0.9> : tensor<f64>
  %b2 = arith.constant dense<0.999> : tensor<f64>
  %one = arith.constant dense<1.0> : tensor<f64>

  // O2: Keras SGD, momentum 0.9: parameter and velocity.
  %sgd:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %p, %v = %z) -> (tensor<3xf64>, tensor<3xf64>) {
    %0:2 = train.update %w, %v along %w with %lr, %mom
        : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) by #train.sgd
    scf.yield %0#0, %0#1 : tensor<3xf64>, tensor<3xf64>
  }
  call @show(%sgd#0) : (tensor<3xf64>) -> ()
  // CHECK: [0.486, -0.972, 1.458]
  call @show(%sgd#1) : (tensor<3xf64>) -> ()
  // CHECK: [-0.234, 0.468, -0.702]

  // O2: nesterov:
  %nes:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %p, %v = %z) -> (tensor<3xf64>, tensor<3xf64>) {
    %0:2 = train.update %w, %v along %w with %lr, %mom
        : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) by #train.sgd<nesterov = true>
    scf.yield %0#0, %0#1 : tensor<3xf64>, tensor<3xf64>
  }
  call @show(%nes#0) : (tensor<3xf64>) -> ()
  // CHECK: [0.327321, -0.654642, 0.981963]

  // O22: tf.train momentum.
  %tfm:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %p, %v = %z) -> (tensor<3xf64>, tensor<3xf64>) {
    %0:2 = train.update %w, %v along %w with %lr, %mom
        : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) by #train.momentum<lr = 0.1>
    scf.yield %0#0, %0#1 : tensor<3xf64>, tensor<3xf64>
  }
  call @show(%tfm#0) : (tensor<3xf64>) -> ()
  // CHECK: [0.486, -0.972, 1.458]

  // O22: nesterov:
  %tfn:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %p, %v = %z) -> (tensor<3xf64>, tensor<3xf64>) {
    %0:2 = train.update %w, %v along %w with %lr, %mom
        : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) by #train.momentum<lr = 0.1, nesterov = true>
    scf.yield %0#0, %0#1 : tensor<3xf64>, tensor<3xf64>
  }
  call @show(%tfn#0) : (tensor<3xf64>) -> ()
  // CHECK: [0.327321, -0.654642, 0.981963]

  // O6: Adam, with the rate corrected for bias outside the update.
  %adam:5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %p, %m = %z, %v = %z, %p1 = %one, %p2 = %one)
      -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>) {
    %q1 = arith.mulf %p1, %b1 : tensor<f64>
    %q2 = arith.mulf %p2, %b2 : tensor<f64>
    %n1 = arith.subf %one, %q1 : tensor<f64>
    %n2 = arith.subf %one, %q2 : tensor<f64>
    %root = math.sqrt %n2 : tensor<f64>
    %scaled = arith.mulf %lr, %root : tensor<f64>
    %rate = arith.divf %scaled, %n1 : tensor<f64>
    %0:3 = train.update %w, %m, %v along %w with %rate, %b1, %b2
        : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<f64>)
        -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) by #train.adam
    scf.yield %0#0, %0#1, %0#2, %q1, %q2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>
  }
  call @show(%adam#0) : (tensor<3xf64>) -> ()
  // CHECK: [0.701587, -1.70062, 2.70038]
  return
}
