//===- CostReport.h - What a step costs, as numbers and text ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_COST_COSTREPORT_H
#define FLYWHEEL_COST_COSTREPORT_H

#include "flywheel/Support/SizeExpr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <string>
#include <vector>

namespace flywheel {

/// The parts of a train step. Ops that depend on derivatives, but are not a
/// part of one, belong to the update.
enum class Phase { Forward, Backward, Update };
constexpr std::array<Phase, 3> kPhases = {Phase::Forward, Phase::Backward,
                                          Phase::Update};
llvm::StringRef getPhaseName(Phase phase);

/// Floating-point operations and bytes moved.
struct CostSum {
  CostExpr flops, bytes;

  void add(const CostSum &other) {
    flops = flops + other.flops;
    bytes = bytes + other.bytes;
  }
};

/// All ops in a place of the source that are of one phase and one kind.
struct CostLine {
  /// `model.mlir:3:8`; empty if it is unknown.
  std::string place;
  /// As the source has it: `nn.dense`.
  std::string op;
  Phase phase = Phase::Forward;
  unsigned count = 0;
  /// Bodies of loops once.
  CostSum cost;
};

/// A loop whose body is counted once.
struct CostLoop {
  std::string place, op;
  /// Nullopt if the number of iterations is only known when the loop runs.
  std::optional<CostExpr> trips;
};

/// A tensor that is in memory when the most is.
struct CostTensor {
  std::string place, op, type;
  CostExpr bytes;
};

/// The costs of one entry.
struct CostEntry {
  std::string name;
  /// The names and descriptions of the symbols in the polynomials, by number.
  std::vector<std::string> symbols, origins;
  std::vector<CostLine> lines;
  std::vector<CostLoop> loops;
  /// Ops without a cost, which are counted 0.
  std::vector<CostLine> unknown;
  /// By phase: with the bodies of loops counted once, and with their trip
  /// counts if these are known.
  std::array<CostSum, 3> once, total;
  /// The tensors of a step, without variables, feeds and constants.
  CostExpr peakBytes;
  std::vector<CostTensor> peak;
};

struct CostReport {
  /// The stage that was counted: "before optimization".
  std::string title;
  std::vector<CostEntry> entries;
  /// With whole-graph: the cost of the initial values of variables.
  std::vector<CostLine> initializers;
  bool isWholeGraph = false;
};

/// `7200*batch + 3`, or `more than 2^126`.
std::string formatCost(const CostExpr &expr,
                       llvm::ArrayRef<std::string> symbols);

void printCost(const CostReport &report, llvm::raw_ostream &os);

/// Converts a report to JSON. Numbers are integers, or strings if they are
/// polynomials or do not fit into 64 bits.
llvm::json::Object toJSON(const CostReport &report);

} // namespace flywheel

#endif // FLYWHEEL_COST_COSTREPORT_H
