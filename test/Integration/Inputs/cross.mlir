// Parts that a target's library may lack: each kind of number, the functions of
// math, maxima with NaN and signed zeros, rounding, and a step that trains.
train.variable @w : tensor<8x5xf32> = #train.glorot_uniform
train.variable @count : tensor<i64> = dense<0> : tensor<i64>

func.func @train(%x: tensor<?x8xf32>, %y: tensor<?xi32>) -> tensor<f32> {
  %w = train.read @w : tensor<8x5xf32>
  %one = arith.constant dense<1> : tensor<i64>
  train.assign_add @count, %one : tensor<i64>
  %z = nn.matmul %x, %w : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %y : (tensor<?x5xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.1>
  return %loss : tensor<f32>
}

func.func @single(%x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32> {train.name = "largest"}, tensor<?xf32> {train.name = "least"},
        tensor<?xf32> {train.name = "exp"}, tensor<?xf32> {train.name = "tanh"},
        tensor<?xf32> {train.name = "log"}, tensor<?xf32> {train.name = "even"},
        tensor<?xf32> {train.name = "erf"}, tensor<?xf32> {train.name = "root"},
        tensor<?xf32> {train.name = "fma"}, tensor<?xf32> {train.name = "floor"}) {
  %max = arith.maximumf %x, %y : tensor<?xf32>
  %min = arith.minimumf %x, %y : tensor<?xf32>
  %exp = math.exp %x : tensor<?xf32>
  %tanh = math.tanh %x : tensor<?xf32>
  %abs = math.absf %x : tensor<?xf32>
  %log = math.log %abs : tensor<?xf32>
  %even = math.roundeven %x : tensor<?xf32>
  %erf = math.erf %x : tensor<?xf32>
  %sqrt = math.sqrt %abs : tensor<?xf32>
  %fma = math.fma %x, %y, %abs : tensor<?xf32>
  %floor = math.floor %x : tensor<?xf32>
  return %max, %min, %exp, %tanh, %log, %even, %erf, %sqrt, %fma, %floor
    : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
      tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @reduced(%x: tensor<?x32xf32>)
    -> (tensor<?xf32> {train.name = "largest"}, tensor<?xf32> {train.name = "least"},
        tensor<?xf32> {train.name = "sum"}) {
  %max = nn.reduce max %x axes [1] : tensor<?x32xf32> -> tensor<?xf32>
  %min = nn.reduce min %x axes [1] : tensor<?x32xf32> -> tensor<?xf32>
  %sum = nn.reduce sum %x axes [1] : tensor<?x32xf32> -> tensor<?xf32>
  return %max, %min, %sum : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @half(%h: tensor<?xf16>, %x: tensor<?xf32>, %d: tensor<?xf64>)
    -> (tensor<?xf16> {train.name = "sum"}, tensor<?xf16> {train.name = "narrowed"},
        tensor<?xf16> {train.name = "narrowed_twice"}, tensor<?xf32> {train.name = "widened"},
        tensor<?xf16> {train.name = "product"}, tensor<?xf16> {train.name = "exp"},
        tensor<?xf16> {train.name = "largest"}, tensor<?xi32> {train.name = "whole"}) {
  %sum = arith.addf %h, %h : tensor<?xf16>
  %narrowed = arith.truncf %x : tensor<?xf32> to tensor<?xf16>
  %twice = arith.truncf %d : tensor<?xf64> to tensor<?xf16>
  %wide = arith.extf %h : tensor<?xf16> to tensor<?xf32>
  %product = arith.mulf %h, %narrowed : tensor<?xf16>
  %exp = math.exp %h : tensor<?xf16>
  %max = arith.maximumf %h, %narrowed : tensor<?xf16>
  %whole = arith.fptosi %h : tensor<?xf16> to tensor<?xi32>
  return %sum, %narrowed, %twice, %wide, %product, %exp, %max, %whole
    : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xf16>, tensor<?xf16>,
      tensor<?xf16>, tensor<?xi32>
}

func.func @brain(%b: tensor<?xbf16>, %x: tensor<?xf32>)
    -> (tensor<?xbf16> {train.name = "sum"}, tensor<?xbf16> {train.name = "narrowed"},
        tensor<?xf32> {train.name = "widened"}, tensor<?xbf16> {train.name = "tanh"}) {
  %sum = arith.addf %b, %b : tensor<?xbf16>
  %narrowed = arith.truncf %x : tensor<?xf32> to tensor<?xbf16>
  %wide = arith.extf %b : tensor<?xbf16> to tensor<?xf32>
  %tanh = math.tanh %b : tensor<?xbf16>
  return %sum, %narrowed, %wide, %tanh : tensor<?xbf16>, tensor<?xbf16>, tensor<?xf32>, tensor<?xbf16>
}

func.func @double(%d: tensor<?xf64>, %i: tensor<?xi64>)
    -> (tensor<?xf64> {train.name = "sin"}, tensor<?xf64> {train.name = "largest"},
        tensor<?xi64> {train.name = "quotient"}, tensor<?xf64> {train.name = "converted"},
        tensor<?xf64> {train.name = "even"}) {
  %sin = math.sin %d : tensor<?xf64>
  %max = arith.maximumf %d, %sin : tensor<?xf64>
  %seven = arith.constant 7 : i64
  %empty = arith.addi %i, %i : tensor<?xi64>
  %quotient = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%empty : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %q = arith.divsi %a, %seven : i64
    linalg.yield %q : i64
  } -> tensor<?xi64>
  %converted = arith.sitofp %i : tensor<?xi64> to tensor<?xf64>
  %even = math.roundeven %d : tensor<?xf64>
  return %sin, %max, %quotient, %converted, %even
    : tensor<?xf64>, tensor<?xf64>, tensor<?xi64>, tensor<?xf64>, tensor<?xf64>
}
