//===- NNLinearAlgebra.td - Triangles and linear systems ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA
#define FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA

include "flywheel/Dialect/NN/NNBase.td"

def NN_TriangleKind : I32EnumAttr<"TriangleKind", "a triangle of a matrix", [
    I32EnumAttrCase<"lower", 0>, I32EnumAttrCase<"upper", 1>]> {
  let cppNamespace = "::flywheel::nn";
}

def NN_TriangleOp : NN_DifferentiableOp<"triangle", [SameOperandsAndResultType],
                                        NN_FlopsEach<0>> {
  let summary = "Keeps a triangle of each matrix";
  let description = [{
    x is [..., m, n]. With `lower`, element (i, j) of each matrix stays where
    j - i <= `diagonal`; with `upper`, where j - i >= `diagonal`. The others
    become `fill`, which an element type of integers must be able to hold. 0 is
    the main diagonal, 1 the one above it.

    ```mlir
    // Scores of a sequence, of which no position sees a later one.
    %masked = nn.triangle lower %scores fill -1.0e9 : tensor<?x8x8xf32>
    ```
  }];
  let arguments = (ins NN_TriangleKind:$kind,
                       NN_NumberTensor:$x,
                       DefaultValuedAttr<I64Attr, "0">:$diagonal,
                       DefaultValuedAttr<F64Attr, "0.0">:$fill);
  let results = (outs NN_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $x (`diagonal` $diagonal^)? (`fill` $fill^)? attr-dict `:` type($x)
  }];
  let hasVerifier = 1;
}

def NN_Matrices : RankedTensorOf<[F32, F64]>;

def NN_CholeskyOp : NN_DifferentiableOp<"cholesky", [
    NN_OperandShapes<[NN_Shape<"a: ... n n">]>, NN_BatchedDense,
    SameOperandsAndResultType]> {
  let summary = "The lower triangle L with L L^T = a";
  let description = [{
    a is a symmetric matrix, or a batch [..., n, n] of them, of f32 or f64. Only
    its lower triangle is read, and has a derivative (after Murray,
    Differentiation of the Cholesky decomposition, 2016); the result is 0 above
    the diagonal. A matrix that is not positive definite is an error of the step,
    which then changes nothing.
  }];
  let arguments = (ins NN_Matrices:$a);
  let results = (outs NN_Matrices:$result);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def NN_TryCholeskyOp : NN_Op<"try_cholesky", [
    DeclareOpInterfaceMethods<DifferentiableOpInterface>, NN_Batchable,
    // One flag is for all matrices, but each example has its own.
    NN_BatchedBy<"batcher.batchInLoop(*this)">,
    NN_OperandShapes<[NN_Shape<"a: ... n n">]>, AllTypesMatch<["a", "result"]>, TypesMatchWith<
      "success is a scalar boolean", "a", "success",
      "::mlir::RankedTensorType::get({}, "
      "::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "The lower triangle L with L L^T = a, if there is one";
  let description = [{
    As `nn.cholesky`, but where a matrix is not positive definite that is not an
    error: `success`, a scalar boolean, is then false, and no element of the
    result is to be relied on.

    ```mlir
    %l, %success = nn.try_cholesky %a : tensor<8x8xf64>
    ```
  }];
  let arguments = (ins NN_Matrices:$a);
  let results = (outs NN_Matrices:$result, 0DTensorOf<[I1]>:$success);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def NN_TriangularSolveOp : NN_DifferentiableOp<"triangular_solve", [
    NN_OneElementType, NN_Shapes<[NN_Shape<"a: ... n n">, NN_Shape<"b: ... n k">],
                                 [NN_Shape<"result: ... n k">]>]> {
  let summary = "The x with op(a) x = b, where a is a triangle";
  let description = [{
    a is [..., n, n], of which the `lower` or `upper` triangle is read, b and the
    result are [..., n, k], of f32 or f64. op transposes each matrix with
    `transpose`. With `unit_diagonal` the diagonal is not read and taken for
    ones. A 0 on the diagonal divides as IEEE says.

    ```mlir
    %x = nn.triangular_solve lower %l, %b transpose
        : (tensor<8x8xf64>, tensor<8x?xf64>) -> tensor<8x?xf64>
    ```
  }];
  let arguments = (ins NN_TriangleKind:$kind, NN_Matrices:$a, NN_Matrices:$b,
                       UnitAttr:$transpose, UnitAttr:$unit_diagonal);
  let results = (outs NN_Matrices:$result);
  let assemblyFormat = [{
    $kind $a `,` $b (`transpose` $transpose^)? (`unit_diagonal` $unit_diagonal^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def NN_LstsqOp : NN_CompositeOp<"lstsq", [
    NN_OneElementType, NN_Shapes<[NN_Shape<"a: ... m n">, NN_Shape<"b: ... m k">],
                                 [NN_Shape<"result: ... n k">]>]> {
  let summary = "The x that minimizes |a x - b|^2 + l2 |x|^2";
  let description = [{
    a is [..., m, n], b is [..., m, k] and the result [..., n, k], of f32 or f64,
    and `l2` is a number, or a scalar tensor of their element type that the step
    computes, such as a damping that adapts; either is not negative. By the
    normal equations: x solves (a^T a + l2 I) x = a^T b by a Cholesky factor of n
    by n. If m < n is known statically, x = a^T z with (a a^T + l2 I) z = b, of m
    by m, which has the least norm. Fast, at the price of squaring the condition of
    a: a system that is singular without `l2` is the error of `nn.cholesky`.

    ```mlir
    %line = nn.lstsq %points, %values l2 0.1
        : (tensor<?x2xf64>, tensor<?x1xf64>) -> tensor<2x1xf64>
    %step = nn.lstsq %jacobian, %residuals l2 %damping
        : (tensor<9x2xf64>, tensor<9x1xf64>, tensor<f64>) -> tensor<2x1xf64>
    ```
  }];
  let arguments = (ins NN_Matrices:$a, NN_Matrices:$b,
                       Optional<0DTensorOf<[F32, F64]>>:$damping,
                       DefaultValuedAttr<F64Attr, "0.0">:$l2);
  let results = (outs NN_Matrices:$result);
  let assemblyFormat = [{
    $a `,` $b custom<Damping>($damping, $l2) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNLINEARALGEBRA
