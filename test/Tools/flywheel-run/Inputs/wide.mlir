train.variable @u : tensor<ui64>
train.variable @i : tensor<i64>
train.variable @h : tensor<f16>
