//===- TrainAttributes.td - Initializers and constraints ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINATTRIBUTES
#define FLYWHEEL_DIALECT_TRAIN_TRAINATTRIBUTES

include "flywheel/Dialect/Train/TrainDialect.td"
include "flywheel/Dialect/Train/TrainInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Train_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Train_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// Parameter `i` in a list of C++.
class Train_Parameter<dag parameters, int i> {
  defvar plain = !getdagarg<string>(parameters, i);
  defvar described = !getdagarg<AttrOrTypeParameter>(parameters, i);
  bit isPlain = !initialized(plain);
  bit isRequired = !if(isPlain, true, !empty(described.defaultValue));
  string type = !if(isPlain, plain, described.cppType);
  string text = "{\\\"" # !getdagname(parameters, i) # "\\\", kParameterKind<"
      # type # ">, " # !if(isRequired, "true", "false") # "}";
}

/// Parses `NAME = VALUE, ...` between `<` and `>` so that errors list the valid
/// names.
class Train_Struct<string attrMnemonic, dag parameters> {
  string format = "`` custom<Parameters>(\"\\\"" # attrMnemonic # "\\\"\", \"{"
      # !interleave(!foreach(i, !range(!size(parameters)),
                             Train_Parameter<parameters, i>.text), ", ")
      # "}\") `` struct(params)";
  /// The format if all of them are optional.
  string optional = "(`<` " # format # "^ `>`)?";
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

class Train_Initializer<string name, string attrMnemonic, list<string> methods = []>
    : Train_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<InitializerAttrInterface, methods>]>;

def Train_ZerosAttr : Train_Initializer<"Zeros", "zeros"> {
  let summary = "Every element 0 (false)";
}

def Train_OnesAttr : Train_Initializer<"Ones", "ones"> {
  let summary = "Every element 1 (true)";
}

def Train_ConstantAttr : Train_Initializer<"Constant", "constant"> {
  let summary = "Given values, in row-major order";
  let description = [{
    Fills the variable in row-major order. If there are fewer values than
    elements, the last value repeats; more values than elements are an error.
    The values are a `dense` of the variable's element type.

    Example: `#train.constant<dense<[1.0, 2.0]> : tensor<2xf32>>` in a
    `tensor<3x2xf32>` is `[[1, 2], [2, 2], [2, 2]]`.
  }];
  let parameters = (ins "::mlir::DenseElementsAttr":$values);
  let assemblyFormat = "`<` `` custom<OnlyParameter>(\"\\\"constant\\\"\", \"kDense\") `` $values `>`";
}

