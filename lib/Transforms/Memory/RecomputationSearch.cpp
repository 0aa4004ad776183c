//===- RecomputationSearch.cpp - Choice of values to recompute ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search runs in rounds. Each one looks at the position with the most live
// bytes, and chooses among the values that are live across it. A value that one
// round recomputes is live from its first use on, so that a chain of n layers
// needs the memory of about sqrt(2 n) of them; a further round recomputes parts
// of that again.
//
//===----------------------------------------------------------------------===//

#include "RecomputationSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <optional>

using namespace flywheel;

/// Targets that a round tries.
constexpr unsigned kNumTargets = 32;
/// Feasible choices of a round that are improved.
constexpr unsigned kNumImproved = 3;
constexpr unsigned kMaxRounds = 256;
/// Flops for each byte that a value is made of up to which recomputing it is
/// about as cheap as reading it again.
constexpr int64_t kCheapFlopsPerByte = 8;

namespace {
/// A unit that is kept across the peak.
struct Candidate {
  unsigned unit;
  int64_t bytes, flops;

  bool isCheap() const { return flops <= kCheapFlopsPerByte * bytes; }
};

/// The distance of a program from the budget: less is better.
struct Excess {
  /// Bytes of the workspace, at least the budget. If the bytes that are live at
  /// the peak exceed the budget, this is their number: the workspace is at
  /// least as large, and takes longer to plan.
  int64_t bytes = 0;
  /// The number of positions at which the most bytes are live. A round works on
  /// one of them.
  unsigned peakLength = 0;

  Excess(const StepAnalysis &analysis, int64_t budget) {
    if (analysis.peakBytes > budget) {
      bytes = analysis.peakBytes;
      peakLength = analysis.peakLength;
      return;
    }
    bytes = std::max(budget, planWorkspaceBytes(analysis.program));
  }

  bool operator<(const Excess &other) const {
    return std::make_pair(bytes, peakLength) <
           std::make_pair(other.bytes, other.peakLength);
  }
};

/// The result of dropping one set of units.
struct Choice {
  llvm::BitVector dropped;
  RematModel program;
  Excess excess;
  int64_t flops;
};

/// One round: chooses the values to drop at the peak of `program`.
class Round {
public:
  Round(const RematModel &program, int64_t budget)
      : analysis(program), budget(budget) {
    analysis.computeUnits();
    collectCandidates();
  }

  /// Returns the best program that this round finds; nullopt if it cannot lower
  /// the peak.
  std::optional<Choice> run();

private:
  void collectCandidates();
  Choice evaluate(llvm::BitVector dropped) const;
  std::vector<Choice> makeChoices() const;
  llvm::BitVector choose(int64_t target, bool onlyCheap) const;
  /// Keeps units, the most expensive first, whose recomputation does not reduce
  /// the excess.
  void improve(Choice &choice) const;

  StepAnalysis analysis;
  int64_t budget;
  /// In program order.
  llvm::SmallVector<Candidate> candidates;
};
} // namespace

void Round::collectCandidates() {
  const RematModel &program = analysis.program;
  unsigned peak = analysis.peak;
  for (auto [number, unit] : llvm::enumerate(analysis.units)) {
    if (unit.ops.back() >= peak)
      continue;
    int64_t bytes = 0;
    for (unsigned buffer : unit.buffers)
      if (analysis.last[buffer] > peak && !program.ops[peak].touches(buffer))
        bytes += program.storages[buffer].bytes;
    if (bytes > 0)
      candidates.push_back({static_cast<unsigned>(number), bytes, unit.flops});
  }
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    return analysis.units[a.unit].ops.back() <
           analysis.units[b.unit].ops.back();
  });
}

Choice Round::evaluate(llvm::BitVector dropped) const {
  RematModel program = recomputeAfter(analysis, analysis.peak, dropped);
  Excess excess(StepAnalysis(program), budget);
  int64_t flops = countFlops(program);
  return {std::move(dropped), std::move(program), excess, flops};
}

/// Visits the candidates in order, and drops each one while the bytes kept so
/// far and the segment that will be recomputed at once fit into `target`: the
/// segments get shorter as more units are kept.
llvm::BitVector Round::choose(int64_t target, bool onlyCheap) const {
  llvm::BitVector dropped(analysis.units.size());
  int64_t kept = 0, segment = 0;
  for (const Candidate &candidate : candidates) {
    bool isAllowed = !onlyCheap || candidate.isCheap();
    if (isAllowed && kept + segment + candidate.bytes <= target) {
      segment += candidate.bytes;
      dropped.set(candidate.unit);
      continue;
    }
    kept += candidate.bytes;
    if (isAllowed)
      segment = 0;
  }
  return dropped;
}

void Round::improve(Choice &choice) const {
  llvm::SmallVector<const Candidate *> order;
  for (const Candidate &candidate : candidates)
    order.push_back(&candidate);
  llvm::sort(order, [](const Candidate *a, const Candidate *b) {
    double costA = double(a->flops) / a->bytes,
           costB = double(b->flops) / b->bytes;
    return std::make_pair(-costA, a->unit) < std::make_pair(-costB, b->unit);
  });
  for (const Candidate *candidate : order) {
    if (!choice.dropped.test(candidate->unit))
      continue;
    llvm::BitVector fewer = choice.dropped;
    fewer.reset(candidate->unit);
    Choice improved = evaluate(std::move(fewer));
    if (!(choice.excess < improved.excess) && improved.flops <= choice.flops)
      choice = std::move(improved);
  }
}

std::vector<Choice> Round::makeChoices() const {
  int64_t total = 0;
  for (const Candidate &candidate : candidates)
    total += candidate.bytes;
  std::vector<Choice> choices;
  for (bool onlyCheap : {true, false})
    for (unsigned i = 1; i <= kNumTargets; ++i) {
      llvm::BitVector dropped =
          choose(llvm::divideCeil(total * i, kNumTargets), onlyCheap);
      bool isNew = llvm::none_of(choices, [&](const Choice &choice) {
        return choice.dropped == dropped;
      });
      if (dropped.any() && isNew)
        choices.push_back(evaluate(std::move(dropped)));
    }
  return choices;
}

std::optional<Choice> Round::run() {
  std::vector<Choice> choices = makeChoices();
  llvm::SmallVector<Choice *> order;
  for (Choice &choice : choices)
    order.push_back(&choice);
  auto isBetter = [](const Choice *a, const Choice *b) {
    if (a->excess < b->excess || b->excess < a->excess)
      return a->excess < b->excess;
    return std::make_pair(a->flops, a) < std::make_pair(b->flops, b);
  };
  llvm::sort(order, isBetter);
  if (order.empty() || !(order.front()->excess < Excess(analysis, budget)))
    return std::nullopt;
  if (order.size() > kNumImproved)
    order.truncate(kNumImproved);
  for (Choice *choice : order)
    improve(*choice);
  return std::move(**llvm::min_element(order, isBetter));
}

RematModel flywheel::fitIntoBudget(RematModel program, int64_t budget) {
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    if (planWorkspaceBytes(program) <= budget)
      break;
    std::optional<Choice> choice = Round(program, budget).run();
    if (!choice)
      break;
    program = std::move(choice->program);
  }
  return program;
}
