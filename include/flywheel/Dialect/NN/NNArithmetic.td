//===- NNArithmetic.td - Arithmetic that broadcasts --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNARITHMETIC
#define FLYWHEEL_DIALECT_NN_NNARITHMETIC

include "flywheel/Dialect/NN/NNBase.td"

/// Numbers that one calculates with: no truth values.
def NN_ArithmeticTensor : RankedTensorOf<[AnyFloat, I8, I16, I32, I64]>;

/// Shapes are aligned at their last dimensions, as in NumPy.
class NN_ArithmeticOp<string opMnemonic, Type tensors = NN_ArithmeticTensor>
    : NN_CompositeOp<opMnemonic, [CostOpInterface, NN_OneElementType, NN_Infers]> {
  code rule = [{

    The shapes broadcast as in NumPy: they are aligned at their last dimensions,
    and an operand without a dimension, or with a dimension size that is 1 by its type,
    repeats along it. A dynamic dimension size does not stretch, also where it turns out
    to be 1: dimension sizes that differ are an error of the step. A rank-0 operand goes
    with every shape. The derivative of an operand is summed over the dimensions
    along which it repeats.
  }];
  let arguments = (ins tensors:$lhs, tensors:$rhs);
  let results = (outs tensors:$result);
  let extraClassDefinition = [{
    ::llvm::LogicalResult
    $cppClass::inferTypes(Adaptor op, ::flywheel::OpErrors errors,
                          ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferBroadcast(op.getLhs(), op.getRhs(), errors, types);
    }
  }];
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def NN_AddOp : NN_ArithmeticOp<"add"> {
  let summary = "lhs + rhs, of shapes that broadcast";
  let description = !strconcat([{
    `arith.addf`, or `arith.addi` of integers.

    ```mlir
    %y = nn.add %x, %bias : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_SubOp : NN_ArithmeticOp<"sub"> {
  let summary = "lhs - rhs, of shapes that broadcast";
  let description = !strconcat([{
    `arith.subf`, or `arith.subi` of integers.

    ```mlir
    %y = nn.sub %x, %mean : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_MulOp : NN_ArithmeticOp<"mul"> {
  let summary = "lhs rhs, element by element, of shapes that broadcast";
  let description = !strconcat([{
    `arith.mulf`, or `arith.muli` of integers.

    ```mlir
    %y = nn.mul %rate, %x : (tensor<f32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_DivOp : NN_ArithmeticOp<"div"> {
  let summary = "lhs / rhs, of shapes that broadcast";
  let description = !strconcat([{
    `arith.divf`, or `arith.divsi` of integers, which rounds to zero and refuses
    to divide by it.

    ```mlir
    %y = nn.div %x, %norm : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_MaxOp : NN_ArithmeticOp<"max"> {
  let summary = "The larger of lhs and rhs, of shapes that broadcast";
  let description = !strconcat([{
    `arith.maximumf`, which is NaN where one of the two is, or `arith.maxsi` of
    integers.

    ```mlir
    %y = nn.max %x, %floor : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_MinOp : NN_ArithmeticOp<"min"> {
  let summary = "The smaller of lhs and rhs, of shapes that broadcast";
  let description = !strconcat([{
    `arith.minimumf`, which is NaN where one of the two is, or `arith.minsi` of
    integers.

    ```mlir
    %y = nn.min %x, %limit : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

def NN_PowOp : NN_ArithmeticOp<"pow", NN_FloatTensor> {
  let summary = "lhs to the power of rhs, of shapes that broadcast";
  let description = !strconcat([{
    `math.powf`.

    ```mlir
    %y = nn.pow %x, %exponent : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    ```
  }], rule);
}

#endif // FLYWHEEL_DIALECT_NN_NNARITHMETIC
