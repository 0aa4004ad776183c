//===- NNNormalization.td - Normalization ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNNORMALIZATION
#define FLYWHEEL_DIALECT_NN_NNNORMALIZATION

include "flywheel/Dialect/NN/NNBase.td"

def NN_LayerNormOp : NN_CompositeOp<"layer_norm", [
    AttrSizedOperandSegments,
    NN_Shapes<[NN_Shape<"x: ...">], [NN_Shape<"result: ...">]>]> {
  let summary = "Each sample with mean 0 and variance 1 over `axes`";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ba, Kiros and Hinton,
    Layer Normalization, 2016). Mean and variance are over `axes`, which are
    strictly increasing; the variance is the mean of (x - mean)^2, without the
    cancellation of a difference of means. gamma and beta, either of which may
    be left out, have the dimension sizes of `axes`, in order, and x's element type, or
    f32 where x has 16 bits.

    ```mlir
    %y = nn.layer_norm %x gamma %g beta %b axes [1] epsilon 1.0e-3
        : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, Optional<NN_FloatTensor>:$gamma,
                       Optional<NN_FloatTensor>:$beta, DenseI64ArrayAttr:$axes,
                       F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? (`beta` $beta^)? `axes` $axes `epsilon` $epsilon
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_RMSNormOp : NN_CompositeOp<"rms_norm", [
    NN_Shapes<[NN_Shape<"x: ...">], [NN_Shape<"result: ...">]>]> {
  let summary = "Each sample with mean square 1 over `axes`";
  let description = [{
    x / sqrt(mean(x^2) + epsilon) * gamma (Zhang and Sennrich, Root Mean Square
    Layer Normalization, 2019). gamma, which may be left out, is as that of
    `nn.layer_norm`.

    ```mlir
    %y = nn.rms_norm %x gamma %g axes [1] epsilon 1.0e-6
        : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, Optional<NN_FloatTensor>:$gamma,
                       DenseI64ArrayAttr:$axes, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? `axes` $axes `epsilon` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_BatchNormTrainingOp
    : NN_CompositeOp<"batch_norm_training", [AttrSizedOperandSegments, NN_Shapes<
        [NN_Shape<"x: ... n c">, NN_Shape<"gamma: c">, NN_Shape<"beta: c">],
        [NN_Shape<"result: ... n c">, NN_Shape<"mean: c">, NN_Shape<"variance: c">],
        "", [NN_FirstElement, NN_ComputeElement, NN_ComputeElement]>]> {
  let summary = "Each channel with mean 0 and variance 1 over the batch";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ioffe and Szegedy,
    Batch Normalization, 2015). x is [..., channels] of at least rank 2; mean
    and variance, [channels], are over all dimensions but the last. The variance
    is the mean of (x - mean)^2. gamma and beta, [channels], may be left out.
    They and the results `mean` and `variance` have x's element type, or f32
    where x has 16 bits. Derivatives flow through mean and variance. Both are 0
    where x has no elements.

    `train.moving_average` keeps what `nn.batch_norm_inference` needs:

    ```mlir
    %y, %mean, %variance = nn.batch_norm_training %x gamma %g beta %b epsilon 1.0e-3
        : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>)
        -> (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>)
    train.moving_average @moving_mean, %mean momentum 9.9e-1 : tensor<64xf32>
    train.moving_average @moving_variance, %variance momentum 9.9e-1 : tensor<64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, Optional<NN_FloatTensor>:$gamma,
                       Optional<NN_FloatTensor>:$beta, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$result, NN_FloatTensor:$mean,
                      NN_FloatTensor:$variance);
  let assemblyFormat = [{
    $x (`gamma` $gamma^)? (`beta` $beta^)? `epsilon` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_BatchNormInferenceOp
    : NN_CompositeOp<"batch_norm_inference", [AttrSizedOperandSegments, NN_Shapes<
        [NN_Shape<"x: ... n c">, NN_Shape<"mean: c">, NN_Shape<"variance: c">,
         NN_Shape<"gamma: c">, NN_Shape<"beta: c">],
        [NN_Shape<"result: ... n c">]>]> {
  let summary = "Normalizes each channel by a given mean and variance";
  let description = [{
    As `nn.batch_norm_training`, with the mean and the variance of each channel,
    [channels], from elsewhere, such as moving averages.

    ```mlir
    %y = nn.batch_norm_inference %x mean %m variance %v gamma %g beta %b epsilon 1.0e-3
        : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
        -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$mean,
                       NN_FloatTensor:$variance,
                       Optional<NN_FloatTensor>:$gamma,
                       Optional<NN_FloatTensor>:$beta, F64Attr:$epsilon);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `mean` $mean `variance` $variance (`gamma` $gamma^)? (`beta` $beta^)?
    `epsilon` $epsilon attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNNORMALIZATION
