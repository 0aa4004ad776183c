//===- Proxy.h - Between the editor and upstream's server -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's MLIR language server knows syntax, symbols and the errors of
// parsing. It cannot be extended, so it runs unchanged, in its own process, and
// its messages are completed on the way to the editor:
//   * the hover text of an op of ours gets the op's documentation;
//   * `nn.rel` is completed to the ops that begin so;
//   * a document that all tools refuse before upstream sees it is empty for it,
//     and has the diagnostics of that refusal;
//   * a document without errors is compiled, and the stages' diagnostics are
//     added.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_PROXY_H
#define FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_PROXY_H

#include "Messages.h"
#include "StageCheck.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace flywheel::lsp {

struct ProxyOptions {
  /// Reads delimited messages and writes pretty ones; checks all documents
  /// before it ends.
  bool isTest = false;
  bool checkStages = true;
};

class Proxy {
public:
  /// `toUpstream` and `fromUpstream` are pipes of upstream's server.
  Proxy(int toUpstream, int fromUpstream, const ProxyOptions &options);

  /// Passes messages on until the editor or the server ends.
  void run();

private:
  using Clock = std::chrono::steady_clock;
  struct Document {
    std::string text;
    int64_t version = 0;
    /// The version that upstream has reported on.
    std::optional<int64_t> reported;
    llvm::json::Array upstreamDiagnostics;
    /// The reasons why upstream does not get the text, for each such version
    /// that it has not reported on.
    std::map<int64_t, llvm::json::Array> refused;
    /// The time to compile it; none if that is not due.
    std::optional<Clock::time_point> checkAt;
  };

  void handleClient(llvm::json::Object message);
  void handleUpstream(llvm::json::Object message);
  void open(llvm::json::Object &params);
  void change(llvm::json::Object &params);
  /// Answers a completion of an op of ours; returns false for others.
  bool complete(const llvm::json::Object &message);
  void describe(llvm::json::Object &message);
  void handleReport(llvm::json::Object &message);
  std::string setText(const std::string &uri, std::string text,
                      int64_t version);
  void startChecks();
  void finishCheck();
  void publish(const std::string &uri, llvm::json::Array added);
  bool hasWork() const;
  int getTimeout() const;

  ProxyOptions options;
  MessageQueue toUpstream;
  MessageReader client, upstream;
  std::map<std::string, Document> documents;
  /// Requests for a hover text, by the text of their id.
  std::set<std::string> hovers;
  std::unique_ptr<StageCheck> check;
  /// The shutdown of a test, kept back until everything is checked.
  std::optional<llvm::json::Object> heldBack;
};

} // namespace flywheel::lsp

#endif // FLYWHEEL_TOOLS_FLYWHEEL_LSP_SERVER_PROXY_H
