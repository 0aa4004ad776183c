//===- StringTable.h - Numbers of strings -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled step holds a string as a number, which it copies and compares. The
// table maps numbers to bytes: 0 is the empty string; then come the constants
// of the program, then the strings of the run.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_STRINGTABLE_H
#define FLYWHEEL_RUNTIME_STRINGTABLE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flywheel::runtime {

/// The strings of one state, any bytes of any length, each once. Not for use by
/// several threads at once.
class StringTable {
public:
  /// A table of the strings that a program names, which are numbered from 1 and
  /// stay for good. They differ, and none is empty.
  explicit StringTable(const std::vector<std::string> &constants = {});
  // The keys of the index are views of the texts.
  StringTable(const StringTable &) = delete;
  StringTable &operator=(const StringTable &) = delete;

  /// The number of a string, which is copied if it is new. Equal strings have
  /// equal numbers; the empty one has 0.
  int64_t intern(std::string_view text);

  /// Returns the string with a number; valid until that number is collected.
  /// Empty for an unknown number.
  std::string_view text(int64_t number) const;

  /// The number of strings in the table, and their bytes; the empty string does
  /// not count.
  size_t size() const { return numbers.size(); }
  size_t byteSize() const { return bytes; }

  /// Returns true if the table is twice as large as after the last collection,
  /// so that another one is worth its time.
  bool wantsCollection() const;

  /// Forgets every string but the constants and those with the numbers \p live,
  /// which keep theirs. Numbers that nothing has are ignored.
  void collect(const std::vector<int64_t> &live);

private:
  /// At i the text of the number i + 1; they do not move.
  std::deque<std::string> texts;
  std::unordered_map<std::string_view, int64_t> numbers;
  /// Numbers to give again.
  std::vector<int64_t> unused;
  size_t numConstants;
  size_t bytes = 0;
  /// After the last collection.
  size_t keptStrings = 0, keptBytes = 0;
};

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_STRINGTABLE_H
