//===- ContractionTile.h - Parts of C in registers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CPU_CONTRACTIONTILE_H
#define FLYWHEEL_CODEGEN_CPU_CONTRACTIONTILE_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/IR/BuiltinTypes.h"

namespace flywheel {

/// The part of C that one contraction kernel keeps in vector registers.
struct ContractionTile {
  /// Rows: each is one broadcast element of A per step of k.
  int64_t mr;
  /// Columns, in elements; `nr / vectorLength` rounded up vectors of B per step
  /// of k. Less than a whole number of vectors only when N itself is.
  int64_t nr;
  /// Elements of one vector register.
  int64_t vectorLength;

  int64_t numVectors() const { return (nr + vectorLength - 1) / vectorLength; }
};

/// Number of elements of type `elementType` (an integer, index or float type)
/// in one vector register, at least 1.
int64_t getVectorLength(mlir::Type elementType, codegen::CPUAttr cpu);

/// Returns true if the CPU has at most as many vector registers as AVX2: tiles
/// then have few rows.
bool hasFewRegisters(codegen::CPUAttr cpu);

/// Chooses the register tile of a contraction C[m, n] += A[m, k] * B[k, n].
///
/// `elementType` is the type of the accumulator, that is of C. `m` and `n` are
/// static sizes or `ShapedType::kDynamic`. The tile never exceeds a static
/// size, so it can be used as a tile size as it is. If the rows are `unrolled`,
/// there are as few tiles as possible, the last of which may be lower. If the
/// rows of A are `tall`, contiguous along M, many rows have high tiles and a
/// tail rather than lower ones without. Rows that are contiguous along K may
/// share too few sets of the first cache to have more than 8 of them in it.
///
/// The measurements for these tiles, for f32 on AVX-512 with the whole of K in
/// each tile, in percent of the FMA peak of the same run
/// (benchmarks/kernel_tiles.py; best of 100 rounds at quiet moments of a shared
/// machine, whose load changes all rows of a run alike):
///  * [128x784]x[784x256], bias and relu: 8x32 89-96, 12x32 85-93, 14x32 81-86
///    (the last two have row tails), 16x32 71-74 and 6x64 80-84 (both spill),
///    8x48 60. So two vectors wide, and a height that divides M before the
///    greatest one.
///  * [784x128]x[128x256], A transposed: 14x32 94, 12x32 91, 8x32 89; with the
///    momentum update fused, where memory is the limit, 80, 78 and 75.
///  * [256x4096]^Tx[256x4096] with the Adam update fused (`mlp-wide` of
///    benchmarks/peers): 12x32, eight tiles of the same rows one after the
///    other, before 12x32 and 8x32.
///  * [64x128]x[128x10], one masked vector: 16 rows 46, 8 rows 40, of the 62
///    that ten lanes of sixteen allow.
///  * Packing panels of an untransposed B costs more than it gives at K = 784
///    (8x32: 82-90 packed, 89-96 in place), and so does splitting K (97 whole,
///    95 in blocks of 392, 93 of 196 or 112). A transposed B must be packed: 89
///    instead of 26 for [128x256]x[784x256]^T.
///
/// With AVX2 (benchmarks/kernels --cpu x86-64-v3 --best; the first two of
/// 512x512x512, forward and by the weights): 4x16 that divide M 60 and 63, with
/// panels of B packed 86 and 85; 6x16 with a tail 82 and 61, packed 93 and 82.
ContractionTile chooseContractionTile(mlir::Type elementType,
                                      codegen::CPUAttr cpu, int64_t m,
                                      int64_t n, bool unrolled = false,
                                      bool tall = false);

/// Chooses the register tile of a contraction C[m, n] += A[m + k, n] * B[k, n],
/// with `numKept` vectors of B, all k of a window, in registers beside it.
/// `tile.mr` is 1 at least. Sizes are as for `chooseContractionTile`.
ContractionTile chooseSlidingTile(mlir::Type elementType, codegen::CPUAttr cpu,
                                  int64_t m, int64_t n, int64_t numKept);

/// Chooses the register tile of a contraction C[m, n] += A[m, k] * B[n, k]
/// whose vectors are along k: each of the `mr` times `nr` elements of C is a
/// vector of partial sums. Sizes are as for `chooseContractionTile`.
ContractionTile chooseLaneSumTile(mlir::Type elementType, codegen::CPUAttr cpu,
                                  int64_t m, int64_t n);

} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_CPU_CONTRACTIONTILE_H
