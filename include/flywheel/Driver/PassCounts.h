//===- PassCounts.h - The sums of what passes count -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_PASSCOUNTS_H
#define FLYWHEEL_DRIVER_PASSCOUNTS_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace flywheel {

/// The sums of what passes count, over all pass managers that it is added to,
/// for `--mlir-pass-statistics`. It must outlive these pass managers.
class PassCounts {
public:
  /// Follows the command line: counts nothing without the option, which must
  /// be registered. Upstream's report, which is empty where LLVM was built
  /// without assertions, is not printed then.
  PassCounts();
  ~PassCounts();

  void addTo(mlir::PassManager &pm);
  /// Prints passes that counted something, in the order in which they first
  /// ran, or of their names with `--mlir-pass-statistics-display=list`; begins
  /// again.
  void print(llvm::raw_ostream &os);

private:
  class Instrumentation;
  struct Sums;
  /// Null without the option.
  std::unique_ptr<Sums> sums;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_PASSCOUNTS_H
