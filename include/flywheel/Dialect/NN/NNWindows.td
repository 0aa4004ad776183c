//===- NNWindows.td - How a window slides over an image ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NNWINDOWS
#define FLYWHEEL_DIALECT_NN_NNWINDOWS

include "flywheel/Dialect/NN/NNBase.td"
include "mlir/IR/AttrTypeBase.td"

def NN_PaddingKind : I32EnumAttr<"PaddingKind", "how the border of an image is padded", [
    I32EnumAttrCase<"valid", 0>, I32EnumAttrCase<"same", 1>, I32EnumAttrCase<"explicit_", 2, "explicit">]> {
  let cppNamespace = "::flywheel::nn";
  let genSpecializedAttr = 0;
}

def NN_PaddingAttr : AttrDef<NN_Dialect, "Padding"> {
  let mnemonic = "padding";
  let summary = "The padding of an image that a window slides over";
  let description = [{
    With an image of dimSize `in`, a stride `s` and a window that spans `k`
    positions, each of height and width on its own:

    * `valid`: nothing; ceil((in - k + 1) / s) windows.
    * `same`: ceil(in / s) windows, for which max((out - 1) s + k - in, 0)
      positions are added, half of them before, and the odd one after.
    * `explicit [[top, bottom], [left, right]]`: these numbers of positions;
      floor((in + top + bottom - k) / s) + 1 windows.

    ```mlir
    #nn.padding<same>
    #nn.padding<explicit [[1, 1], [0, 2]]>
    ```
  }];
  let parameters = (ins "::flywheel::nn::PaddingKind":$kind,
                        ArrayRefParameter<"int64_t">:$amounts);
  let builders = [AttrBuilder<(ins "::flywheel::nn::PaddingKind":$kind), [{
    return $_get($_ctxt, kind, ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = [{
    /// As in the assembly of an op: `same`, `explicit [[1, 1], [0, 2]]`.
    static PaddingAttr parseBare(::mlir::AsmParser &parser);
    void printBare(::mlir::AsmPrinter &printer) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

/// An op whose result has an element for each window.
defvar NN_CountsWindows =
    DeclareOpInterfaceMethods<DimSizeSourceOpInterface, ["getDimSizeFormula"]>;

/// Ops of which each instance has a window.
class NN_WindowOp<string opMnemonic, list<Trait> traits = []>
    : NN_Op<opMnemonic, !listconcat(
        [DeclareOpInterfaceMethods<DifferentiableOpInterface, ["hasDerivative"]>,
         NN_Batchable, NN_SizeRelations],
        traits)> {
  let hasVerifier = 1;
}

#endif // FLYWHEEL_DIALECT_NN_NNWINDOWS
