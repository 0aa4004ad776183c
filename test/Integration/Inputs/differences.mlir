// A workspace that is largest where some dimensions are small.
func.func @f(%x: tensor<2x?xi64>, %y: tensor<3x?xi64>, %z: tensor<?x3xi64>, %w: tensor<?xi64>) -> tensor<i64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %dw = tensor.dim %w, %c0 : tensor<?xi64>
  %dy = tensor.dim %y, %c1 : tensor<3x?xi64>
  %dx = tensor.dim %x, %c1 : tensor<2x?xi64>
  %dz = tensor.dim %z, %c0 : tensor<?x3xi64>
  %a = arith.subi %dw, %dy : index
  %b = arith.subi %c3, %dx : index
  %c = arith.subi %c2, %dy : index
  %d = arith.subi %dz, %c3 : index
  %padded = tensor.pad %x low[%a, %c] high[%b, %d] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i64
  } : tensor<2x?xi64> to tensor<?x?xi64>
  %sum = nn.reduce sum %padded axes [0, 1] : tensor<?x?xi64> -> tensor<i64>
  return %sum : tensor<i64>
}
