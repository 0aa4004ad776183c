//===- TrainGradientOps.td - Gradients and updates ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINGRADIENTOPS
#define FLYWHEEL_DIALECT_TRAIN_TRAINGRADIENTOPS

include "flywheel/Dialect/Train/TrainOps.td"

//===----------------------------------------------------------------------===//
// Gradients and updates
//===----------------------------------------------------------------------===//

def Train_Unconnected : I32EnumAttr<"Unconnected", "what the gradient of an unconnected value is", [
    I32EnumAttrCase<"error", 0>, I32EnumAttrCase<"zeros", 1>]> {
  let cppNamespace = "::flywheel::train";
}

def Train_GradientOp : Train_Op<"gradient", [Pure, AttrSizedOperandSegments]> {
  let summary = "Derivatives of values with respect to values";
  let description = [{
    d(sum_k <ys_k, grad_ys_k>) / d(xs_i) for each i. Without `grad_ys` every
    element of ys has weight 1, so ys are summed. The xs are any SSA values that
    the ys are computed from: reads of variables, arguments, activations. An x
    stands for its value: where two values are one, by CSE say, the derivative is
    along both. `train.parameter` makes a value that stays apart.
    Result types are those of the xs. `-train-autodiff` replaces this op by
    plain ops.

    An x that no y depends on is an error, or zeros with `unconnected zeros`.
    The values `stop` are constants: nothing flows through them to what they are
    computed from. One that is also an x has a gradient.

    ```mlir
    %dw, %db = train.gradient %loss wrt %w, %b
        : (tensor<f32>, tensor<64x10xf32>, tensor<10xf32>)
        -> (tensor<64x10xf32>, tensor<10xf32>)
    ```
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$ys, Variadic<AnyRankedTensor>:$xs,
    Variadic<AnyRankedTensor>:$grad_ys, Variadic<AnyRankedTensor>:$stops,
    DefaultValuedAttr<Train_Unconnected, "::flywheel::train::Unconnected::error">:$unconnected);
  let results = (outs Variadic<AnyRankedTensor>:$gradients);
  let assemblyFormat = [{
    $ys `wrt` $xs (`grad_ys` custom<ClauseOperands>($grad_ys)^)? (`stop` custom<ClauseOperands>($stops)^)?
    (`unconnected` $unconnected^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$ys,
                   "::mlir::ValueRange":$xs, "::mlir::ValueRange":$grad_ys,
                   "Unconnected":$unconnected), [{
      build($_builder, $_state, types, ys, xs, grad_ys, /*stops=*/{},
            unconnected);
    }]>
  ];
  let hasVerifier = 1;
}

def Train_JvpOp : Train_Op<"jvp", [Pure, AttrSizedOperandSegments]> {
  let summary = "Directional derivatives of values";
  let description = [{
    The derivative of each of the ys as the xs move along the `tangents`: the sum
    over i of d(ys_k) / d(xs_i) * tangents_i. Forward mode, to `train.gradient`'s
    reverse mode: <jvp, u> = <tangents, gradient with grad_ys u>. A y that
    depends on no x has the derivative 0. Result types are those of the ys.
    `-train-autodiff` replaces this op by plain ops.

    ```mlir
    %dy = train.jvp %y wrt %x tangents %v
        : (tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$ys, Variadic<AnyRankedTensor>:$xs,
    Variadic<AnyRankedTensor>:$tangents);
  let results = (outs Variadic<AnyRankedTensor>:$derivatives);
  let assemblyFormat = [{
    $ys `wrt` $xs `tangents` $tangents attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Train_JacobianMode : I32EnumAttr<"JacobianMode", "how a Jacobian is computed", [
    I32EnumAttrCase<"automatic", 0, "auto">, I32EnumAttrCase<"reverse", 1>,
    I32EnumAttrCase<"forward", 2>]> {
  let cppNamespace = "::flywheel::train";
}

def Train_JacobianOp : Train_Op<"jacobian", [Pure]> {
  let summary = "Derivative of each element of a value with respect to values";
  let description = [{
    The Jacobian of y with respect to each of the xs: result i has the dimension
    sizes of y, then those of xs_i, and the element type of xs_i. If y is a loss
    for each example, `tensor<?xf32>`, it is the gradient of each example.

    `mode reverse` computes the rows, one for each element of y, `mode forward`
    the columns, one for each element of the xs: all in one pass over a new
    dimension, with what y is computed from computed once. `auto` is forward
    where all dimension sizes of the xs are static, their elements, together, are fewer
    than those of y, and element types agree; a dynamic dimension size of y counts as 8.

    With `chunk n`, no more than n rows (columns) are computed at once, in a loop,
    which bounds the memory that they take. Their number must be static.

    An x that y does not depend on is an error, or zeros with `unconnected
    zeros`. `-train-autodiff` replaces this op by plain ops, which can be
    differentiated: the Jacobian of a gradient is a Hessian.

    ```mlir
    %j = train.jacobian %losses wrt %w
        : (tensor<?xf32>, tensor<64x10xf32>) -> tensor<?x64x10xf32>
    %h = train.jacobian %gradient wrt %x mode reverse chunk 16
        : (tensor<64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$y, Variadic<AnyRankedTensor>:$xs,
    DefaultValuedAttr<Train_JacobianMode, "::flywheel::train::JacobianMode::automatic">:$mode,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$chunk,
    DefaultValuedAttr<Train_Unconnected, "::flywheel::train::Unconnected::error">:$unconnected);
  let results = (outs Variadic<AnyRankedTensor>:$jacobians);
  let assemblyFormat = [{
    $y `wrt` $xs (`mode` $mode^)? (`chunk` $chunk^)? (`unconnected` $unconnected^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Train_ParameterOp : Train_Op<"parameter", [SameOperandsAndResultType]> {
  let summary = "Identity whose result is a parameter of its own";
  let description = [{
    The result has the elements of the input, and is another value: derivatives
    with respect to it are along what is computed from it, and not along what
    else is computed from the input. So `train.gradient` of a function of two
    arguments gives partial derivatives, even where both are the same value.

    No two of these ops are one, whatever their inputs are: the op allocates its
    result, so that CSE keeps both, and one whose result is unused is erased. A
    derivative flows through it as through any identity. `-train-autodiff`
    leaves none.

    ```mlir
    // x^2 y at x = y: the first partial derivative, 2 x y, and not 3 x^2.
    %x = train.parameter %v : tensor<f32>
    %y = train.parameter %v : tensor<f32>
    %0 = arith.mulf %x, %x : tensor<f32>
    %1 = arith.mulf %0, %y : tensor<f32>
    %dx = train.gradient %1 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs Res<AnyRankedTensor, "the parameter", [MemAlloc]>:$result);
  let assemblyFormat = "$input `:` type($input) attr-dict";
}

def Train_StopGradientOp : Train_Op<"stop_gradient", [Pure, SameOperandsAndResultType]> {
  let summary = "Identity that no derivative flows through";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `:` type($input) attr-dict";
}

def Train_CustomVjpOp : Train_Op<"custom_vjp", [IsolatedFromAbove,
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A computation with a derivative rule of its own";
  let description = [{
    The results are those of the first region, on the inputs. If they are
    differentiated, the second region is the rule: from the inputs, and the
    cotangent of each floating-point result, it computes the cotangent of each
    floating-point input. It need not be the derivative of the first region, and
    may be differentiated itself.

    Calls of a function with the attribute `train.vjp = @rule` become this op in
    `-train-expand-custom-vjps`, and `-train-autodiff` leaves none: what is not
    differentiated is the first region, in place.

    ```mlir
    // The identity; its gradient is cut off at -1 and 1.
    %y = train.custom_vjp %x : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      train.vjp_yield %a : tensor<4xf32>
    } vjp {
    ^bb0(%a: tensor<4xf32>, %dy: tensor<4xf32>):
      %low = arith.constant dense<-1.0> : tensor<4xf32>
      %high = arith.constant dense<1.0> : tensor<4xf32>
      %dx = math.clampf %dy to [%low, %high] : tensor<4xf32>
      train.vjp_yield %dx : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$vjp);
  let assemblyFormat = [{
    $inputs attr-dict `:` functional-type($inputs, results) $body `vjp` $vjp
  }];
  let hasRegionVerifier = 1;
}

def Train_VjpYieldOp : Train_Op<"vjp_yield", [Pure, Terminator, ReturnLike,
    HasParent<"CustomVjpOp">]> {
  let summary = "The results of a region of train.custom_vjp";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Train_SparseForm : I32EnumAttr<"SparseForm", "what becomes of rows without a gradient", [
    I32EnumAttrCase<"exact", 0>, I32EnumAttrCase<"lazy", 1>]> {
  let cppNamespace = "::flywheel::train";
}

def Train_UnconnectedVariable : I32EnumAttr<"UnconnectedVariable", "what becomes of a variable that the loss does not depend on", [
    I32EnumAttrCase<"error", 0>, I32EnumAttrCase<"skip", 1>]> {
  let cppNamespace = "::flywheel::train";
}

/// The clauses of an update that do not belong to its optimizer; see
/// `train.minimize`.
defvar Train_UpdateClauses = (ins
  OptionalAttr<ScheduleAttrInterface>:$schedule,
  OptionalAttr<F64Attr>:$l2, OptionalAttr<F64Attr>:$weight_decay,
  OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$no_decay,
  OptionalAttr<F64Attr>:$clip_norm, OptionalAttr<F64Attr>:$clip_global_norm,
  OptionalAttr<F64Attr>:$clip_value, OptionalAttr<Train_LossScaleAttr>:$loss_scale,
  OptionalAttr<I64Attr>:$accumulate, UnitAttr:$master_weights,
  DefaultValuedAttr<Train_SparseForm, "::flywheel::train::SparseForm::exact">:$sparse);
/// A keyword and its value. The value of an optional attribute could be left out,
/// and the clause with it, but for the directive.
class Train_ClauseFormat<string keyword, string attribute = keyword> {
  string format = "`" # keyword # "` custom<Clause>($" # attribute # ", \"\\\"" # keyword # "\\\"\")";
}
/// In any order, each at most once. Printed in this one.
defvar Train_UpdateClausesFormat = !interleave([
    Train_ClauseFormat<"global_step">.format, Train_ClauseFormat<"lr", "schedule">.format,
    Train_ClauseFormat<"l2">.format, Train_ClauseFormat<"weight_decay">.format,
    Train_ClauseFormat<"no_decay">.format, Train_ClauseFormat<"clip_norm">.format,
    Train_ClauseFormat<"clip_global_norm">.format, Train_ClauseFormat<"clip_value">.format,
    Train_ClauseFormat<"loss_scale">.format, Train_ClauseFormat<"accumulate">.format,
    "`master_weights` $master_weights", Train_ClauseFormat<"sparse">.format], " | ") # ") attr-dict";

def Train_MinimizeOp : Train_Op<"minimize", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "One step of an optimizer";
  let description = [{
    Differentiates `loss` (summed if it is not a scalar) with respect to the
    variables of `var_list`, by default every trainable variable that it depends
    on, and updates them. `global_step` names an integer variable that is
    incremented after the updates.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
    train.minimize %loss : tensor<f32> with #train.adam var_list [@W, @b] global_step @step
    ```

    A variable of `var_list` that the loss does not depend on is an error of the
    optimizers of Keras (`sgd`, `rmsprop`, `adagrad`, `adadelta`, `adam`, `adamax`,
    `nadam`): it has no gradient. The others leave it alone, without slots, as
    tf.train does. `unconnected error` and `unconnected skip` choose the rule.
    Without a `var_list`, `unconnected error` wants the loss to depend on every
    trainable variable of the module. That none has a gradient is always an error.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.adam var_list [@W, @b] unconnected skip
    ```

    The hyper-parameters and counters of an optimizer are variables, which the
    program can read and assign as it does its own: `@"Adam/lr"`, or
    `@"opt/lr"` of an optimizer with `name = "opt"`. The update uses the values
    that they have where it stands. They need no declaration; a
    `train.variable` of that name and of the type that the optimizer needs (i64
    for a counter, else f32, or f64 where a variable that it may update is f64)
    takes the place of the one that would be made, and without an initial value
    starts at the optimizer's. Updates whose optimizers have one name share it:
    its hyper-parameters, its counters, and the slots of a variable that several
    of them update.

    ```mlir
    %lr = train.read @"opt/lr" : tensor<f32>
    %less = arith.mulf %lr, %decay : tensor<f32>
    train.assign @"opt/lr", %less : tensor<f32>
    train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1, name = "opt">
    ```

    Clauses, written in any order, say what happens around the
    optimizer. In this order:

    * `lr #train.cosine_rate<...>`: the rate of the step, from the optimizer's
      `iterations`, is assigned to its variable `lr` before the update. An
      optimizer without this counter gets one.
    * `l2 c`: g = g + c p, the gradient of c/2 |p|^2 in the loss.
    * `clip_norm c`: each gradient is scaled to the Euclidean norm c where its
      own is larger: g = g c / max(|g|, c).
    * `clip_global_norm c`: likewise with the common norm of all gradients of this
      op: Keras' `clipnorm`, tf.clip_by_global_norm.
    * `clip_value c`: g = min(max(g, -c), c).
    * `weight_decay c`: the new parameter, before its constraint, less
      lr c p of the old one (decoupled: Loshchilov and Hutter, 2019). `lr` is
      the optimizer's variable.

    `no_decay` lists variables that `l2` and `weight_decay` leave alone: some of
    `var_list`, or any where there is none, so that a list for a whole model does
    for each of its losses. It says nothing about a `weight_decay` of the optimizer
    itself: give that one 0 and write the clause. Both above 0 are an error, as they
    would add up (so would `l2` and the `l2` of `#train.ftrl`); `l2` and a
    `weight_decay` are two things, and both happen. A bound or factor that is not
    above 0 does nothing.

    Norms of f16, bf16 and f32 are computed in f64, where no square is infinite or
    0. Those of f64 are NaN beyond 1e154, and so is what is clipped to them.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.adam
        lr #train.cosine_rate<peak = 0.001, steps = 10000, warmup = 500>
        weight_decay 0.01 no_decay [@b] clip_global_norm 1.0
    ```

    Three clauses are for training in few bits and in small batches, and work
    together:

    * `loss_scale #train.loss_scale<...>`: gradients are those of the loss times
      the variable `Adam/loss_scale` (of `#train.adam`), so that small ones do not
      become 0 in f16 or bf16, and are divided by it in f32. A call whose
      gradients are not all finite changes nothing but the scale.
    * `accumulate k`: gradients of k calls are summed, in f32 at least, and the
      update is made in the last of them, along their mean, with all that the
      other clauses say. Calls between change sums and `Adam/micro_step` alone.
    * `master_weights`: a variable of f16 or bf16 is updated in f32, as are its
      slots: `w/Adam/master` is what it is the rounded value of. A master weight
      that does not round to its variable is taken from it: after the first
      initialization, and where the program or a checkpoint has assigned it.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.adamw<lr = 0.001>
        clip_global_norm 1.0 loss_scale #train.loss_scale<initial = 1024.0>
        accumulate 4 master_weights
    ```

    The gradient of a table that rows are looked up in (`nn.gather` along axis 0)
    is rows, and is never made as a whole where the table is large: see
    [sparse gradients](../Design/SparseGradients.md). With `sparse exact`, the
    default, the update is the one along the whole gradient. With `sparse lazy`,
    the rows that a step does not look up keep their values and their slots,
    where a momentum would go on moving them, and `weight_decay` shrink them.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.adam sparse lazy
    ```
  }];
  let arguments = !con((ins
    AnyRankedTensor:$loss,
    OptimizerAttrInterface:$optimizer,
    OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$var_list,
    OptionalAttr<Train_UnconnectedVariable>:$unconnected,
    OptionalAttr<FlatSymbolRefAttr>:$global_step), Train_UpdateClauses);
  let assemblyFormat = !strconcat([{
    $loss `:` type($loss) `with` $optimizer
    oilist(}], Train_ClauseFormat<"var_list">.format, " | ",
    Train_ClauseFormat<"unconnected">.format, " | ", Train_UpdateClausesFormat);
}

def Train_ApplyGradientsOp : Train_Op<"apply_gradients", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "One step of an optimizer, along given gradients";
  let description = [{
    Updates each variable of `var_list` along the gradient in its place, which
    has the variable's type: clipped, scaled, masked, or computed in any other
    way. Other variables are left alone. `train.minimize` is `train.gradient`
    and this; it has the same clauses. The gradient of a variable of f16 or bf16
    may be of f32. With `loss_scale`, gradients are those of a loss that the
    program multiplied by the scale.

    ```mlir
    %dw = train.gradient %loss wrt %w : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %twice = arith.addf %dw, %dw : tensor<3xf32>
    train.apply_gradients %twice : tensor<3xf32> to [@w] with #train.sgd<lr = 0.1>
    ```
  }];
  let arguments = !con((ins
    Variadic<AnyStaticShapeTensor>:$gradients,
    TypedArrayAttrBase<FlatSymbolRefAttr, "variables">:$var_list,
    OptimizerAttrInterface:$optimizer,
    OptionalAttr<FlatSymbolRefAttr>:$global_step), Train_UpdateClauses);
  let assemblyFormat = !strconcat([{
    $gradients `:` type($gradients) `to` $var_list `with` $optimizer
    oilist(}], Train_UpdateClausesFormat);
}

def Train_ClipByGlobalNormOp : Train_Op<"clip_by_global_norm", [Pure]> {
  let summary = "Tensors that are scaled where their common norm is too large";
  let description = [{
    t c / max(n, c) for each tensor t, where n is the Euclidean norm of all of
    them together, the last result: tf.clip_by_global_norm, and of one tensor
    tf.clip_by_norm. n is of f32, or of f64 where a tensor is. One pass over the
    tensors gives n. `-train-expand-optimizers` replaces it by plain ops.

    ```mlir
    %c:2, %n = train.clip_by_global_norm %dw, %db to 1.0
        : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>)
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, F64Attr:$bound);
  let results = (outs Variadic<AnyRankedTensor>:$clipped, AnyRankedTensor:$norm);
  let assemblyFormat = [{
    $inputs `to` $bound attr-dict `:` functional-type($inputs, results)
  }];
  let hasVerifier = 1;
}

def Train_ScheduleOp : Train_Op<"schedule", [Pure]> {
  let summary = "The rate of a step";
  let description = [{
    The value of `schedule` at step `step`, a counter from 0, in f32 or f64.
    `-train-expand-optimizers` replaces it by plain ops.

    ```mlir
    %lr = train.schedule %step : tensor<i64> -> tensor<f32>
        by #train.exponential_rate<initial = 0.1, factor = 0.5, steps = 100>
    ```
  }];
  let arguments = (ins 0DTensorOf<[I32, I64]>:$step, ScheduleAttrInterface:$schedule);
  let results = (outs 0DTensorOf<[F32, F64]>:$rate);
  let assemblyFormat = [{
    $step `:` type($step) `->` type($rate) `by` $schedule attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Optimizer updates in value semantics
//===----------------------------------------------------------------------===//

def Train_ProjectOp : Train_Op<"project", [Pure, SameOperandsAndResultType]> {
  let summary = "Projection of a new parameter onto its constraint";
  let description = [{
    The projection of `input` by a variable's `constraint`.
    `-train-expand-optimizers` inserts it between an update and the assignment;
    it is computed in place.

    ```mlir
    %1 = train.project %0 : tensor<64x10xf32> by #train.max_norm<max = 2.0>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       ConstraintAttrInterface:$constraint);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `:` type($input) `by` $constraint attr-dict";
  let hasVerifier = 1;
}

def Train_UpdateOp : Train_Op<"update", [Pure, AttrSizedOperandSegments,
    OptimizerUpdateOpInterface]> {
  let summary = "One step of an optimizer for one parameter";
  let description = [{
    From a parameter and its slots to the new ones, along a gradient, element by
    element: by the rule of `optimizer`, whose description has the formula. The
    scalars are those of a step, rank-0 tensors of the parameter's element type,
    or of f32 where that is f16 or bf16: the rule is computed in f32 there, and
    its results are rounded once, and the gradient may be of f32. With `decay`, a
    scalar more, the new parameter is less decay times the old one. With
    `rounded`, the state ends with a tensor of a narrower type, the parameter
    rounded: an element of the parameter that does not round to it is taken from
    it first.

    `-train-expand-optimizers` makes it of `train.minimize`. It becomes one loop,
    in place.

    ```mlir
    %p1, %m1, %v1 = train.update %p, %m, %v along %g with %rate, %b1, %b2
        : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
           tensor<f32>, tensor<f32>, tensor<f32>)
        -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) by #train.adam
    ```
  }];
  let arguments = (ins
    Variadic<AnyStaticShapeTensor>:$state, AnyStaticShapeTensor:$gradient,
    Variadic<AnyStaticShapeTensor>:$step_values,
    Optional<AnyStaticShapeTensor>:$decay, UnitAttr:$rounded,
    OptimizerAttrInterface:$optimizer);
  let results = (outs Variadic<AnyStaticShapeTensor>:$new_state);
  let assemblyFormat = [{
    $state (`rounded` $rounded^)? `along` $gradient (`with` custom<ClauseOperands>($step_values)^)?
    (`decay` custom<ClauseOperand>($decay)^)?
    `:` functional-type(operands, results)
    `by` $optimizer attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getGradientOperand() { return getGradient(); }
    /// The values of the step, then the decay.
    ::mlir::OperandRange getScalars() {
      return getOperands().drop_front(getState().size() + 1);
    }
    ::llvm::SmallVector<::mlir::Value>
    buildElementUpdate(::mlir::OpBuilder &builder, ::mlir::Location loc,
                       ::mlir::ValueRange state, ::mlir::Value gradient,
                       ::mlir::ValueRange scalars);
  }];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINGRADIENTOPS
