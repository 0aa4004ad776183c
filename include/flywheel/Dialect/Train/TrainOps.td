//===- TrainOps.td - Ops of the train dialect --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINOPS
#define FLYWHEEL_DIALECT_TRAIN_TRAINOPS

include "flywheel/Dialect/Train/TrainAttributes.td"
include "flywheel/Dialect/Train/TrainTypes.td"
include "flywheel/Interfaces/DifferentiableOpInterface.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Train_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, opMnemonic, traits>;

/// What reads and writes of variables act on. The effect also names the
/// variable, so that two variables do not order each other.
def Train_VariableResource : Resource<"::flywheel::train::VariableResource">;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

def Train_VariableOp : Train_Op<"variable", [Symbol, IsolatedFromAbove,
    NoRegionArguments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declares a variable";
  let description = [{
    Persistent storage with a name, an element type and a static shape. It
    starts uninitialised; the module's initializer, an assignment or a
    checkpoint gives it a value. Declaring evaluates nothing.

    The initial value is an initializer (`#train.zeros`, ...), a `dense`
    attribute of the variable's type (`#train.strings` for strings), or a region that computes it. Without one,
    a floating-point variable starts from `#train.glorot_uniform` and any other
    from `#train.zeros`.

    The region ends in `train.yield` and may compute from other variables:
    `train.read @v` is the value of v, which must have one or be initialised in
    the same request; `train.initialized_value @v` is the value of v if it has
    one and its initial value if not. One request initialises v before whatever
    computes from v, and a cycle is an error. Nothing in the region has an
    effect.

    `collections` names the collections that the variable is in, by default
    GLOBAL; a list that is given takes its place. GLOBAL is what is initialised
    and saved by default, and LOCAL is not saved; any other name is the user's.
    TRAINABLE, the default list of `train.minimize`, holds the trainable
    variables: those with `trainable = true`, and without that attribute those
    that list TRAINABLE or that are neither in LOCAL nor slots.

    `constraint` is the projection that optimizers apply to a new value before
    they store it; assignments do not. `device` is where the variable wants to
    live (`/gpu:1`, `/job:ps/task:0/cpu:0`): checked when a program is loaded.
    `slot_of` names the parameter that owns this variable, of its type: an
    optimizer's slot, made by `-train-expand-optimizers`. A name has no
    whitespace, ':' or '^'. `element_type` is what `-train-lower-element-types`
    leaves: the element type that the user sees, where the storage has another.

    Element types are f16, bf16, f32, f64, i1, i8 to i64, ui8 to ui64 and
    `!train.string`, whose zeros are empty. The
    ops of `arith` take signless integers: `tensor.bitcast` makes those of
    unsigned ones, and back.

    ```mlir
    train.variable @W : tensor<64x10xf32> = #train.glorot_uniform
    train.variable @V : tensor<64x10xf32> {constraint = #train.max_norm<max = 2.0>}
    train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
    train.variable @hits : tensor<f32> = #train.zeros {collections = ["LOCAL", "metrics"]}
    train.variable @twice : tensor<64x10xf32> init {
      %W = train.initialized_value @W : tensor<64x10xf32>
      %sum = arith.addf %W, %W : tensor<64x10xf32>
      train.yield %sum : tensor<64x10xf32>
    }
    ```
  }];
  let regions = (region MaxSizedRegion<1>:$initializer);
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyRankedTensor>:$type,
    OptionalAttr<AnyAttr>:$initial_value,
    OptionalAttr<BoolAttr>:$trainable,
    OptionalAttr<FlatSymbolRefAttr>:$slot_of,
    OptionalAttr<StrArrayAttr>:$collections,
    OptionalAttr<StrAttr>:$device,
    OptionalAttr<ConstraintAttrInterface>:$constraint,
    OptionalAttr<TypeAttr>:$element_type);
  let assemblyFormat = [{
    $sym_name `:` $type (`=` $initial_value^)?
    (`init` custom<InitialRegion>($initializer)^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// The type that the user declared: that of the storage, but for elements
    /// that are stored as others.
    ::mlir::RankedTensorType getDeclaredType() {
      return ::mlir::RankedTensorType::get(
          getTensorType().getShape(),
          getElementType().value_or(getTensorType().getElementType()));
    }
    /// The initial value, or the default of the element type; null where a
    /// region computes it.
    ::mlir::Attribute getInitialValueOrDefault();
    /// Whether the variable is in the collection TRAINABLE.
    bool isTrainable();
    /// Every collection that the variable is in, as listed; the implied
    /// TRAINABLE comes last.
    ::llvm::SmallVector<::llvm::StringRef> getCollectionNames();
    bool isInCollection(::llvm::StringRef collection);
    /// Collections that mean something to the compiler.
    static constexpr ::llvm::StringLiteral getGlobalName() { return "GLOBAL"; }
    static constexpr ::llvm::StringLiteral getLocalName() { return "LOCAL"; }
    static constexpr ::llvm::StringLiteral getTrainableName() {
      return "TRAINABLE";
    }
  }];
}

