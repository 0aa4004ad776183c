//===- TrainInterfaces.td - Interfaces of the train dialect *- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAININTERFACES
#define FLYWHEEL_DIALECT_TRAIN_TRAININTERFACES

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def InitializerAttrInterface : AttrInterface<"InitializerAttrInterface"> {
  let description = [{
    An initial value of a variable, as a recipe. Evaluated element by element,
    so the same recipe gives the same bits on every target.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<"Checks that a variable of `type` can start from this recipe.",
      "::llvm::LogicalResult", "verifyInitializer",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<[{
        Emits the element at row-major position `index` (an i64 value) of a
        variable of `type`. `key` (i64) identifies the random stream of this
        variable in this run of the initializer: draws are a function of
        (key, index) alone.
        The element is of the type that stores the variable's.
      }],
      "::mlir::Value", "buildElement",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::RankedTensorType":$type, "::mlir::Value":$index,
           "::mlir::Value":$key)>,
    InterfaceMethod<[{
        The op seed of the random stream; none where the recipe draws nothing or
        where the stream is keyed by the variable's name.
      }],
      "std::optional<int64_t>", "getStreamSeed", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return std::nullopt;">,
    InterfaceMethod<[{
        The floating-point operations that a cost counts for an element: of a
        draw, the product and the sum that give it its scale and its mean.
      }],
      "int64_t", "countElementFlops", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return 0;">,
  ];
}

def ConstraintAttrInterface : AttrInterface<"ConstraintAttrInterface"> {
  let description = [{
    A projection that an optimizer applies to the new value of a parameter right
    before it is stored. It is either element by element, or it scales the
    elements along an axis by a factor that their Euclidean norm gives. f16 and
    bf16 are projected in f32 and rounded once.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<"Checks that a variable of `type` can have this constraint.",
      "::llvm::LogicalResult", "verifyConstraint",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<[{
        The axis along which norms are taken; none where the projection is
        element by element.
      }],
      "std::optional<int64_t>", "getNormAxis", (ins)>,
    InterfaceMethod<[{
        Without an axis, `value` is an element and the result its projection.
        With one, `value` is a norm and the result the factor of the elements
        that have it. Scalars of one type, f32 or f64.
      }],
      "::mlir::Value", "buildProjection",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$value)>,
  ];
}

def ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let description = [{
    A rate of learning as a function of the step, in ordinary ops: nothing is
    compiled again when the rate changes.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<[{
        Emits the rate of step `step`, the number of steps before it: a tensor
        of rank 0 of i32 or i64. The rate is of rank 0 and of f64: f32 has not
        every number of steps.
      }],
      "::mlir::Value", "buildRate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$step)>,
    InterfaceMethod<[{
        The rates that it starts at, reaches or ends at, by name, to be checked as
        those of an optimizer.
      }],
      "::llvm::SmallVector<::flywheel::train::NamedNumber>", "getNumbers",
      (ins)>,
  ];
}

