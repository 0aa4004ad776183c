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

/// The resource of effects on variables. The effect also names the variable, so
/// that two variables do not order each other.
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
    /// Returns the initial value, or the default of the element type; null if a
    /// region computes it.
    ::mlir::Attribute getInitialValueOrDefault();
    /// Returns true if the variable is in the collection TRAINABLE.
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
  let summary = "True if a variable has a value at this point";
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

def Train_AssignNthOp : Train_AccessOp<"assign_nth"> {
  let summary = "The variable of this number := value";
  let description = [{
    Assigns to the variable at position `number` of the list, which counts from
    0. All have the type of the value. `train-materialize-initializers` makes it
    for variables that begin alike, so that one loop initialises them; a program
    has no use for it.

    ```mlir
    train.assign_nth [@w0, @w1, @w2][%i], %value : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$variables, Index:$number,
                       AnyStaticShapeTensor:$value);
  let assemblyFormat = [{
    $variables `[` $number `]` `,` $value `:` type($value) attr-dict
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
    target and for any number of threads. `dynamic_sizes` are the dimension sizes that
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

def Train_StreamKeyOp : Train_Op<"stream_key", [Pure]> {
  let summary = "The key of a stream of random numbers";
  let description = [{
    A mix (the finalizer of SplitMix64; Steele, Lea and Flood, Fast splittable
    pseudorandom number generators, 2014) of the seed of all variables, the seed
    of one op or variable and the number of its run.

    ```mlir
    %key = train.stream_key %seed, %run op_seed %op
    ```
  }];
  let arguments = (ins I64:$seed, I64:$run, I64:$op_seed);
  let results = (outs I64:$key);
  let assemblyFormat = "$seed `,` $run `op_seed` $op_seed attr-dict";
}

def Train_RandomBitsOp : Train_Op<"random_bits", [Pure]> {
  let summary = "64 random bits";
  let description = [{
    Those of the stream `key` at `index`, by Philox4x32-10 (Salmon and others,
    Parallel random numbers: as easy as 1, 2, 3, SC 2011): counter = (index, 0).
    A function of both alone, so that any element can be made anywhere, with the
    same bits on every target. `train-expand-draws` writes its arithmetic out,
    once for each kernel that draws.

    ```mlir
    %bits = train.random_bits %key at %index
    ```
  }];
  let arguments = (ins I64:$key, I64:$index);
  let results = (outs I64:$bits);
  let assemblyFormat = "$key `at` $index attr-dict";
}

def Train_NormalQuantileOp : Train_Op<"normal_quantile", [Pure]> {
  let summary = "The quantile function of the normal distribution";
  let description = [{
    That of the standard normal distribution at `p` in (0, 1): algorithm AS 241,
    PPND16 (Wichura, The percentage points of the normal distribution, 1988),
    relative error about 1e-16. It makes normal draws of uniform ones, with the
    same bits on every target: no library is called, and nothing contracted.

    ```mlir
    %x = train.normal_quantile %p
    ```
  }];
  let arguments = (ins F64:$p);
  let results = (outs F64:$x);
  let assemblyFormat = "$p attr-dict";
}

def Train_DropoutOp : Train_Op<"dropout", [AllTypesMatch<["x", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Drops elements at random while training";
  let description = [{
    Each element is kept with probability 1 - `rate`, and is x / (1 - `rate`)
    then; the others are 0 (Srivastava and others, Dropout, 2014). If `training`
    is false the result is x, bit by bit, and nothing is drawn. Without
    `training` elements are always dropped: an entry for evaluation leaves the
    op out, or passes a flag. The derivative has the same mask.

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
// The host
//===----------------------------------------------------------------------===//

def Train_HostCallOp : Train_Op<"host_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a function of the host with values of the step";
  let description = [{
    Calls function `site` of the program that runs the step, with the values of
    `inputs`, and returns what it returns. `kind` is what messages call it. The
    calls of a step run one after the other, in the order of the program, in
    branches and loops too, on the thread that calls the entry. All of them run
    before the step writes a variable: if one fails, the entry fails, no further
    one runs, and nothing has changed.

    No derivative flows through the results. An object file has no such
    functions, and a GPU cannot call them: both are refused.

    ```mlir
    train.host_call "print" 0(%loss) : (tensor<f32>) -> ()
    %scale = train.host_call "callback" 1(%norm) : (tensor<f32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$kind,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$site,
                       Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $kind $site `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

def Train_StringConstantOp : Train_Op<"string_constant", [Pure]> {
  let summary = "A tensor of given strings";
  let description = [{
    Fills the tensor in row-major order. If there are fewer values than
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
  let summary = "True if strings are equal, element by element";
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

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINOPS
