//===- BatchableOpInterface.td - Many of an op at once -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE
#define FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def BatchableOpInterface : OpInterface<"BatchableOpInterface"> {
  let description = [{
    An op that can be emitted for many positions of a new dimension at once.
    Some of its operands, and of the values that its regions use, differ from
    position to position: `Batcher` knows which, and how each is stored.

    Rules emit only ops that have rules themselves, of both interfaces, so that
    batching nests and its result can be differentiated.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        Emits this op for all positions at the insertion point of the batcher's
        builder, and tells the batcher what each result has become. Called where
        at least one input differs between positions; operands that are numbers
        without a derivative (indices, integers, booleans) do not, unless the op
        is elementwise.

        Failure means that this instance has no rule; a diagnostic has then been
        emitted at the op's location.
      }],
      /*retTy=*/"::llvm::LogicalResult",
      /*methodName=*/"emitBatched",
      /*args=*/(ins "::flywheel::Batcher &":$batcher)
    >
  ];
}

#endif // FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE
