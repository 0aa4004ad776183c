//===- RematModel.h - Reads and writes of a step ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step as a list of ops that read and write storages, without IR, for the
// choice of the values to recompute. Positions are indices of ops.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODEL_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODEL_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace flywheel {

/// Memory that ops read and write: a buffer of the step, or an argument.
struct Storage {
  /// The storage of the step as it was that this is, or is a copy of.
  unsigned original;
  /// Bytes of a buffer; 0 for an argument, which is not in the workspace.
  int64_t bytes = 0;
  bool isArgument = false;
  /// True if values other than views alias the storage, so that it cannot be
  /// replaced.
  bool isFixed = false;
};

/// An op at the top level of a step.
struct StepOp {
  /// The op of the step as it was that this is, or is a copy of.
  unsigned original;
  /// The storages that the op reads and writes. The new contents of a storage
  /// may depend on its old contents only if the op reads it as well.
  llvm::SmallVector<unsigned, 4> reads, writes;
  /// Bytes of the buffers that exist only while the op runs.
  llvm::SmallVector<int64_t, 0> scratch;
  /// An estimate, for comparison.
  int64_t flops = 0;
  /// True if running the op again on the same contents writes the same values
  /// and has no other effect.
  bool isRepeatable = true;

  bool touches(unsigned storage) const;
};

struct RematModel {
  std::vector<Storage> storages;
  std::vector<StepOp> ops;
  /// True if no buffer has a symbolic size.
  bool isStatic = false;
};

/// Buffers that the same ops write, which can be recomputed together.
struct RecomputableUnit {
  /// In order.
  llvm::SmallVector<unsigned, 4> ops;
  llvm::SmallVector<unsigned, 2> buffers;
  /// Buffers of other ops that it reads.
  llvm::SmallVector<unsigned, 4> inputs;
  /// The first op that overwrites an argument it reads: from there on it can no
  /// longer be recomputed.
  unsigned deadline;
  int64_t flops = 0;
};

/// The live ranges and recomputable units of a program.
class StepAnalysis {
public:
  /// Computes live ranges.
  explicit StepAnalysis(const RematModel &program);
  /// Finds the units that can be recomputed.
  void computeUnits();

  static constexpr unsigned kNone = ~0u;

  const RematModel &program;
  /// First and last op that touches each storage, or kNone.
  std::vector<unsigned> first, last;
  std::vector<RecomputableUnit> units;
  /// For each storage the unit that computes it, or kNone.
  std::vector<unsigned> unitOf;

  /// The peak of live bytes, the first position with that number, and the
  /// number of such positions.
  int64_t peakBytes = 0;
  unsigned peak = 0;
  unsigned peakLength = 0;

private:
  void computeLiveness();
  bool completeUnit(RecomputableUnit &unit, unsigned number);

  std::vector<llvm::SmallVector<unsigned, 2>> writers;
  std::vector<llvm::SmallVector<unsigned, 4>> users;
};

/// Returns the bytes of a workspace for the buffers of `program`.
int64_t planWorkspaceBytes(const RematModel &program);

/// Returns `program` with the units of `dropped` not kept across position `at`:
/// each is recomputed right before an op after `at` needs it, and kept from
/// there on. Removes the units from `dropped` that cannot be recomputed at that
/// position.
RematModel recomputeAfter(const StepAnalysis &analysis, unsigned at,
                          llvm::BitVector &dropped);

/// Returns the estimated flops of all ops.
int64_t countFlops(const RematModel &program);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODEL_H
