//===- PassCounts.cpp - The sums of what passes count ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/PassCounts.h"
#include "flywheel/Support/PassCount.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

#include <mutex>

using namespace mlir;
using namespace flywheel;
namespace cl = llvm::cl;

struct PassCounts::Sums {
  struct Sum {
    StringRef name, description;
    uint64_t value = 0;
  };
  /// Functions are compiled in parallel.
  std::mutex mutex;
  llvm::MapVector<StringRef, SmallVector<Sum>> ofPasses;
};

class PassCounts::Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(Sums &sums) : sums(sums) {}

  void runAfterPass(Pass *pass, Operation *) override { add(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { add(pass); }

private:
  void add(Pass *pass) {
    SmallVector<PassCount *> counts = PassCount::get(pass);
    if (counts.empty())
      return;
    std::lock_guard<std::mutex> lock(sums.mutex);
    SmallVector<Sums::Sum> &ofPass = sums.ofPasses[pass->getArgument()];
    ofPass.resize(counts.size());
    for (auto [sum, count] : llvm::zip(ofPass, counts)) {
      sum.name = count->getName();
      sum.description = count->getDescription();
      sum.value += count->take();
    }
  }

  Sums &sums;
};

/// Returns the option of upstream of this name, whose value is a `T`.
template <typename T> static cl::opt<T> *findUpstreamOption(StringRef name) {
  return static_cast<cl::opt<T> *>(cl::getRegisteredOptions().lookup(name));
}

PassCounts::PassCounts() {
  auto *flag = findUpstreamOption<bool>("mlir-pass-statistics");
  if (!flag)
    return;
  // Upstream reads the option too, for a report of its own.
  static bool isGiven = false;
  isGiven |= flag->getValue();
  flag->setValue(false);
  if (isGiven)
    sums = std::make_unique<Sums>();
}

PassCounts::~PassCounts() = default;

void PassCounts::addTo(mlir::PassManager &pm) {
  if (sums)
    pm.addInstrumentation(std::make_unique<Instrumentation>(*sums));
}

void PassCounts::print(llvm::raw_ostream &os) {
  if (!sums)
    return;
  auto passes = sums->ofPasses.takeVector();
  llvm::erase_if(passes, [](const auto &pass) {
    return llvm::all_of(pass.second,
                        [](const Sums::Sum &sum) { return sum.value == 0; });
  });
  auto *display =
      findUpstreamOption<PassDisplayMode>("mlir-pass-statistics-display");
  if (*display == PassDisplayMode::List)
    llvm::sort(passes, [](const auto &left, const auto &right) {
      return left.first < right.first;
    });
  os << "Pass statistics: numbers that passes of Flywheel counted\n";
  for (const auto &[pass, ofPass] : passes) {
    os << pass << "\n";
    for (const Sums::Sum &sum : ofPass)
      if (sum.value != 0)
        os << llvm::format("%10llu ",
                           static_cast<unsigned long long>(sum.value))
           << sum.name << ": " << sum.description << "\n";
  }
}
