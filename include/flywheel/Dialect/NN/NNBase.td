//===- NNBase.td - What the ops of the nn dialect share ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNBASE
#define FLYWHEEL_DIALECT_NN_NNBASE

include "flywheel/Dialect/NN/NNDialect.td"
include "flywheel/Interfaces/BatchableOpInterface.td"
include "flywheel/Interfaces/CompositeOpInterface.td"
include "flywheel/Interfaces/CostOpInterface.td"
include "flywheel/Interfaces/DifferentiableOpInterface.td"
include "flywheel/Interfaces/LowerableOpInterface.td"
include "flywheel/Interfaces/SizeOpInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op that declares one of these defines it in its file in
/// lib/Dialect/NN/Ops.
defvar NN_Batchable = DeclareOpInterfaceMethods<BatchableOpInterface>;
defvar NN_Cost = DeclareOpInterfaceMethods<CostOpInterface, ["countFlops"]>;
defvar NN_DimSizeSource = DeclareOpInterfaceMethods<DimSizeSourceOpInterface>;
defvar NN_SizeRelations = DeclareOpInterfaceMethods<SizeRelationsOpInterface>;

/// The shape of one operand or result, as ShapeRules.h reads it: "a: ... m k".
class NN_Shape<string text> {
  defvar colon = !find(text, ":");
  string name = "\"" # !substr(text, 0, colon) # "\"";
  string dims = "\"" # !substr(text, !add(colon, 1)) # "\"";
}

/// The same of an op with an attribute by which the shape is another one:
/// `condition` is a C++ expression on the op `op`.
class NN_ShapeIf<string condition, string text, string otherwise>
    : NN_Shape<text> {
  let dims = condition # " ? " # NN_Shape<text>.dims # " : "
      # NN_Shape<otherwise>.dims;
}

/// The names of the loss of each row and of all of them.
class NN_LossShape<string dims>
    : NN_ShapeIf<"op.getReduction() == ::flywheel::nn::LossReduction::none",
                 "result: " # dims, "result:">;

/// A trait in C++ of ShapeRules.h, with declarations and definitions that an op
/// with it has.
class NN_NativeTrait<string name, code declarations, code definitions>
    : NativeOpTrait<name, [], declarations, definitions> {
  let cppNamespace = "::flywheel::nn";
}

defvar NN_InferDeclarations = [{
  /// Infers the types of the results of an op or of one in the making.
  static ::llvm::LogicalResult
  inferTypes(Adaptor op, ::flywheel::OpErrors errors,
             ::llvm::SmallVectorImpl<::mlir::Type> &types);
  /// Accepts the declared types: the verifier of the op has compared them.
  static ::llvm::LogicalResult
  refineReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                    ::mlir::ValueRange, ::mlir::DictionaryAttr,
                    ::mlir::OpaqueProperties, ::mlir::RegionRange,
                    ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::mlir::success();
  }
}];

defvar NN_InferDefinitions = [{
  ::llvm::LogicalResult $cppClass::inferReturnTypes(
      ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
      ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
      ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
      ::llvm::SmallVectorImpl<::mlir::Type> &types) {
    return ::flywheel::nn::inferResultTypes<$cppClass>(
        context, location,
        Adaptor(operands, attributes, properties, regions), types);
  }
}];

/// An op whose operands and results have one element type.
def NN_OneElementType : NN_NativeTrait<"OneElementType", "", "">;

/// An op that infers the types of its results by a function `inferTypes` of
/// its own.
def NN_Infers : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NN_NativeTrait<"InferredTypes", NN_InferDeclarations, NN_InferDefinitions>]>;

/// The same of an op whose results may have other types than the inferred ones.
def NN_InfersDefault : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NN_NativeTrait<"DefaultTypes", NN_InferDeclarations, NN_InferDefinitions>]>;

/// The C++ list of the names and dimensions of shapes.
class NN_ShapeList<list<NN_Shape> shapes> {
  string text = !strconcat("{", !interleave(!foreach(shape, shapes,
      !strconcat("{", shape.name, ", ", shape.dims, "}")), ", "), "}");
}

/// The C++ function that returns the shapes of an op.
class NN_RuleDeclarations<list<NN_Shape> operands, list<NN_Shape> results, string axis> {
  code text = !strconcat([{
  /// Returns the shapes of an op or its adaptor.
  template <typename OpTy>
  static ::flywheel::nn::ShapeRule getShapeRule([[maybe_unused]] OpTy op) {
    return }], "{", NN_ShapeList<operands>.text, ", ", NN_ShapeList<results>.text, ", ",
    !if(!empty(axis), "::std::nullopt", !strconcat("static_cast<int64_t>(", axis, ")")), [{};
  }
  }]);
}

defvar NN_RelateDefinitions = [{
  void $cppClass::relateSizes(::flywheel::SizeRelationSink &sizes) {
    ::flywheel::nn::relateShapes(*this, sizes);
  }
}];

/// An op with a rule for the shapes of its operands alone.
class NN_OperandShapes<list<NN_Shape> operands> : TraitList<[
  NN_SizeRelations,
  NN_NativeTrait<"RelatedShapes", NN_RuleDeclarations<operands, [], "">.text,
                 NN_RelateDefinitions>]>;

defvar NN_FirstElement = "::mlir::getElementTypeOrSelf(op.getODSOperands(0).front())";

