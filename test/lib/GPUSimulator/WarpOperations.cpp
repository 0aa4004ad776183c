//===- WarpOperations.cpp - What threads of a warp do together ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the PTX ISA says, section "Parallel Synchronization and Communication
// Instructions" and "Data Movement and Conversion Instructions: shfl.sync".
//
//===----------------------------------------------------------------------===//

#include "WarpOperations.h"

using namespace llvm;

namespace simulator {

/// The value that a lane reads of one that does not take part: unspecified.
static constexpr uint32_t kUnspecified = 0xFFFFFFFF;

enum class Shuffle { Up, Down, Butterfly, Index };

/// Operands: the mask of lanes, a value, a lane or a distance, and bounds.
/// Results: a value, and whether it is another lane's.
template <Shuffle kind> static void shuffle(const WarpGroup &group) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!group.has(lane))
      continue;
    const uint32_t *operands = group.operands[lane];
    uint32_t distance = operands[2] & 31, clamp = operands[3] & 31,
             segment = operands[3] >> 8 & 31;
    auto last = static_cast<int>((lane & segment) | (clamp & ~segment));
    auto first = static_cast<int>(lane & segment);
    auto from = static_cast<int>(lane);
    bool isInside = false;
    switch (kind) {
    case Shuffle::Up:
      from -= static_cast<int>(distance);
      isInside = from >= last;
      break;
    case Shuffle::Down:
      from += static_cast<int>(distance);
      isInside = from <= last;
      break;
    case Shuffle::Butterfly:
      from = static_cast<int>(lane ^ distance);
      isInside = from <= last;
      break;
    case Shuffle::Index:
      from = first | static_cast<int>(distance & ~segment);
      isInside = from <= last;
      break;
    }
    if (!isInside)
      from = static_cast<int>(lane);
    group.results[lane][0] = group.has(static_cast<uint32_t>(from))
                                 ? group.operands[from][1]
                                 : kUnspecified;
    group.results[lane][1] = isInside;
  }
}

static void giveMask(const WarpGroup &group) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (group.has(lane))
      group.results[lane][0] = group.mask;
}

static void doNothing(const WarpGroup &) {}

/// Returns the lanes whose predicate is set, which is operand 1 after the mask.
static uint32_t ballot(const WarpGroup &group) {
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (group.has(lane) && group.operands[lane][1])
      lanes |= 1U << lane;
  return lanes;
}

static void giveAll(const WarpGroup &group, uint32_t value) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (group.has(lane))
      group.results[lane][0] = value;
}

static void voteAll(const WarpGroup &group) {
  giveAll(group, ballot(group) == group.mask);
}
static void voteAny(const WarpGroup &group) {
  giveAll(group, ballot(group) != 0);
}
static void voteUniform(const WarpGroup &group) {
  uint32_t lanes = ballot(group);
  giveAll(group, lanes == 0 || lanes == group.mask);
}
static void voteBallot(const WarpGroup &group) {
  giveAll(group, ballot(group));
}

/// Combines the values, which are operand 0.
template <typename Combine>
static void reduce(const WarpGroup &group, Combine combine) {
  uint32_t first = 0;
  while (!group.has(first))
    ++first;
  uint32_t result = group.operands[first][0];
  for (uint32_t lane = first + 1; lane < kWarpSize; ++lane)
    if (group.has(lane))
      result = combine(result, group.operands[lane][0]);
  giveAll(group, result);
}

static int32_t asSigned(uint32_t value) { return static_cast<int32_t>(value); }

static void reduceAdd(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a + b; });
}
static void reduceUMin(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
}
static void reduceUMax(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
}
static void reduceMin(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) {
    return asSigned(a) < asSigned(b) ? a : b;
  });
}
static void reduceMax(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) {
    return asSigned(a) > asSigned(b) ? a : b;
  });
}
static void reduceAnd(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a & b; });
}
static void reduceOr(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a | b; });
}
static void reduceXor(const WarpGroup &group) {
  reduce(group, [](uint32_t a, uint32_t b) { return a ^ b; });
}

static ArrayRef<WarpOperation> getScalarOperations() {
  static const WarpOperation operations[] = {
      {"llvm.nvvm.shfl.sync.up.i32", 0, shuffle<Shuffle::Up>},
      {"llvm.nvvm.shfl.sync.up.i32p", 0, shuffle<Shuffle::Up>},
      {"llvm.nvvm.shfl.sync.up.f32", 0, shuffle<Shuffle::Up>},
      {"llvm.nvvm.shfl.sync.up.f32p", 0, shuffle<Shuffle::Up>},
      {"llvm.nvvm.shfl.sync.down.i32", 0, shuffle<Shuffle::Down>},
      {"llvm.nvvm.shfl.sync.down.i32p", 0, shuffle<Shuffle::Down>},
      {"llvm.nvvm.shfl.sync.down.f32", 0, shuffle<Shuffle::Down>},
      {"llvm.nvvm.shfl.sync.down.f32p", 0, shuffle<Shuffle::Down>},
      {"llvm.nvvm.shfl.sync.bfly.i32", 0, shuffle<Shuffle::Butterfly>},
      {"llvm.nvvm.shfl.sync.bfly.i32p", 0, shuffle<Shuffle::Butterfly>},
      {"llvm.nvvm.shfl.sync.bfly.f32", 0, shuffle<Shuffle::Butterfly>},
      {"llvm.nvvm.shfl.sync.bfly.f32p", 0, shuffle<Shuffle::Butterfly>},
      {"llvm.nvvm.shfl.sync.idx.i32", 0, shuffle<Shuffle::Index>},
      {"llvm.nvvm.shfl.sync.idx.i32p", 0, shuffle<Shuffle::Index>},
      {"llvm.nvvm.shfl.sync.idx.f32", 0, shuffle<Shuffle::Index>},
      {"llvm.nvvm.shfl.sync.idx.f32p", 0, shuffle<Shuffle::Index>},
      {"llvm.nvvm.bar.warp.sync", 0, doNothing, /*isBarrier=*/true},
      {"llvm.nvvm.activemask", WarpOperation::kLanesThatCame, giveMask},
      {"llvm.nvvm.vote.all.sync", 0, voteAll},
      {"llvm.nvvm.vote.any.sync", 0, voteAny},
      {"llvm.nvvm.vote.uni.sync", 0, voteUniform},
      {"llvm.nvvm.vote.ballot.sync", 0, voteBallot},
      {"llvm.nvvm.redux.sync.add", 1, reduceAdd},
      {"llvm.nvvm.redux.sync.umin", 1, reduceUMin},
      {"llvm.nvvm.redux.sync.umax", 1, reduceUMax},
      {"llvm.nvvm.redux.sync.min", 1, reduceMin},
      {"llvm.nvvm.redux.sync.max", 1, reduceMax},
      {"llvm.nvvm.redux.sync.and", 1, reduceAnd},
      {"llvm.nvvm.redux.sync.or", 1, reduceOr},
      {"llvm.nvvm.redux.sync.xor", 1, reduceXor},
  };
  return operations;
}

ArrayRef<WarpOperation> getWarpOperations() {
  static const auto &operations = *new std::vector<WarpOperation>([] {
    std::vector<WarpOperation> all = getScalarOperations().vec();
    ArrayRef<WarpOperation> more = getMatrixOperations();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }());
  return operations;
}

} // namespace simulator
