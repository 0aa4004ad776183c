// A GRU over tokens, batch by time, with a third dimension size of its own.
train.variable @embedding : tensor<11x6xf32> = #train.glorot_uniform
train.variable @w : tensor<14x16xf32> = #train.glorot_uniform
train.variable @u : tensor<14x8xf32> = #train.glorot_uniform
func.func @step(%tokens: tensor<?x?xi32> {train.dims = ["batch", "time"]},
                %target: tensor<?x8xf32> {train.dims = ["batch", "units"]},
                %offset: tensor<?xf32> {train.dims = ["offsets"]})
    -> (tensor<f32> {train.name = "loss"}, tensor<?xf32> {train.name = "moved"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %batch = tensor.dim %tokens, %c0 : tensor<?x?xi32>
  %time = tensor.dim %tokens, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%batch) : tensor<?x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %last = scf.for %t = %c0 to %time step %c1 iter_args(%h = %start) -> (tensor<?x8xf32>) {
    %embedding = train.read @embedding : tensor<11x6xf32>
    %w = train.read @w : tensor<14x16xf32>
    %u = train.read @u : tensor<14x8xf32>
    %now = tensor.extract_slice %tokens[0, %t] [%batch, 1] [1, 1] : tensor<?x?xi32> to tensor<?xi32>
    %x = nn.gather %embedding, %now axis 0 : (tensor<11x6xf32>, tensor<?xi32>) -> tensor<?x6xf32>
    %xh = tensor.concat dim(1) %x, %h : (tensor<?x6xf32>, tensor<?x8xf32>) -> tensor<?x14xf32>
    %gates = nn.matmul %xh, %w : (tensor<?x14xf32>, tensor<14x16xf32>) -> tensor<?x16xf32>
    %s = nn.sigmoid %gates : tensor<?x16xf32>
    %r = tensor.extract_slice %s[0, 0] [%batch, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
    %z = tensor.extract_slice %s[0, 8] [%batch, 8] [1, 1] : tensor<?x16xf32> to tensor<?x8xf32>
    %rh = arith.mulf %r, %h : tensor<?x8xf32>
    %xrh = tensor.concat dim(1) %x, %rh : (tensor<?x6xf32>, tensor<?x8xf32>) -> tensor<?x14xf32>
    %c = nn.matmul %xrh, %u : (tensor<?x14xf32>, tensor<14x8xf32>) -> tensor<?x8xf32>
    %candidate = math.tanh %c : tensor<?x8xf32>
    %keep = arith.subf %ones, %z : tensor<?x8xf32>
    %old = arith.mulf %keep, %h : tensor<?x8xf32>
    %new = arith.mulf %z, %candidate : tensor<?x8xf32>
    %next = arith.addf %old, %new : tensor<?x8xf32>
    scf.yield %next : tensor<?x8xf32>
  }
  %d = arith.subf %last, %target : tensor<?x8xf32>
  %q = arith.mulf %d, %d : tensor<?x8xf32>
  %loss = nn.reduce mean %q axes [0, 1] : tensor<?x8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  %moved = arith.addf %offset, %offset : tensor<?xf32>
  return %loss, %moved : tensor<f32>, tensor<?xf32>
}
