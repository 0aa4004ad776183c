//===- LinalgExt.td - The linalg_ext dialect ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT
#define FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT

include "flywheel/Interfaces/SizeOpInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/SubsetOpInterface.td"

def LinalgExt_Dialect : Dialect {
  let name = "linalg_ext";
  let cppNamespace = "::flywheel::linalg_ext";
  let summary = "Structured ops whose elements wait for data or for each other";
  let description = [{
    Ops that `linalg` lacks, in its style: ops in destination style, on tensors
    before bufferization and on buffers after it. The positions that they read
    or write depend on data, or on elements that they have written before, so
    that no indexing map describes them. `nn` ops are lowered to them, and
    `flywheel-lower-linalg-ext` makes loops over `linalg` ops of them. No op
    accesses memory outside of its operands, whatever its indices are.

    A `memref.copy` with `linalg_ext.assigned` is what bufferization has made of
    a store, or of what an iteration passes on: the program assigns the value,
    so that copying it is what it asks for. A `tensor.empty` with
    `linalg_ext.safe` is of a result that is not used, because a check failed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getSafeAttrName() { return "linalg_ext.safe"; }
    static ::llvm::StringRef getAssignedAttrName() {
      return "linalg_ext.assigned";
    }
  }];
}

class LinalgExt_Op<string opMnemonic, list<Trait> traits = []>
    : Op<LinalgExt_Dialect, opMnemonic, !listconcat([
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<SizeRelationsOpInterface>,
        DestinationStyleOpInterface], traits)> {
  let hasVerifier = 1;
}

/// Operands of an op are all tensors or all buffers.
class LinalgExt_RankedOf<list<Type> elements>
    : AnyTypeOf<[RankedTensorOf<elements>, MemRefOf<elements>], "",
                "::mlir::ShapedType">;
def LinalgExt_Shaped : LinalgExt_RankedOf<[AnyFloat, AnySignlessInteger]>;
def LinalgExt_Indices : LinalgExt_RankedOf<[AnySignlessInteger]>;
def LinalgExt_Matrices : LinalgExt_RankedOf<[F32, F64]>;
def LinalgExt_Positions : LinalgExt_RankedOf<[I64]>;
def LinalgExt_Flag : LinalgExt_RankedOf<[I1]>;

def LinalgExt_GatherOp : LinalgExt_Op<"gather"> {
  let summary = "Copies slices at indices along one dimension";
  let description = [{
    With x of shape [O.., n, I..], where O.. are `axis` dimension sizes, and indices of
    shape [J..], the result of shape [O.., J.., I..] has at (o, j, i) element
    (o, indices[j], i) of x, or 0 where the index is not in [0, n).
  }];
  let arguments = (ins LinalgExt_Shaped:$x, LinalgExt_Indices:$indices,
                       LinalgExt_Shaped:$init, I64Attr:$axis);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $x `,` $indices `:` type($x) `,` type($indices) `)`
    `outs` `(` $init `:` type($init) `)` `axis` $axis attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def LinalgExt_ScatterKind : I32EnumAttr<"ScatterKind", "what a scatter does", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"replace", 1>]> {
  let cppNamespace = "::flywheel::linalg_ext";
}

def LinalgExt_ScatterOp : LinalgExt_Op<"scatter"> {
  let summary = "Adds or copies slices to indices along one dimension";
  let description = [{
    The other way round than `gather`: slice (o, j) of `updates` [O.., J.., I..]
    is added to, or replaces, slice (o, indices[j]) of `init` [O.., n, I..], in
    the order of j. A slice whose index is not in [0, n) is left out.

    `order`, where it is there, is what `argsort` makes of the indices as a list:
    loops that do not go over them one after the other find equal ones by it. It
    changes no result.
  }];
  let arguments = (ins LinalgExt_ScatterKind:$kind, LinalgExt_Indices:$indices,
                       LinalgExt_Shaped:$updates, LinalgExt_Shaped:$init,
                       I64Attr:$axis, Optional<LinalgExt_Positions>:$order);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind `ins` `(` $indices `,` $updates `:` type($indices) `,` type($updates) `)`
    `outs` `(` $init `:` type($init) `)` `axis` $axis
    (`order` $order^ `:` type($order))? attr-dict (`->` type($results)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "ScatterKind":$kind,
      "::mlir::Value":$indices, "::mlir::Value":$updates, "::mlir::Value":$init,
      "int64_t":$axis), [{
        build($_builder, $_state, types, kind, indices, updates, init, axis,
              /*order=*/::mlir::Value());
      }]>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def LinalgExt_ScanKind : I32EnumAttr<"ScanKind", "what a scan does", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>,
    I32EnumAttrCase<"logaddexp", 2>]> {
  let cppNamespace = "::flywheel::linalg_ext";
}

def LinalgExt_ScanOp : LinalgExt_Op<"scan"> {
  let summary = "Running sums, products or logarithms of sums along one dimension";
  let description = [{
    Element k along `axis` of the result is the sum (with `mul`, the product) of
    the elements of x up to k, without the last with `exclusive`; with `reverse`,
    of those from k on. With `logaddexp`, of floats alone, it is the logarithm of
    the sum of their exponentials, -inf of no element.
  }];
  let arguments = (ins
    DefaultValuedAttr<LinalgExt_ScanKind, "::flywheel::linalg_ext::ScanKind::add">:$kind,
    LinalgExt_Shaped:$x, LinalgExt_Shaped:$init,
    I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    ($kind^)? `ins` `(` $x `:` type($x) `)` `outs` `(` $init `:` type($init) `)`
    `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

def LinalgExt_CholeskyOp : LinalgExt_Op<"cholesky"> {
  let summary = "Cholesky factors, in place";
  let description = [{
    Replaces the lower triangle of each matrix of `init` [.., n, n], which is
    that of a symmetric one, by the lower triangle L with L L^T equal to it.
    Leaves what is above. `success`, a tensor of rank 0, becomes false where a
    matrix is not positive definite, and stays as it is elsewhere.
  }];
  let arguments = (ins LinalgExt_Matrices:$init, LinalgExt_Flag:$success);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `outs` `(` $init `,` $success `:` type($init) `,` type($success) `)` attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return {*this, 0, 2}; }
  }];
}

def LinalgExt_TriangularSolveOp : LinalgExt_Op<"triangular_solve"> {
  let summary = "Solves triangular systems, in place";
  let description = [{
    Replaces each matrix b of `init` [.., n, k] by the x with op(a) x = b, where
    a is the lower or, with `upper`, the upper triangle of a matrix of
    [.., n, n], with `unit_diagonal` with ones on its diagonal, and op transposes
    it with `transpose`.
  }];
  let arguments = (ins LinalgExt_Matrices:$a, LinalgExt_Matrices:$init,
                       UnitAttr:$upper, UnitAttr:$transpose,
                       UnitAttr:$unit_diagonal);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $a `:` type($a) `)` `outs` `(` $init `:` type($init) `)`
    (`upper` $upper^)? (`transpose` $transpose^)?
    (`unit_diagonal` $unit_diagonal^)? attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// Rows of a table, such as the gradient of an embedding
//===----------------------------------------------------------------------===//

def LinalgExt_ArgsortOp : LinalgExt_Op<"argsort"> {
  let summary = "Positions of indices in ascending order";
  let description = [{
    Result 0, `order`, has the positions of `indices` [n] in the order of what is
    there, and equal indices in the order of their positions. An index outside of
    [0, `limit`) counts as `limit`. `spare` and `counts` are room to sort in: what
    they hold before and after is nothing. On a CPU a radix sort with digits of 11
    bits: its time is linear in n, and depends on nothing else but the bits of
    `limit`. On a GPU a merge sort, which needs no `counts`.
  }];
  let arguments = (ins LinalgExt_Indices:$indices, Index:$limit,
                       LinalgExt_Positions:$order, LinalgExt_Positions:$spare,
                       Optional<LinalgExt_Positions>:$counts);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $indices `:` type($indices) `)` `below` $limit
    `outs` `(` $order `,` $spare (`,` $counts^)? `:` type($order) `,`
    type($spare) (`,` type($counts)^)? `)` attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// The number of values of a digit: the size of `counts`.
    static constexpr int64_t kNumDigitBits = 11;
    static constexpr int64_t kNumCounts = int64_t(1) << kNumDigitBits;
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {*this, 2, getCounts() ? 3u : 2u};
    }
  }];
}

def LinalgExt_CombineRowsOp : LinalgExt_Op<"combine_rows"> {
  let summary = "Adds rows of one index";
  let description = [{
    If rows of `rows` [n, I..] have equal elements of `indices` [n], the first
    of them becomes their sum, added up in the order of the rows, and the others
    become 0. `order` [n] is the result of `argsort` of the indices. So each
    index has one row with its whole sum, and a function with f(0) = 0 of the
    sum is that function of each row.
  }];
  let arguments = (ins LinalgExt_Indices:$indices, LinalgExt_Positions:$order,
                       LinalgExt_Shaped:$rows);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $indices `,` $order `:` type($indices) `,` type($order) `)`
    `outs` `(` $rows `:` type($rows) `)` attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getRowsMutable(); }
  }];
}

def LinalgExt_UpdateRowsOp : LinalgExt_Op<"update_rows"> {
  let summary = "Updates the rows of tables, in place";
  let description = [{
    The region computes, for one element, the new elements of all `tables`
    [m, I..] from an element of a row and the old elements: of table row i for each
    i in `indices` [n], once, with the row of `rows` [n, I..] at its first position.
    The others keep what they have. With `all` each other row of the tables
    is updated as well, as with a row of zeros.

    `order` [n] is what `argsort` makes of the indices. An index outside of [0, m)
    is left out. The region reads nothing else but numbers.

    ```mlir
    %new = linalg_ext.update_rows
        ins(%ids, %order, %rows : tensor<?xi32>, tensor<?xi64>, tensor<?x64xf32>)
        outs(%table : tensor<1000x64xf32>) {
    ^bb0(%g: f32, %p: f32):
      %step = arith.mulf %lr, %g : f32
      %next = arith.subf %p, %step : f32
      linalg_ext.yield %next : f32
    } -> tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins LinalgExt_Indices:$indices, LinalgExt_Positions:$order,
                       LinalgExt_Shaped:$rows, Variadic<LinalgExt_Shaped>:$tables,
                       UnitAttr:$all);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`all` $all^)? attr-dict `ins` `(` $indices `,` $order `,` $rows `:`
    type($indices) `,` type($order) `,` type($rows) `)` `outs` `(` $tables `:`
    type($tables) `)` $body (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getTablesMutable(); }
  }];
}

