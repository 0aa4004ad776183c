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

/// Every op is pure. Its declared result type may be more or less static than
/// operands and attributes imply, but must not contradict them.
class NN_PureOp<string opMnemonic, list<Trait> traits>
    : Op<NN_Dialect, opMnemonic, !listconcat([Pure], traits)>;

/// An op with a lowering and a cost of its own.
class NN_Op<string opMnemonic, list<Trait> traits = []>
    : NN_PureOp<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<LowerableOpInterface>, NN_Cost], traits)>;

/// An op with a derivative rule and a batching rule of its own, too.
class NN_DifferentiableOp<string opMnemonic, list<Trait> traits = []>
    : NN_Op<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<DifferentiableOpInterface>, NN_Batchable],
        traits)>;

/// An op that is decomposed to others: see CompositeOpInterface. Its cost is
/// theirs, unless it has CostOpInterface too.
class NN_CompositeOp<string opMnemonic, list<Trait> traits = []>
    : NN_PureOp<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<CompositeOpInterface>], traits)>;

def NN_FloatTensor : RankedTensorOf<[AnyFloat]>;
def NN_NumberTensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def NN_IntTensor : RankedTensorOf<[AnySignlessInteger]>;

#endif // FLYWHEEL_DIALECT_NN_NNBASE
