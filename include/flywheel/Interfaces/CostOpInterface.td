//===- CostOpInterface.td - What an op costs ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_COSTOPINTERFACE
#define FLYWHEEL_INTERFACES_COSTOPINTERFACE

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let description = [{
    An op that says how many floating-point operations it takes and how many
    bytes it moves, as polynomials over the sizes of dimensions: the table is in
    docs/Guides/CostAndProfile.md. An op without it that does not expand to ops
    with it is listed as unknown.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        The operations that one execution takes: by default one for each element
        of each result. If the op has regions, theirs are included.
      }],
      /*retTy=*/"::flywheel::CostExpr",
      /*methodName=*/"countFlops",
      /*args=*/(ins "::flywheel::CostSizes &":$sizes),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::flywheel::countResultElements($_op, sizes);
      }]
    >,
    InterfaceMethod<[{
        The bytes that one execution reads and writes: by default those of all
        operands and results.
      }],
      /*retTy=*/"::flywheel::CostExpr",
      /*methodName=*/"countBytes",
      /*args=*/(ins "::flywheel::CostSizes &":$sizes),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::flywheel::countAllBytes($_op, sizes);
      }]
    >,
    InterfaceMethod<[{
        Returns true if the results are the memory of the first operand, seen in
        another way: nothing is moved.
      }],
      /*retTy=*/"bool",
      /*methodName=*/"isView",
      /*args=*/(ins),
      /*methodBody=*/"",
      /*defaultImplementation=*/"return false;"
    >
  ];
}

#endif // FLYWHEEL_INTERFACES_COSTOPINTERFACE
