// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect of another project, whose op is differentiated and lowered.

include "flywheel/Interfaces/DifferentiableOpInterface.td"
include "flywheel/Interfaces/LowerableOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}

def Toy_SoftsignOp
    : Op<Toy_Dialect, "softsign",
         [Pure, SameOperandsAndResultType,
          DeclareOpInterfaceMethods<DifferentiableOpInterface>,
          DeclareOpInterfaceMethods<LowerableOpInterface>]> {
  let summary = "x / (1 + |x|), element by element";
  let arguments = (ins RankedTensorOf<[F32, F64]>:$x);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
