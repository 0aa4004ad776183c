//===- SessionStrings.cpp - Strings on their way in and out ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between the numbers of strings, which a step sees, and their bytes,
// which callers see. A feed is interned before any string is forgotten, so that
// a caller may feed a string that it has just received.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Session/Session.h"

#include "llvm/ADT/STLExtras.h"

using flywheel::runtime::DType;

namespace flywheel {

llvm::MutableArrayRef<int64_t> Session::getNumbers(size_t variable) const {
  const VariableSpec &spec = program->getVariables()[variable];
  return {reinterpret_cast<int64_t *>(state->data() + spec.offset),
          static_cast<size_t>(spec.bytes) / sizeof(int64_t)};
}

void Session::collectStrings(
    llvm::ArrayRef<std::vector<int64_t>> others) const {
  if (!strings->wantsCollection())
    return;
  std::vector<int64_t> live;
  for (auto [index, variable] : llvm::enumerate(program->getVariables()))
    if (variable.dtype == DType::String && hasValue(index))
      llvm::append_range(live, getNumbers(index));
  for (const std::vector<int64_t> &numbers : others)
    llvm::append_range(live, numbers);
  strings->collect(live);
}

static size_t countElements(llvm::ArrayRef<int64_t> shape) {
  size_t count = 1;
  for (int64_t dimSize : shape)
    count *= static_cast<size_t>(dimSize);
  return count;
}

void CallPlan::internFeeds(llvm::ArrayRef<ArrayView> feeds) {
  for (auto [index, feed] : llvm::enumerate(feeds)) {
    if (feed.dtype != DType::String)
      continue;
    std::vector<int64_t> &numbers = feedStrings[index];
    numbers.clear();
    const auto *texts = static_cast<const std::string_view *>(feed.data);
    for (size_t i = 0, e = countElements(feed.shape); i < e; ++i)
      numbers.push_back(session.strings->intern(texts[i]));
    if (!numbers.empty())
      feedPointers[index] = numbers.data();
  }
  session.collectStrings(feedStrings);
}

void CallPlan::reserveStrings(llvm::ArrayRef<MutableArrayView> results) {
  for (auto [index, result] : llvm::enumerate(results)) {
    if (result.dtype != DType::String)
      continue;
    resultStrings[index].assign(countElements(result.shape), 0);
    if (!resultStrings[index].empty())
      resultPointers[index] = resultStrings[index].data();
  }
}

void CallPlan::returnStrings(llvm::ArrayRef<MutableArrayView> results) {
  for (auto [index, result] : llvm::enumerate(results))
    if (result.dtype == DType::String)
      llvm::transform(
          resultStrings[index], static_cast<std::string_view *>(result.data),
          [&](int64_t number) { return session.strings->text(number); });
}

} // namespace flywheel