def Train_YieldOp : Train_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"VariableOp">]> {
  let summary = "The initial value that the region of a variable computes";
  let arguments = (ins AnyStaticShapeTensor:$value);
  let assemblyFormat = "$value `:` type($value) attr-dict";
}

class Train_AccessOp<string opMnemonic, list<Trait> traits = []>
    : Train_Op<opMnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

def Train_ReadOp : Train_AccessOp<"read", [DeclareOpInterfaceMethods<
    OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The value of a variable at this point";
  let description = [{
    A snapshot: later assignments do not change the result. Reading a variable
    that has no value yet is an error of the step.
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable `:` type($value) attr-dict";
}

def Train_InitializedValueOp : Train_AccessOp<"initialized_value", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The value of a variable, or its initial value";
  let description = [{
    As `train.read`, but where the variable has no value yet the result is its
    initial value: the one that initialising it at the start of the step would
    give. The variable stays as it is.
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$variable `:` type($value) attr-dict";
}

def Train_IsInitializedOp : Train_AccessOp<"is_initialized"> {
  let summary = "Whether a variable has a value at this point";
  let description = [{
    A scalar boolean. Unlike `train.read` it asks nothing of the variable.
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs 0DTensorOf<[I1]>:$result);
  let assemblyFormat = "$variable `:` type($result) attr-dict";
}

class Train_AssignLikeOp<string opMnemonic>
    : Train_AccessOp<opMnemonic, [AllTypesMatch<["value", "result"]>]> {
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyStaticShapeTensor:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$variable `,` $value `:` type($value) attr-dict";
}

def Train_AssignOp : Train_AssignLikeOp<"assign"> {
  let summary = "variable := value";
  let description = [{
    Type and shape must be the variable's own: nothing is broadcast or
    converted. The result is the new value.

    The variable needs no value before, but where the assignment may not happen:
    in a branch (unless the other one assigns too) or in a loop.
  }];
}

def Train_AssignAddOp : Train_AssignLikeOp<"assign_add"> {
  let summary = "variable := variable + value";
  let description = [{
    Acts on the version immediately before it, so several accumulate. Numeric
    element types only; integers wrap, signed and unsigned ones. The result is
    the new value.
  }];
}

def Train_AssignSubOp : Train_AssignLikeOp<"assign_sub"> {
  let summary = "variable := variable - value";
  let description = [{
    As `train.assign_add`, with subtraction.
  }];
}

def Train_MovingAverageOp : Train_AccessOp<"moving_average", [
    AllTypesMatch<["value", "result"]>]> {
  let summary = "Moves a variable towards a value";
  let description = [{
    variable := variable * momentum + value * (1 - momentum), as an assignment:
    an entry for evaluation reads the variable. The result is the new value. No
    derivative flows through it.

    With `zero_debias` the variable's own first value does not count (Keras 2's
    `moving_average_update`): with biased and n of the variable, both 0 at first,

        biased := biased - (biased - value) (1 - momentum);  n := n + 1;
        variable := biased / (1 - momentum^n)

    so that after one update it is that value. biased and n are variables,
    `<variable>/biased` and `<variable>/local_step`, not trainable, which are
    initialised, saved and restored like any other; all updates of one variable
    share them.

    ```mlir
    %m = train.moving_average @moving_mean, %mean momentum 9.9e-1 : tensor<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyStaticShapeTensor:$value,
                       F64Attr:$momentum, UnitAttr:$zero_debias);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $variable `,` $value `momentum` $momentum (`zero_debias` $zero_debias^)?
    attr-dict `:` type($value)
  }];
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

def Train_RandomOp : Train_Op<"random", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Draws from a distribution, others at each run";
  let description = [{
    A tensor of draws; `distribution` is an initializer that draws. An element is a function
    of the seed that the variables were initialised with, the op's seed, how
    often this op has run since, and its row-major position: the same on every
    target and for any number of threads. `dynamic_sizes` are the extents that
    the type leaves open, in order.

    The op keeps its place in its stream in a variable, `random`, `random_1`,
    ..., which is initialised, saved and restored like any other.

    ```mlir
    %noise = train.random #train.random_normal<stddev = 0.1>(%batch) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins InitializerAttrInterface:$distribution,
                       Variadic<Index>:$dynamic_sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $distribution (`(` $dynamic_sizes^ `)`)? `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Train_DropoutOp : Train_Op<"dropout", [AllTypesMatch<["x", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Drops elements at random while training";
  let description = [{
    Each element is kept with probability 1 - `rate`, and is x / (1 - `rate`)
    then; the others are 0 (Srivastava and others, Dropout, 2014). Where
    `training` is false the result is x, bit by bit, and nothing is drawn.
    Without `training` elements are always dropped: an entry for evaluation
    leaves the op out, or passes a flag. The derivative has the same mask.

    Draws are those of `train.random #train.random_uniform<seed = ...>`, f32, one
    an element: the same on every target, others at each run. With rate 0 the
    result is x, and nothing is drawn.

    ```mlir
    %y = train.dropout %x rate 5.0e-1 training %flag : tensor<?x64xf32>, tensor<i1>
    %z = train.dropout %x rate 2.0e-1 seed 7 : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$x,
                       Optional<AnyTypeOf<[I1, 0DTensorOf<[I1]>]>>:$training,
                       F64Attr:$rate, OptionalAttr<I64Attr>:$seed);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = [{
    $x `rate` $rate (`seed` $seed^)? (`training` $training^)? attr-dict `:`
    type($x) (`,` type($training)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

def Train_StringConstantOp : Train_Op<"string_constant", [Pure]> {
  let summary = "A tensor of given strings";
  let description = [{
    Fills the tensor in row-major order. Where there are fewer values than
    elements, the last value repeats; more values than elements are an error.

    ```mlir
    %kiwi = train.string_constant ["Kiwi"] : tensor<!train.string>
    ```
  }];
  let arguments = (ins StrArrayAttr:$values);
  let results = (outs Train_StaticStringTensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Train_StringEqualOp : Train_Op<"string_equal", [Pure, SameTypeOperands,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Whether strings are equal, element by element";
  let description = [{
    Equal strings have the same bytes.

    ```mlir
    %same = train.string_equal %a, %b : tensor<2x!train.string>
    ```
  }];
  let arguments = (ins Train_StringTensor:$a, Train_StringTensor:$b);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a)";
}

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
    the ys are computed from: reads of variables, arguments, activations.
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
    $ys `wrt` $xs (`grad_ys` $grad_ys^)? (`stop` $stops^)? (`unconnected` $unconnected^)? attr-dict `:`
    functional-type(operands, results)
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
    How each of the ys changes as the xs move along the `tangents`: the sum over
    i of d(ys_k) / d(xs_i) * tangents_i. Forward mode, to `train.gradient`'s
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
    The Jacobian of y with respect to each of the xs: result i has the extents of
    y, then those of xs_i, and the element type of xs_i. Of a loss for each
    example, `tensor<?xf32>`, it is the gradient of each example.

    `mode reverse` computes the rows, one for each element of y, `mode forward`
    the columns, one for each element of the xs: all in one pass over a new
    dimension, with what y is computed from computed once. `auto` is forward
    where all extents of the xs are static, their elements, together, are fewer
    than those of y, and element types agree; a dynamic extent of y counts as 8.

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
    The results are those of the first region, on the inputs. Where they are
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
  let summary = "What a region of train.custom_vjp computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Train_MinimizeOp : Train_Op<"minimize", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "One step of an optimizer";
  let description = [{
    Differentiates `loss` (summed if it is not a scalar) with respect to the
    variables of `var_list`, by default every trainable variable that it depends
    on, and updates them. A variable of `var_list` that the loss does not depend
    on is left alone and gets no slots. `global_step` names an integer variable
    that is incremented after the updates.

    ```mlir
    train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.1, momentum = 0.9>
    train.minimize %loss : tensor<f32> with #train.adam var_list [@W, @b] global_step @step
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
  }];
  let arguments = (ins
    AnyRankedTensor:$loss,
    OptimizerAttrInterface:$optimizer,
    OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$var_list,
    OptionalAttr<FlatSymbolRefAttr>:$global_step);
  let assemblyFormat = [{
    $loss `:` type($loss) `with` $optimizer (`var_list` $var_list^)?
    (`global_step` $global_step^)? attr-dict
  }];
}

def Train_ApplyGradientsOp : Train_Op<"apply_gradients", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "One step of an optimizer, along given gradients";
  let description = [{
    Updates each variable of `var_list` along the gradient in its place, which
    has the variable's type: clipped, scaled, masked, or computed in any other
    way. What is not in the list is left alone. `train.minimize` is
    `train.gradient` and this.

    ```mlir
    %dw = train.gradient %loss wrt %w : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %twice = arith.addf %dw, %dw : tensor<3xf32>
    train.apply_gradients %twice : tensor<3xf32> to [@w] with #train.sgd<lr = 0.1>
    ```
  }];
  let arguments = (ins
    Variadic<AnyStaticShapeTensor>:$gradients,
    TypedArrayAttrBase<FlatSymbolRefAttr, "variables">:$var_list,
    OptimizerAttrInterface:$optimizer,
    OptionalAttr<FlatSymbolRefAttr>:$global_step);
  let assemblyFormat = [{
    $gradients `:` type($gradients) `to` $var_list `with` $optimizer
    (`global_step` $global_step^)? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Optimizer updates in value semantics
//===----------------------------------------------------------------------===//

def Train_ProjectOp : Train_Op<"project", [Pure, SameOperandsAndResultType]> {
  let summary = "Projection of a new parameter onto its constraint";
  let description = [{
    What a variable's `constraint` makes of `input`. `-train-expand-optimizers`
    puts it between an update and the assignment; it is computed in place.

    ```mlir
    %1 = train.project %0 : tensor<64x10xf32> by #train.max_norm<max = 2.0>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input,
                       ConstraintAttrInterface:$constraint);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `:` type($input) `by` $constraint attr-dict";
  let hasVerifier = 1;
}

class Train_UpdateOp<string opMnemonic> : Train_Op<opMnemonic, [Pure,
    DeclareOpInterfaceMethods<OptimizerUpdateOpInterface>]> {
  let hasVerifier = 1;
}

def Train_SGDOp : Train_UpdateOp<"sgd"> {
  let summary = "Keras SGD: new parameter and velocity";
  let description = [{
    v' = momentum * v - lr * g; p' = p + v' (`nesterov`:
    p' = p + momentum * v' - lr * g). `lr` and `momentum` are rank-0 tensors of
    the parameter's element type.
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$parameter, AnyStaticShapeTensor:$velocity,
    AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$lr,
    AnyStaticShapeTensor:$momentum, UnitAttr:$nesterov);
  let results = (outs AnyStaticShapeTensor:$new_parameter,
                      AnyStaticShapeTensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $velocity `,` $gradient `lr` $lr `momentum` $momentum
    (`nesterov` $nesterov^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Train_MomentumOp : Train_UpdateOp<"momentum"> {
  let summary = "tf.train momentum: new parameter and accumulator";
  let description = [{
    a' = momentum * a + g; p' = p - lr * a' (`nesterov`:
    p' = p - lr * g - lr * momentum * a').
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$parameter, AnyStaticShapeTensor:$accumulator,
    AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$lr,
    AnyStaticShapeTensor:$momentum, UnitAttr:$nesterov);
  let results = (outs AnyStaticShapeTensor:$new_parameter,
                      AnyStaticShapeTensor:$new_accumulator);
  let assemblyFormat = [{
    $parameter `,` $accumulator `,` $gradient `lr` $lr `momentum` $momentum
    (`nesterov` $nesterov^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Train_AdamOp : Train_UpdateOp<"adam"> {
  let summary = "Adam: new parameter and moments";
  let description = [{
    m' = beta_1 m + (1 - beta_1) g; v' = beta_2 v + (1 - beta_2) g^2;
    p' = p - rate m' / (sqrt(v') + epsilon). `rate` is the bias-corrected rate
    of this step. The optional third slot makes it AMSGrad: h' = max(h, v')
    takes the place of v' under the root.
  }];
  let arguments = (ins
    AnyStaticShapeTensor:$parameter, AnyStaticShapeTensor:$m,
    AnyStaticShapeTensor:$v, Optional<AnyStaticShapeTensor>:$vhat,
    AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$rate,
    AnyStaticShapeTensor:$beta_1, AnyStaticShapeTensor:$beta_2,
    F64Attr:$epsilon);
  let results = (outs AnyStaticShapeTensor:$new_parameter,
    AnyStaticShapeTensor:$new_m, AnyStaticShapeTensor:$new_v,
    Optional<AnyStaticShapeTensor>:$new_vhat);
  let assemblyFormat = [{
    $parameter `,` $m `,` $v (`vhat` $vhat^)? `,` $gradient `rate` $rate
    `beta_1` $beta_1 `beta_2` $beta_2 `epsilon` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINOPS
