//===- Lists.cpp - Lists of numbers on the command line -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lists.h"

#include <optional>
#include <string>

using flywheel::runtime::Result;
using flywheel::runtime::Shape;
using flywheel::runtime::Status;
using llvm::StringRef;

namespace flywheel::run {

bool isList(StringRef text) {
  if (text.ltrim().starts_with("["))
    return true;
  auto [first, rest] = text.split(',');
  first = first.trim();
  double number;
  bool isElement =
      first == "true" || first == "false" || !first.getAsDouble(number);
  return isElement && text.contains(',');
}

namespace {
/// Reads nested lists from the front of a text.
class ListParser {
public:
  ListParser(StringRef text, NumberList &list) : rest(text), list(list) {}

  /// Reads all of the text, whose brackets around the outermost list may be
  /// missing.
  Status parse();

private:
  /// Parses the items up to `]`, or up to the end of the text if `isOpen`.
  Status parseItems(size_t depth, bool isOpen);
  Status parseElement(size_t depth);
  /// Numbers are at one depth in all of the text.
  Status setDepth(size_t depth);
  Status endList(size_t depth, int64_t length);
  void skipSpace() { rest = rest.ltrim(); }
  static Status wrong(const std::string &reason) {
    return Status::invalidArgument(reason);
  }

  static constexpr size_t kMaxDepth = 32;
  StringRef rest;
  NumberList &list;
  /// The number of lists that each number is in; none before the first number.
  std::optional<size_t> elementDepth;
};
} // namespace

Status ListParser::setDepth(size_t depth) {
  if (!elementDepth)
    elementDepth = depth;
  if (*elementDepth == depth)
    return {};
  return wrong("expected numbers at one depth of the lists, found some in " +
               std::to_string(*elementDepth) + " and some in " +
               std::to_string(depth));
}

Status ListParser::endList(size_t depth, int64_t length) {
  if (length == 0)
    if (Status status = setDepth(depth); !status.isOk())
      return status;
  if (list.shape.size() < depth)
    list.shape.resize(depth, -1);
  int64_t &dimSize = list.shape[depth - 1];
  if (dimSize < 0)
    dimSize = length;
  if (dimSize == length)
    return {};
  return wrong("expected lists of equal lengths, found " +
               std::to_string(dimSize) + " and " + std::to_string(length));
}

Status ListParser::parseElement(size_t depth) {
  StringRef element =
      rest.take_until([](char c) { return c == ',' || c == '[' || c == ']'; });
  rest = rest.drop_front(element.size());
  element = element.trim();
  if (element.empty())
    return wrong("expected a number, found '" +
                 (rest.empty() ? std::string() : rest.take_front(1).str()) +
                 "'");
  list.elements.push_back(element);
  return setDepth(depth);
}

Status ListParser::parseItems(size_t depth, bool isOpen) {
  if (depth > kMaxDepth)
    return wrong("expected lists up to a depth of " +
                 std::to_string(kMaxDepth) + ", found a deeper one");
  int64_t length = 0;
  skipSpace();
  while (!rest.starts_with("]") || length > 0) {
    skipSpace();
    Status status = rest.consume_front("[") ? parseItems(depth + 1, false)
                                            : parseElement(depth);
    if (!status.isOk())
      return status;
    ++length;
    skipSpace();
    if (!rest.consume_front(","))
      break;
  }
  if (!isOpen && !rest.consume_front("]"))
    return wrong("expected ',' or ']', found '" + rest.take_front(1).str() +
                 "'");
  return endList(depth, length);
}

Status ListParser::parse() {
  skipSpace();
  bool isOpen = !rest.consume_front("[");
  if (Status status = parseItems(1, isOpen); !status.isOk())
    return status;
  skipSpace();
  return rest.empty() ? Status()
                      : wrong("expected the end of the list, found '" +
                              rest.str() + "'");
}

Result<NumberList> parseList(StringRef text) {
  NumberList list;
  ListParser parser(text, list);
  if (Status status = parser.parse(); !status.isOk())
    return status;
  return list;
}

} // namespace flywheel::run
