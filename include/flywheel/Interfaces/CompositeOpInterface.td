//===- CompositeOpInterface.td - Ops that are made of others *- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE
#define FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE

include "mlir/IR/OpBase.td"

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let description = [{
    An op that says in one line what a few other ops compute. It has no
    derivative rule and no lowering of its own: `nn-decompose` replaces it
    before gradients are made, and every order of its derivatives is that of
    what it is made of. An op whose derivative must be written in another way to
    be exact or fast is not a composite: it implements DifferentiableOpInterface.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        Emits, at the insertion point of `builder`, what the op computes, and
        returns a value of each result's type.

        Only ops with a derivative rule, and other composites, may be emitted on
        a path that a derivative flows through. Failure means that this instance
        is not supported; a diagnostic has then been emitted at the op's
        location.
      }],
      /*retTy=*/"::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      /*methodName=*/"decompose",
      /*args=*/(ins "::mlir::OpBuilder &":$builder)
    >
  ];
}

#endif // FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE
