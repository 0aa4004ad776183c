//===- TrainDialect.td - The train dialect -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINDIALECT
#define FLYWHEEL_DIALECT_TRAIN_TRAINDIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/DialectBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::flywheel::train";
  let summary = "Variables, gradients and optimizer updates";
  let description = [{
    The state of a training program and what changes it. A variable is a symbol
    of the module; functions read it, assign it and ask for gradients and
    optimizer updates. IR order is program order: a read is a snapshot of the
    variable at that point, an assignment makes the next version.

    Attributes that functions carry:

    * `train.name` (string) on an argument or a result: the name under which
      the caller passes or receives it.
    * `train.variable` (symbol), on an argument after `-train-functionalize-state`:
      the argument is the storage of that variable.
    * `train.result` (i64), likewise: the argument is the destination of that
      result.
    * `train.vjp` (symbol): the derivative rule of the function, in place of
      differentiating its body. The rule is a function from the inputs, and a
      cotangent for each floating-point result, to a cotangent for each
      floating-point input; see `train.custom_vjp`.
    * `train.element_type` (type), on an argument or a result after
      `-train-lower-element-types`: the element type that the caller sees.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::linalg::LinalgDialect"
  ];
  // A custom parser and printer, whose error for an unknown name lists the
  // valid ones.
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 0;
  // The enum below describes each one; DiscardableAttributes.cpp verifies them.
  let discardableAttrs = (ins
    "::mlir::StringAttr":$name,
    "::mlir::ArrayAttr":$dims,
    "::mlir::TypeAttr":$element_type,
    "::mlir::DenseI64ArrayAttr":$dim_sizes,
    "::mlir::ArrayAttr":$dim_size_places,
    "::mlir::FlatSymbolRefAttr":$variable,
    "::mlir::FlatSymbolRefAttr":$is_initialized,
    "::mlir::IntegerAttr":$result,
    "::mlir::UnitAttr":$reads,
    "::mlir::UnitAttr":$writes,
    "::mlir::UnitAttr":$updated,
    "::mlir::UnitAttr":$initialized_value,
    "::mlir::UnitAttr":$workspace,
    "::mlir::FlatSymbolRefAttr":$vjp,
    "::mlir::ArrayAttr":$symbols,
    "::mlir::ArrayAttr":$workspace_slots,
    "::mlir::UnitAttr":$initializer,
    "::mlir::StringAttr":$entry,
    "::mlir::ArrayAttr":$initial_reads,
    "::mlir::ArrayAttr":$initial_values,
    "::mlir::FlatSymbolRefAttr":$snapshot,
    "::mlir::UnitAttr":$in_range,
    "::mlir::UnitAttr":$lazy,
    "::mlir::UnitAttr":$keeps_dim_sizes,
    "::mlir::ArrayAttr":$strings,
    "::mlir::DictionaryAttr":$manifest,
    "::mlir::DictionaryAttr":$compilation);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;

    /// Name of a feed or a fetch, on function arguments and results.
    static constexpr ::llvm::StringLiteral getNameAttrName() {
      return NameAttrHelper::getNameStr();
    }
    /// On a function: the function that is its derivative rule.
    static constexpr ::llvm::StringLiteral getVjpAttrName() {
      return VjpAttrHelper::getNameStr();
    }
    /// On a function argument: a list with a name for each dimension, "" for
    /// one that the program does not name. Dynamic dimension sizes of one name are one
    /// number.
    static constexpr ::llvm::StringLiteral getDimsAttrName() {
      return DimsAttrHelper::getNameStr();
    }
    /// On a module: the description of the model.
    static constexpr ::llvm::StringLiteral getManifestAttrName() {
      return ManifestAttrHelper::getNameStr();
    }
    /// On a module: the last stage of compilation that it has been through, as
    /// `stage`, and the options that its stages were run with, which the other
    /// stages need too.
    static constexpr ::llvm::StringLiteral getCompilationAttrName() {
      return CompilationAttrHelper::getNameStr();
    }
    /// On a function argument: the variable whose storage it is, or the list of
    /// those whose storages it stands for, each a slice of its first dimension.
    static constexpr ::llvm::StringLiteral getVariableAttrName() {
      return VariableAttrHelper::getNameStr();
    }
    /// On a function argument: the variable whose initialised bit it is.
    static constexpr ::llvm::StringLiteral getIsInitializedAttrName() {
      return IsInitializedAttrHelper::getNameStr();
    }
    /// On a variable's argument: the step reads the value from before the step
    /// or, if there is none, the initial value.
    static constexpr ::llvm::StringLiteral getInitializedValueAttrName() {
      return InitializedValueAttrHelper::getNameStr();
    }
    /// On a variable: the variables that its initial value reads, and those
    /// whose value or initial value it takes.
    static constexpr ::llvm::StringLiteral getInitialReadsAttrName() {
      return InitialReadsAttrHelper::getNameStr();
    }
    static constexpr ::llvm::StringLiteral getInitialValuesAttrName() {
      return InitialValuesAttrHelper::getNameStr();
    }
    /// On a function argument: the number of the result it is the destination of.
    static constexpr ::llvm::StringLiteral getResultAttrName() {
      return ResultAttrHelper::getNameStr();
    }
    /// On an argument or a result: the element type that the caller sees, if
    /// the tensor has another one.
    static constexpr ::llvm::StringLiteral getElementTypeAttrName() {
      return ElementTypeAttrHelper::getNameStr();
    }
    /// On a module: the strings that its steps name, which are numbered from 1.
    static constexpr ::llvm::StringLiteral getStringsAttrName() {
      return StringsAttrHelper::getNameStr();
    }
    /// On a variable's argument: the step reads the value from before the step.
    static constexpr ::llvm::StringLiteral getReadsAttrName() {
      return ReadsAttrHelper::getNameStr();
    }
    /// On a function: it initialises variables and says itself, at run time,
    /// which ones. A write under a condition then does not need the old value.
    static constexpr ::llvm::StringLiteral getInitializerAttrName() {
      return InitializerAttrHelper::getNameStr();
    }
    /// On an argument: for each dimension, the number of its symbolic dimension
    /// size, or -1 if it is static.
    static constexpr ::llvm::StringLiteral getDimSizesAttrName() {
      return DimSizesAttrHelper::getNameStr();
    }
    /// On an argument: for each dimension, the place at which the program
    /// requires its symbolic dimension size to be that of another argument;
    /// empty if it is unknown.
    static constexpr ::llvm::StringLiteral getDimSizePlacesAttrName() {
      return DimSizePlacesAttrHelper::getNameStr();
    }
    /// On a function: the names of its symbolic dimension sizes.
    static constexpr ::llvm::StringLiteral getSymbolsAttrName() {
      return SymbolsAttrHelper::getNameStr();
    }
    /// On a variable's argument: its new value comes from an optimizer update.
    static constexpr ::llvm::StringLiteral getUpdatedAttrName() {
      return UpdatedAttrHelper::getNameStr();
    }
    /// On a copy of a variable that the step needs: in a cycle of assignments,
    /// for a loop that starts from the variable, or because the program asks
    /// for it.
    static constexpr ::llvm::StringLiteral getSnapshotAttrName() {
      return SnapshotAttrHelper::getNameStr();
    }
    /// On an op that takes a part of a tensor: it is in range, by the way in
    /// which the compiler made it.
    static constexpr ::llvm::StringLiteral getInRangeAttrName() {
      return InRangeAttrHelper::getNameStr();
    }
    /// On an optimizer update: rows of the parameter that have no gradient stay
    /// as they are.
    static constexpr ::llvm::StringLiteral getLazyAttrName() {
      return LazyAttrHelper::getNameStr();
    }
    /// On a loop: its carried tensors keep their dimension sizes, by the way in which the
    /// compiler made it. Only while gradients are expanded.
    static constexpr ::llvm::StringLiteral getKeepsDimSizesAttrName() {
      return KeepsDimSizesAttrHelper::getNameStr();
    }
    /// On the function of an entry: its name, which tells it from equal ones.
    static constexpr ::llvm::StringLiteral getEntryAttrName() {
      return EntryAttrHelper::getNameStr();
    }
    /// On an argument: the workspace of the step.
    static constexpr ::llvm::StringLiteral getWorkspaceAttrName() {
      return WorkspaceAttrHelper::getNameStr();
    }
    /// On a function: sizes of the buffers of each slot of its workspace.
    static constexpr ::llvm::StringLiteral getWorkspaceSlotsAttrName() {
      return WorkspaceSlotsAttrHelper::getNameStr();
    }
    /// On a variable's argument: the step writes it.
    static constexpr ::llvm::StringLiteral getWritesAttrName() {
      return WritesAttrHelper::getNameStr();
    }
  }];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINDIALECT
