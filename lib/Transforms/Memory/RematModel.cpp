//===- RematModel.cpp - Reads and writes of a step ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RematModel.h"
#include "WorkspacePlan.h"
#include "flywheel/Model/Manifest.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace flywheel;

static int64_t align(int64_t bytes) {
  return llvm::alignTo(static_cast<uint64_t>(bytes), kStateAlignment);
}

bool StepOp::touches(unsigned storage) const {
  return llvm::is_contained(reads, storage) ||
         llvm::is_contained(writes, storage);
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

StepAnalysis::StepAnalysis(const RematModel &program)
    : program(program), first(program.storages.size(), kNone),
      last(program.storages.size(), kNone),
      unitOf(program.storages.size(), kNone), writers(program.storages.size()),
      users(program.storages.size()) {
  for (auto [position, op] : llvm::enumerate(program.ops)) {
    for (unsigned storage : op.writes)
      writers[storage].push_back(position);
    for (unsigned storage : llvm::concat<const unsigned>(op.reads, op.writes)) {
      if (first[storage] == kNone)
        first[storage] = position;
      if (last[storage] == position && !users[storage].empty())
        continue;
      last[storage] = position;
      users[storage].push_back(position);
    }
  }
  computeLiveness();
}

void StepAnalysis::computeLiveness() {
  // The bytes that become live at each position, less those that died before
  // it.
  std::vector<int64_t> change(program.ops.size() + 1);
  for (auto [i, storage] : llvm::enumerate(program.storages)) {
    if (first[i] == kNone || storage.isArgument)
      continue;
    change[first[i]] += align(storage.bytes);
    change[last[i] + 1] -= align(storage.bytes);
  }
  int64_t live = 0;
  for (auto [position, op] : llvm::enumerate(program.ops)) {
    live += change[position];
    int64_t here = live;
    for (int64_t bytes : op.scratch)
      here += align(bytes);
    if (here > peakBytes) {
      peakBytes = here;
      peak = position;
      peakLength = 0;
    }
    peakLength += here == peakBytes;
  }
}

/// Computes the fields of `unit` that follow from its ops and buffers. Returns
/// false if it cannot be recomputed.
bool StepAnalysis::completeUnit(RecomputableUnit &unit, unsigned number) {
  unit.deadline = kNone;
  for (unsigned position : unit.ops) {
    const StepOp &op = program.ops[position];
    unit.flops += op.flops;
    for (unsigned storage : op.reads) {
      if (llvm::is_contained(unit.buffers, storage))
        continue;
      auto *next = llvm::upper_bound(writers[storage], position);
      if (program.storages[storage].isArgument) {
        if (next != writers[storage].end())
          unit.deadline = std::min(unit.deadline, *next);
        continue;
      }
      // Another input must have its value later too, or be recomputable.
      if (next != writers[storage].end())
        return false;
      if (!llvm::is_contained(unit.inputs, storage))
        unit.inputs.push_back(storage);
    }
  }
  // Nothing has used a buffer before all of the unit was computed.
  for (unsigned buffer : unit.buffers)
    for (unsigned user : users[buffer])
      if (user < unit.ops.back() && !llvm::is_contained(unit.ops, user))
        return false;
  for (unsigned buffer : unit.buffers)
    unitOf[buffer] = number;
  return true;
}

void StepAnalysis::computeUnits() {
  // Buffers that one op writes belong together.
  llvm::EquivalenceClasses<unsigned> classes;
  llvm::BitVector excluded(program.storages.size());
  for (auto [i, storage] : llvm::enumerate(program.storages)) {
    if (first[i] == kNone || writers[i].empty())
      continue;
    classes.insert(i);
    if (storage.isArgument || storage.isFixed)
      excluded.set(i);
  }
  for (const StepOp &op : program.ops)
    for (unsigned storage : op.writes) {
      classes.unionSets(op.writes.front(), storage);
      if (!op.isRepeatable)
        excluded.set(storage);
    }
  for (unsigned i = 0, e = program.storages.size(); i < e; ++i) {
    if (!classes.contains(i) || classes.getLeaderValue(i) != i)
      continue;
    RecomputableUnit unit;
    bool isExcluded = false;
    for (unsigned buffer : classes.members(i)) {
      unit.buffers.push_back(buffer);
      isExcluded |= excluded.test(buffer);
      unit.ops.append(writers[buffer].begin(), writers[buffer].end());
    }
    if (isExcluded)
      continue;
    llvm::sort(unit.buffers);
    llvm::sort(unit.ops);
    unit.ops.erase(llvm::unique(unit.ops), unit.ops.end());
    if (completeUnit(unit, units.size()))
      units.push_back(std::move(unit));
  }
}

int64_t flywheel::countFlops(const RematModel &program) {
  int64_t flops = 0;
  for (const StepOp &op : program.ops)
    flops += op.flops;
  return flops;
}

int64_t flywheel::planWorkspaceBytes(const RematModel &program) {
  std::vector<LiveBuffer> buffers(program.storages.size());
  for (auto [position, op] : llvm::enumerate(program.ops)) {
    for (unsigned storage : llvm::concat<const unsigned>(op.reads, op.writes)) {
      if (buffers[storage].bytes == 0)
        buffers[storage].begin = position;
      buffers[storage].bytes = program.storages[storage].bytes;
      buffers[storage].end = position;
    }
    for (int64_t bytes : op.scratch) {
      LiveBuffer buffer;
      buffer.bytes = bytes;
      buffer.begin = buffer.end = position;
      buffers.push_back(buffer);
    }
  }
  llvm::SmallVector<LiveBuffer *> order;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    buffer.number = i;
    if (buffer.bytes > 0)
      order.push_back(&buffer);
  }
  int64_t bytes = getSlotBytes(order, assignSlots(order)).getSaturated();
  return program.isStatic ? std::min(bytes, packBuffers(order)) : bytes;
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

namespace {
/// Writes a program anew, with some units computed a second time.
class Rewriter {
public:
  Rewriter(const StepAnalysis &analysis, unsigned at, llvm::BitVector &dropped,
           llvm::BitVector &gone)
      : analysis(analysis), program(analysis.program), at(at), dropped(dropped),
        gone(gone) {}

  /// Returns false if a unit was needed after its deadline; it is then removed
  /// from both sets.
  bool run(RematModel &result);

private:
  bool isDropped(unsigned storage) const {
    unsigned unit = analysis.unitOf[storage];
    return unit != StepAnalysis::kNone &&
           (dropped.test(unit) || gone.test(unit));
  }
  bool recompute(unsigned number, unsigned position);
  void emit(const StepOp &op);

  const StepAnalysis &analysis;
  const RematModel &program;
  unsigned at;
  llvm::BitVector &dropped;
  /// The units that no op after `at` uses in the original program. An op that
  /// needs one of them for recomputation recomputes it as well.
  llvm::BitVector &gone;
  RematModel rewritten;
  /// The storage that stands for each one now.
  std::vector<unsigned> current;
};
} // namespace

void Rewriter::emit(const StepOp &op) {
  StepOp &copy = rewritten.ops.emplace_back(op);
  for (unsigned &storage : copy.reads)
    storage = current[storage];
  for (unsigned &storage : copy.writes)
    storage = current[storage];
}

/// Recomputes unit `number` before the op at `position`, unless it has been
/// recomputed already.
bool Rewriter::recompute(unsigned number, unsigned position) {
  const RecomputableUnit &unit = analysis.units[number];
  if (current[unit.buffers.front()] != unit.buffers.front())
    return true;
  if (unit.deadline != StepAnalysis::kNone && unit.deadline < position) {
    dropped.reset(number);
    gone.reset(number);
    return false;
  }
  for (unsigned input : unit.inputs)
    if (isDropped(input) && !recompute(analysis.unitOf[input], position))
      return false;
  for (unsigned buffer : unit.buffers) {
    current[buffer] = rewritten.storages.size();
    rewritten.storages.push_back(program.storages[buffer]);
  }
  for (unsigned op : unit.ops)
    emit(program.ops[op]);
  return true;
}

bool Rewriter::run(RematModel &result) {
  rewritten.storages = program.storages;
  rewritten.isStatic = program.isStatic;
  for (unsigned i = 0, e = program.storages.size(); i < e; ++i)
    current.push_back(i);
  for (auto [position, op] : llvm::enumerate(program.ops)) {
    if (position > at)
      for (unsigned storage : llvm::concat<const unsigned>(op.reads, op.writes))
        if (isDropped(storage) &&
            !recompute(analysis.unitOf[storage], position))
          return false;
    emit(op);
  }
  result = std::move(rewritten);
  return true;
}

RematModel flywheel::recomputeAfter(const StepAnalysis &analysis, unsigned at,
                                    llvm::BitVector &dropped) {
  llvm::BitVector gone(analysis.units.size());
  for (auto [number, unit] : llvm::enumerate(analysis.units))
    if (unit.ops.back() <= at &&
        llvm::all_of(unit.buffers, [&](unsigned buffer) {
          return analysis.last[buffer] <= at;
        }))
      gone.set(number);
  RematModel result;
  while (!Rewriter(analysis, at, dropped, gone).run(result))
    ;
  return result;
}
