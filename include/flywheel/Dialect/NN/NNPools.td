//===- NNPools.td - Pooling over windows -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNPOOLS
#define FLYWHEEL_DIALECT_NN_NNPOOLS

include "flywheel/Dialect/NN/NNWindows.td"

class NN_PoolOp<string opMnemonic, list<Trait> traits>
    : NN_WindowOp<opMnemonic, traits> {
  let extraClassDeclaration = [{
    /// The value that has an element a position: [batch, height, width, channels].
    ::mlir::Value getImage();
    /// The value that has an element a window.
    ::mlir::Value getOutput();
    ::flywheel::nn::Window getSliding();
  }];
}

def NN_MaxPool2dOp : NN_PoolOp<"max_pool2d", [NN_CountsWindows, NN_Infers, NN_BatchedImages<>]> {
  let summary = "The largest element of each window";
  let description = [{
    x is [batch, height, width, channels]; each channel is pooled by itself.
    `strides` is `window` by default, `padding` (see `#nn.padding`) is `valid`.
    Padding takes no part: explicit padding has to be smaller than the window. A
    NaN in a window is its maximum. The derivative of a window goes to its first
    largest element (the first NaN if there is one), in row-major order.

    The maximum of a whole image is `nn.reduce max` over axes [1, 2].

    ```mlir
    %y = nn.max_pool2d %x window [2, 2] : (tensor<?x28x28x6xf32>) -> tensor<?x14x14x6xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, NN_PaddingAttr:$padding);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `` custom<PoolWindow>($window, $strides, $padding) attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_MaxPool2dGradOp : NN_PoolOp<"max_pool2d_grad", [NN_DimSizeSource, NN_BatchedImages<1>]> {
  let summary = "The gradient of max_pool2d";
  let description = [{
    Adds each element of dy, the cotangent of the result of `nn.max_pool2d` with
    these attributes, to where x has the first maximum of that window. The result
    has the shape of x. Linear in dy; locally constant in x.
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$dy,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       NN_PaddingAttr:$padding);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $dy `` custom<PoolWindow>($window, $strides, $padding) attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_MaxPool2dSelectOp : NN_PoolOp<"max_pool2d_select", [
    NN_CountsWindows, NN_BatchedImages<1>]> {
  let summary = "The element of v where x has its maximum, for each window";
  let description = [{
    The transpose of `nn.max_pool2d_grad`: of each window of `nn.max_pool2d` with
    these attributes, the element of v at the place of the first maximum of x. v has
    the shape of x. Linear in v; locally constant in x.
  }];
  let arguments = (ins NN_FloatTensor:$x, NN_FloatTensor:$v,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       NN_PaddingAttr:$padding);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $v `` custom<PoolWindow>($window, $strides, $padding) attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_AvgPool2dOp : NN_PoolOp<"avg_pool2d", [NN_CountsWindows, NN_Infers, NN_BatchedImages<>]> {
  let summary = "The mean of each window";
  let description = [{
    x is [batch, height, width, channels]; each channel is pooled by itself.
    `strides` is `window` by default, `padding` (see `#nn.padding`) is `valid`.
    Padding takes no part: a window at the border is the mean of the elements that
    it covers. Explicit padding has to be smaller than the window.

    The mean of a whole image is `nn.reduce mean` over axes [1, 2].

    ```mlir
    %y = nn.avg_pool2d %x window [3, 3] strides [2, 2] padding same
        : (tensor<?x28x28x6xf32>) -> tensor<?x14x14x6xf32>
    ```
  }];
  let arguments = (ins NN_FloatTensor:$x, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, NN_PaddingAttr:$padding);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $x `` custom<PoolWindow>($window, $strides, $padding) attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_AvgPool2dGradOp : NN_PoolOp<"avg_pool2d_grad", [
    NN_DimSizeSource, NN_BatchedImages<0, "getLike()">]> {
  let summary = "The gradient of avg_pool2d";
  let description = [{
    Shares each element of dy, the cotangent of the result of `nn.avg_pool2d` with
    these attributes, equally among the positions of its window. The type of the
    result is declared; where its height or width is dynamic, `like` names a tensor
    of the result's shape, of which nothing but the shape is used.
  }];
  let arguments = (ins NN_FloatTensor:$dy, Optional<AnyRankedTensor>:$like,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       NN_PaddingAttr:$padding);
  let results = (outs NN_FloatTensor:$result);
  let assemblyFormat = [{
    $dy (`like` $like^)? `` custom<PoolWindow>($window, $strides, $padding) attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // FLYWHEEL_DIALECT_NN_NNPOOLS