def Train_StringsAttr : Train_Attr<"Strings", "strings"> {
  let summary = "Given strings, in row-major order";
  let description = [{
    The initial value of a variable of strings, filled as `#train.constant` does.

    Example: `#train.strings<["Fruit", "orange"]>`, with `\\00` and the like for
    bytes that do not print.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$values);
  let assemblyFormat = "`<` `` custom<OnlyParameter>(\"\\\"strings\\\"\", \"kStrings\") `` $values `>`";
  let genVerifyDecl = 1;
}

def Train_RandomUniformAttr
    : Train_Initializer<"RandomUniform", "random_uniform", ["getStreamSeed"]> {
  let summary = "Uniform draws from [minval, maxval)";
  let description = [{
    Half-open. Integer variables need integral bounds and an explicit `maxval`.
    Written `#train.random_uniform<minval = 0.0, maxval = 1.0, seed = 7>`; without
    a seed the stream is that of the variable's name.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(0.0)">:$minval,
    OptionalParameter<"std::optional<::flywheel::train::Real>">:$maxval,
    OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = "static int64_t countElementFlops() { return 2; }";
}

def Train_RandomNormalAttr
    : Train_Initializer<"RandomNormal", "random_normal", ["getStreamSeed"]> {
  let summary = "Normal draws";
  let parameters = (ins
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(0.0)">:$mean,
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(1.0)">:$stddev,
    OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = "static int64_t countElementFlops() { return 2; }";
}

def Train_TruncatedNormalAttr
    : Train_Initializer<"TruncatedNormal", "truncated_normal", ["getStreamSeed"]> {
  let summary = "Normal draws, conditioned on mean +- 2 stddev";
  let description = [{
    `stddev` is that of the untruncated normal; the draws have standard
    deviation 0.8796256610 * stddev. Sampled by inverting the truncated
    distribution function, which has the distribution of redrawing.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(0.0)">:$mean,
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(1.0)">:$stddev,
    OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = "static int64_t countElementFlops() { return 2; }";
}

def Train_GlorotUniformAttr
    : Train_Initializer<"GlorotUniform", "glorot_uniform", ["getStreamSeed"]> {
  let summary = "Uniform on (-L, L), L = sqrt(3 / max(1, (fan_in + fan_out) / 2))";
  let description = [{
    Glorot and Bengio, 2010. Fans of a shape: `()` 1, 1; `[n]` n, n; `[a, b]`
    a, b; beyond rank 2 the last two dimensions, each times the product of the
    others. The default of a floating-point variable.
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = "static int64_t countElementFlops() { return 2; }";
}

def Train_HeNormalAttr
    : Train_Initializer<"HeNormal", "he_normal", ["getStreamSeed"]> {
  let summary = "Truncated normal with stddev sqrt(2 / fan_in)";
  let description = [{
    He et al., 2015, as in Keras 2.1: `#train.truncated_normal` with
    stddev = sqrt(2 / max(1, fan_in)). Fans as in `#train.glorot_uniform`.
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
  let extraClassDeclaration = "static int64_t countElementFlops() { return 2; }";
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

class Train_Constraint<string name, string attrMnemonic>
    : Train_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<ConstraintAttrInterface>]>;

class Train_NormConstraint<string name, string attrMnemonic>
    : Train_Constraint<name, attrMnemonic> {
  let genVerifyDecl = 1;
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
}

def Train_NonNegAttr : Train_Constraint<"NonNeg", "non_neg"> {
  let summary = "Elements are not negative";
  let description = [{
    p = max(p, 0), as Keras' `NonNeg`. A NaN stays one.
  }];
}

def Train_MaxNormAttr : Train_NormConstraint<"MaxNorm", "max_norm"> {
  let summary = "Norms along an axis are at most `max`";
  let description = [{
    p = p * min(n, max) / (1e-7 + n), where n is the Euclidean norm along `axis`,
    as Keras' `MaxNorm`. Written `#train.max_norm<max = 2.0, axis = 0>`: these are
    the defaults.

    Example: `[[3, 0.3], [4, 0.4]]` becomes `[[1.2, 0.3], [1.6, 0.4]]`.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(2.0)">:$max,
    DefaultValuedParameter<"int64_t", "0">:$axis);
}

def Train_UnitNormAttr : Train_NormConstraint<"UnitNorm", "unit_norm"> {
  let summary = "Norms along an axis are 1";
  let description = [{
    p = p / (1e-7 + n), where n is the Euclidean norm along `axis` (0 by
    default), as Keras' `UnitNorm`.

    Example: `[[3, 0.3], [4, 0.4]]` becomes `[[0.6, 0.6], [0.8, 0.8]]`.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$axis);
}

def Train_MinMaxNormAttr : Train_NormConstraint<"MinMaxNorm", "min_max_norm"> {
  let summary = "Norms along an axis are between `min` and `max`";
  let description = [{
    p = p * (rate * clip(n, min, max) + (1 - rate) * n) / (1e-7 + n), where n is
    the Euclidean norm along `axis`, as Keras' `MinMaxNorm`. Written
    `#train.min_max_norm<min = 0.0, max = 1.0, rate = 1.0, axis = 0>`: these are
    the defaults. A `rate` below 1 goes only part of the way.

    Example: with min 1 and max 2, `[[3, 0.3], [4, 0.4]]` becomes
    `[[1.2, 0.6], [1.6, 0.8]]`.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(0.0)">:$min,
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(1.0)">:$max,
    DefaultValuedParameter<"::flywheel::train::Real", "::flywheel::train::Real(1.0)">:$rate,
    DefaultValuedParameter<"int64_t", "0">:$axis);
}

def Train_StreamAttr
    : Train_Initializer<"Stream", "stream", ["getStreamSeed"]> {
  let summary = "The start of the draws of a `train.random`";
  let description = [{
    The value of a `tensor<2xi64>`: the key of the op's stream, a function of
    the seed, the op seed and how often the variable was initialised, and the
    number of runs since, 0. `-train-expand-random` declares these variables.
  }];
  let parameters = (ins OptionalParameter<"std::optional<int64_t>">:$seed);
  let assemblyFormat = Train_Struct<mnemonic, parameters>.optional;
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINATTRIBUTES
