//===- EntrySizes.h - The sizes of an entry by their names ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_COST_ENTRYSIZES_H
#define FLYWHEEL_LIB_COST_ENTRYSIZES_H

#include "flywheel/Interfaces/CostOpInterface.h"
#include "flywheel/Transforms/Checks/SizeAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace flywheel {

/// The symbols of an entry: one for each size that is not known. They outlive
/// the ops that they were found in, which passes replace.
struct EntrySymbols {
  std::vector<std::string> names;
  /// The description of each one: `dimension 0 of 'x'`.
  std::vector<std::string> origins;
  /// The dynamic dimensions of feeds, by argument and dimension: a symbol, or a
  /// number that the program forces.
  std::map<std::pair<unsigned, int64_t>, CostExpr> feeds;

  /// Returns the number of the symbol of this name.
  unsigned intern(const std::string &name, const std::string &origin);
};

/// Finds which dynamic dimensions of the feeds of `function` are one, and names
/// them as the manifest does.
EntrySymbols nameSizes(mlir::func::FuncOp function);

/// The sizes of the tensors of one function, over its symbols.
class EntrySizes : public CostSizes {
public:
  EntrySizes(EntrySymbols &symbols, const llvm::StringMap<int64_t> &bindings)
      : symbols(symbols), bindings(bindings) {}

  CostExpr getSize(mlir::Value tensor, int64_t dim) override {
    return translate(analysis.getSize(tensor, dim));
  }
  CostExpr getQuotient(const CostExpr &dividend, int64_t divisor) override;

  /// Returns the iterations of a loop; nullopt if they do not follow from
  /// sizes.
  std::optional<CostExpr> getTrips(mlir::Operation *loop);

private:
  CostExpr translate(const SizeExpr &expr);
  CostExpr getSymbol(unsigned atom);
  CostExpr findSymbol(unsigned atom);
  CostExpr bind(unsigned symbol);
  std::optional<CostExpr> getKnown(mlir::OpFoldResult number);

  EntrySymbols &symbols;
  const llvm::StringMap<int64_t> &bindings;
  SizeAnalysis analysis;
  llvm::DenseMap<unsigned, CostExpr> atoms;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_ENTRYSIZES_H
