//===- DifferentiableOpInterface.td - Reverse-mode rules ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE
#define FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An op with a vector-Jacobian product (VJP). Rules emit only ops that
    implement this interface themselves (or that carry no derivative, such as
    integer ops), so that differentiation nests.

    The inputs of an op are its operands and, if `differentiatesCaptures`, the
    values from above that its regions use and that can carry a derivative, in
    the order of `getDifferentiableCaptures`.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        Emits, at the insertion point of `builder`, the cotangents of this op's
        inputs.

        `resultCotangents` has one entry a result: a value of the result's
        type, or a null value where the objective does not depend on that
        result. `inputCotangents` arrives with one null value an input and
        leaves with a value of the input's type for each input `i` with
        `needed[i]` that a derivative flows to. A null entry on return is an
        exact zero. Values of the forward computation (inputs and results of
        this op) may be used freely.

        Failure means that this instance has no derivative; a diagnostic has
        then been emitted at the op's location.
      }],
      /*retTy=*/"::llvm::LogicalResult",
      /*methodName=*/"emitVjp",
      /*args=*/(ins "::mlir::OpBuilder &":$builder,
                    "::llvm::ArrayRef<::mlir::Value>":$resultCotangents,
                    "::llvm::ArrayRef<bool>":$needed,
                    "::llvm::MutableArrayRef<::mlir::Value>":$inputCotangents)
    >,
    InterfaceMethod<[{
        Returns true if a derivative can flow to operand `operandNumber`; false
        if the results are locally constant in it, as for `math.floor`, or use
        nothing but its shape: then no gradient code is made for the values that
        the operand is computed from, and `needed` is false in `emitVjp`.
      }],
      /*retTy=*/"bool",
      /*methodName=*/"hasDerivative",
      /*args=*/(ins "unsigned":$operandNumber),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return true;">,
    InterfaceMethod<[{
        Returns true if the rule gives cotangents of the values that the op's
        regions capture. If it does not, a differentiated capture is an error.
      }],
      /*retTy=*/"bool",
      /*methodName=*/"differentiatesCaptures",
      /*args=*/(ins),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return false;">
  ];
}

#endif // FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE
