//===- Messages.h - JSON messages over a file descriptor --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_MESSAGES_H
#define FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_MESSAGES_H

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace flywheel::lsp {

/// The format in which messages follow each other.
enum class Framing {
  /// With a `Content-Length` header each.
  Header,
  /// With a line `// -----` between them, as upstream's tests have them.
  Delimiter,
};

/// Reads messages from a file descriptor, without waiting for more than the
/// available bytes.
class MessageReader {
public:
  MessageReader(int fd, Framing framing) : fd(fd), framing(framing) {}

  int getFD() const { return fd; }
  bool isAtEnd() const { return atEnd; }
  /// Reads the available bytes; waits if there are none.
  void fill();
  /// Returns the next whole message, or none. Skips messages that are not JSON.
  std::optional<llvm::json::Object> next();

private:
  /// Returns the text of the next whole message.
  std::optional<std::string> takeText();

  int fd;
  Framing framing;
  bool atEnd = false;
  std::string buffer;
};

/// Returns a message with a header.
std::string formatMessage(const llvm::json::Object &message, bool isPretty);

/// Writes a message with a header; returns false if nobody reads.
bool writeMessage(int fd, const llvm::json::Object &message, bool isPretty);

/// Queues messages for a process that writes, too: a blocking write could wait
/// forever for a process that itself waits until its messages are read.
class MessageQueue {
public:
  explicit MessageQueue(int fd);

  int getFD() const { return fd; }
  bool isEmpty() const { return text.empty(); }
  void add(const llvm::json::Object &message);
  /// Writes as much as the pipe has room for; drops all if nobody reads.
  void flush();

private:
  int fd;
  std::string text;
};

} // namespace flywheel::lsp

#endif // FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_MESSAGES_H
