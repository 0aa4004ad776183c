//===- PassCount.h - What a pass counts -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mlir::Pass::Statistic` counts nothing where LLVM was built without
// assertions, as in distributions. So TableGen's statistics of our passes are
// of this class (cmake/CountPasses.cmake).
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_PASSCOUNT_H
#define FLYWHEEL_SUPPORT_PASSCOUNT_H

#include "mlir/Pass/Pass.h"

namespace flywheel {

/// A number that a pass counts while it runs, such as the loops that it has
/// changed. A pass that runs on several functions at once has a copy for each.
class PassCount {
public:
  /// `name` and `description` outlive the count.
  PassCount(mlir::Pass *owner, llvm::StringLiteral name,
            llvm::StringLiteral description);
  ~PassCount();
  PassCount(const PassCount &) = delete;
  PassCount &operator=(const PassCount &) = delete;

  PassCount &operator++() { return *this += 1; }
  void operator++(int) { *this += 1; }
  PassCount &operator+=(uint64_t number) {
    value += number;
    return *this;
  }
  PassCount &operator=(uint64_t number) {
    value = number;
    return *this;
  }
  operator uint64_t() const { return value; }

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getDescription() const { return description; }
  /// Returns the number, and begins again at 0.
  uint64_t take() { return std::exchange(value, 0); }

  /// Returns the counts of `pass`, in the order of their declaration; none of
  /// a pass that is not of this project.
  static llvm::SmallVector<PassCount *> get(const mlir::Pass *pass);

private:
  const mlir::Pass *owner;
  llvm::StringLiteral name, description;
  uint64_t value = 0;
};

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_PASSCOUNT_H
