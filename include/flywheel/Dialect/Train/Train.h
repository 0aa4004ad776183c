//===- Train.h - The train dialect ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAIN_H
#define FLYWHEEL_DIALECT_TRAIN_TRAIN_H

#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

#include <optional>

namespace flywheel::train {

/// The resource of effects on variables.
struct VariableResource
    : public mlir::SideEffects::Resource::Base<VariableResource> {
  llvm::StringRef getName() final { return "<Variable>"; }
};

/// A double as a parameter of an attribute: with the hash that uniquing needs.
struct Real {
  Real() = default;
  Real(double value) : value(value) {}
  operator double() const { return value; }
  /// Bitwise, as uniquing needs: -0.0 is not 0.0.
  bool operator==(Real other) const {
    return llvm::bit_cast<uint64_t>(value) ==
           llvm::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(Real real) {
    return llvm::hash_value(llvm::bit_cast<uint64_t>(real.value));
  }
  /// Prints text that parses back to the same bits.
  friend mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, Real real) {
    real.print(printer.getStream());
    return printer;
  }
  friend mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                                      std::optional<Real> real) {
    return printer << real.value_or(Real());
  }
  void print(llvm::raw_ostream &os) const;

  double value = 0.0;
};

/// The part of a scalar variable in a step.
enum class ScalarRole {
  /// A number that only the optimizer itself reads.
  Number,
  /// The learning rate, which a schedule assigns.
  Rate,
  /// The factor by which the rate decays in each step.
  Decay,
  /// A 64-bit counter, of steps where it is an optimizer's.
  Counter,
};

/// A scalar variable that an optimizer shares between its parameters.
struct ScalarVariableSpec {
  /// Name, unique within the optimizer (`lr`).
  llvm::StringRef name;
  ScalarRole role = ScalarRole::Number;
  double initialValue = 0.0;

  /// True for a 64-bit counter; others are numbers of the optimizer's floating
  /// type.
  bool isCounter() const { return role == ScalarRole::Counter; }
};

/// A number in the text of an optimizer or a schedule.
struct NamedNumber {
  /// Name of the parameter (`epsilon`).
  llvm::StringRef name;
  double value = 0.0;
  /// True if it must be below 1 in every type, too.
  bool isFraction = false;
};

/// The numbers that the scale of a loss may have.
struct ScaleRange {
  double smallest, largest;
};

/// Returns the range of scales that, like their inverses, are normal numbers of
/// f32 and of `lossType`, a floating-point type, or null if it is unknown.
/// Denormal numbers count as 0 in steps.
ScaleRange getScaleRange(mlir::Type lossType);

/// A variable that an optimizer keeps for a parameter.
struct SlotSpec {
  double initialValue = 0.0;
  /// Null for the parameter's type.
  mlir::RankedTensorType type = {};
  /// True if every step leaves it above 0, given its initial value.
  bool staysPositive = false;
};

/// Emits a `train.update` of one parameter by `optimizer`, and returns its
/// results. The values of the step are cast to the type that the rule is
/// computed in.
llvm::SmallVector<mlir::Value>
buildUpdate(mlir::OpBuilder &builder, mlir::Location loc,
            mlir::Attribute optimizer, mlir::Value parameter,
            mlir::ValueRange slots, mlir::Value gradient,
            mlir::ValueRange stepValues);

/// Selects `master` if it rounds to `rounded`, of a narrower type, and
/// `rounded` otherwise, for elements or tensors of one shape.
mlir::Value selectMaster(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value master, mlir::Value rounded);

/// Returns true if the rule of `update`, an op with
/// `OptimizerUpdateOpInterface`, returns an element of the state unchanged
/// where the gradient is 0.
bool leavesState(mlir::Operation *update);

/// Returns the type of elements of that type in memory: the signless integer of
/// its width for an unsigned integer, its number (i64) for a string, and the
/// type itself for all others.
mlir::Type getStorageElementType(mlir::Type elementType);
/// The same for a tensor.
mlir::RankedTensorType getStorageType(mlir::RankedTensorType type);

/// Checks that `count` values fill a tensor of `type` by the fill rule: the
/// last one repeats, and none is left over.
llvm::LogicalResult
verifyFill(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           int64_t count, mlir::RankedTensorType type);

/// The type of a derivative rule for a computation from `inputs` to `results`:
/// from the inputs, and a cotangent for each floating-point result, to a
/// cotangent for each floating-point input.
mlir::FunctionType getVjpType(mlir::MLIRContext *context,
                              mlir::TypeRange inputs, mlir::TypeRange results);

/// Fans of a weight of this shape, as Keras and TF count them: `()` 1, 1; `[n]`
/// n, n; `[a, b]` a, b; beyond rank 2 the last two dimension sizes, each times
/// the product of the others.
std::pair<double, double> computeFans(llvm::ArrayRef<int64_t> shape);

} // namespace flywheel::train

#include "flywheel/Dialect/Train/TrainDialect.h.inc"
#include "flywheel/Dialect/Train/TrainEnums.h.inc"

#include "flywheel/Dialect/Train/TrainAttrInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "flywheel/Dialect/Train/TrainTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/Train/TrainAttributes.h.inc"

#include "flywheel/Dialect/Train/TrainOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "flywheel/Dialect/Train/TrainOps.h.inc"

#endif // FLYWHEEL_DIALECT_TRAIN_TRAIN_H
