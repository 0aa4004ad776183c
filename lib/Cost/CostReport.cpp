//===- CostReport.cpp - Cost of a step, as numbers and text ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Cost/CostReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace flywheel;
namespace json = llvm::json;
using llvm::raw_ostream;
using llvm::StringRef;

StringRef flywheel::getPhaseName(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Update:
    return "update";
  }
  llvm_unreachable("unknown phase");
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static std::string formatMonomial(const CostExpr::Monomial &monomial,
                                  llvm::ArrayRef<std::string> symbols) {
  std::string text;
  for (size_t i = 0; i < monomial.size();) {
    size_t power = 1;
    while (i + power < monomial.size() && monomial[i + power] == monomial[i])
      ++power;
    text += (text.empty() ? "" : "*") + symbols[monomial[i]];
    if (power > 1)
      text += "^" + std::to_string(power);
    i += power;
  }
  return text;
}

/// Formats a number in decimal, for which streams have no 128-bit overload.
static std::string formatNumber(Int128 number) {
  bool isNegative = number < 0;
  std::string digits;
  do {
    auto digit = static_cast<int>(number % 10);
    digits += static_cast<char>('0' + std::abs(digit));
    number /= 10;
  } while (number != 0);
  if (isNegative)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string flywheel::formatCost(const CostExpr &expr,
                                 llvm::ArrayRef<std::string> symbols) {
  if (expr.hasWrapped())
    return "more than 2^126";
  if (expr.isZero())
    return "0";
  std::string text;
  // The highest powers first, the constant last.
  auto isBefore = [](const CostExpr::Monomial &a, const CostExpr::Monomial &b) {
    return std::make_pair(b.size(), a) < std::make_pair(a.size(), b);
  };
  std::map<CostExpr::Monomial, Int128, decltype(isBefore)> terms(isBefore);
  terms.insert(expr.getTerms().begin(), expr.getTerms().end());
  for (const auto &[monomial, coefficient] : terms) {
    Int128 number = coefficient;
    if (!text.empty()) {
      text += number < 0 ? " - " : " + ";
      number = number < 0 ? -number : number;
    }
    std::string product = formatMonomial(monomial, symbols);
    if (product.empty())
      text += formatNumber(number);
    else if (number == 1)
      text += product;
    else if (number == -1)
      text += "-" + product;
    else
      text += formatNumber(number) + "*" + product;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static CostSum sumPhases(const std::array<CostSum, 3> &sums) {
  CostSum all;
  for (const CostSum &sum : sums)
    all.add(sum);
  return all;
}

static void printSum(StringRef name, const CostSum &sum, const CostEntry &entry,
                     raw_ostream &os) {
  os << llvm::formatv("  {0,-9} {1} FLOP, {2} bytes\n", name,
                      formatCost(sum.flops, entry.symbols),
                      formatCost(sum.bytes, entry.symbols));
}

static void printSums(const std::array<CostSum, 3> &sums,
                      const CostEntry &entry, raw_ostream &os) {
  for (Phase phase : kPhases)
    printSum(getPhaseName(phase), sums[static_cast<size_t>(phase)], entry, os);
  printSum("total", sumPhases(sums), entry, os);
}

static void printPlace(StringRef place, StringRef op, raw_ostream &os) {
  if (!place.empty())
    os << place << ": ";
  os << op;
}

static void printLine(const CostLine &line, const CostEntry &entry,
                      raw_ostream &os) {
  os << "  " << llvm::formatv("{0,-9} ", getPhaseName(line.phase));
  printPlace(line.place, line.op, os);
  if (line.count > 1)
    os << " (" << line.count << " ops)";
  os << ": " << formatCost(line.cost.flops, entry.symbols) << " FLOP, "
     << formatCost(line.cost.bytes, entry.symbols) << " bytes\n";
}

static void printLoops(const CostEntry &entry, raw_ostream &os) {
  bool isTotal = false;
  for (const CostLoop &loop : entry.loops) {
    os << "  warning: ";
    printPlace(loop.place, loop.op, os);
    os << ": the body of this loop is counted once";
    if (loop.trips) {
      isTotal = true;
      os << "; it runs " << formatCost(*loop.trips, entry.symbols) << " times";
    } else {
      os << "; how often it runs is not known";
    }
    os << "\n";
  }
  if (!isTotal)
    return;
  os << "  with the iterations of loops that are known:\n";
  printSums(entry.total, entry, os);
}

static void printEntry(const CostEntry &entry, raw_ostream &os) {
  os << "@" << entry.name << "\n";
  printSums(entry.once, entry, os);
  printLoops(entry, os);
  os << "  peak memory of its tensors: "
     << formatCost(entry.peakBytes, entry.symbols) << " bytes\n";
  for (const CostTensor &tensor : entry.peak) {
    os << "    " << formatCost(tensor.bytes, entry.symbols) << " bytes, "
       << tensor.type << ", of ";
    printPlace(tensor.place, tensor.op, os);
    os << "\n";
  }
  os << "  by op:\n";
  for (const CostLine &line : entry.lines)
    printLine(line, entry, os);
  if (!entry.unknown.empty())
    os << "  counted 0, as their cost is unknown:\n";
  for (const CostLine &line : entry.unknown) {
    os << "    ";
    printPlace(line.place, line.op, os);
    if (line.count > 1)
      os << " (" << line.count << " ops)";
    os << "\n";
  }
  for (auto [name, origin] : llvm::zip(entry.symbols, entry.origins))
    os << "  " << name << ": " << origin << "\n";
}

/// Returns the sum of all entries and the initial values, as far as it is
/// known.
static CostSum sumGraph(const CostReport &report) {
  CostSum all;
  for (const CostLine &line : report.initializers)
    all.add(line.cost);
  return all;
}

void flywheel::printCost(const CostReport &report, raw_ostream &os) {
  os << "cost " << report.title << "\n";
  for (const CostEntry &entry : report.entries)
    printEntry(entry, os);
  if (!report.isWholeGraph)
    return;
  CostEntry none;
  os << "initial values\n";
  for (const CostLine &line : report.initializers)
    printLine(line, none, os);
  CostSum initial = sumGraph(report);
  printSum("total", initial, none, os);
  os << "whole graph\n";
  for (const CostEntry &entry : report.entries) {
    CostSum all = sumPhases(entry.once);
    all.add(initial);
    printSum("@" + entry.name, all, entry, os);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value toJSON(const CostExpr &expr, const CostEntry &entry) {
  if (std::optional<Int128> constant = expr.getConstant();
      constant && !expr.hasWrapped() &&
      *constant <= std::numeric_limits<int64_t>::max())
    return static_cast<int64_t>(*constant);
  return formatCost(expr, entry.symbols);
}

static json::Object toJSON(const CostSum &sum, const CostEntry &entry) {
  return json::Object{{"flops", toJSON(sum.flops, entry)},
                      {"bytes", toJSON(sum.bytes, entry)}};
}

static json::Object toJSON(const std::array<CostSum, 3> &sums,
                           const CostEntry &entry) {
  json::Object object;
  for (Phase phase : kPhases)
    object[getPhaseName(phase)] =
        toJSON(sums[static_cast<size_t>(phase)], entry);
  object["total"] = toJSON(sumPhases(sums), entry);
  return object;
}

/// Converts text of a program, which need not be UTF-8.
static std::string toText(StringRef text) { return json::fixUTF8(text); }

static json::Object toJSON(const CostLine &line, const CostEntry &entry) {
  json::Object object = toJSON(line.cost, entry);
  object["op"] = toText(line.op);
  object["place"] = toText(line.place);
  object["phase"] = getPhaseName(line.phase);
  object["count"] = static_cast<int64_t>(line.count);
  return object;
}

static json::Array toJSON(llvm::ArrayRef<CostLine> lines,
                          const CostEntry &entry) {
  json::Array array;
  for (const CostLine &line : lines)
    array.push_back(toJSON(line, entry));
  return array;
}

static json::Object toJSON(const CostEntry &entry) {
  json::Array loops, peak;
  for (const CostLoop &loop : entry.loops)
    loops.push_back(json::Object{
        {"op", toText(loop.op)},
        {"place", toText(loop.place)},
        {"trips", loop.trips ? toJSON(*loop.trips, entry) : nullptr}});
  for (const CostTensor &tensor : entry.peak)
    peak.push_back(json::Object{{"bytes", toJSON(tensor.bytes, entry)},
                                {"type", toText(tensor.type)},
                                {"op", toText(tensor.op)},
                                {"place", toText(tensor.place)}});
  json::Object symbols;
  for (auto [name, origin] : llvm::zip(entry.symbols, entry.origins))
    symbols[toText(name)] = toText(origin);
  return json::Object{{"name", entry.name},
                      {"once", toJSON(entry.once, entry)},
                      {"with_iterations", toJSON(entry.total, entry)},
                      {"ops", toJSON(entry.lines, entry)},
                      {"unknown", toJSON(entry.unknown, entry)},
                      {"loops", std::move(loops)},
                      {"peak_bytes", toJSON(entry.peakBytes, entry)},
                      {"peak", std::move(peak)},
                      {"symbols", std::move(symbols)}};
}

json::Object flywheel::toJSON(const CostReport &report) {
  json::Array entries;
  for (const CostEntry &entry : report.entries)
    entries.push_back(::toJSON(entry));
  json::Object object{{"title", report.title}, {"entries", std::move(entries)}};
  if (report.isWholeGraph) {
    CostEntry none;
    object["initializers"] = ::toJSON(report.initializers, none);
    object["initial_values"] = ::toJSON(sumGraph(report), none);
  }
  return object;
}
