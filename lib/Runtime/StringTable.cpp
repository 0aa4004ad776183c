//===- StringTable.cpp - Numbers of strings -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/StringTable.h"

#include <algorithm>

using namespace flywheel::runtime;

/// Below these sizes a table is not worth a collection.
static constexpr size_t smallTable = 256, smallBytes = 1 << 20;

StringTable::StringTable(const std::vector<std::string> &constants)
    : numConstants(constants.size()) {
  for (const std::string &text : constants)
    intern(text);
  keptStrings = size();
  keptBytes = bytes;
}

int64_t StringTable::intern(std::string_view text) {
  if (text.empty())
    return 0;
  if (auto found = numbers.find(text); found != numbers.end())
    return found->second;
  int64_t number;
  if (unused.empty()) {
    texts.emplace_back(text);
    number = int64_t(texts.size());
  } else {
    number = unused.back();
    unused.pop_back();
    texts[size_t(number - 1)] = text;
  }
  bytes += text.size();
  numbers.emplace(texts[size_t(number - 1)], number);
  return number;
}

std::string_view StringTable::text(int64_t number) const {
  if (number < 1 || number > int64_t(texts.size()))
    return {};
  return texts[size_t(number - 1)];
}

bool StringTable::wantsCollection() const {
  return size() >= 2 * std::max(keptStrings, smallTable) ||
         bytes >= 2 * std::max(keptBytes, smallBytes);
}

void StringTable::collect(const std::vector<int64_t> &live) {
  std::vector<bool> isLive(texts.size(), false);
  std::fill_n(isLive.begin(), std::min(numConstants, texts.size()), true);
  for (int64_t number : live)
    if (number >= 1 && number <= int64_t(texts.size()))
      isLive[size_t(number - 1)] = true;
  for (size_t i = 0; i < texts.size(); ++i) {
    // The text of a number that is free already is empty.
    if (isLive[i] || texts[i].empty())
      continue;
    numbers.erase(texts[i]);
    bytes -= texts[i].size();
    texts[i] = std::string();
    unused.push_back(int64_t(i) + 1);
  }
  keptStrings = size();
  keptBytes = bytes;
}
