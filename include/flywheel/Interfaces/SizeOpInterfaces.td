//===- SizeOpInterfaces.td - What ops know of sizes --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_SIZEOPINTERFACES
#define FLYWHEEL_INTERFACES_SIZEOPINTERFACES

include "mlir/IR/OpBase.td"

def DimSizeSourceOpInterface : OpInterface<"DimSizeSourceOpInterface"> {
  let description = [{
    An op some of whose first result's dimension sizes are those of operands.
    Ops with the trait `SameOperandsAndResultType` need not implement it: see
    `findDimSizeSource`.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        The dimension of an operand that dimension `dim` of the first result is
        equal to, or nothing where there is none.
      }],
      /*retTy=*/"::flywheel::DimSizeSource",
      /*methodName=*/"getDimSizeSource",
      /*args=*/(ins "int64_t":$dim)
    >,
    InterfaceMethod<[{
        The number that dimension `dim` of the first result is of a dimension of
        an operand, or nothing where there is none.
      }],
      /*retTy=*/"::flywheel::DimSizeFormula",
      /*methodName=*/"getDimSizeFormula",
      /*args=*/(ins "int64_t":$dim),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{
        ::flywheel::DimSizeSource source = $_op.getDimSizeSource(dim);
        return {source.value, source.dim, ::mlir::AffineExpr()};
      }]
    >
  ];
}

def SizeRelationsOpInterface : OpInterface<"SizeRelationsOpInterface"> {
  let description = [{
    An op that requires something of dimension sizes of its operands. Its verifier
    refuses static sizes that differ; dynamic ones are compared when a step
    starts, before it writes anything.
  }];
  let cppNamespace = "::flywheel";
  let methods = [
    InterfaceMethod<[{
        Reports what the verifier takes for granted of dynamic sizes.
      }],
      /*retTy=*/"void",
      /*methodName=*/"relateSizes",
      /*args=*/(ins "::flywheel::SizeRelationSink &":$sizes)
    >
  ];
}

#endif // FLYWHEEL_INTERFACES_SIZEOPINTERFACES
