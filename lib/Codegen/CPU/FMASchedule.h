//===- FMASchedule.h - Roles and tiles of a contraction ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_FMASCHEDULE_H
#define FLYWHEEL_LIB_CODEGEN_CPU_FMASCHEDULE_H

#include "KernelFamily.h"

#include "flywheel/Codegen/CPU/ContractionTile.h"

namespace flywheel {

/// A contraction with its loops and operands in their roles.
struct Contraction {
  mlir::linalg::LinalgOp op;
  /// The operand that is broadcast, the one read as vectors, and the output.
  mlir::OpOperand *a = nullptr, *b = nullptr, *c = nullptr;
  mlir::AffineMap aMap, bMap, cMap;
  /// Returns true if A is read as vectors too, because each column has its own
  /// elements of both, as in a depthwise convolution.
  bool readsLanes() const { return !along && aMap.isFunctionOfDim(n); }
  /// The loop of columns, which is along vectors of B and C; or, if it is set,
  /// the reduction that is along vectors of A and B.
  unsigned n = 0;
  std::optional<unsigned> along;
  /// True if two neighbouring iterations of the last reduction, or of the one
  /// along the lanes, are one instruction.
  bool pairs = false;
  /// Iterations of the last reduction that are added to C at a time; null for
  /// all.
  std::optional<int64_t> block;
  /// The loops along rows. A row is an iteration of all of them; if there are
  /// several, all have a static size.
  llvm::SmallVector<unsigned> rows;
  /// The other parallel loops; other reductions around all loops, and inside.
  llvm::SmallVector<unsigned> outer, passes, k;
};

/// A reduction of a window: the element that an operand reads at iteration `i`
/// of a parallel loop and `e` of this one is also the one at `i + 1` and `e -
/// step`.
struct Slide {
  unsigned loop = 0;
  int64_t size = 1, step = 1;

  /// Calls `use` for each `i` below `count` and each `e`, and `load` before the
  /// first use of each element. Uses of the same element follow one another;
  /// for each `i` all `e` are in order.
  void visit(int64_t count, llvm::function_ref<void(int64_t i, int64_t e)> load,
             llvm::function_ref<void(int64_t i, int64_t e)> use) const;
};

/// Returns the longest of `loops`, of these `sizes` by loop, that is a window
/// for `parallel` and an operand that is read by `map`.
std::optional<Slide> findSlide(llvm::ArrayRef<unsigned> loops,
                               mlir::AffineMap map, unsigned parallel,
                               llvm::ArrayRef<int64_t> sizes);

/// Returns true if the window of `slide` has no other reductions inside. Terms
/// are then in the same order with and without `slide`, which matters because
/// the loop that rows are along may differ between shares of a batch.
bool isInnermost(const Contraction &contraction, const Slide &slide);

/// Returns the tile in registers of `contraction`, whose A is read as vectors
/// and whose loops have these sizes, if neighbouring rows read the same vectors
/// in a window: the vectors of B are in registers for the whole window.
std::optional<ContractionTile> chooseSlidingTile(const Contraction &contraction,
                                                 codegen::CPUAttr cpu,
                                                 llvm::ArrayRef<int64_t> sizes);

/// Returns true if vectors of C can be multiplied and added, once no conversion
/// of an input is in the body of a tile.
bool hasFMAKernel(mlir::linalg::LinalgOp op);

/// Returns true if `op` is a contraction on tensors one of whose inputs is
/// decoded where it is read, or whose result an elementwise op alone reads and
/// stores in fewer bytes.
bool savesMemoryInTiles(mlir::linalg::LinalgOp op);

/// Returns true if the body of `op` narrows an input.
bool narrowsInput(mlir::linalg::LinalgOp op);

/// Returns true if `cpu` has an instruction that multiplies pairs of factors of
/// `op`, a contraction, and adds the products to its sums. `cpu` may be null.
bool canUsePairs(mlir::linalg::LinalgOp op, codegen::CPUAttr cpu);

/// Returns the inputs of `op`, a contraction, one of which is constant along
/// loop `columns`: A, which is broadcast, and B, which is read as vectors.
std::pair<mlir::OpOperand *, mlir::OpOperand *>
getFactors(mlir::linalg::LinalgOp op, unsigned columns);

/// Returns the roles that `schedule` gives the loops of `op`; fails if they do
/// not fit.
mlir::FailureOr<Contraction> getContraction(mlir::linalg::LinalgOp op,
                                            codegen::FMAAttr schedule,
                                            EmitMisfit emitMisfit = {});

/// Returns the best roles and tiles for `op` on `cpu`; null if `op` is not a
/// contraction, or if there is neither a loop along which the output is
/// contiguous and one input is constant, nor a reduction along which both
/// inputs are contiguous.
codegen::FMAAttr chooseFMASchedule(mlir::linalg::LinalgOp op,
                                   codegen::CPUAttr cpu);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_FMASCHEDULE_H