def LinalgExt_YieldOp : Op<LinalgExt_Dialect, "yield", [
    Pure, Terminator, ReturnLike, HasParent<"UpdateRowsOp">]> {
  let summary = "New elements of the tables";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def LinalgExt_StoreOp : Op<LinalgExt_Dialect, "store", [
    Pure, DestinationStyleOpInterface, TypesMatchWith<
      "result and destination have one type", "destination", "result", "$_self">,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    SubsetOpInterface, SubsetInsertionOpInterface]> {
  let summary = "A value, in the place of another";
  let description = [{
    The result is `source`, preferably in the buffer of `destination`: where
    `source` can be computed there, bufferization has nothing to do; else it is
    copied; and where the old value of `destination` is still read afterwards,
    the copy is in a buffer of its own. `source` and `destination` have one shape
    when the program runs.

    `bufferization.materialize_in_destination` is not enough: it has no meaning
    where the old value is still read.
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$destination);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `in` $destination attr-dict `:` type($source) `in` type($destination)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationMutable(); }

    // Upstream's declarations need its namespace.
    using AreEquivalent = ::llvm::function_ref<bool(::mlir::Value, ::mlir::Value)>;
    bool operatesOnEquivalentSubset(::mlir::SubsetOpInterface candidate,
                                    AreEquivalent areEquivalent);
    bool operatesOnDisjointSubset(::mlir::SubsetOpInterface candidate,
                                  AreEquivalent areEquivalent);
    ::mlir::OpOperand &getSourceOperand() { return getSourceMutable(); }
    bool isEquivalentSubset(::mlir::Value candidate, AreEquivalent areEquivalent);
    ::mlir::Value buildSubsetExtraction(::mlir::OpBuilder &b, ::mlir::Location loc);
    ::llvm::SmallVector<::mlir::Value> getValuesNeededToBuildSubsetExtraction();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def LinalgExt_InsertSlicesOp : Op<LinalgExt_Dialect, "insert_slices", [
    Pure, DestinationStyleOpInterface, AttrSizedOperandSegments,
    TypesMatchWith<"result and destination have one type", "init", "result", "$_self">,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Many insertions of slices, one after the other";
  let description = [{
    `init` with `sources` inserted, in their order, as by `tensor.insert_slice`.
    The lists have an offset, a size and a stride for each dimension of `init`, of
    one source after the other. Bufferizes to a copy of each source.

    `flywheel-eliminate-empty-tensors` makes it of a long chain of insertions, as
    a `tensor.concat` of many tensors is: the versions of the whole would be
    aliases of one buffer, each read of which bufferization would compare with
    each write.

    ```mlir
    %1 = linalg_ext.insert_slices ins(%x, %y : tensor<2x3xf32>, tensor<6xf32>)
        outs(%0 : tensor<2x6xf32>)
        at [0, 0, 1, %i] sizes [2, 3, 1, 6] strides [1, 1, 1, 1]
    ```
  }];
  let arguments = (ins AnyRankedTensor:$init, Variadic<AnyRankedTensor>:$sources,
                       Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $sources `:` type($sources) `)` `outs` `(` $init `:` type($init) `)`
    `at` custom<DynamicIndexList>($offsets, $static_offsets)
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$sources, "::mlir::Value":$init,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
      "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
  let hasVerifier = 1;
}

def LinalgExt_ExchangeOp : Op<LinalgExt_Dialect, "exchange", [
    Pure, DestinationStyleOpInterface,
    AllTypesMatch<["first", "second", "new_first", "new_second"]>]> {
  let summary = "Two values, each in the place of the other";
  let description = [{
    The results are `second`, in the buffer of `first`, and `first`, in the
    buffer of `second`: what two stores cannot be without a copy. Made by
    `flywheel-order-step`. Bufferizes to one `linalg.generic` over both
    buffers, which a canonicalization would fold on tensors.
  }];
  let arguments = (ins AnyStaticShapeTensor:$first, AnyStaticShapeTensor:$second);
  let results = (outs AnyStaticShapeTensor:$new_first, AnyStaticShapeTensor:$new_second);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first)";
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 0, 2);
    }
  }];
}

