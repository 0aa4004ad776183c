//===- StageCheck.h - Diagnostics of the stages of compilation --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_STAGECHECK_H
#define FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_STAGECHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

namespace flywheel::lsp {

/// Returns the diagnostics, in the form of the protocol, of what all tools
/// refuse before upstream's parser and verifiers see a document; none if these
/// may see it.
llvm::json::Array findRefused(llvm::StringRef uri, llvm::StringRef text);

/// Compiles a document in a process of its own, which may be stopped at any
/// time, and whose crash harms nobody.
class StageCheck {
public:
  StageCheck(const std::string &uri, const std::string &text);
  /// Stops the process if it has not ended.
  ~StageCheck();
  StageCheck(const StageCheck &) = delete;
  StageCheck &operator=(const StageCheck &) = delete;

  const std::string &getURI() const { return uri; }
  /// Returns the file descriptor of the process's output, to wait for.
  int getFD() const { return fd; }
  bool isOverdue() const;
  /// Reads the available output. At its end, returns the diagnostics of the
  /// document in the form of the protocol.
  std::optional<llvm::json::Array> read();

private:
  std::string uri;
  int fd = -1;
  pid_t process = -1;
  std::string output;
  std::chrono::steady_clock::time_point start;
};

} // namespace flywheel::lsp

#endif // FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_STAGECHECK_H
