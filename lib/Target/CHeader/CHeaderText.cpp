//===- CHeaderText.cpp - Text shared by the parts of a C header -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CHeaderText.h"

#include "llvm/ADT/StringExtras.h"

std::string flywheel::escapeForC(llvm::StringRef text) {
  std::string escaped;
  for (char c : text) {
    // A question mark could begin a trigraph.
    if (c == '"' || c == '\\' || c == '?')
      escaped += '\\';
    if (llvm::isPrint(c))
      escaped += c;
    else
      escaped +=
          "\\" + std::string{char('0' + ((c >> 6) & 3)),
                             char('0' + ((c >> 3) & 7)), char('0' + (c & 7))};
  }
  return escaped;
}

std::string flywheel::formatForIf(int64_t bytes) {
  std::string number = std::to_string(bytes);
  return bytes > 0xffffffff ? "UINT64_C(" + number + ")" : number + "ul";
}

std::string flywheel::toMacroPart(llvm::StringRef name) {
  std::string part;
  for (char c : name)
    part += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  return part;
}

std::string flywheel::takeMacro(const std::string &base,
                                llvm::StringSet<> &taken) {
  std::string name = base;
  for (unsigned n = 1; !taken.insert(name).second; ++n)
    name = base + "_" + std::to_string(n);
  return name;
}

std::string flywheel::toCComment(llvm::StringRef text) {
  std::string safe;
  for (char c : text) {
    char last = safe.empty() ? ' ' : safe.back();
    bool isDelimiter = (c == '/' && last == '*') || (c == '*' && last == '/');
    safe += isDelimiter || !llvm::isPrint(c) ? '_' : c;
  }
  return safe;
}