/// f32 for an operand of 16 bits.
defvar NN_ComputeElement =
    "getComputeType(::mlir::getElementTypeOrSelf(op.getODSOperands(0).front()))";

/// An op with a rule for the shapes of all its operands and results, in which
/// the group `before...` has `axis` dimensions. `elements` are C++ expressions
/// for the element types of the results; by default the first operand's.
class NN_Shapes<list<NN_Shape> operands, list<NN_Shape> results,
                string axis = "", list<string> elements = [NN_FirstElement]>
    : TraitList<[
  NN_DimSizeSource, NN_SizeRelations,
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NN_NativeTrait<"InferredTypes",
    !strconcat(NN_RuleDeclarations<operands, results, axis>.text, NN_InferDeclarations),
    !strconcat(NN_InferDefinitions, NN_RelateDefinitions, [{
  ::flywheel::DimSizeSource $cppClass::getDimSizeSource(int64_t dim) {
    return ::flywheel::nn::findShapeSource(*this, dim);
  }

  ::llvm::LogicalResult
  $cppClass::inferTypes(Adaptor op, ::flywheel::OpErrors errors,
                        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
    ::mlir::FailureOr<::flywheel::nn::NamedSizes> sizes =
        ::flywheel::nn::matchShapes(op, getShapeRule(op), errors);
    if (failed(sizes))
      return ::mlir::failure();
    ::mlir::Type elements[] = }], "{", !interleave(elements, ", "), "}", [{;
    for (auto [number, type] : ::llvm::enumerate(elements))
      types.push_back(::mlir::RankedTensorType::get(
          sizes->getResultShape(number), type));
    return ::mlir::success();
  }
    }])>]>;

/// The same of an op that works along its attribute `axis`.
class NN_AxisShapes<list<string> operands, string result,
                    list<string> elements = [NN_FirstElement]>
    : NN_Shapes<!foreach(text, operands, NN_Shape<text>), [NN_Shape<result>],
                "op.getAxis()", elements>;

/// Every op is pure. Its declared result type may be more or less static than
/// operands and attributes imply, but must not contradict them.
class NN_PureOp<string opMnemonic, list<Trait> traits>
    : Op<NN_Dialect, opMnemonic, !listconcat([Pure], traits)>;

/// An op with that number of floating-point operations for each element of its
/// results.
class NN_FlopsEach<int number> : TraitList<!if(!eq(number, 1), [CostOpInterface], [
  NN_Cost, NN_NativeTrait<"FlopsEach", "", !strconcat([{
  ::flywheel::CostExpr
  $cppClass::countFlops([[maybe_unused]] ::flywheel::CostSizes &sizes) {
    return }], !if(!eq(number, 0), "::flywheel::CostExpr()", !strconcat(
      "::flywheel::countResultElements(*this, sizes) * ::flywheel::CostExpr::constant(",
      !cast<string>(number), ")")), [{;
  }
  }])>])>;

/// An op that is batched by one call, on `batcher` and the op.
class NN_BatchedBy<string call> : NN_NativeTrait<"BatchedByCall", "", !strconcat([{
  ::llvm::LogicalResult $cppClass::emitBatched(::flywheel::Batcher &batcher) {
    return }], call, [{;
  }
}])>;

/// The positions of a batch are one more leading dimension.
def NN_BatchedDense : NN_BatchedBy<"batcher.emitDense(*this)">;

/// An op on each element by itself, which maps 0 to 0 or does not.
class NN_BatchedElementwise<bit keepsZero>
    : NN_BatchedBy<!strconcat("batcher.emitElementwise(*this, /*keepsZero=*/",
                              !if(keepsZero, "true", "false"), ")")>;

/// An op along `axis` that acts on each index of the other dimensions by itself.
class NN_BatchedAlongAxis<string keepsZero>
    : NN_BatchedBy<!strconcat("batchAlongAxis(*this, batcher, /*keepsZero=*/",
                              keepsZero, ")")>;

/// An op on each image by itself that is linear in operand `linear`. Nothing but
/// the shape of `like` is used.
class NN_BatchedImages<int linear = 0, string like = "::mlir::Value()">
    : NN_BatchedBy<!strconcat("batchImages(*this, batcher, /*linear=*/",
                              !cast<string>(linear), ", ", like, ")")>;

/// An op with a lowering. Its cost is its own, unless NN_FlopsEach says it.
class NN_Op<string opMnemonic, list<Trait> traits = [], Trait cost = NN_Cost>
    : NN_PureOp<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<LowerableOpInterface>, cost], traits)>;

/// An op with a derivative rule and a batching rule, too.
class NN_DifferentiableOp<string opMnemonic, list<Trait> traits = [],
                          Trait cost = NN_Cost>
    : NN_Op<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<DifferentiableOpInterface>, NN_Batchable],
        traits), cost>;

/// An op that is decomposed to others: see CompositeOpInterface. Its cost is
/// theirs, unless it has CostOpInterface too.
class NN_CompositeOp<string opMnemonic, list<Trait> traits = []>
    : NN_PureOp<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<CompositeOpInterface>], traits)>;

def NN_FloatTensor : RankedTensorOf<[AnyFloat]>;
def NN_NumberTensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def NN_IntTensor : RankedTensorOf<[AnySignlessInteger]>;

#endif // FLYWHEEL_DIALECT_NN_NNBASE
