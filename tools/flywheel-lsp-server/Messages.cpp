//===- Messages.cpp - JSON messages over a file descriptor ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using llvm::StringRef;

namespace flywheel::lsp {

void MessageReader::fill() {
  char chunk[1 << 16];
  ssize_t count;
  do
    count = read(fd, chunk, sizeof(chunk));
  while (count < 0 && errno == EINTR);
  if (count <= 0)
    atEnd = true;
  else
    buffer.append(chunk, static_cast<size_t>(count));
}

std::optional<std::string> MessageReader::takeText() {
  StringRef text = buffer;
  size_t begin = 0, size = 0, end = 0;
  if (framing == Framing::Delimiter) {
    constexpr llvm::StringLiteral delimiter = "\n// -----";
    size = text.find(delimiter);
    if (size == StringRef::npos && !atEnd)
      return {};
    end = size == StringRef::npos ? text.size() : size + delimiter.size();
    size = std::min(size, text.size());
  } else {
    size_t headerEnd = text.find("\r\n\r\n");
    if (headerEnd == StringRef::npos)
      return {};
    llvm::SmallVector<StringRef> lines;
    text.take_front(headerEnd).split(lines, "\r\n");
    for (StringRef line : lines)
      if (line.consume_front_insensitive("Content-Length:") &&
          line.trim().getAsInteger(10, size))
        size = 0;
    begin = headerEnd + 4;
    if (size > text.size() - begin)
      return {};
    end = begin + size;
  }
  if (end == 0)
    return {};
  std::string message = text.substr(begin, size).str();
  buffer.erase(0, end);
  return message;
}

std::optional<llvm::json::Object> MessageReader::next() {
  while (std::optional<std::string> text = takeText()) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    if (llvm::json::Object *object = value->getAsObject())
      return std::move(*object);
  }
  return {};
}

std::string formatMessage(const llvm::json::Object &message, bool isPretty) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::Value value = llvm::json::Object(message);
  if (isPretty)
    os << llvm::formatv("{0:2}", value);
  else
    os << value;
  std::string all =
      "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
  if (isPretty)
    all += "\n";
  return all;
}

bool writeMessage(int fd, const llvm::json::Object &message, bool isPretty) {
  std::string all = formatMessage(message, isPretty);
  for (size_t done = 0; done < all.size();) {
    ssize_t count = write(fd, all.data() + done, all.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

MessageQueue::MessageQueue(int fd) : fd(fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void MessageQueue::add(const llvm::json::Object &message) {
  text += formatMessage(message, /*isPretty=*/false);
}

void MessageQueue::flush() {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t count = write(fd, text.data() + done, text.size() - done);
    if (count >= 0)
      done += static_cast<size_t>(count);
    else if (errno == EAGAIN)
      break;
    else if (errno != EINTR)
      done = text.size();
  }
  text.erase(0, done);
}

} // namespace flywheel::lsp