def LinalgExt_ProtectOp : Op<LinalgExt_Dialect, "protect", [MemoryEffects<[MemWrite]>]> {
  let summary = "Reads the old values that failing checks leave";
  let description = [{
    Stands behind the last check of a step: `storages` still have the values
    here that they had before the step. To bufferization this is a read, so what
    a step writes in front of a check is written elsewhere: that an error changes
    nothing, and that updates are in place, is one analysis. Bufferizes to
    nothing.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$storages);
  let assemblyFormat = "$storages attr-dict `:` type($storages)";
}

def LinalgExt_CommitOp : Op<LinalgExt_Dialect, "commit", [
    MemoryEffects<[MemWrite]>, SameVariadicOperandSize]> {
  let summary = "The values of storages at the end of a step";
  let description = [{
    Each of `storages` gets the value of the same number, as if all at once. On
    buffers, most values are in their storages already, and
    `flywheel-insert-state-copies` makes copies of the others.
  }];
  let arguments = (ins Variadic<LinalgExt_RankedOf<[AnyType]>>:$values,
                       Variadic<LinalgExt_RankedOf<[AnyType]>>:$storages);
  let assemblyFormat = [{
    $values `to` $storages attr-dict `:` type($values) `to` type($storages)
  }];
  let hasVerifier = 1;
}

def LinalgExt_SizePredicate : I32EnumAttr<"SizePredicate", "a relation of sizes", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ge", 1>]> {
  let cppNamespace = "::flywheel::linalg_ext";
}