def OptimizerAttrInterface : AttrInterface<"OptimizerAttrInterface"> {
  let description = [{
    An optimizer of `train.minimize`: its hyper-parameters, and how one step of
    it is expressed with variables. The pass `-train-expand-optimizers` asks
    this interface and knows no optimizer by name.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<"Name of the optimizer: prefix of its variables (`SGD`).",
      "::llvm::StringRef", "getOptimizerName", (ins)>,
    InterfaceMethod<[{
        The name that the program gives it, or null: prefix of its variables in
        place of the other. Optimizers of one name are one.
      }],
      "::mlir::StringAttr", "getGivenName", (ins),
      /*methodBody=*/"return $_attr.getName();">,
    InterfaceMethod<[{
        The scalar variables of the optimizer, shared by all its parameters:
        hyper-parameters that may change between steps, and counters.
      }],
      "::llvm::SmallVector<::flywheel::train::ScalarVariableSpec>",
      "getScalarVariables", (ins)>,
    InterfaceMethod<[{
        The numbers that it is written with, by name. `-train-expand-optimizers`
        refuses one that is another in a type in which it is used.
      }],
      "::llvm::SmallVector<::flywheel::train::NamedNumber>", "getNumbers",
      (ins)>,
    InterfaceMethod<"The slots that a parameter of type `parameter` owns.",
      "::llvm::SmallVector<::flywheel::train::SlotSpec>", "getSlots",
      (ins "::mlir::RankedTensorType":$parameter)>,
    InterfaceMethod<[{
        Emits what is computed once a step, before any parameter: for example a
        bias-corrected rate. `scalars` are the values of the scalar variables
        (rank-0 tensors), in the order of `getScalarVariables`. Appends the
        rank-0 tensors that `buildParameterUpdate` takes to `stepValues`, and
        sets `newScalars[i]` for each scalar variable that the step changes.
      }],
      "void", "buildStep",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$scalars,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$stepValues,
           "::llvm::MutableArrayRef<::mlir::Value>":$newScalars)>,
    InterfaceMethod<[{
        Emits the update of one parameter and returns the new parameter, then
        the new slots in the order of `getSlots`. By default that is a
        `train.update`, which needs the rule of
        `ElementwiseOptimizerAttrInterface`; an optimizer whose rule is about
        whole tensors emits what it computes.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildParameterUpdate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::Value":$parameter, "::mlir::ValueRange":$slots,
           "::mlir::Value":$gradient, "::mlir::ValueRange":$stepValues),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return ::flywheel::train::buildUpdate(builder, loc, $_attr, parameter,
                                              slots, gradient, stepValues);
      }]>,
    InterfaceMethod<[{
        Returns true if a variable of `var_list` that the loss does not depend
        on is an error, as it is in Keras. In tf.train it is left alone.
      }],
      "bool", "refusesUnconnected", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
  ];
}

def ElementwiseOptimizerAttrInterface
    : AttrInterface<"ElementwiseOptimizerAttrInterface"> {
  let description = [{
    An optimizer that updates each element of a parameter and its slots by the
    same rule, from that element of them and of the gradient. It has
    `OptimizerAttrInterface` too, and slots of the parameter's type.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<"How many values `buildStep` appends to `stepValues`.",
      "unsigned", "getNumStepValues", (ins)>,
    InterfaceMethod<[{
        Emits the rule for one element: from the parameter and its slots
        (`state`), the gradient and the values of the step, to the new parameter
        and slots. All of them are numbers of one floating-point type: f32 where
        the parameter is of f16 or bf16, otherwise its own.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildElementUpdate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$state, "::mlir::Value":$gradient,
           "::mlir::ValueRange":$stepValues)>,
  ];
}

def OptimizerUpdateOpInterface : OpInterface<"OptimizerUpdateOpInterface"> {
  let description = [{
    An update rule in value semantics: (parameter, slots, gradient, scalars) to
    (new parameter, new slots), element by element. Lowers to one
    destination-style `linalg.generic` whose destinations are the parameter and
    its slots.
  }];
  let cppNamespace = "::flywheel::train";
  let methods = [
    InterfaceMethod<"The parameter and its slots: operands that the results replace.",
      "::mlir::OperandRange", "getState", (ins)>,
    InterfaceMethod<"The gradient of the parameter.",
      "::mlir::Value", "getGradientOperand", (ins)>,
    InterfaceMethod<"Rank-0 tensors that every element uses.",
      "::mlir::OperandRange", "getScalars", (ins)>,
    InterfaceMethod<[{
        Emits the rule for one element and returns the new elements of the
        state, in order. `state` and `gradient` are elements of those operands,
        `scalars` the elements of `getScalars`, which are f32 where the
        parameter is of f16 or bf16: it computes in f32, and rounds once.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildElementUpdate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$state, "::mlir::Value":$gradient,
           "::mlir::ValueRange":$scalars)>,
    InterfaceMethod<[{
        Returns true if an element whose gradient is 0 keeps its state, whatever
        it is: rows of a table that have no gradient need no update then. By
        default that is found from the rule: sums, products and quotients of 0
        are followed through it. Every other number counts as finite; a quotient
        of 0 is 0 if the divisor is known to be positive.
      }],
      "bool", "leavesStateWithoutGradient", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return ::flywheel::train::leavesState($_op);
      }]>,
  ];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAININTERFACES
