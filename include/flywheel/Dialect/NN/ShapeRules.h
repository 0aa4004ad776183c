//===- ShapeRules.h - Shapes of operands and results ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op says its shapes once, in TableGen, as its description does: `a` is
// "... m k", `b` is "... k n" and the result "... m n". The verifier, the
// checks of dynamic sizes, the lowering and the inference of types read that.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_SHAPERULES_H
#define FLYWHEEL_DIALECT_NN_SHAPERULES_H

#include "flywheel/Dialect/Verifiers.h"
#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace flywheel::nn {

/// The shape of an operand or a result, in order of dimensions: names of sizes,
/// of which equal ones are equal sizes, and groups of any number of dimensions,
/// a name with "..." behind it or "..." alone. A name with ">0" behind it is
/// the size of an axis that has elements.
struct ShapeTerm {
  /// The name of the operand or result, for errors.
  llvm::StringRef name;
  llvm::StringRef dims;
};

/// The shapes of an op.
struct ShapeRule {
  llvm::SmallVector<ShapeTerm> operands, results;
  /// The number of dimensions of the group `before...`: the op's `axis`.
  std::optional<int64_t> axis;
};

/// The sizes that an op's rule has names for.
class NamedSizes {
public:
  /// Matches operands, of which those that are left out are null, with a rule.
  /// Fails with an error if ranks or static sizes contradict it.
  static mlir::FailureOr<NamedSizes> match(const ShapeRule &rule,
                                           llvm::ArrayRef<mlir::Value> operands,
                                           OpErrors errors);

  /// Returns the shape of a result. A size is static if an operand has it.
  llvm::SmallVector<int64_t> getResultShape(unsigned result) const;
  /// Returns the operand's dimension that has the size of one of a result.
  DimSizeSource getSource(unsigned result, int64_t dim) const;
  /// Reports the sizes that have one name.
  void relate(SizeRelationSink &sink) const;

private:
  /// A name and, in a group, the number of the dimension.
  using Key = std::pair<llvm::StringRef, int64_t>;
  static bool isNonEmpty(Key key) { return key.first.ends_with(">0"); }
  struct Place {
    mlir::Value value;
    int64_t dim;
    llvm::StringRef name;
  };
  struct Size {
    Key key;
    llvm::SmallVector<Place, 2> places;
    /// The place that the static size is from, if there is one.
    unsigned known = 0;

    int64_t getNumber() const;
  };

  mlir::FailureOr<llvm::SmallVector<Key>>
  expand(ShapeTerm term, mlir::Value operand, OpErrors errors);
  llvm::LogicalResult add(Key key, Place place, OpErrors errors);
  /// Returns the number of the size of that name, or the number of all sizes.
  size_t find(Key key) const;

  std::optional<int64_t> axis;
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> groups;
  llvm::SmallVector<Size> sizes;
  llvm::SmallVector<std::pair<Place, Place>> relations;
  llvm::SmallVector<llvm::SmallVector<Key>> results;
};

/// Returns the operands that a rule is about, or null for one that is left out,
/// of an op or its adaptor.
template <typename OpTy>
llvm::SmallVector<mlir::Value> getRuleOperands(OpTy op, const ShapeRule &rule) {
  llvm::SmallVector<mlir::Value> operands;
  for (unsigned number = 0; number < rule.operands.size(); ++number) {
    auto range = op.getODSOperands(number);
    operands.push_back(range.empty() ? mlir::Value() : *range.begin());
  }
  return operands;
}

/// Matches an op or its adaptor with the op's rule.
template <typename OpTy>
mlir::FailureOr<NamedSizes> matchShapes(OpTy op, const ShapeRule &rule,
                                        OpErrors errors) {
  return NamedSizes::match(rule, getRuleOperands(op, rule), errors);
}

/// Reports what the rule of a verified op says of its operands.
template <typename OpTy> void relateShapes(OpTy op, SizeRelationSink &sink) {
  mlir::FailureOr<NamedSizes> sizes =
      matchShapes(op, OpTy::getShapeRule(op), op);
  if (succeeded(sizes))
    sizes->relate(sink);
}

