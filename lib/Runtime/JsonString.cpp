//===- JsonString.cpp - Strings as JSON literals --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/JsonString.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace flywheel::runtime;

std::string flywheel::runtime::quoteJson(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", unsigned(c));
      literal += escape;
    } else {
      literal += c;
    }
  }
  literal += '"';
  return literal;
}

bool flywheel::runtime::isValidUtf8(std::string_view text) {
  return nlohmann::json::accept(quoteJson(text));
}

std::string flywheel::runtime::quoteBytes(std::string_view text) {
  std::string literal = quoteJson(text);
  if (isValidUtf8(text))
    return literal;
  std::string ascii;
  for (unsigned char c : literal) {
    if (c < 0x80) {
      ascii += char(c);
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof(escape), "\\x%02x", unsigned(c));
    ascii += escape;
  }
  return ascii;
}

std::string flywheel::runtime::displayName(const std::string &name) {
  std::string quoted = quoteJson(name);
  bool isPlain = !name.empty() && quoted.size() == name.size() + 2 &&
                 name.find(' ') == std::string::npos;
  return isPlain ? name : quoted;
}