def LinalgExt_CompareSizesOp : Op<LinalgExt_Dialect, "compare_sizes", [Pure]> {
  let summary = "True if two sizes are as an op requires";
  let description = [{
    True where the signed numbers are equal (`eq`), or the first is at least the
    second (`ge`). Checks of sizes have it as their condition, and passes read
    there which sizes are equal: that is why it is no `arith.cmpi`, of which
    canonicalization may change both sides. `flywheel-lower-state` lowers it,
    or else `flywheel-lower-linalg-ext`.
  }];
  let arguments = (ins LinalgExt_SizePredicate:$predicate, Index:$lhs, Index:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict";
  let hasFolder = 1;
}

def LinalgExt_CheckKind : I32EnumAttr<"CheckKind", "what a check depends on", [
    I32EnumAttrCase<"sizes", 0>, I32EnumAttrCase<"data", 1>,
    I32EnumAttrCase<"numerics", 2>]> {
  let cppNamespace = "::flywheel::linalg_ext";
}

def LinalgExt_CheckOp : Op<LinalgExt_Dialect, "check", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "An error of the step unless a condition holds";
  let description = [{
    If `ok` is false, the call fails and has changed no variable. Its error says
    `expected`, then in which op, `source` and the location of this op, and
    `found`. The bytes 1 to 4 in both texts stand for `numbers`, in their order.

    A check of `sizes` depends on the sizes of feeds alone, or on numbers that
    are computed from them; one of `data` on elements; one of `numerics` looks
    for NaN and infinities, which a call reports as a status of its own. A check
    that is `safe` guards nothing that does harm without it:
    `flywheel-carry-checks` may delay it.

    `flywheel-lower-state` makes an early return of it; without that pass,
    `flywheel-lower-linalg-ext` makes a `cf.assert`.
  }];
  let arguments = (ins LinalgExt_CheckKind:$kind, I1:$ok, StrAttr:$expected,
                       OptionalAttr<StrAttr>:$source,
                       OptionalAttr<StrAttr>:$found,
                       Variadic<Index>:$numbers, UnitAttr:$safe);
  let assemblyFormat = [{
    (`safe` $safe^)? $kind $ok `,` $expected (`in` $source^)? (`,` $found^)?
    (`(` $numbers^ `)`)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// ` in 'arith.addf' at f.mlir:3:8`, without the space in front; empty if the
    /// check is of no op.
    std::string describeSource();
    /// The text of the error, with bytes 1 to 4 for the numbers.
    std::string getMessage();
  }];
  let builders = [
    // A check of no op, which is not safe.
    OpBuilder<(ins "CheckKind":$kind, "::mlir::Value":$ok,
                   "::mlir::StringAttr":$expected,
                   CArg<"::mlir::ValueRange", "{}">:$numbers), [{
      build($_builder, $_state, kind, ok, expected, ::mlir::StringAttr(),
            ::mlir::StringAttr(), numbers, /*safe=*/false);
    }]>
  ];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def LinalgExt_FindOutsideOp : Op<LinalgExt_Dialect, "find_outside", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The first index that is out of range";
  let description = [{
    The first element of `indices`, in row-major order, that is not in
    [0, `limit`), as an `index`; 0 where there is none. Nothing is read where
    `ok` holds, which says that there is none: only a check that fails pays for
    the number that its message names.
  }];
  let arguments = (ins I1:$ok, LinalgExt_Indices:$indices, Index:$limit);
  let results = (outs Index:$result);
  let assemblyFormat =
      "`unless` $ok `in` $indices `below` $limit attr-dict `:` type($indices)";
}

//===----------------------------------------------------------------------===//
// Calls of the host
//===----------------------------------------------------------------------===//

def LinalgExt_HostCallOp : LinalgExt_Op<"host_call", [AttrSizedOperandSegments]> {
  let summary = "Calls a function of the host with values of the step";
  let description = [{
    The form of a `train.host_call` after `train-order-host-calls`. `status` is
    the state of all calls of a step: 0, or the error of the first one that
    failed. A call of another status calls nothing and writes zeros to
    `outputs`. The result 0 is the next status, so that the calls are in the
    order in which they pass it on; the others are the results of the function.
    `number` is one of the op in its function, which copies of it share.
  }];
  let arguments = (ins StrAttr:$kind, I64Attr:$site, I64Attr:$number,
                       Variadic<LinalgExt_Shaped>:$inputs,
                       LinalgExt_RankedOf<[I32]>:$status,
                       Variadic<LinalgExt_Shaped>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind $site `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` $status
    (`,` $outputs^)? `:` type($status) (`,` type($outputs)^)? `)` attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      unsigned first = getInputs().size();
      return {*this, first, 1 + static_cast<unsigned>(getOutputs().size())};
    }
  }];
}

#endif // FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT
