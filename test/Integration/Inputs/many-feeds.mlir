train.variable @w0 : tensor<1xf32> = #train.ones
train.variable @w1 : tensor<2xf32> = #train.ones
train.variable @w2 : tensor<3xf32> = #train.ones
train.variable @w3 : tensor<4xf32> = #train.ones
train.variable @w4 : tensor<5xf32> = #train.ones
train.variable @w5 : tensor<6xf32> = #train.ones
train.variable @w6 : tensor<7xf32> = #train.ones
train.variable @w7 : tensor<8xf32> = #train.ones
train.variable @w8 : tensor<9xf32> = #train.ones
train.variable @w9 : tensor<10xf32> = #train.ones
train.variable @w10 : tensor<11xf32> = #train.ones
train.variable @w11 : tensor<12xf32> = #train.ones
train.variable @w12 : tensor<13xf32> = #train.ones
train.variable @w13 : tensor<14xf32> = #train.ones
train.variable @w14 : tensor<15xf32> = #train.ones
train.variable @w15 : tensor<16xf32> = #train.ones
train.variable @w16 : tensor<17xf32> = #train.ones
train.variable @w17 : tensor<18xf32> = #train.ones
func.func @step(%x0: tensor<1xf32>, %x1: tensor<2xf32>, %x2: tensor<3xf32>, %x3: tensor<4xf32>, %x4: tensor<5xf32>, %x5: tensor<6xf32>, %x6: tensor<7xf32>, %x7: tensor<8xf32>, %x8: tensor<9xf32>, %x9: tensor<10xf32>, %x10: tensor<11xf32>, %x11: tensor<12xf32>, %x12: tensor<13xf32>, %x13: tensor<14xf32>, %x14: tensor<15xf32>, %x15: tensor<16xf32>, %x16: tensor<17xf32>, %x17: tensor<18xf32>) -> (tensor<f32>, tensor<3xf32>) {
  train.assign_add @w0, %x0 : tensor<1xf32>
  train.assign_add @w1, %x1 : tensor<2xf32>
  train.assign_add @w2, %x2 : tensor<3xf32>
  train.assign_add @w3, %x3 : tensor<4xf32>
  train.assign_add @w4, %x4 : tensor<5xf32>
  train.assign_add @w5, %x5 : tensor<6xf32>
  train.assign_add @w6, %x6 : tensor<7xf32>
  train.assign_add @w7, %x7 : tensor<8xf32>
  train.assign_add @w8, %x8 : tensor<9xf32>
  train.assign_add @w9, %x9 : tensor<10xf32>
  train.assign_add @w10, %x10 : tensor<11xf32>
  train.assign_add @w11, %x11 : tensor<12xf32>
  train.assign_add @w12, %x12 : tensor<13xf32>
  train.assign_add @w13, %x13 : tensor<14xf32>
  train.assign_add @w14, %x14 : tensor<15xf32>
  train.assign_add @w15, %x15 : tensor<16xf32>
  train.assign_add @w16, %x16 : tensor<17xf32>
  train.assign_add @w17, %x17 : tensor<18xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  return %zero, %x2 : tensor<f32>, tensor<3xf32>
}
