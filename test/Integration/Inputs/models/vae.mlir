// A variational autoencoder of 784 pixels, 400 units and 20 numbers, batch 128, Adam.
// Written by a traced function of Python.
module @step {
  train.variable @v52 : tensor<784x400xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v53 : tensor<400xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v54 : tensor<400x20xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v55 : tensor<400x20xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v56 : tensor<20x400xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v57 : tensor<400xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v58 : tensor<400x784xf32> {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  train.variable @v59 : tensor<784xf32> = #train.zeros {collections = ["GLOBAL", "TRAINABLE"], trainable = true}
  func.func @step(%arg0: tensor<128x784xf32> {train.name = "x"}) -> (tensor<f32> {train.name = "result"}) {
    %v52 = train.read @v52 : tensor<784x400xf32>
    %0 = nn.dense %arg0, %v52 : (tensor<128x784xf32>, tensor<784x400xf32>) -> tensor<128x400xf32>
    %v53 = train.read @v53 : tensor<400xf32>
    %1 = nn.add %0, %v53 : (tensor<128x400xf32>, tensor<400xf32>) -> tensor<128x400xf32>
    %2 = nn.relu %1 : tensor<128x400xf32>
    %v54 = train.read @v54 : tensor<400x20xf32>
    %3 = nn.dense %2, %v54 : (tensor<128x400xf32>, tensor<400x20xf32>) -> tensor<128x20xf32>
    %v55 = train.read @v55 : tensor<400x20xf32>
    %4 = nn.dense %2, %v55 : (tensor<128x400xf32>, tensor<400x20xf32>) -> tensor<128x20xf32>
    %cst = arith.constant dense<5.000000e-01> : tensor<f32>
    %5 = nn.mul %cst, %4 : (tensor<f32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %6 = math.exp %5 : tensor<128x20xf32>
    %7 = train.random #train.random_normal -> tensor<128x20xf32>
    %8 = nn.mul %6, %7 : (tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %9 = nn.add %3, %8 : (tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %v56 = train.read @v56 : tensor<20x400xf32>
    %10 = nn.dense %9, %v56 : (tensor<128x20xf32>, tensor<20x400xf32>) -> tensor<128x400xf32>
    %v57 = train.read @v57 : tensor<400xf32>
    %11 = nn.add %10, %v57 : (tensor<128x400xf32>, tensor<400xf32>) -> tensor<128x400xf32>
    %12 = nn.relu %11 : tensor<128x400xf32>
    %v58 = train.read @v58 : tensor<400x784xf32>
    %13 = nn.dense %12, %v58 : (tensor<128x400xf32>, tensor<400x784xf32>) -> tensor<128x784xf32>
    %v59 = train.read @v59 : tensor<784xf32>
    %14 = nn.add %13, %v59 : (tensor<128x784xf32>, tensor<784xf32>) -> tensor<128x784xf32>
    %15 = nn.sigmoid_cross_entropy %14, %arg0 reduction none : (tensor<128x784xf32>, tensor<128x784xf32>) -> tensor<128x784xf32>
    %16 = nn.reduce sum %15 axes [0, 1] : tensor<128x784xf32> -> tensor<f32>
    %cst_0 = arith.constant dense<1.280000e+02> : tensor<f32>
    %17 = nn.div %16, %cst_0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_1 = arith.constant dense<1.000000e+00> : tensor<f32>
    %18 = nn.add %cst_1, %4 : (tensor<f32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %19 = nn.mul %3, %3 : (tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %20 = nn.sub %18, %19 : (tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %21 = math.exp %4 : tensor<128x20xf32>
    %22 = nn.sub %20, %21 : (tensor<128x20xf32>, tensor<128x20xf32>) -> tensor<128x20xf32>
    %23 = nn.reduce sum %22 axes [0, 1] : tensor<128x20xf32> -> tensor<f32>
    %cst_2 = arith.constant dense<-5.000000e-01> : tensor<f32>
    %24 = nn.mul %cst_2, %23 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %25 = nn.div %24, %cst_0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %26 = nn.add %17, %25 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    train.minimize %26 : tensor<f32> with #train.adam<name = "Adam_4"> var_list [@v52, @v53, @v54, @v55, @v56, @v57, @v58, @v59] unconnected skip
    return %26 : tensor<f32>
  }
}
