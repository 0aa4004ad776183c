//===- PassCount.cpp - What a pass counts ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/PassCount.h"

#include <mutex>

using namespace flywheel;

namespace {
/// The counts of all passes that exist: a pass does not say which class it has.
struct Counts {
  std::mutex mutex;
  llvm::DenseMap<const mlir::Pass *, llvm::SmallVector<PassCount *>> ofPasses;
};
} // namespace

static Counts &getCounts() {
  static Counts counts;
  return counts;
}

PassCount::PassCount(mlir::Pass *owner, llvm::StringLiteral name,
                     llvm::StringLiteral description)
    : owner(owner), name(name), description(description) {
  Counts &counts = getCounts();
  std::lock_guard<std::mutex> lock(counts.mutex);
  counts.ofPasses[owner].push_back(this);
}

PassCount::~PassCount() {
  Counts &counts = getCounts();
  std::lock_guard<std::mutex> lock(counts.mutex);
  auto found = counts.ofPasses.find(owner);
  llvm::erase(found->second, this);
  if (found->second.empty())
    counts.ofPasses.erase(found);
}

llvm::SmallVector<PassCount *> PassCount::get(const mlir::Pass *pass) {
  Counts &counts = getCounts();
  std::lock_guard<std::mutex> lock(counts.mutex);
  return counts.ofPasses.lookup(pass);
}
