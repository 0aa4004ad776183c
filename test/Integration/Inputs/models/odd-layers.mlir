// Layers of 2805, 101, 53 and 3 units with SiLU, batch 7, Adam.
// Written by a traced function of Python.
module @step {
  train.variable @v46 : tensor<2805x101xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v49 : tensor<101xf32> = dense<0.000000e+00> : tensor<101xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v47 : tensor<101x53xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v50 : tensor<53xf32> = dense<0.000000e+00> : tensor<53xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v48 : tensor<53x3xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v51 : tensor<3xf32> = dense<0.000000e+00> : tensor<3xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<7x2805xf32> {train.name = "x"}, %arg1: tensor<7xi32> {train.name = "y"}) -> (tensor<f32> {train.name = "result"}) {
    %v46 = train.read @v46 : tensor<2805x101xf32>
    %0 = nn.dense %arg0, %v46 : (tensor<7x2805xf32>, tensor<2805x101xf32>) -> tensor<7x101xf32>
    %v49 = train.read @v49 : tensor<101xf32>
    %1 = nn.add %0, %v49 : (tensor<7x101xf32>, tensor<101xf32>) -> tensor<7x101xf32>
    %2 = nn.silu %1 : tensor<7x101xf32>
    %v47 = train.read @v47 : tensor<101x53xf32>
    %3 = nn.dense %2, %v47 : (tensor<7x101xf32>, tensor<101x53xf32>) -> tensor<7x53xf32>
    %v50 = train.read @v50 : tensor<53xf32>
    %4 = nn.add %3, %v50 : (tensor<7x53xf32>, tensor<53xf32>) -> tensor<7x53xf32>
    %5 = nn.silu %4 : tensor<7x53xf32>
    %v48 = train.read @v48 : tensor<53x3xf32>
    %6 = nn.dense %5, %v48 : (tensor<7x53xf32>, tensor<53x3xf32>) -> tensor<7x3xf32>
    %v51 = train.read @v51 : tensor<3xf32>
    %7 = nn.add %6, %v51 : (tensor<7x3xf32>, tensor<3xf32>) -> tensor<7x3xf32>
    %8 = nn.sparse_softmax_cross_entropy %7, %arg1 : (tensor<7x3xf32>, tensor<7xi32>) -> tensor<f32>
    train.minimize %8 : tensor<f32> with #train.adam<name = "Adam_3"> var_list [@v46, @v49, @v47, @v50, @v48, @v51] unconnected skip
    return %8 : tensor<f32>
  }
}