/// Returns the dimension of an operand that has the size of dimension `dim` of
/// the first result.
template <typename OpTy> DimSizeSource findShapeSource(OpTy op, int64_t dim) {
  mlir::FailureOr<NamedSizes> sizes =
      matchShapes(op, OpTy::getShapeRule(op), op);
  return succeeded(sizes) ? sizes->getSource(0, dim) : DimSizeSource();
}

/// Checks the declared types of results against the shapes of the inferred
/// ones.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op,
                                        llvm::ArrayRef<mlir::Type> inferred);

/// Returns true if `count` operands are as many as the op has, or may be.
template <typename OpTy, size_t N>
constexpr bool mayHaveOperands(size_t count) {
  if constexpr (OpTy::template hasTrait<
                    mlir::OpTrait::NOperands<N>::template Impl>())
    return count == N;
  else if constexpr (OpTy::template hasTrait<
                         mlir::OpTrait::AtLeastNOperands<N>::template Impl>())
    return count >= N;
  else if constexpr (N < 8)
    return mayHaveOperands<OpTy, N + 1>(count);
  else if constexpr (OpTy::template hasTrait<mlir::OpTrait::OneOperand>())
    return count == 1;
  return true;
}

/// Infers the types of results from what a program that builds an op has.
/// Without a location, no error is reported.
template <typename OpTy>
llvm::LogicalResult inferResultTypes(mlir::MLIRContext *context,
                                     std::optional<mlir::Location> location,
                                     typename OpTy::Adaptor adaptor,
                                     llvm::SmallVectorImpl<mlir::Type> &types) {
  std::optional<mlir::ScopedDiagnosticHandler> silence;
  if (!location)
    silence.emplace(context, [](mlir::Diagnostic &) {});
  mlir::Location place = location.value_or(mlir::UnknownLoc::get(context));
  if (!mayHaveOperands<OpTy, 2>(adaptor.getOperands().size()))
    return OpErrors(place, OpTy::getOperationName()).emitOpError()
           << "expected another number of operands, found "
           << adaptor.getOperands().size();
  if constexpr (OpTy::template hasTrait<
                    mlir::OpTrait::AttrSizedOperandSegments>()) {
    size_t sum = 0;
    for (int32_t size : adaptor.getProperties().operandSegmentSizes)
      sum += size;
    if (sum != adaptor.getOperands().size())
      return OpErrors(place, OpTy::getOperationName()).emitOpError()
             << "expected " << sum << " operands, as its segments say, found "
             << adaptor.getOperands().size();
  }
  if (failed(adaptor.verify(place)))
    return llvm::failure();
  for (mlir::Value operand : adaptor.getOperands())
    if (!llvm::isa<mlir::RankedTensorType>(operand.getType()))
      return llvm::failure();
  return OpTy::inferTypes(adaptor, OpErrors(place, OpTy::getOperationName()),
                          types);
}

/// An op whose function `inferTypes` says the types of its results. Declared
/// types may be more or less static.
template <typename ConcreteType>
class InferredTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, InferredTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    llvm::SmallVector<mlir::Type> types;
    typename ConcreteType::Adaptor adaptor(llvm::cast<ConcreteType>(op));
    if (failed(ConcreteType::inferTypes(adaptor, op, types)))
      return llvm::failure();
    return verifyInferredTypes(op, types);
  }
};

/// An op whose function `inferTypes` says the types that its results have
/// unless declared otherwise.
template <typename ConcreteType>
class DefaultTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, DefaultTypes> {};

/// The functions of these are generated: see NNBase.td.
template <typename ConcreteType>
class FlopsEach : public mlir::OpTrait::TraitBase<ConcreteType, FlopsEach> {};
template <typename ConcreteType>
class BatchedByCall
    : public mlir::OpTrait::TraitBase<ConcreteType, BatchedByCall> {};

/// Checks that all operands and results have one element type.
llvm::LogicalResult verifySameElementType(mlir::Operation *op);

template <typename ConcreteType>
class OneElementType
    : public mlir::OpTrait::TraitBase<ConcreteType, OneElementType> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameElementType(op);
  }
};

/// An op with a rule for the shapes of its operands alone.
template <typename ConcreteType>
class RelatedShapes
    : public mlir::OpTrait::TraitBase<ConcreteType, RelatedShapes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    auto concrete = llvm::cast<ConcreteType>(op);
    return matchShapes(concrete, ConcreteType::getShapeRule(concrete), op);
  }
};

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_SHAPERULES_H
