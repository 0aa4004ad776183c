//===- LowerableOpInterface.td - Ops with a linalg form ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE
#define FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def LowerableOpInterface : OpInterface<"LowerableOpInterface"> {
  let description = [{
    An op with one result, a tensor, that `convert-nn-to-linalg` replaces by ops
    of `linalg`, `linalg_ext`, `tensor` and `arith`.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        Emits with `emitter` what the op computes and the checks that it needs,
        and replaces the op (`LinalgEmitter::replaceWith`).

        Failure means that this instance has no lowering: then nothing has been
        emitted.
      }],
      /*retTy=*/"::llvm::LogicalResult",
      /*methodName=*/"lowerToLinalg",
      /*args=*/(ins "::flywheel::LinalgEmitter &":$emitter)
    >
  ];
}

#endif // FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE
