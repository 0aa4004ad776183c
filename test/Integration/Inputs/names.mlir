// Names that C and its preprocessor have plans for.
train.variable @text : tensor<f32> = dense<1.0> : tensor<f32>
train.variable @status : tensor<f32> = dense<2.0> : tensor<f32>
train.variable @initialized : tensor<f32> = dense<3.0> : tensor<f32>
train.variable @header : tensor<f32> = dense<4.0> : tensor<f32>
train.variable @workspace : tensor<f32> = dense<5.0> : tensor<f32>
train.variable @state : tensor<f32> = dense<6.0> : tensor<f32>
train.variable @"a??/" : tensor<!train.string> = #train.strings<["what??/"]>
func.func @step() -> (tensor<f32> {train.name = "sum"}, tensor<!train.string> {train.name = "s"}) {
  %text = train.read @text : tensor<f32>
  %status = train.read @status : tensor<f32>
  %sum = arith.addf %text, %status : tensor<f32>
  train.assign @status, %sum : tensor<f32>
  %s = train.string_constant ["LONG"] : tensor<!train.string>
  return %sum, %s : tensor<f32>, tensor<!train.string>
}
