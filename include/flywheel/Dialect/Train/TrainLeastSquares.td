//===- TrainLeastSquares.td - Nonlinear least squares ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINLEASTSQUARES
#define FLYWHEEL_DIALECT_TRAIN_TRAINLEASTSQUARES

include "flywheel/Dialect/Train/TrainGradientOps.td"

def Train_Solver : I32EnumAttr<"Solver", "how the systems of least squares are solved", [
    I32EnumAttrCase<"cholesky", 0>, I32EnumAttrCase<"cg", 1>]> {
  let cppNamespace = "::flywheel::train";
}

def Train_OnFailure : I32EnumAttr<"OnFailure", "what a factorization that fails does", [
    I32EnumAttrCase<"error", 0>, I32EnumAttrCase<"reject", 1>]> {
  let cppNamespace = "::flywheel::train";
}

def Train_LeastSquaresOp : Train_Op<"least_squares", [
    SingleBlock, AttrSizedOperandSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Nonlinear least squares by Levenberg and Marquardt";
  let description = [{
    Lowers half the sum of the squares of all residuals, which the region
    computes from x, in `max_iterations` iterations. x are values, the `starts`,
    which the region has as arguments:

    ```mlir
    %objective, %fit = train.least_squares %start max_iterations 10
        : (tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
    ^bb0(%x: tensor<2xf64>):
      ...
      train.residuals %r : tensor<?xf64>
    }
    ```

    or variables of `over`, which the region reads. Its reads of them yield x of
    the iteration. They are assigned once, after the last iteration:

    ```mlir
    %objective = train.least_squares over [@a, @b] max_iterations 1 regularizer 0.1
        : () -> tensor<f64> {
      %a = train.read @a : tensor<f64>
      ...
      train.residuals %r : tensor<?xf64>
    }
    ```

    An iteration computes residuals r, m in all, and their Jacobian J at x, of n
    elements, with zeros where a residual does not depend on an element. The
    step d minimizes |J d - r|^2 + l |d|^2, l being the regularizer: (J^T J + l
    I) d = J^T r where m >= n, and d = J^T z with (J J^T + l I) z = r where m <
    n, by a Cholesky factor. If the objective at x - d is smaller than at x, x -
    d is the new x; else x stays and l is multiplied by `multiplier` (after
    Levenberg, 1944, and Marquardt, 1963; nothing makes l smaller). There is no
    test of convergence: each iteration is computed. All of them are one loop of
    the step, which starts at `regularizer` in each call; that is a number or a
    scalar tensor.

    A matrix that is not positive definite is an error of the step, which
    changes nothing; with `on_failure reject` the iteration is a rejected one.

    `jacobian` is the `mode` of `train.jacobian`: `reverse` pays where each
    residual depends on an example of its own.

    `solver cg` never forms J: the step is that of conjugate gradients (Hestenes
    and Stiefel, 1952) on (J^T J + l I) d = J^T r from d = 0, with one
    directional derivative and one gradient an iteration. They end after
    `cg_iterations`, by default n, or where the residual of this system is at
    most `cg_tolerance` times what it was, by default 1e-6.

    The clauses between the starts and the types, from `over` to `history`, may
    be written in any order, each at most once.

    The region may have several residuals of any shapes. They, the starts and
    the variables have one element type, f32 or f64. The region may use values
    from outside, which are constants to it, and changes nothing: it assigns no
    variable, and draws no random numbers.

    The results are the objective at the end and the final values of the starts.
    With `history` three tensors of `max_iterations` elements follow: the
    objective after each iteration, whether it was accepted (i1), and l after
    it. A caller who wants to see x in between makes calls of one iteration,
    with the last l in a variable.
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$starts,
    Optional<0DTensorOf<[F32, F64]>>:$damping,
    OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$var_list,
    I64Attr:$max_iterations,
    DefaultValuedAttr<F64Attr, "1.0e-20">:$regularizer,
    DefaultValuedAttr<F64Attr, "10.0">:$multiplier,
    DefaultValuedAttr<Train_OnFailure, "::flywheel::train::OnFailure::error">:$on_failure,
    DefaultValuedAttr<Train_Solver, "::flywheel::train::Solver::cholesky">:$solver,
    DefaultValuedAttr<Train_JacobianMode, "::flywheel::train::JacobianMode::automatic">:$jacobian,
    OptionalAttr<I64Attr>:$cg_iterations,
    OptionalAttr<F64Attr>:$cg_tolerance,
    UnitAttr:$history);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($starts^)?
    custom<LeastSquaresClauses>($var_list, $max_iterations, $damping,
        $regularizer, $multiplier, $on_failure, $jacobian, $solver,
        $cg_iterations, $cg_tolerance, $history)
    attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the residuals that the region computes.
    ::mlir::ValueRange getResiduals();
    /// The element type of all numbers.
    ::mlir::Type getElementType();
  }];
}

def Train_ResidualsOp : Train_Op<"residuals", [Pure, Terminator, ReturnLike,
    HasParent<"LeastSquaresOp">]> {
  let summary = "The residuals of the region of train.least_squares";
  let arguments = (ins Variadic<AnyRankedTensor>:$residuals);
  let assemblyFormat = "($residuals^ `:` type($residuals))? attr-dict";
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINLEASTSQUARES
