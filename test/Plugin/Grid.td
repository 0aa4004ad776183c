// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect of another project, whose op has dimensions of several operands.

include "flywheel/Interfaces/LowerableOpInterface.td"
include "flywheel/Interfaces/SizeOpInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Grid_Dialect : Dialect {
  let name = "grid";
  let cppNamespace = "::grid";
}

def Grid_AddOp
    : Op<Grid_Dialect, "add",
         [Pure, DeclareOpInterfaceMethods<DimSizeSourceOpInterface>,
          DeclareOpInterfaceMethods<LowerableOpInterface>]> {
  let summary = "x[i] + y[j] for each i and j";
  let arguments = (ins 1DTensorOf<[F32]>:$x, 1DTensorOf<[F32]>:$y);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat =
      "$x `,` $y attr-dict `:` functional-type(operands, results)";
}
