//===- NNConvolutions.td - Convolutions --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNCONVOLUTIONS
#define FLYWHEEL_DIALECT_NN_NNCONVOLUTIONS

include "flywheel/Dialect/NN/NNWindows.td"

/// The three ops are the three derivatives of one form that is linear in an
/// image, a filter and an output: two of them are operands, one is the result.
class NN_ConvolutionOp<string opMnemonic, list<Trait> traits>
    : NN_WindowOp<opMnemonic, traits> {
  let extraClassDeclaration = [{
    /// The value that is the image [batch, height, width, channels].
    ::mlir::Value getImage();
    /// The value that is the filter
    /// [height, width, channels / groups, outputs].
    ::mlir::Value getFilter();
    /// The value that is the output [batch, height, width, outputs].
    ::mlir::Value getOutput();
    /// Returns the movement of the filter over the image.
    ::flywheel::nn::Window getSliding();
  }];
}

def NN_Conv2dOp : NN_ConvolutionOp<"conv2d", [NN_CountsWindows, NN_Infers, NN_BatchedImages<>]> {
  let summary = "Cross-correlation of images with filters";
  let description = [{
    y[n, i, j, o] = sum over p, q, c of
    x[n, i sh + p dh - top, j sw + q dw - left, c] * w[p, q, c, o], where x is 0
    outside. x is [batch, height, width, channels], w is
    [height, width, channels, outputs] of static shape. `strides` and `dilations` are
    [1, 1] by default, `padding` (see `#nn.padding`) is `valid`.

    If x has G times the channels of w, and w a multiple of G outputs, both are
    G groups, each of which is convolved by itself: with one channel a group, that
    is a depthwise convolution.

    One element type; sums of f16 and bf16 are in f32.

    ```mlir
    %y = nn.conv2d %x, %w strides [2, 2] padding same
        : (tensor<?x28x28x3xf32>, tensor<3x3x3x16xf32>) -> tensor<?x14x14x16xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$w,
                       DenseI64ArrayAttr:$strides, NN_PaddingAttr:$padding,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `` custom<Sliding>($strides, $padding, $dilations) attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_Conv2dTransposeOp : NN_ConvolutionOp<"conv2d_transpose", [
    NN_DimSizeSource, NN_InfersDefault,
    NN_BatchedImages<0, "getLike()">]> {
  let summary = "Transposed convolution: the gradient of conv2d for its image";
  let description = [{
    The linear map from outputs of `nn.conv2d` with these attributes and this
    filter back to images. x is [batch, height, width, outputs] and w is
    [height, width, channels, outputs], as `nn.conv2d` has it: the channels of the
    result are the filter's third dimension size, or G times as many with G groups.

    Convolutions of images of several dimension sizes may have one output's dimension sizes. So
    those of the result are declared; where its height or width is dynamic, `like`
    names a tensor of the result's shape, of which nothing but the shape is used.

    ```mlir
    %y = nn.conv2d_transpose %x, %w strides [2, 2] padding same
        : (tensor<?x14x14x16xf32>, tensor<3x3x3x16xf32>) -> tensor<?x28x28x3xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$w,
                       Optional<AnyRankedTensor>:$like,
                       DenseI64ArrayAttr:$strides, NN_PaddingAttr:$padding,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`like` $like^)? `` custom<Sliding>($strides, $padding, $dilations)
    attr-dict `:` functional-type(operands, results)
  }];
}

def NN_Conv2dFilterGradOp : NN_ConvolutionOp<"conv2d_filter_grad", []> {
  let summary = "The gradient of conv2d for its filter";
  let description = [{
    The cotangent of the filter of `nn.conv2d` with these attributes, given its
    image x and the cotangent dy of its result. The declared type of the result, of
    static shape, is that of the filter.
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$dy,
                       DenseI64ArrayAttr:$strides, NN_PaddingAttr:$padding,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $dy `` custom<Sliding>($strides, $padding, $dilations) attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // FLYWHEEL_DIALECT_NN_NNCONVOLUTIONS
