// A causal transformer of characters, in the pre-norm form of GPT-2 (Radford and
// others, 2019): 2 layers of width 64 with 4 heads of 16, a context of 64
// characters, 114,000 parameters; softmax cross entropy, Adam.
//
// A character is a number below 96: 0 is the end of a line, 1 to 95 are the
// printable characters of ASCII in order.

module @transformer {

// The vector of each character, and of each position in the context.
train.variable @characters : tensor<96x64xf32> = #train.random_normal<stddev = 0.1>
train.variable @positions : tensor<64x64xf32> = #train.random_normal<stddev = 0.1>

train.variable @"0/norm1/gamma" : tensor<64xf32> = #train.ones
train.variable @"0/norm1/beta" : tensor<64xf32> = #train.zeros
train.variable @"0/query" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"0/key" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"0/value" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"0/merge" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"0/norm2/gamma" : tensor<64xf32> = #train.ones
train.variable @"0/norm2/beta" : tensor<64xf32> = #train.zeros
train.variable @"0/widen/w" : tensor<64x256xf32> = #train.glorot_uniform
train.variable @"0/widen/b" : tensor<256xf32> = #train.zeros
train.variable @"0/narrow/w" : tensor<256x64xf32> = #train.glorot_uniform
train.variable @"0/narrow/b" : tensor<64xf32> = #train.zeros

train.variable @"1/norm1/gamma" : tensor<64xf32> = #train.ones
train.variable @"1/norm1/beta" : tensor<64xf32> = #train.zeros
train.variable @"1/query" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"1/key" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"1/value" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"1/merge" : tensor<64x64xf32> = #train.glorot_uniform
train.variable @"1/norm2/gamma" : tensor<64xf32> = #train.ones
train.variable @"1/norm2/beta" : tensor<64xf32> = #train.zeros
train.variable @"1/widen/w" : tensor<64x256xf32> = #train.glorot_uniform
train.variable @"1/widen/b" : tensor<256xf32> = #train.zeros
train.variable @"1/narrow/w" : tensor<256x64xf32> = #train.glorot_uniform
train.variable @"1/narrow/b" : tensor<64xf32> = #train.zeros

train.variable @"norm/gamma" : tensor<64xf32> = #train.ones
train.variable @"norm/beta" : tensor<64xf32> = #train.zeros
train.variable @"scores/w" : tensor<64x96xf32> = #train.glorot_uniform
train.variable @"scores/b" : tensor<96xf32> = #train.zeros

// x w, as the vectors of 4 heads: [batch, head, position, 16].
func.func private @heads(%x: tensor<?x64x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<?x4x64x16xf32> {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x64x64xf32>
  %y = nn.dense %x, %w : (tensor<?x64x64xf32>, tensor<64x64xf32>) -> tensor<?x64x64xf32>
  %split = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [%batch, 64, 4, 16]
      : tensor<?x64x64xf32> into tensor<?x64x4x16xf32>
  %empty = tensor.empty(%batch) : tensor<?x4x64x16xf32>
  %heads = linalg.transpose ins(%split : tensor<?x64x4x16xf32>)
      outs(%empty : tensor<?x4x64x16xf32>) permutation = [0, 2, 1, 3]
  return %heads : tensor<?x4x64x16xf32>
}

// Each position looks at itself and at those before it.
func.func private @attend(%x: tensor<?x64x64xf32>, %query: tensor<64x64xf32>,
    %key: tensor<64x64xf32>, %value: tensor<64x64xf32>, %merge: tensor<64x64xf32>)
    -> tensor<?x64x64xf32> {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x64x64xf32>
  %q = call @heads(%x, %query)
      : (tensor<?x64x64xf32>, tensor<64x64xf32>) -> tensor<?x4x64x16xf32>
  %k = call @heads(%x, %key)
      : (tensor<?x64x64xf32>, tensor<64x64xf32>) -> tensor<?x4x64x16xf32>
  %v = call @heads(%x, %value)
      : (tensor<?x64x64xf32>, tensor<64x64xf32>) -> tensor<?x4x64x16xf32>
  %seen = nn.attention %q, %k, %v causal
      : (tensor<?x4x64x16xf32>, tensor<?x4x64x16xf32>, tensor<?x4x64x16xf32>)
      -> tensor<?x4x64x16xf32>
  %empty = tensor.empty(%batch) : tensor<?x64x4x16xf32>
  %split = linalg.transpose ins(%seen : tensor<?x4x64x16xf32>)
      outs(%empty : tensor<?x64x4x16xf32>) permutation = [0, 2, 1, 3]
  %joined = tensor.collapse_shape %split [[0], [1], [2, 3]]
      : tensor<?x64x4x16xf32> into tensor<?x64x64xf32>
  %y = nn.dense %joined, %merge
      : (tensor<?x64x64xf32>, tensor<64x64xf32>) -> tensor<?x64x64xf32>
  return %y : tensor<?x64x64xf32>
}

// A hidden layer of 256 units, for each position alone.
func.func private @think(%x: tensor<?x64x64xf32>,
    %widen_w: tensor<64x256xf32>, %widen_b: tensor<256xf32>,
    %narrow_w: tensor<256x64xf32>, %narrow_b: tensor<64xf32>) -> tensor<?x64x64xf32> {
  %z = nn.dense %x, %widen_w, %widen_b
      : (tensor<?x64x64xf32>, tensor<64x256xf32>, tensor<256xf32>) -> tensor<?x64x256xf32>
  %hidden = nn.gelu %z : tensor<?x64x256xf32>
  %y = nn.dense %hidden, %narrow_w, %narrow_b
      : (tensor<?x64x256xf32>, tensor<256x64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>
  return %y : tensor<?x64x64xf32>
}

// One layer. Its variables are arguments, so that both layers are this function.
func.func private @block(%x: tensor<?x64x64xf32>, %training: tensor<i1>,
    %gamma1: tensor<64xf32>, %beta1: tensor<64xf32>,
    %query: tensor<64x64xf32>, %key: tensor<64x64xf32>,
    %value: tensor<64x64xf32>, %merge: tensor<64x64xf32>,
    %gamma2: tensor<64xf32>, %beta2: tensor<64xf32>,
    %widen_w: tensor<64x256xf32>, %widen_b: tensor<256xf32>,
    %narrow_w: tensor<256x64xf32>, %narrow_b: tensor<64xf32>) -> tensor<?x64x64xf32> {
  %norm1 = nn.layer_norm %x gamma %gamma1 beta %beta1 axes [2] epsilon 1.0e-5
      : (tensor<?x64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>
  %seen = call @attend(%norm1, %query, %key, %value, %merge)
      : (tensor<?x64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x64x64xf32>
  %seen_kept = train.dropout %seen rate 2.0e-1 training %training
      : tensor<?x64x64xf32>, tensor<i1>
  %y = arith.addf %x, %seen_kept : tensor<?x64x64xf32>
  %norm2 = nn.layer_norm %y gamma %gamma2 beta %beta2 axes [2] epsilon 1.0e-5
      : (tensor<?x64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>
  %thought = call @think(%norm2, %widen_w, %widen_b, %narrow_w, %narrow_b)
      : (tensor<?x64x64xf32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x64xf32>,
         tensor<64xf32>) -> tensor<?x64x64xf32>
  %thought_kept = train.dropout %thought rate 2.0e-1 training %training
      : tensor<?x64x64xf32>, tensor<i1>
  %z = arith.addf %y, %thought_kept : tensor<?x64x64xf32>
  return %z : tensor<?x64x64xf32>
}

// For each position, a score for each character that may follow.
func.func private @forward(%text: tensor<?x64xi32>, %training: tensor<i1>)
    -> tensor<?x64x96xf32> {
  %characters = train.read @characters : tensor<96x64xf32>
  %what = nn.gather %characters, %text axis 0
      : (tensor<96x64xf32>, tensor<?x64xi32>) -> tensor<?x64x64xf32>
  %positions = train.read @positions : tensor<64x64xf32>
  %where = nn.broadcast %positions dims [1, 2] like %what
      : (tensor<64x64xf32>, tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %x0 = arith.addf %what, %where : tensor<?x64x64xf32>

  %gamma1_0 = train.read @"0/norm1/gamma" : tensor<64xf32>
  %beta1_0 = train.read @"0/norm1/beta" : tensor<64xf32>
  %query_0 = train.read @"0/query" : tensor<64x64xf32>
  %key_0 = train.read @"0/key" : tensor<64x64xf32>
  %value_0 = train.read @"0/value" : tensor<64x64xf32>
  %merge_0 = train.read @"0/merge" : tensor<64x64xf32>
  %gamma2_0 = train.read @"0/norm2/gamma" : tensor<64xf32>
  %beta2_0 = train.read @"0/norm2/beta" : tensor<64xf32>
  %widen_w_0 = train.read @"0/widen/w" : tensor<64x256xf32>
  %widen_b_0 = train.read @"0/widen/b" : tensor<256xf32>
  %narrow_w_0 = train.read @"0/narrow/w" : tensor<256x64xf32>
  %narrow_b_0 = train.read @"0/narrow/b" : tensor<64xf32>
  %x1 = call @block(%x0, %training, %gamma1_0, %beta1_0, %query_0, %key_0, %value_0,
      %merge_0, %gamma2_0, %beta2_0, %widen_w_0, %widen_b_0, %narrow_w_0, %narrow_b_0)
      : (tensor<?x64x64xf32>, tensor<i1>, tensor<64xf32>, tensor<64xf32>,
         tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>,
         tensor<256x64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>

  %gamma1_1 = train.read @"1/norm1/gamma" : tensor<64xf32>
  %beta1_1 = train.read @"1/norm1/beta" : tensor<64xf32>
  %query_1 = train.read @"1/query" : tensor<64x64xf32>
  %key_1 = train.read @"1/key" : tensor<64x64xf32>
  %value_1 = train.read @"1/value" : tensor<64x64xf32>
  %merge_1 = train.read @"1/merge" : tensor<64x64xf32>
  %gamma2_1 = train.read @"1/norm2/gamma" : tensor<64xf32>
  %beta2_1 = train.read @"1/norm2/beta" : tensor<64xf32>
  %widen_w_1 = train.read @"1/widen/w" : tensor<64x256xf32>
  %widen_b_1 = train.read @"1/widen/b" : tensor<256xf32>
  %narrow_w_1 = train.read @"1/narrow/w" : tensor<256x64xf32>
  %narrow_b_1 = train.read @"1/narrow/b" : tensor<64xf32>
  %x2 = call @block(%x1, %training, %gamma1_1, %beta1_1, %query_1, %key_1, %value_1,
      %merge_1, %gamma2_1, %beta2_1, %widen_w_1, %widen_b_1, %narrow_w_1, %narrow_b_1)
      : (tensor<?x64x64xf32>, tensor<i1>, tensor<64xf32>, tensor<64xf32>,
         tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>, tensor<256xf32>,
         tensor<256x64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>

  %gamma = train.read @"norm/gamma" : tensor<64xf32>
  %beta = train.read @"norm/beta" : tensor<64xf32>
  %norm = nn.layer_norm %x2 gamma %gamma beta %beta axes [2] epsilon 1.0e-5
      : (tensor<?x64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64x64xf32>
  %w = train.read @"scores/w" : tensor<64x96xf32>
  %b = train.read @"scores/b" : tensor<96xf32>
  %scores = nn.dense %norm, %w, %b
      : (tensor<?x64x64xf32>, tensor<64x96xf32>, tensor<96xf32>) -> tensor<?x64x96xf32>
  return %scores : tensor<?x64x96xf32>
}

// One step of training; returns the mean loss of a character, in nats, before the
// update. `next` is the text one character further.
func.func @train_step(%text: tensor<?x64xi32>, %next: tensor<?x64xi32>) -> tensor<f32> {
  %training = arith.constant dense<true> : tensor<i1>
  %scores = call @forward(%text, %training)
      : (tensor<?x64xi32>, tensor<i1>) -> tensor<?x64x96xf32>
  %loss = nn.sparse_softmax_cross_entropy %scores, %next
      : (tensor<?x64x96xf32>, tensor<?x64xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.003>
  return %loss : tensor<f32>
}

// The loss of each character.
func.func @eval(%text: tensor<?x64xi32>, %next: tensor<?x64xi32>) -> tensor<?x64xf32> {
  %training = arith.constant dense<false> : tensor<i1>
  %scores = call @forward(%text, %training)
      : (tensor<?x64xi32>, tensor<i1>) -> tensor<?x64x96xf32>
  %losses = nn.sparse_softmax_cross_entropy %scores, %next reduction none
      : (tensor<?x64x96xf32>, tensor<?x64xi32>) -> tensor<?x64xf32>
  return %losses : tensor<?x64xf32>
}

// The probabilities of what follows each position. A text of less than 64
// characters may be followed by anything: no position looks ahead.
func.func @predict(%text: tensor<?x64xi32>) -> tensor<?x64x96xf32> {
  %training = arith.constant dense<false> : tensor<i1>
  %scores = call @forward(%text, %training)
      : (tensor<?x64xi32>, tensor<i1>) -> tensor<?x64x96xf32>
  %probabilities = nn.softmax %scores : tensor<?x64x96xf32>
  return %probabilities : tensor<?x64x96xf32>
}

}
