// Loops of the host that elements of the device decide: with zeros in their place none would end.

func.func @sum_below(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %limit = arith.constant 1000.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = scf.while (%v = %x) : (tensor<3x4xf32>) -> tensor<3x4xf32> {
    %sum = linalg.reduce { arith.addf } ins(%v : tensor<3x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    %1 = tensor.extract %sum[] : tensor<f32>
    %2 = arith.cmpf olt, %1, %limit : f32
    scf.condition(%2) %v : tensor<3x4xf32>
  } do {
  ^bb0(%v: tensor<3x4xf32>):
    %1 = arith.addf %v, %v : tensor<3x4xf32>
    scf.yield %1 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// A branch is one of a failed step too, and the loop in it.
func.func @branch(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1.0 : f32
  %1 = tensor.extract %x[%c0, %c0] : tensor<3x4xf32>
  %2 = arith.cmpf ole, %1, %limit : f32
  %3 = scf.if %2 -> tensor<3x4xf32> {
    %4 = func.call @sum_below(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.yield %4 : tensor<3x4xf32>
  } else {
    scf.yield %x : tensor<3x4xf32>
  }
  return %3 : tensor<3x4xf32>
}

// 0 as the step of a loop is none.
func.func @steps(%x: tensor<3x4xf32>, %step: tensor<i64>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %0 = tensor.extract %step[] : tensor<i64>
  %1 = scf.for %i = %c0 to %c8 step %0 iter_args(%v = %x) -> tensor<3x4xf32> : i64 {
    %2 = arith.addf %v, %v : tensor<3x4xf32>
    scf.yield %2 : tensor<3x4xf32>
  }
  return %1 : tensor<3x4xf32>
}

// 2^62 less 0 is more iterations than end.
func.func @bound(%x: tensor<3x4xf32>, %n: tensor<i64>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %most = arith.constant 4611686018427387904 : i64
  %0 = tensor.extract %n[] : tensor<i64>
  %bound = arith.subi %most, %0 : i64
  %1 = scf.for %i = %c0 to %bound step %c1 iter_args(%v = %x) -> tensor<3x4xf32> : i64 {
    %2 = arith.addf %v, %v : tensor<3x4xf32>
    scf.yield %2 : tensor<3x4xf32>
  }
  return %1 : tensor<3x4xf32>
}

train.variable @w : tensor<3x4xf32> = #train.ones

// The state is what it was.
func.func @grow() -> tensor<f32> {
  %limit = arith.constant 1000.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %w = train.read @w : tensor<3x4xf32>
  %0 = scf.while (%v = %w) : (tensor<3x4xf32>) -> tensor<3x4xf32> {
    %sum = linalg.reduce { arith.addf } ins(%v : tensor<3x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    %1 = tensor.extract %sum[] : tensor<f32>
    %2 = arith.cmpf olt, %1, %limit : f32
    scf.condition(%2) %v : tensor<3x4xf32>
  } do {
  ^bb0(%v: tensor<3x4xf32>):
    %1 = arith.addf %v, %v : tensor<3x4xf32>
    scf.yield %1 : tensor<3x4xf32>
  }
  train.assign @w, %0 : tensor<3x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%0 : tensor<3x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %sum : tensor<f32>
}
